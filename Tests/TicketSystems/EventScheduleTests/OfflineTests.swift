import EventSchedule
import Expectations
import ScanModel
import Calls
import ScriptedHTTP
import Testing
import TicketTransport

/// What counts as offline, and above all what does not: a gate may open on it.
@Suite struct OfflineTests {
  @Test(arguments: [
    ("502 Bad Gateway", OfflineCause.gatewayFault), ("503 Service Unavailable", .gatewayFault),
    ("504 Gateway Timeout", .gatewayFault), ("429 Too Many Requests", .rateLimited),
  ]) func statusesThatAreOffline(status: String, cause: OfflineCause) async throws {
    for (body, type) in [("{}", "application/json"), ("<html>down for maintenance</html>", "text/html")] {
      let venue = try await Venue.open(ScriptedServer(answer: Answers.response(status, body, type: type)))
      await expectEqual(venue.attempt().offline, cause)
      await venue.close()
      let probed = try await Venue.open(ScriptedServer(answer: Answers.response(status, body, type: type)))
      // A refusal for its rate is an answer all the same, and says nothing of key or address.
      let found = await probed.system.reach(deadline: SystemTime().now() + .seconds(60))
      if cause == .rateLimited, case .unclear = found {} else { expectEqual(found, .offline(cause)) }
      await probed.close()
    }
  }

  @Test(arguments: [
    "200 OK", "201 Created", "202 Accepted", "204 No Content", "301 Moved Permanently", "302 Found",
    "307 Temporary Redirect", "400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found",
    "407 Proxy Authentication Required", "408 Request Timeout", "418 I'm a teapot", "422 Unprocessable Content",
    "423 Locked", "500 Internal Server Error", "501 Not Implemented", "505 Version",
    "511 Network Authentication Required",
    "520 Unknown", "521 Down", "522 Timed out", "524 Timed out", "599 x",
  ]) func otherStatusesAreNot(status: String) async throws {
    let pages = [
      (#"{"message":"No"}"#, "application/json"), ("{}", "application/json"),
      ("<html>Log in to the hall's network</html>", "text/html"), (#"{"message":"No"}"#, "text/html"),
    ]
    for (index, (body, type)) in pages.enumerated() {
      let venue = try await Venue.open(
        ScriptedServer(answer: Answers.response(status, body, type: type, extra: "Location: http://127.0.0.1:1/\r\n")))
      let outcome = await venue.attempt()
      expect(outcome.offline == nil)
      // Only the API's own word is one about our key.
      let key: [String: UndecidedReason] = ["401": .keyRefused, "403": .accessDenied, "423": .keyBlocked]
      let reason = index == 0 ? key[String(status.prefix(3))] : nil
      let isOfKey = ["undecided keyRefused", "undecided accessDenied", "undecided keyBlocked"].contains(
        name(outcome.answer))
      expectEqual(isOfKey, reason != nil)
      let found = await venue.system.reach(deadline: SystemTime().now() + .seconds(60))
      if case .offline = found { Issue.record("\(status) is offline") }
      if let reason {
        guard case .fault(reason, _) = found else {
          Issue.record("\(status): \(found)")
          continue
        }
      }
      await venue.close()
    }
  }

  @Test func anAdmissionAndARefusalAreNot() async throws {
    let venue = try await Venue.open(
      ScriptedServer { number, _, connection in
        connection.send(
          number == 1 ? Answers.admitted : Answers.response("404 Not Found", #"{"error":"Ticket not found"}"#))
      })
    expect(await venue.attempt().offline == nil)
    expect(await venue.attempt().offline == nil)
    await venue.close()
  }

  @Test func noAnswerInTimeIsOffline() async throws {
    let venue = try await Venue.open(
      ScriptedServer { number, _, connection in if number == 1 { connection.send(Answers.admitted) } })
    // On a busy machine it may take longer to connect than an answer is waited for here.
    expect(await venue.attempt().offline == nil)
    await expectEqual(venue.attempt(within: .seconds(2)).offline, .timeOut)
    await expectEqual(venue.system.reach(deadline: SystemTime().now() + .seconds(2)), .offline(.timeOut))
    await venue.close()
  }

  /// A search takes long at a server with many sales. That it answers must not hang on one.
  @Test func askingWhetherItAnswersIsNoSearch() async throws {
    let venue = try await Venue.open(
      ScriptedServer { _, request, connection in
        guard request.hasPrefix("POST /api/tickets/scan ") else { return }
        connection.send(
          Answers.response("422 Unprocessable Content", #"{"message":"The code field is required.","errors":{}}"#))
      })
    expect(await venue.system.reach(deadline: SystemTime().now() + .seconds(60)).isAnswer)
    let request = venue.server.requests.first ?? ""
    expect(request.contains("X-API-Key: test-key"), "it shows whether our key is good, too")
    // Of no ticket: the server refuses it.
    expect(request.hasSuffix(#"{"code":"","ticket_code":""}"#), "\(request)")
    await venue.close()
  }

  @Test func aRefusedConnectionIsOffline() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), port: closedPort)
    await expectEqual(venue.attempt(within: .milliseconds(400)).offline, .noConnection)
    await venue.close()
  }

  @Test func aConnectionClosedBeforeAnAnswerIsOffline() async throws {
    let venue = try await Venue.open(ScriptedServer { _, _, connection in connection.close() })
    let outcome = await venue.attempt()
    expectEqual(outcome.offline, .noConnection)
    expect(outcome.mayHaveRedeemed)
    await venue.close()
  }

  @Test(arguments: [
    String(Answers.response("201 Created", Answers.sale()).dropLast(10)), "SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "HTTP/1.1 201 Created\r\nContent-Length: -1\r\n\r\n",
  ]) func aBrokenAnswerIsNot(bytes: String) async throws {
    let venue = try await Venue.open(
      ScriptedServer { _, _, connection in
        connection.send(bytes)
        connection.close()
      })
    expect(await venue.attempt().offline == nil)
    await venue.close()
  }

  @Test func anUnknownNameIsOffline() async throws {
    let transport = try HTTPTransport(server: ServerAddress("https://tickets.invalid"))
    let client = EventScheduleClient(transport: transport, key: try Secret("k"))
    let system = EventScheduleTicketSystem(id: TicketSystemID("tickets"), client: client)
    let request = AttemptRequest(
      attempt: AttemptID(), scan: ScanID(), code: Code("abcdefgh"), deadline: SystemTime().now() + .seconds(1))
    let cause = await system.attempt(request) { _ in }.offline
    // A resolver that does not answer either is met as a connection that does not come about.
    expect(cause == .noAddress || cause == .noConnection)
    await transport.close()
  }

  @Test func aDeadlineThatHadPassedSaysNothing() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted))
    expect(await venue.attempt(within: .seconds(-1)).offline == nil)
    await venue.close()
  }

  @Test(arguments: [TestCertificates.good, TestCertificates.wrongHost, TestCertificates.expired])
  func certificatesThatAreNotTrustedAreNot(certificate: String) async throws {
    let authority = certificate == TestCertificates.good ? TestCertificates.otherAuthority : TestCertificates.authority
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), certificate: certificate, settings: try trusting(authority))
    expect(await venue.attempt().offline == nil)
    // Which of the two takes a second look, for which a busy machine may have no time.
    guard case .fault(let reason, _) = await venue.system.reach(deadline: SystemTime().now() + .seconds(60)) else {
      unexpected("no fault")
      return
    }
    expect(reason == .tlsFault || certificate == TestCertificates.expired && reason == .clockWrong)
    await venue.close()
  }

