package import ScanModel

/// Reads the dates of HTTP headers. By hand: fixed grammar, no locale, and no trap on any input.
package enum HTTPDate {
  /// A `Date` header (RFC 9110, 5.6.7): IMF-fixdate and the two obsolete forms of RFC 850 and asctime.
  /// - Parameter now: settles the century of the two-digit year: at most 50 years ahead.
  /// - Returns: the time in whole seconds; `nil` if it is none of these.
  package static func read(_ text: String, now: WallTime) -> WallTime? {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
    switch words.count {
    case 6 where words[5] == "GMT":  // Sun, 06 Nov 1994 08:49:37 GMT
      guard let year = number(words[3], digits: 4) else { return nil }
      return time(day: words[1], month: words[2], year: year, clock: words[4])
    case 4 where words[3] == "GMT":  // Sunday, 06-Nov-94 08:49:37 GMT
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, let short = number(parts[2], digits: 2) else { return nil }
      let thisYear = CivilDay.split(now.seconds).day.year
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

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func time(day: Substring, month: Substring, year: Int64, clock: Substring) -> WallTime? {
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let day = number(day, digits: 2), let month = months.firstIndex(of: String(month)),
      let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
      let second = number(parts[2], digits: 2),
      let civil = WallTime.seconds(year, Int64(month) + 1, day, hour, minute, second)
    else { return nil }
    return WallTime(seconds: civil)
  }

  private static func number(_ text: Substring, digits: Int) -> Int64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}
