import EventSchedule
import Expectations
import Glibc
import ScanModel
import Calls
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// Servers that break off, dawdle, lie and vanish: what is known of the request, and that it was never sent twice.
@Suite struct FaultTests {
  private static let head = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"

  /// Each closes the connection when it is done.
  static let breakingOff: [(name: String, bytes: String, reason: String)] = [
    ("before the answer", "", "unreachable"),
    ("in the status line", "HTTP/1.1 20", "unreachable"),
    ("in the headers", "HTTP/1.1 201 Created\r\nContent-Ty", "unreachable"),
    ("after the headers", head + "Content-Length: 500\r\n\r\n", "unreachable"),
    ("in the body", head + "Content-Length: 5000\r\n\r\n" + Answers.sale(), "unreachable"),
    ("in a chunk", head + "Transfer-Encoding: chunked\r\n\r\n1000\r\n" + Answers.sale(), "unreachable"),
    ("before the last chunk", head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "unreachable"),
    ("garbage status line", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "badAnswer"),
    ("binary garbage", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n", "badAnswer"),
    ("negative length", head + "Content-Length: -1\r\n\r\n", "badAnswer"),
    ("bad chunk size", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "badAnswer"),
    ("endless header", "HTTP/1.1 201 Created\r\nX: " + String(repeating: "x", count: 200_000), "badAnswer"),
    (
      "endless headers",
      "HTTP/1.1 201 Created\r\n" + String(repeating: "X-Y: z\r\n", count: 50_000), "badAnswer"
    ),
  ]

  @Test(arguments: breakingOff.indices) func brokenOffIsLost(index: Int) async throws {
    let test = Self.breakingOff[index]
    let server = ScriptedServer { _, _, connection in
      if !test.bytes.isEmpty { connection.send(test.bytes) }
      connection.close()
    }
    let venue = try await Venue.open(server)
    let outcome = await venue.attempt()
    expectEqual(outcome.fate, .lost, "\(test.name)")
    expectEqual(name(outcome.answer), "undecided \(test.reason)", "\(test.name)")
    expect(outcome.mayHaveRedeemed)
    expect(outcome.sentAt != nil)
    expectEqual(server.requests.count, 1, "\(test.name)")
    expectEqual(venue.late.count, 0)
    await venue.close()
  }

  @Test(arguments: [true, false]) func aHugeBodyIsCutOff(announced: Bool) async throws {
    let server = ScriptedServer { _, _, connection in
      let length = 10_000_000
      let body = [UInt8](repeating: UInt8(ascii: " "), count: length)
      if announced {
        connection.send([UInt8]((Self.head + "Content-Length: \(length)\r\n\r\n").utf8) + body)
      } else {
        connection.send([UInt8]((Self.head + "Transfer-Encoding: chunked\r\n\r\n989680\r\n").utf8) + body)
      }
    }
    let venue = try await Venue.open(server)
    let outcome = await venue.attempt()
    expectEqual(outcome.fate, .lost)
    expectEqual(name(outcome.answer), "undecided badAnswer")
    expect(outcome.mayHaveRedeemed)
    expectEqual(server.requests.count, 1)
    await venue.close()
  }

  @Test func chunkedTrickledAndInformationalAnswersAreWhole() async throws {
    let body = Answers.sale()
    let server = ScriptedServer { number, _, connection in
      switch number {
      case 1:
        let size = String(body.utf8.count, radix: 16)
        connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n")
      case 2: connection.trickle(Answers.admitted)
      case 3:
        connection.send(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + Answers.admitted)
      default:
        connection.send(Self.head + "\r\n" + body)
        connection.close()
      }
    }
    let venue = try await Venue.open(server)
    for number in 1...4 {
      let outcome = await venue.attempt()
      expectEqual(name(outcome.answer), "redeemed", "\(number): \(outcome)")
    }
    expectEqual(server.requests.count, 4)
    await venue.close()
  }

  @Test func anAnswerAfterTheDeadlineIsReportedLateAndOnce() async throws {
    let asked = AsyncStream<ScriptedServer.Connection>.makeStream()
    let server = ScriptedServer { _, _, connection in asked.continuation.yield(connection) }
    let venue = try await Venue.open(server)
    let outcome = await venue.attempt(within: .seconds(2))
    try #require(outcome.fate == .pending)
    expectEqual(name(outcome.answer), "undecided unreachable")
    expect(outcome.mayHaveRedeemed)
    for await connection in asked.stream {
      connection.send(Answers.admitted)
      break
    }
    let late = try #require(await venue.late.next())
    expectEqual(late.fate, .answered)
    expectEqual(name(late.answer), "redeemed")
    expectEqual(late.sentAt, outcome.sentAt)
    await venue.close()
    expectEqual(venue.late.count, 1)
    expectEqual(server.requests.count, 1)
  }

  @Test func noAnswerAtAllIsLostInTheEnd() async throws {
    var settings = HTTPTransport.Settings()
    settings.lateLimit = .seconds(3)
    let venue = try await Venue.open(ScriptedServer { _, _, _ in }, settings: settings)
    let outcome = await venue.attempt(within: .milliseconds(1_500))
    try #require(outcome.fate == .pending)
    let late = try #require(await venue.late.next())
    expectEqual(late.fate, .lost)
    expectEqual(name(late.answer), "undecided unreachable")
    expect(late.mayHaveRedeemed)
    await venue.close()
    expectEqual(venue.late.count, 1)
    expectEqual(venue.server.requests.count, 1)
  }

  @Test func aConnectionClosedAfterTheDeadlineIsLost() async throws {
    let asked = AsyncStream<ScriptedServer.Connection>.makeStream()
    let venue = try await Venue.open(ScriptedServer { _, _, connection in asked.continuation.yield(connection) })
    try #require(await venue.attempt(within: .seconds(2)).fate == .pending)
    for await connection in asked.stream {
      connection.close()
      break
    }
    let late = try #require(await venue.late.next())
    expectEqual(late.fate, .lost)
    await venue.close()
    expectEqual(venue.late.count, 1)
  }

  @Test func connectionsAreKept() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted))
    for _ in 0..<20 { expectEqual(name(await venue.attempt().answer), "redeemed") }
    expectEqual(venue.server.requests.count, 20)
    expectEqual(venue.server.connections, 1)
    await venue.close()
  }

  @Test func idleConnectionsAreClosedHereFirst() async throws {
    var settings = HTTPTransport.Settings()
    settings.keepAlive = .milliseconds(50)
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), settings: settings)
    _ = await venue.attempt()
    for await _ in venue.server.ended.stream { break }
    expectEqual(name(await venue.attempt().answer), "redeemed")
    expectEqual(venue.server.connections, 2)
    await venue.close()
  }

  /// Answers that are strange and end: none admits, none is asked for twice, none ends the process.
  @Test(arguments: [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 -1 Minus\r\n\r\n", "HTTP/1.1 99999 Many\r\n\r\n",
    "HTTP/9.9 201 Created\r\n\r\n",
    "HTTP/2.0 201 Created\r\nContent-Length: 2\r\n\r\n{}", "HTTP/0.9 201 Created\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "HTTP/1.1 201\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
    "HTTP/1.1 201 Created\r\n: x\r\n\r\n",
    "HTTP/1.1 201 Created\r\nA\u{0}: b\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 201 Created\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "\r\n\r\n\r\n", "HTTP/1.1 201 Created\nContent-Length: 2\n\n{}",
    "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nDate: " + String(repeating: "9", count: 5_000) + "\r\n\r\n{}",
  ]) func strangeAnswers(bytes: String) async throws {
    let server = ScriptedServer { _, _, connection in
      connection.send(bytes)
      connection.close()
    }
    let venue = try await Venue.open(server)
    let outcome = await venue.attempt()
    expect(outcome.fate == .answered || outcome.fate == .lost, "\(outcome)")
    guard case .undecided = outcome.answer else { return unexpected("\(outcome)") }
    expectEqual(server.requests.count, 1)
    expectEqual(venue.late.count, 0)
    await venue.close()
  }

  /// The server answers and closes at once, without saying so: the next request meets a dying connection. Whatever is
  /// said of it must be true: never sent twice, and never called unsent when it arrived.
  @Test func aKeptConnectionThatTheServerCloses() async throws {
    let server = ScriptedServer { _, _, connection in
      connection.send(Answers.admitted)
      connection.close()
    }
    let venue = try await Venue.open(server, budget: RateBudget(limit: 1_000))
    var redeemed = 0
    var lost = 0
    for _ in 0..<200 {
      let outcome = await venue.attempt()
      switch outcome.fate {
      case .answered: redeemed += 1
      case .lost:
        lost += 1
        expect(outcome.mayHaveRedeemed)
      case .notSent, .pending: Issue.record("\(outcome)")
      }
    }
    expectEqual(redeemed + lost, 200)
    expect(server.requests.count >= redeemed && server.requests.count <= 200)
    await venue.close()
  }

  /// Bytes that nobody asked for, on a kept connection: the next request gets an answer of its own or none.
  @Test(arguments: [Answers.admitted, "garbage\r\n\r\n", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"])
  func unsolicitedBytesAreNoAnswer(extra: String) async throws {
    let refusal = Answers.response("404 Not Found", #"{"error":"Ticket not found"}"#)
    let server = ScriptedServer { _, _, connection in connection.send(refusal + extra) }
    let venue = try await Venue.open(server)
    for _ in 0..<20 {
      let outcome = await venue.attempt()
      expect(name(outcome.answer) != "redeemed", "\(outcome)")
    }
    expect(server.requests.count <= 20)
    await venue.close()
  }

  // MARK: Nothing sent

  @Test func refusedConnectionsAreRetriedInsideTheDeadlineAndNotSent() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted), port: closedPort)
    let outcome = await venue.attempt(within: .milliseconds(700))
    expectEqual(outcome.fate, .notSent)
    expectEqual(name(outcome.answer), "undecided unreachable")
    expect(!outcome.mayHaveRedeemed)
    expect(outcome.sentAt == nil)
    expectEqual(venue.late.count, 0)
    await venue.close()
  }

  @Test func aServerThatComesBackInTimeIsFound() async throws {
    // A socket that is bound and does not listen refuses connections and keeps the port.
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    try #require(bound)
    let transport = try HTTPTransport(server: ServerAddress("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"))
    let client = EventScheduleClient(transport: transport, key: try Secret("k"))
    async let outcome = client.scan(Code("abcdefgh"), deadline: SystemTime().now() + .seconds(60)) { _ in }
    // The first tries fail; then it listens, and never answers: it is enough that the request gets out.
    try await Task.sleep(for: .milliseconds(150))
    try #require(listen(socket, 8) == 0)
    let peer = await withCheckedContinuation { continuation in
      Thread.start {
        let peer = accept(socket, nil, nil)
        var byte: UInt8 = 0
        _ = read(peer, &byte, 1)
        continuation.resume(returning: peer)
      }
    }
    Glibc.close(peer)
    Glibc.close(socket)
    guard case .lost = await outcome.result else { return unexpected("the request got out and was not answered") }
    await transport.close()
  }

  @Test func unknownNamesAreNotSent() async throws {
    let transport = try HTTPTransport(server: ServerAddress("https://tickets.invalid"))
    let client = EventScheduleClient(transport: transport, key: try Secret("k"))
    let outcome = await client.scan(Code("abcdefgh"), deadline: SystemTime().now() + .seconds(1)) { _ in }
    guard case .notSent(let fault) = outcome.result else { return unexpected("\(outcome)") }
    expectEqual(fault.reason, .unreachable)
    await transport.close()
  }

  @Test func aDeadlineThatHasPassedSendsNothing() async throws {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.admitted))
    let outcome = await venue.attempt(within: .seconds(-1))
    expectEqual(outcome.fate, .notSent)
    await venue.close()
    expectEqual(venue.server.connections, 0)
  }

  // MARK: TLS

  @Test func tlsWithTheGivenAuthority() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), certificate: TestCertificates.good,
      settings: trusting(TestCertificates.authority))
    expectEqual(name(await venue.attempt().answer), "redeemed")
    expectEqual(name(await venue.attempt().answer), "redeemed")
    expectEqual(venue.server.connections, 1)
    await venue.close()
  }

  /// Whether an answer is whole is told by its length, or by TLS: somebody on the way can end a connection below that.
  @Test(arguments: [
    (Answers.admitted, true, AttemptOutcome.Fate.answered),
    (Answers.admitted.replacing("Content-Length", with: "X-Length"), true, .lost),
    (Answers.admitted.replacing("Content-Length", with: "X-Length"), false, .answered),
  ])
  func anAnswerThatOnlyACutEndsIsNone(answer: String, isCut: Bool, fate: AttemptOutcome.Fate) async throws {
    let server = ScriptedServer { _, _, connection in
      connection.send(answer)
      if isCut { connection.cut() } else { connection.close() }
    }
    let venue = try await Venue.open(
      server, certificate: TestCertificates.good, settings: trusting(TestCertificates.authority))
    let outcome = await venue.attempt()
    expectEqual(outcome.fate, fate)
    expect(outcome.mayHaveRedeemed)
    expectEqual(server.requests.count, 1)
    await venue.close()
  }

  static let untrusted: [(certificate: String, authority: String?, reason: String)] = [
    (TestCertificates.good, TestCertificates.otherAuthority, "tlsFault"),
    (TestCertificates.good, nil, "tlsFault"),
    (TestCertificates.wrongHost, TestCertificates.authority, "tlsFault"),
    (TestCertificates.expired, TestCertificates.authority, "clockWrong"),
    (TestCertificates.future, TestCertificates.authority, "clockWrong"),
  ]

  @Test(arguments: untrusted.indices) func untrustedServersGetNoByte(index: Int) async throws {
    let test = Self.untrusted[index]
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), certificate: test.certificate,
      settings: try test.authority.map { try trusting($0) } ?? HTTPTransport.Settings())
    let outcome = await venue.attempt()
    expectEqual(outcome.fate, .notSent)
    expectEqual(name(outcome.answer), "undecided \(test.reason)", "\(outcome)")
    expect(!outcome.mayHaveRedeemed)
    await venue.close()
    expectEqual(venue.server.bytes, 0)
  }

  /// Looking at the dates costs a connection of its own: once in 30 s is enough, and still each scan is told the cause.
  @Test(arguments: [(TestCertificates.expired, "clockWrong"), (TestCertificates.wrongHost, "tlsFault")])
  func theCertificatesDatesAreLookedAtOnceInAWhile(certificate: String, reason: String) async throws {
    let server = ScriptedServer(answer: Answers.admitted)
    let port = try await server.start(certificate: certificate)
    let time = MovableTime()
    let transport = try HTTPTransport(
      server: ServerAddress("https://localhost:\(port)"), settings: trusting(TestCertificates.authority), time: time)
    let client = EventScheduleClient(transport: transport, key: try Secret("k"), time: time)
    func connections() async -> Int {
      let before = server.connections
      let outcome = await client.scan(Code("abcdefgh"), deadline: time.now() + .seconds(60)) { _ in }
      guard case .notSent(let fault) = outcome.result else {
        unexpected("\(outcome)")
        return 0
      }
      expectEqual(fault.reason.rawValue, reason)
      return server.connections - before
    }
    await expectEqual(connections(), 2)
    await expectEqual(connections(), 1)
    time.advance(by: .seconds(31))
    await expectEqual(connections(), 2)
    await transport.close()
    await server.stop()
  }

  @Test func aServerWithoutTLSGetsNoRequest() async throws {
    let server = ScriptedServer { _, _, _ in }
    let venue = try await Venue.open(server, scheme: "https")
    let outcome = await venue.attempt(within: .milliseconds(500))
    expectEqual(outcome.fate, .notSent)
    expectEqual(name(outcome.answer), "undecided unreachable")
    await venue.close()
    expect(server.requests.isEmpty)
  }

  @Test func aBadAuthorityFileStopsTheStart() throws {
    var settings = HTTPTransport.Settings()
    for path in ["/nonexistent/ca.pem", "/dev/null"] {
      settings.trust = .onlyFile(path: path)
      #expect(throws: HTTPTransport.SetupFault.self) {
        try HTTPTransport(server: ServerAddress("https://tickets.example"), settings: settings)
      }
    }
  }
}

/// A blocking call on a thread of its own.
enum Thread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    pthread_detach(thread)
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
