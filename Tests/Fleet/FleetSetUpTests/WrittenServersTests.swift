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

  private func opened() async throws -> WrittenServers { try await WrittenServers.opened.value }

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
      return status.isWell && status.facts.bucket?.last == revision
    }
    let page = status.page(fleet: "summer", event: "summer").joined(separator: "\n")
    expect(status.facts.bucket?.last == revision && page.contains("all servers are there"), "\(page)")
    for store in [north.store, south.store, administrator] { await store.stop() }
  }

  /// A station's key makes no book, whatever program has it.
  @Test func aStationMakesNoBook() async throws {
    let servers = try await opened()
    let credential = try servers.place.credential("north")
    var settings = try servers.settings(
      "north", credential, believing: servers.place.text("stations/north/fleet-ca.pem"))
    settings.bucket = "another"
    let north = try JetStreamClaimStore(settings)
    north.start()
    var wasMade = true
    do throws(ClaimFault) { try await north.makeBucket(bytes: 1_000_000, until: soon(2)) } catch { wasMade = false }
    expect(!wasMade)
    await north.stop()
    settings = try servers.place.settings(servers.place.layout())
    settings.bucket = "another"
    let administrator = try JetStreamClaimStore(settings)
    administrator.start()
    var facts = FleetFacts()
    await until {
      facts = await administrator.facts(until: soon(2))
      return facts.servers.count == 3
    }
    expect(facts.bucket == nil)
    await administrator.stop()
  }

  /// What a station writes that lies about its name, that is none of the fleet's, or that another program has made decides nothing.
  @Test func whatNobodyOfTheFleetHasSigned() async throws {
    let servers = try await opened()
    let (north, south) = (try servers.joined("north"), try servers.joined("south"))
    await north.store.becomes(.ready)
    await south.store.becomes(.ready)
    let liar = ClaimSeal(
      fleet: "summer", station: try station("north"), key: try servers.place.credential("south").signing, stations: [:])
    let stranger = ClaimSeal(
      fleet: "summer", station: try station("east"), key: Ed25519.PrivateKey(), stations: [:])
    let other = ClaimSeal(
      fleet: "winter", station: try station("south"), key: try servers.place.credential("south").signing, stations: [:])
    let key = try anyKey()
    let lied = try #require(liar.seal(Claim(), for: key, replacing: .none))
    let strange = try #require(stranger.seal(Claim(), for: key, replacing: .none))
    let foreign = try #require(other.seal(Claim(), for: key, replacing: .none))
    let good = try #require(south.seal.seal(Claim(), for: key, replacing: .none))
    let cases: [([UInt8], ClaimFlaw?)] = [
      (good, nil), (lied, .signature(of: try station("north"))), (strange, .stranger("east")),
      (foreign, .signature(of: try station("south"))), ([9] + good.dropFirst(), .laterVersion(9)),
      (good.dropLast() + [good[good.count - 1] ^ 1], .signature(of: try station("south"))),
    ]
    for (value, flaw) in cases {
      // Each at the place that it was signed for, in a book of its own key.
      let place = flaw == nil ? key : try anyKey()
      _ = try await south.store.create(place, value, until: soon())
      let found = try #require(try await north.store.read(place, until: soon()))
      var moved = found
      moved.key = key
      switch (north.seal.open(moved), flaw) {
      case (.known, nil): break
      case (.unusable(let told), let flaw?): expectEqual(told, flaw)
      default: expect(false, "\(north.seal.open(moved)), and not \(String(describing: flaw))")
      }
    }
    for garbage: [UInt8] in [[], [0], [1], Array("{}".utf8), [UInt8](repeating: 1, count: 50_000)] {
      let place = try anyKey()
      _ = try await south.store.create(place, garbage, until: soon())
      let found = try #require(try await north.store.read(place, until: soon()))
      guard case .unusable = north.seal.open(found) else { return expect(false, "\(garbage.prefix(9))") }
    }
    for store in [north.store, south.store] { await store.stop() }
  }

  /// A station that was made with another fleet's key takes the book for another fleet's.
  @Test func aFleetKeyThatDiffers() async throws {
    let servers = try await opened()
    let credential = try #require(
      servers.place.credential("north").with(fleet: [UInt8](repeating: 7, count: FleetKey.length)))
    let store = try JetStreamClaimStore(
      servers.settings("north", credential, believing: servers.place.text("stations/north/fleet-ca.pem")))
    store.start()
    guard case .otherVersion(let words)? = await store.fault() else { return expect(false, "not refused") }
    expect(words.contains("another fleet's"), "\(words)")
    await store.stop()
  }

  @Test func aKeyIsExchangedAndOneIsRevokedWhileTheOtherStationWorks() async throws {
    let servers = try await opened()
    let (old, south) = (try servers.joined("west"), try servers.joined("south"))
    await old.store.becomes(.ready)
    await south.store.becomes(.ready)
    let west = try station("west")
    try servers.place.rotate(.credential(west), at: SystemTime().wall())
    try servers.reload()
    let new = try servers.joined("west")
    await new.store.becomes(.ready)
    // Both hold.
    _ = try await old.store.create(anyKey(), [1], until: soon())
    _ = try await new.store.create(anyKey(), [1], until: soon())
    try servers.place.rotate(.next, at: SystemTime().wall())
    try servers.reload()
    guard case .refused? = await old.store.fault() else {
      Issue.record("the old key still holds: \(servers.log("gate1"))")
      return
    }
    _ = try await claimed(new.store)
    try servers.place.rotate(.revoke(west), at: SystemTime().wall())
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
      try servers.place.rotate(rotation, at: SystemTime().wall())
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
