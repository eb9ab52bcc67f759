@testable import StationSetUp
import Expectations
import Foundation
import ScanModel
import ScanTesting
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

/// Zone files, against what the system's own `date` makes of them.
@Suite struct ZoneRulesTests {
  private static func read(_ zone: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(zone)")))
  }

  @Test(arguments: [
    "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe",
    "Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia", "America/Godthab", "Asia/Gaza", "Antarctica/Troll",
    "Etc/GMT+5",
    "Pacific/Auckland",
  ]) func offsetsAreThoseOfTheSystem(zone: String) async throws {
    let rules = try #require(ZoneRules(try Self.read(zone)))
    var random = SeededGenerator(seed: 7)
    var times: [Int64] = (0..<400).map { _ in Int64.random(in: -2_000_000_000...4_000_000_000, using: &random) }
    // Around the changes of two years.
    for day in 0..<730 {
      for hour in [0, 1, 2, 3, 13] { times.append(1_767_225_600 + Int64(day * 86_400 + hour * 3_600)) }
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "scangate-zones-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (questions, told) = (folder.appending(path: "questions"), folder.appending(path: "answers"))
    try Data(times.map { "@\($0)\n" }.joined().utf8).write(to: questions)
    let status = try await runProgram(
      "/bin/date", ["-f", questions.path, "+%s %z"], environment: ["TZ=\(zone)", "LC_ALL=C"], output: told.path)
    try #require(status == 0)
    let text = try String(contentsOf: told, encoding: .utf8)
    let answers = text.split(separator: "\n")
    expectEqual(answers.count, times.count)
    for (time, answer) in zip(times, answers) {
      let parts = answer.split(separator: " ")
      let number = try #require(Int64(parts[1]))
      let minutes = abs(number) / 100 * 60 + abs(number) % 100
      // `date` cuts seconds off.
      expectEqual(abs(rules.offset(at: time)) / 60, minutes, "\(zone) \(time)")
      expect(rules.offset(at: time).signum() == number.signum() || minutes == 0, "\(zone) \(time)")
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func noBytesTrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let good = try Self.read("Europe/Berlin")
    for _ in 0..<100 {
      var bytes = Array(good.prefix(Int.random(in: 0...good.count, using: &random)))
      for _ in 0..<Int.random(in: 0...10, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let rules = ZoneRules(bytes) else { continue }
      for time: Int64 in [.min / 4, -1, 0, 1_766_000_000, .max / 4] { _ = rules.offset(at: time) }
      _ = rules.time(local: 1_766_000_000)
    }
  }

  @Test(arguments: [
    "", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-25", "C-1", "<+03", "CET-1CEST,M13.5.0,M10.5.0/3", "UTC0 ",
  ])
  func whatIsNoRuleIsRefused(text: String) { expect(ZoneRule(text) == nil || text == "UTC0") }
}
