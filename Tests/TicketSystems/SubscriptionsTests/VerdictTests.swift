import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketTransport

@testable import Subscriptions

/// The verdict, a test for each row of the table in docs/memberships.md: answer, time, gate and settings, and nothing else.
@Suite struct VerdictTests {
  static let now = WallTime(seconds: 1_763_800_000)
  static let ahead = now + .seconds(3_600)
  static let past = now - .seconds(3_600)

  static func read(_ answer: HTTPAnswer, of id: String = exampleID) throws -> SubscriptionAnswer {
    var words = ServerWords()
    words.keyCure = "Mend accessToken."
    words.addressCure = "Mend url."
    return SubscriptionAnswer(
      answer, of: try #require(SubscriptionID(id)), host: "host:1", hiding: [Redaction(id, shownAs: "…4062")],
      words: words)
  }

  private func answer(
    _ status: Int, _ body: String, type: String? = "application/json", date: WallTime? = Self.now, age: String? = nil
  ) -> HTTPAnswer {
    var headers = AnswerHeaders()
    if let age { headers.add("Age", age) }
    return HTTPAnswer(status: status, mediaType: type, body: [UInt8](body.utf8), serverDate: date, headers: headers)
  }

  private func verdict(
    _ answer: HTTPAnswer, tiers: Set<SubscriptionTier>? = nil, environment: SubscriptionEnvironment = .production,
    grace: Duration = .zero, trusted: WallTime? = nil, ago: Duration = .zero,
    refresh: SubscriptionJudge.Refresh = .possible, pass: SignedPass? = nil
  ) throws -> SubscriptionJudge.Verdict {
    SubscriptionJudge(environment: environment, grace: grace, tiers: tiers, host: "host:1").judge(
      try Self.read(answer), of: pass, at: .init(trusted: trusted, ago: ago), refresh: refresh)
  }

  /// `valid 2025-11-22T09:26:40Z`, `refused expired`, `undecided badAnswer`, `refresh`.
  private func name(_ verdict: SubscriptionJudge.Verdict) -> String {
    switch verdict {
    case .valid(_, let until): "valid \(until.iso8601Seconds)"
    case .refused(let reason, _): "refused \(reason)"
    case .refresh: "refresh"
    case .undecided(let reason, _): "undecided \(reason)"
    }
  }

  private func told(
    ends: WallTime = Self.ahead, tier: String = "premium", environment: String = "Production", renews: Bool = false,
    date: WallTime? = Self.now, changing: (inout [String: String]) -> Void = { _ in }
  ) -> HTTPAnswer {
    answer(
      200,
      Wire.subscription(ends: ends, tier: tier, environment: environment, renews: renews, changing: changing),
      date: date)
  }

  // MARK: 200

  @Test func anEndThatIsAheadIsValidUntilThen() throws {
    for renews in [false, true] {
      try expectEqual(name(verdict(told(renews: renews))), "valid \(Self.ahead.iso8601Seconds)")
    }
    try expectEqual(
      name(verdict(told(ends: Self.now + .seconds(1)))), "valid \((Self.now + .seconds(1)).iso8601Seconds)")
    try expectEqual(name(verdict(told(ends: Self.now))), "refused expired")
  }

  /// The public examples of the API's document.
  @Test func theDocumentsExamplesAreRead() throws {
    let end = try #require(WallTime(iso8601: "2020-01-25T00:24:53Z"))
    let example = told(ends: end, tier: "standard", environment: "Sandbox", date: end - .seconds(1))
    try expectEqual(name(verdict(example, environment: .sandbox)), "valid 2020-01-25T00:24:53Z")
    try expectEqual(name(verdict(example)), "refused notGenuine")
    let later = told(ends: end, tier: "standard", environment: "Sandbox", date: end)
    try expectEqual(name(verdict(later, environment: .sandbox)), "refused expired")
  }

