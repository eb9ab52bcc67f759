import Expectations
import Foundation
import Testing

@testable import VenueServer

/// `POST /enrol`: a one-time secret for a ticket system's address and key.
@Suite struct EnrolmentTests {
  private func request(_ secret: String, station: String = kioskID, gate: String = "north") -> String {
    #"{"secret":"\#(secret)","station":{"id":"\#(station)","name":"Gate 2","version":"1.0.0"},"gate":"\#(gate)"}"#
  }

  private func refusal(_ code: String, _ message: String) -> String {
    #"{"error":{"code":"\#(code)","message":"\#(message)"}}"#
  }

  @Test func aStationGetsAKeyOfItsOwn() async throws {
    try await withKioskVenue { venue, _ in
      let secret = try await venue.server.makeEnrolment(gate: "north", saleTicket: 789, seat: "A 7").secret
      expect(secret.wholeMatch(of: /[A-Z2-7]{26}/) != nil)
      let answer = await venue.kiosk("POST /enrol", request(secret))
      expectEqual(answer.status, 200)
      let key = try answer.json.string("ticketSystem.apiKey") ?? ""
      expectEqual(
        answer.body,
        #"{"ticketSystem":{"type":"eventschedule","url":"http:\/\/venue","apiKey":"\#(key)"},"#
          + #""gate":{"name":"north","saleTicket":789,"seat":"A 7"}}"#)
      expect(key != (try venue.key()))
      try await expectEqual(venue.scan(try venue.code(.entry), key: key).status, 201)
    }
  }

  @Test func aLostAnswerIsGivenAgainToTheSameStationForAWhile() async throws {
    try await withKioskVenue(change: { $0.publicURL = "https://venue.example:8443" }) { venue, clock in
      let made = try await venue.server.makeEnrolment(gate: "north")
      expectEqual(made.server, "venue.example:8443")
      let first = await venue.kiosk("POST /enrol", request(made.secret))
      expect(first.body.contains(#""url":"https:\/\/venue.example:8443""#))
      expect(first.body.hasSuffix(#""gate":{"name":"north","saleTicket":null,"seat":null}}"#))
      let used = refusal("SECRET_USED", "The enrolment secret has been used")
      let other = await venue.kiosk("POST /enrol", request(made.secret, station: "another"))
      expect(other.status == 409 && other.body == used)
      clock.advance(seconds: 600)
      await expectEqual(venue.kiosk("POST /enrol", request(made.secret)).body, first.body)
      clock.advance(seconds: 1)
      let late = await venue.kiosk("POST /enrol", request(made.secret))
      expect(late.status == 409 && late.body == used)
    }
  }

  @Test(arguments: [
    ("https://venue.example:8443", "venue.example:8443", "venue.example:8443"),
    ("https://venue.example/tickets", "venue.example", "venue.example/tickets"),
    ("http://venue.example", "venue.example", "venue.example"),
  ])
  func whereTheVenueIsReachedIsToldInCodes(_ url: String, _ authority: String, _ place: String) async throws {
    let server = try VenueServer(VenueConfiguration(publicURL: url))
    try await expectEqual(server.makeActivationCode().server, authority)
    try await expectEqual(server.makeEnrolment(gate: "north").server, place)
  }

  @Test func whatIsRefused() async throws {
    try await withKioskVenue { venue, clock in
      let unknown = await venue.kiosk("POST /enrol", request("AAAAAAAAAAAAAAAAAAAAAAAAAA"))
      expectEqual(unknown.status, 404)
      expectEqual(unknown.body, refusal("SECRET_UNKNOWN", "The enrolment secret is not known"))
      for secret in [
        "A", "AAAAAAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAAAAAA1", String(repeating: "A", count: 9_999),
      ] {
        await expectEqual(venue.kiosk("POST /enrol", request(secret)).body, unknown.body)
      }

      let meant = try await venue.server.makeEnrolment(gate: "north", for: "another").secret
      let stranger = await venue.kiosk("POST /enrol", request(meant))
      expectEqual(stranger.status, 403)
      expectEqual(stranger.body, refusal("STATION_UNKNOWN", "The enrolment secret was made for another station"))
      let south = await venue.kiosk("POST /enrol", request(meant, station: "another", gate: "south"))
      expectEqual(south.status, 400)
      expectEqual(south.body, refusal("INVALID_REQUEST", "The enrolment secret was made for another gate"))
      await expectEqual(venue.kiosk("POST /enrol", request(meant, station: "another")).status, 200)

      let brief = try await venue.server.makeEnrolment(gate: "north", minutes: 1).secret
      clock.advance(seconds: 60)
      let late = await venue.kiosk("POST /enrol", request(brief))
      expectEqual(late.status, 410)
      expectEqual(late.body, refusal("SECRET_EXPIRED", "The enrolment secret has expired"))

      for body in [
        "", "{}", "[]", #"{"secret":"A"}"#, #"{"secret":7,"station":{"id":"x"}}"#, #"{"secret":"A","station":[]}"#,
      ] {
        let answer = await venue.kiosk("POST /enrol", body)
        expectEqual(answer.status, 400, "\(body)")
        expectEqual(answer.body, refusal("INVALID_REQUEST", "secret and station.id are required"))
      }
      let get = await venue.kiosk("GET /enrol")
      expect(get.status == 405 && get.header("Allow") == "POST")
    }
  }

  @Test func guessingIsStopped() async throws {
    try await withKioskVenue { venue, clock in
      let secret = try await venue.server.makeEnrolment(gate: "north").secret
      for _ in 0..<10 {
        await expectEqual(venue.kiosk("POST /enrol", request("AAAAAAAAAAAAAAAAAAAAAAAAAA")).status, 404)
      }
      let stopped = await venue.kiosk("POST /enrol", request(secret))
      expect(stopped.status == 429 && stopped.header("Retry-After") == "60")
      expectEqual(stopped.body, refusal("TOO_MANY_REQUESTS", "Too many wrong enrolment secrets"))
      // Codes are another matter.
      expect(try await !venue.activated().isEmpty)
      clock.advance(seconds: 61)
      await expectEqual(venue.kiosk("POST /enrol", request(secret)).status, 200)
    }
  }

  /// Whoever reads the file can neither enrol nor scan nor activate.
  @Test func secretsAreNotStored() async throws {
    try await withTemporaryDirectory { directory in
      var secrets: [String] = []
      try await withKioskVenue(change: { $0.storage = .file(directory + "/venue.sqlite") }) { venue, _ in
        let (code, secret) = (
          try await venue.activationCode(), try await venue.server.makeEnrolment(gate: "north").secret
        )
        let key = try await venue.kiosk("POST /enrol", request(secret)).json.string("ticketSystem.apiKey") ?? ""
        secrets = [code, secret, key, try await venue.activated()]
      }
      var found = 0
      for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
        // Its last connection takes some of them away.
        guard let data = FileManager.default.contents(atPath: directory + "/" + name) else { continue }
        found += data.count
        for secret in secrets { expect(data.range(of: Data(secret.utf8)) == nil) }
      }
      expect(secrets.allSatisfy { $0.count >= 8 } && found > 0)
    }
  }

  @Test(arguments: 0..<40) func base32ReadsBack(_ length: Int) {
    var random = SystemRandomNumberGenerator()
    let bytes = Secret.bytes(length, &random)
    let text = Base32.text(bytes)
    expect(Base32.bytes(text) == bytes && Base32.bytes(text.lowercased()) == bytes)
    expectEqual(Base64URL.bytes(Base64URL.text(bytes)[...]), bytes)
  }

  /// The vectors of RFC 4648, without their padding.
  @Test func base32IsThatOfTheStandard() {
    let vectors = ["": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "foobar": "MZXW6YTBOI"]
    for (plain, text) in vectors { expectEqual(Base32.text([UInt8](plain.utf8)), text) }
    for bad in ["M", "MZ", "MY======", "M1", "MZXW6YTBO", "Ä"] { expect(Base32.bytes(bad) == nil, "\(bad)") }
  }
}
