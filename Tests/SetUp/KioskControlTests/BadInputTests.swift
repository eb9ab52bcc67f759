import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// Whatever a server can answer, at each endpoint: a fault with words, or nothing worse.
@Suite struct BadInputTests {
  private static let statuses =
    [400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424]
    + [425, 426, 428, 429, 431, 451] + [500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 599]

  @Test(arguments: Service.Endpoint.allCases) func eachStatusIsAFault(endpoint: Service.Endpoint) async throws {
    let answer = Mutex("")
    let service = try await Service.open(
      ScriptedServer { _, _, connection in connection.send(answer.withLock { $0 }) })
    for (body, type) in [
      (#"{"error":"No"}"#, "application/json"), ("", "application/json"), ("<html>", "text/html"),
      ("[]", "application/json"),
      (#"{"success":true,"status":"ok","token":"t","kioskId":"k","valid":true}"#, "application/json"),
    ] {
      for status in Self.statuses {
        answer.withLock { $0 = Answers.response("\(status) X", body, type: type) }
        let fault = try #require(await service.fault(endpoint), "\(status) \(body)")
        if status == 401 || status == 403, endpoint != .activate {
          expectEqual(fault.kind, .authentication, "\(status)")
        }
        if status == 429 || (500...599).contains(status) { expectEqual(fault.kind, .server, "\(status)") }
      }
    }
    await service.close()
  }

  @Test(arguments: [300, 301, 302, 303, 304, 305, 307, 308], Service.Endpoint.allCases)
  func nothingFollowsARedirect(status: Int, endpoint: Service.Endpoint) async throws {
    let other = ScriptedServer(answer: Answers.ok(#"{"success":true,"status":"ok","token":"t","id":"k"}"#))
    let port = try await other.start()
    let service = try await Service.answering(
      Answers.response("\(status) X", "", extra: "Location: http://localhost:\(port)/api/health\r\n"))
    let fault = try #require(await service.fault(endpoint))
    expectEqual(fault.kind, .unknown)
    expectEqual(service.requests.count, 1)
    expectEqual(other.connections, 0)
    await service.close()
    await other.stop()
  }

  /// A good status around what is none: wrong types, missing and extra fields, nulls, lists for objects.
  private static let bodies = [
    "[]", "[{}]", "null", "true", "7", "\"ok\"", "", " ", "{", "}", "{\"a\":}", "\u{FEFF}[]",
    "{\"success\":null,\"data\":[]}",
    #"{"success":true,"data":[]}"#, #"{"success":true,"data":"x"}"#, #"{"success":true,"data":7}"#,
    #"{"success":false,"data":{"status":"ok","valid":true,"token":"t","id":"k"}}"#, #"{"success":"no"}"#,
    #"{"success":0}"#,
    #"{"error":"x"}"#, #"{"error":{}}"#, #"{"error":[]}"#, #"{"error":{"code":7,"message":[]}}"#,
    String(repeating: "[", count: 10_000),
    String(repeating: #"{"data":"#, count: 100) + "1" + String(repeating: "}", count: 100),
  ]

  @Test(arguments: bodies, Service.Endpoint.allCases)
  func aGoodStatusAroundNothing(body: String, endpoint: Service.Endpoint) async throws {
    let service = try await Service.answering(Answers.ok(body))
    // An empty answer is one to a status that was told, and to no question.
    let isWell = endpoint == .status && body.isEmpty
    expectEqual((await service.fault(endpoint) == nil), isWell)
    await service.close()
  }

  @Test(arguments: Service.Endpoint.allCases) func extraFieldsChangeNothing(endpoint: Service.Endpoint) async throws {
    let service = try await Service.answering(
      Answers.ok(
        #"{"success":true,"status":"ok","token":"t","kioskId":"k","id":"k","name":"n","valid":true,"x":{"y":[null]},"":0}"#
      ))
    let expected: ControlFaultKind? = nil
    await expectEqual(service.fault(endpoint)?.kind, expected)
    await service.close()
  }

  @Test(arguments: Service.Endpoint.allCases) func tenMegabytesAreAFault(endpoint: Service.Endpoint) async throws {
    let body =
      #"{"id":"k","status":"ok","success":true,"token":"t","name":""#
      + String(repeating: String(repeating: "x", count: 1_000), count: 10_000) + #""}"#
    for isChunked in [false, true] {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
      let answer =
        isChunked
        ? head + "Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        : head + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      let service = try await Service.answering(answer)
      let fault = try #require(await service.fault(endpoint))
      expectEqual(fault.kind, .unknown)
      expect(fault.detail.contains("256 KiB"))
      expect(fault.detail.contains("control service"))
      await service.close()
    }
  }

  @Test(arguments: Service.Endpoint.allCases) func hostileTextIsCleanedAndSecretsAreHidden(
    endpoint: Service.Endpoint
  ) async throws {
    let text =
      #"\u001b[31m\u202eBearer \#(Service.token) code \#(Service.code.lowercased()) shared-token \u0007"#
      + String(repeating: "x", count: 3_000)
    for answer in [
      Answers.refusal("401 Unauthorized", text, text), Answers.response("400 Bad Request", #"{"error":"\#(text)"}"#),
      Answers.refusal("200 OK", "X", text), Answers.response("500 X", #"{"message":"\#(text)"}"#),
      Answers.response("404 Not Found", #"{"error":"Invalid code \#(text)"}"#),
    ] {
      let service = try await Service.answering(answer)
      let fault = try #require(await service.fault(endpoint))
      expect(fault.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" && $0 != "\u{7F}" })
      expect(fault.detail.unicodeScalars.count < 700)
      switch endpoint {
      case .activate: expect(!fault.detail.lowercased().contains(Service.code.lowercased()))
      case .register: expect(!fault.detail.contains("shared-token"))
      case .health: break
      case .configuration, .status, .validate: expect(!fault.detail.contains(Service.token))
      }
      await service.close()
    }
  }

  /// A token goes into its header, a code and a registration token into their bodies, and none of them anywhere else.
  @Test func secretsGoWhereTheyBelong() async throws {
    let service = try await Service.answering(Answers.ok("{}"))
    for endpoint in Service.Endpoint.allCases { _ = await service.fault(endpoint) }
    expectEqual(service.requests.count, 8)
    for request in service.requests {
      let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false)
      let body = lines.last ?? ""
      for line in lines.dropLast() where !line.hasPrefix("Authorization: Bearer ") {
        for secret in [Service.token, Service.code, "shared-token"] { expect(!line.contains(secret)) }
      }
      expect(!body.contains(Service.token))
      expectEqual(body.contains(Service.code), request.hasPrefix("POST /api/kiosks/activate "))
      expectEqual(body.contains("shared-token"), request.hasPrefix("POST /api/register-kiosk "))
    }
    await service.close()
  }
}
