internal import NIOCore

/// The station's last events, for all who are told them: each has its own place in it, so that one that hangs costs nothing but what it
/// misses. Pure.
///
///     events ──▶ [ 7 │ 8 │ 9 │ 10 │ 11 ] ──▶ the oldest goes when there are too many, or too many bytes
///                      ▲           ▲
///                 a slow reader   a quick one
///
/// What has another epoch than the buffer was missed, nobody can tell how much: the station, or the way to it, was begun anew.
struct EventBuffer: Sendable {
  /// Where somebody is: what it is told next.
  struct Place: Hashable, Sendable {
    /// `nil` before the first epoch of whoever began without one.
    var epoch: UInt64?
    /// The number of the next event.
    var next: UInt64
  }

  /// What was missed.
  enum Loss: Hashable, Sendable {
    case counted(UInt64)
    /// Nobody can tell how many.
    case uncounted
  }

  /// What somebody is told next.
  struct Batch: Sendable {
    /// What was lost before it.
    var loss: Loss?
    /// The last event that was lost; whoever knows it can go on behind it.
    var lastLost: EventID?
    var frames: [EventFrame] = []

    var isEmpty: Bool { loss == nil && frames.isEmpty }
  }

  private let mostEntries: Int
  private let mostBytes: Int
  /// By rising numbers. The first `begin` are gone.
  private var entries: [EventFrame] = []
  private var begin = 0
  private var bytes = 0
  /// How many events were dropped on the way before the first one came.
  private var droppedBefore: UInt64 = 0
  /// The epoch; `nil` before the station was found.
  private(set) var epoch: UInt64?
  /// The number of the epoch's first event, told or lost; `nil` before one came.
  private var first: UInt64?
  /// The number that is awaited next; 0 before one came.
  private var next: UInt64 = 0

  /// Makes an empty buffer.
  init(mostEntries: Int, mostBytes: Int) {
    self.mostEntries = max(1, mostEntries)
    self.mostBytes = mostBytes
  }

  /// How many events there are.
  var count: Int { entries.count - begin }

  // MARK: What comes

  /// An epoch begins; what was before is forgotten.
  mutating func begin(epoch: UInt64) {
    self = EventBuffer(mostEntries: mostEntries, mostBytes: mostBytes)
    self.epoch = epoch
  }

  /// The station has dropped so many events before the next one.
  mutating func drop(_ count: UInt64) {
    // Later ones are missing in the numbers.
    if first == nil { droppedBefore = min(droppedBefore.addingReportingOverflow(count).partialValue, .max / 2) }
  }

  /// Takes an event.
  /// - Returns: whether it follows the one before; not where numbers begin anew.
  mutating func append(_ number: UInt64, _ make: (EventID) -> EventFrame?) -> Bool {
    guard let epoch, number > 0, number < .max, number >= next else { return false }
    if first == nil { first = number > droppedBefore ? number - droppedBefore : 1 }
    next = number + 1
    guard let frame = make(EventID(epoch: epoch, number: number)) else { return true }
    entries.append(frame)
    bytes += frame.bytes.readableBytes
    while count > mostEntries || (bytes > mostBytes && count > 1) {
      bytes -= entries[begin].bytes.readableBytes
      begin += 1
    }
    // Now and then, so that each is moved once.
    if begin > mostEntries {
      entries.removeFirst(begin)
      begin = 0
    }
    return true
  }

  // MARK: Who is told

  /// Where somebody begins that is told what happens from now on.
  var now: Place { Place(epoch: epoch, next: first == nil ? 0 : next) }

  /// Where somebody begins that was told `id` last.
  func place(after id: EventID) -> Place {
    // One that is yet to come is of a station that was begun anew under the same name, or a lie: what is between is not known.
    if id.epoch == epoch, id.number >= next { return Place(epoch: ~id.epoch, next: 0) }
    return Place(epoch: id.epoch, next: id.number == .max ? .max : id.number + 1)
  }

  /// What is told at `place`, which moves behind it.
  /// - Parameters:
  ///   - limit: the most events.
  ///   - enough: with so many bytes there are no more of them: what is handed on waits in memory for whoever reads slowly.
  func take(
    at place: inout Place, where filter: EventFilter = EventFilter(), limit: Int = 64, enough: Int = 16_384
  ) -> Batch {
    var batch = Batch()
    guard let epoch else { return batch }
    if place.epoch == nil {
      // It began before there was an epoch: all of the first one is its own.
      place = Place(epoch: epoch, next: 0)
    } else if place.epoch != epoch {
      place = Place(epoch: epoch, next: 0)
      batch.loss = .uncounted
    }
    guard let first else { return batch }
    place.next = max(place.next, first)
    var index = index(of: place.next)
    let awaited = index < entries.count ? entries[index].number : next
    if awaited > place.next {
      batch.lastLost = EventID(epoch: epoch, number: awaited - 1)
      if batch.loss == nil { batch.loss = .counted(awaited - place.next) }
      place.next = awaited
    }
    var size = 0
    while index < entries.count, batch.frames.count < limit, size < enough {
      let frame = entries[index]
      if frame.number != place.next {
        // What is missing in between is told before what follows it, and after what was before it.
        if !batch.isEmpty { break }
        batch.loss = .counted(frame.number - place.next)
        batch.lastLost = EventID(epoch: epoch, number: frame.number - 1)
      }
      if filter.lets(frame) {
        batch.frames.append(frame)
        size += frame.bytes.readableBytes
      }
      place.next = frame.number + 1
      index += 1
    }
    return batch
  }

  /// The first event of at least this number.
  private func index(of number: UInt64) -> Int {
    var (low, high) = (begin, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Which events somebody wants. Pure.
package struct EventFilter: Hashable, Sendable {
  /// Those that name one of these gates; empty for all.
  package var gates: Set<String>
  /// Those of these types; empty for all.
  package var types: Set<String>

  package init(gates: Set<String> = [], types: Set<String> = []) {
    self.gates = gates
    self.types = types
  }

  func lets(_ frame: EventFrame) -> Bool {
    (types.isEmpty || types.contains(frame.type)) && (gates.isEmpty || frame.gate.map(gates.contains) == true)
  }
}
