import Expectations
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// How many connections there are, and what becomes of calls that have none.
@Suite struct ConnectionTests {
  private static let most = 32
  private let time = SystemTime()

  /// Holds back each answer until `release`.
  private final class Holding: Sendable {
    private let held = Mutex<(connections: [ScriptedServer.Connection]?, count: Int)>(([], 0))
    private let came = AsyncStream<Int>.makeStream()

    func script(_: Int, _: String, connection: ScriptedServer.Connection) {
      let (isOver, count) = held.withLock { held in
        held.count += 1
        held.connections?.append(connection)
        return (held.connections == nil, held.count)
      }
      if isOver { Self.answer(connection) }
      came.continuation.yield(count)
    }

    /// Returns when that many requests have come.
    func waits(for count: Int) async { for await number in came.stream where number >= count { return } }

    func release() {
      let all = held.withLock { held in
        defer { held.connections = nil }
        return held.connections ?? []
      }
      for connection in all { Self.answer(connection) }
    }

    private static func answer(_ connection: ScriptedServer.Connection) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    }
  }

  private func with(
    _ holding: Holding, _ body: (HTTPTransport, ScriptedServer) async throws -> Void
  ) async throws {
    let server = ScriptedServer(holding.script)
    let port = try await server.start()
    let transport = try HTTPTransport(server: ServerAddress("http://127.0.0.1:\(port)"))
    try await body(transport, server)
    await transport.close()
    await server.stop()
  }

  private func send(_ transport: HTTPTransport, _ path: String, within limit: Duration = .seconds(30)) async
    -> HTTPOutcome
  {
    await transport.send(HTTPCall(.post, path: path, body: Array("{}".utf8)), deadline: time.now() + limit) { _ in }
  }

  @Test func whoFindsNoConnectionWaitsForOne() async throws {
    let holding = Holding()
    try await with(holding) { transport, server in
      await withTaskGroup(of: HTTPOutcome.self) { calls in
        for number in 0..<(Self.most + 20) { calls.addTask { await send(transport, "/\(number)") } }
        await holding.waits(for: Self.most)
        expectEqual(server.connections, Self.most)
        holding.release()
        for await outcome in calls {
          guard case .answered = outcome.result else { return expect(false, "\(outcome)") }
        }
      }
      expectEqual(Set(server.requests.map { $0.prefix { $0 != "\r" } }).count, Self.most + 20)
      expectEqual(server.requests.count, Self.most + 20, "each was sent once")
      expectEqual(server.connections, Self.most)
    }
  }

  @Test func whoGaveUpWaitingIsNotSentLater() async throws {
    let holding = Holding()
    try await with(holding) { transport, server in
      await withTaskGroup(of: Void.self) { calls in
        for number in 0..<Self.most { calls.addTask { _ = await send(transport, "/\(number)") } }
        await holding.waits(for: Self.most)
        let outcome = await send(transport, "/too-late", within: .milliseconds(50))
        guard case .notSent(let fault) = outcome.result else { return expect(false, "\(outcome)") }
        expectEqual(fault.offline, .noConnection)
        expect(outcome.sentAt == nil)
        holding.release()
      }
      _ = await send(transport, "/next")
      expect(!server.requests.contains { $0.contains("/too-late") }, "\(server.requests.last ?? "")")
    }
  }

  @Test func closingEndsWhatIsOnItsWay() async throws {
    let holding = Holding()
    try await with(holding) { transport, _ in
      await withTaskGroup(of: HTTPOutcome.self) { calls in
        for number in 0..<(Self.most + 1) { calls.addTask { await send(transport, "/\(number)") } }
        await holding.waits(for: Self.most)
        await transport.close()
        var (lost, unsent) = (0, 0)
        for await outcome in calls {
          switch outcome.result {
          case .lost: lost += 1
          case .notSent: unsent += 1
          case .answered, .pending: expect(false, "\(outcome)")
          }
        }
        expectEqual([lost, unsent], [Self.most, 1])
      }
      guard case .notSent = await send(transport, "/after").result else { return expect(false, "it is closed") }
    }
  }

  /// What a server begins with is what it has: a head alone can keep it waiting, or be acted on.
  @Test func headAndBodyArriveTogether() async throws {
    let holding = Holding()
    holding.release()
    try await with(holding) { transport, server in
      for number in 0..<20 { _ = await send(transport, "/\(number)") }
      expectEqual(server.requests.filter { $0.hasSuffix("\r\n\r\n{}") }.count, 20)
      expectEqual(server.reads, 20)
    }
  }

  /// The beginning of an answer that nobody asked for would be taken for that of the next one's.
  @Test(arguments: ["HTTP/1.1 404 Not Found\r\nX: ", "\r\n", "H"])
  func whoSpeaksUnaskedLosesTheConnection(bytes: String) async throws {
    let held = Mutex<ScriptedServer.Connection?>(nil)
    let server = ScriptedServer { _, _, connection in
      held.withLock { $0 = connection }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    }
    let port = try await server.start()
    let transport = try HTTPTransport(server: ServerAddress("http://127.0.0.1:\(port)"))
    for number in 1...3 {
      let outcome = await send(transport, "/\(number)")
      guard case .answered(let answer) = outcome.result else { return expect(false, "\(outcome)") }
      expectEqual(answer.status, 200)
      held.withLock { $0 }?.send(bytes)
      for await _ in server.ended.stream { break }
    }
    expectEqual(server.connections, 3)
    await transport.close()
    await server.stop()
  }

  @Test func targetsThatCannotStandInARequestAreNotSent() async throws {
    let holding = Holding()
    holding.release()
    try await with(holding) { transport, server in
      for path in ["/a b", "/a\r\nX: y", "/\u{E9}", "relative", ""] {
        let outcome = await send(transport, path)
        guard case .notSent(let fault) = outcome.result else { return expect(false, "\(path): \(outcome)") }
        expectEqual(fault.reason, .badAnswer)
        expect(fault.offline == nil, "\(path)")
      }
      expectEqual(server.requests, [])
    }
  }
}
