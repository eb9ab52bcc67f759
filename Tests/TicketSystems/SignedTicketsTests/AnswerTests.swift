import Admission
import Calls
import Expectations
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

@testable import SignedTickets

/// What each answer of the service comes to, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct AnswerTests {
  /// An answer, what it comes to, and whether the ticket may be spent by it.
  struct Row: Sendable, CustomTestStringConvertible {
    var answer: String
    var said: String
    var mayHaveRedeemed = false
    var offline: OfflineCause?
    var words: [String] = []
    var testDescription: String { "\(answer.prefix(60)) \(said)" }
  }

  private static func problem(_ status: String, _ kind: String) -> String {
    Wire.problem(status, "verification:\(kind)")
  }

  static let rows: [Row] = [
    Row(answer: Wire.redeemed(), said: "redeemed", mayHaveRedeemed: true),
    // By their types alone.
    Row(answer: problem("409 Conflict", "already_redeemed"), said: "refused alreadyUsed"),
    Row(
      answer: problem("409 Conflict", "tenant_mismatch"), said: "undecided accessDenied", words: ["org", "Mend token."]
    ),
    Row(answer: problem("401 Unauthorized", "invalid_signature"), said: "refused notGenuine"),
    Row(answer: problem("401 Unauthorized", "expired"), said: "refused expired"),
    Row(answer: problem("400 Bad Request", "expired"), said: "refused expired"),
    Row(answer: problem("403 Forbidden", "revoked"), said: "refused cancelled"),
    Row(answer: problem("404 Not Found", "not_found"), said: "refused notFound"),
    Row(answer: problem("422 Unprocessable Content", "invalid_token"), said: "undecided badAnswer"),
    Row(answer: problem("422 Unprocessable Content", "missing_org"), said: "undecided accessDenied", words: ["org"]),
    Row(answer: problem("400 Bad Request", "bad_format"), said: "undecided badAnswer"),
    Row(answer: problem("400 Bad Request", "bad_payload"), said: "undecided badAnswer"),
    Row(answer: problem("400 Bad Request", "missing_fields"), said: "undecided badAnswer"),
    Row(answer: problem("409 Conflict", "something_new"), said: "undecided badAnswer", words: ["something_new"]),
    Row(
      answer: Wire.problem("403 Forbidden", "auth:forbidden"), said: "undecided accessDenied", words: ["tickets.redeem"]
    ),
    Row(
      answer: Wire.problem("401 Unauthorized", "auth:unauthorized"), said: "undecided keyRefused",
      words: ["Mend token."]),
    Row(answer: Wire.response("401 Unauthorized", "{}"), said: "undecided keyRefused"),
    Row(answer: Wire.response("403 Forbidden", #"{"message":"no"}"#), said: "undecided accessDenied"),
    Row(
      answer: Wire.problem("429 Too Many Requests", "rate_limited"), said: "undecided rateLimited",
      offline: .rateLimited),
    Row(
      answer: Wire.response("429 Too Many Requests", #"{"message":"slow"}"#), said: "undecided rateLimited",
      offline: .rateLimited),
    Row(
      answer: Wire.response("429 Too Many Requests", "slow", type: "text/html"), said: "undecided rateLimited",
      mayHaveRedeemed: true, offline: .rateLimited),
    // Whatever stands in between may answer while the request arrives.
    Row(
      answer: Wire.response("401 Unauthorized", "<html>", type: "text/html"), said: "undecided badAnswer",
      mayHaveRedeemed: true),
    Row(
      answer: Wire.response("403 Forbidden", "<html>", type: "text/html"), said: "undecided badAnswer",
      mayHaveRedeemed: true),
    Row(answer: Wire.response("404 Not Found", "{}"), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(
      answer: Wire.response("409 Conflict", #"{"type":"about:blank"}"#), said: "undecided badAnswer",
      mayHaveRedeemed: true),
    Row(
      answer: Wire.response(
        "409 Conflict", #"{"type":"urn:thankful:verification:already_redeemed"}"#, type: "text/html"),
      said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(
      answer: Wire.response("302 Found", "", extra: "Location: https://elsewhere.example/\r\n"),
      said: "undecided badAnswer",
      mayHaveRedeemed: true, words: ["Mend url."]),
    Row(
      answer: Wire.response("201 Created", #"{"jti":"tkt_0011223344556677","status":"redeemed"}"#),
      said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(answer: Wire.response("204 No Content", ""), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(answer: Wire.redeemed("tkt_other"), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(
      answer: Wire.response("200 OK", #"{"jti":"tkt_0011223344556677","status":"valid"}"#), said: "undecided badAnswer",
      mayHaveRedeemed: true),
    Row(answer: Wire.response("200 OK", #"{"status":"redeemed"}"#), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(answer: Wire.response("200 OK", "{}"), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(answer: Wire.response("200 OK", "[]"), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(answer: Wire.response("200 OK", "not JSON"), said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(
      answer: Wire.response("200 OK", #"{"jti":"tkt_0011223344556677","jti":"x","status":"redeemed"}"#),
      said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(
      answer: Wire.response("200 OK", #"{"jti":"tkt_0011223344556677","status":"redeemed"}"#, type: "text/html"),
      said: "undecided badAnswer", mayHaveRedeemed: true),
    Row(answer: Wire.response("500 Internal Server Error", "{}"), said: "undecided unreachable", mayHaveRedeemed: true),
    Row(
      answer: Wire.problem("500 Internal Server Error", "verification:already_redeemed"), said: "undecided unreachable",
      mayHaveRedeemed: true),
    Row(answer: Wire.response("408 Request Timeout", "{}"), said: "undecided unreachable", mayHaveRedeemed: true),
    Row(
      answer: Wire.response("502 Bad Gateway", "<html>", type: "text/html"), said: "undecided unreachable",
      mayHaveRedeemed: true, offline: .gatewayFault),
    Row(
      answer: Wire.response("503 Service Unavailable", ""), said: "undecided unreachable", mayHaveRedeemed: true,
      offline: .gatewayFault),
    Row(
      answer: Wire.response("504 Gateway Timeout", ""), said: "undecided unreachable", mayHaveRedeemed: true,
      offline: .gatewayFault),
  ]

  @Test(arguments: rows) func eachAnswerMeansOneThing(row: Row) async throws {
    let door = try await Door.open()
    door.service.behave(.says(row.answer))
    let outcome = await door.attempt(door.ticket())
    expectEqual(outcome.fate, .answered)
    expectEqual(name(outcome.answer), row.said)
    expectEqual(outcome.mayHaveRedeemed, row.mayHaveRedeemed)
    expectEqual(outcome.offline, row.offline)
    if case .undecided(_, let detail) = outcome.answer {
      for word in row.words + ["localhost"] { expect(detail?.contains(word) == true, "\(word) in \(detail ?? "")") }
    }
    expectEqual(door.service.redemptions, 1, "nothing that was sent is sent again")
    await door.close()
  }

  @Test func whatWasRedeemedIsTold() async throws {
    let door = try await Door.open()
    let outcome = await door.attempt(door.ticket())
    guard case .redeemed(let redemption) = outcome.answer else { return expect(false, "\(outcome)") }
    expectEqual(redemption.entryID, "tkt_0011223344556677")
    expectEqual(redemption.quantity, 1)
    expectEqual(redemption.details.eventID, "perf_1")
    expectEqual(redemption.details.seats, ["A-1"])
    expect(redemption.details.ends != nil && redemption.scannedAt == outcome.serverDate)
    await door.close()
  }

  @Test func theRequestSaysWhoAsksAndForWhat() async throws {
    let door = try await Door.open()
    let ticket = door.ticket()
    await expectEqual(door.present(ticket), "redeemed")
    let keys = try #require(door.service.server.requests.first), asked = try #require(door.service.server.requests.last)
    expect(keys.hasPrefix("GET /v1/verification/jwks HTTP/1.1\r\n"))
    expect(!keys.lowercased().contains("authorization"), "whoever publishes keys need not know us")
    expect(asked.hasPrefix("POST /v1/verification/redeem HTTP/1.1\r\n"))
    let head = asked.lowercased()
    expect(head.contains("authorization: bearer test-token\r\n"))
    expect(head.contains("x-org-id: \(Issuer.tenant)\r\n"))
    expect(head.contains("accept: application/json\r\n"))
    expect(asked.hasSuffix("\r\n\r\n{\"ticket_token\":\"\(ticket)\"}"))
    await door.close()
  }

  @Test func aCutAnswerMayHaveRedeemed() async throws {
    let door = try await Door.open()
    door.service.behave(.loses)
    let outcome = await door.attempt(door.ticket())
    expect(outcome.fate == .lost && outcome.mayHaveRedeemed && name(outcome.answer) == "undecided unreachable")
    await door.close()
  }

  @Test func nobodyIsAskedWhereNobodyIs() async throws {
    let door = try await Door.open(hasKeys: false)
    await door.service.server.stop()
    let outcome = await door.attempt(door.ticket(), within: .seconds(2), isOwed: true)
    expect(outcome.fate == .notSent && !outcome.mayHaveRedeemed && outcome.offline == .noConnection, "\(outcome)")
    let late = await door.attempt(door.ticket(), within: .zero - .seconds(1))
    expectEqual(late.fate, .notSent)
    await door.close()
  }

  /// Ten in a minute, and what the server says of the rate counts beside it.
  @Test func theRateIsKept() async throws {
    let door = try await Door.open(budget: RateBudget(limit: SignedTicketsClient.rate, model: .window))
    for number in 0..<10 { await expectEqual(door.present(door.ticket("tkt_\(number)")), "redeemed") }
    let eleventh = await door.attempt(door.ticket("tkt_11"))
    expect(
      eleventh.fate == .notSent && name(eleventh.answer) == "undecided rateLimited"
        && eleventh.offline == .rateLimited && eleventh.retryAfter != nil, "\(eleventh)")
    expectEqual(door.service.redemptions, 10)
    door.time.advance(by: .seconds(61))
    await expectEqual(door.present(door.ticket("tkt_12")), "redeemed")
    door.service.behave(.says(Wire.problem("429 Too Many Requests", "rate_limited", extra: "Retry-After: 40\r\n")))
    let told = await door.attempt(door.ticket("tkt_13"))
    expectEqual(told.retryAfter, .seconds(40))
    door.service.behave(.answers)
    door.time.advance(by: .seconds(30))
    await expectEqual(door.present(door.ticket("tkt_14")), "undecided rateLimited")
    door.time.advance(by: .seconds(11))
    await expectEqual(door.present(door.ticket("tkt_15")), "redeemed")
    await door.close()
  }

  /// Whoever shows tickets that were taken back has no endless supply of them: those who come after are asked about.
  @Test func aGenuineTicketIsNoFlood() async throws {
    let service = Service()
    let station = try await TicketStation(
      asking: service, at: "http://localhost:\(try await service.server.start())", disk: .init(), floodLimit: 3)
    for number in 0..<6 {
      let ticket = station.door.ticket("tkt_revoked_\(number)")
      service.refuse(ticket, Self.problem("403 Forbidden", "revoked"))
      await expectEqual(station.present(ticket).verdict, .refuse(.cancelled))
    }
    await expectEqual(station.present(station.door.ticket()).verdict, .admit)
    await station.close()
    await service.server.stop()
  }

  /// A server that repeats what it was sent tells nobody.
  @Test func noTokenAndNoTicketIsShown() async throws {
    let door = try await Door.open()
    let ticket = door.ticket()
    for kind in ["already_redeemed", "bad_format", "tenant_mismatch", "\(ticket)"] {
      door.service.behave(
        .says(Wire.problem("409 Conflict", "verification:\(kind)", detail: "test-token \(ticket) Bearer test-token")))
      let outcome = await door.attempt(ticket)
      expect(!"\(outcome)".contains("test-token") && !"\(outcome)".contains(ticket), "\(outcome)")
    }
    await door.close()
  }

  /// Nor a part of it: whoever has seen the payload needs no more than the signature.
  @Test func noPartOfATicketIsShown() async throws {
    let door = try await Door.open()
    let ticket = door.ticket()
    let parts = ticket.split(separator: ".").map(String.init)
    let (signature, payload) = (parts[3], parts[4])
    let coded = signature.utf8.map { "%" + String($0, radix: 16) }.joined()
    for repeated in [
      signature, payload, "a\(signature)b", String(signature.prefix(20)), String(payload.dropFirst(30).prefix(16)),
      String(ticket.dropFirst(40)), coded,
      "\(signature.prefix(30))%\(String(signature.utf8.dropFirst(30).first ?? 0, radix: 16))",
    ] {
      for kind in ["already_redeemed", "bad_format", "auth"] {
        door.service.behave(.says(Wire.problem("409 Conflict", "verification:\(kind)", detail: "No: \(repeated)")))
        let said = "\(await door.attempt(ticket).answer)"
        for part in [signature, payload] {
          for start in 0..<(part.utf8.count - 12) {
            let piece = part.dropFirst(start).prefix(12)
            expect(!said.contains(piece), "\(kind): \(said)")
          }
        }
        expect(!said.contains(coded.prefix(36)), "\(said)")
      }
    }
    await door.close()
  }

  @Test func anAnswerWithoutATypeIsSaidToBeThat() async throws {
    let door = try await Door.open()
    for status in ["200 OK", "404 Not Found"] {
      door.service.behave(
        .says(Wire.response(status, #"{"jti":"tkt_0011223344556677","status":"redeemed"}"#, type: nil)))
      guard case .undecided(.badAnswer, let detail) = await door.attempt(door.ticket()).answer else {
        expect(false, "nobody is admitted on it")
        continue
      }
      expect(detail?.contains("Content-Type") == true && detail?.contains("portal") == false, "\(detail ?? "")")
    }
    await door.close()
  }
}
