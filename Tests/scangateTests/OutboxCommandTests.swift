import Expectations
import Foundation
import Journal
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing

/// `scangate outbox`, and what `scangate journal` tells of it.
@Suite struct OutboxCommandTests {
  private func owed(
    _ code: String, gate: String = "north", minutes: Int64 = 10, scan: ScanID = ScanID()
  ) -> OwedAdmission {
    let wall = SystemTime().wall() - .seconds(minutes * 60)
    return OwedAdmission(
      attempt: AttemptID(),
      scan: Scan(
        id: scan, gate: GateID(gate), reader: ReaderID("left"), code: Code(code), readAt: MonotonicTime(nanoseconds: 5)),
      system: TicketSystemID("venue"), server: "eventSchedule https://venue.example", ticket: TicketKey([1, 2]),
      decider: .list, mayBeTold: false,
      at: JournalTime(wall: wall, monotonic: MonotonicTime(nanoseconds: 6), isTrusted: true), boot: BootID("boot 1"))
  }

  private func told(
    _ owed: OwedAdmission, _ ending: ToldAdmission.Ending, _ reason: RefuseReason? = nil, said: String? = nil
  ) -> JournalFact {
    var at = owed.at
    at.wall = at.wall + .seconds(60)
    return .told(ToldAdmission(attempt: owed.attempt, ending: ending, reason: reason, said: said, at: at))
  }

  private func outbox(_ fixture: JournalFixture, _ arguments: String...) async throws -> Program.Result {
    try await Program.run(["outbox"] + arguments + ["--state", fixture.folder.path], environment: ["TZ": "UTC-1"])
  }

  /// A journal with two that wait, one that was confirmed, and a conflict of each kind.
  private func filled() async throws -> JournalFixture {
    let fixture = try JournalFixture()
    let all = ["wait-0001", "wait-0002", "done-0003", "used-0004", "lost-0005", "late-0006"].map { owed($0) }
    var facts = all.map { JournalFact.owed($0) }
    facts.append(.scan(journaled("used-0004", id: all[3].scan.id)))
    facts += [
      told(all[2], .confirmed), told(all[3], .contradicted, .alreadyUsed, said: "Already\u{1B}[2J used"),
      told(all[4], .unsettled), told(all[5], .tooLate), .owed(owed("wait-0007", gate: "south", minutes: 5)),
    ]
    try await fixture.write(facts)
    return fixture
  }

  @Test func whatWaitsIsShownByGate() async throws {
    let fixture = try await filled()
    let text = try await outbox(fixture, "status")
    expectEqual(text.status, 0, "\(text.errors)")
    expectEqual(text.lines.first?.hasPrefix("Waiting    3, the oldest since "), true)
    expect(text.output.contains("2 of gate north for venue") && text.output.contains("1 of gate south for venue"))
    expect(text.output.contains("Sending    not held"))
    expect(text.output.contains("3 admissions not confirmed: 1 contradicted, 1 unsettled, 1 tooLate"))
    expect(!text.output.contains("wait-"))
    let json = try await outbox(fixture, "status", "--json")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    expect(object["waiting"] as? Int == 3 && object["held"] as? Bool == false && object["conflicts"] as? Int == 3)
    expectEqual((object["gates"] as? [[String: Any]])?.compactMap { $0["waiting"] as? Int }, [2, 1])
    expect(object["tooLate"] as? Int == 1)
  }

  private func ordered(_ kind: String, _ subject: String? = nil, outcome: String = "done") -> JournalFact {
    .order(
      JournaledOrder(
        id: OrderID(), kind: kind, gate: nil, subject: subject, who: "anna", user: 0, why: "", outcome: outcome,
        at: JournalTime(wall: SystemTime().wall(), monotonic: MonotonicTime(nanoseconds: 6), isTrusted: true)))
  }

  @Test func itIsHeldUntilItIsTriedAgain() async throws {
    let fixture = try await filled()
    func isHeld() async throws -> Bool {
      try await outbox(fixture, "status").output.contains("held, until: scangate outbox retry")
    }
    try await fixture.write([ordered("outboxHold", "on")])
    expect(try await isHeld())
    // What was not done changes nothing.
    try await fixture.write([ordered("outboxRetry", outcome: "refused"), ordered("maintenance", "off")])
    expect(try await isHeld())
    let json = try await outbox(fixture, "status", "--json")
    expect(json.output.contains("\"held\":true"), "\(json.output)")
    try await fixture.write([ordered("outboxRetry")])
    expect(try await !isHeld())
  }

