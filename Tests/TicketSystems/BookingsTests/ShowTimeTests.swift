import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import Bookings

/// Dates and times without a zone, as moments.
@Suite struct ShowTimeTests {
  private func moment(_ day: String, _ clock: String, _ zone: ZoneRules) throws -> String {
    let parts = clock.split(separator: ":").compactMap { Int64($0) }
    return ShowTime.moment(
      of: try #require(CivilDay(iso8601: day)), second: parts[0] * 3_600 + parts[1] * 60, in: zone
    ).iso8601Seconds
  }

  @Test(arguments: [
    ("Europe/London", "2026-05-02", "19:30", "2026-05-02T18:30:00Z", "2026-05-02T18:30:00Z"),
    ("Europe/London", "2026-01-31", "14:30", "2026-01-31T14:30:00Z", "2026-01-31T14:30:00Z"),
    // 1:00 to 2:00 is skipped.
    ("Europe/London", "2026-03-29", "01:30", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"),
    ("Europe/London", "2026-03-29", "02:00", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
    // 1:00 to 2:00 comes twice.
    ("Europe/London", "2026-10-25", "01:30", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
    ("Europe/London", "2026-10-25", "00:59", "2026-10-24T23:59:00Z", "2026-10-24T23:59:00Z"),
    ("Europe/London", "2026-10-25", "02:00", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z"),
    ("America/New_York", "2026-03-08", "02:30", "2026-03-08T06:30:00Z", "2026-03-08T07:30:00Z"),
    ("America/New_York", "2026-11-01", "01:15", "2026-11-01T05:15:00Z", "2026-11-01T06:15:00Z"),
    ("America/New_York", "2026-11-01", "20:00", "2026-11-02T01:00:00Z", "2026-11-02T01:00:00Z"),
  ])
  func aTimeIsTheVenuesAndHasBothReadings(
    zoneName: String, day: String, clock: String, earlier: String, later: String
  ) throws {
    let zone = try zone(zoneName)
    try expectEqual(moment(day, clock, zone), earlier)
    let show = ShowTime(try #require(WallTime(iso8601: earlier)), in: zone)
    expectEqual(show.latest.iso8601Seconds, later)
  }

  @Test(arguments: [
    ("2026-05-02", "19:30", "2026-05-02"), ("2026-05-03", "00:00", "2026-05-02"), ("2026-05-03", "04:59", "2026-05-02"),
    ("2026-05-03", "05:00", "2026-05-03"), ("2026-03-29", "01:30", "2026-03-28"), ("2026-10-25", "01:30", "2026-10-24"),
    ("2027-01-01", "00:30", "2026-12-31"),
  ])
  func aNightBelongsToItsEvening(day: String, clock: String, evening: String) throws {
    let zone = try zone()
    let begins = try #require(WallTime(iso8601: moment(day, clock, zone)))
    expectEqual("\(ShowTime(begins, in: zone).evening)", evening)
  }

  /// The plain way: every half minute of two days is looked at, and what clocks show then.
  @Test func momentsAreThoseAtWhichClocksShowTheTime() throws {
    let seed = UInt64(7_002)
    var random = SeededGenerator(seed: seed)
    let days = ["2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01", "2026-07-04", "2026-12-31"]
    for zoneName in ["Europe/London", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"] {
      let zone = try zone(zoneName)
      for _ in 0..<extent(landing: 40, release: 400) {
        let day = try #require(CivilDay(iso8601: days.randomElement(using: &random) ?? ""))
        let second = Int64.random(in: 0..<2_880, using: &random) * 30
        let local = day.number * 86_400 + second
        let shown = stride(from: local - 86_400, through: local + 86_400, by: 30).filter {
          $0 + zone.offset(at: $0) == local
        }
        let found = ShowTime.moment(of: day, second: second, in: zone)
        let show = ShowTime(found, in: zone)
        let words: Comment = "seed \(seed): \(zoneName) \(day) \(CivilDay.clock(second))"
        if let first = shown.first, let last = shown.last {
          expectEqual(found.seconds, first, words)
          expect(show.latest.seconds >= last, words)
        } else {
          // Skipped: the readings are by the offset before and by the one after.
          let offsets = [zone.offset(at: local - 86_400), zone.offset(at: local + 86_400)].sorted()
          expectEqual(found.seconds, local - offsets[1], words)
          expectEqual(show.latest.seconds, local - offsets[0], words)
        }
        expect(show.begins <= show.latest && show.latest - show.begins <= .seconds(3_600), words)
      }
    }
  }

  @Test func noTimeTraps() throws {
    for seconds in [Int64.min, .min + 1, 0, .max - 1, .max] {
      let show = ShowTime(WallTime(seconds: seconds), in: try zone())
      expect(show.begins <= show.latest)
      expect(!ShowTime.words(show.begins, in: try zone(), withDate: true).isEmpty)
    }
  }
}
