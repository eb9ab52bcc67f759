import Expectations
import ScanModel
import ScriptedHTTP
import SetUpCodes
import Testing
import TicketTransport

@testable import Enrolment

/// One after the other: some of them are about deadlines, which a busy machine cannot keep.
@Suite(.serialized) struct EnrolmentTests {
  @Test func theExchangeIsAsDocumented() async throws {
    try await Venue.with(ScriptedServer(answer: Venue.answer("200 OK", Venue.given()))) { venue in
      let given = try await venue.enrol()
      expect(given.type == "eventschedule" && given.url == "https://venue.example/tickets")
      expect(given.apiKey.text == "key-1234567890" && given.gate == "north")
      expect(given.saleTicket == 789 && given.seat == "Row 1")
      let request = try #require(venue.server.requests.first)
      expect(venue.server.requests.count == 1 && request.hasPrefix("POST /venue/enrol HTTP/1.1\r\n"))
      expect(
        request.hasSuffix(
          "\r\n\r\n"
            + #"{"secret":"AAAQEAYEAUDAOCAJBIFQYDIOB4","station":{"id":"0b9d3f0e-6c1c-4c0a-9a53-3d6a9f2b7c11","#
            + "\"name\":\"Kasse \\\\ \u{202E}\"," + #""version":"1.2.3"},"gate":"north \"1\""}"#))
      expect(!request.lowercased().contains("authorization"))
    }
  }

  @Test(
    arguments: [
      (#"{"name":"north"}"#, nil, nil), (#"{"name":"north","saleTicket":null,"seat":null,"more":{}}"#, nil, nil),
      (#"{"name":"north","saleTicket":"7"}"#, 7, nil), (#"{"name":"north","seat":"ü"}"#, nil, "ü"),
    ] as [(String, Int64?, String?)])
  func whatAGateNeedsNotHave(gate: String, saleTicket: Int64?, seat: String?) async throws {
    try await Venue.with(ScriptedServer(answer: Venue.answer("201 Created", Venue.given(gate: gate)))) { venue in
      let given = try await venue.enrol()
      expect(given.saleTicket == saleTicket && given.seat == seat)
    }
  }

  static let refusals: [(status: String, refusal: SetUpRefusal)] = [
    ("404 Not Found", .wrong), ("410 Gone", .expired), ("409 Conflict", .used), ("403 Forbidden", .unknownStation),
    ("429 Too Many Requests", .lockedOut), ("400 Bad Request", .fault), ("401 Unauthorized", .fault),
    ("405 Method Not Allowed", .fault), ("408 Request Timeout", .fault), ("413 Content Too Large", .fault),
    ("415 Unsupported Media Type", .fault), ("418 I'm a teapot", .fault), ("422 Unprocessable Content", .fault),
    ("423 Locked", .fault), ("451 Unavailable", .fault), ("204 No Content", .fault), ("202 Accepted", .fault),
    ("206 Partial Content", .fault),
  ]

  @Test(arguments: refusals.indices) func eachRefusalIsTold(index: Int) async throws {
    let (status, refusal) = Self.refusals[index]
    let body = #"{"error":{"code":"some_code","message":"No \u001b[31m\u202e aaaqeayeaudaocajbifqydiob4"}}"#
    let text = status.hasPrefix("204") ? "HTTP/1.1 204 No Content\r\n\r\n" : Venue.answer(status, body)
    let fault = try #require(try await Venue.fault(text))
    expect(fault.refusal == refusal && !fault.mayBeUsed)
    expect(fault.detail.contains("venue.example:8443") && fault.detail.hasSuffix("."))
    expect(!fault.detail.uppercased().contains(Venue.secret) && !fault.detail.contains("\u{1B}"))
    if !status.hasPrefix("2") { expect(fault.detail.contains("No [31m (secret)"), "\(fault.detail)") }
    // A page says nothing about a code, whatever its status.
    let page = try #require(
      try await Venue.fault(Venue.answer(status, "<html>aaaqeayeaudaocajbifqydiob4</html>", type: "text/html")))
    expectEqual(page.refusal, (status.hasPrefix("429") ? .lockedOut : .fault), "\(status): \(page)")
    expect(!page.detail.contains("html"))
  }

  @Test func aLockOutSaysForHowLong() async throws {
    let fault = try #require(
      try await Venue.fault(Venue.answer("429 Too Many Requests", "{}", more: "Retry-After: 90\r\n")))
    expect(fault.refusal == .lockedOut && fault.detail.contains("in 2 min"))
  }

  static let bad: [(name: String, body: String)] = [
    ("nothing", ""), ("a list", "[]"), ("a text", "\"x\""), ("null", "null"), ("no JSON", "{"),
    ("an empty object", "{}"),
    ("success alone", #"{"success":true}"#), ("twice the same name", #"{"ticketSystem":{},"ticketSystem":{}}"#),
    ("a list for the system", #"{"ticketSystem":[],"gate":{"name":"n"}}"#),
    ("another type", Venue.given(type: #""pretix \u001b[2J""#)), ("no type", Venue.given(type: "null")),
    ("a number for the type", Venue.given(type: "7")), ("no address", Venue.given(url: "null")),
    ("plain HTTP", Venue.given(url: #""http://venue.example""#)),
    ("an address", Venue.given(url: #""https://127.0.0.1""#)),
    ("this machine", Venue.given(url: #""https://localhost""#)),
    ("a query", Venue.given(url: #""https://venue.example?x""#)),
    ("a user", Venue.given(url: #""https://venue.example@evil.example""#)), ("no key", Venue.given(key: "null")),
    ("an empty key", Venue.given(key: "\"\"")), ("a key of two lines", Venue.given(key: #""a\r\nX: b""#)),
    ("a key with blanks", Venue.given(key: #""a b""#)), ("a key that is none", Venue.given(key: #""schlüssel""#)),
    ("a number for the key", Venue.given(key: "1234567890")), ("a list for the key", Venue.given(key: "[\"a\"]")),
    ("an endless key", Venue.given(key: "\"" + String(repeating: "k", count: 4_097) + "\"")),
    ("no gate", Venue.given(gate: "null")), ("a list of gates", Venue.given(gate: #"[{"name":"n"}]"#)),
    ("a gate without a name", Venue.given(gate: "{}")),
    ("a gate that steers", Venue.given(gate: #"{"name":"n\u0007"}"#)),
    ("a gate with marks", Venue.given(gate: #"{"name":"n\u202e"}"#)),
    ("an empty gate", Venue.given(gate: #"{"name":""}"#)),
    ("a long gate", Venue.given(gate: "{\"name\":\"" + String(repeating: "n", count: 65) + "\"}")),
    ("a sale ticket that is none", Venue.given(gate: #"{"name":"n","saleTicket":"x"}"#)),
    ("a negative sale ticket", Venue.given(gate: #"{"name":"n","saleTicket":-1}"#)),
    ("a fraction", Venue.given(gate: #"{"name":"n","saleTicket":7.5}"#)),
    ("a list of sale tickets", Venue.given(gate: #"{"name":"n","saleTicket":[7]}"#)),
    ("a seat that is none", Venue.given(gate: #"{"name":"n","seat":7}"#)),
    ("a seat that steers", Venue.given(gate: #"{"name":"n","seat":"\u001b"}"#)),
    ("deep nesting", String(repeating: "[", count: 10_000)),
  ]

  @Test(arguments: bad.indices) func whatIsNotAsDocumentedEnrolsNobody(index: Int) async throws {
    let (name, body) = Self.bad[index]
    let fault = try #require(try await Venue.fault(Venue.answer("200 OK", body)), "\(name)")
    expect(fault.refusal == .fault && fault.mayBeUsed, "\(name): \(fault)")
    expect(fault.detail.contains("venue.example:8443") && !fault.detail.contains("\u{1B}"), "\(name): \(fault)")
    expect(!fault.detail.contains("1234567890"), "a key is not shown")
  }

  @Test func aPageEnrolsNobody() async throws {
    let fault = try #require(try await Venue.fault(Venue.answer("200 OK", Venue.given(), type: "text/html")))
    expectEqual(fault.refusal, .fault)
  }

  @Test func tenMegabytesAreNotRead() async throws {
    let body = #"{"more":""# + String(repeating: String(repeating: "x", count: 1_000), count: 10_000) + "\"}"
    let fault = try #require(try await Venue.fault(Venue.answer("200 OK", body)))
    expect(fault.refusal == .fault && fault.mayBeUsed && fault.detail.contains("256 KiB"))
  }

  @Test(arguments: ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"])
  func noRedirectIsFollowed(status: String) async throws {
    let elsewhere = ScriptedServer(answer: Venue.answer("200 OK", Venue.given()))
    let port = try await elsewhere.start(certificate: TestCertificates.good)
    let location = "Location: https://localhost:\(port)/enrol\r\n"
    let fault = try #require(try await Venue.fault(Venue.answer(status, "", more: location)))
    expect(fault.refusal == .fault && !fault.detail.contains("localhost:\(port)"))
    expectEqual(elsewhere.connections, 0)
    await elsewhere.stop()
  }

  /// The key is a secret that is sent to where the answer says: only a host that is trusted for it.
  @Test(arguments: [
    ("https://venue.example", "", true), ("https://venue.example:9443/x", "", true),
    ("https://VENUE.example", "", true),
    ("https://other.example", "", false), ("https://a.venue.example", "", false),
    ("https://other.example:8443", "server other.example:8443", true),
    ("https://other.example", "server other.example:8443", false),
  ])
  func theTicketSystemIsWhereItMayBe(url: String, list: String, isFine: Bool) async throws {
    let fault = try await Venue.fault(Venue.answer("200 OK", Venue.given(url: "\"\(url)\"")), list: list)
    expectEqual((fault == nil), isFine)
    if let fault { expect(fault.refusal == .untrusted && fault.mayBeUsed) }
  }

  // MARK: The network

  @Test func aLostAnswerIsAskedForAgain() async throws {
    let server = ScriptedServer { number, _, connection in
      switch number {
      case 1: connection.close()
      case 2: connection.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
      default: connection.send(Venue.answer("200 OK", Venue.given()))
      }
    }
    try await Venue.with(server) { venue in
      let given = try await venue.enrol()
      expectEqual(given.apiKey.text, "key-1234567890")
      // Word for word: the venue knows the station again.
      expect(server.requests.count == 3 && Set(server.requests).count == 1)
    }
  }

  @Test func aVenueThatSaysNothingIsOfflineInTime() async throws {
    let server = ScriptedServer { _, _, _ in }
    try await Venue.with(server) { venue in
      await #expect { try await venue.enrol(within: .seconds(4)) } throws: { fault in
        (fault as? EnrolmentFault)?.refusal == .offline && (fault as? EnrolmentFault)?.mayBeUsed == true
      }
      expectEqual(server.requests.count, 1)
    }
  }

  @Test func aVenueThatIsOutOfOrderIsAFault() async throws {
    let fault = try #require(
      try await Venue.fault("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"))
    expect(fault.refusal == .fault && fault.mayBeUsed && fault.detail.contains("500"))
  }

  @Test func nobodyThereIsOffline() async throws {
    let server = ScriptedServer { _, _, _ in }
    try await Venue.with(server) { venue in
      await server.stop()
      await #expect { try await venue.enrol(within: .milliseconds(500)) } throws: { fault in
        (fault as? EnrolmentFault)?.refusal == .offline && (fault as? EnrolmentFault)?.mayBeUsed == false
      }
    }
  }

  @Test(arguments: [
    TestCertificates.expired, TestCertificates.future, TestCertificates.wrongHost, NamedCertificates.address,
    NamedCertificates.commonName, nil,
  ]) func noSecretGoesWhereTLSDoesNotHold(certificate: String?) async throws {
    let server = ScriptedServer(answer: Venue.answer("200 OK", Venue.given()))
    try await Venue.with(server, certificate: certificate) { venue in
      await #expect { try await venue.enrol(within: .seconds(3)) } throws: { fault in
        (fault as? EnrolmentFault)?.mayBeUsed == false && (fault as? EnrolmentFault)?.refusal != .wrong
      }
      expect(server.requests.isEmpty)
    }
  }

  @Test func aCAFileThatCannotBeReadIsSaid() async throws {
    var settings = HTTPTransport.Settings()
    settings.trust = .onlyFile(path: "/none/authority.pem")
    let client = EnrolmentClient(trust: .none, types: ["eventschedule"], settings: settings)
    let code = EnrolmentCode(
      server: try NamedServer("venue.example"), gate: "n", secret: .random(), expires: WallTime(seconds: 0))
    await #expect {
      try await client.enrol(code, station: Venue.station, name: "n", deadline: SystemTime().now() + .seconds(5))
    } throws: { "\($0)".contains("/none/authority.pem") }
  }

  @Test func aGivenKeyShowsNothing() throws {
    let key = try #require(GivenKey("key-1234567890"))
    expect("\(key) \(String(reflecting: key))" == "(API key) (API key)" && Mirror(reflecting: key).children.isEmpty)
    try expectEqual(key.secret(), Secret("key-1234567890"))
    let enrolment = Enrolment(type: "eventschedule", url: "https://a.example", apiKey: key, gate: "n")
    expect(!"\(enrolment)".contains("1234567890"))
  }
}
