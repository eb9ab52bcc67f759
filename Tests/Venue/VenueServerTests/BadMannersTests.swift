import Expectations
import Foundation
import Logging
import NIOHTTP1
import Testing

@testable import VenueServer

/// Each misbehaviour over a real socket: the bytes, the end of the connection, and the book.
@Suite struct BadMannersTests {
  @Test func withoutMisbehavioursNothingChanges() async throws {
    try await withVenue { venue in
      let exchange = try await venue.present(try venue.code(.entry))
      expect(exchange.head.hasPrefix("HTTP/1.1 201 Created\r\n"))
      expectEqual(exchange.end, .closed)
      expect(try await venue.isRedeemed(try venue.code(.entry)))
    }
  }

  @Test(arguments: [
    (401, #"{"error":"Invalid API key"}"#), (403, #"{"message":"Access denied"}"#),
    (423, #"{"error":"API key temporarily blocked"}"#), (429, #"{"error":"Rate limit exceeded"}"#),
    (500, #"{"message":"Server Error"}"#), (502, "<h1>502 Bad Gateway</h1>"), (503, "<h1>503 Service Unavailable</h1>"),
    (504, "<h1>504 Gateway Timeout</h1>"),
  ])
  func aStatusIsAnsweredAndNothingRedeemed(status: Int, body: String) async throws {
    try await withBadVenue("status=\(status),next=1") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expect(exchange.head.hasPrefix("HTTP/1.1 \(status) "))
      expect(exchange.body.contains(body))
      expect(exchange.header("Retry-After") == nil)
      expect(exchange.header("Date") != nil)
      expectEqual(exchange.header("Content-Type"), (status < 502 ? "application/json" : "text/html; charset=UTF-8"))
      expect(try await !venue.isRedeemed(code))
      expect(try await venue.present(code).head.contains(" 201 "))
    }
  }

  @Test func aStatusCanComeAfterTheRequestWasProcessed() async throws {
    try await withBadVenue("status=504,when=after") { venue in
      let code = try venue.code(.entry)
      expect(try await venue.present(code).head.hasPrefix("HTTP/1.1 504 "))
      expect(try await venue.isRedeemed(code))
    }
  }

  @Test func aRateLimitSaysWhenToComeBackIfAsked() async throws {
    try await withBadVenue("status=429,retry-after=30s") { venue in
      let exchange = try await venue.present(try venue.code(.entry))
      expect(exchange.head.hasPrefix("HTTP/1.1 429 "))
      expectEqual(exchange.header("Retry-After"), "30")
    }
  }

  @Test(arguments: [false, true]) func aPageIsNoVerdict(after: Bool) async throws {
    try await withBadVenue(after ? "html,when=after" : "html") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expect(exchange.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
      expectEqual(exchange.header("Content-Type"), "text/html; charset=UTF-8")
      expect(exchange.body.hasPrefix("<!DOCTYPE html>"))
      try await expectEqual(venue.isRedeemed(code), after)
    }
  }

  @Test func aRedirectLeadsElsewhere() async throws {
    try await withBadVenue("redirect=https://portal.example/hello") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expect(exchange.head.hasPrefix("HTTP/1.1 302 Found\r\n"))
      expectEqual(exchange.header("Location"), "https://portal.example/hello")
      expect(try await !venue.isRedeemed(code))
    }
  }

  @Test(arguments: ["close", "reset"], ["before", "midway", "after"])
  func aConnectionEndsWhereItIsToldTo(end: String, point: String) async throws {
    try await withBadVenue("\(end)=\(point),next=1") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expectEqual(exchange.end, (end == "close" ? .closed : .reset))
      if point == "midway", end == "close" {
        expect(exchange.head.hasPrefix("HTTP/1.1 201 Created\r\n"))
        let announced = try #require(exchange.header("Content-Length").flatMap { Int($0) })
        expectEqual(exchange.body.utf8.count, announced / 2)
      } else if point != "midway" {
        // Of an answer before a reset, the peer's kernel may have thrown away what nobody had read.
        expect(exchange.bytes.isEmpty)
      }
      try await expectEqual(venue.isRedeemed(code), (point != "before"))
      let second = try await venue.present(code)
      expect(second.head.contains(" 201 "))
      try await expectEqual(venue.server.book().count, 1)
    }
  }

