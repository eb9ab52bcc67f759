import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// What the file beside a journal says of how far that had come: `….reached`.
///
/// ```
/// at 0, and again at 512:  "SGreach1"  count  boot  journal  written: session, facts, turns  durable: the same  checksum
/// ```
/// Each value was true when it was written: a lower bound, however old it is.
struct ReachRecord: Sendable, Equatable {
  /// How often it was written: the newer of the two holds.
  var count: UInt64
  /// The start of the machine.
  var boot: BootID
  /// What the kernel had: nothing but the end of the machine loses it.
  var written: JournalPosition
  /// What the disk had.
  var durable: JournalPosition

  /// How far the journal must have come, at least, as seen by this start of the machine.
  func bound(in boot: BootID) -> JournalPosition { boot == self.boot ? written : durable }

  /// Where the second one lies.
  static let slot = 512
  private static let mark = [UInt8]("SGreach1".utf8)
  private static let bootLength = 40
  /// How long it is without its checksum.
  private static let length = mark.count + 8 + bootLength + 7 * 8

  var bytes: [UInt8] {
    var bytes = Self.mark
    bytes.reserveCapacity(Self.length + 8)
    func add(_ number: UInt64) {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    add(count)
    let name = boot.description.utf8.prefix(Self.bootLength)
    bytes += name
    bytes += [UInt8](repeating: 0x20, count: Self.bootLength - name.count)
    add(UInt64(bitPattern: written.journal))
    for position in [written, durable] {
      for number in [position.session, position.facts, position.turns] { add(UInt64(bitPattern: number)) }
    }
    add(Self.checksum(bytes))
    return bytes
  }

  /// FNV-1a: against accidents.
  private static func checksum(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}

extension ReachRecord {
  /// - Returns: `nil` for anything that was not written as one.
  init?(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes.prefix(Self.length + 8))
    guard bytes.count == Self.length + 8, bytes.starts(with: Self.mark) else { return nil }
    func number(_ at: Int) -> UInt64 { bytes[at..<(at + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    guard number(Self.length) == Self.checksum(Array(bytes.prefix(Self.length))) else { return nil }
    let numbers = Self.mark.count + 8 + Self.bootLength
    let values = (0..<7).map { Int64(bitPattern: number(numbers + $0 * 8)) }
    let name = bytes[(Self.mark.count + 8)..<numbers]
    self.init(
      count: number(Self.mark.count),
      boot: BootID(String(decoding: name.prefix { $0 > 0x20 }, as: UTF8.self)),
      written: JournalPosition(journal: values[0], session: values[1], facts: values[2], turns: values[3]),
      durable: JournalPosition(journal: values[0], session: values[4], facts: values[5], turns: values[6]))
  }

  /// What is said beside a journal; `nil` where nothing is that can be read.
  static func read(beside journal: String) -> ReachRecord? {
    let path = JournalReach.path(of: journal)
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 2 * slot)
    let count = max(0, pread(file.number, &bytes, bytes.count, 0))
    let found = bytes.prefix(count)
    return [found.prefix(slot), found.dropFirst(slot)].compactMap { ReachRecord($0) }.max { $0.count < $1.count }
  }
}

/// Notes beside a journal how far that has come, while it is written: a log that was damaged or cut off replays to less, and SQLite
/// takes that for its end.
///
/// Nothing is synced for it: where the power went, an older word on what was durable is as true as the newest. Where the file cannot be
/// written, the last word stays.
final class JournalReach: Sendable {
  private let journal: String
  private let boot: BootID
  private let file = FileSlot()
  /// Held while the record is handed to the kernel, so that no older one comes after a newer.
  private let record = Mutex<ReachRecord?>(nil)

  init(of journal: String, boot: BootID) {
    self.journal = journal
    self.boot = boot
  }

  static func path(of journal: String) -> String { journal + ".reached" }

  /// Begins with a journal that was just opened.
  func begin(written: JournalPosition, durable: JournalPosition) {
    let number = open(Self.path(of: journal), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard number >= 0 else { return end() }
    file.put(OwnedDescriptor(owning: number))
    let before = ReachRecord.read(beside: journal)?.count ?? 0
    record.withLock { record in
      record = ReachRecord(count: before, boot: boot, written: written, durable: durable)
      // Both: what an earlier start said is over, and the room for both is had now.
      for _ in 0..<2 { put(&record) }
    }
  }

  /// How far the journal is written: a sync that begins now covers that.
  var written: JournalPosition? { record.withLock { $0?.written } }

  /// The kernel has everything up to `position`.
  func wrote(_ position: JournalPosition) {
    record.withLock { record in
      record?.written = position
      put(&record)
    }
  }

  /// The disk has everything up to `position`.
  func synced(_ position: JournalPosition) {
    record.withLock { record in
      // Else it is of another file, which was set aside meanwhile.
      guard record?.written.journal == position.journal else { return }
      record?.durable = position
      put(&record)
    }
  }

  func end() {
    record.withLock { $0 = nil }
    file.empty()
  }

  /// The older one is written over: whatever comes in between, the other is whole.
  private func put(_ record: inout ReachRecord?) {
    record?.count &+= 1
    guard let record else { return }
    let bytes = record.bytes
    _ = file.with { pwrite($0, bytes, bytes.count, off_t(record.count % 2) * off_t(ReachRecord.slot)) }
  }
}
