import Expectations
import FleetBook
import JetStreamClaims
import LibCrypto
import ScanModel
import Testing

@testable import FleetSetUp

/// Three real servers take what a fleet's folder has for them, and two stations share a book by what it has for those.
@Suite(.serialized) struct WrittenServersTests {
  private func soon(_ seconds: Int = 10) -> MonotonicTime { SystemTime().now() + .seconds(seconds) }

  private func opened() async throws -> WrittenServers {
    let servers = try WrittenServers()
    let administrator = try servers.administrator()
    try await administrator.makeBucket(bytes: servers.place.layout().room, until: soon(50))
    await administrator.stop()
    return servers
  }

  @Test func whatOneStationClaimsTheOtherReads() async throws {
    let servers = try await opened()
    let (north, south) = (try servers.joined("north"), try servers.joined("south"))
    await north.store.becomes(.ready)
    await south.store.becomes(.ready)
    let key = try #require(servers.place.credential("north").key.name(.ticket, [1], [2]))
    try expectEqual(servers.place.credential("south").key.name(.ticket, [1], [2]), key)
    let value = try #require(north.seal.seal(Claim(), for: key, replacing: .none))
    let revision = try await north.store.create(key, value, until: soon())
    let found = try #require(try await south.store.read(key, until: soon()))
    expectEqual(found.revision, revision)
    guard case .known = south.seal.open(found) else {
      Issue.record("\(south.seal.open(found))")
      return
    }
    // Who looks sees all of them.
    let administrator = try servers.administrator()
    await administrator.becomes(.ready)
    var status = FleetStatus(
      facts: FleetFacts(), nodes: try servers.place.layout().nodes, stations: [], now: SystemTime().wall())
    await until {
      status.facts = await administrator.facts(until: soon(2))
      return status.isWell
    }
    let page = status.page(fleet: "summer", event: "summer").joined(separator: "\n")
    expect(status.facts.bucket?.last == revision && page.contains("all servers are there"), "\(page)")
    for store in [north.store, south.store, administrator] { await store.stop() }
  }

  /// A station's key makes no book, whatever program has it.
  @Test func aStationMakesNoBook() async throws {
    let servers = try WrittenServers()
    let north = try servers.joined("north")
    var wasMade = true
    do throws(ClaimFault) {
      try await north.store.makeBucket(bytes: 10_000_000, until: soon(15))
    } catch { wasMade = false }
    expect(!wasMade)
    await north.store.stop()
    let administrator = try servers.administrator()
    var facts = FleetFacts()
    await until {
      facts = await administrator.facts(until: soon(2))
      return !facts.servers.isEmpty
    }
    expect(facts.bucket == nil)
    await administrator.stop()
  }

  @Test func aKeyIsExchangedAndOneIsRevokedWhileTheOtherStationWorks() async throws {
    let servers = try await opened()
    let (old, south) = (try servers.joined("north"), try servers.joined("south"))
    await old.store.becomes(.ready)
    await south.store.becomes(.ready)
    let north = try station("north")
    try servers.place.rotate(.credential(north))
    try servers.reload()
    let new = try servers.joined("north")
    await new.store.becomes(.ready)
    // Both hold.
    _ = try await old.store.create(anyKey(), [1], until: soon())
    _ = try await new.store.create(anyKey(), [1], until: soon())
    try servers.place.rotate(.next)
    try servers.reload()
    guard case .refused? = await old.store.fault() else {
      Issue.record("the old key still holds: \(servers.log("gate1"))")
      return
    }
    _ = try await claimed(new.store)
    try servers.place.rotate(.revoke(north))
    try servers.reload()
    guard case .refused? = await new.store.fault() else {
      Issue.record("a revoked station is still taken: \(servers.log("gate1"))")
      return
    }
    _ = try await claimed(south.store)
    for store in [old.store, new.store, south.store] { await store.stop() }
  }

  /// Certificates are exchanged step by step, and a station that has the authorities of the step before is taken in each.
  @Test func certificatesAreExchangedWhileStationsWork() async throws {
    let servers = try await opened()
    var authority = try servers.place.text("stations/south/fleet-ca.pem")
    for rotation: FleetRotation in [.certificates, .next, .next] {
      try servers.place.rotate(rotation)
      try servers.reload()
      // As it is before it has got the new file.
      let store = try JetStreamClaimStore(
        servers.settings("south", servers.place.credential("south"), believing: authority))
      store.start()
      _ = try await claimed(store)
      await store.stop()
      authority = try servers.place.text("stations/south/fleet-ca.pem")
    }
  }

  private func anyKey() throws -> ClaimKey { try #require(ClaimKey(.ticket, digest: ScanID().bytes)) }

  /// Claims once somebody answers.
  private func claimed(_ store: JetStreamClaimStore) async throws -> ClaimRevision {
    var revision: ClaimRevision?
    await until {
      guard let key = try? anyKey() else { return false }
      revision = try? await store.create(key, [1], until: soon(2))
      return revision != nil
    }
    return try #require(revision)
  }
}
