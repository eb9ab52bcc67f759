import EventSchedule
import Expectations
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// What each answer means, over a real connection.
@Suite struct AnswerTests {
  @Test func aPaidTicketIsRedeemed() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), path: "/base/api/", saleTicketID: 789, seatNumber: "A\"12")
    let outcome = await venue.attempt()
    expectEqual(outcome.fate, .answered)
    expect(outcome.mayHaveRedeemed)
    guard case .redeemed(let redemption) = outcome.answer else { return unexpected("\(outcome)") }
    expectEqual(redemption.entryID, "1001")
    expectEqual(redemption.scannedAt, WallTime(seconds: 1_765_981_800))
    expectEqual(redemption.quantity, 2)
    expectEqual(
      redemption.details,
      TicketDetails(
        holder: "John Doe", event: "Concert 2025", eventID: "456", tickets: [.init(id: 789, quantity: 2, isUsed: true)])
    )
    let sent = try #require(outcome.sentAt)
    expect(sent <= outcome.endedAt)
    expect(outcome.serverDate != nil)

    let request = try #require(venue.server.requests.first)
    expectEqual(venue.server.requests.count, 1)
    expect(request.hasPrefix("POST /base/api/tickets/scan HTTP/1.1\r\n"))
    let lower = request.lowercased()
    expect(lower.contains("\r\nx-api-key: test-key\r\n"))
    expect(lower.contains("\r\naccept: application/json\r\n"))
    expect(lower.contains("\r\ncontent-type: application/json\r\n"))
    expect(!lower.contains("accept-encoding"))
    expect(
      request.hasSuffix(
        #"{"code":"wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl","ticket_code":"wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl","#
          + #""sale_ticket_id":789,"seat_number":"A\"12"}"#))
    await venue.close()
  }

  @Test func unconfiguredParametersAreNotSent() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted))
    _ = await venue.attempt("q\"\\\u{1D}é")
    expectEqual(venue.server.requests.first?.hasSuffix(#"{"code":"q\"\\\u001dé","ticket_code":"q\"\\\u001dé"}"#), true)
    await venue.close()
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let status: String
    let body: String
    var type: String? = "application/json"
    var extra = ""
    let verdict: String
    let may: Bool
    var testDescription: String { "\(status) \(body.prefix(60)) -> \(verdict)" }
  }

  static let json: [Case] = [
    .init(
      status: "400 Bad Request", body: #"{"error":"This ticket is not valid for today"}"#, verdict: "refuse wrongDay",
      may: false),
    .init(
      status: "400 Bad Request", body: #"{"message":"This TICKET is NOT PAID"}"#, verdict: "refuse unpaid", may: false),
    .init(
      status: "400 Bad Request", body: #"{"error":"This ticket is cancelled"}"#, verdict: "refuse cancelled", may: false
    ),
    .init(
      status: "400 Bad Request", body: #"{"error":"This ticket is refunded"}"#, verdict: "refuse refunded", may: false),
    .init(
      status: "400 Bad Request", body: #"{"error":"This ticket has expired"}"#, verdict: "refuse expired", may: false),
    .init(
      status: "400 Bad Request", body: #"{"error":"This ticket has already been used"}"#,
      verdict: "refuse alreadyUsed", may: false),
    .init(
      status: "409 Conflict", body: #"{"message":"Ticket already scanned"}"#, verdict: "refuse alreadyUsed", may: false),
    .init(
      status: "400 Bad Request", body: #"{"error":"Ticket was already checked in"}"#, verdict: "refuse alreadyUsed",
      may: false),
    .init(status: "400 Bad Request", body: #"{"error":"  "}"#, verdict: "undecided badAnswer", may: true),
    .init(
      status: "409 Conflict", body: #"{"message":"Conflict"}"#, verdict: "undecided badAnswer", may: false),
    .init(
      status: "400 Bad Request", body: #"{"error":"The ticket code field is required."}"#,
      verdict: "undecided badAnswer", may: false),
    .init(status: "400 Bad Request", body: "<html>", type: "text/html", verdict: "undecided badAnswer", may: true),
    .init(
      status: "400 Bad Request", body: #"{"error":"This ticket is not paid"}"#, type: "text/html",
      verdict: "undecided badAnswer", may: true),
    .init(
      status: "422 Unprocessable Content", body: #"{"message":"The code field is required.","errors":{"code":["x"]}}"#,
      verdict: "undecided badAnswer", may: false),
    .init(
      status: "401 Unauthorized", body: #"{"error":"Invalid API key"}"#, verdict: "undecided keyRefused", may: false),
    .init(
      status: "403 Forbidden", body: #"{"message":"Access denied"}"#, verdict: "undecided accessDenied", may: false),
    .init(
      status: "403 Forbidden", body: #"{"error":"You are not authorized to scan this ticket"}"#,
      verdict: "refuse notAuthorised", may: false),
    .init(status: "403 Forbidden", body: #"{"error":"Unauthorized"}"#, verdict: "refuse notAuthorised", may: false),
    .init(status: "403 Forbidden", body: #"{"message":"Unauthorized"}"#, verdict: "undecided accessDenied", may: false),
    // Pages of a firewall: they speak neither of our key nor of what became of the request.
    .init(
      status: "401 Unauthorized", body: "<h1>Log in</h1>", type: "text/html", verdict: "undecided badAnswer", may: true),
    .init(
      status: "403 Forbidden", body: "<h1>Forbidden</h1>", type: "text/html", verdict: "undecided badAnswer", may: true),
    .init(status: "403 Forbidden", body: "", verdict: "undecided badAnswer", may: true),
    .init(
      status: "403 Forbidden", body: #"{"error":{"code":403,"message":"Access denied"}}"#,
      verdict: "undecided badAnswer", may: true),
    .init(status: "403 Forbidden", body: #"{"error":""}"#, verdict: "undecided badAnswer", may: true),
    .init(
      status: "407 Proxy Authentication Required", body: "<h1>Proxy</h1>", type: "text/html",
      verdict: "undecided badAnswer", may: true),
    .init(
      status: "423 Locked", body: "<h1>Locked</h1>", type: "text/html", verdict: "undecided badAnswer", may: true),
    .init(
      status: "429 Too Many Requests", body: "<h1>Slow down</h1>", type: "text/html",
      verdict: "undecided rateLimited", may: true),
    .init(status: "404 Not Found", body: #"{"error":"Ticket not found"}"#, verdict: "refuse notFound", may: false),
    .init(status: "404 Not Found", body: #"{"message":"Ticket not found"}"#, verdict: "refuse notFound", may: false),
    .init(
      status: "404 Not Found", body: #"{"error":"No tickets found in this sale"}"#, verdict: "refuse notFound",
      may: false),
    .init(
      status: "404 Not Found", body: #"{"message":"The route api/tickets/scan could not be found."}"#,
      verdict: "undecided badAnswer", may: false),
    .init(
      status: "404 Not Found", body: "<html>Ticket not found</html>", type: "text/html", verdict: "undecided badAnswer",
      may: true),
    .init(status: "404 Not Found", body: "", verdict: "undecided badAnswer", may: true),
    .init(status: "404 Not Found", body: "[1]", verdict: "undecided badAnswer", may: true),
    .init(
      status: "423 Locked", body: #"{"error":"API key temporarily blocked"}"#, verdict: "undecided keyBlocked",
      may: false),
    .init(
      status: "429 Too Many Requests", body: #"{"error":"Rate limit exceeded"}"#, verdict: "undecided rateLimited",
      may: false),
    .init(
      status: "500 Internal Server Error", body: #"{"message":"Server Error"}"#, verdict: "undecided unreachable",
      may: true),
    .init(status: "502 Bad Gateway", body: "<html>", type: "text/html", verdict: "undecided unreachable", may: true),
    .init(status: "503 Service Unavailable", body: "", type: nil, verdict: "undecided unreachable", may: true),
    .init(status: "504 Gateway Timeout", body: Answers.sale(), verdict: "undecided unreachable", may: true),
    .init(status: "301 Moved", body: "", extra: "Location: /elsewhere\r\n", verdict: "undecided badAnswer", may: true),
    .init(
      status: "302 Found", body: "<html>", type: "text/html", extra: "Location: /login\r\n",
      verdict: "undecided badAnswer", may: true),
    .init(
      status: "307 Temporary Redirect", body: "", extra: "Location: /api/tickets/scan\r\n",
      verdict: "undecided badAnswer", may: true),
    .init(
      status: "308 Permanent Redirect", body: "", extra: "Location: /api/tickets/scan\r\n",
      verdict: "undecided badAnswer", may: true),
    .init(status: "200 OK", body: Answers.sale(), verdict: "undecided badAnswer", may: true),
    .init(status: "200 OK", body: "<html>Welcome</html>", type: "text/html", verdict: "undecided badAnswer", may: true),
    .init(status: "202 Accepted", body: Answers.sale(), verdict: "undecided badAnswer", may: true),
    .init(status: "405 Method Not Allowed", body: Answers.sale(), verdict: "undecided badAnswer", may: true),
    .init(
      status: "405 Method Not Allowed", body: #"{"message":"The POST method is not supported."}"#,
      verdict: "undecided badAnswer", may: false),
    .init(status: "418 I'm a teapot", body: Answers.sale(), verdict: "undecided badAnswer", may: true),
    .init(status: "799 Strange", body: Answers.sale(), verdict: "undecided badAnswer", may: true),
  ]

  static let created: [Case] = [
    .init(status: "201 Created", body: Answers.sale(), verdict: "redeemed", may: true),
    .init(
      status: "201 Created", body: Answers.sale(), type: "Application/JSON; charset=utf-8", verdict: "redeemed",
      may: true),
    .init(status: "201 Created", body: Answers.sale(event: "[]"), verdict: "redeemed", may: true),
    .init(status: "201 Created", body: Answers.sale(event: "null"), verdict: "redeemed", may: true),
    .init(status: "201 Created", body: Answers.sale(entry: "\"1001\""), verdict: "redeemed", may: true),
    .init(status: "201 Created", body: Answers.sale(tickets: "{}"), verdict: "redeemed", may: true),
    .init(
      status: "201 Created", body: Answers.sale(tickets: #"[{"id":1e999,"quantity":-5},{"id":"7","quantity":1e30}]"#),
      verdict: "redeemed", may: true),
    .init(status: "201 Created", body: Answers.sale(), type: "text/html", verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(), type: nil, verdict: "undecided badAnswer", may: true),
    .init(
      status: "201 Created", body: Answers.sale(), type: "application/jsonx", verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: "<html>", verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: "", verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: "{}", verdict: "undecided badAnswer", may: true),
    .init(
      status: "201 Created", body: #"{"data":{"entry_id":1001,"scanned_at":"2025-12-17T14:30:00.000000Z"}}"#,
      verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(entry: "null"), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(entry: "\"\""), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(entry: "[]"), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(entry: "1.5"), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(at: "null"), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(at: "\"yesterday\""), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(at: "1765981800"), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale(status: "\"unpaid\""), verdict: "refuse unpaid", may: true),
    .init(status: "201 Created", body: Answers.sale(status: "\"cancelled\""), verdict: "refuse cancelled", may: true),
    .init(status: "201 Created", body: Answers.sale(status: "\"refunded\""), verdict: "refuse refunded", may: true),
    .init(status: "201 Created", body: Answers.sale(status: "\"expired\""), verdict: "refuse expired", may: true),
    .init(status: "201 Created", body: Answers.sale(status: "\"deleted\""), verdict: "refuse notFound", may: true),
    .init(status: "201 Created", body: Answers.sale(status: "\"Paid\""), verdict: "undecided badAnswer", may: true),
    .init(
      status: "201 Created", body: Answers.sale(status: "\"amount_mismatch\""), verdict: "undecided badAnswer",
      may: true),
    .init(status: "201 Created", body: Answers.sale(status: "true"), verdict: "undecided badAnswer", may: true),
    .init(
      status: "201 Created", body: Answers.sale(status: #""unpaid","status":"paid""#), verdict: "undecided badAnswer",
      may: true),
    .init(status: "201 Created", body: String(Answers.sale().dropLast()), verdict: "undecided badAnswer", may: true),
    .init(status: "201 Created", body: Answers.sale() + "x", verdict: "undecided badAnswer", may: true),
    .init(
      status: "201 Created",
      body: Answers.sale(event: String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)),
      verdict: "undecided badAnswer", may: true),
  ]

  @Test(arguments: json + created) func means(test: Case) async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response(test.status, test.body, type: test.type, extra: test.extra)))
    let outcome = await venue.attempt()
    expectEqual(outcome.fate, .answered)
    expectEqual(name(outcome.answer), test.verdict, "\(outcome)")
    expectEqual(outcome.mayHaveRedeemed, test.may)
    expectEqual(venue.server.requests.count, 1)
    expectEqual(venue.late.count, 0)
    expect(!"\(outcome)".contains("test-key"))
    await venue.close()
  }

  /// A sale ticket of another sale: the gate asks for the wrong one, and the ticket is not judged. Without one configured nobody is told
  /// to check it.
  @Test(arguments: [789, nil] as [Int64?], ["Sale ticket not found", "No tickets found in this sale"])
  func onlyAConfiguredSaleTicketIsBlamed(saleTicketID: Int64?, text: String) async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("404 Not Found", #"{"error":"\#(text)"}"#)), saleTicketID: saleTicketID)
    let outcome = await venue.attempt()
    let isBlamed = saleTicketID != nil && text.hasPrefix("Sale")
    expectEqual(name(outcome.answer), isBlamed ? "undecided badAnswer" : "refuse notFound")
    expectEqual("\(outcome)".contains("sale_ticket_id"), isBlamed)
    await venue.close()
  }

  /// A server that fails on whatever it is asked is a fault; one that stumbles over one code, or now and then, is not.
  @Test func threeDifferentCodesInARowAreAFault() async throws {
    let server = ScriptedServer { _, request, connection in
      connection.send(
        request.contains("good")
          ? Answers.admitted
          : request.contains("down")
            ? Answers.response("503 Service Unavailable", "")
            : Answers.response("500 Internal Server Error", #"{"message":"Server Error"}"#))
    }
    let venue = try await Venue.open(server)
    func verdicts(_ codes: String...) async -> [String] {
      var verdicts: [String] = []
      for code in codes {
        let outcome = await venue.attempt(code)
        verdicts.append(name(outcome.answer))
        expect(outcome.mayHaveRedeemed && (outcome.offline == nil || code == "down"))
      }
      return verdicts
    }
    let (once, fault) = ("undecided unreachable", "undecided badAnswer")
    await expectEqual(verdicts("a", "A", "b", "a", "good"), [once, once, once, once, "redeemed"])
    await expectEqual(verdicts("a", "down", "b", "B", "c", "a", "d"), [once, once, once, once, fault, fault, fault])
    await expectEqual(verdicts("good", "a", "b"), ["redeemed", once, once])
    await venue.close()
  }

  @Test func invalidUTF8IsNoAdmission() async throws {
    let body = [UInt8](Answers.sale().utf8).map { $0 == UInt8(ascii: "J") ? 0xFF : $0 }
    let head = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
    let venue = try await Venue.open(ScriptedServer { _, _, connection in connection.send([UInt8](head.utf8) + body) })
    let outcome = await venue.attempt()
    expectEqual(name(outcome.answer), "undecided badAnswer")
    expect(outcome.mayHaveRedeemed)
    await venue.close()
  }

  @Test(arguments: ["404 Not Found", "400 Bad Request", "403 Forbidden", "422 Unprocessable Content"])
  func aServerThatRepeatsCodeAndKeyDoesNotSpreadThem(status: String) async throws {
    let code = "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"
    let text = "Ticket not found: \(code), key test-key"
    let venue = try await Venue.open(ScriptedServer(answer: Answers.response(status, #"{"error":"\#(text)"}"#)))
    let said = "\(await venue.attempt(code).answer)"
    expect(said.contains("…6uxl, key (secret)"), "\(said)")
    expect(!said.contains(code) && !said.contains("test-key"))
    await venue.close()
  }

  @Test func textOfTheServerIsCleaned() async throws {
    let text = "Ticket not found\\u001b[2J " + String(repeating: "x", count: 1_000)
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("404 Not Found", #"{"error":"\#(text)"}"#)))
    guard case .refused(.notFound, let detail?) = await venue.attempt().answer else {
      return unexpected("not refused")
    }
    expect(detail.hasPrefix("Ticket not found [2J xxx"))
    expectEqual(detail.unicodeScalars.count, 200)
    await venue.close()
  }

  @Test(arguments: [
    ("[]", 1), (#"[{"id":789,"quantity":0}]"#, 1), (#"[{"id":789,"quantity":99999999999999999999}]"#, 1),
    (#"[{"id":789,"quantity":5000}]"#, 1_000), (#"[{"id":1,"quantity":3},{"id":"789","quantity":4}]"#, 4),
    (#"[{"id":789,"quantity":"3"}]"#, 3),
  ])
  func quantityIsBounded(tickets: String, quantity: Int) async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("201 Created", Answers.sale(tickets: tickets))), saleTicketID: 789)
    guard case .redeemed(let redemption) = await venue.attempt().answer else { return unexpected("not redeemed") }
    expectEqual(redemption.quantity, quantity)
    await venue.close()
  }

  /// The ticket is redeemed: what our own clock says must not burn it.
  @Test(arguments: [121, -121, 86_400, -400_000_000]) func aWrongClockOfOursBurnsNoTicket(shift: Int) async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), clockShift: .seconds(shift))
    let outcome = await venue.attempt()
    expectEqual(name(outcome.answer), "redeemed")
    expect(outcome.serverDate != nil)
    await venue.close()
  }

  @Test(arguments: [nil, "garbage", ""] as [String?]) func withoutAReadableDateItStillAdmits(date: String?) async throws
  {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("201 Created", Answers.sale(), date: date)))
    let outcome = await venue.attempt()
    expectEqual(name(outcome.answer), "redeemed")
    expect(outcome.serverDate == nil)
    await venue.close()
  }
}

/// `redeemed`, or verdict and reason by their names.
func name(_ answer: TicketAnswer) -> String {
  switch answer {
  case .redeemed: "redeemed"
  case .valid: "valid"
  case .refused(let reason, _): "refuse \(reason.rawValue)"
  case .undecided(let reason, _): "undecided \(reason.rawValue)"
  }
}
