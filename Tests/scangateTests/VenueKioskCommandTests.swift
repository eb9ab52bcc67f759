import Expectations
import Foundation
import FoundationNetworking
import Testing
import VenueServer

/// What an administrator of a venue does about kiosks, by the commands.
@Suite struct VenueKioskCommandTests {
  /// A venue that serves, its address and its control socket.
  private func withVenue(_ body: (_ url: String, _ control: String) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let control = folder.path + "/venue.sock"
    let venue = try VenueServer(
      VenueConfiguration(
        now: { Date(timeIntervalSince1970: 1_765_981_800) }, controlSocket: control,
        publicURL: "https://venue.example:8443"))
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    let address = try #require(await ready.first { _ in true })
    try await body(address.url, control)
    serving.cancel()
    _ = await serving.result
  }

  private func object(_ line: String?) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data((line ?? "").utf8)) as? [String: Any])
  }

  private func post(_ body: String, to url: String) async throws -> [String: Any] {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(body.utf8)
    let (data, _) = try await URLSession.shared.data(for: request)
    return try object(String(decoding: data, as: UTF8.self))
  }

  @Test func anActivationCodeIsPrintedInEachForm() async throws {
    try await withVenue { _, control in
      let bare = try await Program.run(["venue", "activation-code", "--control", control])
      expect(bare.lines.count == 1 && bare.lines[0].wholeMatch(of: /[0-9A-F]{8}/) != nil, "\(bare.errors)")
      let json = try await Program.run(["venue", "activation-code", "--control", control, "--json", "--minutes", "10"])
      expectEqual(json.lines.count, 2, "\(json.errors)")
      let (server, expiry) = (try object(json.lines.first), try object(json.lines.last))
      expect(server["server"] as? String == "venue.example:8443" && server["type"] as? String == "kiosk_activation")
      expect(server["timestamp"] as? Int == 1_765_981_800_000)
      expect(expiry["expires"] as? String == "2025-12-17T14:40:00.000Z")
      expect(server["code"] as? String == expiry["code"] as? String)
      let url = try await Program.run(
        ["venue", "activation-code", "--control", control, "--for", "gate 2", "--url", "https://venue.example"])
      expectEqual(
        url.lines.first?.hasPrefix("https://venue.example/activate?kioskId=gate%202&code="), true, "\(url.errors)")
      let bad = try await Program.run(["venue", "activation-code", "--control", control, "--minutes", "0"])
      expect(bad.status == 69 && bad.errors.contains("1 to 10080 minutes"))
    }
  }

  @Test func aKioskIsListedShownConfiguredAndItsRequestsTold() async throws {
    try await withVenue { url, control in
      let code = try await Program.run(["venue", "activation-code", "--control", control, "--for", "gate-2"]).lines[0]
      let answer = try await post(#"{"activationCode":"\#(code)"}"#, to: url + "/api/kiosks/activate")
      expect(answer["kioskId"] as? String == "gate-2")
      func kiosk(_ arguments: String...) async throws -> Program.Result {
        try await Program.run(["venue", "kiosk", arguments[0], "--control", control] + arguments.dropFirst())
      }
      let set = try await kiosk("set", "gate-2", "name=North", "settings.refreshInterval=60")
      expectEqual(set.status, 0, "\(set.errors)")
      let state = try await kiosk("state", "gate-2", "maintenance")
      expectEqual(state.status, 0, "\(state.errors)")
      let list = try object(try await kiosk("list").lines.first)
      let shown = try object(try await kiosk("show", "gate-2").lines.first)
      let configuration = try #require(shown["configuration"] as? [String: Any])
      expect(configuration["name"] as? String == "North" && configuration["status"] as? String == "maintenance")
      let revoked = try await kiosk("revoke", "gate-2")
      expectEqual(revoked.status, 0)
      let log = try await kiosk("log")
      expectEqual(log.lines, ["2025-12-17T14:30:00Z  200  POST  /api/kiosks/activate"], "\(log.errors)")
      let line = try object(try await kiosk("log", "--json").lines.first)
      // Every field is in the document.
      let documentFile = repositoryFile("docs/venue.md")
      let document = try String(contentsOf: documentFile, encoding: .utf8)
      for field in Set(list.keys).union(shown.keys).union(line.keys) {
        expect(document.contains("`\(field)`"), "\(field)")
      }
      let unknown = try await kiosk("state", "gate-3", "active")
      expect(unknown.status == 69 && unknown.errors.contains("no kiosk has this id"))
      let bad = try await kiosk("set", "gate-2", "colour=red")
      expect(bad.status == 69 && bad.errors.contains("has no member colour"))
    }
  }

  @Test func anEnrolmentIsALineOfJSON() async throws {
    try await withVenue { url, control in
      let made = try await Program.run(
        ["venue", "enrolment", "--control", control, "--gate", "north", "--sale-ticket", "7", "--minutes", "10"])
      let line = try object(made.lines.first)
      expect(line["server"] as? String == "venue.example:8443" && line["expires"] as? String == "2025-12-17T14:40:00Z")
      let secret = try #require(line["secret"] as? String)
      let answer = try await post(
        #"{"secret":"\#(secret)","station":{"id":"a","name":"A","version":"1"},"gate":"north"}"#, to: url + "/enrol")
      let system = try #require(answer["ticketSystem"] as? [String: Any])
      expect(system["url"] as? String == "https://venue.example:8443")
      expect((answer["gate"] as? [String: Any])?["saleTicket"] as? Int == 7)
    }
  }

  @Test func whatDoesNotGoTogetherIsExplained() async throws {
    for (arguments, words) in [
      (["--certificate", "a.pem"], "--certificate and --private-key go together"),
      (["--kiosk-shape", "cueit"], "give --kiosk-token-file"),
      (["--kiosk-shape", "other"], "nova-beacon"),
      (["--kiosk-token-life", "0s"], "1s to 365d"),
      (["--public-url", "venue.example"], "--public-url wants an address"),
      (["--public-url", "https://me@venue.example"], "--public-url wants an address"),
    ] {
      let result = try await Program.run(["venue", "serve"] + arguments)
      expect(result.status == 64 && result.errors.contains(words), "\(arguments): \(result.errors)")
    }
    let absent = try await Program.run(
      [
        "venue", "serve", "--listen", "127.0.0.1:0", "--certificate", "/nonexistent/a", "--private-key",
        "/nonexistent/b",
      ])
    expect(absent.status == 69 && absent.errors.contains("/nonexistent/a cannot be read as a certificate"))
  }
}
