import Expectations
import LinuxIO
import Reports
import ScanModel
import Testing

@Suite struct TimeTests {
  /// The day on which Berlin's clock is put back: 02:30 comes twice, and each is told by its offset.
  @Test func anHourThatComesTwiceIsTwo() throws {
    let clock = ReportClock(zone: try #require(ZoneRules.named("Europe/Berlin")))
    let first = try #require(WallTime(iso8601: "2026-10-25T00:30:00Z"))
    let second = try #require(WallTime(iso8601: "2026-10-25T01:30:00Z"))
    expectEqual(clock.text(first), "2026-10-25 02:30:00 +02:00")
    expectEqual(clock.text(second), "2026-10-25 02:30:00 +01:00")
    expectEqual(clock.text(try #require(WallTime(iso8601: "2026-10-26T01:30:00Z"))), "2026-10-26 02:30:00")
    let steps = [first, second].map { ReportStep.hour.beginning(of: $0, by: clock) }
    expectEqual(steps.map(\.iso8601Seconds), ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"])
  }

  /// Each step begins where the one before ends, over a year of each zone: no second is in none, and none in two.
  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia"])
  func stepsFollowOneAnother(name: String) throws {
    let clock = ReportClock(zone: try #require(ZoneRules.named(name)))
    for step in ReportStep.allCases {
      var start = step.beginning(of: WallTime(seconds: 1_767_222_000), by: clock)
      let end = start + .seconds(step.isOfDays ? 400 * 86_400 : 40 * 86_400)
      while start < end {
        let next = step.next(after: start, by: clock)
        try #require(next > start, "\(name), \(step): it stands still at \(start.iso8601)")
        // Where a clock is moved by half an hour, an hour's step has a part that is its own.
        if name != "Australia/Lord_Howe" || step.isOfDays {
          expectEqual(step.beginning(of: next - .seconds(1), by: clock), start, "\(name), \(step), \(start.iso8601)")
        }
        start = next
      }
    }
  }

  @Test func aDayOfChangeHas23Or25Hours() throws {
    let clock = ReportClock(zone: try #require(ZoneRules.named("Europe/Berlin")))
    for (day, hours) in [("2026-03-29", 23), ("2026-10-25", 25), ("2026-10-26", 24)] {
      let start = ReportStep.day.beginning(of: try #require(WallTime(iso8601: "\(day)T10:00:00Z")), by: clock)
      expectEqual(ReportStep.day.next(after: start, by: clock) - start, .seconds(hours * 3_600), "\(day)")
    }
  }

  @Test func stepsFitThePage() {
    for (hours, step) in [
      (2, ReportStep.fiveMinutes), (24, .quarterHour), (72, .hour), (31 * 24, .day), (366 * 24, .week),
    ] {
      expectEqual(ReportStep.fitting(.seconds(hours * 3_600)), step)
    }
  }
}
