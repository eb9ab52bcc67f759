import Expectations
import Foundation
import Testing

@testable import VenueServer

/// The kiosk service as the document has it, in its own literal bodies.
@Suite struct KioskDocumentTests {
  private static let refusedToken =
    #"{"success":false,"error":{"code":"INVALID_TOKEN","message":"Authentication token is invalid or expired"},"#
    + #""timestamp":"2025-07-15T12:00:00Z"}"#

  private func refusal(_ code: String, _ message: String) -> String {
    #"{"success":false,"error":{"code":"\#(code)","message":"\#(message)"},"timestamp":"2025-07-15T12:00:00Z"}"#
  }

  @Test func health() async throws {
    try await withKioskVenue { venue, _ in
      let answer = await venue.kiosk("GET /api/health")
      expectEqual(answer.status, 200)
      expectEqual(answer.header("Content-Type"), "application/json")
      expectEqual(answer.body, #"{"success":true,"data":{"status":"ok"},"timestamp":"2025-07-15T12:00:00Z"}"#)
    }
  }

  @Test func registration() async throws {
    try await withKioskVenue { venue, _ in
      let body = #"{"id":"kiosk-uuid","version":"1.0.0","token":"\#(kioskToken)"}"#
      for _ in 0..<2 {
        let answer = await venue.kiosk("POST /api/register-kiosk", body)
        expectEqual(answer.status, 200)
        expectEqual(
          answer.body,
          #"{"success":true,"data":{"id":"kiosk-uuid","message":"registered"},"timestamp":"2025-07-15T12:00:00Z"}"#)
      }
      let known = try await venue.server.kiosks().map(\.id)
      expectEqual(known, ["kiosk-uuid"])

      let wrong = await venue.kiosk(
        "POST /api/register-kiosk", #"{"id":"other","version":"1.0.0","token":"temporary-token"}"#)
      expectEqual(wrong.status, 401)
      expectEqual(wrong.body, refusal("INVALID_TOKEN", "The registration token is not known"))
      let long = String(repeating: "x", count: 101)
      for body in [
        #"{"version":"1.0.0","token":"t"}"#, #"{"id":7,"version":"1"}"#, #"{"id":"","version":"1"}"#, "[]", "", "{",
        #"{"id":"\#(long)","version":"1"}"#, #"{"id":"x"}"#,
      ] {
        let answer = await venue.kiosk("POST /api/register-kiosk", body)
        expectEqual(answer.status, 400, "\(body)")
        expectEqual(answer.body, refusal("INVALID_REQUEST", "id and version are required"))
      }
      let count = try await venue.server.kiosks().count
      expectEqual(count, 1)
    }
  }

  @Test func registrationWithoutATokenOfTheVenue() async throws {
    try await withKioskVenue(token: nil) { venue, _ in
      let answer = await venue.kiosk("POST /api/register-kiosk", #"{"id":"kiosk-uuid","version":"1.0.0"}"#)
      expectEqual(answer.status, 200)
    }
  }

  @Test func activation() async throws {
    try await withKioskVenue { venue, _ in
      let code = try await venue.activationCode()
      expect(code.wholeMatch(of: /[0-9A-F]{8}/) != nil)
      let answer = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(code.lowercased())"}"#)
      expectEqual(answer.status, 200)
      let (token, id) = (try answer.json.string("token") ?? "", try answer.json.string("kioskId") ?? "")
      expectEqual(
        answer.body, #"{"success":true,"token":"\#(token)","kioskId":"\#(id)","expiresAt":"2025-07-15T13:00:00Z"}"#)
      expect(UUID(uuidString: id) != nil && id == id.lowercased())
      let parts = token.split(separator: ".")
      expectEqual(parts.count, 3)
      expectEqual(parts.first, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
      let claims = try JSONDecoder().decode(JSON.self, from: Data(try #require(Base64URL.bytes(parts[1]))))
      expect(claims.integer("iat") == 1_752_580_800 && claims.integer("exp") == 1_752_584_400)
      expect(claims.string("type") == "kiosk" && claims.string("kioskId") == id)
      expectEqual(claims["activated"], .bool(true))
    }
  }

  @Test func activationCodesAreGoodOnceAndForAWhile() async throws {
    try await withKioskVenue { venue, clock in
      let code = try await venue.activationCode()
      let body = #"{"activationCode":"\#(code)","kioskId":"\#(kioskID)"}"#
      let first = await venue.kiosk("POST /api/kiosks/activate", body)
      try expectEqual(first.json.string("kioskId"), kioskID)
      let second = await venue.kiosk("POST /api/kiosks/activate", body)
      expectEqual(second.status, 409)
      expectEqual(second.body, refusal("CODE_USED", "The activation code has been used"))

      let wrong = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"ABC123DEF456"}"#)
      expectEqual(wrong.status, 404)
      expectEqual(wrong.body, refusal("INVALID_CODE", "The activation code is not known"))

      let meant = try await venue.activationCode(for: "another-kiosk")
      let other = await venue.kiosk(
        "POST /api/kiosks/activate", #"{"activationCode":"\#(meant)","kioskId":"\#(kioskID)"}"#)
      expectEqual(other.status, 404)
      expectEqual(other.body, refusal("KIOSK_NOT_FOUND", "The activation code was made for another kiosk"))
      let own = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(meant)"}"#)
      try expectEqual(own.json.string("kioskId"), "another-kiosk")

      let brief = try await venue.activationCode(minutes: 1)
      clock.advance(seconds: 60)
      let late = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(brief)"}"#)
      expectEqual(late.status, 410)
      expect(
        late.body.hasPrefix(#"{"success":false,"error":{"code":"CODE_EXPIRED","message":"The activation code has"#))
    }
  }

  @Test func activationWithoutACode() async throws {
    try await withKioskVenue { venue, _ in
      let long = String(repeating: "k", count: 101)
      for body in [
        "{}", "[]", "null", #"{"activationCode":null}"#, #"{"activationCode":12345678}"#, #"{"activationCode":[]}"#,
        "x",
        #"{"activationCode":"A1B2C3D4","kioskId":"\#(long)"}"#,
      ] {
        let answer = await venue.kiosk("POST /api/kiosks/activate", body)
        expectEqual(answer.status, 400, "\(body)")
        expectEqual(answer.body, refusal("INVALID_REQUEST", "activationCode is required"))
      }
      let form = await venue.kiosk("POST /api/kiosks/activate", "activationCode=A1B2C3D4", type: "text/plain")
      expectEqual(form.status, 400)
    }
  }

  @Test func guessingCodesIsStopped() async throws {
    try await withKioskVenue { venue, clock in
      let code = try await venue.activationCode()
      for number in 0..<10 {
        let answer = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"0000000\#(number)"}"#)
        expectEqual(answer.status, 404)
      }
      let body = #"{"activationCode":"\#(code)"}"#
      let stopped = await venue.kiosk("POST /api/kiosks/activate", body)
      expectEqual(stopped.status, 429)
      expectEqual(stopped.header("Retry-After"), "60")
      expectEqual(stopped.body, refusal("TOO_MANY_REQUESTS", "Too many wrong activation codes"))
      clock.advance(seconds: 60)
      await expectEqual(venue.kiosk("POST /api/kiosks/activate", body).status, 200)
    }
  }

  @Test func configuration() async throws {
    try await withKioskVenue { venue, _ in
      let token = try await venue.activated()
      try await venue.server.configureKiosk(
        kioskID, ["name=North", "location=Hall \"2\" / é", "settings.refreshInterval=60"])
      let answer = await venue.kiosk("GET /api/kiosks/configuration", bearer: token)
      expectEqual(answer.status, 200)
      expect(
        answer.body.hasPrefix(
          #"{"success":true,"data":{"id":"\#(kioskID)","name":"North","roomName":"Room","mode":"custom","#
            + #""status":"active","settings":{"autoRefresh":true,"refreshInterval":60,"timezone":"UTC""#))
      expect(answer.body.hasSuffix(#""timestamp":"2025-07-15T12:00:00Z"}"#))
      let json = try answer.json
      expectEqual(json.string("data.location"), "Hall \"2\" / é")
      expectEqual(json.string("data.settings.behavior.offlineMessage"), "Currently offline. Please try again later.")
      expect(
        json.integer("data.security.maxFailedAttempts") == 3 && json.integer("data.security.lockoutDuration") == 10)
      expectEqual(json["data.maintenance.enabled"], .bool(false))
      expectEqual(json.string("data.maintenance.schedule.time"), "02:00")
      expectEqual(json.string("data.createdAt"), "2025-07-15T12:00:00Z")
      let members = [
        "id", "name", "roomName", "mode", "status", "settings", "ui", "integrations", "security", "maintenance",
        "createdAt", "updatedAt",
      ]
      for member in members { expect(json["data.\(member)"] != nil, "\(member)") }
    }
  }

  @Test func tokensThatAreNotAccepted() async throws {
    try await withKioskVenue { venue, clock in
      let token = try await venue.activated()
      let parts = token.split(separator: ".").map { String($0) }
      let none = Base64URL.text([UInt8](#"{"alg":"none","typ":"JWT"}"#.utf8))
      var tampered = try #require(Base64URL.bytes(Substring(parts[1])))
      tampered[0] ^= 1
      for bearer in [
        nil, "", kioskToken, "x.y.z", parts[0] + "." + parts[1] + ".", "\(none).\(parts[1]).",
        "\(none).\(parts[1]).\(parts[2])", "\(parts[0]).\(Base64URL.text(tampered)).\(parts[2])", token + "A",
      ] {
        for line in [
          "GET /api/kiosks/configuration", "POST /api/kiosks/validate-token", "PUT /api/kiosks/\(kioskID)/status",
        ] {
          let answer = await venue.kiosk(line, bearer: bearer)
          expectEqual(answer.status, 401, "\(line)")
          expectEqual(answer.body, Self.refusedToken)
        }
      }
      await expectEqual(venue.kiosk("POST /api/kiosks/validate-token", bearer: token).status, 200)
      clock.advance(seconds: 3_599)
      await expectEqual(venue.kiosk("POST /api/kiosks/validate-token", bearer: token).status, 200)
      clock.advance(seconds: 1)
      await expectEqual(venue.kiosk("POST /api/kiosks/validate-token", bearer: token).status, 401)
    }
  }

  @Test func aRevokedTokenAndItsSuccessor() async throws {
    try await withKioskVenue { venue, _ in
      let token = try await venue.activated()
      try await venue.server.revokeTokens(ofKiosk: kioskID)
      await expectEqual(venue.kiosk("GET /api/kiosks/configuration", bearer: token).status, 401)
      let next = try await venue.activated()
      await expectEqual(venue.kiosk("GET /api/kiosks/configuration", bearer: next).status, 200)
    }
  }

  @Test func validation() async throws {
    try await withKioskVenue { venue, _ in
      let answer = await venue.kiosk("POST /api/kiosks/validate-token", bearer: try await venue.activated())
      expectEqual(answer.status, 200)
      expectEqual(
        answer.body,
        #"{"success":true,"data":{"valid":true,"kioskId":"\#(kioskID)"},"timestamp":"2025-07-15T12:00:00Z"}"#)
    }
  }

  @Test(arguments: ["available", "in-use", "meeting", "brb", "lunch", "unavailable"])
  func status(_ status: String) async throws {
    try await withKioskVenue { venue, _ in
      let token = try await venue.activated()
      let answer = await venue.kiosk(
        "PUT /api/kiosks/\(kioskID)/status",
        #"{"status":"\#(status)","timestamp":"2025-07-15T11:59:58Z","manualOverride":true}"#, bearer: token)
      expectEqual(answer.status, 200)
      expectEqual(
        answer.body,
        #"{"success":true,"data":{"kioskId":"\#(kioskID)","status":"\#(status)","manualOverride":true},"#
          + #""timestamp":"2025-07-15T12:00:00Z"}"#)
      let kiosk = try await venue.server.kiosk(kioskID).kiosk
      expect(kiosk.status == status && kiosk.statusTime == "2025-07-15T11:59:58Z" && kiosk.manualOverride == true)
    }
  }

  @Test func statusesThatAreNone() async throws {
    try await withKioskVenue { venue, _ in
      let token = try await venue.activated()
      let list = "available, in-use, meeting, brb, lunch, unavailable"
      for body in [#"{"status":"inUse"}"#, #"{"status":"open"}"#, #"{"status":null}"#, "{}", "", "[]"] {
        let answer = await venue.kiosk("PUT /api/kiosks/\(kioskID)/status", body, bearer: token)
        expectEqual(answer.status, 400, "\(body)")
        expectEqual(answer.body, refusal("INVALID_STATUS", "status must be one of \(list)"))
      }
      let flag = await venue.kiosk(
        "PUT /api/kiosks/\(kioskID)/status", #"{"status":"lunch","manualOverride":"yes"}"#, bearer: token)
      expectEqual(flag.status, 400)
      let other = await venue.kiosk("PUT /api/kiosks/another/status", #"{"status":"lunch"}"#, bearer: token)
      expectEqual(other.status, 403)
      expectEqual(other.body, refusal("FORBIDDEN", "The token is another kiosk's"))
      expect(try await venue.server.kiosk(kioskID).kiosk.status == nil)
    }
  }

  @Test func otherMethodsAndAddresses() async throws {
    try await withKioskVenue { venue, _ in
      let answer = await venue.kiosk("GET /api/kiosks/validate-token")
      expectEqual(answer.status, 405)
      expectEqual(answer.header("Allow"), "POST")
      expectEqual(answer.body, refusal("METHOD_NOT_ALLOWED", "Use POST"))
      await expectEqual(venue.kiosk("PUT /api/kiosks/configuration", "{}").status, 405)
      await expectEqual(venue.kiosk("GET /api/kiosks/\(kioskID)/remote-config", bearer: kioskToken).status, 404)
      await expectEqual(venue.kiosk("GET /api/kiosks/\(kioskID)", bearer: kioskToken).status, 404)
    }
  }
}