  /// What is no answer of the API says nothing of a ticket; what is one may not tell.
  @Test(
    arguments: [
      ("404 Not Found", "<html>", "text/html", LookUp.unanswered), ("302 Found", "", "text/html", .unanswered),
      ("405 Method Not Allowed", "", nil, .unanswered), ("200 OK", "<html>", "text/html", .unanswered),
      ("401 Unauthorized", #"{"error":"Invalid API key"}"#, "application/json", .unanswered),
      ("403 Forbidden", #"{"message":"Access denied"}"#, "application/json", .unknown),
      ("200 OK", #"{"data":[],"meta":{"current_page":1,"last_page":1}}"#, "application/json", .unknown),
    ] as [(String, String, String?, LookUp)]) func aLookUpThatIsNotAnsweredIsToldFromOneThatCannotTell(
      status: String, body: String, type: String?, found: LookUp
    ) async throws
  {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.response(status, body, type: type)))
    let code = Code("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl")
    await expectEqual(venue.system.lookUp(code, deadline: SystemTime().now() + .seconds(60)), found)
    await venue.close()
  }

  @Test func aKeyThatIsNotAskedForIsNot() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("401 Unauthorized", #"{"error":"Invalid API key"}"#)))
    for _ in 0..<12 { expect(await venue.attempt(within: .seconds(60)).offline == nil) }
    expect(venue.server.requests.count < 12, "requests are withheld by then")
    guard case .fault(.keyRefused, _) = await venue.system.reach(deadline: SystemTime().now() + .seconds(60)) else {
      unexpected("no fault of the key")
      return
    }
    await venue.close()
  }

  @Test func aSpentBudgetIsSoForGatesThatSaySo() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), budget: RateBudget(limit: 3))
    for _ in 0..<3 { expect(await venue.attempt().offline == nil) }
    await expectEqual(venue.attempt().offline, .rateLimited)
    await venue.close()
  }

  @Test func whatIsOwedLeavesTheBudgetToLiveScans() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), budget: RateBudget(limit: 6))
    func owed() async -> AttemptOutcome {
      let request = AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: Code("abcdefgh"), deadline: SystemTime().now() + .seconds(60),
        isOwed: true)
      return await venue.system.attempt(request) { _ in }
    }
    for _ in 0..<4 { await expectEqual(owed().fate, .answered) }
    await expectEqual(owed().fate, .notSent)
    for _ in 0..<2 { await expectEqual(venue.attempt().fate, .answered) }
    await expectEqual(venue.attempt().fate, .notSent)
    await venue.close()
  }
}
