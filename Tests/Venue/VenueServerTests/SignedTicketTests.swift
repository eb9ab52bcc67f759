import Expectations
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import VenueServer

/// The verification service of a venue, as the real one's own tests ask it, and by its control socket.
@Suite struct SignedTicketTests {
  private struct Service {
    let venue: RunningVenue
    let token: String
    let clock: ManualClock

    func post(
      _ path: String, _ body: String, token: String? = nil, org: String? = VenueServer.organisation
    ) async throws -> Reply {
      var headers = [("Authorization", "Bearer \(token ?? self.token)"), ("Content-Type", "application/json")]
      if let org { headers.append(("X-Org-ID", org)) }
      return try await venue.request(.POST, path, headers: headers, body: [ByteBuffer(string: body)])
    }

    func redeem(_ ticket: String, token: String? = nil, org: String? = VenueServer.organisation) async throws -> Reply {
      try await post("/v1/verification/redeem", #"{"ticket_token":"\#(ticket)"}"#, token: token, org: org)
    }

    func issue() async throws -> String {
      let reply = try await post(
        "/v1/tickets/issue", #"{"order_id":"o","performance_id":"perf_1","seat_id":"A-1"}"#)
      expectEqual(reply.status, 201)
      return try #require(try reply.string("ticket_token"))
    }
  }

  private func withService(
    noLimits: Bool = true, control: String? = nil, _ body: (Service) async throws -> Void
  ) async throws {
    let clock = try ManualClock("2026-11-26T18:00:00Z")
    try await withVenue(
      VenueConfiguration(
        noLimits: noLimits, failureDelay: .zero, now: { clock.now }, controlSocket: control, signsTickets: true)
    ) { venue in
      try await body(Service(venue: venue, token: try await venue.server.issueTicketToken(), clock: clock))
    }
  }

  private func refused(_ reply: Reply, _ status: Int, _ type: String) throws {
    expectEqual(reply.status, status)
    try expectEqual(reply.string("type"), "urn:thankful:" + type)
    expectEqual(reply.headers.first(name: "Content-Type"), "application/problem+json")
    try expectEqual(reply.integer("status"), status)
  }

  // MARK: As the real one's tests

  @Test func issuedAndRedeemedOnce() async throws {
    try await withService { service in
      let ticket = try await service.issue()
      let reply = try await service.redeem(ticket)
      expectEqual(reply.status, 200)
      try expectEqual(reply.string("status"), "redeemed")
      expect(try reply.string("jti")?.hasPrefix("tkt_") == true)
      try refused(await service.redeem(ticket), 409, "verification:already_redeemed")
    }
  }

  @Test func aChangedSeatIsNoSignature() async throws {
    try await withService { service in
      let parts = try await service.issue().split(separator: ".").map(String.init)
      let payload = try #require(TicketSigner.bytes(base64url: parts[4]))
      let changed = String(decoding: payload, as: UTF8.self).replacing("A-1", with: "A-2")
      let ticket = (parts.dropLast() + [TicketSigner.base64url([UInt8](changed.utf8))]).joined(separator: ".")
      try refused(await service.redeem(ticket), 401, "verification:invalid_signature")
    }
  }

  @Test func whatIsOverOrOfAnotherIsRefused() async throws {
    try await withService { service in
      let over = try await service.venue.server.issueSignedTicket(NewSignedTicket(issued: "-2h", expires: "-1s"))
      try refused(await service.redeem(over.token), 401, "verification:expired")
      let ticket = try await service.issue()
      try refused(await service.redeem(ticket, org: "another"), 409, "verification:tenant_mismatch")
      try refused(await service.redeem(ticket, org: nil), 422, "verification:missing_org")
      let gone = try await service.venue.server.issueSignedTicket(NewSignedTicket(isKnown: false))
      try refused(await service.redeem(gone.token), 404, "verification:not_found")
      let taken = try await service.venue.server.issueSignedTicket()
      try await service.venue.server.revokeSignedTicket(taken.jti)
      try refused(await service.redeem(taken.token), 403, "verification:revoked")
      for text in ["", "bad.token", "ed25519.v2.a.b.c"] {
        try refused(await service.redeem(text), 422, "verification:invalid_token")
      }
      for text in ["ed25519.v1.a", "ed25519.v1.a.b.c.d", "ed25519.v1.a.!.?"] {
        try refused(await service.redeem(text), 400, "verification:bad_format")
      }
      for body in ["", "null", "[]", "{}", #"{"ticket_token":7}"#, "{"] {
        try refused(await service.post("/v1/verification/redeem", body), 422, "verification:invalid_token")
      }
      // What it has signed, and is none.
      let signed = try await service.venue.server.store.write { db in
        (try TicketSigner(db: db).sign("[]"), try TicketSigner(db: db).sign("{}"))
      }
      try refused(await service.redeem(signed.0), 400, "verification:bad_payload")
      try refused(await service.redeem(signed.1), 400, "verification:missing_fields")
    }
  }

  @Test func itsKeysAreTold() async throws {
    try await withService { service in
      // The first vector of RFC 8032, 7.1, under the name that the vector of signed tickets has.
      let seed = try #require(Data(base64Encoded: "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="))
      try await service.venue.server.addTicketKey("dev-ed25519", seed: [UInt8](seed))
      let reply = try await service.venue.request(.GET, "/v1/verification/jwks", headers: [])
      expectEqual(reply.status, 200)
      try expectEqual(
        reply.json,
        .object([
          "keys": .array([
            .object([
              "kty": .string("OKP"), "crv": .string("Ed25519"), "kid": .string("dev-ed25519"),
              "x": .string("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
            ])
          ])
        ]))
      try await service.venue.server.addTicketKey("next")
      expect(try await service.issue().hasPrefix("ed25519.v1.next."))
      try await service.venue.server.withdrawTicketKey("next")
      expect(try await service.issue().hasPrefix("ed25519.v1.dev-ed25519."))
    }
  }

  /// The real server's flaw.
  @Test func aNameOfNoKeyIsItsOwn() async throws {
    try await withService { service in
      var parts = try await service.issue().split(separator: ".").map(String.init)
      parts[2] = "nobodys"
      try await expectEqual(service.redeem(parts.joined(separator: ".")).status, 200)
    }
  }

  @Test func whoMayNotIsTold() async throws {
    try await withService { service in
      let ticket = try await service.issue()
      let issuer = try await service.venue.server.issueTicketToken(scopes: [.issue])
      try refused(await service.redeem(ticket, token: issuer), 403, "auth:forbidden")
      try refused(await service.redeem(ticket, token: "unknown-token"), 401, "auth:unauthorized")
      try await service.venue.server.revokeTicketTokens()
      try refused(await service.redeem(ticket), 401, "auth:unauthorized")
    }
  }

  @Test func tenAMinuteForEachTokenAndOrganisation() async throws {
    try await withService(noLimits: false) { service in
      for _ in 0..<10 { try await expectEqual(service.redeem("").status, 422) }
      let refused = try await service.redeem("")
      expectEqual(refused.status, 429)
      expectEqual(refused.headers.first(name: "Retry-After"), "60")
      try await expectEqual(service.redeem("", org: "another").status, 422)
      service.clock.advance(seconds: 60)
      try await expectEqual(service.redeem("").status, 422)
    }
  }

  @Test func withoutTheServiceItsPathsAreNone() async throws {
    try await withVenue { venue in
      try await expectEqual(venue.request(.GET, "/v1/verification/jwks", headers: []).status, 404)
    }
  }

  // MARK: Its control socket, and its file

  @Test func itIsLedByItsSocket() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/control.sock"
      try await withService(control: path) { service in
        let control = VenueControlClient(path: path)
        let issued = try await control.issueSignedTicket(NewSignedTicket(performance: "perf_9", seat: "B-2"))
        let token = try await control.issueTicketToken()
        try await expectEqual(service.redeem(issued.token, token: token).status, 200)
        let line = try #require(try await control.issuedSignedTickets().first)
        expect(line.contains("\"redeemed\":\"2026-11-26T18:00:00Z\"") && !line.contains(issued.token), "\(line)")
        let other = try await control.issueSignedTicket(NewSignedTicket())
        try await control.revokeSignedTicket(other.jti)
        try refused(await service.redeem(other.token), 403, "verification:revoked")
        try await control.addTicketKey("k2")
        try await control.withdrawTicketKey("k2")
        for work in [
          { try await control.revokeSignedTicket("none") }, { try await control.withdrawTicketKey("none") },
          { try await control.addTicketKey("a.b") }, { try await control.addTicketKey("k2") },
        ] as [() async throws -> Void] {
          await #expect(throws: VenueError.self) { try await work() }
        }
        try await control.revokeTicketTokens()
        try await expectEqual(service.redeem("", token: token).status, 401)
      }
    }
  }

  @Test func whatItHasRedeemedOutlivesIt() async throws {
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(
        storage: .file(directory + "/venue.sqlite"), failureDelay: .zero, signsTickets: true)
      let issued = try await VenueServer(configuration).issueSignedTicket()
      try await withVenue(configuration) { venue in
        let service = Service(
          venue: venue, token: try await venue.server.issueTicketToken(), clock: try ManualClock("2026-11-26T18:00:00Z")
        )
        try await expectEqual(service.redeem(issued.token).status, 200)
      }
      try await expectEqual(
        VenueServer(configuration).issuedSignedTickets().count { $0.contains("\"redeemed\":\"") }, 1)
    }
  }
}
