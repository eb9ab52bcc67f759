import Expectations
import Foundation
import FoundationNetworking
import Testing
import VenueServer

/// The commands beside a serving venue.
@Suite struct VenueCommandTests {
  /// A venue that serves from a file, its control socket, and a code that it admits.
  private func withVenue(
    _ body: (_ venue: VenueServer, _ database: String, _ control: String) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (database, control) = (folder.path + "/venue.sqlite", folder.path + "/venue.sock")
    let venue = try VenueServer(
      VenueConfiguration(
        storage: .file(database), now: { Date(timeIntervalSince1970: 1_765_981_800) }, controlSocket: control))
    let seeded = try await venue.seed(Seed(random: 1, apiKey: "a-key-for-a-test", zone: "UTC"))
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    let address = try #require(await ready.first { _ in true })
    var request = URLRequest(url: try #require(URL(string: address.url + "/api/tickets/scan")))
    request.httpMethod = "POST"
    request.setValue("a-key-for-a-test", forHTTPHeaderField: "X-API-Key")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"code":"\#(try #require(seeded.tickets.first).code)"}"#.utf8)
    _ = try await URLSession.shared.data(for: request)
    try await body(venue, database, control)
    serving.cancel()
    _ = await serving.result
  }

  @Test func theBookIsPrintedFromTheFileAndFromTheServer() async throws {
    try await withVenue { venue, database, control in
      let code = try #require(try await venue.book().first).code
      let short = "…" + code.suffix(4)
      let file = try await Program.run(["venue", "book", "--database", database])
      expectEqual(
        file.lines, ["2025-12-17T14:30:00Z  \(short)  sale 1  ticket 1  entry 1  printed  seat -"], "\(file.errors)")
      let server = try await Program.run(["venue", "book", "--control", control])
      expectEqual(server.lines, file.lines)
      let full = try await Program.run(["venue", "book", "--control", control, "--full"])
      expectEqual(full.lines, file.lines.map { $0.replacing(short, with: code) })

      let json = try await Program.run(["venue", "book", "--database", database, "--json"])
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      expect(object["code"] as? String == short)
      expect(object["scanned_at"] as? String == "2025-12-17T14:30:00Z")
      expect(object["entry_id"] as? Int == 1)
      let whole = try await Program.run(["venue", "book", "--database", database, "--json", "--full"])
      expect(whole.output.contains(code))
      // Every field is in the document.
      let documentFile = repositoryFile("docs/venue.md")
      let document = try String(contentsOf: documentFile, encoding: .utf8)
      for field in object.keys { expect(document.contains("`\(field)`"), "\(field)") }
    }
  }

  /// Each seeded code is told with its event, of which there are several on that day.
  @Test(arguments: ServerShape.allCases) func aWholeTicketServerIsSeededWithTwoHalls(shape: ServerShape) async throws {
    // The address is no one's: it ends when it would serve.
    let served = try await Program.run(
      ["venue", "serve", "--listen", "192.0.2.1:9", "--seed", "--eventschedule-shape", shape.rawValue],
      environment: ["TZ": "UTC"])
    for event in ["Hall A 17:00", "Hall A 20:00", "Hall B 20:00"] {
      for type in ["Standard", "VIP"] {
        let lines = served.lines.filter { $0.contains("  \(event) (") && $0.hasSuffix("), \(type)") }
        expect(!lines.isEmpty, "\(event) \(type): \(served.output) \(served.errors)")
      }
    }
    let alone = try await Program.run(["venue", "serve", "--listen", "192.0.2.1:9", "--seed"])
    expect(alone.output.contains("An Evening of Strings") && !alone.output.contains("Hall"))
    let wrong = try await Program.run(["venue", "serve", "--eventschedule-shape", "other"])
    expect(wrong.status == 64 && wrong.errors.contains("document"))
  }

  @Test func aServingVenueIsToldToMisbehave() async throws {
    try await withVenue { venue, _, control in
      let added = try await Program.run(["venue", "misbehave", "--control", control, "status=503,next=3", "clock=1h"])
      expectEqual(added.lines, ["status=503,next=3  (hits: 0)", "clock=3600s  (hits: 0)"], "\(added.errors)")
      expectEqual(venue.misbehaviours.count, 2)
      let bad = try await Program.run(["venue", "misbehave", "--control", control, "--clear", "html", "status=600"])
      expectEqual(bad.status, 64)
      expect(bad.errors.contains("status wants one of 401"))
      expectEqual(venue.misbehaviours.count, 2)
      let cleared = try await Program.run(["venue", "misbehave", "--control", control, "--clear"])
      expectEqual(cleared.lines, ["The venue behaves."])
      expect(venue.misbehaviours.isEmpty)
    }
  }

  @Test func aTicketGetsAnotherStatusAndTheBookTellsOfEach() async throws {
    try await withVenue { venue, database, control in
      let code = try #require(try await venue.book().first).code
      let short = "…" + code.suffix(4)
      let set = try await Program.run(["venue", "ticket", "--control", control, "--status", "refunded", code])
      expectEqual(set.lines, ["\(short) is refunded."], "\(set.errors)")
      let tickets = try await Program.run(["venue", "book", "--control", control, "--tickets"])
      expectEqual(tickets.lines.first, "\(short)  sale 1  entry  refunded  1 of 1 in", "\(tickets.errors)")
      expect(!tickets.output.contains(code))
      let file = try await Program.run(["venue", "book", "--database", database, "--tickets"])
      expectEqual(file.lines, tickets.lines)

      let json = try await Program.run(["venue", "book", "--database", database, "--tickets", "--json", "--full"])
      let line = try #require(json.lines.first)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      expect(object["code"] as? String == code && object["entries"] as? Int == 1)
      let documentFile = repositoryFile("docs/venue.md")
      let document = try String(contentsOf: documentFile, encoding: .utf8)
      for field in object.keys { expect(document.contains("`\(field)`"), "\(field)") }

      let bad = try await Program.run(["venue", "ticket", "--control", control, "--status", "lost", code])
      expect(bad.status == 64 && bad.errors.contains("refunded"))
      let unknown = try await Program.run(["venue", "ticket", "--control", control, "--status", "paid", "nobodys-code"])
      expect(unknown.status == 69 && unknown.errors.contains("no ticket has this code"))
    }
  }

  @Test func nobodyThereAndNoBookAreExplained() async throws {
    let none = try await Program.run(["venue", "misbehave", "--control", "/nonexistent/venue.sock"])
    expectEqual(none.status, 69)
    expect(none.errors.contains("no venue answers on /nonexistent/venue.sock"))
    let absent = try await Program.run(["venue", "book", "--database", "/nonexistent/venue.sqlite"])
    expectEqual(absent.status, 69)
    expect(absent.errors.contains("/nonexistent/venue.sqlite"))
    try await expectEqual(Program.run(["venue", "book"]).status, 64)
    let serve = try await Program.run(["venue", "serve", "--misbehave", "json=wide"])
    expectEqual(serve.status, 64)
    expect(serve.errors.contains("cut, huge, deep"))
  }
}
