/// The station's last events, for all listeners together: each has its own place in it, so that one that hangs costs nothing but what
/// it misses.
///
///     events ──▶ [ 7 │ 8 │ 9 │ 10 │ 11 ] ──▶ the oldest goes when there are too many, or too many bytes
///                      ▲           ▲
///                a slow listener   a quick one
struct EventRing: Sendable {
  /// An event, in the packets of those who are told names and those who are not.
  struct Entry: Sendable {
    let number: UInt64
    let packet: [UInt8]
    /// `nil` where it is the same.
    let namedPacket: [UInt8]?
    var size: Int { packet.count + (namedPacket?.count ?? 0) }
  }

  /// What a listener is to be told next.
  enum Next: Sendable {
    case nothing
    /// So many events are gone that it was not told.
    case dropped(UInt64)
    case entry(Entry)
  }

  private let mostEntries: Int
  private let mostBytes: Int
  /// By rising numbers. The first `begin` are gone.
  private var entries: [Entry] = []
  private var begin = 0
  private var bytes = 0
  /// The number that the next event gets.
  private(set) var next: UInt64 = 1

  /// Makes an empty ring.
  init(mostEntries: Int, mostBytes: Int) {
    self.mostEntries = max(1, mostEntries)
    self.mostBytes = mostBytes
  }

  /// So many events are told to nobody.
  mutating func skip(_ count: UInt64) { next &+= count }

  /// Takes an event.
  /// - Parameter pack: makes its packets for its number; `nil` where it cannot be told.
  mutating func append(_ pack: (UInt64) -> (packet: [UInt8], named: [UInt8]?)?) {
    let number = next
    next &+= 1
    guard let packed = pack(number) else { return }
    let entry = Entry(number: number, packet: packed.packet, namedPacket: packed.named)
    entries.append(entry)
    bytes += entry.size
    while entries.count - begin > mostEntries || (bytes > mostBytes && entries.count - begin > 1) {
      bytes -= entries[begin].size
      begin += 1
    }
    // Now and then, so that each is moved once.
    if begin > mostEntries {
      entries.removeFirst(begin)
      begin = 0
    }
  }

  /// What a listener is told that awaits the event `number`.
  func next(from number: UInt64) -> Next {
    guard number < next else { return .nothing }
    var (low, high) = (begin, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count else { return .nothing }
    let entry = entries[low]
    return entry.number > number ? .dropped(entry.number - number) : .entry(entry)
  }

  /// Forgets all: nobody listens. Numbers go on.
  mutating func clear() {
    entries = []
    begin = 0
    bytes = 0
  }
}
