import Expectations
import FoundationEssentials
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// Each of the document's kinds of errors, in both shapes, at each endpoint.
@Suite struct FaultKindTests {
  private func kind(_ answer: String, _ endpoint: Service.Endpoint) async throws -> ControlFaultKind? {
    let service = try await Service.answering(answer)
    let fault = await service.fault(endpoint)
    expectEqual(fault?.detail.contains("localhost:"), true)
    await service.close()
    return fault?.kind
  }

  // MARK: networkError

  @Test(arguments: Service.Endpoint.allCases) func networkError(endpoint: Service.Endpoint) async throws {
    let service = try await Service.open(ScriptedServer { _, _, connection in connection.close() })
    let fault = try #require(await service.fault(endpoint))
    expectEqual(fault.kind, .network)
    expect(fault.wasSent)
    await service.close()
  }

  @Test func networkErrorOfNoConnection() async throws {
    let service = try await Service.answering(Answers.ok("{}"))
    await service.server.stop()
    await #expect(throws: ControlFault.self) {
      do throws(ControlFault) {
        try await service.client.health(deadline: SystemTime().now() + .milliseconds(300))
      } catch {
        expectEqual(error.kind, .network)
        expect(!error.wasSent)
        throw error
      }
    }
    await service.close()
  }

  @Test func networkErrorOfTheDeadline() async throws {
    let service = try await Service.open(ScriptedServer { _, _, _ in })
    await #expect(throws: ControlFault.self) {
      do throws(ControlFault) {
        try await service.client.validate(Service.activation(), deadline: SystemTime().now() + .milliseconds(300))
      } catch {
        expectEqual(error.kind, .network)
        throw error
      }
    }
    await service.close()
  }

  // MARK: authenticationError

  private static let refused = [
    Answers.refusal("401 Unauthorized", "INVALID_TOKEN", "Authentication token is invalid or expired"),
    Answers.response("401 Unauthorized", #"{"error":"Unauthorized"}"#),
    Answers.response("403 Forbidden", #"{"error":"Forbidden"}"#),
    Answers.response("401 Unauthorized", "<html>", type: "text/html"),
  ]

  @Test(arguments: refused.indices, [Service.Endpoint.register, .configuration, .status, .validate])
  func authenticationError(index: Int, endpoint: Service.Endpoint) async throws {
    try await expectEqual(kind(Self.refused[index], endpoint), .authentication)
  }

  @Test func authenticationErrorInAGoodStatus() async throws {
    for endpoint in [Service.Endpoint.configuration, .status, .validate] {
      try await expectEqual(kind(Answers.refusal("200 OK", "INVALID_TOKEN", "Expired"), endpoint), .authentication)
    }
  }

  /// The token ends between the two requests of one call.
  @Test func aTokenThatExpiresMidCall() async throws {
    let server = ScriptedServer { number, _, connection in
      connection.send(number == 1 ? Answers.ok("{}") : Self.refused[1])
    }
    let service = try await Service.open(server)
    await expectEqual(service.configuration().fault?.kind, .authentication)
    expectEqual(service.requests.count, 3)
    await service.close()
  }

  /// A clock that is off by a day is a likely cause, and is told; nothing else changes.
  @Test(arguments: [(86_400, "24 h ahead"), (-86_400, "24 h behind")])
  func aClockThatIsOffByADay(seconds: Int, words: String) async throws {
    let service = try await Service.answering(Self.refused[1], clockShift: .seconds(seconds))
    let fault = try #require(await service.fault(.validate))
    expectEqual(fault.kind, .authentication)
    expect(fault.detail.contains(words), "\(fault)")
    await service.close()
    let well = try await Service.answering(Answers.enveloped(Answers.configuration), clockShift: .seconds(seconds))
    expect(await well.configuration().value != nil)
    await well.close()
    let active = try await Service.answering(
      Answers.ok(#"{"success":true,"token":"t","kioskId":"k","expiresAt":"2025-07-15T12:00:00Z"}"#),
      clockShift: .seconds(seconds))
    await expectEqual(active.activate().value?.expires, WallTime(seconds: 1_752_580_800))
    await active.close()
  }

  // MARK: configurationError

  @Test(arguments: [
    Answers.ok("{}"), Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#),
    Answers.refusal("404 Not Found", "KIOSK_NOT_FOUND", "Kiosk not found"), Answers.enveloped("{}"),
    Answers.enveloped("[]"), Answers.ok("[]"),
  ]) func configurationError(answer: String) async throws {
    try await expectEqual(kind(answer, .configuration), .configuration)
  }

  @Test(arguments: [
    Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#),
    Answers.refusal("404 Not Found", "KIOSK_NOT_FOUND", "Kiosk not found"),
  ]) func configurationErrorOfAStatus(answer: String) async throws {
    try await expectEqual(kind(answer, .status), .configuration)
  }

  /// An address where the service is not: that is no word about this station.
  @Test(arguments: [Service.Endpoint.health, .register, .activate])
  func noSuchPlaceIsUnknown(endpoint: Service.Endpoint) async throws {
    try await expectEqual(kind(Answers.response("404 Not Found", #"{"error":"Not found"}"#), endpoint), .unknown)
    try await expectEqual(kind(Answers.response("404 Not Found", "", type: "text/html"), endpoint), .unknown)
  }

  // MARK: serverError

  @Test(
    arguments: [
      Answers.refusal("500 Internal Server Error", "INTERNAL_ERROR", "Database"),
      Answers.response("503 Service Unavailable", #"{"status":"starting"}"#),
      Answers.response("502 Bad Gateway", "<html>", type: "text/html"),
      Answers.response("429 Too Many Requests", #"{"error":"Too many requests"}"#, extra: "Retry-After: 7\r\n"),
    ], Service.Endpoint.allCases)
  func serverError(answer: String, endpoint: Service.Endpoint) async throws {
    try await expectEqual(kind(answer, endpoint), .server)
  }

  @Test func serverErrorThatAsksForPatience() async throws {
    let service = try await Service.answering(
      Answers.response("503 Service Unavailable", #"{"error":"Busy"}"#, extra: "Retry-After: 7\r\n"))
    await expectEqual(service.fault(.status)?.retryAfter, .seconds(7))
    await service.close()
  }

  // MARK: unknown

  @Test(
    arguments: [
      Answers.response("200 OK", "<!doctype html><title>Login</title>", type: "text/html"),
      Answers.response("302 Found", "", extra: "Location: /login\r\n"),
      Answers.response("418 I'm a teapot", #"{"error":"No"}"#), Answers.response("200 OK", "{}", type: nil),
    ], Service.Endpoint.allCases)
  func unknown(answer: String, endpoint: Service.Endpoint) async throws {
    try await expectEqual(kind(answer, endpoint), .unknown)
  }

  @Test(arguments: Service.Endpoint.allCases) func unknownTLS(endpoint: Service.Endpoint) async throws {
    let service = try await Service.open(
      ScriptedServer(answer: Answers.ok("{}")), certificate: TestCertificates.good)
    let fault = try #require(await service.fault(endpoint))
    expectEqual(fault.kind, .unknown)
    expect(fault.detail.contains("certificate"))
    await service.close()
    expectEqual(service.server.bytes, 0)
  }

  /// Trusted, and made out for the address to which the service's name leads: neither token nor code goes there.
  @Test(arguments: Service.Endpoint.allCases) func unknownTLSOfAnotherHost(endpoint: Service.Endpoint) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "kiosk-\(UInt64.random(in: .min ... .max)).pem")
    try Data(NamedCertificates.authority.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var settings = KioskClient.transportSettings
    settings.trust = .onlyFile(path: file.path)
    let service = try await Service.open(
      ScriptedServer(answer: Answers.ok("{}")), certificate: NamedCertificates.address, settings: settings)
    let fault = try #require(await service.fault(endpoint))
    expectEqual(fault.kind, .unknown)
    expect(fault.detail.contains("another host"), "\(fault)")
    expect(!fault.wasSent)
    await service.close()
    expectEqual(service.server.bytes, 0)
  }
}
