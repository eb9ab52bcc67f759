import Expectations
import Foundation
import Glibc
import ScanModel
import Testing

/// `scangate orders` over journals that the station's own code has written.
@Suite struct OrdersCommandTests {
  private func order(
    _ kind: String, gate: String? = nil, _ subject: String? = nil, why: String = "", outcome: String? = "done",
    reason: String? = nil, user: UInt32 = 0, at seconds: Int64 = 1_766_000_000,
    id: OrderID = OrderID()
  ) -> JournalFact {
    .order(
      JournaledOrder(
        id: id, kind: kind, gate: gate.map { GateID($0) }, subject: subject, who: "anna\u{202E}", user: user, why: why,
        outcome: outcome, reason: reason, detail: outcome.map { "\($0)\u{1B}[2J in words" },
        at: JournalTime(
          wall: WallTime(seconds: seconds), monotonic: MonotonicTime(nanoseconds: 6), isTrusted: true)))
  }

  private func run(_ fixture: JournalFixture, _ words: String...) async throws -> Program.Result {
    try await Program.run(["orders"] + words + ["--state", fixture.folder.path], environment: ["TZ": "UTC-1"])
  }

  @Test func whoHasOrderedWhatAndWhyIsListed() async throws {
    let fixture = try JournalFixture()
    let none = try await JournalFixture().run(["list"])
    expectEqual(none.status, 69)
    let id = OrderID()
    try await fixture.write([
      order("maintenance", gate: "north", "on", why: "a test"),
      // What was about to be done and what became of it are one.
      order("openOnce", gate: "north", outcome: nil, at: 1_766_000_060, id: id),
      order("openOnce", gate: "north", at: 1_766_000_060, id: id),
      order("annul", gate: "south", outcome: "refused", reason: "notAllowed", user: 4_000_000_000, at: 1_766_000_120),
      order("openOnce", gate: "south", outcome: nil, at: 1_766_000_180),
    ])
    let all = try await run(fixture)
    expectEqual(all.status, 0, "\(all.errors)")
    expectEqual(all.lines.count, 4)
    expect(all.lines[0].hasPrefix("2025-12-17 20:33:20   maintenance north on "), "\(all.lines[0])")
    expect(all.lines[0].contains("(root)") && all.lines[0].contains("“a test”"))
    expect(all.lines[1].contains("openOnce north") && all.lines[1].contains("done"))
    expect(all.lines[2].contains("(user 4000000000)") && all.lines[2].contains("refused (notAllowed)"))
    expect(all.lines[3].contains("not known"))
    expect(!all.output.contains("\u{1B}") && !all.output.contains("\u{202E}"))
    try await expectEqual(run(fixture, "--since", "2025-12-17T20:35", "--limit", "1").lines, [all.lines[3]])
    let json = try await run(fixture, "--json", "--since", "2025-12-17T20:34", "--limit", "2")
    let objects = try json.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    expectEqual(objects.map { $0["order"] as? String }, ["annul", "openOnce"])
    let annul = try #require(objects.first)
    expect(annul["decided_by"] as? String == "staff" && annul["reason"] as? String == "notAllowed", "\(annul)")
    expect(annul["user"] as? Int == 4_000_000_000 && annul["gate"] as? String == "south")
    expect(objects[1]["outcome"] is NSNull && objects[1]["why"] is NSNull)
  }

  /// What staff hand over when somebody asks who opened the gate.
  @Test func ordersAreExportedAsCSV() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([
      order("maintenance", gate: "north", "on", why: "=HYPERLINK(\"x\"), a test"),
      order("openOnce", gate: "=1+1", why: "late", at: 1_766_000_060),
    ])
    let csv = try await run(fixture, "--csv")
    expectEqual(csv.status, 0, "\(csv.errors)")
    let lines = csv.output.components(separatedBy: "\r\n")
    expectEqual(lines.count, 4)
    expect(lines[0].hasPrefix("at,clock_trusted,id,order,gate,subject,decided_by,who,user,user_name,why,outcome,"))
    expect(lines[1].contains(",maintenance,north,on,staff,anna") && lines[1].contains(",0,root,"), "\(lines[1])")
    expect(lines[1].contains("\"'=HYPERLINK(\"\"x\"\"), a test\""), "\(lines[1])")
    expect(lines[2].contains(",openOnce,'=1+1,"), "\(lines[2])")
    expect(!csv.output.contains("\u{1B}") && !csv.output.contains("\u{202E}"))
    let none = try await run(fixture, "--csv", "--since", "2030-01-01")
    expectEqual(none.output.components(separatedBy: "\r\n").count, 2)
    try await expectEqual(run(fixture, "--csv", "--json").status, 64)
  }

  @Test func whereNobodyHasOrderedAnythingThatIsSaid() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("TICKET-0001"))])
    let none = try await run(fixture, "--since", "-1h")
    expect(none.status == 0 && none.output.isEmpty && none.errors.contains("Nobody has ordered anything since"))
    try await expectEqual(run(fixture, "--json").output, "")
    try await expectEqual(run(fixture, "--limit", "0").status, 64)
    let nowhere = try await Program.run(["orders", "--state", "/nonexistent/scangate"])
    expect(nowhere.status == 69 && nowhere.errors.contains("There is no journal"), "\(nowhere)")
  }
}
