import Expectations
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import VenueServer

@Suite struct AccessTests {
  private let json = [("Content-Type", "application/json"), ("Accept", "application/json")]

  @Test func aMissingKeyIsToldBeforeEverythingElse() async throws {
    try await withVenue { venue in
      for headers in [json, json + [("X-API-Key", "")], json + [("Authorization", "Basic abc")]] {
        let reply = try await venue.request(.POST, "/api/tickets/scan", headers: headers)
        expectEqual(reply.status, 401)
        expectEqual(reply.text, #"{"error":"API key is required"}"#)
        expectEqual(reply.headers["Date"].count, 1)
      }
    }
  }

  @Test func aBearerTokenIsAKeyToo() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      let reply = try await venue.request(
        .POST, "/api/tickets/scan", headers: json + [("Authorization", "Bearer \(try venue.key())")],
        body: [ByteBuffer(string: #"{"ticket_code":"\#(code)"}"#)])
      expectEqual(reply.status, 201)
    }
  }

  @Test func anUnknownKeyWaitsAQuarterOfASecond() async throws {
    try await withVenue(VenueConfiguration()) { venue in
      let began = ContinuousClock.now
      let reply = try await venue.scan(try venue.code(.entry), key: "not-the-key")
      expect(ContinuousClock.now - began >= .milliseconds(250))
      expectEqual(reply.status, 401)
      expectEqual(reply.text, #"{"error":"Invalid API key"}"#)
    }
  }

  @Test func aKeyWithoutTheAbilityIsDeniedByMessage() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      let viewer = try await venue.server.issueKey("viewer-key", ability: .view)
      let nobody = try await venue.server.issueKey(ability: .none)
      for key in [viewer, nobody] {
        let reply = try await venue.scan(code, key: key)
        expectEqual(reply.status, 403)
        expectEqual(reply.text, #"{"message":"Access denied"}"#)
      }
      try await expectEqual(venue.get("/api/tickets", key: viewer).status, 200)
      try await expectEqual(venue.get("/api/tickets", key: nobody).status, 403)
      _ = try await venue.server.issueKey(viewer, ability: .manage)
      try await expectEqual(venue.scan(code, key: viewer).status, 201)
    }
  }

  @Test func tenFailuresBlockAKeyForFifteenMinutes() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(failureDelay: .zero, now: { clock.now })) { venue in
      let code = try venue.code(.entry)
      for _ in 0..<10 {
        try await expectEqual(venue.scan(code, key: "guessed-key").status, 401)
        clock.advance(seconds: 1)
      }
      let blocked = try await venue.scan(code, key: "guessed-key")
      expectEqual(blocked.status, 423)
      expectEqual(blocked.text, #"{"error":"API key temporarily blocked"}"#)
      try await expectEqual(venue.scan(code, key: "another-guess").status, 401)
      try await expectEqual(venue.scan(code).status, 201)
      clock.advance(seconds: 898.5)
      try await expectEqual(venue.scan(code, key: "guessed-key").status, 423)
      clock.advance(seconds: 0.5)
      // A blocked request has not prolonged it.
      try await expectEqual(venue.scan(code, key: "guessed-key").status, 401)
      try await expectEqual(venue.scan(code, key: "guessed-key").status, 401)
    }
  }

  @Test func sixtyInAWindow() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    let configuration = VenueConfiguration(rateModel: .window, failureDelay: .zero, now: { clock.now })
    try await withVenue(configuration) { venue in
      let code = try venue.code(.entry)
      for _ in 0..<60 {
        try await expectEqual(venue.scan(code).status, 201)
        clock.advance(seconds: 0.5)
      }
      let refused = try await venue.scan(code)
      expectEqual(refused.status, 429)
      expectEqual(refused.text, #"{"error":"Rate limit exceeded"}"#)
      expect(refused.headers["Retry-After"].isEmpty)
      // The rate comes before the key, and a missing key before the rate.
      try await expectEqual(venue.scan(code, key: "unknown-key").status, 429)
      try await expectEqual(venue.request(.POST, "/api/tickets/scan", headers: json).status, 401)
      clock.advance(seconds: 30)
      try await expectEqual(venue.scan(code).status, 201)
    }
  }

  @Test func sixtySinceTheLastPause() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(rateModel: .pause, failureDelay: .zero, now: { clock.now })) { venue in
      let code = try venue.code(.entry)
      // Failed keys do not count.
      for _ in 0..<5 { try await expectEqual(venue.scan(code, key: "unknown-key").status, 401) }
      for _ in 0..<60 {
        clock.advance(seconds: 10)
        try await expectEqual(venue.scan(code).status, 201)
      }
      for _ in 0..<5 {
        clock.advance(seconds: 10)
        try await expectEqual(venue.scan(code).status, 429)
      }
      clock.advance(seconds: 10)
      try await expectEqual(venue.scan(code).status, 201)
      try await expectEqual(venue.get("/api/tickets").status, 200)
    }
  }

  @Test func aBenchHasNoLimits() async throws {
    try await withVenue(VenueConfiguration(noLimits: true, failureDelay: .zero)) { venue in
      let code = try venue.code(.entry)
      for _ in 0..<70 { try await expectEqual(venue.scan(code).status, 201) }
      for _ in 0..<12 { try await expectEqual(venue.scan(code, key: "guessed-key").status, 401) }
    }
  }

  @Test func keysAreKnownByTheirHashOnly() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/venue.sqlite"
      try await withVenue(VenueConfiguration(storage: .file(file)), seed: Seed(apiKey: "a-key-that-was-given")) {
        venue in
        expectEqual(venue.seeded.apiKey, "a-key-that-was-given")
        let fresh = try await venue.server.issueKey()
        expectEqual(fresh.utf8.count, 40)
        try await expectEqual(venue.scan(try venue.code(.entry)).status, 201)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
          // Its last connection takes some of them away.
          guard let bytes = FileManager.default.contents(atPath: directory + "/" + name) else { continue }
          expect(bytes.range(of: Data("a-key-that-was-given".utf8)) == nil)
          expect(bytes.range(of: Data(fresh.utf8)) == nil)
        }
      }
    }
  }

  @Test(arguments: ["short", "with a space", "ключ-ключ-ключ", "line\nbreak"])
  func aKeyThatCannotTravelIsRefused(key: String) async throws {
    let server = try VenueServer(VenueConfiguration())
    await #expect(throws: VenueError.self) { try await server.issueKey(key) }
    await #expect(throws: VenueError.self) { try await server.seed(Seed(apiKey: key)) }
  }
}