  @Test func aPastEndThatRenewsItselfIsRefreshedFirst() throws {
    let answer = told(ends: Self.past, renews: true)
    try expectEqual(name(verdict(answer)), "refresh")
    try expectEqual(name(verdict(answer, refresh: .done)), "refused expired")
    try expectEqual(name(verdict(answer, refresh: .unanswered)), "undecided unreachable")
    try expectEqual(name(verdict(answer, refresh: .underWay)), "undecided unreachable")
  }

  @Test func aPastEndWithinTheGraceIsValidUntilTheGraceIsOver() throws {
    let answer = told(ends: Self.past, renews: true)
    for refresh in [SubscriptionJudge.Refresh.done, .unanswered, .underWay] {
      try expectEqual(
        name(verdict(answer, grace: .seconds(3_601), refresh: refresh)),
        "valid \((Self.now + .seconds(1)).iso8601Seconds)")
    }
    try expectEqual(name(verdict(answer, grace: .seconds(3_600), refresh: .done)), "refused expired")
    try expectEqual(name(verdict(answer, grace: .seconds(86_400))), "refresh", "the server is asked all the same")
  }

  @Test func aPastEndThatDoesNotRenewItselfIsExpiredWhateverTheGrace() throws {
    for refresh in [SubscriptionJudge.Refresh.possible, .done, .unanswered, .underWay] {
      try expectEqual(
        name(verdict(told(ends: Self.past), grace: .seconds(16 * 86_400), refresh: refresh)), "refused expired")
    }
  }

  @Test func aTierThatTheGateDoesNotAdmitIsTheWrongKind() throws {
    let standard = try verdict(told(tier: "standard"), tiers: [.premium])
    expectEqual(standard, .refused(.wrongKind, detail: "It is a standard subscription."))
    try expectEqual(
      name(verdict(told(tier: "standard"), tiers: [.standard, .premium])), "valid \(Self.ahead.iso8601Seconds)")
    try expectEqual(name(verdict(told(tier: "standard"))), "valid \(Self.ahead.iso8601Seconds)")
    // One that has ended is no question of its level.
    try expectEqual(name(verdict(told(ends: Self.past, tier: "standard"), tiers: [.premium])), "refused expired")
  }

  @Test func anotherEnvironmentIsNotGenuineInWords() throws {
    try expectEqual(
      verdict(told(environment: "Sandbox")),
      .refused(.notGenuine, detail: "It is a test purchase, which costs nothing."))
    try expectEqual(
      verdict(told(), environment: .sandbox),
      .refused(.notGenuine, detail: "It is a customer's subscription, and this gate admits test purchases alone."))
  }

  @Test func anotherIDIsABadAnswer() throws {
    for id in ["1000000619244063", "10000006192440620", "01000000619244062", "100000061924406", ""] {
      try expectEqual(
        name(verdict(told { $0["originalTransactionId"] = "\"\(id)\"" })), "undecided badAnswer", "\(id)")
    }
  }

  @Test(arguments: [
    "null", "\"0001-01-01T00:00:00Z\"", "\"1970-01-01T00:00:00Z\"", "\"\"", "\"2026-11-22\"",
    "\"2026-13-01T00:00:00Z\"",
    "1763800000", "true", "[]", "{}", "\"soon\"", "\"2026-11-22T09:26:40\"",
  ]) func aDateThatIsNoneIsABadAnswer(date: String) throws {
    for field in ["expiresDateUtc", "purchaseDateUtc", "createdUtc", "updatedUtc"] {
      try expectEqual(name(verdict(told { $0[field] = date })), "undecided badAnswer", "\(field)")
    }
  }

  @Test func datesWithFractionsAndOffsetsAreMoments() throws {
    for date in ["2026-11-22T10:26:40.123456+01:00", "2026-11-22T09:26:40.9Z", "2026-11-22 09:26:40z"] {
      try expectEqual(
        name(verdict(told { $0["expiresDateUtc"] = "\"\(date)\"" })), "valid 2026-11-22T09:26:40Z", "\(date)")
    }
  }

