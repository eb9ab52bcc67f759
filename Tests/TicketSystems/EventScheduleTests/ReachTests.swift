import EventSchedule
import Expectations
import ScanModel
import Calls
import ScriptedHTTP
import Testing
import TicketTransport

/// What a scan of nothing tells before anybody presents a ticket: whether one would be decided, and which setting is wrong.
@Suite struct ReachTests {
  private static var settings: HTTPTransport.Settings {
    var settings = HTTPTransport.Settings()
    settings.words.keyCure = "Mend apiKey."
    settings.words.addressCure = "Mend url."
    settings.words.trustCure = "Mend caFile."
    return settings
  }

  private func found(
    _ status: String, _ body: String, type: String? = "application/json"
  ) async throws -> Reach {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response(status, body, type: type)), settings: Self.settings)
    let found = await venue.system.reach(deadline: SystemTime().now() + .seconds(60))
    expectEqual(venue.server.requests.count, 1)
    await venue.close()
    return found
  }

  /// The document's refusal, the real server's, and that of one which looks for a ticket all the same.
  @Test(arguments: [
    ("400 Bad Request", #"{"error":"The ticket code field is required."}"#),
    ("422 Unprocessable Content", #"{"message":"The code field is required.","errors":{"code":["x"]}}"#),
    ("404 Not Found", #"{"error":"Ticket not found"}"#),
  ]) func aRefusalOfNothingIsAnAnswerWithItsClocksTime(status: String, body: String) async throws {
    let found = try await found(status, body)
    guard case .answers(let date?) = found else { return unexpected("\(found)") }
    expect(date.seconds > 1_700_000_000)
  }

  @Test(
    arguments: [
      ("401 Unauthorized", #"{"error":"Invalid API key"}"#, UndecidedReason.keyRefused, "Mend apiKey."),
      ("403 Forbidden", #"{"message":"Access denied"}"#, .accessDenied, "Mend apiKey."),
      ("403 Forbidden", #"{"error":"Unauthorized"}"#, .accessDenied, "Mend apiKey."),
      ("423 Locked", #"{"error":"API key temporarily blocked"}"#, .keyBlocked, "Mend apiKey."),
      // Below an address that is too long, a framework knows no such route.
      (
        "404 Not Found", #"{"message":"The route events/api/tickets/scan could not be found."}"#, .badAnswer,
        "Mend url."
      ),
      ("405 Method Not Allowed", #"{"message":"The POST method is not supported."}"#, .badAnswer, "Mend url."),
    ]) func aRefusalIsAFaultThatNamesItsSetting(
      status: String, body: String, reason: UndecidedReason, cure: String
    ) async throws
  {
    let found = try await found(status, body)
    guard case .fault(reason, let detail) = found else { return unexpected("\(found)") }
    expect(detail.contains(cure), "\(detail)")
    expect(!detail.contains("test-key"))
  }

  @Test(arguments: [
    "200 OK", "201 Created", "204 No Content", "301 Moved Permanently", "302 Found", "400 Bad Request",
    "401 Unauthorized", "403 Forbidden", "404 Not Found",
  ]) func aPageIsAFaultOfTheAddressAndNotOfTheKey(status: String) async throws {
    let found = try await found(status, "<html>Log in to the hall's network</html>", type: "text/html")
    guard case .fault(.badAnswer, let detail) = found else { return unexpected("\(found)") }
    expect(detail.contains("Mend url."), "\(detail)")
  }

  @Test func anAdmissionOnNothingIsAFault() async throws {
    let found = try await found("201 Created", Answers.sale())
    guard case .fault(.badAnswer, _) = found else { return unexpected("\(found)") }
  }

  @Test(arguments: [
    "408 Request Timeout", "429 Too Many Requests", "500 Internal Server Error", "520 Unknown",
  ]) func whatPassesOrMayBeAboutNothingProvesNothing(status: String) async throws {
    for type in ["application/json", "text/html"] {
      let found = try await found(status, #"{"error":"No"}"#, type: type)
      guard case .unclear(let detail) = found else { return unexpected("\(found)") }
      expect(detail.contains(status.hasPrefix("429") ? "asked too often (429)" : "out of order"), "\(detail)")
    }
  }

  @Test func aCertificateThatIsNotTrustedNamesTheSettingForIt() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), certificate: TestCertificates.good,
      settings: try trusting(TestCertificates.otherAuthority, Self.settings))
    let found = await venue.system.reach(deadline: SystemTime().now() + .seconds(60))
    guard case .fault(.tlsFault, let detail) = found else { return unexpected("\(found)") }
    expect(detail.contains("Mend caFile."), "\(detail)")
    await venue.close()
  }

  /// Ten refusals would block the key; it is not asked with so often.
  @Test func aKeyThatIsRefusedIsNotTriedUntilItIsBlocked() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("401 Unauthorized", #"{"error":"Invalid API key"}"#)),
      settings: Self.settings)
    for _ in 0..<12 {
      let found = await venue.system.reach(deadline: SystemTime().now() + .seconds(60))
      guard case .fault(.keyRefused, let detail) = found else { return unexpected("\(found)") }
      expect(detail.contains("Mend apiKey."), "\(detail)")
    }
    expectEqual(venue.server.requests.count, AuthenticationGuard.mostFailures)
    await venue.close()
  }
}
