import Foundation

/// What clocks on a wall show, in no zone: `2025-12-17 20:00:00`.
struct WallTime: Equatable, Sendable {
  let day: CalendarDay
  /// Since midnight, below 86,400.
  let seconds: Int64

  /// Reads that form, and no other.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let day = CalendarDay(String(parts[0])) else { return nil }
    let clock = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    let numbers = clock.compactMap { $0.utf8.count == 2 && $0.allSatisfy(\.isASCIIDigit) ? Int64($0) : nil }
    guard clock.count == 3, numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else { return nil }
    self.day = day
    seconds = numbers[0] * 3_600 + numbers[1] * 60 + numbers[2]
  }

  /// The instant at which clocks in `zone` show it; where they skip it, one beside it.
  func instant(in zone: TimeZone) -> Timestamp { day.instant(second: seconds, in: zone) }
}

extension Timestamp {
  /// The day on which an instant falls, where clocks go by `zone`.
  func day(in zone: TimeZone) -> CalendarDay { CalendarDay.today(in: zone, at: seconds) }

  /// Reads `2025-12-17 14:30:00` as the server stores it, in UTC.
  init?(sql text: String) {
    guard let wall = WallTime(text) else { return nil }
    self.init(seconds: Int64(wall.day.number) * 86_400 + wall.seconds)
  }

  /// `2025-12-17T14:30:00+00:00`
  var withOffset: String { String(utc.dropLast()) + "+00:00" }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
