import Expectations
import ScanModel
import ScriptedHTTP
import Testing

@testable import KioskControl

/// Servers that have in another place what the document has: each with the bodies that they really send.
@Suite struct OtherPlaceTests {
  private static let beacon = """
    {"success":true,"token":"0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0","kiosk":{"id":"kiosk-7",\
    "name":"East","location":null,"isActive":true,"configuration":{}},"message":"Kiosk activated successfully"}
    """
  private static let noSuchCode = """
    {"success":false,"error":"Invalid or expired activation code","errorCode":"INVALID_ACTIVATION_CODE"}
    """
  private static let noPage = Answers.response(
    "404 Not Found", "<pre>Cannot POST /api/v2/beacon/activate</pre>", type: "text/html")

  /// A service that shows a station's row to nobody without a token.
  private func earlierService(_ answers: [String: String], row: String = row) async throws -> Service {
    try await Service.open(
      ScriptedServer { _, request, connection in
        let line = String(request.prefix { $0 != "\r\n" })
        let answer = answers.first { line.hasPrefix($0.key + " ") }?.value
        let own = request.contains("Authorization: Bearer ") ? Answers.ok(row) : Self.unauthorized
        connection.send(
          answer ?? (line.hasPrefix("GET /api/kiosks/kiosk-1 ") ? own : Answers.response("404 Not Found", "{}")))
      })
  }