  @Test func theServiceIsTold() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let socket = folder.path + "/s"
    for words in ["hold", "retry"] {
      let nobody = try await Program.run(["outbox", words, "--station-socket", socket])
      expect(nobody.status == 69 && nobody.errors.contains("No service runs here"), "\(nobody)")
    }
    let station = try ScriptedStation(at: socket) { order in
      .answer(order.action == .outboxRetry ? .refused(.notWritten, "The disk is full.") : .done("Held as scripted."))
    }
    defer { station.end() }
    let held = try await Program.run(["outbox", "hold", "--why", "an audit", "--station-socket", socket])
    expect(held.status == 0 && held.lines == ["Held as scripted."], "\(held)")
    let refused = try await Program.run(["outbox", "retry", "--station-socket", socket])
    expect(refused.status == 1 && refused.errors.contains("The disk is full."), "\(refused)")
    expectEqual(station.orders.map(\.action), [.outboxHold(isOn: true), .outboxRetry])
    expectEqual(station.orders.first?.why, "an audit")
  }

  @Test func whatIsNotToldIsWrittenOut() async throws {
    let fixture = try await filled()
    let file = fixture.folder.path + "/outbox.csv"
    let short = try await outbox(fixture, "export", "--output", file)
    expect(short.status == 0 && short.errors.isEmpty, "\(short.errors)")
    var lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\r\n")
    expect(lines.count == 8 && lines.first?.hasPrefix("id,scan,gate,code,") == true)
    expect(lines[1].contains("…0001") && !lines.joined().contains("wait-"))
    expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let whole = try await outbox(fixture, "export", "--with-codes", "--format", "json", "--output", file)
    expect(whole.status == 0 && whole.errors.contains("holds whole codes"))
    lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let objects = try lines.compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    // Nothing is left to be told of the one that was refused: its scan has the code.
    expectEqual(
      objects.map { $0["code"] as? String },
      ["wait-0001", "wait-0002", "used-0004", "lost-0005", "late-0006", "wait-0007"])
    expectEqual(
      objects.map { $0["state"] as? String }, ["waiting", "waiting", "contradicted", "unsettled", "tooLate", "waiting"])
    // Without its key nobody has the codes, and half a file would be taken for all.
    try FileManager.default.removeItem(atPath: fixture.folder.path + "/seal-key")
    let sealed = try await outbox(fixture, "export", "--with-codes")
    expect(sealed.status == 69 && sealed.output.isEmpty && sealed.errors.contains("key"))
    try await expectEqual(outbox(fixture, "export").output.components(separatedBy: "\r\n").count, 8)
  }

  @Test func conflictsAreListedWithTheirReason() async throws {
    let fixture = try await filled()
    let lost = asked("code lost", at: SystemTime().wall() - .seconds(600))
    try await fixture.write([.asked(lost), .concluded(conclusion(lost, .lost, .undecided(.unreachable)))])
    let text = try await fixture.run(["conflicts"])
    expectEqual(text.status, 0, "\(text.errors)")
    expectEqual(text.lines.count, 5)
    expect(text.lines[1].contains("…0004") && text.lines[1].contains("contradicted"))
    expect(text.lines[1].contains("decided by list  alreadyUsed  Already·[2J used"))
    expectEqual(
      text.lines.last, "1 requests unsettled; 3 admissions not confirmed: 1 contradicted, 1 unsettled, 1 tooLate.")
    let objects = try await fixture.objects(["conflicts", "--json"])
    expectEqual(objects.compactMap { $0["state"] as? String }, ["lost", "contradicted", "unsettled", "tooLate"])
    expect(objects[1]["reason"] as? String == "alreadyUsed" && objects[1]["decided_by"] as? String == "list")
    expect(try await fixture.run(["conflicts", "--from", "-1min"]).output.hasPrefix("Nothing is unsettled since "))
  }

  @Test func exportedScansSayHowTheirAdmissionEnded() async throws {
    let fixture = try JournalFixture()
    let scan = journaled("TICKET-0001")
    let admission = owed("TICKET-0001", scan: scan.scan.id)
    try await fixture.write([
      .owed(admission), .scan(scan), .scan(journaled("TICKET-0002")),
      told(admission, .contradicted, .cancelled, said: "Cancelled"),
    ])
    let objects = try await fixture.objects(["export", "--format", "json"])
    expectEqual(objects.map { $0["outbox"] as? String }, ["contradicted", nil])
    expect(objects.first?["outbox_reason"] as? String == "cancelled")
    expect(objects.first?["outbox_said"] as? String == "Cancelled")
    expect(try await fixture.objects(["list", "--json"]).first?["outbox"] as? String == "contradicted")
  }
}
