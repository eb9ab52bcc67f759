import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// Who may ask the subscription service, how it misbehaves, and what is done at it by the control socket.
@Suite struct SubscriptionAccessTests {
  private static let calls: [(HTTPMethod, String)] = [
    (.POST, "/apple/verify-receipt"), (.POST, "/apple/link"), (.POST, "/apple/unlink"), (.POST, "/apple/subs"),
    (.GET, "/apple/subs"), (.GET, "/apple/subs/12345678"), (.PATCH, "/apple/subs/12345678"),
    (.GET, "/apple/receipt/12345678"),
  ]

  @Test func noTokenIsNotLetIn() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let status = shape == .real ? 403 : 401
        for (method, path) in Self.calls {
          for header in [nil, "Bearer", "Bearer  ", "Bearer wrong-token", "Basic \(service.token)"] {
            let reply = try await service.venue.request(
              method, "/api/v1" + path, headers: header.map { [("Authorization", $0)] } ?? [])
            expectEqual(reply.status, status, "\(shape) \(method) \(path)")
            try expectEqual(reply.json, .object(["message": .string("Invalid access token")]))
          }
        }
        // The organiser's key for tickets leads nowhere here.
        try await expectEqual(service.venue.get("/api/v1/apple/subs").status, status)
      }
    }
  }

  @Test func theRealOneTakesTheTokenInAnAddressToo() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let reply = try await service.venue.request(
          .GET, "/api/v1/apple/subs/12345678?access_token=\(service.token)", headers: [])
        expectEqual(reply.status, shape == .real ? 404 : 401)
      }
    }
  }

  @Test func tokensEnd() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription())
        let path = "/apple/subs/\(sold.id)"
        for (change, words) in [
          (AccessTokenChange.expired, "The access token is expired or no longer active"),
          (.revoked, "Invalid access token"),
        ] {
          try await service.server.changeAccessTokens(change)
          let refused = try await service.ask(.GET, path)
          expectEqual(refused.status, shape == .real ? 403 : 401)
          try expectEqual(refused.string("message"), words)
          try await expectEqual(service.server.issueAccessToken(service.token), service.token)
          try await expectEqual(service.ask(.GET, path).status, 200)
        }
        await #expect(throws: VenueError.self) { try await service.server.issueAccessToken("a b") }
      }
    }
  }

  @Test func otherMethodsAndAddresses() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let wrong = try await service.ask(.DELETE, "/apple/subs/12345678")
        expect(wrong.status == 405 && wrong.text.isEmpty)
        for path in ["/api/v1/apple", "/api/apple/subs/12345678", "/api/v1/apple/subs/1/2", "/apple/subs/12345678"] {
          let reply = try await service.venue.request(
            .GET, path, headers: [("Authorization", "Bearer \(service.token)")])
          // No JSON: a gate is not to take it for a word about a member.
          expect(reply.status == 404 && reply.text == "404 page not found\n", "\(path)")
        }
      }
    }
  }

  @Test func withoutAShapeThereIsNoService() async throws {
    try await withVenue { venue in
      let reply = try await venue.get("/api/v1/apple/subs")
      expectEqual(reply.status, 404)
      try expect(reply.string("message") == "The route api/v1/apple/subs could not be found.")
    }
  }

  @Test func theTicketsStay() async throws {
    try await withSubscriptions(.real) { service, _ in
      try await expectEqual(service.venue.scan(try service.venue.code(.entry)).status, 201)
    }
  }

  // MARK: Bad days

  @Test func onlyWhatItIsForIsHit() async throws {
    let get = "GET", patch = "PATCH", list = "LIST", ticket = "TICKET"
    for (scope, hit) in [
      ("", [get, patch, ticket]), (",on=checks", [get]), (",on=refreshes", [patch]), (",on=desk", [list]),
      (",on=kiosk", []), (",on=all", [get, patch, list, ticket]),
    ] {
      try await withSubscriptions(.document, misbehaviours: ["status=503" + scope]) { service, _ in
        let sold = try await service.server.sell(NewSubscription())
        var seen: [String] = []
        for (name, status) in [
          (get, try await service.ask(.GET, "/apple/subs/\(sold.id)").status),
          (patch, try await service.ask(.PATCH, "/apple/subs/\(sold.id)").status),
          (list, try await service.ask(.GET, "/apple/subs").status),
          (ticket, try await service.venue.scan(try service.venue.code(.entry)).status),
        ] where status == 503 { seen.append(name) }
        expectEqual(seen, hit, "\(scope)")
      }
    }
  }

  @Test func statusesHaveTheServicesWords() async throws {
    for (shape, status, message) in [
      (SubscriptionShape.document, 401, "Invalid access token"), (.real, 401, "Requires authorization."),
      (.real, 403, "Invalid access token"), (.real, 404, "Not Found"), (.document, 500, "Internal Server Error"),
      (.real, 429, "Too Many Requests"),
    ] {
      try await withSubscriptions(shape, misbehaviours: ["status=\(status)"]) { service, _ in
        let reply = try await service.ask(.GET, "/apple/subs/12345678")
        expectEqual(reply.status, status)
        try expectEqual(reply.string("message"), message)
      }
    }
  }

  @Test func aLostAnswerWasCarriedOut() async throws {
    try await withSubscriptions(.real, misbehaviours: ["close=after,on=refreshes,next=1"]) { service, _ in
      let sold = try await service.server.sell(NewSubscription(expires: "-5min"))
      try await service.server.renewSubscription(sold.id, until: "30d")
      await #expect(throws: (any Error).self) { try await service.ask(.PATCH, "/apple/subs/\(sold.id)") }
      try await expectEqual(
        service.ask(.GET, "/apple/subs/\(sold.id)").string("expiresDateUtc"), "2026-03-02T12:00:00Z")
    }
  }

  @Test func listsThatLie() async throws {
    try await withSubscriptions(.document, misbehaviours: ["json=pages,on=desk,next=1", "json=total,on=desk"]) {
      service, _ in
      for _ in 0..<3 { _ = try await service.server.sell(NewSubscription()) }
      let loop = try await service.ask(.GET, "/apple/subs?page=7&per_page=2")
      try expect(loop.integer("page") == 7 && loop.integer("total") == 16 && loop.json["data"]?.count == 2)
      let short = try await service.ask(.GET, "/apple/subs?page=1&per_page=2")
      try expect(short.integer("total") == 1 && short.json["data"]?.count == 2)
    }
  }

  @Test func theClockIsOffInWhatIsToldOfTheDate() async throws {
    try await withSubscriptions(.real, misbehaviours: ["clock=-1d"]) { service, _ in
      let sold = try await service.server.sell(NewSubscription(expires: "-5min"))
      let reply = try await service.ask(.GET, "/apple/subs/\(sold.id)")
      expectEqual(reply.headers["Date"], ["Fri, 30 Jan 2026 12:00:00 GMT"])
      try expectEqual(reply.string("expiresDateUtc"), "2026-01-31T11:55:00Z")
    }
  }
}