  private func service(_ answers: [String: String]) async throws -> Service {
    try await Service.open(
      ScriptedServer { _, request, connection in
        let line = String(request.prefix { $0 != "\r\n" })
        let answer = answers.first { line.hasPrefix($0.key + " ") }?.value
        connection.send(answer ?? Answers.response("404 Not Found", #"{"error":"Not found"}"#))
      })
  }

  private func activate(_ service: Service, isLinked: Bool) async -> Result<Activation, ActivationFault> {
    let station = StationIdentity(id: "station-1", version: "1.2.3")
    let code = ActivationCode(code: "A1B2C3D4", kioskID: isLinked ? "kiosk-7" : nil, isLinked: isLinked)
    do throws(ActivationFault) {
      return .success(try await service.client.activate(code, as: station, deadline: Service.deadline))
    } catch {
      return .failure(error)
    }
  }

  /// What a beacon prints as a link it alone takes.
  @Test func aCodeFromALinkIsTakenByTheBeacon() async throws {
    let service = try await service(["POST /api/v2/beacon/activate": Answers.ok(Self.beacon)])
    let activation = try await activate(service, isLinked: true).get()
    expect(activation.kioskID == "kiosk-7" && activation.token != nil)
    expectEqual(service.lines, ["POST /api/v2/beacon/activate"])
    expectEqual(
      service.bodies,
      [
        #"{"kioskId":"kiosk-7","activationCode":"A1B2C3D4","deviceInfo":{"deviceId":"station-1","appVersion":"1.2.3"}}"#
      ])
    await service.close()
  }

  @Test func aServerWithoutABeaconTakesTheCodeOfALinkAtTheDocumentsPlace() async throws {
    let service = try await service([
      "POST /api/v2/beacon/activate": Self.noPage,
      "POST /api/kiosks/activate": Answers.ok(
        #"{"message":"Kiosk activated successfully","kioskId":"kiosk-7","active":true}"#),
    ])
    try await expectEqual(activate(service, isLinked: true).get().kioskID, "kiosk-7")
    expectEqual(service.lines, ["POST /api/v2/beacon/activate", "POST /api/kiosks/activate"])
    await service.close()
  }

  /// The same code typed by hand: the other place of that server refuses it without saying more.
  @Test func aBareCodeOfABeaconIsTakenThere() async throws {
    let service = try await service([
      "POST /api/kiosks/activate": Answers.response("401 Unauthorized", #"{"error":"Invalid activation code"}"#),
      "POST /api/v2/beacon/activate": Answers.ok(Self.beacon),
    ])
    try await expectEqual(activate(service, isLinked: false).get().kioskID, "kiosk-7")
    expectEqual(service.lines, ["POST /api/kiosks/activate", "POST /api/v2/beacon/activate"])
    await service.close()
  }

  @Test(arguments: [true, false]) func aCodeThatNoPlaceTakesIsWrong(isLinked: Bool) async throws {
    let service = try await service([
      "POST /api/kiosks/activate": Answers.response("401 Unauthorized", #"{"error":"Invalid activation code"}"#),
      "POST /api/v2/beacon/activate": Answers.response("404 Not Found", Self.noSuchCode),
    ])
    guard case .failure(let fault) = await activate(service, isLinked: isLinked) else {
      Issue.record("it was activated")
      return
    }
    expect(fault.refusal == .wrong && !fault.mayBeUsed)
    // The beacon's own word on its own code is the last one.
    expectEqual(service.requests.count, (isLinked ? 1 : 2))
    await service.close()
  }

  /// What may have been taken is not sent to another place.
  @Test(arguments: [true, false]) func aCodeThatMayBeUsedIsSentNowhereElse(isLinked: Bool) async throws {
    for answer in [
      Answers.response("500 Internal Server Error", #"{"error":"DB error"}"#), Answers.ok("{}"),
      Answers.response("503 Service Unavailable", #"{"status":"starting"}"#),
    ] {
      let service = try await service(["POST /api/kiosks/activate": answer, "POST /api/v2/beacon/activate": answer])
      guard case .failure = await activate(service, isLinked: isLinked) else {
        Issue.record("it was activated")
        return
      }
      expectEqual(service.requests.count, 1)
      await service.close()
    }
  }

  @Test func aServerThatSaysItInWordsAloneActivates() async throws {
    let service = try await Service.answering(Answers.ok(#"{"message":"Kiosk activated successfully"}"#))
    try await expectEqual(activate(service, isLinked: false).get().kioskID, "station-1")
    await service.close()
    for words in ["Kiosk not activated successfully", "kiosk activated", "Activated?"] {
      let service = try await Service.answering(Answers.ok(#"{"message":"\#(words)"}"#))
      guard case .failure(let fault) = await activate(service, isLinked: false) else {
        Issue.record("activated by: \(words)")
        return
      }
      expect(fault.mayBeUsed)
      await service.close()
    }
  }

  // MARK: The station's own row

  private static let unauthorized = Answers.response("401 Unauthorized", #"{"error":"Unauthorized"}"#)
  private static let row = """
    {"id":"kiosk-1","last_seen":"2025-07-07T20:00:00.000Z","version":"1.2.3","active":1,"logoUrl":null,"bgUrl":null,\
    "statusEnabled":0,"currentStatus":"open","openMsg":null,"closedMsg":null,"errorMsg":null,"schedule":null}
    """

  /// The earlier server: each kiosk sees its own row alone, and both of the document's paths are another one's.
  @Test func aServerThatShowsNothingButTheOwnRow() async throws {
    let service = try await earlierService([
      "GET /api/kiosks/configuration": Self.unauthorized, "GET /api/kiosks/validate-token": Self.unauthorized,
    ])
    let configuration = try #require(await service.configuration().value)
    expect(configuration.id == "kiosk-1" && configuration.state == .active && configuration.isStateTold)
    expect(await service.fault(.validate) == nil)
    let asked = service.requests.count
    expect(await service.fault(.validate) == nil)
    // Which way it has is remembered.
    expect(service.requests.count == asked + 1 && service.lines.last == "GET /api/kiosks/kiosk-1")
    await service.close()
  }

  @Test func aRowThatEverybodyIsShownProvesNoToken() async throws {
    let service = try await service([
      "GET /api/kiosks/validate-token": Self.unauthorized, "GET /api/kiosks/kiosk-1": Answers.ok(Self.row),
    ])
    await expectEqual(service.fault(.validate)?.kind, .authentication)
    await expectEqual(service.fault(.validate)?.kind, .authentication)
    await service.close()
  }

  @Test func aTokenThatNoPlaceTakesIsRefused() async throws {
    let service = try await service([
      "GET /api/kiosks/configuration": Self.unauthorized, "GET /api/kiosks/validate-token": Self.unauthorized,
      "GET /api/kiosks/kiosk-1/remote-config": Self.unauthorized, "GET /api/kiosks/kiosk-1": Self.unauthorized,
    ])
    await expectEqual(service.configuration().fault?.kind, .authentication)
    await expectEqual(service.fault(.validate)?.kind, .authentication)
    await service.close()
  }

  // MARK: Signs

  /// What is hung out at an earlier server takes the gate out of service, and nothing in it opens one.
  @Test(arguments: [
    (#""statusEnabled":true,"currentStatus":"closed""#, ControlConfiguration.State.inactive, true),
    (#""statusEnabled":1,"currentStatus":"error""#, .maintenance, true),
    (#""statusEnabled":true,"currentStatus":"open""#, .active, true),
    (#""statusEnabled":false,"currentStatus":"closed""#, .active, true),
    (#""currentStatus":"closed""#, .active, false),
    (#""statusEnabled":true,"currentStatus":"ajar""#, .active, false),
    (#""statusEnabled":true,"currentStatus":"open","active":false"#, .inactive, true),
    (#""statusEnabled":true,"currentStatus":"open","status":"maintenance""#, .maintenance, true),
    (#""statusEnabled":true,"currentStatus":"closed","status":"active""#, .inactive, true),
    // A word that nobody can read is ended by no other that says "at work".
    (#""statusEnabled":true,"currentStatus":"open","status":"Wartung""#, .active, false),
    (#""statusEnabled":false,"status":"Wartung""#, .active, false),
    (#""active":true,"status":"Wartung""#, .active, false),
    (#""active":false,"status":"Wartung""#, .inactive, true),
    (#""statusEnabled":true,"currentStatus":"closed","status":"Wartung""#, .inactive, true),
    (#""active":true,"status":"lunch""#, .active, true),
  ]) func theSign(members: String, state: ControlConfiguration.State, isTold: Bool) async throws {
    let service = try await Service.answering(Answers.ok(#"{"config":{"roomName":"Hall",\#(members)}}"#))
    let configuration = try #require(await service.configuration().value)
    expect(configuration.state == state && configuration.isStateTold == isTold)
    await service.close()
  }
}
