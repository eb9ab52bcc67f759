import Expectations
import Foundation
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import Bookings

/// What a service, or whoever stands in its place, may answer: nothing opens on it, nothing crashes, and no text holds a secret.
@Suite struct BadAnswerTests {
  /// Which answer, and what a check and a list come to by it.
  struct Case: Sendable, CustomTestStringConvertible {
    var status: String
    var body: String
    var type: String? = "application/json"
    var extra = ""
    var check: UndecidedReason
    /// What is told of a list; `nil` where it is one all the same.
    var list: String?

    var testDescription: String { "\(status) \(extra) \(body.prefix(60))" }
  }

  private static let show = "\"show\":{\"id\":\"s\",\"title\":\"T\",\"date\":\"2026-05-02\",\"time\":\"19:30:00\"}"
  private static let booking = "\"booking\":{\"id\":\"b\",\"validationCode\":\"LATE0001\",\"status\":\"confirmed\"}"
  private static let unread = "cannot be read"

  static let cases: [Case] = [
    // Of the wrong type, null, missing.
    Case(status: "200 OK", body: "", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "null", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "[]", check: .badAnswer),
    Case(status: "200 OK", body: "{}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "7", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "true", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "\"LATE0001\"", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\"success\":false}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\"success\":false,\(booking),\(show),\"seats\":2}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking)}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(show),\"seats\":2}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking),\(show)}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking),\(show),\"seats\":0}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking),\(show),\"seats\":-2}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking),\(show),\"seats\":1e400}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking),\(show),\"seats\":[\"F 12\"]}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "[{\(booking),\(show),\"seats\":2}]", check: .badAnswer),
    Case(status: "200 OK", body: "{\(booking),\"show\":null,\"seats\":2}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\"booking\":[],\(show),\"seats\":2}", check: .badAnswer, list: unread),
    Case(
      status: "200 OK", body: "{\(booking.replacingOccurrences(of: "LATE0001", with: "OTHER001")),\(show),\"seats\":2}",
      check: .badAnswer,
      list: unread),
    Case(
      status: "200 OK", body: "{\(booking.replacingOccurrences(of: "confirmed", with: "perhaps")),\(show),\"seats\":2}",
      check: .badAnswer,
      list: unread),
    Case(
      status: "200 OK",
      body: "{\(booking),\(show.replacingOccurrences(of: "2026-05-02", with: "0000-00-00")),\"seats\":2}",
      check: .badAnswer,
      list: unread),
    Case(
      status: "200 OK", body: "{\(booking),\(show.replacingOccurrences(of: "19:30:00", with: "24:00:00")),\"seats\":2}",
      check: .badAnswer,
      list: unread),
    Case(status: "200 OK", body: "{\(booking),\(booking),\(show),\"seats\":2}", check: .badAnswer, list: unread),
    Case(status: "200 OK", body: String(repeating: "[", count: 70_000), check: .badAnswer, list: unread),
    Case(status: "200 OK", body: "{\(booking),\(show),\"seats\":2", check: .badAnswer, list: unread),
    // Whoever stands in its place.
    Case(
      status: "200 OK", body: "<html>Waking up…</html>", type: "text/html", check: .badAnswer, list: "may be asleep"),
    Case(
      status: "200 OK", body: "{\(booking),\(show),\"seats\":2}", type: "text/html", check: .badAnswer,
      list: "may be asleep"),
    Case(
      status: "200 OK", body: "{\(booking),\(show),\"seats\":2}", type: nil, check: .badAnswer, list: "may be asleep"),
    Case(status: "204 No Content", body: "", type: nil, check: .badAnswer, list: "204"),
    Case(
      status: "301 Moved", body: "", type: nil, extra: "Location: https://evil.example/\r\n", check: .badAnswer,
      list: "send us elsewhere"),
    Case(status: "307 Moved", body: "{}", extra: "Location: /api\r\n", check: .badAnswer, list: "send us elsewhere"),
    // The service's own words.
    Case(
      status: "400 Bad Request", body: "{\"error\":\"Validation code is required\"}", check: .badAnswer, list: "400"),
    Case(
      status: "401 Unauthorized", body: "{\"error\":\"Unauthorized\"}", check: .keyRefused,
      list: "does not take our session"),
    Case(
      status: "401 Unauthorized", body: "<html>portal</html>", type: "text/html", check: .badAnswer, list: "with a page"
    ),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"Authentication required\"}", check: .keyRefused,
      list: "does not take our session"),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"No valid session\"}", check: .keyRefused,
      list: "does not take our session"),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"Insufficient permissions to validate tickets\"}",
      check: .accessDenied,
      list: "“Insufficient permissions to validate tickets”"),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"Access denied. You can only access wicked, not hamilton\"}",
      check: .accessDenied,
      list: "You can only access wicked"),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"Mobile access blocked\"}", check: .accessDenied,
      list: "Mobile access blocked"),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"Origin validation failed\"}", check: .accessDenied,
      list: "under origin"),
    Case(status: "403 Forbidden", body: "{}", check: .accessDenied, list: "403"),
    Case(
      status: "403 Forbidden", body: "<html>firewall</html>", type: "text/html", check: .badAnswer, list: "with a page"),
    Case(status: "404 Not Found", body: "{\"error\":\"Venue not found\"}", check: .badAnswer, list: "404"),
    Case(status: "404 Not Found", body: "{\"error\":\"Not found\"}", check: .badAnswer, list: "404"),
    Case(status: "404 Not Found", body: "{}", check: .badAnswer, list: "404"),
    Case(
      status: "404 Not Found", body: "Invalid verification code", type: "text/plain", check: .badAnswer,
      list: "with a page"),
    Case(status: "422 Unprocessable", body: "{\"error\":\"no\"}", check: .badAnswer, list: "422"),
    Case(
      status: "429 Too Many", body: "{}", extra: "Retry-After: 600\r\n", check: .rateLimited, list: "again in 10 min"),
    Case(
      status: "403 Forbidden", body: "{\"error\":\"Too many\"}", extra: "Retry-After: soon\r\n", check: .rateLimited,
      list: "again in 15 min"),
    Case(status: "408 Timeout", body: "{}", check: .unreachable, list: "out of order"),
    Case(
      status: "500 Oops", body: "{\"error\":\"Failed to validate ticket\"}", check: .unreachable, list: "out of order"),
    Case(status: "502 Bad", body: "<html></html>", type: "text/html", check: .unreachable, list: "out of order"),
    Case(status: "503 Away", body: "", type: nil, check: .unreachable, list: "out of order"),
    Case(status: "599 Odd", body: "{\(booking),\(show),\"seats\":2}", check: .unreachable, list: "out of order"),
    // It repeats what it was sent.
    Case(
      status: "400 Bad Request", body: "{\"error\":\"LATE0001 session-1= \(TheatreService.password)\"}",
      check: .badAnswer, list: "400"),
  ]

  @Test(arguments: BadAnswerTests.cases)
  func nothingOpensOnWhatIsNoAnswerToACheck(_ bad: Case) async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.reply(
      to: .check, .answer(stage.service.response(bad.status, bad.body, type: bad.type, extra: bad.extra)))
    let outcome = await stage.attempt("LATE0001")
    expectEqual(name(outcome.answer), "undecided \(bad.check)")
    expect(!outcome.mayHaveRedeemed && outcome.offline == nil)
    let words = detail(outcome.answer)
    expect(words.hasPrefix("Not on the list of 18:50, ask the box office. "), "\(words)")
    expect(!Stage.holdsSecret(words), "\(words)")
    expect(stage.door.remembered(Code("LATE0001")) == nil, "it was kept")
    await stage.close()
  }

  @Test(arguments: BadAnswerTests.cases)
  func nothingIsTakenOnBoardOfWhatIsNoList(_ bad: Case) async throws {
    let stage = try await Stage.open(use: .list)
    stage.service.reply(
      to: .list, .answer(stage.service.response(bad.status, bad.body, type: bad.type, extra: bad.extra)))
    do {
      let answer = try #require(try await stage.roster.current())
      expect(bad.list == nil, "it was taken: \(answer)")
      expect(answer.tickets.allSatisfy { $0.status != .valid }, "\(answer)")
    } catch {
      expect(bad.list.map { "\(error)".contains($0) } == true, "\(error)")
      // A list is of all codes.
      expect(!Stage.holdsSecret("\(error)", code: TheatreService.password), "\(error)")
    }
    await stage.close()
  }

  @Test func aCutAnswerAndAHugeOneOpenNothing() async throws {
    for route in [TheatreService.Route.check, .list] {
      for reply in [
        TheatreService.Reply.cut,
        .answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n["),
        .answer("\u{1}\u{2}\r\n\r\n"),
        .answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + String(repeating: " ", count: 5 << 20)),
      ] {
        let stage = try await Stage.open()
        try await stage.signIn()
        stage.board.put([:], asOf: stage.time.wall())
        stage.service.reply(to: route, reply)
        if route == .check {
          let outcome = await stage.attempt("LATE0001", within: .seconds(5))
          expect(["undecided unreachable", "undecided badAnswer"].contains(name(outcome.answer)), "\(outcome)")
          expect(outcome.offline == nil && !outcome.mayHaveRedeemed)
        } else {
          // What never ends is waited for no longer than a list may take.
          var calls = stage.door.calls
          calls.longestList = .seconds(2)
          let door = Door(calls, session: stage.door.session, memory: stage.door.memory, records: nil)
          do {
            let answer = try await DoorList(door: door, clock: { stage.list.now() }).current()
            expect(false, "it was told: \(String(describing: answer))")
          } catch {
            expect("\(error)".contains("127.0.0.1"), "\(error)")
          }
        }
        await stage.close()
      }
    }
  }

  /// The dates of rows are the venue's, whatever the service's clock says.
  @Test func aClockADayOffAdmitsNobodyElse() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    for (code, date, expected) in [
      ("LATE0001", "2026-05-02", "valid"), ("AHEAD001", "2026-05-03", "refused wrongEvent"),
    ] {
      let row = TheatreService.Row(code) { $0.date = date }
      for off in [Duration.seconds(86_400), .seconds(-86_400)] {
        stage.door.memory.ration.change { $0 = DoorRation() }
        stage.door.memory.checks.withLock { $0 = CheckBook() }
        stage.service.reply(
          to: .check,
          .answer(stage.service.response("200 OK", stage.service.json(row, "seats"), date: stage.time.wall() + off)))
        expectEqual(name(await stage.attempt(code).answer), expected)
      }
    }
    await stage.close()
  }
}
