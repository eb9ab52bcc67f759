// The zone rules come with Foundation's ICU; FoundationEssentials alone knows UTC only.
import Foundation

extension TimeZone {
  /// The zone of an IANA name.
  ///
  /// Always by this and never by `TimeZone(identifier:)` alone: a statically linked program has the ICU zones only when
  /// something in it names one of ICU's formatters; without that every zone but UTC is unknown at run time.
  static func named(_ name: String) -> TimeZone? {
    guard !String(describing: Date.FormatStyle.self).isEmpty else { return nil }
    return TimeZone(identifier: name)
  }
}

/// A day of the (proleptic Gregorian) calendar, in no zone: what a ticket is printed with.
struct CalendarDay: Equatable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  let number: Int

  init(number: Int) { self.number = number }

  /// Reads `YYYY-MM-DD`, and nothing that is no day, such as 2025-02-29.
  init?(_ text: String) {
    guard let date = try? Date("\(text)T00:00:00Z", strategy: .iso8601) else { return nil }
    self = Timestamp(date).day
    guard description == text else { return nil }
  }

  var description: String { Timestamp(seconds: Int64(number) * 86_400).text("%04Y-%m-%d") }

  static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

  func adding(days: Int) -> CalendarDay { CalendarDay(number: number + days) }

  /// Today, where the event takes place.
  static func today(in zone: TimeZone, at seconds: Int64) -> CalendarDay {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    return Timestamp(seconds: seconds + Int64(offset)).day
  }

  /// The instant at which clocks in `zone` show `hour` o'clock on this day; where clocks skip it, an hour beside it.
  func instant(hour: Int, in zone: TimeZone) -> Timestamp { instant(second: Int64(hour) * 3_600, in: zone) }

  /// The same to the second, counted from the midnight that clocks show.
  func instant(second: Int64, in zone: TimeZone) -> Timestamp {
    let wall = Int64(number) * 86_400 + second
    var instant = wall
    // The second round corrects the offset where the zone changed it between the first guess and the answer.
    for _ in 0..<2 {
      instant = wall - Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
    }
    return Timestamp(seconds: instant)
  }
}

/// An instant in whole seconds since 1970, as the real server stores it, and the three ways it is written.
struct Timestamp: Equatable, Sendable {
  let seconds: Int64

  init(seconds: Int64) { self.seconds = seconds }

  /// Clamped to the years 0 to 9999, so that no clock can overflow the arithmetic.
  init(_ date: Date) {
    let since1970 = date.timeIntervalSince1970
    seconds = since1970.isNaN ? 0 : Int64(min(max(since1970, -62_167_219_200), 253_402_300_799).rounded(.down))
  }

  /// From what a file or a peer says, clamped likewise.
  init(clamping seconds: Int64) {
    self.seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
  }

  var day: CalendarDay {
    CalendarDay(number: Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400))
  }

  /// `2025-12-17T14:30:00.000000Z`
  var iso8601: String { text("%04Y-%m-%dT%H:%M:%S.000000Z") }

  /// `2025-12-17T14:30:00Z`
  var utc: String { text("%04Y-%m-%dT%H:%M:%SZ") }

  /// `2025-12-17T14:30:00.000Z`, as JavaScript writes it.
  var javaScript: String { text("%04Y-%m-%dT%H:%M:%S.000Z") }

  /// `2025-12-17 14:30:00`, in UTC though it does not say so.
  var sql: String { text("%04Y-%m-%d %H:%M:%S") }

  /// `Wed, 17 Dec 2025 14:30:00 GMT` (RFC 9110, 5.6.7).
  var httpDate: String { text("%a, %d %b %04Y %H:%M:%S GMT") }

  /// In UTC, by a format of `strftime`; of no language, as the program sets no locale.
  fileprivate func text(_ format: String) -> String {
    var (time, parts, bytes) = (time_t(seconds), tm(), [CChar](repeating: 0, count: 40))
    gmtime_r(&time, &parts)
    let count = strftime(&bytes, bytes.count, format, &parts)
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
