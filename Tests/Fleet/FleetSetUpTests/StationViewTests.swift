import Expectations
import FleetBook
import JetStreamClaims
import ScanModel
import Testing

@testable import FleetSetUp

/// What a station sees of its fleet with its own credential, and what the end of its book means to it: with three real servers.
@Suite(.serialized) struct StationViewTests {
  private func soon(_ seconds: Int = 10) -> MonotonicTime { SystemTime().now() + .seconds(seconds) }

  @Test func aStationSeesHowItsFleetIsUntilItsBookIsClosedAndAfter() async throws {
    let servers = try WrittenServers()
    let administrator = try servers.administrator()
    try await administrator.makeBucket(bytes: servers.place.layout().room, until: soon(50))
    let north = try servers.joined("north")
    await north.store.becomes(.ready)
    let key = try #require(servers.place.credential("north").key.name(.ticket, [1], [2]))
    let value = try #require(north.seal.seal(Claim(), for: key, replacing: .none))
    _ = try await north.store.create(key, value, until: soon())
    func look() async throws -> FleetStatus {
      let facts = await north.store.facts(until: soon(2))
      var status = FleetStatus(
        facts: facts, nodes: FleetStatus.nodes(of: facts, servers: try servers.place.layout().servers),
        stations: [try station("north")], now: SystemTime().wall())
      status.viewer = try station("north")
      return status
    }
    var status = try await look()
    await until {
      guard let now = try? await look() else { return false }
      status = now
      return now.isWell
    }
    expectEqual(status.nodes.map(\.name), ["gate1", "gate2", "gate3"])
    expect(status.json(fleet: nil, event: "summer").contains(#""health":"well""#))
    try await administrator.closeBook(until: soon(20))
    expect(await north.store.fault() != nil)
    status = try await look()
    expect(status.facts.bucket?.isClosed == true && status.facts.bucket?.keys == 1 && status.health == .none)
    // Who was let in can still be looked up.
    expect(try await north.store.read(key, until: soon())?.value == value)
    for store in [north.store, administrator] { await store.stop() }
  }
}
