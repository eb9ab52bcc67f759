/// A day of the proleptic Gregorian calendar; after Howard Hinnant's public "chrono-compatible low-level date algorithms".
package struct CivilDay: Hashable, Sendable {
  /// The year.
  package let year: Int64
  /// From 1.
  package let month: Int64
  /// From 1.
  package let day: Int64

  /// A day by its number since 1970-01-01.
  package init(number: Int64) {
    // Years that begin in March have their leap day at the end, and 400 of them always have 146,097 days.
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// A day by its date; `nil` where there is no such day.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (-9_999...9_999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.days(in: month, of: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// A day by year, month and day, as they are read; `nil` where there is no such day.
  package init?(_ parts: [Int]) {
    guard parts.count == 3 else { return nil }
    self.init(year: Int64(parts[0]), month: Int64(parts[1]), day: Int64(parts[2]))
  }

  /// A day as it is written by ISO 8601, such as `2026-01-31`, whatever follows it; `nil` where there is no such day.
  package init?(iso8601 text: String) {
    let parts = text.utf8.prefix(10).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) } }
    guard parts.map(\.count) == [4, 2, 2], isPlain else { return nil }
    self.init(parts.map { $0.reduce(0) { $0 * 10 + Int($1 & 0x0F) } })
  }

  /// How many days since 1970-01-01.
  package var number: Int64 { Self.number(year, month, day) }

  /// The day of the week; 0 is Sunday.
  package var weekday: Int64 { Self.weekday(of: number) }

  /// The day of the week of a day by its number; 0 is Sunday. 1970 began on a Thursday.
  package static func weekday(of number: Int64) -> Int64 { (number % 7 + 11) % 7 }

  /// How long a month is.
  package static func days(in month: Int64, of year: Int64) -> Int64 {
    (month == 12 ? number(year + 1, 1, 1) : number(year, month + 1, 1)) - number(year, month, 1)
  }

  /// The number of a month's first day.
  package static func first(of month: Int64, in year: Int64) -> Int64 { number(year, month, 1) }

  /// A time in seconds since 1970, as if it were UTC, as its day and the second of the day.
  package static func split(_ seconds: Int64) -> (day: CivilDay, second: Int64) {
    let second = (seconds % 86_400 + 86_400) % 86_400
    return (CivilDay(number: (seconds - second) / 86_400), second)
  }

  private static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension CivilDay: CustomStringConvertible {
  /// Such as `2026-01-31`.
  package var description: String { "\(String(year, digits: 4))-\(String(month, digits: 2))-\(String(day, digits: 2))" }

  /// A second of a day, such as `18:00:03`.
  package static func clock(_ second: Int64) -> String {
    [second / 3_600, second / 60 % 60, second % 60].map { String($0, digits: 2) }.joined(separator: ":")
  }
}

extension WallTime {
  /// UTC with milliseconds by ISO 8601 (RFC 3339), such as `2026-01-31T18:00:00.000Z`.
  package var iso8601: String { "\(iso8601Seconds.dropLast()).\(String(milliseconds, digits: 3))Z" }

  /// UTC in whole seconds, such as `2025-12-17T14:30:00Z`.
  package var iso8601Seconds: String {
    let (day, second) = CivilDay.split(seconds)
    return "\(day)T\(CivilDay.clock(second))Z"
  }

  /// The milliseconds beside its whole seconds.
  package var milliseconds: Int64 { (nanoseconds &- seconds &* 1_000_000_000) / 1_000_000 }

  /// Reads an ISO 8601 time with seconds and a zone (`Z` or an offset), and any number of fraction digits, which are dropped.
  /// `nil` for every other form, one without a zone among them. Traps on no input.
  package init?(iso8601 text: String) {
    var rest = text.utf8[...]
    func digits(_ count: Int) -> Int64? {
      let part = rest.prefix(count)
      guard part.count == count, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(count)
      return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    func take(_ allowed: String) -> Bool {
      guard let next = rest.first, allowed.utf8.contains(next) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard text.utf8.count <= 64, let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2),
      take("Tt "), let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2)
    else { return nil }
    if take(".,") {
      let fraction = rest.prefix { (0x30...0x39).contains($0) }
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count)
    }
    var offset: Int64 = 0
    if !take("Zz") {
      let isEast = rest.first == UInt8(ascii: "+")
      guard take("+-"), let hours = digits(2), hours <= 23 else { return nil }
      _ = take(":")
      guard let minutes = digits(2), minutes <= 59 else { return nil }
      offset = (hours * 3_600 + minutes * 60) * (isEast ? 1 : -1)
    }
    guard rest.isEmpty, let civil = Self.seconds(year, month, day, hour, minute, second) else { return nil }
    self.init(seconds: civil - offset)
  }

  /// Seconds since 1970 of a date and time in UTC; `nil` if there is no such day or time. A leap second counts as the next.
  package static func seconds(
    _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
  ) -> Int64? {
    guard year >= 1, let day = CivilDay(year: year, month: month, day: day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    return day.number * 86_400 + hour * 3_600 + minute * 60 + second
  }
}
