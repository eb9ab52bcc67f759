import Expectations
import Foundation
import Testing

@testable import VenueServer

@Suite struct CalendarTests {
  @Test func anInstantIsWrittenInThreeWays() {
    let time = Timestamp(seconds: 1_765_981_800)
    expectEqual(time.iso8601, "2025-12-17T14:30:00.000000Z")
    expectEqual(time.sql, "2025-12-17 14:30:00")
    expectEqual(time.httpDate, "Wed, 17 Dec 2025 14:30:00 GMT")
    expectEqual(Timestamp(seconds: -1).iso8601, "1969-12-31T23:59:59.000000Z")
    expectEqual(Timestamp(seconds: 951_782_399).httpDate, "Mon, 28 Feb 2000 23:59:59 GMT")
  }

  @Test func fractionsAreDroppedAndNoClockOverflows() {
    expectEqual(Timestamp(Date(timeIntervalSince1970: 1.999)).seconds, 1)
    expectEqual(Timestamp(Date(timeIntervalSince1970: -0.5)).seconds, -1)
    expectEqual(Timestamp(Date(timeIntervalSince1970: .infinity)).iso8601, "9999-12-31T23:59:59.000000Z")
    expectEqual(Timestamp(Date(timeIntervalSince1970: -.infinity)).sql, "0000-01-01 00:00:00")
    expectEqual(Timestamp(Date(timeIntervalSince1970: .nan)).seconds, 0)
  }

  @Test func daysAgreeWithFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for number in stride(from: -40_000, through: 60_000, by: 37) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(number) * 86_400))
      let day = CalendarDay(number: number)
      let told = day.description.split(separator: "-").map { Int($0) }
      expectEqual(told, [parts.year, parts.month, parts.day])
      expectEqual(CalendarDay(day.description), day)
    }
  }

  @Test(arguments: [
    "", "2025-02-29", "2025-13-01", "2025-00-10", "2025-01-32", "2025-1-01", "25-01-01", "2025/01/01", "2025-01-01 ",
    "２０２５-01-01", "-025-01-01", "2025-01-0a",
  ])
  func whatIsNoDayIsRefused(text: String) {
    expect(CalendarDay(text) == nil)
  }

  @Test func eightInTheEveningIsFoundInEachZoneAndSeason() throws {
    let cases = [
      ("UTC", "2025-12-17", "2025-12-17 20:00:00"), ("America/New_York", "2025-12-17", "2025-12-18 01:00:00"),
      ("America/New_York", "2025-07-04", "2025-07-05 00:00:00"),
      ("Pacific/Auckland", "2025-12-17", "2025-12-17 07:00:00"),
      ("America/New_York", "2025-03-09", "2025-03-10 00:00:00"),
      ("America/New_York", "2025-11-02", "2025-11-03 01:00:00"),
    ]
    for (zone, day, expected) in cases {
      let zone = try #require(TimeZone(identifier: zone))
      try expectEqual(#require(CalendarDay(day)).instant(hour: 20, in: zone).sql, expected)
    }
  }
}
