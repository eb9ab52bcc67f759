import Expectations
import Foundation
import Testing

@testable import VenueServer

/// Bad days of the kiosk service and of enrolment.
@Suite struct KioskMannersTests {
  private func withBadKiosks(
    _ misbehaviour: String, _ shape: KioskShape = .document, _ body: (RunningVenue) async throws -> Void
  ) async throws {
    let bad = try Misbehaviour(misbehaviour)
    try await withKioskVenue(shape, change: { $0.misbehaviours = [bad] }) { venue, _ in try await body(venue) }
  }

  @Test func onlyWhatItIsForIsHit() async throws {
    try await withBadKiosks("status=503,on=kiosk") { venue in
      for line in [
        "GET /api/health", "POST /enrol", "PUT /api/kiosks/x/status", "POST /api/register-kiosk",
        "POST /api/v2/beacon/activate",
      ] {
        await expectEqual(venue.kiosk(line).status, 503, "\(line)")
      }
      let admitted = try await venue.scan(try venue.code(.entry))
      expectEqual(admitted.status, 201)
    }
    try await withBadKiosks("status=503") { venue in
      await expectEqual(venue.kiosk("GET /api/health").status, 200)
      let missed = try await venue.scan(try venue.code(.entry))
      expectEqual(missed.status, 503)
    }
    try await withBadKiosks("status=503,on=all") { venue in
      await expectEqual(venue.kiosk("GET /api/health").status, 503)
    }
  }

  @Test(arguments: [401, 403, 423, 429, 500, 502, 503, 504]) func eachStatus(_ status: Int) async throws {
    try await withBadKiosks("status=\(status),on=kiosk") { venue in
      let answer = await venue.kiosk("GET /api/kiosks/configuration")
      expectEqual(answer.status, status)
      if status > 500 {
        expect(answer.body.hasPrefix("<html>"))
      } else {
        expect(answer.body.hasPrefix(#"{"success":false,"error":{"code":""#))
        let enrol = await venue.kiosk("POST /enrol", "{}")
        expect(enrol.body.hasPrefix(#"{"error":{"code":"MISBEHAVIOUR","message":""#))
      }
    }
    try await withBadKiosks("status=\(status),on=kiosk", .nova) { venue in
      let answer = await venue.kiosk("GET /api/kiosks/\(kioskID)/remote-config")
      expectEqual(answer.status, status)
      expect(answer.body.hasPrefix(status > 500 ? "<html>" : #"{"error":""#))
    }
  }

  @Test func aLostAnswerHasUsedTheCodeUp() async throws {
    try await withBadKiosks("close=after,on=kiosk,next=1") { venue in
      let body = #"{"activationCode":"\#(try await venue.activationCode())"}"#
      let lost = await venue.kiosk("POST /api/kiosks/activate", body)
      expect(lost.bytes.isEmpty && lost.end == .closed)
      await expectEqual(venue.kiosk("POST /api/kiosks/activate", body).status, 409)
    }
    try await withBadKiosks("reset=before,on=kiosk,next=1") { venue in
      let body = #"{"activationCode":"\#(try await venue.activationCode())"}"#
      let lost = await venue.kiosk("POST /api/kiosks/activate", body)
      expect(lost.bytes.isEmpty && lost.end == .reset)
      await expectEqual(venue.kiosk("POST /api/kiosks/activate", body).status, 200)
    }
  }

  @Test func spoiltAnswers() async throws {
    try await withBadKiosks("html,on=kiosk") { venue in
      let answer = await venue.kiosk("GET /api/health")
      expect(answer.status == 200 && answer.body.contains("Guest network"))
    }
    try await withBadKiosks("redirect=https://elsewhere.example/,on=kiosk") { venue in
      let answer = await venue.kiosk("POST /enrol", "{}")
      expect(answer.status == 302 && answer.header("Location") == "https://elsewhere.example/")
    }
    try await withBadKiosks("json=cut,on=kiosk") { venue in
      let answer = await venue.kiosk("GET /api/health")
      expect(answer.status == 200 && answer.body.hasPrefix("{") && !answer.body.hasSuffix("}"))
    }
    try await withBadKiosks("json=huge,on=kiosk") { venue in
      expect(await venue.kiosk("GET /api/health").bytes.count > 12 << 20)
    }
  }

  /// What is told is off; what is decided is not.
  @Test func aWrongClock() async throws {
    try await withBadKiosks("clock=-1d,on=kiosk") { venue in
      let health = await venue.kiosk("GET /api/health")
      expect(health.body.hasSuffix(#""timestamp":"2025-07-14T12:00:00Z"}"#))
      expectEqual(health.header("Date"), "Mon, 14 Jul 2025 12:00:00 GMT")
      let code = try await venue.activationCode()
      let answer = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(code)"}"#)
      try expectEqual(answer.json.string("expiresAt"), "2025-07-14T13:00:00Z")
      let token = try answer.json.string("token") ?? ""
      await expectEqual(venue.kiosk("GET /api/kiosks/configuration", bearer: token).status, 200)
    }
  }
}
