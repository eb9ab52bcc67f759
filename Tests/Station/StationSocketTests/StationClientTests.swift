import Expectations
import LinuxIO
import ScanModel
import StationProtocol
import StationSocket
import Testing

/// A client outlives restarts of the service, and its orders are given again with their number.
@Suite(.timeLimit(.minutes(1))) struct StationClientTests {
  @Test func thatNobodyListensIsToldAtOnce() async throws {
    let client = try StationClient(path: "@scangate-nobody-\(UInt64.random(in: .min ... .max))", program: "test")
    await client.start()
    let absence = await #expect(throws: StationAbsence.self) { try await client.snapshot(within: .seconds(20)) }
    expectEqual(absence?.kind, .nobody)
    expect(absence?.description.contains("systemctl start scangate") == true)
    let other = await #expect(throws: StationAbsence.self) {
      try await client.perform(StationOrder(.outboxRetry, who: "anna"), within: .seconds(20))
    }
    expectEqual(other?.kind, .nobody)
    expectEqual(other?.mayBeDone, false)
    await client.stop()
  }

  /// Whether an order may have been done depends on whether it was sent, and on nothing else.
  @Test func whetherAnOrderWasSentIsTold() async throws {
    let bench = try await SocketBench()
    bench.station.hold()
    let client = try StationClient(path: bench.path, program: "test")
    await client.start()
    _ = try await client.snapshot(within: .seconds(20))
    func perform(_ client: StationClient) async -> StationAbsence? {
      let order = StationOrder(.openOnce(GateID("north")), who: "anna")
      return await #expect(throws: StationAbsence.self) {
        try await client.perform(order, within: .milliseconds(300), patience: true)
      }
    }
    let sent = await perform(client)
    expect(sent?.kind == .silent && sent?.mayBeDone == true, "\(String(describing: sent))")
    for await _ in bench.station.comings { break }
    await client.stop()
    bench.station.release()
    // The socket is there, as the service manager keeps it, and nobody greets.
    await bench.socket.stop()
    let waiting = try StationClient(path: bench.path, program: "test")
    await waiting.start()
    let kept = await perform(waiting)
    expect(kept?.kind == .silent && kept?.mayBeDone == false, "\(String(describing: kept))")
    await waiting.stop()
    expectEqual(bench.station.orders.count, 1)
  }

  /// Whoever fills the socket's queue sends nobody else away.
  @Test func aFullQueueIsWaitedOut() async throws {
    let first = try await SocketBench()
    await first.socket.stop()
    var crowd: [RawListener] = []
    while let one = try? RawListener(first.path) { crowd.append(one) }
    expect(!crowd.isEmpty)
    let client = try StationClient(path: first.path, program: "test")
    await client.start()
    var news = client.news.makeAsyncIterator()
    guard case .away(let absence)? = await news.next() else { return expect(false, "there was room") }
    expectEqual(absence.kind, .silent)
    async let snapshot = client.snapshot(within: .seconds(20))
    let second = try await SocketBench(after: first)
    expect(try await snapshot.station.hasPrefix("bench"))
    await client.stop()
    await second.socket.stop()
  }

  @Test func anOrderThatWasNotAnsweredIsGivenAgainWithItsNumber() async throws {
    let first = try await SocketBench()
    first.station.hold()
    let client = try StationClient(path: first.path, program: "test")
    await client.start()
    _ = try await client.snapshot(within: .seconds(20))
    let order = StationOrder(.openOnce(GateID("north")), who: "anna")
    async let outcome = client.perform(order, within: .seconds(20))
    for await _ in first.station.comings { break }
    await first.socket.stop()
    // Its answer comes to nobody.
    first.station.release()
    let second = try await SocketBench(after: first)
    let told = try await outcome
    expectEqual(told, .done("openOnce"))
    expectEqual(first.station.orders, [order])
    expectEqual(second.station.orders, [order])
    await client.stop()
    await second.socket.stop()
  }

  @Test func newsTellsOfComingsAndGoings() async throws {
    let first = try await SocketBench()
    let client = try StationClient(path: first.path, program: "test")
    await client.start(listening: true)
    var news = client.news.makeAsyncIterator()
    guard case .here(let welcome)? = await news.next() else { return expect(false, "nobody is there") }
    expectEqual(welcome.station, "bench")
    await first.socket.stop()
    guard case .away(let absence)? = await news.next() else { return expect(false, "it is still there") }
    expectEqual(absence.description, "The service is being ended.")
    let second = try await SocketBench(after: first)
    guard case .here? = await news.next() else { return expect(false, "it does not come back") }
    // Events of the next service count from 1 again.
    _ = try await client.snapshot(within: .seconds(20))
    second.emit()
    guard case .event(let event)? = await news.next() else { return expect(false, "no event") }
    expectEqual(event.number, 1)
    await client.stop()
    await second.socket.stop()
  }
}
