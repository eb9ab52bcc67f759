import Expectations
import ScanModel
import ScanTesting
import ScriptedHTTP
import Testing
import VenueServer

@testable import Subscriptions

/// What may come in the place of an answer, over real sockets: it opens nothing, refuses nobody, and ends nothing.
@Suite(.timeLimit(.minutes(1))) struct BadAnswerTests {
  private static let shapes = SubscriptionShape.allCases

  /// What goes wrong with the answer about a subscription that runs, and what comes of it.
  private static let checks: [(fault: String, comesTo: String)] = [
    ("json=cut", "undecided badAnswer"), ("json=huge", "undecided badAnswer"), ("json=deep", "undecided badAnswer"),
    ("json=types", "undecided badAnswer"), ("html", "undecided badAnswer"), ("redirect", "undecided badAnswer"),
    ("redirect=/api/v1/apple/subs", "undecided badAnswer"), ("status=403", "undecided keyRefused"),
    ("status=405", "undecided badAnswer"), ("status=422", "undecided badAnswer"),
    ("status=423", "undecided badAnswer"), ("status=429", "undecided rateLimited"),
    ("status=429,retry-after=30s", "undecided rateLimited"), ("status=500", "undecided unreachable"),
    ("status=502", "undecided unreachable"), ("status=503,retry-after=30s", "undecided unreachable"),
    ("status=504", "undecided unreachable"), ("close=before", "undecided unreachable"),
    ("close=midway", "undecided unreachable"), ("close=after", "undecided unreachable"),
    ("reset=before", "undecided unreachable"), ("reset=midway", "undecided unreachable"),
    ("reset=after", "undecided unreachable"),
  ]

  @Test(arguments: shapes) func anAnswerThatIsNoneDecidesNothing(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let id = try await venue.sell()
      let unknownToken = (fault: "status=401", comesTo: "undecided \(shape == .real ? "badAnswer" : "keyRefused")")
      for (fault, comesTo) in Self.checks + [unknownToken] {
        venue.behave()
        try venue.misbehave("\(fault),on=checks,next=1")
        let door = try venue.door()
        let outcome = await door.attempt(id)
        expectEqual(name(outcome.answer), comesTo, "\(fault)")
        expect(!outcome.mayHaveRedeemed && !outcome.isRemembered, "\(fault): \(outcome)")
        expectEqual(door.board.kept, [:], "\(fault)")
        await door.close()
        let next = try venue.door()
        await expectEqual(name(next.attempt(id).answer), "valid", "after \(fault)")
        await next.close()
      }
    }
  }

  /// What goes wrong with the answer to a refresh that was carried out, or was not.
  @Test(arguments: shapes) func aRefreshThatIsAnsweredBadlyDecidesNothing(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      for (fault, comesTo) in [
        ("json=cut", "valid"), ("json=huge", "valid"), ("json=deep", "valid"), ("json=types", "valid"),
        ("html,when=after", "valid"), ("redirect,when=after", "valid"), ("status=500,when=after", "valid"),
        ("status=403", "undecided unreachable"), ("status=405", "undecided unreachable"),
        ("status=422", "undecided unreachable"), ("status=423", "undecided unreachable"),
        ("status=429", "undecided rateLimited"), ("status=504", "undecided unreachable"),
      ] {
        venue.behave()
        let id = try await venue.sellRenewed()
        try venue.misbehave("\(fault),on=refreshes,next=1")
        let door = try venue.door()
        await expectEqual(name(door.attempt(id).answer), comesTo, "\(fault)")
        await door.close()
      }
    }
  }

  /// What the second question comes to is the verdict, too.
  @Test(arguments: shapes) func aBadAnswerAfterTheRefreshDecidesNothing(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      for (fault, comesTo) in [
        ("json=cut", "undecided badAnswer"), ("html", "undecided badAnswer"), ("status=403", "undecided keyRefused"),
        ("status=429", "undecided rateLimited"), ("status=503", "undecided unreachable"),
        ("close=before", "undecided unreachable"),
      ] {
        venue.behave()
        let id = try await venue.sellRenewed()
        let door = try venue.door()
        try venue.misbehave("latency=500ms,on=refreshes,next=1")
        async let scan = door.attempt(id)
        await until { venue.asked.refreshes == 1 }
        try venue.misbehave("\(fault),on=checks,next=1")
        let outcome = await scan
        expectEqual(name(outcome.answer), comesTo, "\(fault)")
        await door.close()
      }
    }
  }

  /// Cut off anywhere, head or body.
  @Test func anAnswerThatIsCutOffAnywhereDecidesNothing() async throws {
    let whole = Wire.response("200 OK", Wire.subscription(ends: SystemTime().wall() + .seconds(3_600)))
    let places = Array(stride(from: 0, to: whole.utf8.count, by: 17))
    let server = ScriptedServer { number, _, connection in
      connection.send([UInt8](whole.utf8.prefix(places[min(number, places.count) - 1])))
      connection.close()
    }
    let service = try await Service.open(asking: server)
    for place in places {
      let outcome = await service.attempt()
      guard case .undecided = outcome.answer else { return expect(false, "\(place): \(outcome)") }
      expect(outcome.fate == .lost, "\(place): \(outcome)")
    }
    expectEqual(service.board.kept, [:])
    await service.close()
  }

  /// What is not said as HTTP, or is said twice, or by a cache.
  @Test(arguments: [
    ("Age: 1\r\n", "undecided badAnswer"), ("Age: 86400\r\n", "undecided badAnswer"),
    ("Age: 0\r\n", "valid"), ("Age: soon\r\n", "undecided badAnswer"),
    ("Age: 1\r\nage: 1\r\n", "undecided badAnswer"), ("Age: 0\r\nAge: 60\r\n", "undecided badAnswer"),
    ("Age: \(String(repeating: "0", count: 4_000))1\r\n", "undecided badAnswer"),
    ("Content-Type: text/html\r\n", "undecided badAnswer"),
    ("Date: Sat, 01 Jan 2000 00:00:00 GMT\r\n", "valid"),
  ]) func aHeadThatSaysMoreIsJudgedByAll(more: String, comesTo: String) async throws {
    // Two dates contradict one another: then our own clock counts.
    let service = try await Service.open(
      .answer(
        Wire.response("200 OK", Wire.subscription(ends: SystemTime().wall() + .seconds(3_600)), extra: more)))
    await expectEqual(name(service.attempt().answer), comesTo)
    await service.close()
  }

  /// What is never closed is no subscription.
  @Test func bodiesWithoutEndDecideNothing() async throws {
    for (status, piece) in [
      ("200 OK", "["), ("200 OK", "{\"a\":"), ("404 Not Found", "{\"message\":"), ("200 OK", "\""),
    ] {
      let body = String(repeating: piece, count: 200_000 / piece.utf8.count)
      let service = try await Service.open(.answer(Wire.response(status, body)))
      await expectEqual(name(service.attempt().answer), "undecided badAnswer", "\(status) \(piece)")
      await service.close()
    }
  }
}
