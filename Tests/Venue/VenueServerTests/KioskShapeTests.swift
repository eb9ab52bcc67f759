import Expectations
import Foundation
import Testing

@testable import VenueServer

/// The servers that there really were.
@Suite struct KioskShapeTests {
  private static let seedAddresses = ["/api/kiosks/configuration", "/api/kiosks/validate-token"]

  private func register(_ venue: RunningVenue, _ id: String = kioskID) async -> RawExchange {
    await venue.kiosk("POST /api/register-kiosk", #"{"id":"\#(id)","version":"1.0.0","token":"\#(kioskToken)"}"#)
  }

  @Test(arguments: KioskShape.allCases) func health(_ shape: KioskShape) async throws {
    try await withKioskVenue(shape) { venue, _ in
      let answer = await venue.kiosk("GET /api/health")
      expectEqual(answer.status, 200)
      switch shape {
      case .document: expect(answer.body.hasPrefix(#"{"success":true,"data":{"status":"ok"}"#))
      case .cueitJWT: expectEqual(answer.body, #"{"ok":true}"#)
      case .cueit, .nova, .novaBeacon:
        expectEqual(answer.body, #"{"status":"ok","timestamp":"2025-07-15T12:00:00.000Z","cors":"no-origin"}"#)
      }
    }
  }

  @Test(arguments: [KioskShape.cueit, .nova, .novaBeacon]) func registration(_ shape: KioskShape) async throws {
    try await withKioskVenue(shape) { venue, _ in
      for _ in 0..<2 {
        let answer = await register(venue)
        expect(answer.status == 200 && answer.body == #"{"message":"registered"}"#)
      }
      for id in ["kiosk-123", "7c9e6679-7425-60de-944b-e07fc1f90ae7", "7c9e6679-7425-40de-c44b-e07fc1f90ae7", "----"] {
        let answer = await register(venue, id)
        expect(answer.status == 400 && answer.body == #"{"error":"Invalid kiosk ID format"}"#, "\(id)")
      }
      for body in ["", "{}", "[]"] {
        let answer = await venue.kiosk("POST /api/register-kiosk", body)
        expectEqual(answer.body, #"{"error":"Invalid kiosk ID format"}"#)
      }
      let wrong = await venue.kiosk(
        "POST /api/register-kiosk", #"{"id":"\#(kioskID)","version":"1.0.0","token":"temporary-token"}"#)
      expect(wrong.status == 401 && wrong.body == #"{"error":"Invalid kiosk token"}"#)
      let known = try await venue.server.kiosks().map(\.id)
      expectEqual(known, [kioskID])
    }
  }

  @Test func cueitActivation() async throws {
    try await withKioskVenue(.cueit) { venue, clock in
      func activate(_ body: String) async -> RawExchange { await venue.kiosk("POST /api/kiosks/activate", body) }
      func body(_ code: String) -> String { #"{"kioskId":"\#(kioskID)","activationCode":"\#(code)"}"# }
      let code = try await venue.activationCode()

      let seed = await activate(#"{"activationCode":"\#(code)"}"#)
      expectEqual(seed.status, 400)
      expectEqual(seed.body, #"{"error":"Missing kioskId or activationCode","errorCode":"MISSING_PARAMETERS"}"#)
      for text in ["abcdefgh", "ABC123DEF456", "ABCDE", "ABCD-123"] {
        let answer = await activate(body(text))
        expectEqual(answer.status, 400)
        expectEqual(answer.body, #"{"error":"Invalid activation code format","errorCode":"INVALID_CODE_FORMAT"}"#)
      }
      let wrong = await activate(body("ZZZZZZZZ"))
      let refused = #"{"error":"Invalid or expired activation code","errorCode":"INVALID_OR_EXPIRED_CODE"}"#
      expect(wrong.status == 400 && wrong.body == refused)

      // A kiosk that nobody has registered does not use the code up.
      let unknown = await activate(body(code))
      expectEqual(unknown.status, 404)
      expectEqual(unknown.body, #"{"error":"Kiosk not found","errorCode":"KIOSK_NOT_FOUND"}"#)
      _ = await register(venue)
      let answer = await activate(body(code))
      expectEqual(answer.status, 200)
      expectEqual(answer.body, #"{"message":"Kiosk activated successfully","kioskId":"\#(kioskID)","active":true}"#)
      let again = await activate(body(code))
      expect(again.status == 400 && again.body == refused)
      let brief = try await venue.activationCode(minutes: 1)
      clock.advance(seconds: 61)
      let late = await activate(body(brief))
      expect(late.status == 400 && late.body == refused)
    }
  }

  @Test func cueitConfigurationAndStatus() async throws {
    try await withKioskVenue(.cueit) { venue, _ in
      _ = await register(venue)
      for path in Self.seedAddresses {
        let good = await venue.kiosk("GET \(path)", bearer: kioskToken)
        expect(good.status == 200 && good.body == "{}")
        for bearer in [nil, "wrong"] {
          let bad = await venue.kiosk("GET \(path)", bearer: bearer)
          expect(bad.status == 401 && bad.body == #"{"error":"Unauthorized"}"#)
        }
      }
      let post = await venue.kiosk("POST /api/kiosks/validate-token", "{}", bearer: kioskToken)
      expectEqual(post.status, 404)
      expectEqual(post.header("Content-Type"), "text/html; charset=utf-8")
      expect(post.body.contains("<pre>Cannot POST /api/kiosks/validate-token</pre>"))

      let row = await venue.kiosk("GET /api/kiosks/\(kioskID)", bearer: kioskToken)
      expect(
        row.body.hasPrefix(
          #"{"id":"\#(kioskID)","last_seen":"2025-07-15T12:00:00.000Z","version":"1.0.0","active":0,"logoUrl":null"#))

      let path = "/api/kiosks/\(kioskID)/remote-config"
      let answer = await venue.kiosk("GET \(path)", bearer: kioskToken)
      expectEqual(answer.status, 200)
      expect(
        answer.body.hasPrefix(
          #"{"config":{"statusEnabled":false,"currentStatus":"open","openMsg":"We are open!","#
            + #""closedMsg":"We are closed.","errorMsg":"Service temporarily unavailable.","logoUrl":"\/logo.png","#
            + #""backgroundUrl":null,"welcomeMessage":"Welcome","helpMessage":"Need help?","schedule":null,"#
            + #""officeHours":null},"adminPins":{"global":null,"kiosk":null},"#))
      try await venue.server.setKioskState(.inactive, of: kioskID)
      let closed = await venue.kiosk("GET \(path)", bearer: kioskToken)
      try expectEqual(closed.json.string("config.currentStatus"), "closed")
      try expectEqual(closed.json["config.statusEnabled"], .bool(true))
      await expectEqual(venue.kiosk("GET \(path)", bearer: "wrong").status, 401)
      let other = await venue.kiosk("GET /api/kiosks/other/remote-config", bearer: kioskToken)
      expect(other.status == 404 && other.body == #"{"error":"Kiosk not found"}"#)

      let status = await venue.kiosk(
        "PUT /api/kiosks/\(kioskID)/status", #"{"status":"available"}"#, bearer: kioskToken)
      expectEqual(status.status, 404)
      expect(status.body.contains("Cannot PUT /api/kiosks/\(kioskID)/status"))
    }
  }

  @Test func theEarlierCueitServer() async throws {
    try await withKioskVenue(.cueitJWT) { venue, clock in
      let denied = await venue.kiosk("POST /api/register-kiosk", #"{"id":"kiosk-123","token":"wrong"}"#)
      expect(denied.status == 401 && denied.body == #"{"error":"unauthorized"}"#)
      let nameless = await venue.kiosk("POST /api/register-kiosk", "{}", bearer: kioskToken)
      expect(nameless.status == 400 && nameless.body == #"{"error":"Missing id"}"#)
      await expectEqual(register(venue, "kiosk-123").body, #"{"message":"registered"}"#)

      let code = try await venue.activationCode()
      let missing = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(code)"}"#)
      expect(missing.status == 400 && missing.body == #"{"error":"Missing kioskId or activationCode"}"#)
      let body = #"{"kioskId":"\#(kioskID)","activationCode":"\#(code.lowercased())"}"#
      let answer = await venue.kiosk("POST /api/kiosks/activate", body)
      let token = try answer.json.string("token") ?? ""
      expectEqual(
        answer.body, #"{"message":"Kiosk activated successfully","token":"\#(token)","kioskId":"\#(kioskID)"}"#)
      let again = await venue.kiosk("POST /api/kiosks/activate", body)
      expect(again.status == 401 && again.body == #"{"error":"Invalid or expired activation code"}"#)

      // A kiosk's token reads its own row and nothing else: not even what the document asks for.
      let own = await venue.kiosk("GET /api/kiosks/\(kioskID)", bearer: token)
      expectEqual(own.status, 200)
      try expectEqual(own.json.integer("active"), 1)
      for path in Self.seedAddresses + ["/api/kiosks/kiosk-123"] {
        let bad = await venue.kiosk("GET \(path)", bearer: token)
        expect(bad.status == 401 && bad.body == #"{"error":"Unauthorized"}"#)
      }
      let status = await venue.kiosk("PUT /api/kiosks/\(kioskID)/status", #"{"status":"brb"}"#, bearer: token)
      expect(status.status == 401 && status.body == #"{"error":"unauthenticated"}"#)
      await expectEqual(venue.kiosk("GET /api/kiosks/\(kioskID)/remote-config", bearer: token).status, 404)
      clock.advance(seconds: 3_600)
      await expectEqual(venue.kiosk("GET /api/kiosks/\(kioskID)", bearer: token).status, 401)
    }
  }

  @Test(arguments: [KioskShape.nova, .novaBeacon]) func nova(_ shape: KioskShape) async throws {
    try await withKioskVenue(shape) { venue, _ in
      let code = try await venue.activationCode()
      let body = #"{"kioskId":"\#(kioskID)","activationCode":"\#(code)"}"#
      let missing = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(code)"}"#)
      expectEqual(missing.status, 400)
      let answer = await venue.kiosk("POST /api/kiosks/activate", body)
      if shape == .novaBeacon {
        // Its beacon alone knows the codes that are made.
        expectEqual(answer.status, 401)
        let device = #"{"activationCode":"\#(code)","deviceInfo":{"deviceId":"\#(kioskID)"}}"#
        await expectEqual(venue.kiosk("POST /api/v2/beacon/activate", device).status, 200)
      } else {
        expectEqual(answer.status, 200)
        expectEqual(
          answer.body, #"{"message":"Kiosk activated successfully","kioskId":"\#(kioskID)","activated":true}"#)
      }
      let again = await venue.kiosk("POST /api/kiosks/activate", body)
      expect(again.status == 401 && again.body == #"{"error":"Invalid activation code"}"#)

      let path = "/api/kiosks/\(kioskID)"
      let configuration = await venue.kiosk("GET \(path)/remote-config", bearer: kioskToken)
      expectEqual(
        configuration.body,
        #"{"config":{"kioskId":"\#(kioskID)","active":true,"roomName":"Room","logoUrl":"\/logo.png","#
          + #""backgroundUrl":null,"theme":"light","statusMessages":{"available":"Available","inUse":"In use","#
          + #""meeting":"In a meeting","brb":"Be right back","lunch":"Out to lunch","unavailable":"Unavailable"},"#
          + #""features":{"ticketSubmission":true,"statusUpdates":true,"directoryIntegration":false}}}"#)
      try await venue.server.setKioskState(.maintenance, of: kioskID)
      let off = await venue.kiosk("GET \(path)/remote-config", bearer: kioskToken)
      try expectEqual(off.json["config.active"], .bool(false))
      let denied = await venue.kiosk("GET \(path)/remote-config", bearer: "wrong")
      expect(denied.status == 401 && denied.body == #"{"error":"Unauthorized"}"#)
      let seed = await venue.kiosk("GET /api/kiosks/configuration", bearer: kioskToken)
      expect(seed.status == 200 && seed.body == "{}")

      for status in ["available", "inUse", "meeting", "brb", "lunch", "unavailable"] {
        let answer = await venue.kiosk(
          "PUT \(path)/status", #"{"status":"\#(status)","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#,
          bearer: kioskToken)
        expectEqual(
          answer.body,
          #"{"message":"Status updated successfully","kioskId":"\#(kioskID)","status":"\#(status)","#
            + #""timestamp":"2025-07-15T12:00:00Z"}"#)
      }
      try await expectEqual(venue.server.kiosk(kioskID).kiosk.manualOverride, false)
      for (body, words) in [
        (#"{"status":"in-use"}"#, "Invalid status value"), ("{}", "Status is required"), ("", "Status is required"),
      ] {
        let answer = await venue.kiosk("PUT \(path)/status", body, bearer: kioskToken)
        expect(answer.status == 400 && answer.body == #"{"error":"\#(words)"}"#)
      }
      let other = await venue.kiosk("PUT /api/kiosks/x/status", #"{"status":"brb"}"#, bearer: kioskToken)
      expect(other.status == 404 && other.body == #"{"error":"Kiosk not found"}"#)
    }
  }

  /// A web token that names issuer and audience is taken, one of another server with the same key is not.
  @Test func novaTokens() async throws {
    try await withKioskVenue(.nova) { venue, clock in
      _ = await register(venue)
      let key = try await venue.server.store.read { try VenueSecret.key($0) }
      let now = Int64(clock.now.timeIntervalSince1970)
      let token = KioskToken(kioskID: kioskID, generation: 1, issued: now, expires: now + 60)
      let path = "/api/kiosks/\(kioskID)/remote-config"
      let good = await venue.kiosk("GET \(path)", bearer: token.signed(with: key, parties: .nova))
      expectEqual(good.status, 200)
      await expectEqual(venue.kiosk("GET \(path)", bearer: token.signed(with: key)).status, 401)
    }
  }

  /// A name that was made a number is told as a text, as any name.
  @Test func theBeaconsNameIsAText() async throws {
    try await withKioskVenue(.novaBeacon) { venue, _ in
      for (assignment, name) in [("roomName=North", #""North""#), ("roomName:=7", #""7""#), ("roomName:=null", "null")]
      {
        try await venue.server.store.write { try KioskBook(db: $0, now: Timestamp(seconds: 0)).activate(kioskID) }
        try await venue.server.configureKiosk(kioskID, [assignment])
        let code = try await venue.activationCode()
        let answer = await venue.kiosk(
          "POST /api/v2/beacon/activate", #"{"activationCode":"\#(code)","deviceInfo":{"deviceId":"\#(kioskID)"}}"#)
        expectEqual(answer.status, 200)
        expect(answer.body.contains(#""kiosk":{"id":"\#(kioskID)","name":\#(name),"location":null"#))
      }
    }
  }

  @Test func theBeacon() async throws {
    try await withKioskVenue(.novaBeacon) { venue, clock in
      func activate(_ body: String) async -> RawExchange { await venue.kiosk("POST /api/v2/beacon/activate", body) }
      let code = try await venue.activationCode()
      let body = #"{"activationCode":"\#(code)","deviceInfo":{"deviceId":"\#(kioskID)","model":"gate"}}"#
      let answer = await activate(body)
      expectEqual(answer.status, 200)
      expect(answer.header("X-RateLimit-Limit") == "10" && answer.header("X-RateLimit-Remaining") == "9")
      let token = try answer.json.string("token") ?? ""
      expect(token.wholeMatch(of: /[0-9a-f]{64}/) != nil)
      expect(
        answer.body.hasPrefix(
          #"{"success":true,"token":"\#(token)","kiosk":{"id":"\#(kioskID)","name":"Room","location":null,"#
            + #""isActive":true,"configuration":{"active":true,"#))
      expect(answer.body.hasSuffix(#"},"message":"Kiosk activated successfully"}"#))

      let used = await activate(body)
      expectEqual(used.status, 404)
      expectEqual(
        used.body,
        #"{"success":false,"error":"Invalid or expired activation code","errorCode":"INVALID_ACTIVATION_CODE"}"#)
      for bad in [#"{"activationCode":"A1B2C3D4"}"#, #"{"activationCode":"A1","deviceInfo":{"deviceId":"x"}}"#, "[]"] {
        let answer = await activate(bad)
        expectEqual(answer.status, 400)
        expectEqual(answer.body, #"{"success":false,"error":"Validation failed","errorCode":"VALIDATION_ERROR"}"#)
      }
      // The token that it gives leads nowhere.
      let none = await venue.kiosk("GET /api/v2/beacon/config", more: "X-Kiosk-Token: \(token)\r\n")
      expect(none.status == 404 && none.body.contains("KIOSK_NOT_FOUND"))
      await expectEqual(venue.kiosk("GET /api/v2/beacon/config?kioskToken=short").status, 401)
      await expectEqual(venue.kiosk("GET /api/kiosks/\(kioskID)/remote-config", bearer: token).status, 401)

      for _ in 0..<5 { _ = await activate("{}") }
      let stopped = await activate(body)
      expectEqual(stopped.status, 429)
      expectEqual(stopped.body, #"{"error":"Too many requests","message":"Too many activation attempts"}"#)
      expect(stopped.header("X-RateLimit-Remaining") == "0" && stopped.header("Retry-After") == "900")
      clock.advance(seconds: 900)
      await expectEqual(activate(body).status, 404)
    }
  }

  @Test func onlyTheBeaconHasABeacon() async throws {
    for shape in KioskShape.allCases where shape != .novaBeacon {
      try await withKioskVenue(shape) { venue, _ in
        await expectEqual(venue.kiosk("POST /api/v2/beacon/activate", "{}").status, 404, "\(shape)")
      }
    }
  }
}
