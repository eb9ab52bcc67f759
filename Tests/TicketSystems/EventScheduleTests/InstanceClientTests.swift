import EventSchedule
import Expectations
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport
import WireText

/// What is asked of a server that somebody connects, and what is not: over real sockets.
@Suite struct InstanceClientTests {
  private static let key = "hunter2VerySecretIndeed"
  private var soon: MonotonicTime { SystemTime().now() + .seconds(30) }

  private static func json(_ body: String, _ status: String = "200 OK") -> String {
    Answers.response(status, body)
  }

  /// A server that answers by path; everything else is a 404 that is a page.
  private static func server(_ answers: [String: String]) -> ScriptedServer {
    ScriptedServer { _, request, connection in
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      connection.send(
        answers[path] ?? "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>")
    }
  }

  private static func paths(_ server: ScriptedServer) -> [String] {
    server.requests.map { String($0.split(separator: " ")[1]) }
  }

  private static let first = "/.well-known/eventschedule.json"
  private static let second = "/.well-known/planify.json"

  @Test func theFirstPathIsAskedAndNoKeyGoes() async throws {
    let server = Self.server([Self.first: Self.json(#"{"features":["a"]}"#)])
    let client = InstanceClient(typed: try ServerAddress("http://127.0.0.1:\(try await server.start())/api/"))
    let found = try await client.discovery(deadline: soon)
    expectEqual(found.discovery?.features, ["a"])
    expectEqual(Self.paths(server), [Self.first])
    expect(!server.requests.joined().lowercased().contains("x-api-key"))
    await server.stop()
  }

  static let none: [(name: String, answer: String)] = [
    ("404", json("{}", "404 Not Found")),
    ("HTML", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>"),
    ("moved", "HTTP/1.1 301 Moved Permanently\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"),
    ("401", json(#"{"error":"Unauthorized"}"#, "401 Unauthorized")),
    ("403", json(#"{"message":"Access denied"}"#, "403 Forbidden")),
    ("422", json(#"{"message":"x","errors":{}}"#, "422 Unprocessable Content")),
    ("429", json("{}", "429 Too Many Requests")),
    ("500", json("{}", "500 Internal Server Error")), ("an error in a 200", json(#"{"error":"Not found"}"#)),
    ("a list", json("[]")), ("null", json("null")), ("no JSON", json(#"{"features":"#)),
    ("deep", json(String(repeating: "[", count: 5_000))),
    ("64 KiB and more", json(#"{"features":["\#(String(repeating: "x", count: 65_536))"]}"#)),
    ("a promise of gigabytes", "HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n{"),
    ("twice the same name", json(#"{"features":[],"features":["a"]}"#)),
  ]

  @Test(arguments: none.indices) func whatIsNoDocumentLeadsToTheSecondPath(index: Int) async throws {
    let (name, answer) = Self.none[index]
    let server = Self.server([Self.first: answer, Self.second: Self.json(#"{"apiBaseURL":"/api"}"#)])
    let client = InstanceClient(typed: try ServerAddress("http://127.0.0.1:\(try await server.start())"))
    let found = try await client.discovery(deadline: soon)
    expectEqual(found.discovery?.api, .told("/api"), "\(name)")
    expectEqual(found.answers.map(\.path), [Self.second], "\(name)")
    expectEqual(
      Self.paths(server), [Self.first, Self.second], "\(name): no redirect is followed, nothing is asked twice")
    await server.stop()
  }

  @Test(arguments: none.indices) func whatIsNoLookIsNone(index: Int) async throws {
    let (name, answer) = Self.none[index]
    let server = ScriptedServer(answer: answer)
    let api = try ServerAddress("http://127.0.0.1:\(try await server.start())")
    let client = InstanceClient(typed: api)
    try await expectEqual(client.branding(.told("/look"), api: api, deadline: soon), nil, "\(name)")
    expectEqual(Self.paths(server), ["/look", "/api/meta/branding", "/branding.json"], "\(name)")
    // Nor is it a picture, and nor does it prove a key.
    let key = try Secret(Self.key)
    if !answer.hasPrefix("HTTP/1.1 200") {
      await #expect(throws: TransportFault.self) { try await client.picture(.told("/x"), api: api, deadline: soon) }
    }
    if !answer.hasSuffix("[]") {
      await #expect(throws: TransportFault.self) { try await client.events(at: api, key: key, deadline: soon) }
    }
    await server.stop()
  }

  /// Half a document is none, however much of it was there; and a server whose clock is a day off is asked all the same.
  @Test func whatIsCutOffIsNone() async throws {
    let whole = ##"{"features":["a"],"primary_hex":"#123456","data":[]}"##
    let cut = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n" + whole
    let server = ScriptedServer { _, _, connection in
      connection.send(cut)
      connection.close()
    }
    let api = try ServerAddress("http://127.0.0.1:\(try await server.start())")
    let client = InstanceClient(typed: api)
    let key = try Secret(Self.key)
    await #expect(throws: TransportFault.self) { try await client.discovery(deadline: soon) }
    await #expect(throws: TransportFault.self) { try await client.branding(.absent, api: api, deadline: soon) }
    await #expect(throws: TransportFault.self) { try await client.picture(.told("/x"), api: api, deadline: soon) }
    await #expect(throws: TransportFault.self) { try await client.events(at: api, key: key, deadline: soon) }
    expectEqual(server.requests.count, 4, "nothing is asked twice")
    await server.stop()

    let late = ScriptedServer(
      answer: Answers.response("200 OK", whole, date: "Sun, 06 Nov 1994 08:49:37 GMT"))
    let other = try ServerAddress("http://127.0.0.1:\(try await late.start())")
    try await expectEqual(InstanceClient(typed: other).discovery(deadline: soon).discovery?.features, ["a"])
    try await expectEqual(InstanceClient(typed: other).events(at: other, key: key, deadline: soon).events.count, 0)
    await late.stop()
  }

  @Test func whoeverTellsNothingIsSaidToTellNothing() async throws {
    let server = Self.server([:])
    let client = InstanceClient(typed: try ServerAddress("http://127.0.0.1:\(try await server.start())"))
    let found = try await client.discovery(deadline: soon)
    expectEqual(found.discovery, nil)
    expectEqual(found.answers.map(\.status), [404, 404])
    await server.stop()
    // A server that cannot be asked is not one that tells nothing.
    let nobody = InstanceClient(typed: try ServerAddress("http://127.0.0.1:\(closedPort)"))
    await #expect(throws: TransportFault.self) {
      try await nobody.discovery(deadline: SystemTime().now() + .milliseconds(300))
    }
  }

  // MARK: The key

  @Test(
    arguments: [
      (
        200,
        #"{"data":[{"id":"Mzg5NzM0","name":"Gala\u001b[2J","starts_at":"2026-01-31 19:00:00","venue":{"name":"Hall B"}},{"id":7}],"meta":{"total":9}}"#,
        nil
      ),
      (200, #"{"data":[]}"#, nil), (200, #"{"data":{}}"#, nil), (200, "[]", nil),
      (200, #"{"data":null}"#, UndecidedReason.badAnswer), (200, "<html>", .badAnswer),
      (200, #"{"data":{"id":1}}"#, .badAnswer),
      (200, "{}", .badAnswer), (302, "", .badAnswer), (401, #"{"error":"Unauthorized"}"#, .keyRefused),
      (403, #"{"message":"Access denied"}"#, .accessDenied), (403, #"{"error":"Unauthorized"}"#, .accessDenied),
      (403, #"{"message":"Unauthorized"}"#, .accessDenied), (404, "{}", .badAnswer), (405, "{}", .badAnswer),
      (422, #"{"message":"hunter2VerySecretIndeed","errors":{}}"#, .badAnswer),
      (423, #"{"error":"API key temporarily blocked"}"#, .keyBlocked), (429, "{}", .rateLimited),
      (503, "{}", .unreachable),
    ] as [(Int, String, UndecidedReason?)])
  func aKeyIsProvedByTheListOfEvents(status: Int, body: String, reason: UndecidedReason?) async throws {
    let server = ScriptedServer(answer: Self.json(body, "\(status) X"))
    let api = try ServerAddress("http://127.0.0.1:\(try await server.start())")
    let client = InstanceClient(typed: api)
    let key = try Secret(Self.key)
    do throws(TransportFault) {
      let page = try await client.events(at: api, key: key, deadline: soon)
      expectEqual(reason, nil)
      if let event = page.events.first {
        expectEqual(
          [event.id, event.name, event.starts, event.venue],
          ["Mzg5NzM0", "Gala [2J", "2026-01-31 19:00:00", "Hall B"])
        expect(page.events.count == 2 && page.total == 9)
      }
    } catch {
      expectEqual(error.reason, reason)
      expect(!error.detail.contains("hunter2"), "\(error.detail)")
    }
    expectEqual(Self.paths(server), ["/api/events?per_page=50&page=1"])
    expect(server.requests.first?.contains("\r\nX-API-Key: \(Self.key)\r\n") == true)
    await server.stop()
  }

  @Test func aMillionEventsAreNotRead() throws {
    let many = "[" + Array(repeating: #"{"id":1}"#, count: 50_000).joined(separator: ",") + "]"
    let page = try #require(EventPage(try JSONValue([UInt8](many.utf8))))
    expectEqual(page.events.count, EventPage.mostEvents)
  }

  // MARK: How it looks

  @Test func brandingIsAskedWhereItIsToldAndThenWhereItUsuallyIs() async throws {
    let look = Self.json(##"{"primary_hex":"#123456"}"##)
    for (told, answers, asked) in [
      (Discovery.Address.told("/look.json"), ["/look.json": look], ["/look.json"]),
      (.absent, ["/api/meta/branding": look], ["/api/meta/branding"]),
      (.absent, ["/branding.json": look], ["/api/meta/branding", "/branding.json"]),
      (.told("https://127.0.0.1:9/look"), ["/branding.json": look], ["/api/meta/branding", "/branding.json"]),
      (.unusable, [:], ["/api/meta/branding", "/branding.json"]),
    ] as [(Discovery.Address, [String: String], [String])] {
      let server = Self.server(answers)
      let api = try ServerAddress("http://127.0.0.1:\(try await server.start())")
      let branding = try await InstanceClient(typed: api).branding(told, api: api, deadline: soon)
      expectEqual(branding?.primary.ground.description, answers.isEmpty ? nil : "#123456")
      expectEqual(Self.paths(server), asked)
      await server.stop()
    }
  }

  @Test func aPictureOfTheServersOwnIsTaken() async throws {
    let server = Self.server([
      "/logo.png?v=2": "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nPNG",
      "/large.png": "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n",
      "/moved.png": "HTTP/1.1 302 Found\r\nLocation: /logo.png?v=2\r\nContent-Length: 0\r\n\r\n",
    ])
    let api = try ServerAddress("http://127.0.0.1:\(try await server.start())")
    let client = InstanceClient(typed: api)
    try await expectEqual(client.picture(.told("/logo.png?v=2"), api: api, deadline: soon), Array("PNG".utf8))
    try await expectEqual(client.picture(.absent, api: api, deadline: soon), nil)
    for path in ["/large.png", "/moved.png", "/none.png"] {
      await #expect(throws: TransportFault.self) { try await client.picture(.told(path), api: api, deadline: soon) }
    }
    expectEqual(server.requests.count, 4)
    expect(
      server.requests.allSatisfy { $0.contains("\r\nAccept: image/png, image/jpeg\r\n") && !$0.contains("API-Key") })
    await server.stop()
  }

  /// A picture elsewhere must be at a public address, by whatever name: nothing is sent to another one, no connection is made.
  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0", "localhost", "[::1]", "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "[fd00::1]", "[fe80::1]", "224.0.0.1", "255.255.255.255",
  ])
  func aPictureInANetworkOfSomebodysOwnIsNotFetched(host: String) async throws {
    let server = Self.server([:])
    let port = try await server.start()
    let own = try ServerAddress("https://events.example")
    do throws(TransportFault) {
      _ = try await InstanceClient(typed: own).picture(
        .told("https://\(host):\(port)/logo.png"), api: own, deadline: soon)
      Issue.record("it was fetched")
    } catch {
      expectEqual(error.reason, .badAnswer)
      expect(error.detail.contains("no public address"), "\(error.detail)")
    }
    expectEqual(server.connections, 0)
    await server.stop()
  }
}
