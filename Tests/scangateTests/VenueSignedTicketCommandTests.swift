import Expectations
import Foundation
import Testing
import VenueServer

/// What is done at a venue about signed tickets, by the commands.
@Suite struct VenueSignedTicketCommandTests {
  /// A venue that serves and signs, its control socket and a folder.
  private func withVenue(_ body: (_ control: String, _ folder: String) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let control = folder.path + "/venue.sock"
    let now = try Date("2026-11-26T18:00:00Z", strategy: .iso8601)
    let venue = try VenueServer(VenueConfiguration(now: { now }, controlSocket: control, signsTickets: true))
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    _ = try #require(await ready.first { _ in true })
    try await body(control, folder.path)
    serving.cancel()
    _ = await serving.result
  }

  private func run(_ what: String, _ control: String, _ arguments: [String] = []) async throws -> Program.Result {
    try await Program.run(["venue", "signed-ticket", what, "--control", control] + arguments)
  }

  /// What a ticket's code says: its key's name, and its payload.
  private func read(_ code: String) throws -> (kid: String, payload: [String: Any]) {
    let parts = code.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    try #require(parts.count == 5 && code.hasPrefix("ed25519.v1."), "\(code)")
    let plain = parts[4].replacing("-", with: "+").replacing("_", with: "/")
    let bytes = try #require(Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)))
    return (parts[2], try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any]))
  }

  @Test func issuedListedAndRevoked() async throws {
    try await withVenue { control, _ in
      let issued = try await run(
        "issue", control, ["--performance", "matinee", "--seat", "F-12", "--order", "o-7", "--org", "house"])
      let code = try #require(issued.lines.first, "\(issued.errors)")
      expectEqual(issued.lines.count, 1)
      let payload = try read(code).payload
      expectEqual(payload["performance_id"] as? String, "matinee")
      expectEqual(payload["seat_id"] as? String, "F-12")
      expectEqual(payload["order_id"] as? String, "o-7")
      expectEqual(payload["tenant_id"] as? String, "house")
      let id = try #require(payload["jti"] as? String)
      func row() async throws -> [String: Any] {
        let listed = try await run("list", control)
        expect(!listed.output.contains("ed25519.v1."), "codes are not listed")
        return try #require(listed.objects.first { $0["jti"] as? String == id }, "\(listed.errors)")
      }
      try await expectEqual(row()["revoked"] as? Bool, false)
      expect(try await row()["redeemed"] is NSNull)
      try await expectEqual(run("revoke", control, [id]).status, 0)
      try await expectEqual(row()["revoked"] as? Bool, true)
    }
  }

  @Test func itsTimesAreSaidOrUsual() async throws {
    try await withVenue { control, _ in
      // 2026-11-26T18:00:00Z
      let now = 1_795_716_000
      let rows: [([String], Int, Int)] = [
        ([], now, now + 7_200), (["--expires", "30min"], now, now + 1_800),
        // One that is over was good before.
        (["--expires", "-5min"], now - 7_500, now - 300), (["--expires", "+0s"], now - 7_200, now),
        (["--issued", "-1h"], now - 3_600, now + 3_600), (["--issued", "10min"], now + 600, now + 7_800),
        (["--issued", "-2h", "--expires", "-1h"], now - 7_200, now - 3_600),
        (["--issued", "2026-11-26T17:00:00Z", "--expires", "2026-11-26T19:00:00Z"], now - 3_600, now + 3_600),
      ]
      for (arguments, issued, ends) in rows {
        let made = try await run("issue", control, arguments)
        let payload = try read(try #require(made.lines.first, "\(arguments): \(made.errors)")).payload
        expectEqual(payload["iat"] as? Int, issued, "\(arguments)")
        expectEqual(payload["exp"] as? Int, ends, "\(arguments)")
      }
    }
  }

  @Test func keysComeAndGo() async throws {
    try await withVenue { control, _ in
      func kid() async throws -> String {
        try read(try #require(try await run("issue", control).lines.first)).kid
      }
      try await expectEqual(kid(), "dev-ed25519")
      try await expectEqual(run("key", control, ["second"]).status, 0)
      try await expectEqual(kid(), "second")
      try await expectEqual(run("key", control, ["--withdraw", "second"]).status, 0)
      try await expectEqual(kid(), "dev-ed25519")
    }
  }

  @Test func aTokenIsToldOrInAFile() async throws {
    try await withVenue { control, folder in
      let told = try await run("token", control)
      expect(told.status == 0 && told.lines.count == 1 && (told.lines.first?.count ?? 0) >= 8, "\(told.errors)")
      let file = folder + "/redeem.token"
      let made = try await run("token", control, ["--file", file])
      expectEqual(made.lines, ["The token is in \(file)."], "\(made.errors)")
      let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
      expect(token.count >= 8 && !made.output.contains(token), "a token in a file is not printed")
      let again = try await run("token", control, ["--file", file])
      expectEqual(again.status, 0, "\(again.errors)")
      expectEqual(
        try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines), token)
      try await expectEqual(run("token", control, ["--revoke"]).status, 0)
    }
  }

  @Test func whatCannotBeIsExplained() async throws {
    try await withVenue { control, folder in
      let wrong: [(String, [String], Int32, String)] = [
        ("issue", ["--expires", "soon"], 69, "such as 30d or -5min"),
        ("issue", ["--issued", "yesterday"], 69, "such as 30d or -5min"),
        ("revoke", ["tkt_nobodys"], 69, "no ticket has this id"),
        ("key", ["a.b"], 69, "no dots"), ("key", ["--withdraw", "none"], 69, "no key of this name"),
        ("token", ["--revoke", "--file", folder + "/t"], 64, "--file and --revoke"),
      ]
      for (what, arguments, status, words) in wrong {
        let result = try await run(what, control, arguments)
        expect(result.status == status && result.errors.contains(words), "\(what): \(result.status) \(result.errors)")
      }
    }
  }
}