  @Test(arguments: ["\"vip\"", "\"Premium\"", "\"\"", "null", "1", "[\"premium\"]"])
  func anUnknownTierIsABadAnswer(tier: String) throws {
    try expectEqual(name(verdict(told { $0["tier"] = tier })), "undecided badAnswer")
  }

  /// Every field of another type, null, missing, or twice.
  @Test func aFieldThatIsNotAsTheAPIHasItIsABadAnswer() throws {
    for field in [
      "environment", "originalTransactionId", "lastTransactionId", "productId", "purchaseDateUtc", "expiresDateUtc",
      "tier",
      "cycle", "autoRenewal", "createdUtc", "updatedUtc",
    ] {
      for value in ["null", "1", "[]", "{}", "\"\"", field == "autoRenewal" ? "\"true\"" : "true"] {
        try expectEqual(name(verdict(told { $0[field] = value })), "undecided badAnswer", "\(field): \(value)")
      }
      try expectEqual(name(verdict(told { $0[field] = nil })), "undecided badAnswer", "without \(field)")
      let twice = Wire.subscription(ends: Self.ahead) { members in
        if let value = members[field] { members["z"] = "1,\"\(field)\":\(value)" }
      }
      try expectEqual(name(verdict(answer(200, twice))), "undecided badAnswer", "\(field) twice")
    }
    // What the API has not said is not looked at.
    try expectEqual(
      name(verdict(told { ($0["inUse"], $0["ftcUserId"], $0["new"]) = ("false", "null", "[{}]") })),
      "valid \(Self.ahead.iso8601Seconds)")
  }

  @Test(arguments: [
    "{}", "[]", "null", "true", "\"x\"", "", "{", "<html>", #"{"message":"OK"}"#,
    #"{"subscription":{"tier":"premium"}}"#, String(repeating: "[", count: 10_000), "\u{0}",
  ]) func a200ThatIsNoSubscriptionIsABadAnswer(body: String) throws {
    try expectEqual(name(verdict(answer(200, body))), "undecided badAnswer")
  }

  @Test func aSubscriptionThatIsNotSaidToBeJSONIsABadAnswer() throws {
    let body = Wire.subscription(ends: Self.ahead)
    for type in ["text/html", "text/plain", nil] {
      try expectEqual(name(verdict(answer(200, body, type: type))), "undecided badAnswer")
    }
    for status in [201, 202, 203, 204, 206, 299] {
      try expectEqual(name(verdict(answer(status, body))), "undecided badAnswer", "\(status)")
    }
  }

