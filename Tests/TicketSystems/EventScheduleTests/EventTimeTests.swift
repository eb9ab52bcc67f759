@testable import EventSchedule
import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Testing
import WireText

/// When an event begins next, over zones and days on which clocks change, held against another calendar.
@Suite struct EventTimeTests {
  private static let zones = [
    "UTC", "Europe/Berlin", "America/New_York", "Pacific/Honolulu", "Pacific/Auckland", "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/Santiago",
  ]

  @Test(arguments: zones, [UInt64](1...4)) func itBeginsAtItsTimeOfDay(name: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let zone = try #require(ZoneRules.named(name))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: name))
    for _ in 0..<1_000 {
      let starts = WallTime(seconds: Int64.random(in: 1_700_000_000...1_830_000_000, using: &random) / 900 * 900)
      let now = WallTime(seconds: starts.seconds + Int64.random(in: -200_000...40_000_000, using: &random))
      var event = SaleEvent()
      event.starts = starts
      let begins = event.begins(after: now, in: zone)
      if now < starts {
        expectEqual(begins, starts)
        continue
      }
      func parts(_ time: WallTime) -> DateComponents {
        let date = Date(timeIntervalSince1970: Double(time.seconds))
        return calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
      }
      let (first, today) = (parts(starts), parts(now))
      let isFirstDay = (first.year, first.month, first.day) == (today.year, today.month, today.day)
      guard let begins else {
        let minutes = (first.hour ?? 0) * 60 + (first.minute ?? 0)
        let past = (today.hour ?? 0) * 60 + (today.minute ?? 0)
        // On the day of a change the time of day may come twice, or be leapt over.
        expect(isFirstDay || past + 61 >= minutes, "seed \(seed): \(starts) \(now)")
        continue
      }
      let found = parts(begins)
      expect(begins > now && !isFirstDay)
      expect((found.year, found.month, found.day) == (today.year, today.month, today.day), "seed \(seed)")
      let apart = abs(((found.hour ?? 0) - (first.hour ?? 0)) * 60 + (found.minute ?? 0) - (first.minute ?? 0))
      // What is leapt over begins when the clock has leapt.
      expect(
        apart == 0
          || apart <= 60
            && calendar.timeZone.nextDaylightSavingTimeTransition(
              after: Date(timeIntervalSince1970: Double(begins.seconds - 90_000))
            ).map { $0.timeIntervalSince1970 < Double(begins.seconds + 90_000) } == true,
        "seed \(seed): \(starts) \(now) \(begins)")
    }
  }

  private func event(_ text: String) throws -> SaleEvent? { SaleEvent(try JSONValue([UInt8](text.utf8)), hiding: []) }

  @Test func timesAreReadInBothForms() throws {
    let starts = WallTime(iso8601: "2025-12-20T19:00:00Z")
    try expectEqual(event(#"{"starts_at":"2025-12-20 19:00:00"}"#)?.starts, starts)
    let document = try #require(
      try event(#"{"name":"Gala","starts_at":"2025-12-20T19:00:00Z","ends_at":"2025-12-20T22:00:00Z"}"#))
    expect(document.starts == starts && document.duration == .seconds(3 * 3_600))
    let real = try #require(
      try event(
        #"{"starts_at":"2025-12-20 19:00:00","duration":2,"timezone":"Europe/Berlin","venue":{"name":"Hall B"}}"#))
    expect(real.duration == .seconds(7_200) && real.zone == "Europe/Berlin" && real.place == "Hall B")
    let berlin = try #require(ZoneRules.named("Europe/Berlin"))
    expectEqual(real.words(at: nil, in: berlin), "Hall B, 2025-12-20 20:00")
  }

  @Test(
    arguments: [
      "null", "[]", "\"x\"", "{}", #"{"starts_at":null,"duration":null,"timezone":null,"venue":[]}"#,
      #"{"starts_at":"soon","duration":-5,"timezone":"../../etc/passwd","venue":{"name":[]},"name":{}}"#,
      #"{"starts_at":[],"duration":1e99,"ends_at":"1970-01-01T00:00:00Z"}"#,
      #"{"starts_at":"9999-12-31 23:59:59","duration":9999}"#, #"{"starts_at":"0001-01-01 00:00:00"}"#,
    ])
  func whatCannotBeReadIsMissing(text: String) throws {
    let event = try event(text)
    for seconds in [Int64.min / 2_000_000_000, 0, 1_765_981_800, Int64.max / 2_000_000_000] {
      _ = event?.begins(after: WallTime(seconds: seconds), in: EventBook(time: SystemTime()).zone(event?.zone))
    }
    _ = event?.words(at: nil, in: .utc)
  }

  @Test func whatRunsIsNotTooEarly() throws {
    var event = SaleEvent()
    event.starts = WallTime(iso8601: "2025-12-19T20:00:00Z")
    let next = try #require(WallTime(iso8601: "2025-12-20T10:00:00Z"))
    expectEqual(event.begins(after: next, in: .utc), WallTime(iso8601: "2025-12-20T20:00:00Z"))
    event.duration = .seconds(48 * 3_600)
    expectEqual(event.begins(after: next, in: .utc), nil)
  }
}
