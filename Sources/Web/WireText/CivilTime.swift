package import ScanModel

/// Reads the dates of HTTP headers and of JSON. By hand: fixed grammar, no locale, and no trap on any input.
package enum CivilTime {
  /// A `Date` header (RFC 9110, 5.6.7): IMF-fixdate and the two obsolete forms of RFC 850 and asctime.
  /// - Parameter now: settles the century of the two-digit year: at most 50 years ahead.
  /// - Returns: the time in whole seconds; `nil` if it is none of these.
  package static func httpDate(_ text: String, now: WallTime) -> WallTime? {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
    switch words.count {
    case 6 where words[5] == "GMT":  // Sun, 06 Nov 1994 08:49:37 GMT
      guard let year = number(words[3], digits: 4) else { return nil }
      return time(day: words[1], month: words[2], year: year, clock: words[4])
    case 4 where words[3] == "GMT":  // Sunday, 06-Nov-94 08:49:37 GMT
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, let short = number(parts[2], digits: 2) else { return nil }
      let thisYear = year(ofDay: now.seconds / 86_400)
      var year = thisYear - thisYear % 100 + short
      if year > thisYear + 50 { year -= 100 }
      return time(day: parts[0], month: parts[1], year: year, clock: words[2])
    case 5:  // Sun Nov  6 08:49:37 1994
      guard let year = number(words[4], digits: 4) else { return nil }
      let day = words[2].count == 1 ? "0" + words[2] : String(words[2])
      return time(day: day[...], month: words[1], year: year, clock: words[3])
    default: return nil
    }
  }

  /// An ISO 8601 time with seconds and a zone (`Z` or an offset), any number of fraction digits, which are dropped.
  /// - Returns: the time in whole seconds; `nil` for every other form, one without a zone among them.
  package static func timestamp(_ text: String) -> WallTime? {
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
    guard rest.isEmpty, let civil = seconds(year, month, day, hour, minute, second) else { return nil }
    return WallTime(seconds: civil - offset)
  }

  /// `time` as `2025-12-17T14:30:00Z`, for messages.
  package static func text(_ time: WallTime) -> String {
    var days = time.seconds / 86_400
    var rest = time.seconds % 86_400
    if rest < 0 {
      rest += 86_400
      days -= 1
    }
    let (year, month, day) = date(ofDay: days)
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(year)-\(two(month))-\(two(day))T\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func time(day: Substring, month: Substring, year: Int64, clock: Substring) -> WallTime? {
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let day = number(day, digits: 2), let month = months.firstIndex(of: String(month)),
      let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
      let second = number(parts[2], digits: 2), let civil = seconds(year, Int64(month) + 1, day, hour, minute, second)
    else { return nil }
    return WallTime(seconds: civil)
  }

  private static func number(_ text: Substring, digits: Int) -> Int64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }

  /// Seconds since 1970 of a date and time in UTC; `nil` if there is no such day or time. A leap second counts as the next.
  private static func seconds(
    _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
  ) -> Int64? {
    guard (1...9_999).contains(year), (1...12).contains(month), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day >= 1, day <= lengths[Int(month) - 1] else { return nil }
    // Days before the year in the Gregorian calendar, counted from its own start, then from 1970.
    let before = year - 1
    let days = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
    let inYear = lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1
    return (days + inYear) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  private static func year(ofDay days: Int64) -> Int64 { date(ofDay: days).year }

  /// The date of a day since 1970; the days of `WallTime` stay between the years 1677 and 2262.
  private static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Years that begin in March have their leap day at the end, and 400 of them always have 146,097 days.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
