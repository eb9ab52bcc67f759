import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing

@testable import LinuxIO

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
  ]) func offsetsAreThoseOfTheSystem(zone: String) throws {
    let rules = try #require(ZoneRules.named(zone))
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
    let date = Process()
    date.executableURL = URL(filePath: "/bin/date")
    date.arguments = ["-f", questions.path, "+%s %z"]
    date.environment = ["TZ": zone, "LC_ALL": "C"]
    try Data().write(to: told)
    date.standardOutput = try FileHandle(forWritingTo: told)
    try date.run()
    date.waitUntilExit()
    try #require(date.terminationStatus == 0)
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

  /// Every zone that the system has is read.
  @Test func noZoneIsLost() throws {
    let table = try String(contentsOfFile: "/usr/share/zoneinfo/tzdata.zi", encoding: .utf8)
    let names = table.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.first == "Z" ? String(words[1]) : words.first == "L" ? String(words[2]) : nil
    }
    expect(names.count > 300)
    for name in names where FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/\(name)") {
      expect(ZoneRules.named(name) != nil, "\(name)")
    }
  }

  @Test(arguments: ["Europe/Nowhere", "../../etc/passwd", "/etc/localtime", "", "tzdata.zi", "Europe", "zone.tab"])
  func whatIsNoZoneIsNotKnown(name: String) { expect(ZoneRules.named(name) == nil) }

  /// In Berlin 02:00 becomes 03:00 on 2026-03-29 (01:00 UTC), and 03:00 becomes 02:00 on 2026-10-25.
  @Test func whatIsLeaptOverAndWhatComesTwice() throws {
    let rules = try #require(ZoneRules.named("Europe/Berlin"))
    let day = try #require(CivilDay(year: 2026, month: 3, day: 29)).number * 86_400
    expectEqual(rules.time(local: day + 9_000), day + 3_600)
    expectEqual(rules.time(local: day + 9_000, leaping: .asMuchLater), day + 5_400)
    let long = try #require(CivilDay(year: 2026, month: 10, day: 25)).number * 86_400
    for leap in [ZoneRules.Leap.atChange, .asMuchLater] {
      expectEqual(rules.time(local: long + 9_000, leaping: leap), long + 1_800)
    }
  }
}
