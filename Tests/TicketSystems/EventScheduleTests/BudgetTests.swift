import EventSchedule
import Expectations
import ScanModel
import Calls
import ScriptedHTTP
import Testing
import TicketTransport

/// What is never sent: requests beyond the budget, and a key that is known to be wrong.
@Suite struct BudgetTests {
  private func venue(_ status: String, _ body: String, budget: RateBudget = RateBudget()) async throws -> Venue {
    try await Venue.open(ScriptedServer(answer: Answers.response(status, body)), budget: budget)
  }

  @Test func aFloodBeyondTheBudgetSendsNothing() async throws {
    let venue = try await venue("404 Not Found", #"{"error":"Ticket not found"}"#, budget: RateBudget(limit: 5))
    for _ in 0..<5 { expectEqual(name(await venue.attempt().answer), "refuse notFound") }
    expectEqual(venue.server.requests.count, 5)
    for _ in 0..<500 {
      let outcome = await venue.attempt()
      expectEqual(outcome.fate, .notSent)
      expect(!outcome.mayHaveRedeemed)
      guard case .undecided(.rateLimited, let detail?) = outcome.answer else { return unexpected("\(outcome)") }
      expect(detail.contains("the next scan can succeed in"))
    }
    expectEqual(venue.server.requests.count, 5)
    await venue.close()
  }

  @Test func gatesShareTheBudget() async throws {
    let venue = try await venue("404 Not Found", #"{"error":"Ticket not found"}"#, budget: RateBudget(limit: 60))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<20 { _ = await venue.attempt() } }
      }
    }
    expectEqual(venue.server.requests.count, 60)
    await venue.close()
  }