  @Test func anAnswerFromACacheIsABadAnswer() throws {
    let body = Wire.subscription(ends: Self.ahead)
    for age in ["1", "86400", "-1", "x", "99999999999999999999"] {
      let found = try verdict(answer(200, body, age: age))
      expectEqual(name(found), "undecided badAnswer", "\(age)")
    }
    try expectEqual(name(verdict(answer(404, #"{"message":"Not Found"}"#, age: "1"))), "undecided badAnswer")
    try expectEqual(name(verdict(answer(200, body, age: "0"))), "valid \(Self.ahead.iso8601Seconds)")
  }

  // MARK: Other statuses

  @Test func a404OfTheAPIIsNotFound() throws {
    try expectEqual(verdict(answer(404, #"{"message":"Not Found"}"#)), .refused(.notFound, detail: "Not Found"))
    for (body, type) in [
      ("404 page not found", "text/plain"), ("{}", "application/json"), (#"{"message":""}"#, "application/json"),
      (#"{"message":"Not Found"}"#, "text/html"), (#"{"error":"Not Found"}"#, "application/json"),
    ] {
      try expectEqual(name(verdict(answer(404, body, type: type))), "undecided badAnswer", "\(body)")
    }
  }

  @Test(arguments: [401, 403]) func aTokenThatIsNotTakenIsAnAlarm(status: Int) throws {
    for message in [
      "Invalid access token", "The access token is expired or no longer active", "invalid ACCESS TOKEN",
      "Token is expired",
    ] {
      let found = try verdict(answer(status, #"{"message":"\#(message)"}"#))
      guard case .undecided(.keyRefused, let detail) = found else { return expect(false, "\(found)") }
      expect(detail.contains("Mend accessToken.") && detail.contains(message), "\(detail)")
    }
    for (body, type) in [
      (#"{"message":"Forbidden"}"#, "application/json"), ("Invalid access token", "text/plain"),
      (#"{"error":"Invalid access token"}"#, "application/json"), ("<h1>Log in</h1>", "text/html"),
    ] {
      try expectEqual(name(verdict(answer(status, body, type: type))), "undecided badAnswer", "\(body)")
    }
  }

  @Test(arguments: [301, 302, 307, 308, 400, 402, 405, 409, 410, 418, 422]) func anythingElseIsABadAnswer(status: Int)
    throws
  {
    for (body, type) in [(#"{"message":"No","error":{"field":"id","code":"invalid"}}"#, "application/json"), ("", nil)]
    {
      try expectEqual(name(verdict(answer(status, body, type: type))), "undecided badAnswer")
    }
  }

  @Test(arguments: [408, 500, 501, 502, 503, 504, 520]) func aServerThatFailsIsUnreachable(status: Int) throws {
    try expectEqual(name(verdict(answer(status, #"{"message":"x"}"#))), "undecided unreachable")
    expectEqual(OfflineCause(status: status) != nil, (502...504).contains(status))
  }

  @Test func tooManyRequestsAreSaidToBe() throws {
    try expectEqual(name(verdict(answer(429, "{}"))), "undecided rateLimited")
    expectEqual(OfflineCause(status: 429), .rateLimited)
  }

  // MARK: Time

  @Test func nowIsTheAnswersDate() throws {
    // Ours is a day off, in either direction.
    for trusted in [Self.now + .seconds(86_400), Self.now - .seconds(86_400), nil] {
      try expectEqual(name(verdict(told(), trusted: trusted)), "valid \(Self.ahead.iso8601Seconds)")
      try expectEqual(name(verdict(told(ends: Self.past), trusted: trusted)), "refused expired")
    }
  }

  @Test func withoutADateOurOwnClockCountsWhereItIsTrusted() throws {
    let answer = told(date: nil)
    try expectEqual(name(verdict(answer, trusted: Self.now)), "valid \(Self.ahead.iso8601Seconds)")
    try expectEqual(name(verdict(answer, trusted: Self.ahead)), "refused expired")
    try expectEqual(name(verdict(answer)), "undecided clockWrong")
  }

  @Test func aServerWithoutAClockDecidesNothing() throws {
    for seconds in [Int64(0), 1_000_000_000, -62_135_596_800] {
      try expectEqual(name(verdict(told(date: WallTime(seconds: seconds)), trusted: Self.now)), "undecided clockWrong")
    }
  }

  @Test func thePassItselfHasItsTimesToo() throws {
    let id = try #require(SubscriptionID(exampleID))
    func pass(_ from: WallTime, _ until: WallTime) throws -> SignedPass {
      try #require(SignedPass(Code(try SignedPass.text(id, notBefore: from, ends: until, by: passKey))))
    }
    try expectEqual(
      name(verdict(told(), pass: pass(Self.past, Self.ahead))), "valid \(Self.ahead.iso8601Seconds)")
    try expectEqual(name(verdict(told(), pass: pass(Self.past - .seconds(600), Self.past))), "refused expired")
    try expectEqual(name(verdict(told(), pass: pass(Self.ahead, Self.ahead + .seconds(60)))), "refused tooEarly")
  }

  // MARK: Who was admitted before

  /// What has changed since says nothing of the admission; what was so then does.
  @Test func whatIsOwedIsJudgedAsOfTheAdmission() throws {
    let answer = told(ends: Self.past)
    try expectEqual(name(verdict(answer, ago: .seconds(3_601))), "valid \(Self.past.iso8601Seconds)")
    try expectEqual(name(verdict(answer, ago: .seconds(3_600))), "refused expired")
    try expectEqual(
      name(verdict(told(ends: Self.past, renews: true), ago: .seconds(7_200))), "valid \(Self.past.iso8601Seconds)")
    try expectEqual(name(verdict(told(ends: Self.past, renews: true), ago: .seconds(60))), "refresh")
    try expectEqual(name(verdict(told(tier: "standard"), tiers: [.premium], ago: .seconds(60))), "refused wrongKind")
  }

  // MARK: What is kept for outages

  private func kept(_ answer: HTTPAnswer, grace: Duration = .zero, trusted: WallTime? = nil) throws -> CheckedTicket?? {
    SubscriptionJudge(environment: .production, grace: grace, tiers: [.premium], host: "host:1").kept(
      try Self.read(answer), at: .init(trusted: trusted))
  }

  @Test func aGoodAnswerIsKeptAndABadOneDeletesIt() throws {
    try expectEqual(kept(told()), .some(.some(CheckedTicket(ends: Self.ahead, kind: "premium", at: Self.now))))
    // Another gate may admit it.
    try expectEqual(
      kept(told(tier: "standard")), .some(.some(CheckedTicket(ends: Self.ahead, kind: "standard", at: Self.now))))
    try expectEqual(
      kept(told(ends: Self.past, renews: true), grace: .seconds(7_200)),
      .some(.some(CheckedTicket(ends: Self.past + .seconds(7_200), kind: "premium", at: Self.now))))
    for bad in [
      told(ends: Self.past), told(ends: Self.past, renews: true), told(environment: "Sandbox"),
      answer(404, #"{"message":"Not Found"}"#), answer(200, "{}"), told { $0["tier"] = "null" },
      told { $0["originalTransactionId"] = "\"12345678\"" },
    ] { try expectEqual(kept(bad), .some(nil), "\(bad.status)") }
    // What is not the API's word says nothing of the pass.
    for nothing in [
      answer(200, "<html>", type: "text/html"), answer(404, "", type: nil), answer(500, "{}"), answer(302, ""),
      answer(403, #"{"message":"Invalid access token"}"#), told(date: nil),
    ] { try expectEqual(kept(nothing), nil, "\(nothing.status)") }
  }

  // MARK: Any bytes

  /// Damaged answers: no crash, and nobody admitted unless another reader finds every condition met as well.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 8, release: 80)))) func damagedAnswersAdmitNobody(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "\"premium\"", "null", "{", "}", "[", "]", "\"", ",", ":", "\\", "true", "2099-01-01T00:00:00Z", "\u{0}",
      exampleID,
    ]
    var admitted = 0
    for _ in 0..<400 {
      var body = [UInt8](Wire.subscription(ends: Bool.random(using: &random) ? Self.ahead : Self.past).utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: body[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1: body.remove(at: place)
        default: body.insert(contentsOf: [UInt8]((pieces.randomElement(using: &random) ?? "").utf8), at: place)
        }
      }
      let answer = HTTPAnswer(status: 200, mediaType: "application/json", body: body, serverDate: Self.now)
      guard case .valid = try verdict(answer) else { continue }
      admitted += 1
      let document = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
      expectEqual(document?["originalTransactionId"] as? String, exampleID, "seed \(seed)")
      expectEqual(document?["environment"] as? String, "Production", "seed \(seed)")
      expect(["standard", "premium"].contains(document?["tier"] as? String ?? ""), "seed \(seed)")
      let end = (document?["expiresDateUtc"] as? String).flatMap { WallTime(iso8601: $0) }
      expect(end.map { $0 > Self.now } == true, "seed \(seed)")
    }
    expect(admitted > 0, "seed \(seed): nothing was proven")
  }
}
