import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// What activates a station, and why not: literal answers of the document and of real servers.
@Suite struct ActivationTests {
  // MARK: Yes

  static let yes: [(body: String, kioskID: String, token: String?)] = [
    // The document, bare and in its envelope.
    (
      #"{"success":true,"token":"jwt-token-here","kioskId":"assigned-kiosk-id","expiresAt":"2025-07-15T12:00:00Z"}"#,
      "assigned-kiosk-id", "jwt-token-here"
    ),
    (
      #"{"success":true,"data":{"token":"jwt-token-here","kioskId":"assigned-kiosk-id","expiresAt":"2025-07-15T12:00:00Z"},"timestamp":"2025-07-15T12:00:00Z"}"#,
      "assigned-kiosk-id", "jwt-token-here"
    ),
    (#"{"token":"jwt-token-here","kioskId":"assigned-kiosk-id"}"#, "assigned-kiosk-id", "jwt-token-here"),
    // Real servers, the earliest first.
    (#"{"message":"Kiosk activated successfully","token":"t0.t1.t2","kioskId":"k-9"}"#, "k-9", "t0.t1.t2"),
    (#"{"message":"Kiosk activated successfully","kioskId":"k-9","active":true}"#, "k-9", nil),
    (#"{"message":"Kiosk activated successfully","kioskId":"k-9","activated":true}"#, "k-9", nil),
    (
      #"{"success":true,"token":"c0ffee","kiosk":{"id":"b-1","name":"East","location":null,"isActive":true,"configuration":{"outputs":{"relay":"open"}}},"message":"Beacon activated"}"#,
      "b-1", "c0ffee"
    ),
    // Without an identifier it keeps the one that was sent.
    (#"{"success":true,"token":null,"kioskId":null}"#, Service.station.id, nil),
    (#"{"success":true,"kioskId":17}"#, "17", nil),
    (#"{"success":true,"error":null,"kioskId":"k-9"}"#, "k-9", nil),
    (#"{"success":true,"error":"","kioskId":"k-9"}"#, "k-9", nil),
  ]

  @Test(arguments: yes.indices) func isActivatedByAnExplicitYes(index: Int) async throws {
    let test = Self.yes[index]
    for status in ["200 OK", "201 Created"] {
      let service = try await Service.answering(Answers.response(status, test.body))
      let activation = try #require(await service.activate().value)
      expectEqual(activation.kioskID, test.kioskID)
      expectEqual(activation.token?.text, test.token)
      expectEqual(service.requests.count, 1)
      await service.close()
    }
  }

  @Test func theStationThatTheCodeIsForIsSent() async throws {
    let service = try await Service.answering(Answers.ok(#"{"success":true}"#))
    await expectEqual(service.activate("k3j9qz", kioskID: "for \"this\"").value?.kioskID, "for \"this\"")
    expect(service.requests[0].hasSuffix(#"{"kioskId":"for \"this\"","activationCode":"K3J9QZ"}"#))
    await service.close()
  }

  // MARK: Refused

  static let refusals: [(answer: String, refusal: SetUpRefusal)] = [
    (
      Answers.response("400 Bad Request", #"{"error":"Invalid code format","errorCode":"INVALID_CODE_FORMAT"}"#), .wrong
    ),
    (
      Answers.response(
        "400 Bad Request", #"{"error":"Invalid or expired activation code","errorCode":"INVALID_OR_EXPIRED_CODE"}"#),
      .wrong
    ),
    (Answers.response("401 Unauthorized", #"{"error":"Invalid or expired activation code"}"#), .wrong),
    (Answers.response("401 Unauthorized", #"{"error":"Invalid activation code"}"#), .wrong),
    (
      Answers.response(
        "404 Not Found", #"{"success":false,"error":"Invalid activation code","errorCode":"INVALID_ACTIVATION_CODE"}"#),
      .wrong
    ),
    (Answers.refusal("404 Not Found", "INVALID_ACTIVATION_CODE", "Unknown"), .wrong),
    (Answers.refusal("400 Bad Request", "VALIDATION_ERROR", "activationCode must have 6 to 32 characters"), .wrong),
    (Answers.refusal("200 OK", "INVALID_CODE", "No"), .wrong),
    (Answers.refusal("400 Bad Request", "CODE_EXPIRED", "The code has expired"), .expired),
    (Answers.response("410 Gone", #"{"error":"Gone"}"#), .expired),
    (Answers.response("400 Bad Request", #"{"error":"Activation code has expired"}"#), .expired),
    (Answers.refusal("409 Conflict", "CODE_ALREADY_USED", "Used"), .used),
    (Answers.refusal("400 Bad Request", "ALREADY_ACTIVATED", "Kiosk is already activated"), .used),
    (Answers.response("409 Conflict", #"{"message":"Conflict"}"#), .used),
    (
      Answers.response("404 Not Found", #"{"error":"Kiosk not found","errorCode":"KIOSK_NOT_FOUND"}"#), .unknownStation
    ),
    (Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#), .unknownStation),
    (
      Answers.response("429 Too Many Requests", #"{"error":"Too many requests","message":"Wait"}"#), .lockedOut
    ),
    (Answers.refusal("400 Bad Request", "RATE_LIMIT_EXCEEDED", "Slow"), .lockedOut),
    // Nothing that judges the code.
    (
      Answers.response(
        "400 Bad Request", #"{"error":"Missing kioskId or activationCode","errorCode":"MISSING_PARAMETERS"}"#), .fault
    ),
    (Answers.response("404 Not Found", #"{"error":"Not found"}"#), .fault),
    (Answers.response("404 Not Found", "<pre>Cannot POST</pre>", type: "text/html"), .fault),
    (Answers.response("401 Unauthorized", "<html>", type: "text/html"), .fault),
    (Answers.response("403 Forbidden", #"{"error":"Forbidden"}"#), .fault),
  ]

  @Test(arguments: refusals.indices) func isRefusedInWords(index: Int) async throws {
    let test = Self.refusals[index]
    let service = try await Service.answering(test.answer)
    let fault = try #require(await service.activate().fault)
    expectEqual(fault.refusal, test.refusal, "\(fault)")
    expect(!fault.mayBeUsed)
    expect(
      (fault.kind == nil) == [.wrong, .expired, .used, .unknownStation].contains(test.refusal)
        || test.refusal == .lockedOut)
    expect(fault.detail.contains("localhost:"))
    // Never twice to the same place; where a server has another one, that may be the code's.
    expect(Set(service.lines).count == service.lines.count && service.lines.count <= 2, "\(service.lines)")
    await service.close()
  }

  @Test func whatMayHaveExpiredIsSaidSo() async throws {
    let service = try await Service.answering(
      Answers.response(
        "400 Bad Request", #"{"error":"Invalid or expired activation code","errorCode":"INVALID_OR_EXPIRED_CODE"}"#))
    await expectEqual(service.activate().fault?.detail.contains("or it has expired"), true)
    await service.close()
  }

  @Test func anUnknownStationIsToldToRegister() async throws {
    let service = try await Service.answering(
      Answers.response("404 Not Found", #"{"error":"Kiosk not found","errorCode":"KIOSK_NOT_FOUND"}"#))
    await expectEqual(service.activate().fault?.detail.contains("scangate kiosk register"), true)
    await service.close()
  }

  // MARK: Neither yes nor no

  static let unclear = [
    #"{"success":true,"error":"No","token":"t","kioskId":"k"}"#, #"{"success":true,"error":{},"token":"t"}"#,
    #"{"active":"yes","token":"t","kioskId":"k"}"#, #"{"activated":1,"token":"t","kioskId":"k"}"#,
    "{}", #"{"message":"ok"}"#, #"{"kioskId":"k-9"}"#, #"{"success":1,"token":"t"}"#,
    #"{"success":"true","token":"t"}"#, #"{"active":false,"token":"t","kioskId":"k"}"#, #"{"success":true,"token":5}"#,
    #"{"success":true,"token":"with blank"}"#, #"{"success":true,"token":""}"#, #"{"success":true,"kioskId":[]}"#,
    #"{"success":true,"kioskId":".."}"#, #"{"success":true,"kioskId":""}"#, #"{"success":true,"data":[]}"#,
    #"{"success":true,"data":"yes"}"#, #"[{"success":true,"token":"t"}]"#, #""yes""#, "true", "null",
    #"{"success":true"#,
    #"{"success":true,"success":true}"#,
  ]

  @Test(arguments: unclear) func nothingElseActivates(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    let fault = try #require(await service.activate().fault)
    expectEqual(fault.refusal, .fault, "\(fault)")
    await service.close()
  }

  @Test(arguments: ["{}", #"{"kioskId":"k-9"}"#, "[]", #"{"success":true,"token":5}"#])
  func aCodeThatWasTakenForNothingMayBeUsed(body: String) async throws {
    let service = try await Service.answering(Answers.ok(body))
    await expectEqual(service.activate().fault?.mayBeUsed, true)
    await service.close()
  }

  @Test func aTokenThatIsGivenIsNotShown() async throws {
    let service = try await Service.answering(
      Answers.ok(#"{"success":true,"token":"new-token","kioskId":[],"message":"Your token is new-token."}"#))
    let fault = try #require(await service.activate().fault)
    expect(fault.detail.contains("Your token is (token)."))
    await service.close()
  }

  @Test(arguments: [
    ("500 Internal Server Error", SetUpRefusal.fault), ("502 Bad Gateway", .offline),
    ("503 Service Unavailable", .offline),
    ("504 Gateway Timeout", .offline),
  ])
  func aServerThatIsOutOfOrderMayHaveUsedTheCode(status: String, refusal: SetUpRefusal) async throws {
    let service = try await Service.answering(Answers.response(status, #"{"error":"Invalid activation code"}"#))
    let fault = try #require(await service.activate().fault)
    expectEqual(fault.refusal, refusal)
    expectEqual(fault.kind, .server)
    expect(fault.mayBeUsed)
    await service.close()
  }

  @Test func aLostAnswerMayHaveUsedTheCode() async throws {
    let service = try await Service.open(ScriptedServer { _, _, connection in connection.close() })
    let fault = try #require(await service.activate().fault)
    expectEqual(fault.refusal, .offline)
    expectEqual(fault.kind, .network)
    expect(fault.mayBeUsed)
    expectEqual(service.requests.count, 1)
    await service.close()
  }

  @Test func whatWasNotSentHasNotUsedTheCode() async throws {
    let service = try await Service.answering(Answers.ok("{}"))
    await service.server.stop()
    await #expect(throws: ActivationFault(.offline, "", kind: .network, mayBeUsed: false)) {
      do throws(ActivationFault) {
        _ = try await service.client.activate(
          ActivationCode(code: Service.code), as: Service.station, deadline: SystemTime().now() + .milliseconds(300))
      } catch {
        throw ActivationFault(error.refusal, "", kind: error.kind, mayBeUsed: error.mayBeUsed)
      }
    }
    await service.close()
  }

  @Test(arguments: ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
  func aRedirectIsNotFollowed(status: String) async throws {
    let other = ScriptedServer(answer: Answers.ok(#"{"success":true,"token":"t"}"#))
    let port = try await other.start()
    let service = try await Service.answering(
      Answers.response(status, "", extra: "Location: http://localhost:\(port)/api/kiosks/activate\r\n"))
    let fault = try #require(await service.activate().fault)
    expectEqual(fault.refusal, .fault)
    expectEqual(fault.kind, .unknown)
    expectEqual(service.requests.count, 1)
    expectEqual(other.connections, 0)
    await service.close()
    await other.stop()
  }

  // MARK: When it ends

  static let times: [(token: String, expiresAt: String, expected: Int64?)] = [
    // {"exp":1752580800}
    ("e30.eyJleHAiOjE3NTI1ODA4MDB9.x", "null", 1_752_580_800),
    ("e30.eyJleHAiOjE3NTI1ODA4MDB9.x", #""2025-07-16T12:00:00Z""#, 1_752_580_800),
    ("e30.eyJleHAiOjE3NTI1ODA4MDB9.x", #""2025-07-15T11:59:59Z""#, 1_752_580_799),
    ("opaque", #""2025-07-15T14:00:00+02:00""#, 1_752_580_800),
    ("opaque", "null", nil), ("opaque", #""tomorrow""#, nil), ("opaque", "1752580800", nil), ("a.b.c", "null", nil),
    ("e30.!!!.x", "null", nil), ("e30.e30.x", "null", nil), ("..", "null", nil), ("e30.bm90IGpzb24.x", "null", nil),
    // {"exp":"1752580800"}, {"exp":-1}, {"exp":1e999}, {"exp":1752580800000}
    ("e30.eyJleHAiOiIxNzUyNTgwODAwIn0.x", "null", nil), ("e30.eyJleHAiOi0xfQ.x", "null", nil),
    ("e30.eyJleHAiOjFlOTk5fQ.x", "null", nil), ("e30.eyJleHAiOjE3NTI1ODA4MDAwMDB9.x", "null", nil),
  ]

  @Test(arguments: times.indices) func theEarlierEndIsBelieved(index: Int) async throws {
    let test = Self.times[index]
    let service = try await Service.answering(
      Answers.ok(#"{"success":true,"kioskId":"k","token":"\#(test.token)","expiresAt":\#(test.expiresAt)}"#))
    let activation = try #require(await service.activate().value)
    expectEqual(activation.expires, test.expected.map { WallTime(seconds: $0) })
    expectEqual(activation.token?.text, test.token)
    await service.close()
  }
}
