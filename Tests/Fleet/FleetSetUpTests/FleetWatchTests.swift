import Expectations
import FleetBook
import JetStreamClaims
import LibCrypto
import ScanModel
import Testing

@testable import FleetSetUp

/// What `scangate fleet watch` says of what it sees.
@Suite struct FleetWatchTests {
  private let key = Ed25519.PrivateKey()

  private func seal(_ name: String = "north", signs: Ed25519.PrivateKey? = nil) throws -> ClaimSeal {
    let half = try #require(key.publicKey)
    return ClaimSeal(
      fleet: "fair-2026", station: try station(name), key: signs ?? key,
      stations: [try station("north"): half, try station("south"): half])
  }

  private func watch() throws -> FleetWatch {
    FleetWatch(reading: try seal(), stations: try [station("north"), station("south")])
  }

  private func entry(_ name: String, _ state: ClaimEntry.State = .admitted) throws -> ClaimEntry {
    var entry = ClaimEntry(scan: ScanID(), station: try station(name), gate: GateID("\(name) gate\u{1B}"))
    entry.state = state
    entry.at = made
    return entry
  }

  private func stored(
    _ entries: [ClaimEntry], on ticket: ClaimKey, at seconds: Int64 = 0, by name: String = "north",
    quantity: UInt32? = nil,
    signs: Ed25519.PrivateKey? = nil
  ) throws -> ClaimWatch {
    let claim = Claim(quantity: quantity, entries: entries)
    let value = try #require(seal(name, signs: signs).seal(claim, for: ticket, replacing: .none))
    return .stored(
      StoredClaim(
        key: ticket, value: value, revision: ClaimRevision(7), replaced: .none,
        time: WallTime(seconds: made.seconds + seconds)))
  }

  private func ticket(_ number: UInt8, _ kind: ClaimKey.Kind = .ticket) throws -> ClaimKey {
    try #require(ClaimKey(kind, digest: [UInt8](repeating: number, count: ClaimKey.digestLength)))
  }

  @Test func whatAStationSaysOfItselfIsNoClaim() throws {
    var watch = try watch()
    let value = try #require(seal().seal(word("north", in: 5).word, replacing: .none))
    let place = ClaimKey.word(of: try station("north"))
    let lines = watch.take(
      .stored(StoredClaim(key: place, value: value, revision: ClaimRevision(3), replaced: .none, time: made)), at: made)
    expect(lines.isEmpty && watch.inHouse == 0, "\(lines)")
    _ = watch.take(.caughtUp, at: made)
    let later = made + .seconds(400)
    expectEqual(
      watch.take(
        .stored(StoredClaim(key: place, value: value, revision: ClaimRevision(3), replaced: .none, time: later)),
        at: later
      ).map(\.kind), [.station])
  }

  @Test func whoIsInIsCountedOverAllStations() throws {
    var watch = try watch()
    let (north, south) = (try entry("north"), try entry("south"))
    _ = watch.take(try stored([north], on: ticket(1)), at: made)
    _ = watch.take(try stored([south, north], on: ticket(2), by: "south", quantity: 3), at: made)
    // Their sale is no other persons.
    _ = watch.take(try stored([south], on: ticket(2, .sale)), at: made)
    expectEqual(watch.inHouse, 3)
    _ = watch.take(try stored([entry("south", .left(by: ScanID()))], on: ticket(1), by: "south"), at: made)
    _ = watch.take(try stored([entry("north", .claimed), entry("north", .interrupted)], on: ticket(3)), at: made)
    expectEqual(watch.inHouse, 2)
  }

  @Test func aConflictIsToldOnceAndNamesBothGates() throws {
    var watch = try watch()
    let entries = [try entry("north"), try entry("south")]
    // Whether it admits again and again nobody has told yet.
    expectEqual(try watch.take(stored(entries, on: ticket(1)), at: made), [])
    let lines = watch.take(try stored(entries, on: ticket(1), quantity: 1), at: made)
    expectEqual(lines.map(\.kind), [.conflict])
    let words = lines.first?.words ?? ""
    expect(
      words.contains("north gate") && words.contains("of station south at 2027-") && !words.contains("\u{1B}"),
      "\(words)")
    expectEqual(try watch.take(stored(entries, on: ticket(1), quantity: 1), at: made), [])
    // A ticket for two has none.
    expectEqual(
      try watch.take(stored([entry("north"), entry("south")], on: ticket(2), quantity: 2), at: made), [])
  }

  @Test func whatNobodyBelievesIsTold() throws {
    var watch = try watch()
    let lines = watch.take(try stored([entry("north")], on: ticket(1), signs: Ed25519.PrivateKey()), at: made)
    expect(lines.map(\.kind) == [.unusable] && lines[0].words.contains("which names north"), "\(lines)")
    expectEqual(watch.inHouse, 0)
    expectEqual(try watch.take(.deleted(ticket(1), ClaimRevision(8)), at: made).map(\.kind), [.unusable])
  }