  @Test func aCutTextIsAWholeAnswer() async throws {
    try await withBadVenue("json=cut") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expect(exchange.head.hasPrefix("HTTP/1.1 201 Created\r\n"))
      expectEqual(exchange.header("Content-Length"), "\(exchange.body.utf8.count)")
      expect(exchange.body.hasPrefix("{\n    \"data\": {"))
      #expect(throws: (any Error).self) { try JSONDecoder().decode(JSON.self, from: Data(exchange.body.utf8)) }
      expect(try await venue.isRedeemed(code))
    }
  }

  @Test func aHugeTextIsGoodJSONBeyondAnyReason() async throws {
    try await withBadVenue("json=huge") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expect(exchange.bytes.count > 12 << 20)
      expectEqual(exchange.end, .closed)
      let json = try JSONDecoder().decode(JSON.self, from: Data(exchange.body.utf8))
      expect(json.integer("data.entry_id") != nil)
      expect(try await venue.isRedeemed(code))
    }
  }

  @Test func aDeepTextHasTenThousandLevels() async throws {
    try await withBadVenue("json=deep") { venue in
      let code = try venue.code(.entry)
      let exchange = try await venue.present(code)
      expect(exchange.head.hasPrefix("HTTP/1.1 201 Created\r\n"))
      let depth = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
      expect(exchange.body.hasSuffix(#","more":"# + depth + "}"))
      expectEqual(exchange.header("Content-Length"), "\(exchange.body.utf8.count)")
      expect(try await venue.isRedeemed(code))
    }
  }

  @Test(arguments: [-86_400, 90]) func aClockThatIsOffStampsWhatItRecords(off: Int) async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    let configuration = VenueConfiguration(
      now: { clock.now }, misbehaviours: [Misbehaviour(.clock(off), next: 1)])
    try await withVenue(configuration) { venue in
      let code = try venue.code(.entry)
      let wrong = Timestamp(clock.now.addingTimeInterval(Double(off)))
      let exchange = try await venue.present(code)
      // The day is still the right one: the ticket is valid.
      expect(exchange.head.hasPrefix("HTTP/1.1 201 Created\r\n"))
      expectEqual(exchange.header("Date"), wrong.httpDate)
      expect(exchange.body.contains(#""scanned_at": "\#(wrong.iso8601)""#))
      try await expectEqual(venue.server.book().first.map { Timestamp($0.scannedAt) }, wrong)
      let later = try await venue.present(code)
      expectEqual(later.header("Date"), "Wed, 17 Dec 2025 14:30:00 GMT")
      expect(later.body.contains(#""scanned_at": "\#(wrong.iso8601)""#))
    }
  }

  @Test(arguments: ["latency=300ms", "latency=300ms..400ms,when=after"])
  func aPauseIsAtLeastAsLongAsItSays(text: String) async throws {
    try await withBadVenue(text) { venue in
      let code = try venue.code(.entry)
      let clock = ContinuousClock()
      let begun = clock.now
      let exchange = try await venue.present(code)
      expect(clock.now - begun >= .milliseconds(300))
      expect(exchange.head.contains(" 201 "))
      expect(try await venue.isRedeemed(code))
    }
  }

  /// A request that pauses holds nobody else up; whether it is in the book meanwhile depends on when it pauses.
  @Test(arguments: [("before", "A request meets a misbehaviour"), ("after", "POST /api/tickets/scan 201")])
  func aPausedRequestIsOvertaken(moment: String, line: String) async throws {
    let log = LogStream()
    let logger = Logger(label: "venue") { _ in log }
    let misbehaviour = try Misbehaviour("latency=10min,when=\(moment),next=1")
    try await withVenue(VenueConfiguration(misbehaviours: [misbehaviour], logger: logger)) { venue in
      let (slow, quick) = (try venue.code(.sale), try venue.code(.entry))
      let paused = Task { try await venue.present(slow) }
      _ = await log.lines.first { $0 == line }
      try await expectEqual(venue.isRedeemed(slow), (moment == "after"))
      expect(try await venue.present(quick).head.contains(" 201 "))
      // The end of the venue ends the pause.
      paused.cancel()
    }
  }

  @Test func onlyRedeemingScansAreHitUnlessAllAre() async throws {
    try await withBadVenue("status=503") { venue in
      let look = try await venue.look()
      expect(look.head.hasPrefix("HTTP/1.1 200 "))
      expect(try await venue.present("x").head.hasPrefix("HTTP/1.1 503 "))
      let bySale = try await venue.post("{}", to: "/api/tickets/1/scan")
      expectEqual(bySale.status, 503)
    }
    try await withBadVenue("status=503,on=all") { venue in
      let look = try await venue.look()
      expect(look.head.hasPrefix("HTTP/1.1 503 "))
      try await expectEqual(venue.request(.GET, "/nowhere", headers: []).status, 503)
    }
  }

  @Test func aShareHitsTheSameRequestsAsItsValue() async throws {
    let misbehaviour = try Misbehaviour("close=after,share=40%,seed=11")
    var day = FaultPlan([misbehaviour])
    let expected = (0..<30).map { _ in !day.manners(for: .scan).isGood }
    let configuration = VenueConfiguration(noLimits: true, misbehaviours: [misbehaviour])
    try await withVenue(configuration) { venue in
      let code = try venue.code(.sale)
      var seen: [Bool] = []
      for _ in expected { seen.append(try await venue.present(code).bytes.isEmpty) }
      expectEqual(seen, expected)
      expect(seen.contains(true) && seen.contains(false))
      // Lost or not, each was recorded.
      try await expectEqual(venue.server.book().count, expected.count)
    }
  }
}

/// A log whose lines can be awaited.
private struct LogStream: LogHandler {
  let lines: AsyncStream<String>
  private let tell: AsyncStream<String>.Continuation
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  init() { (lines, tell) = AsyncStream.makeStream(of: String.self) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { tell.yield("\(event.message)") }
}
