import Calls
import EventSchedule
import Expectations
import Foundation
import ScanModel
import ScanTesting
import ScriptedHTTP
import Testing
import TicketTransport

/// The log of check-ins as a mirror: what it is sent, and what its answers mean.
@Suite(.timeLimit(.minutes(1))) struct MirrorTests {
  private static let taken = Answers.response(
    "201 Created", #"{"id":1,"event_id":456,"attendee_name":"Ada","checked_in_at":"2025-12-17T14:30:00+00:00"}"#)
  private static let passage = MirroredPassage(
    station: "north-door", gate: GateID("north"), scan: ScanID(), event: "456", holder: "Ada Brandt",
    at: WallTime(seconds: 1_766_000_000))

  /// What the server was sent, and what came of it.
  private func tell(
    _ passage: MirroredPassage = passage, _ answer: String = taken, budget: RateBudget = RateBudget()
  ) async throws -> (answer: MirrorAnswer, body: [String: Any], venue: Venue) {
    let venue = try await Venue.open(ScriptedServer(answer: answer), budget: budget)
    let answer = await EventScheduleMirror(client: venue.client).tell(passage)
    let request = venue.server.requests.first ?? ""
    let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
    let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
    await venue.close()
    return (answer, object ?? [:], venue)
  }

  // MARK: What is sent

  @Test(arguments: ["456", "Mzg5NzM0"]) func anEventGoesByItsNumberHoweverItIsTold(event: String) async throws {
    var passage = Self.passage
    passage.event = event
    let (answer, body, venue) = try await tell(passage)
    expectEqual(answer, .taken)
    expectEqual(venue.server.requests.count, 1)
    expect(venue.server.requests.allSatisfy { $0.hasPrefix("POST /api/checkins HTTP/1.1\r\n") })
    expectEqual(
      body as NSDictionary,
      [
        "event_id": 456, "attendee_name": "Ada Brandt",
        "notes": "station=north-door;gate=north;scan=\(passage.scan)", "gate_id": "north", "device_id": "north-door",
        "action": "checkin", "ts": "2025-12-17T19:33:20Z", "idempotency_key": "\(passage.scan)",
      ] as NSDictionary)
  }

  @Test func whoLeavesIsCheckedOutAndWhoWasTrustedIsMarked() async throws {
    var passage = Self.passage
    (passage.isExit, passage.isProvisional, passage.at) = (true, true, nil)
    let (_, body, _) = try await tell(passage)
    expectEqual(body["action"] as? String, "checkout")
    expectEqual(body["is_offline"] as? Bool, true)
    expect(body["ts"] == nil)
    // Real servers keep the notes alone.
    expectEqual(
      body["notes"] as? String, "station=north-door;gate=north;scan=\(passage.scan);action=checkout;offline=yes")
  }

  @Test(
    arguments: [
      (nil, "-"), ("", "-"), (" \t", "-"), ("Ada \"A\" \u{7}", "Ada \"A\" \u{7}"),
      (String(repeating: "é", count: 300), String(repeating: "é", count: 255)),
    ] as [(String?, String)]
  ) func aNameIsWhatServersTake(holder: String?, sent: String) async throws {
    var passage = Self.passage
    passage.holder = holder
    let (_, body, _) = try await tell(passage)
    expectEqual(body["attendee_name"] as? String, sent)
  }

  @Test(arguments: [nil, "", "a1B2c3", "-7", "0", "Mzg5NzM"]) func whatHasNoNumberIsNotSent(event: String?) async throws
  {
    var passage = Self.passage
    passage.event = event
    let (answer, _, venue) = try await tell(passage)
    expectEqual(venue.server.requests.count, 0)
    expect(!EventScheduleMirror(client: venue.client).takes(passage))
    guard case .refused = answer else { return unexpected("\(answer)") }
  }

  // MARK: What came back

  /// A refusal in the API's own form was not done; of everything else nobody knows.
  static let answers: [(status: String, body: String, type: String, means: String)] = [
    ("201 Created", #"{"id":1}"#, "application/json", "taken"),
    ("200 OK", #"{"data":{}}"#, "application/json", "taken"),
    ("200 OK", "[]", "application/json", "taken"), ("200 OK", "<html>", "text/html", "lost"),
    ("201 Created", #"{"id":"#, "application/json", "lost"), ("302 Found", "", "text/html", "lost"),
    ("400 Bad Request", #"{"error":"no"}"#, "application/json", "refused"),
    ("401 Unauthorized", #"{"error":"Unauthorized"}"#, "application/json", "unsent"),
    ("401 Unauthorized", "<h1>Log in</h1>", "text/html", "lost"),
    ("403 Forbidden", #"{"error":"Unauthorized"}"#, "application/json", "off"),
    ("403 Forbidden", #"{"message":"Unauthorized"}"#, "application/json", "off"),
    ("403 Forbidden", #"{"message":"Access denied"}"#, "application/json", "off"),
    ("403 Forbidden", #"{"error":"API usage is limited to Pro accounts"}"#, "application/json", "off"),
    ("403 Forbidden", "<html>blocked</html>", "text/html", "lost"),
    ("404 Not Found", #"{"message":"The route api/checkins could not be found."}"#, "application/json", "off"),
    ("404 Not Found", "<html>", "text/html", "off, perhaps done"),
    ("405 Method Not Allowed", #"{"message":"The POST method is not supported"}"#, "application/json", "off"),
    ("405 Method Not Allowed", "", "text/html", "off, perhaps done"),
    ("408 Request Timeout", #"{"error":"late"}"#, "application/json", "lost"),
    ("409 Conflict", #"{"error":"no"}"#, "application/json", "refused"),
    (
      "422 Unprocessable Content", #"{"message":"The selected event id is invalid.","errors":{"event_id":["x"]}}"#,
      "application/json", "refused"
    ),
    ("423 Locked", #"{"error":"API key temporarily blocked"}"#, "application/json", "unsent"),
    ("429 Too Many Requests", #"{"error":"Rate limit exceeded"}"#, "application/json", "unsent quietly"),
    ("429 Too Many Requests", "slow down", "text/plain", "lost"),
    ("500 Internal Server Error", #"{"message":"Server Error"}"#, "application/json", "lost"),
    ("503 Service Unavailable", "<html>", "text/html", "lost"),
  ]

  @Test(arguments: answers) func anAnswerMeans(
    test: (status: String, body: String, type: String, means: String)
  ) async throws {
    let (answer, _, venue) = try await tell(Self.passage, Answers.response(test.status, test.body, type: test.type))
    expectEqual(meaning(of: answer), test.means)
    // Whatever it means, it was sent once, and no word tells the key or speaks of a scan.
    expectEqual(venue.server.requests.count, 1)
    let words = words(answer) ?? ""
    expect(!words.contains("test-key") && !words.contains("the scan"), "\(words)")
    expect(answer == .taken || test.means == "unsent quietly" || words.contains("localhost"), "\(words)")
  }

  @Test func aKeyThatIsRefusedIsLeftAloneForLong() async throws {
    for status in ["401 Unauthorized", "423 Locked"] {
      let (answer, _, _) = try await tell(Self.passage, Answers.response(status, #"{"error":"no"}"#))
      guard case .unsent(_?, let wait?) = answer else { return unexpected("\(answer)") }
      expectEqual(wait, AuthenticationGuard.period)
    }
  }

  @Test func aServerMayRepeatWhatItWasSent() async throws {
    let (answer, _, _) = try await tell(
      Self.passage, Answers.response("422 Unprocessable Content", #"{"message":"test-key \u001b[31m Ada"}"#))
    guard case .refused(let words) = answer else { return unexpected("\(answer)") }
    expect(!words.contains("test-key") && !words.contains("\u{1b}"), "\(words)")
  }

  @Test func anAnswerThatIsCutOrNeverComesIsLost() async throws {
    let cut = ScriptedServer { number, _, connection in
      if number == 2 { connection.send("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{") }
      connection.close()
    }
    let venue = try await Venue.open(cut)
    let mirror = EventScheduleMirror(client: venue.client)
    for _ in 0..<2 {
      let answer = await mirror.tell(Self.passage)
      guard case .lost(let words) = answer else { return unexpected("\(answer)") }
      expect(words.contains("the check-in may be in its log") && !words.contains("scan"), "\(words)")
    }
    expectEqual(cut.requests.count, 2)
    await venue.close()
  }

  @Test func whatFindsNoServerHasNotLeft() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: ""), port: closedPort)
    // The connects are tried again until the end of its patience.
    let time = MovableTime()
    let transport = try HTTPTransport(server: ServerAddress("http://127.0.0.1:\(closedPort)"), time: time)
    let client = EventScheduleClient(transport: transport, key: try Secret("test-key"), time: time)
    let telling = Task { await EventScheduleMirror(client: client, time: time).tell(Self.passage) }
    time.advance(by: .seconds(29))
    guard case .unsent(_?, _) = await telling.value else { return unexpected("sent") }
    await transport.close()
    await venue.close()
  }

  // MARK: The budget

  /// A third at most, and two thirds are there for whoever scans.
  @Test(arguments: RateBudget.Model.allCases) func itTakesAThirdAndLeavesTwo(model: RateBudget.Model) async throws {
    let server = ScriptedServer { _, request, connection in
      connection.send(request.hasPrefix("POST /api/checkins") ? Self.taken : Answers.admitted)
    }
    let venue = try await Venue.open(server, budget: RateBudget(limit: 30, model: model))
    let mirror = EventScheduleMirror(client: venue.client)
    expectEqual(mirror.wait(), nil)
    var (taken, withheld) = (0, 0)
    for _ in 0..<25 {
      switch await mirror.tell(Self.passage) {
      case .taken: taken += 1
      case .unsent(nil, let wait?) where wait > .seconds(50): withheld += 1
      case let other: return unexpected("\(other)")
      }
    }
    expect(taken == 10 && withheld == 15, "\(taken), \(withheld)")
    expect(mirror.wait().map { $0 > .seconds(50) && $0 <= .seconds(60) } == true)
    for number in 0..<20 { expectEqual(name(await venue.attempt().answer), "redeemed", "scan \(number)") }
    expectEqual(name(await venue.attempt().answer), "undecided rateLimited")
    expectEqual(server.requests.count, 30)
    await venue.close()
  }

  /// Where others have taken their part, there is none for names.
  @Test func scansComeFirst() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), budget: RateBudget(limit: 9))
    let mirror = EventScheduleMirror(client: venue.client)
    for _ in 0..<3 { expectEqual(name(await venue.attempt().answer), "redeemed") }
    guard case .unsent(nil, _) = await mirror.tell(Self.passage) else { return unexpected("sent") }
    expectEqual(venue.server.requests.count, 3)
    await venue.close()
  }

  // MARK: Whatever comes

  /// No answer traps, and none but 2xx with JSON is taken for done.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 8, release: 400)))) func noAnswerTraps(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let pieces = [#"{"message":"#, #""x""#, "}", "[", "]", "null", "<html>", "\u{0}", #"{"error":" "}"#, "7", "", "é"]
    for _ in 0..<20 {
      let body = (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      let status = Int.random(in: 200...599, using: &random)
      let type =
        ["application/json", "text/html", "application/problem+json", nil].randomElement(using: &random) ?? nil
      let (answer, _, _) = try await tell(Self.passage, Answers.response("\(status) X", body, type: type))
      if answer == .taken { expect((200...299).contains(status), "seed \(seed): \(status) \(body)") }
    }
  }

  private func meaning(of answer: MirrorAnswer) -> String {
    switch answer {
    case .taken: "taken"
    case .refused: "refused"
    case .unsent(nil, _): "unsent quietly"
    case .unsent: "unsent"
    case .lost: "lost"
    case .off(_, isRefusal: true): "off"
    case .off: "off, perhaps done"
    }
  }

  private func words(_ answer: MirrorAnswer) -> String? {
    switch answer {
    case .taken: nil
    case .refused(let words), .lost(let words), .off(let words, _): words
    case .unsent(let words, _): words
    }
  }
}
