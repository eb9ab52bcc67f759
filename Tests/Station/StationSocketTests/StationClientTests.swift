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
    await client.stop()
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
