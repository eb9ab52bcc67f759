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
    let digits = [UInt8](text.utf8)
    guard digits.count == 10, digits[4] == 0x2D, digits[7] == 0x2D else { return nil }
    func value(_ range: Range<Int>) -> Int? {
      digits[range].reduce(Int?.some(0)) { sum, digit in
        guard let sum, (0x30...0x39).contains(digit) else { return nil }
        return sum * 10 + Int(digit - 0x30)
      }
    }
    guard let year = value(0..<4), let month = value(5..<7), let day = value(8..<10),
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard description == text else { return nil }
  }

  /// Counts days by years that begin in March, so that the leap day is the last (after H. Hinnant, days_from_civil).
  private init(year: Int, month: Int, day: Int) {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    number = era * 146_097 + dayOfEra - 719_468
  }

  var parts: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  var description: String {
    let (year, month, day) = parts
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

  func adding(days: Int) -> CalendarDay { CalendarDay(number: number + days) }

  /// Today, where the event takes place.
  static func today(in zone: TimeZone, at seconds: Int64) -> CalendarDay {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    return Timestamp(seconds: seconds + Int64(offset)).day
  }

  /// The instant at which clocks in `zone` show `hour` o'clock on this day; where clocks skip it, an hour beside it.
  func instant(hour: Int, in zone: TimeZone) -> Timestamp {
    let wall = Int64(number) * 86_400 + Int64(hour) * 3_600
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

  private var clock: String {
    let rest = Int(seconds - Int64(day.number) * 86_400)
    return "\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
  }

  /// `2025-12-17T14:30:00.000000Z`
  var iso8601: String { "\(day)T\(clock).000000Z" }

  /// `2025-12-17T14:30:00Z`
  var utc: String { "\(day)T\(clock)Z" }

  /// `2025-12-17T14:30:00.000Z`, as JavaScript writes it.
  var javaScript: String { "\(day)T\(clock).000Z" }

  /// `2025-12-17 14:30:00`, in UTC though it does not say so.
  var sql: String { "\(day) \(clock)" }

  /// `Wed, 17 Dec 2025 14:30:00 GMT` (RFC 9110, 5.6.7).
  var httpDate: String {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let (year, month, date) = day.parts
    let weekday = weekdays[((day.number % 7) + 7) % 7]
    return "\(weekday), \(padded(date, 2)) \(months[month - 1]) \(padded(year, 4)) \(clock) GMT"
  }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
