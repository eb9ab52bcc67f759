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

  /// An event that recurs begins on the day that was sold, whatever day it is, at its time of day there.
  @Test(arguments: zones, [UInt64](1...4)) func itBeginsOnTheDayThatWasSold(name: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let zone = try #require(ZoneRules.named(name))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: name))
    func parts(_ time: WallTime) -> DateComponents {
      calendar.dateComponents(
        [.year, .month, .day, .hour, .minute], from: Date(timeIntervalSince1970: Double(time.seconds)))
    }
    for _ in 0..<1_000 {
      let starts = WallTime(seconds: Int64.random(in: 1_700_000_000...1_830_000_000, using: &random) / 900 * 900)
      let days = Int64.random(in: 2...400, using: &random)
      let first = CivilDay.split(starts.seconds + zone.offset(at: starts.seconds)).day
      let sold = CivilDay(number: first.number + days)
      var event = SaleEvent()
      event.starts = starts
      let now = WallTime(seconds: starts.seconds + Int64.random(in: -200_000...days * 86_400 - 90_000, using: &random))
      let begins = try #require(event.begins(after: now, sold: sold, in: zone), "seed \(seed): \(starts) \(now)")
      let (found, told) = (parts(begins), parts(starts))
      expect(
        (found.year, found.month, found.day) == (Int(sold.year), Int(sold.month), Int(sold.day)),
        "seed \(seed): \(starts) \(sold) \(begins)")
      let apart = abs(((found.hour ?? 0) - (told.hour ?? 0)) * 60 + (found.minute ?? 0) - (told.minute ?? 0))
      // What is leapt over on that day begins when the clock has leapt.
      expect(apart == 0 || apart <= 60 && zone.offset(at: begins.seconds - 7_200) != zone.offset(at: begins.seconds))
      // Yesterday's is over, and today's time of day says nothing of it.
      expectEqual(event.begins(after: begins + .seconds(1), sold: sold, in: zone), nil)
    }
  }

  /// Where no day was chosen the server takes the first one as UTC has it: a day off on either side of Greenwich.
  @Test(arguments: [
    ("America/New_York", "2026-03-08T00:30:00Z", "2026-03-08"),
    ("America/New_York", "2026-03-08T00:30:00Z", "2026-03-07"),
    ("Pacific/Auckland", "2026-04-04T19:00:00Z", "2026-04-04"),
    ("Pacific/Auckland", "2026-04-04T19:00:00Z", "2026-04-05"),
  ]) func theFirstDayIsTheEventsOwn(name: String, starts: String, sold: String) throws {
    let zone = try #require(ZoneRules.named(name))
    var event = SaleEvent()
    event.starts = WallTime(iso8601: starts)
    let begins = try #require(event.starts)
    let day = CivilDay(iso8601: sold)
    expectEqual(event.begins(after: begins + .seconds(-3_600), sold: day, in: zone), begins)
    expectEqual(event.begins(after: begins, sold: day, in: zone), nil)
  }

  /// A list's day is one of the event's calendar, by whatever clocks it began.
  @Test(arguments: zones, ["UTC", "America/New_York", "Pacific/Auckland", "Europe/Berlin"])
  func aListsDayIsTheEventsDay(name: String, station: String) throws {
    let zone = try #require(ZoneRules.named(name))
    let clocks = try #require(ZoneRules.named(station))
    // Days on which clocks change, and others.
    for text in ["2026-03-08", "2026-03-29", "2026-04-05", "2026-09-27", "2026-10-25", "2026-11-01", "2026-12-31"] {
      let day = try #require(CivilDay(iso8601: text))
      func begins(_ number: Int64, _ zone: ZoneRules) -> WallTime {
        WallTime(seconds: zone.time(local: number * 86_400))
      }
      let own = TicketDate.span(begins(day.number, zone)..<begins(day.number + 1, zone))
      expectEqual(own.day(in: zone), day, "\(name)")
      let apart = abs(
        zone.offset(at: begins(day.number, zone).seconds) - clocks.offset(at: begins(day.number, clocks).seconds))
      guard apart < 11 * 3_600 else { continue }
      let other = TicketDate.span(begins(day.number, clocks)..<begins(day.number + 1, clocks))
      expectEqual(other.day(in: zone), day, "\(name) \(station)")
    }
    let noon = WallTime(seconds: 1_790_000_000)
    expectEqual(TicketDate.span(noon..<noon + .seconds(3 * 86_400)).day(in: zone), nil)
    let doors = TicketDate.span(noon..<noon + .seconds(10 * 3_600))
    expectEqual(doors.day(in: zone), CivilDay.split(noon.seconds + zone.offset(at: noon.seconds)).day)
  }

  @Test func daysAreReadAndNothingElse() {
    expectEqual(CivilDay(iso8601: "2026-01-31")?.description, "2026-01-31")
    expectEqual(CivilDay(iso8601: "2026-01-31 19:00:00")?.description, "2026-01-31")
    for text in ["", "2026-02-30", "2026-1-31", "26-01-31", "2026/01/31", "-026-01-31", "2026-01-3x", "0x26-01-31"] {
      expectEqual(CivilDay(iso8601: text), nil, "\(text)")
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
