import Expectations
import Foundation
import Glibc
import ScanModel
import StationProtocol
import Testing
import VenueServer

@testable import scangate

/// The real service with a scanner and a ticket system, seen and led from a terminal.
@Suite(.timeLimit(.minutes(2))) struct RunningStationTests {
  private static let text = """
    version: 1
    station: { name: door }
    ticketSystems:
      venue: { type: eventschedule, url: "http://127.0.0.1:9", apiKeyFile: KEY }
    readers:
      left: { type: serial, match: { path: LINK } }
    gates:
      north: { readers: [left], ticketSystem: venue, holdOff: 0 s }
    """

  @Test func aServiceThatRunsIsSeenAndLed() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (link, socket) = (folder.path + "/left", folder.path + "/s")
    let scanner = try PseudoScanner(at: link)
    let venue = try await AskedVenue.open(VenueConfiguration(), time: SystemTime())
    let key = try #require(venue.seeded.apiKey)
    let entries = venue.seeded.tickets.filter { $0.kind == .entry }.map(\.code)
    try #require(entries.count >= 2)
    let station = try Station(
      url: venue.url, text: Self.text.replacing("LINK", with: link), apiKey: key, ["--station-socket", socket])
    defer { station.end() }
    func run(_ words: String..., input: String = "") async throws -> Program.Result {
      try await Program.run(words + ["--station-socket", socket], input: [UInt8](input.utf8))
    }
    expect(await station.next { $0["type"] as? String == "gate" && $0["state"] as? String == "ready" } != nil)

    // A scan at the gate is counted, and seen.
    let screen = try Screen.stream()
    let watching = Process()
    watching.executableURL = try Program.executable()
    watching.arguments = ["watch", "--gate", "north", "--station-socket", socket]
    watching.standardInput = FileHandle.nullDevice
    watching.standardOutput = FileHandle(fileDescriptor: screen.end)
    let errors = try Screen.stream()
    watching.standardError = FileHandle(fileDescriptor: errors.end)
    try watching.run()
    close(screen.end)
    close(errors.end)
    expect(await errors.shows("The service of door answers"))
    let scanned = await scanner.present(entries[0], to: station)
    expectEqual(scanned?["verdict"] as? String, "admit")
    expect(await screen.shows(Code(entries[0]).shortened), "\(screen.shown)")
    expect(screen.shown.contains("north") && screen.shown.contains("admit") && !screen.shown.contains(entries[0]))
    let json = try await run("status", "--json")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let gate = try #require((object["gates"] as? [[String: Any]])?.first)
    expect(gate["passed"] as? Int == 1 && gate["state"] as? String == "ready", "\(json.output)")
    let reader = try #require((object["readers"] as? [[String: Any]])?.first)
    expectEqual(reader["state"] as? String, "reading")

    // Out of service, and in again.
    let off = try await run("maintenance", "on", "north", "--why", "a test")
    expectEqual(off.status, 0, "\(off.errors)")
    let shut = try await run("status")
    expect(shut.status == 1 && shut.output.contains("scangate maintenance off north"), "\(shut)")
    let withheld = try await run("present", "north", "-", input: entries[1])
    expect(withheld.status == 2 && withheld.output.contains("outOfService"), "\(withheld)")
    try await expectEqual(run("maintenance", "off", "north").status, 0)

    // A typed code admits once, and once more when nobody has passed on it.
    let first = try await run("present", "north", "-", input: entries[1])
    expect(first.status == 0 && first.output.contains("ADMIT"), "\(first)")
    let second = try await run("present", "north", "-", input: entries[1])
    expect(second.status == 1 && second.output.contains("alreadyUsed"), "\(second)")
    let annulled = try await run("annul", "north", "--why", "turned back")
    expectEqual(annulled.status, 0, "\(annulled.errors)")
    let again = try await run("present", "north", "-", input: entries[1])
    expect(again.status == 0 && again.output.contains("ADMIT"), "\(again)")

    // What was presented is found by what everybody is shown of it, and by no more of its end.
    let client = try StationClient(path: socket, program: "test", wants: ListenerWants(names: true))
    await client.start()
    func search(_ text: String) async throws -> OrderOutcome {
      try await client.perform(StationOrder(.search(text), who: "test"), within: .seconds(20))
    }
    let shown = Code(entries[1]).shortened
    for text in [shown, String(shown.dropFirst()), entries[1]] {
      guard case .found(let tickets) = try await search(text) else {
        expect(false, "nothing is found by \(text)")
        continue
      }
      let ticket = try #require(tickets.first { $0.code == shown }, "\(tickets)")
      expect(ticket.admitted == 1 && ticket.gate == GateID("north"), "\(ticket)")
    }
    for text in ["…" + entries[1].suffix(6), String(entries[1].suffix(3)), "…"] {
      try await expectEqual(search(text).refusal, .unknown, "\(text)")
    }
    try await expectEqual(search(String(entries[1].suffix(6))), .found([]))
    await client.stop()
    let told = try await run("search", "-", "--system", "venue", input: entries[1])
    expect(told.status == 0 && told.output.hasPrefix("\(shown)  venue  "), "\(told)")
    expect(told.output.contains("gate north") && !told.output.contains(entries[1]), "\(told)")

    // Whoever watches has seen the orders with their reasons.
    expect(await screen.shows("turned back"), "\(screen.shown)")
    watching.interrupt()
    watching.waitUntilExit()
    expectEqual(watching.terminationStatus, 0)
    station.terminate()
    await expectEqual(station.status(), 0)
    try await expectEqual(run("status").status, 2)
    await venue.close()
  }

  /// An outbox that was held before an update, by a former version's file, or by an order, is held by every process that follows.
  @Test func aHoldOutlivesTheService() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (state, socket) = (folder.path + "/state", folder.path + "/s")
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for name in ["outbox.hold", "journal.accept"] {
      try Data().write(to: URL(filePath: "\(state)/\(name)"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(state)/\(name)")
    }
    func run(_ words: [String]) async throws -> Program.Result {
      try await Program.run(words + ["--station-socket", socket])
    }
    func served(_ body: () async throws -> Void) async throws {
      let station = try Station(["--state", state, "--station-socket", socket])
      defer { station.end() }
      _ = await station.next { $0["type"] as? String == "gate" }
      try await body()
      station.terminate()
      await expectEqual(station.status(), 0, "\(station.log)")
    }
    func isHeld() async throws -> Bool { try await run(["status"]).output.contains("staff hold it") }
    try await served {
      expect(try await isHeld())
      expect(!FileManager.default.fileExists(atPath: state + "/outbox.hold"))
      expect(!FileManager.default.fileExists(atPath: state + "/journal.accept"))
    }
    let status = try await Program.run(["outbox", "status", "--state", state])
    expect(status.output.contains("held, until: scangate outbox retry"), "\(status)")
    try await served {
      expect(try await isHeld())
      try await expectEqual(run(["outbox", "retry"]).status, 0)
      expect(try await !isHeld())
    }
    try await served {
      expect(try await !isHeld())
      try await expectEqual(run(["outbox", "hold", "--why", "an audit"]).status, 0)
    }
    try await served { expect(try await isHeld()) }
  }
}
