import LinuxIO
@testable import StationSetUp
import Expectations
import Foundation
import ScanModel
import Testing

@testable import Gateway

/// Windows begin by the civil clock of their zone and last real minutes.
@Suite struct MaintenanceClockTests {
  private typealias Window = ControlConfiguration.MaintenanceWindow

  private let clock = MaintenanceClock(folder: "/usr/share/zoneinfo", own: .utc)

  private static func time(_ text: String) throws -> WallTime {
    let date = try Date(text, strategy: .iso8601)
    return WallTime(seconds: Int64(date.timeIntervalSince1970))
  }

  private func end(_ window: Window, _ zone: String?, _ text: String) throws -> WallTime? {
    clock.read(window, in: zone, at: try Self.time(text), isTrusted: true).until
  }

  @Test func aDailyOneHoldsOverMidnight() throws {
    let window = Window(day: .daily, minute: 23 * 60 + 30, minutes: 60)
    expect(try end(window, nil, "2026-01-10T23:29:59Z") == nil)
    try expectEqual(end(window, nil, "2026-01-10T23:30:00Z"), Self.time("2026-01-11T00:30:00Z"))
    try expectEqual(end(window, nil, "2026-01-11T00:29:59Z"), Self.time("2026-01-11T00:30:00Z"))
    expect(try end(window, nil, "2026-01-11T00:30:00Z") == nil)
  }

  @Test func aWeeklyOneHoldsOnItsDayInItsZone() throws {
    // 2026-01-11 is a Sunday; in Auckland it begins at 11:00 UTC the day before.
    let window = Window(day: .weekly(0), minute: 60, minutes: 30)
    try expectEqual(end(window, "Pacific/Auckland", "2026-01-10T12:00:00Z"), Self.time("2026-01-10T12:30:00Z"))
    expect(try end(window, "Pacific/Auckland", "2026-01-11T12:00:00Z") == nil)
    expect(try end(window, nil, "2026-01-11T01:10:00Z") != nil)
  }

  @Test func aMonthlyOneFallsOnTheLastDayOfAShorterMonth() throws {
    let window = Window(day: .monthly(31), minute: 0, minutes: 10)
    expect(try end(window, nil, "2026-02-28T00:05:00Z") != nil)
    expect(try end(window, nil, "2028-02-28T00:05:00Z") == nil)
    expect(try end(window, nil, "2028-02-29T00:05:00Z") != nil)
    expect(try end(window, nil, "2026-03-30T00:05:00Z") == nil)
    expect(try end(window, nil, "2026-03-31T00:05:00Z") != nil)
  }

  /// In Berlin 02:00 becomes 03:00 on 2026-03-29 (01:00 UTC).
  @Test func inTheShortNightItLastsItsMinutesAndOneThatIsLeaptOverBeginsAtTheLeap() throws {
    let long = Window(day: .daily, minute: 90, minutes: 120)
    try expectEqual(end(long, "Europe/Berlin", "2026-03-29T00:30:00Z"), Self.time("2026-03-29T02:30:00Z"))
    expect(try end(long, "Europe/Berlin", "2026-03-29T02:29:59Z") != nil)
    expect(try end(long, "Europe/Berlin", "2026-03-29T02:30:00Z") == nil)
    let leapt = Window(day: .daily, minute: 150, minutes: 30)
    expect(try end(leapt, "Europe/Berlin", "2026-03-29T00:59:59Z") == nil)
    try expectEqual(end(leapt, "Europe/Berlin", "2026-03-29T01:00:00Z"), Self.time("2026-03-29T01:30:00Z"))
    expect(try end(leapt, "Europe/Berlin", "2026-03-29T01:30:00Z") == nil)
  }

  /// In Berlin 03:00 becomes 02:00 on 2026-10-25 (01:00 UTC): 02:30 comes twice.
  @Test func inTheLongNightItHoldsOnce() throws {
    let window = Window(day: .daily, minute: 150, minutes: 30)
    try expectEqual(end(window, "Europe/Berlin", "2026-10-25T00:30:00Z"), Self.time("2026-10-25T01:00:00Z"))
    expect(try end(window, "Europe/Berlin", "2026-10-25T01:30:00Z") == nil)
    let over = Window(day: .daily, minute: 150, minutes: 90)
    try expectEqual(end(over, "Europe/Berlin", "2026-10-25T01:59:59Z"), Self.time("2026-10-25T02:00:00Z"))
    expect(try end(over, "Europe/Berlin", "2026-10-25T02:00:00Z") == nil)
  }

  @Test func anUnknownZoneIsTheMachinesOwnAndIsTold() throws {
    let window = Window(day: .daily, minute: 0, minutes: 10)
    for zone in ["Europe/Nowhere", "../../etc/passwd", "/etc/localtime", "", "Europe/\u{1B}[2J", "tzdata.zi", "Europe"]
    {
      let reading = clock.read(window, in: zone, at: try Self.time("2026-01-10T00:05:00Z"), isTrusted: true)
      expect(reading.until != nil)
      expectEqual(reading.words?.contains("\u{1B}"), false, "\(zone)")
    }
  }

  @Test func byAClockThatIsNotTrustedNoneHolds() throws {
    let window = Window(day: .daily, minute: 0, minutes: 1_440)
    let reading = clock.read(window, in: nil, at: try Self.time("2026-01-10T00:05:00Z"), isTrusted: false)
    expect(reading.until == nil && reading.words != nil)
  }

  @Test func valuesOutOfRangeTrapNowhere() {
    for day in [Window.Day.daily, .weekly(9), .weekly(-1), .monthly(0), .monthly(99)] {
      for minute in [Int.min, -1, 0, 5_000, .max] {
        for time: Int64 in [.min, -1, 0, .max] {
          _ = clock.read(
            Window(day: day, minute: minute, minutes: minute), in: "Europe/Berlin", at: WallTime(nanoseconds: time),
            isTrusted: true)
        }
      }
    }
  }
}
