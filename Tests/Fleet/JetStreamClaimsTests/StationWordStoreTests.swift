import Expectations
import FleetBook
import ScanModel
import Testing

@testable import JetStreamClaims

/// What stations say of themselves, and the clocks that are compared, with real servers.
@Suite(.timeLimit(.minutes(1))) struct StationWordStoreTests {
  @Test func aStationWritesItsOwnWordAndNobodyElses() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let store = try await servers.store()
    let (own, other) = (
      ClaimKey.word(of: try #require(StationID("station"))), ClaimKey.word(of: try #require(StationID("other")))
    )
    _ = try await store.create(freshKey(), [1], until: soon())
    let revision = try await store.create(own, [1], until: soon())
    _ = try await store.update(own, [2], at: revision, until: soon())
    // It is no claim, and none is counted.
    expectEqual(await store.facts(until: soon()).bucket?.keys, 1)
    expect(await store.fault(creating: other, [1], until: soon(1)) != nil)
    await store.stop()
    let again = try await servers.store()
    expect(try await again.read(other, until: soon()) == nil)
    expectEqual(try await again.read(own, until: soon())?.value, [2])
    await again.stop()
  }

  private struct Shifted: TimeSource {
    let shift: Duration
    func now() -> MonotonicTime { SystemTime().now() }
    func wall() -> WallTime { SystemTime().wall() + shift }
  }

  @Test(arguments: [5, -3_600] as [Int64]) func aClockThatIsOffIsTold(_ seconds: Int64) async throws {
    let servers = try await NATSServers.shared(1)
    let store = try JetStreamClaimStore(servers.settings(), time: Shifted(shift: .seconds(seconds)))
    store.start()
    for await ahead in store.clocks {
      let ahead = try #require(ahead)
      let off = ahead - .seconds(seconds)
      expect(max(off, .zero - off) < .seconds(1), "\(ahead)")
      break
    }
    expectEqual(await store.facts(until: soon()).clockAhead.map { ($0 < .zero) }, seconds < 0)
    // It is told, and nothing else comes of it.
    _ = try await store.create(freshKey(), [1], until: soon())
    await store.stop()
  }

  @Test func aClockThatIsRightIsNotToldOf() async throws {
    let store = try await NATSServers.shared(1).store()
    let facts = await store.facts(until: soon())
    expect(facts.clockAhead == nil && facts.servers.allSatisfy { $0.clockAhead == nil && $0.time != nil }, "\(facts)")
    await store.stop()
  }
}
