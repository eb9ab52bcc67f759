import Expectations
import Foundation
import Synchronization
import Testing

/// Every command of the box office, and everything that a service, or what stands in its place, may answer to any of its calls.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BookingBadInputTests {
  typealias Service = BookingService
  typealias Answer = DeskServer.Answer

  /// What reads, each with the call that it makes.
  private static let reading: [[String]] = [
    ["shows"], ["show", Service.show], ["seats", Service.show], ["seatmap", Service.show], ["bookings"], ["whoami"],
  ]
  private static let changing: [[String]] = [
    ["sign-up", "--email", Service.email, "--name", "Ada"], ["sign-in", "--email", Service.email],
    ["verify-email", "--email", Service.email], ["resend", "--email", Service.email],
    ["password", "reset", "--email", Service.email], ["password", "confirm", "--email", Service.email],
    ["reserve", Service.show, "F-12"], ["confirm", Service.session, "--yes", "--show-code", "--qr"],
  ]

  private static let hostile = "\u{1B}[2J\u{7}\u{202E}\u{0}\r\n\u{85}<script>x"

  private static func text(_ text: String) -> String {
    let text = (try? JSONSerialization.data(withJSONObject: [text])).map { String(decoding: $0, as: UTF8.self) }
    return String(text?.dropFirst().dropLast() ?? "\"\"")
  }

  /// What may come with 200 and be JSON.
  private static var documents: [String] {
    let names = [
      "id", "title", "date", "time", "row", "number", "section", "status", "price", "price_pence", "position", "url",
      "sessionId", "expiresAt", "totalAmount", "reservedSeats", "verification_code", "payment_status", "amount_total",
      "show_details", "user", "token", "qrCode", "seats", "venue", "show", "pricing", "seat_pricing", "seatMap",
    ]
    let values = [
      "null", "7", "-1e400", "9223372036854775808", "[]", "{}", "true", #""""#, text(hostile), "[[{}]]",
      #"{"x":1e309,"y":-0}"#, #""2026-02-30""#,
    ]
    let bodies = names.enumerated().flatMap { index, name in
      [values[index % values.count], values[(index + 5) % values.count], text(hostile)].map { value in
        name == "id" ? #"{"id":\#(value)}"# : #"{"id":"\#(Service.show)","\#(name)":\#(value)}"#
      }
    }
    return ["null", "true", "7", #""x""#, "{}", "[]", "[[]]", "[null,1,{}]", #"{"success":false}"#, #"{"data":[{}]}"#]
      + bodies + bodies.map { "[\($0)]" }
  }

  /// What is no answer of the API at all, or a refusal of it.
  private static let strangers: [(status: Int, body: String, type: String)] = [
    (200, "<html>", "text/html"), (200, "<html>", "application/json"), (200, "", "application/json"),
    (200, #"{"id":1,"id":2}"#, "application/json"), (200, String(repeating: "[", count: 100_000), "application/json"),
    (200, #"[{"id":"#, "application/json"), (302, "", "text/html"), (403, "<html>", "text/html"),
    (404, "<html>", "text/html"), (405, "", "text/plain"), (502, "<html>Application failed to respond", "text/html"),
    (400, #"{"error":"x"}"#, "application/json"), (401, #"{"error":{}}"#, "application/json"),
    (401, #"{"success":false}"#, "application/json"), (403, #"{"error":"x"}"#, "application/json"),
    (404, #"{"error":"x"}"#, "application/json"), (409, #"{"message":"x"}"#, "application/json"),
    (422, #"{"error":{"message":"\u001b[2J"}}"#, "application/json"), (500, #"{"error":"x"}"#, "application/json"),
    (200, "[]", "application/json\r\nAge: 5"), (200, "[]", "application/json\r\nSet-Cookie: ;;;=;"),
  ]

  /// Runs commands before a service that answers everything but a sign-in and the first look so, and hands over what came of each.
  private func run(
    _ commands: [[String]], _ answer: Answer, _ body: ([String], Program.Result, [String]) -> Void
  ) async throws {
    let service = Service(.real)
    let isBad = Mutex(false), sent = Mutex<[String]>([])
    let server = try await DeskServer.start { request in
      guard isBad.withLock({ $0 }) else { return service.answer(request) }
      sent.withLock { $0.append(request.line) }
      return answer
    }
    for words in commands {
      let terminal = BookingTerminal(
        typing: [Service.password, Service.password, Service.password], hiding: [service.token, Service.mailed])
      isBad.withLock { $0 = false }
      _ = await terminal.run(["sign-in", "--email", Service.email, "--server", server.address])
      _ = await terminal.run(["reserve", Service.show, "F-13", "--server", server.address])
      service.change { $0.seats["s13"] = "available" }
      isBad.withLock { $0 = true }
      sent.withLock { $0 = [] }
      let result = await terminal.run(words + ["--server", server.address])
      body(words, result, sent.withLock { $0 })
    }
    await server.end()
  }

  /// Whatever it is: no end but by a status, nothing sent twice that changes something.
  @Test func documentsOfEveryKind() async throws {
    let step = extent(landing: 17, release: 1)
    for (index, document) in Self.documents.enumerated() {
      let commands = (Self.reading + Self.changing + Self.reading.map { $0 + ["--json"] }).enumerated().filter {
        ($0.offset + index) % step == 0
      }.map(\.element)
      try await run(commands, Answer(200, document)) { words, result, sent in
        expect([0, 1, 64, 65, 69, 75, 76].contains(result.status), "\(words) \(document): \(result.errors)")
        let changes = sent.filter { !$0.hasPrefix("GET") || $0.contains("checkout/success") }
        expectEqual(Set(changes).count, changes.count, "\(words): \(sent)")
      }
    }
  }

  @Test func answersThatAreNone() async throws {
    let step = extent(landing: 8, release: 1)
    for (index, stranger) in Self.strangers.enumerated() {
      let commands = (Self.reading + Self.changing).enumerated().filter { ($0.offset + index) % step == 0 }.map(
        \.element)
      let answer = Answer(stranger.status, stranger.body, type: stranger.type)
      try await run(commands, answer) { words, result, sent in
        let isFine = stranger.status == 200 && stranger.body == "[]"
        expect(isFine || result.status != 0, "\(words) \(stranger): \(result.output)")
        expect([0, 1, 64, 69, 75, 76].contains(result.status), "\(words) \(stranger): \(result.errors)")
        // Both shapes of a call, each once.
        let changes = sent.filter { !$0.hasPrefix("GET") }
        expect(changes.count <= 2 && (changes.count < 2 || Set(changes).count == 1), "\(words): \(sent)")
      }
    }
  }

  /// What is no time, and no session.
  @Test func whatIsTypedWrongly() async throws {
    let terminal = BookingTerminal()
    for words in [
      ["shows"], ["shows", "--server", "ftp://x"], ["shows", "--server", "http://192.0.2.7"],
      ["shows", "--server", "https://a@b"], ["shows", "--server", "http://127.0.0.1", "--system", "x"],
      ["reserve", "a"],
      ["confirm"], ["sign-in", "--email", "a@b@c"], ["seats"],
    ] {
      let result = await terminal.run(words)
      expectStatus(result, 64)
    }
  }
}
