internal import ScanModel

/// The rule by which a zone goes on for ever, such as `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX `TZ`, with the hours of RFC 8536).
struct ZoneRule: Sendable, Equatable {
  private var standard: Int64
  private var summer: (offset: Int64, start: Change, end: Change)?

  private struct Change: Equatable, Sendable {
    var month: Int64 = 0
    var week: Int64 = 0
    /// With a month the day of the week, 0 is Sunday; else the day of the year.
    var day: Int64 = 0
    /// Whether the day of the year counts from 1 and leaves 29 February out.
    var skipsLeapDay = false
    var second: Int64 = 7_200
  }

  static func == (a: Self, b: Self) -> Bool {
    a.standard == b.standard && a.summer?.offset == b.summer?.offset && a.summer?.start == b.summer?.start
      && a.summer?.end == b.summer?.end
  }

  /// Reads a rule; `nil` where it is none.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    guard Self.skipName(&rest), let offset = Self.clock(&rest, most: 24) else { return nil }
    standard = -offset
    if rest.isEmpty { return }
    guard Self.skipName(&rest) else { return nil }
    var summer = standard + 3_600
    if rest.first != UInt8(ascii: ",") {
      guard let offset = Self.clock(&rest, most: 24) else { return nil }
      summer = -offset
    }
    guard let start = Self.change(&rest), let end = Self.change(&rest), rest.isEmpty else { return nil }
    self.summer = (summer, start, end)
  }

  /// The seconds east of UTC at a time (in seconds since 1970).
  func offset(at time: Int64) -> Int64 {
    guard let summer else { return standard }
    // Beyond what a wall clock can say there is no summer.
    guard abs(time) < 1 << 40 else { return standard }
    let year = CivilDay.split(time + standard).day.year
    let start = Self.time(of: summer.start, in: year) - standard
    let end = Self.time(of: summer.end, in: year) - summer.offset
    let isSummer = start < end ? start <= time && time < end : !(end <= time && time < start)
    return isSummer ? summer.offset : standard
  }

  /// A change's civil time in a year, in seconds since 1970 as if it were UTC.
  private static func time(of change: Change, in year: Int64) -> Int64 {
    let day: Int64
    if change.month > 0 {
      let first = CivilDay.first(of: change.month, in: year)
      var candidate = first + (change.day - CivilDay.weekday(of: first) + 7) % 7 + (change.week - 1) * 7
      if candidate >= first + CivilDay.days(in: change.month, of: year) { candidate -= 7 }
      day = candidate
    } else {
      let first = CivilDay.first(of: 1, in: year)
      let isAfterLeapDay = change.skipsLeapDay && change.day >= 60 && CivilDay.days(in: 2, of: year) == 29
      day = first + change.day - (change.skipsLeapDay && !isAfterLeapDay ? 1 : 0)
    }
    return day * 86_400 + change.second
  }

  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, _ range: ClosedRange<Int64>) -> Int64? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard (1...3).contains(digits.count), let value = Int64(String(decoding: digits, as: UTF8.self)),
      range.contains(value)
    else { return nil }
    rest = rest.dropFirst(digits.count)
    return value
  }

  private static func skip(_ character: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let byte = character.asciiValue, rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// A signed time: hours, perhaps minutes and seconds.
  private static func clock(_ rest: inout ArraySlice<UInt8>, most: Int64) -> Int64? {
    let isNegative = skip("-", &rest)
    if !isNegative { _ = skip("+", &rest) }
    guard var seconds = number(&rest, 0...most).map({ $0 * 3_600 }) else { return nil }
    for unit: Int64 in [60, 1] {
      guard skip(":", &rest) else { break }
      guard let part = number(&rest, 0...59) else { return nil }
      seconds += part * unit
    }
    return isNegative ? -seconds : seconds
  }

  private static func change(_ rest: inout ArraySlice<UInt8>) -> Change? {
    guard skip(",", &rest) else { return nil }
    var change = Change()
    if skip("M", &rest) {
      guard let month = number(&rest, 1...12), skip(".", &rest), let week = number(&rest, 1...5), skip(".", &rest),
        let day = number(&rest, 0...6)
      else { return nil }
      change.month = month
      change.week = week
      change.day = day
    } else {
      change.skipsLeapDay = skip("J", &rest)
      guard let day = number(&rest, change.skipsLeapDay ? 1...365 : 0...365) else { return nil }
      change.day = day
    }
    if skip("/", &rest) {
      guard let second = clock(&rest, most: 167) else { return nil }
      change.second = second
    }
    return change
  }
}
