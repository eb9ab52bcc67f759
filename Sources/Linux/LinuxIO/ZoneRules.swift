internal import Glibc

/// How far a zone's civil time is from UTC, and when that changes: read from a zone file (TZif, RFC 8536).
///
/// The C library's own zone is the process's: it cannot be asked about another one beside other threads.
package struct ZoneRules: Sendable, Equatable {
  private var transitions: [Int64] = []
  /// The seconds east of UTC from each transition on.
  private var offsets: [Int64] = []
  /// Those before the first one.
  private var first: Int64 = 0
  /// What holds after the last one.
  private var rule: ZoneRule?

  /// Coordinated universal time.
  package static let utc = ZoneRules()

  private init() {}

  /// Reads a zone file; `nil` where it is none.
  package init?(_ file: [UInt8]) {
    var bytes = ByteReader(file)
    guard var block = Block(&bytes) else { return nil }
    guard block.version >= UInt8(ascii: "2") else {
      self.init(block, &bytes, width: 4)
      return
    }
    // The second block has the same in 64 bits.
    guard bytes.skip(block.length(width: 4)), let second = Block(&bytes) else { return nil }
    block = second
    self.init(block, &bytes, width: 8)
    guard bytes.next() == 0x0A else { return nil }
    let text = bytes.rest.prefix { $0 != 0x0A }
    if !text.isEmpty {
      guard let rule = ZoneRule(String(decoding: text, as: UTF8.self)) else { return nil }
      self.rule = rule
    }
  }

  private init?(_ block: Block, _ bytes: inout ByteReader, width: Int) {
    guard block.types > 0, block.times <= 10_000, block.types <= 256 else { return nil }
    for _ in 0..<block.times {
      guard let time = bytes.integer(width), transitions.last.map({ $0 < time }) ?? true else { return nil }
      transitions.append(time)
    }
    var kinds: [Int] = []
    for _ in 0..<block.times {
      guard let kind = bytes.next(), kind < block.types else { return nil }
      kinds.append(Int(kind))
    }
    var types: [Int64] = []
    for _ in 0..<block.types {
      guard let offset = bytes.integer(4), abs(offset) < 200_000, bytes.skip(2) else { return nil }
      types.append(offset)
    }
    offsets = kinds.map { types[$0] }
    first = types[0]
    guard bytes.skip(block.characters + block.leaps * (width + 4) + block.standards + block.universals) else {
      return nil
    }
  }

  /// The seconds east of UTC at a time (in seconds since 1970).
  package func offset(at time: Int64) -> Int64 {
    // The last transition that is not later.
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= time { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let rule { return rule.offset(at: time) }
    return low == 0 ? first : offsets[low - 1]
  }

  /// What civil time does where the clock is put forward.
  package enum Leap: Sendable {
    /// What is leapt over is at the moment of the change.
    case atChange
    /// What is leapt over is as much later.
    case asMuchLater
  }

  /// When civil time reaches `local` (in seconds since 1970, as if it were UTC): the first time where it does so twice.
  package func time(local: Int64, leaping: Leap = .atChange) -> Int64 {
    let before = offset(at: local - 86_400)
    let after = offset(at: local + 86_400)
    let candidates = [local - max(before, after), local - min(before, after)]
    if let found = candidates.first(where: { $0 + offset(at: $0) == local }) { return found }
    if leaping == .asMuchLater { return candidates[1] }
    // The first second of the new offset.
    var low = candidates[0]
    var high = candidates[1]
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if middle + offset(at: middle) < local { low = middle } else { high = middle }
    }
    return high
  }

  private struct Block {
    var version: UInt8
    var universals, standards, leaps, times, types, characters: Int

    init?(_ bytes: inout ByteReader) {
      guard bytes.next() == UInt8(ascii: "T"), bytes.next() == UInt8(ascii: "Z"), bytes.next() == UInt8(ascii: "i"),
        bytes.next() == UInt8(ascii: "f"), let version = bytes.next(), bytes.skip(15)
      else { return nil }
      var counts: [Int] = []
      for _ in 0..<6 {
        guard let count = bytes.integer(4), (0...100_000).contains(count) else { return nil }
        counts.append(Int(count))
      }
      self.version = version
      (universals, standards, leaps) = (counts[0], counts[1], counts[2])
      (times, types, characters) = (counts[3], counts[4], counts[5])
    }

    func length(width: Int) -> Int {
      times * (width + 1) + types * 6 + characters + leaps * (width + 4) + standards + universals
    }
  }
}

extension ZoneRules {
  /// Where the system keeps its zones.
  package static var folder: String { getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo" }

  /// The rules of a zone by its IANA name, as they are now; `nil` where the system knows none of that name.
  package static func named(_ zone: String, in folder: String = Self.folder) -> ZoneRules? {
    let isPlain = zone.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/_+-".utf8.contains(byte)
    }
    guard isPlain, (1...64).contains(zone.utf8.count), !zone.hasPrefix("/") else { return nil }
    return zone == "UTC" ? .utc : read("\(folder)/\(zone)")
  }

  /// The machine's own, as they are now: by `TZ` where it is set, as the C library has it.
  package static func machine() -> ZoneRules {
    guard let set = getenv("TZ").map({ String(cString: $0) }) else { return read("/etc/localtime") ?? .utc }
    let name = String(set.drop { $0 == ":" })
    if name.hasPrefix("/") { return read(name) ?? .utc }
    return named(name) ?? ZoneRule(name).map { ZoneRules($0) } ?? .utc
  }

  private init(_ rule: ZoneRule) { self.rule = rule }

  private static func read(_ path: String) -> ZoneRules? {
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK),
      let bytes = try? SmallFile.read(file.number, upTo: 65_536)
    else { return nil }
    return ZoneRules(bytes)
  }
}

/// Reads big-endian numbers off bytes; never beyond their end.
private struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() -> UInt8? { rest.popFirst() }

  mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= rest.count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  /// A signed number of 4 or 8 bytes.
  mutating func integer(_ width: Int) -> Int64? {
    guard rest.count >= width else { return nil }
    var bits: UInt64 = 0
    for byte in rest.prefix(width) { bits = bits << 8 | UInt64(byte) }
    rest = rest.dropFirst(width)
    return width == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
  }
}
