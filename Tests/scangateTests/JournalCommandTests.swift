import Expectations
import Foundation
import Journal
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing

/// `scangate journal` over journals that the station's own code has written.
@Suite struct JournalCommandTests {
  // 2025-12-17T19:33:20Z is 20:33:20 an hour east of Greenwich.
  private static let evening: Int64 = 1_766_000_000

  @Test func scansAreListedNewestLastWithoutTheirCodes() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([
      .scan(journaled("TICKET-0001", id: try scanID(0xAB, 0xCD, 0xEF, 0x01), at: Self.evening)),
      .scan(
        journaled("TICKET-0002", at: Self.evening + 60, verdict: .refuse(.alreadyUsed), isTrusted: false) {
          $0.detail = "north,\u{1B}[2J 20:33"
          $0.note = "surplus"
          $0.holder = "Ada Lovelace"
        }),
    ])
    let result = try await fixture.run(["list"])
    expectEqual(result.status, 0)
    expectEqual(result.lines.count, 2)
    let first = try #require(result.lines.first)
    expect(first.hasPrefix("2025-12-17 20:33:20   abcdef01  north "))
    expect(first.contains("admit") && first.contains("…0001") && first.hasSuffix("server"))
    let last = try #require(result.lines.last)
    expect(last.hasPrefix("2025-12-17 20:34:20? "))
    expect(last.hasSuffix("refuse alreadyUsed    …0002  server  surplus  north,·[2J 20:33"))
    expect(!result.output.contains("TICKET") && !result.output.contains("Ada"))
    expect(result.errors.isEmpty)
  }

  @Test func aGateThatIsNoneIsToldWithThoseThatAre() async throws {
    let fixture = try JournalFixture()
    try await fixture.write(
      ["south", "north", "south"].enumerated().map {
        .scan(journaled("ticket-\($0.offset)", gate: $0.element, at: Self.evening))
      })
    let typo = try await fixture.run(["list", "--gate", "nroth"])
    expect(typo.status == 0 && typo.output.isEmpty)
    expect(
      typo.errors.contains("No scan is of a gate called nroth; gates in the journal: north, south."), "\(typo.errors)")
    let none = try await fixture.run(["list", "--gate", "north", "--verdict", "undecided"])
    expect(none.errors.contains("No scan is like that"), "\(none.errors)")
    // A gate that the configuration has may have had no scan yet.
    let file = fixture.folder.appending(path: "station.yaml")
    let text = """
      version: 1
      station: { name: door }
      ticketSystems: { main: { type: eventschedule, url: "http://127.0.0.1:9", apiKey: main, allowPlainHTTP: true } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } } }
      gates: { east: { readers: [left], ticketSystem: main } }
      """
    try Data(text.utf8).write(to: file)
    let quiet = try await fixture.run(["list", "--gate", "east", "--config", file.path])
    expect(quiet.errors.contains("No scan is like that"), "\(quiet.errors)")
  }

  @Test func filtersNarrowTheList() async throws {
    let fixture = try JournalFixture()
    try await fixture.write(
      (0..<10).map { index in
        .scan(
          journaled(
            "ticket-\(index)", gate: index % 2 == 0 ? "north" : "south", at: Self.evening + Int64(index) * 3_600,
            verdict: index < 5 ? .admit : .undecided(.unreachable)))
      })
    func shown(_ arguments: String...) async throws -> [String] {
      try await fixture.objects(["list", "--json"] + arguments).compactMap { $0["code"] as? String }
    }
    try await expectEqual(shown().count, 10)
    try await expectEqual(shown("--limit", "3"), ["…et-7", "…et-8", "…et-9"])
    try await expectEqual(shown("--gate", "south", "--verdict", "admit"), ["…et-1", "…et-3"])
    try await expectEqual(shown("--verdict", "undecided").count, 5)
    // Local times: 21:00 is before the second scan, and the day ends before the fifth.
    try await expectEqual(shown("--from", "2025-12-17T21:00", "--until", "2025-12-17"), ["…et-1", "…et-2", "…et-3"])
    try await expectEqual(shown("--from", "2025-12-18T00:33:20").count, 6)
    try await expectEqual(shown("--from", "2025-12-18T00:33:21").count, 5)
    try await expectEqual(shown("--from", "2025-12-17T23:33:20Z").count, 6)
    expect(try await shown("--from", "-1h").isEmpty)
    try await expectEqual(shown("--until", "-2min", "--limit", "1"), ["…et-9"])
  }

  @Test func timesAreReadOrRefused() async throws {
    let fixture = try JournalFixture()
    let now = SystemTime().wall()
    try await fixture.write([.scan(journaled("a code", at: now.seconds - 5_400))])
    for (time, count) in [("-2h", 1), ("-1h", 0), ("-85min", 0), ("-95min", 1), ("-1d", 1), ("-3000s", 0)] {
      try await expectEqual(fixture.objects(["list", "--json", "--from", time]).count, count, "\(time)")
    }
    var random = SeededGenerator(seed: 20_261_121)
    let pieces = ["2026", "-", ":", "T", "13", "02", "30", "99", "h", "min", "Z", "x", "+", "0", "١"]
    let bad = [
      "", "-", "2026-02-30", "2026-13-01", "24:00", "2026-1-1", "-99999999h", "-1y", "yesterday", "2026-11-21T",
    ]
    for time in bad
      + (0..<extent(landing: 5, release: 25)).map({ _ in
        (0..<5).compactMap { _ in pieces.randomElement(using: &random) }.joined()
      })
    {
      let result = try await fixture.run(["list", "--from", time])
      expect([0, 64].contains(result.status), "\(time): \(result.status)")
      if bad.contains(time) { expectEqual(result.status, 64, "\(time)") }
    }
    try await expectEqual(fixture.run(["list", "--from", "-1h", "--until", "-2h"]).status, 64)
    try await expectEqual(fixture.run(["list", "--verdict", "maybe"]).status, 64)
    try await expectEqual(fixture.run(["list", "--limit", "0"]).status, 64)
  }

  @Test func oneScanIsShownWithItsRequests() async throws {
    let fixture = try JournalFixture()
    let id = try scanID(0x12, 0x34, 0x56, 0x70)
    let first = asked("TICKET-0001", scan: id, at: WallTime(seconds: Self.evening))
    try await fixture.write([
      .asked(first), .concluded(conclusion(first, .pending, .undecided(.unreachable))),
      .scan(
        journaled("TICKET-0001", id: id, verdict: .undecided(.unreachable)) { $0.holder = "Ada Lovelace" }),
      .late(conclusion(first, .answered, nil)),
      .scan(journaled("TICKET-0002", id: try scanID(0x12, 0x34, 0x56, 0x80))),
    ])
    let result = try await fixture.run(["show", "1234567"])
    expectEqual(result.status, 0, "\(result.errors)")
    let words = ["undecided unreachable", "…0001", "Ada Lovelace", "north, reader left", "https://venue.example"]
    for word in words { expect(result.output.contains(word), "\(word)") }
    let places = ["asked venue", "no answer yet", "late: answered, entry 4711"].map {
      result.output.range(of: $0)?.lowerBound
    }
    expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
    expect(!result.output.contains("TICKET"))

    let object = try #require(try await fixture.objects(["show", id.description, "--json"]).first)
    expect(object["id"] as? String == id.description)
    let attempts = try #require(object["attempts"] as? [[String: Any]])
    expectEqual((attempts.first?["conclusions"] as? [Any])?.count, 2)

    let several = try await fixture.run(["show", "123456"])
    expectEqual(several.status, 69)
    expect(several.errors.contains(id.description) && several.errors.contains("…0002"))
    try await expectEqual(fixture.run(["show", "999999"]).status, 69)
    try await expectEqual(fixture.run(["show", "12345"]).status, 64)
    try await expectEqual(fixture.run(["show", "12345g"]).status, 64)
  }

  @Test func whatIsUnsettledIsListedWithItsReason() async throws {
    let fixture = try JournalFixture()
    let now = SystemTime().wall()
    let earlier = now - .seconds(600)
    let lost = asked("code lost", at: earlier)
    let pending = asked("code wait", at: earlier)
    let late = asked("code late", at: earlier)
    let again = asked("code done", at: earlier)
    let second = asked("code done", at: earlier + .seconds(5))
    let unsent = asked("code none", at: earlier)
    let old = asked("code past", at: now - .seconds(100_000))
    let cut = asked("code boot", at: earlier)
    let ended = asked("code ends", at: earlier, boot: "boot 2")
    let fresh = asked("code live", at: now + .seconds(-1), boot: "boot 2")
    let nobody = Verdict.undecided(.unreachable)
    try await fixture.write([
      .asked(old), .concluded(conclusion(old, .lost, nobody)),
      .asked(lost), .concluded(conclusion(lost, .lost, nobody)),
      .asked(pending), .concluded(conclusion(pending, .pending, nobody)),
      .asked(late), .concluded(conclusion(late, .pending, nobody)), .late(conclusion(late, .answered, nil)),
      .asked(again), .concluded(conclusion(again, .lost, nobody)),
      .asked(second), .concluded(conclusion(second, .answered, .admit)),
      .asked(unsent), .concluded(conclusion(unsent, .notSent, nobody)), .asked(cut),
    ])
    expect(try await fixture.objects(["conflicts", "--json"]).last?["state"] as? String == "open")
    // The next starts conclude what was cut off.
    try await fixture.write([.concluded(conclusion(cut, .lost, nil)), .asked(ended)], boot: "boot 2")
    try await fixture.write([.concluded(conclusion(ended, .lost, nil)), .asked(fresh)], boot: "boot 2")
    let found = try await fixture.objects(["conflicts", "--json"])
    expectEqual(found.compactMap { $0["state"] as? String }, ["lost", "pending", "interrupted", "ended"])
    expectEqual(found.compactMap { $0["code"] as? String }, ["…lost", "…wait", "…boot", "…ends"])
    let all = try await fixture.run(["conflicts", "--from", "-3d"])
    expectEqual(all.lines.count, 6)
    expectEqual(all.lines.last, "5 requests unsettled; no admission without confirmation.")
    expect(all.lines.contains { $0.contains("interrupted") && $0.contains("Staff decide") })
    expect(try await fixture.run(["conflicts", "--from", "-1min"]).output.hasPrefix("Nothing is unsettled since "))
  }

  @Test func withoutTheKeyAllButCodesAndNamesIsShown() async throws {
    let fixture = try JournalFixture()
    let id = try scanID(0xAA, 0xBB, 0xCC)
    try await fixture.write([.scan(journaled("TICKET-0001", id: id) { $0.holder = "Ada Lovelace" })])
    let key = fixture.folder.path + "/seal-key"
    // Open to others: it is not taken.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    for command in [["list"], ["show", "aabbcc"], ["export", "--format", "csv", "--codes"]] {
      let result = try await fixture.run(command)
      expectEqual(result.status, 0)
      expect(result.errors.contains("Codes and names are not shown. \(key) is open to other users"))
      expect(result.output.contains("admit") && result.output.contains("north"))
      expect(!result.output.contains("0001") && !result.output.contains("Ada"))
      expect(!result.errors.contains("holds whole codes"))
    }
    // Another key.
    try FileManager.default.removeItem(at: fixture.folder.appending(path: "seal-key.check"))
    try Data(String(repeating: "0f", count: 32).utf8).write(to: URL(filePath: key))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let other = try await fixture.run(["list"])
    expect(other.status == 0 && other.lines.count == 1)
    expect(other.errors.contains("sealed with another key"))
  }

  @Test func floodsAreListed() async throws {
    let fixture = try JournalFixture()
    let at = JournalTime(
      wall: WallTime(seconds: Self.evening + 9), monotonic: MonotonicTime(nanoseconds: 9), isTrusted: true)
    let flood = ScanFlood(
      gate: GateID("north"), refused: 3_400, undecided: 12, began: WallTime(seconds: Self.evening), at: at)
    try await fixture.write([.scan(journaled("TICKET-0001", at: Self.evening)), .flood(flood)])
    let result = try await fixture.run(["floods"])
    expectEqual(result.lines, ["2025-12-17 20:33:20   to 2025-12-17 20:33:29   north       3400 refused, 12 undecided"])
    let list = try await fixture.run(["list"])
    expect(list.lines.count == 1 && list.errors.contains("3412 more"), "\(list.errors)")
    let object = try #require(try await fixture.objects(["floods", "--json"]).first)
    expect(object["refused"] as? Int == 3_400 && object["gate"] as? String == "north")
  }

  @Test func aForeignJournalIsAcceptedByWordAlone() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("TICKET-0001", at: Self.evening))])
    let socket = fixture.folder.path + "/s"
    let question = try await fixture.run(["accept"])
    expect(question.status == 1 && question.output.contains("The note"), "\(question.output)")
    // It is the service that relies on it.
    let nobody = try await fixture.run(["accept", "--yes", "--station-socket", socket])
    expect(nobody.status == 69 && nobody.errors.contains("No service runs here"), "\(nobody)")
    let station = try ScriptedStation(at: socket)
    defer { station.end() }
    try await expectEqual(fixture.run(["accept", "--station-socket", socket]).status, 1)
    expectEqual(station.orders, [])
    let answer = try await fixture.run(["accept", "--yes", "--station-socket", socket])
    expect(answer.status == 0 && answer.output.contains("done as scripted"), "\(answer.errors)")
    expectEqual(station.orders.map(\.action), [.journalAccept])
    // One that is ours needs no word.
    let other = try JournalFixture()
    let trust = JournalTrust(of: other.path)
    let journal = try Journal.open(
      Journal.Settings(path: other.path), key: other.key, boot: BootID("boot 1"), time: SystemTime(), trust: trust)
    // Whether the service runs or not.
    for isOpen in [true, false] {
      if !isOpen { await journal.close() }
      let ours = try await other.run(["accept", "--yes"])
      expect(ours.status == 0 && ours.output.contains("nothing is to be accepted"), "\(ours.output)")
    }
    let none = try await JournalFixture().run(["accept", "--yes"])
    expect(none.status == 69 && none.errors.contains("There is no journal"), "\(none.output) \(none.errors)")
  }

  @Test func theServiceMayRunMeanwhile() async throws {
    let fixture = try JournalFixture()
    let journal = try fixture.open()
    for count in 1...3 {
      try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(journaled("code \(count)"))])))
      try await expectEqual(fixture.run(["list"]).lines.count, count)
    }
    let verified = try await fixture.run(["verify"])
    expectEqual(verified.status, 0, "\(verified.errors)")
    expect(verified.output.contains("not noted"))
    await journal.close()
    expect(try await fixture.run(["verify"]).output.contains("as it should"))
  }

  @Test func aFolderThatCannotBeWrittenToIsReadAllTheSame() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("TICKET-0001"))])
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.folder.path)
    // Root may write everywhere, unless it gives that up.
    let launcher = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set", "-all", "--inh-caps", "-all"] : []
    for command in [["list"], ["export", "--format", "json"]] {
      let result = try await fixture.run(command, launcher: launcher)
      expectEqual(result.status, 0, "\(result.errors)")
      expect(result.output.contains("…0001"))
    }
    try await expectEqual(fixture.run(["verify"], launcher: launcher).status, 0)
  }
}
