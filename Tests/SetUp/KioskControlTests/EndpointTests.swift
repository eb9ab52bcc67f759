import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// Each line of the document's list of endpoints: what goes over the wire, and the answers of the document and of real servers.
@Suite struct EndpointTests {
  // MARK: GET /api/health

  @Test(arguments: [
    #"{"status":"ok","timestamp":"2025-07-15T12:00:00.000Z","cors":true}"#, #"{"ok":true}"#,
    #"{"success":true,"data":{"status":"ok"},"timestamp":"2025-07-15T12:00:00Z"}"#,
    #"{"success":true,"data":{"ok":true}}"#,
  ]) func getHealth(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    try await service.client.health(deadline: Service.deadline)
    expectEqual(service.lines, ["GET /api/health"])
    expect(!service.requests[0].contains("Authorization"))
    await service.close()
  }

  @Test func getHealthOfAServerThatIsStarting() async throws {
    let service = try await Service.answering(Answers.response("503 Service Unavailable", #"{"status":"starting"}"#))
    let fault = try #require(await service.fault(.health))
    expectEqual(fault.kind, .server)
    expectEqual(fault.status, 503)
    await service.close()
  }

  @Test(arguments: [#"{"status":"starting"}"#, #"{"ok":false}"#, #"{"success":false}"#, "{}"])
  func getHealthThatIsNoYes(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    expect(await service.fault(.health) != nil)
    await service.close()
  }

  @Test func getHealthWhereLaterServersHaveIt() async throws {
    let service = try await Service.open(
      ScriptedServer { number, _, connection in
        connection.send(
          number == 1
            ? Answers.response("404 Not Found", "<pre>Cannot GET /api/health</pre>", type: "text/html")
            : Answers.ok(#"{"status":"ok"}"#))
      })
    try await service.client.health(deadline: Service.deadline)
    expectEqual(service.lines, ["GET /api/health", "GET /api/v1/health"])
    await service.close()
  }

  /// A base URL may have a path, and may end in `/api`.
  @Test(arguments: [
    ("", "/api/health"), ("/api", "/api/health"), ("/kiosks", "/kiosks/api/health"), ("/x/api/", "/x/api/health"),
  ])
  func getHealthBelowTheBase(path: String, line: String) async throws {
    let service = try await Service.open(ScriptedServer(answer: Answers.ok(#"{"ok":true}"#)), path: path)
    try await service.client.health(deadline: Service.deadline)
    expectEqual(service.lines, ["GET " + line])
    await service.close()
  }

  // MARK: POST /api/register-kiosk

  @Test(arguments: [
    #"{"message":"registered"}"#,
    #"{"success":true,"data":{"message":"registered"},"timestamp":"2025-07-15T12:00:00Z"}"#,
    #"{}"#,
  ]) func postRegisterKiosk(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    try await service.client.register(
      Service.station, token: ControlToken("temporary-token"), deadline: Service.deadline)
    let request = service.requests[0]
    expectEqual(service.lines, ["POST /api/register-kiosk"])
    expect(
      request.hasSuffix(
        #"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.4.0","token":"temporary-token"}"#))
    expect(request.contains("Content-Type: application/json\r\n"))
    expect(!request.contains("Authorization"))
    await service.close()
  }

  @Test func postRegisterKioskWithoutAToken() async throws {
    let service = try await Service.answering(Answers.ok(#"{"message":"registered"}"#))
    try await service.client.register(Service.station, token: nil, deadline: Service.deadline)
    expect(service.requests[0].hasSuffix(#"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.4.0"}"#))
    await service.close()
  }

  @Test(arguments: [
    ("400 Bad Request", #"{"error":"Invalid kiosk ID format"}"#, ControlFaultKind.configuration),
    ("400 Bad Request", #"{"error":"Missing id"}"#, .configuration),
    ("401 Unauthorized", #"{"error":"Invalid kiosk token"}"#, .authentication),
    ("200 OK", #"{"success":false,"error":{"code":"INVALID_TOKEN","message":"No"}}"#, .authentication),
    ("200 OK", #"{"error":"Something"}"#, .unknown),
  ])
  func postRegisterKioskRefused(status: String, body: String, kind: ControlFaultKind) async throws {
    let service = try await Service.answering(Answers.response(status, body))
    let fault = try #require(await service.fault(.register))
    expectEqual(fault.kind, kind)
    await service.close()
  }

  // MARK: POST /api/kiosks/activate

  @Test func postKiosksActivate() async throws {
    let service = try await Service.answering(
      Answers.ok(
        #"{"success":true,"token":"jwt-token-here","kioskId":"assigned-kiosk-id","expiresAt":"2025-07-15T12:00:00Z"}"#))
    let activation = try #require(await service.activate("abc123def456").value)
    expectEqual(activation.kioskID, "assigned-kiosk-id")
    expectEqual(activation.token?.text, "jwt-token-here")
    expectEqual(activation.expires, WallTime(seconds: 1_752_580_800))
    expectEqual(service.lines, ["POST /api/kiosks/activate"])
    expect(
      service.requests[0].hasSuffix(
        #"{"kioskId":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","activationCode":"ABC123DEF456"}"#))
    expect(!service.requests[0].contains("Authorization"))
    await service.close()
  }

  // MARK: GET /api/kiosks/configuration

  @Test(arguments: [false, true]) func getKiosksConfiguration(isEnveloped: Bool) async throws {
    let service = try await Service.answering(
      isEnveloped ? Answers.enveloped(Answers.configuration) : Answers.ok(Answers.configuration))
    let configuration = try #require(await service.configuration().value)
    expectEqual(configuration.name, "Box office east")
    expectEqual(service.lines, ["GET /api/kiosks/configuration"])
    expect(service.requests[0].contains("Authorization: Bearer \(Service.token)\r\n"))
    await service.close()
  }

  @Test func getKiosksConfigurationRefreshed() async throws {
    let service = try await Service.answering(Answers.enveloped(Answers.configuration))
    expect(await service.configuration(refreshing: true).value != nil)
    expectEqual(service.lines, ["GET /api/kiosks/configuration?refresh=true"])
    expect(service.requests[0].contains("Cache-Control: no-cache\r\n"))
    expect(await service.configuration().value != nil)
    expect(!service.requests[1].contains("Cache-Control"))
    await service.close()
  }

  @Test(arguments: [
    Answers.ok("{}"), Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#),
    Answers.response("404 Not Found", "<pre>Cannot GET</pre>", type: "text/html"),
    Answers.response("400 Bad Request", #"{"error":"Invalid kiosk ID format"}"#), Answers.enveloped("{}"),
    Answers.refusal("200 OK", "KIOSK_NOT_FOUND", "Kiosk not found"),
  ]) func getRemoteConfigInItsPlace(nothing: String) async throws {
    let server = ScriptedServer { _, request, connection in
      connection.send(request.contains("remote-config") ? Answers.ok(Answers.remoteConfiguration) : nothing)
    }
    let service = try await Service.open(server)
    let activation = Service.activation("a kiosk/1")
    let configuration = try #require(await service.configuration(of: activation).value)
    expectEqual(configuration.roomName, "East hall")
    expectEqual(service.lines, ["GET /api/kiosks/configuration", "GET /api/kiosks/a%20kiosk%2F1/remote-config"])
    // What worked is asked first from then on.
    await expectEqual(service.configuration(of: activation).value, configuration)
    expectEqual(service.lines.count, 3)
    expectEqual(service.lines.last?.hasSuffix("remote-config"), true)
    await service.close()
  }

  @Test func aServerThatLearnsTheDocumentIsFoundAgain() async throws {
    let server = ScriptedServer { number, request, connection in
      let isRemote = request.contains("remote-config")
      connection.send(
        isRemote == (number < 3)
          ? Answers.ok(isRemote ? Answers.remoteConfiguration : Answers.configuration)
          : Answers.response("404 Not Found", #"{"error":"Not found"}"#))
    }
    let service = try await Service.open(server)
    expect(await service.configuration().value?.name == nil)
    await expectEqual(service.configuration().value?.name, "Box office east")
    expectEqual(service.lines.count, 4)
    await service.close()
  }

  // MARK: PUT /api/kiosks/{id}/status

  @Test(arguments: [
    #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"available","timestamp":"2025-07-15T12:00:00Z"}"#,
    #"{"success":true,"data":{"status":"available"},"timestamp":"2025-07-15T12:00:00Z"}"#, #"{"message":"updated"}"#,
  ]) func putKioskStatus(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    try await service.client.report(
      .available, isManual: true, at: WallTime(seconds: 1_752_580_800), of: Service.activation("a/b"),
      deadline: Service.deadline)
    expectEqual(service.lines, ["PUT /api/kiosks/a%2Fb/status"])
    expect(
      service.requests[0].hasSuffix(
        #"{"status":"available","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#))
    expect(service.requests[0].contains("Authorization: Bearer \(Service.token)\r\n"))
    await service.close()
  }

  @Test func putKioskStatusWithoutABodyInTheAnswer() async throws {
    let service = try await Service.answering("HTTP/1.1 204 No Content\r\n\r\n")
    expect(await service.fault(.status) == nil)
    await service.close()
  }

  @Test func putKioskStatusWithoutAToken() async throws {
    let service = try await Service.answering(Answers.ok(#"{"message":"updated"}"#))
    expect(await service.fault(.status, of: Service.activation(token: nil)) == nil)
    expect(!service.requests[0].contains("Authorization"))
    await service.close()
  }

  @Test func putKioskStatusOfAnUnknownKiosk() async throws {
    let service = try await Service.answering(Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#))
    await expectEqual(service.fault(.status)?.kind, .configuration)
    await service.close()
  }

  @Test(arguments: ["", ".", "..", String(repeating: "k", count: 129)])
  func anIdentifierIsNoWayOutOfThePath(id: String) async throws {
    let service = try await Service.answering(Answers.ok("{}"))
    await expectEqual(service.fault(.status, of: Service.activation(id))?.kind, .configuration)
    await expectEqual(service.fault(.configuration, of: Service.activation(id))?.kind, .configuration)
    expect(service.requests.isEmpty)
    await service.close()
  }

  // MARK: POST /api/kiosks/validate-token

  @Test(arguments: [
    #"{"success":true,"data":{"valid":true},"timestamp":"2025-07-15T12:00:00Z"}"#, #"{"valid":true}"#,
    #"{"success":true}"#, "{}",
  ]) func postKiosksValidateToken(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    try await service.client.validate(Service.activation(), deadline: Service.deadline)
    expectEqual(service.lines, ["POST /api/kiosks/validate-token"])
    expect(service.requests[0].contains("Authorization: Bearer \(Service.token)\r\n"))
    expect(service.requests[0].hasSuffix("\r\n\r\n{}"))
    await service.close()
  }

  @Test(arguments: ["404 Not Found", "405 Method Not Allowed"])
  func getKiosksValidateTokenOfRealServers(status: String) async throws {
    let server = ScriptedServer { _, request, connection in
      connection.send(
        request.hasPrefix("GET")
          ? Answers.ok("{}") : Answers.response(status, "<pre>Cannot POST</pre>", type: "text/html"))
    }
    let service = try await Service.open(server)
    expect(await service.fault(.validate) == nil)
    expect(await service.fault(.validate) == nil)
    expectEqual(
      service.lines,
      [
        "POST /api/kiosks/validate-token", "GET /api/kiosks/validate-token", "GET /api/kiosks/validate-token",
      ])
    await service.close()
  }

  @Test(arguments: [
    Answers.ok(#"{"valid":false}"#), Answers.enveloped(#"{"valid":false}"#), Answers.ok(#"{"success":false}"#),
    Answers.refusal("401 Unauthorized", "INVALID_TOKEN", "Authentication token is invalid or expired"),
    Answers.response("401 Unauthorized", #"{"error":"Unauthorized"}"#),
  ]) func postKiosksValidateTokenThatIsNotValid(answer: String) async throws {
    let service = try await Service.answering(answer)
    await expectEqual(service.fault(.validate)?.kind, .authentication)
    await service.close()
  }

  @Test func aTokenThatIsNotThereIsNotValidated() async throws {
    let service = try await Service.answering(Answers.ok("{}"))
    let fault = try #require(await service.fault(.validate, of: Service.activation(token: nil)))
    expectEqual(fault.kind, .authentication)
    expect(!fault.wasSent)
    expect(service.requests.isEmpty)
    await service.close()
  }
}