  @Test func aStationIsNewsOnceItWasSilent() throws {
    var watch = try watch()
    // What was there before is none.
    expectEqual(try watch.take(stored([entry("north")], on: ticket(1)), at: made), [])
    expectEqual(watch.take(.caughtUp, at: made), [])
    expectEqual(try watch.take(stored([entry("north")], on: ticket(2), at: 200), at: made), [])
    let south = try watch.take(stored([entry("south")], on: ticket(3), by: "south"), at: made)
    expectEqual(south.map(\.words), ["south writes"])
    let back = try watch.take(stored([entry("north")], on: ticket(4), at: 501), at: made)
    expect(back.count == 1 && back[0].words.hasPrefix("north writes, for the first time since 2027-"), "\(back)")
  }

  private func status(_ change: (inout FleetStatus) -> Void = { _ in }) throws -> FleetStatus {
    var facts = FleetFacts()
    facts.leader = "gate1"
    facts.followers = ["gate2", "gate3"].map {
      .init(name: $0, isCurrent: true, isOffline: false, lag: 0, silence: .milliseconds(300))
    }
    facts.servers = ["gate1", "gate2", "gate3"].map { .init(name: $0, version: "2.10.27") }
    facts.bucket = .init(
      replicas: 3, isClosed: false, keys: 1_204, bytes: 1_100_000, most: 500_000_000, last: ClaimRevision(4_000))
    var status = FleetStatus(
      facts: facts, nodes: try ["gate1", "gate2", "gate3"].map { try node($0) },
      stations: try [station("north"), station("south")], now: made)
    change(&status)
    return status
  }

  @Test func whatChangesOfServersIsALineAndNothingElse() throws {
    var watch = try watch()
    expectEqual(watch.take(try status()).map(\.words), ["gate1 leads"])
    expectEqual(watch.take(try status()), [])
    let away = watch.take(
      try status {
        $0.facts.followers[1] = .init(name: "gate3", isCurrent: false, isOffline: true, lag: 40, silence: .seconds(9))
      })
    expectEqual(
      away.map(\.words),
      ["a majority is there, and no other server may be lost", "gate3 IS AWAY, for 9 s, 40 writes behind"])
    // For longer is no news.
    expectEqual(
      watch.take(
        try status {
          $0.facts.followers[1] = .init(
            name: "gate3", isCurrent: false, isOffline: true, lag: 50, silence: .seconds(12))
        }), [])
    let back = watch.take(
      try status {
        $0.facts.leader = "gate2"; $0.facts.followers[0].name = "gate1"
      })
    expectEqual(back.map(\.words), ["gate2 leads now", "all servers are there", "gate3 is well again"])
    expectEqual(back.map(\.kind), [.fleet, .fleet, .server])
    let lost = watch.take(try status { $0.facts = FleetFacts() })
    expect(lost.first?.words == "no server answers" && lost.count == 4, "\(lost)")
    let closed = watch.take(try status { $0.facts.bucket?.isClosed = true })
    expect(closed.contains { $0.words.hasPrefix("the book is CLOSED") }, "\(closed)")
  }

  @Test func maintenanceOfAllIsALineWhenItBeginsAndWhenItEnds() throws {
    var watch = try watch()
    let order = FleetOrder(number: 1, isMaintenance: true, who: "Anna", why: "fire", at: made)
    _ = watch.take(try status())
    let lines = watch.take(try status { $0.order = .known(order) })
    expect(lines.map(\.kind) == [.fleet, .maintenance] || lines.map(\.kind) == [.maintenance], "\(lines)")
    expect(lines.last?.words.contains("by Anna") == true, "\(lines)")
    expectEqual(watch.take(try status { $0.order = .known(order) }), [])
    // While nobody tells it has not ended.
    expect(!watch.take(try status { $0.facts = FleetFacts() }).contains { $0.kind == .maintenance })
    expect(watch.state(try status { $0.order = .known(order) }).words.contains("MAINTENANCE"))
    let over = watch.take(try status())
    expect(over.contains { $0.words == "Maintenance is over: gates decide as before" }, "\(over)")
  }

  @Test func howThingsStandIsOneLine() throws {
    var watch = try watch()
    _ = watch.take(try stored([entry("north")], on: ticket(1)), at: made)
    let line = watch.state(try status())
    expectEqual(line.words, "3 of 3 servers; 1204 claims; 1 in and not out; silent for 5 min: south")
    let later = watch.state(
      try status {
        $0.now = WallTime(seconds: made.seconds + 10)
        $0.facts.bucket?.last = ClaimRevision(4_020)
      })
    expect(later.words.contains("120 writes a minute"), "\(later.words)")
    expectEqual(
      line.json,
      #"{"at":"\#(made.iso8601)","kind":"state","words":"3 of 3 servers; 1204 claims; 1 in and not out; silent for 5 min: south"}"#
    )
  }
}