  @Test func aRefusalForRateStopsTheNextRequest() async throws {
    let venue = try await Venue.open(
      ScriptedServer(
        answer: Answers.response(
          "429 Too Many Requests", #"{"error":"Rate limit exceeded"}"#, extra: "Retry-After: 120\r\n")))
    for _ in 0..<10 { expectEqual(name(await venue.attempt().answer), "undecided rateLimited") }
    expectEqual(venue.server.requests.count, 1)
    await venue.close()
  }

  @Test func aWrongKeyStopsBeforeTheServerBlocks() async throws {
    let venue = try await venue("401 Unauthorized", #"{"error":"Invalid API key"}"#)
    for _ in 0..<20 { expectEqual(name(await venue.attempt().answer), "undecided keyRefused") }
    expectEqual(venue.server.requests.count, AuthenticationGuard.mostFailures)
    venue.client.replaceKey(try Secret("test-key"))
    await expectEqual(venue.attempt().fate, .notSent, "the same key is no other key")
    venue.client.replaceKey(try Secret("another-key"))
    await expectEqual(venue.attempt().fate, .answered)
    expectEqual(venue.server.requests.last?.contains("another-key"), true)
    await venue.close()
  }

  @Test func manyGatesWithAWrongKeyStopTogether() async throws {
    let venue = try await venue("401 Unauthorized", #"{"error":"Invalid API key"}"#)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<24 { group.addTask { _ = await venue.attempt() } }
    }
    expectEqual(venue.server.requests.count, AuthenticationGuard.mostFailures)
    await venue.close()
  }

  /// A page of a proxy says nothing about the key: it must not make earlier failures forgotten.
  @Test(arguments: ["200 OK", "400 Bad Request", "403 Forbidden", "404 Not Found", "422 Unprocessable Content"])
  func onlyAnAnswerOfTheSystemProvesTheKey(status: String) async throws {
    let server = ScriptedServer { number, _, connection in
      connection.send(
        number % 2 == 1
          ? Answers.response("401 Unauthorized", #"{"error":"Invalid API key"}"#)
          : Answers.response(status, "<html>", type: "text/html"))
    }
    let venue = try await Venue.open(server)
    for _ in 0..<30 { _ = await venue.attempt() }
    expectEqual(server.requests.count, 2 * AuthenticationGuard.mostFailures - 1)
    await venue.close()
  }

  @Test func aBlockedKeyIsLeftAlone() async throws {
    let venue = try await venue("423 Locked", #"{"error":"API key temporarily blocked"}"#)
    for _ in 0..<10 { expectEqual(name(await venue.attempt().answer), "undecided keyBlocked") }
    expectEqual(venue.server.requests.count, 1)
    await venue.close()
  }

  /// Neither does it count against the key: nothing is withheld on it.
  @Test(arguments: ["401 Unauthorized", "423 Locked"]) func aPageIsNoWordOnTheKey(status: String) async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response(status, "<h1>Log in</h1>", type: "text/html")))
    for _ in 0..<(2 * AuthenticationGuard.mostFailures) {
      expectEqual(name(await venue.attempt().answer), "undecided badAnswer")
    }
    expectEqual(venue.server.requests.count, 2 * AuthenticationGuard.mostFailures)
    await venue.close()
  }

  /// For as long as the server says.
  @Test func aBlockedKeyIsTriedAgainWhenTheServerSaysSo() async throws {
    let server = ScriptedServer { number, _, connection in
      connection.send(
        number == 1
          ? Answers.response(
            "423 Locked", #"{"error":"API key temporarily blocked"}"#, extra: "Retry-After: 40\r\n")
          : Answers.admitted)
    }
    let time = MovableTime()
    let port = try await server.start()
    let transport = try HTTPTransport(server: ServerAddress("http://localhost:\(port)"), time: time)
    let client = EventScheduleClient(transport: transport, key: try Secret("test-key"), time: time)
    let system = EventScheduleTicketSystem(id: TicketSystemID("tickets"), client: client)
    func attempt() async -> AttemptOutcome {
      let request = AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: Code("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"),
        deadline: time.now() + .seconds(60))
      return await system.attempt(request) { _ in }
    }
    await expectEqual(attempt().retryAfter, .seconds(40))
    let withheld = await attempt()
    expectEqual(name(withheld.answer), "undecided keyBlocked")
    expect(withheld.fate == .notSent && withheld.retryAfter.map { $0 > .zero && $0 <= .seconds(40) } == true)
    time.advance(by: .seconds(40))
    expectEqual(name(await attempt().answer), "redeemed")
    await transport.close()
    await server.stop()
  }

  @Test func requestsThatWereNotSentCostNothing() async throws {
    let server = ScriptedServer(answer: Answers.admitted)
    let venue = try await Venue.open(server, budget: RateBudget(limit: 1))
    for _ in 0..<3 { await expectEqual(venue.attempt(within: .seconds(-1)).fate, .notSent) }
    expectEqual(name(await venue.attempt().answer), "redeemed")
    expectEqual(name(await venue.attempt().answer), "undecided rateLimited")
    expectEqual(server.requests.count, 1)
    await venue.close()
  }

  @Test func scanBySaleIsItsOwnCall() async throws {
    let venue = try await venue(
      "201 Created", #"{"data":{"entry_id":1001,"scanned_at":"2025-12-17T14:30:00.000000Z"}}"#)
    let outcome = await venue.client.scan(
      saleID: 123, saleTicketID: 789, seatNumber: "12", deadline: SystemTime().now() + .seconds(60)
    ) { _ in }
    guard case .answered(let answer) = outcome.result else { return unexpected("\(outcome)") }
    expectEqual(answer.status, 201)
    let request = venue.server.requests.first ?? ""
    expect(request.hasPrefix("POST /api/tickets/123/scan "))
    expect(request.hasSuffix(#"{"sale_ticket_id":789,"seat_number":"12"}"#))
    await venue.close()
  }

  @Test func listsAreRepeatedAsTheDocumentAdvises() async throws {
    let page =
      #"{"data":[{"id":123,"status":"paid","name":"John Doe","event":[],"tickets":[]}],"meta":{"current_page":2,"last_page":3}}"#
    let server = ScriptedServer { number, _, connection in
      connection.send(number == 1 ? Answers.response("503 Service Unavailable", "") : Answers.response("200 OK", page))
    }
    let venue = try await Venue.open(server)
    let sales = try await venue.client.sales(
      eventID: 456, query: "a&b", page: 2, deadline: SystemTime().now() + .seconds(60))
    expectEqual(sales.sales.first?.name, "John Doe")
    expectEqual(sales.lastPage, 3)
    expectEqual(server.requests.count, 2)
    expectEqual(server.requests.last?.hasPrefix("GET /api/tickets?page=2&event_id=456&query=a%26b HTTP/1.1\r\n"), true)
    await venue.close()
  }

  @Test(arguments: ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found"])
  func listsAreNotRepeatedAfter(status: String) async throws {
    let venue = try await venue(status, #"{"error":"Unauthorized"}"#)
    await #expect(throws: TransportFault.self) {
      try await venue.client.sales(deadline: SystemTime().now() + .seconds(60))
    }
    expectEqual(venue.server.requests.count, 1)
    await venue.close()
  }
}
