import Expectations
import Foundation
import Testing
import VenueServer

/// What is done at a venue about subscriptions, by the commands.
@Suite struct VenueMembershipCommandTests {
  /// A venue that serves, its control socket and a folder.
  private func withVenue(_ body: (_ venue: VenueServer, _ control: String, _ folder: String) async throws -> Void)
    async throws
  {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let control = folder.path + "/venue.sock"
    let now = try Date("2026-01-31T12:00:00Z", strategy: .iso8601)
    let venue = try VenueServer(
      VenueConfiguration(now: { now }, controlSocket: control, subscriptionShape: .real))
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    _ = try #require(await ready.first { _ in true })
    try await body(venue, control, folder.path)
    serving.cancel()
    _ = await serving.result
  }

  private func row(_ id: String, _ control: String) async throws -> [String: Any] {
    let list = try await Program.run(["venue", "subscription", "list", "--control", control])
    return try #require(list.objects.first { $0["id"] as? String == id }, "\(list.errors)")
  }

  @Test func soldEndedRenewedAndGivenBack() async throws {
    try await withVenue { _, control, folder in
      let receipt = folder + "/ann.receipt"
      let sold = try await Program.run(
        [
          "venue", "subscription", "add", "--control", control, "--tier", "premium", "--expires", "-5min", "--receipt",
          receipt,
        ])
      expectEqual(sold.status, 0, "\(sold.errors)")
      let id = try #require(sold.lines.first)
      expect(id.wholeMatch(of: /[0-9]{15}/) != nil, "\(sold.output)")
      let mode = try FileManager.default.attributesOfItem(atPath: receipt)[.posixPermissions] as? Int
      expectEqual(mode, 0o600)
      try await expectEqual(row(id, control)["expires"] as? String, "2026-01-31T11:55:00Z")
      func run(_ arguments: [String]) async throws {
        let result = try await Program.run(
          ["venue", "subscription", arguments[0], "--control", control] + arguments.dropFirst())
        expectEqual(result.status, 0, "\(result.errors)")
      }
      try await run(["renew", id])
      try await expectEqual(row(id, control)["shop_expires"] as? String, "2027-01-31T11:55:00Z")
      try await expectEqual(row(id, control)["expires"] as? String, "2026-01-31T11:55:00Z")
      let earlier = try await Program.run([
        "venue", "subscription", "renew", "--control", control, "--until", "30d", id,
      ])
      expect(
        earlier.status == 69 && earlier.errors.contains("paid for until 2027-01-31T11:55:00Z"), "\(earlier.errors)")
      try await run(["renew", "--told", "--until", "400d", id])
      try await expectEqual(row(id, control)["expires"] as? String, "2027-03-07T12:00:00Z")
      try await run(["refund", id])
      try await expectEqual(row(id, control)["renews"] as? Bool, false)
      try await run(["expire", "--at", "-1h", "--final", id])
      try await expectEqual(row(id, control)["expires"] as? String, "2026-01-31T11:00:00Z")
      let wrong = try await Program.run(["venue", "subscription", "expire", "--control", control, "12345678"])
      expect(wrong.status == 69 && wrong.errors.contains("no subscription has this id"), "\(wrong.errors)")
    }
  }

  @Test func tokensAndAccounts() async throws {
    try await withVenue { venue, control, folder in
      let file = folder + "/venue.token"
      let token = ["venue", "subscription", "token", "--control", control]
      for _ in 0..<2 {
        let made = try await Program.run(token + ["--file", file])
        expectEqual(made.lines, ["The access token is in \(file)."], "\(made.errors)")
        let kept = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        expect(kept.count == 40 && !made.output.contains(kept))
        try await expectEqual(Program.run(token + ["--revoke"]).status, 0)
      }
      let bare = try await Program.run(token)
      expect(bare.lines.count == 1 && bare.lines[0].count == 40, "\(bare.errors)")
      try await expectEqual(Program.run(token + ["--revoke", "--expire"]).status, 64)
      let sold = try await venue.sell(NewSubscription())
      let added = try await Program.run(
        ["venue", "membership", "add", "--control", control, "--tier", "standard", "--paid", "alipay", "member-1"])
      expectEqual(added.status, 0, "\(added.errors)")
      let bad = try await Program.run(["venue", "membership", "add", "--control", control, "a b"])
      expect(bad.status == 69 && bad.errors.contains("no spaces"), "\(bad.errors)")
      try await expectEqual(row(sold.id, control)["member"] is NSNull, true)
    }
  }
}
