import Admission
import Expectations
import FleetBook
import FleetKeeping
import FleetTesting
import LibCrypto
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

/// A station's ledger in a fleet: two stations, one store of claims, and ticket systems that know nothing of one another.
private struct Shared {
  let store = ModelClaimStore()
  let key: FleetKey
  let signing: [StationID: Ed25519.PrivateKey]

  init() throws {
    key = try #require(FleetKey(bytes: [UInt8](repeating: 7, count: FleetKey.length)))
    signing = Dictionary(
      uniqueKeysWithValues: try ["north", "south"].map { (try #require(StationID($0)), Ed25519.PrivateKey()) })
  }

  func station(_ name: String, alone: AlonePolicy = .refuse, isCutOff: Bool = false) async throws -> FleetStationBench {
    let id = try #require(StationID(name))
    let journal = MemoryJournal()
    let network = FaultyClaimStore(store)
    network.cut(isCutOff)
    var dependencies = try LedgerDependencies.inMemory(journal)
    let keeper = ClaimKeeper(
      ClaimKeeper.Settings(
        fleet: "summer", station: id, key: key,
        seal: ClaimSeal(
          fleet: "summer", station: id, key: try #require(signing[id]), stations: signing.compactMapValues(\.publicKey)),
        alone: alone, policy: ClaimPolicy(pause: .milliseconds(1)), tellingPause: .milliseconds(1),
        awayAfter: .zero),
      store: network, book: journal, memory: ClaimKeeper.Memory(wasAdmitted: { _ in false }), loop: dependencies.loop,
      time: SystemTime())
    dependencies.fleet = keeper
    let hub = EventHub()
    let teller = FleetTeller(dependencies: dependencies, events: hub, time: SystemTime())
    await keeper.listen { teller.tell($0) }
    await keeper.start()
    let system = FakeTicketSystem(time: SystemTime())
    return FleetStationBench(
      claims: keeper, network: network, journal: journal, system: system, hub: hub,
      ledger: LedgerKeeper(server: "fake", dependencies: dependencies, time: SystemTime(), events: hub))
  }
}

private struct FleetStationBench {
  static let code = Code("good-ticket-1")

  let claims: ClaimKeeper
  let network: FaultyClaimStore
  let journal: MemoryJournal
  let system: FakeTicketSystem
  let hub: EventHub
  let ledger: LedgerKeeper

  func lets(_ quantity: Int = 1) {
    system.script(
      Self.code, .answer(.valid(Entitlement(quantity: quantity, details: TicketDetails(holder: "Ada Lovelace")))))
  }

  /// One presentation, and its gate, which opens where it may.
  func present(_ deadline: Duration = .seconds(20), opens: Bool = true) async -> KeptDecision {
    let scan = Scan(
      gate: GateID("door"), reader: ReaderID("left"), code: Self.code, readAt: SystemTime().now())
    let kept = await ledger.decide(
      scan, key: TicketKey(Self.code.bytes), system: system, deadline: SystemTime().now() + deadline, mayAsk: true)
    guard case .admit = kept.decision.verdict else { return kept }
    expect(kept.opening != nil, "an admission without a claim")
    if opens {
      await ledger.hasOpened(scan, kept)
    } else {
      await ledger.giveBack(kept.decision, ledgerKey: kept.ticket ?? TicketKey([]))
      await ledger.hasNotOpened(scan, kept)
    }
    return kept
  }

  func leave() async -> KeptDecision {
    let scan = Scan(gate: GateID("out"), reader: ReaderID("left"), code: Self.code, readAt: SystemTime().now())
    return await ledger.leave(scan, key: TicketKey(Self.code.bytes), system: system)
  }

  /// Joins it with the fleet again, and returns when it knows.
  func join() async {
    network.cut(false)
    await until { await claims.away == nil }
  }

  func allTold() async {
    await until { await claims.owedCount == 0 }
  }
}

@Suite(.timeLimit(.minutes(1))) struct FleetGateTests {
  @Test func oneTicketOpensOneStation() async throws {
    let shared = try Shared()
    let (north, south) = (try await shared.station("north"), try await shared.station("south"))
    north.lets()
    south.lets()
    expectEqual(await north.present().decision.verdict, .admit)
    await north.allTold()
    let second = await south.present().decision
    expectEqual(second.verdict, .refuse(.alreadyUsed))
    expectEqual(second.note, .usedElsewhere)
    expectEqual(second.firstUse?.gate, GateID("door"))
    expect(second.detail?.contains("gate door of station north") == true, "\(second.detail ?? "")")
    // Nobody was asked for somebody who cannot pass.
    expect(south.system.asked.isEmpty)
  }

  @Test func asManyPassAsTheTicketIsForOverAllStations() async throws {
    let shared = try Shared()
    let (north, south) = (try await shared.station("north"), try await shared.station("south"))
    for station in [north, south] {
      for _ in 0..<3 { station.lets(3) }
    }
    for station in [north, south, north] {
      expectEqual(await station.present().decision.verdict, .admit)
      await station.allTold()
    }
    expectEqual(await south.present().decision.verdict, .refuse(.alreadyUsed))
  }

  /// What ledger and fleet conclude is on the disk before anybody passes; where it is not in time, the same person is let in once it is.
  @Test(arguments: [true, false]) func nobodyPassesBeforeTheDiskHasIt(_ isInTime: Bool) async throws {
    let north = try await Shared().station("north")
    let entitlement = Entitlement(quantity: 1, details: TicketDetails(holder: "Ada Lovelace"))
    north.system.script(FleetStationBench.code, .hold(.valid(entitlement)))
    let isDecided = Mutex(false)
    async let presented = {
      let kept = await north.present()
      isDecided.withLock { $0 = true }
      return kept.decision.verdict
    }()
    await until { !north.system.asked.isEmpty }
    north.journal.setSyncing(false)
    let before = north.journal.awaited.count
    north.system.release()
    await until { north.journal.awaited.count > before }
    expect(!isDecided.withLock { $0 })
    expect(north.journal.facts.contains { if case .concluded = $0 { true } else { false } })
    if isInTime { north.journal.setSyncing(true) }
    expectEqual(await presented, isInTime ? .admit : .undecided(.outOfService))
    guard !isInTime else { return }
    north.journal.setSyncing(true)
    expectEqual(await north.present().decision.verdict, .admit)
    expectEqual(north.system.asked.count, 1)
  }

  /// The gate did not open: the person is let in at the next try, at the same station.
  @Test func whoDidNotPassIsLetInAgain() async throws {
    let shared = try Shared()
    let (north, south) = (try await shared.station("north"), try await shared.station("south"))
    north.lets()
    south.lets()
    expectEqual(await north.present(opens: false).decision.verdict, .admit)
    await north.allTold()
    expectEqual(await north.present().decision.verdict, .admit)
    await north.allTold()
    expectEqual(await south.present().decision.verdict, .refuse(.alreadyUsed))
  }

  @Test func whoLeftAtAnotherStationMayComeBackAtThisOne() async throws {
    let shared = try Shared()
    let (north, south) = (try await shared.station("north"), try await shared.station("south"))
    north.lets()
    north.lets()
    expectEqual(await north.present().decision.verdict, .admit)
    await north.allTold()
    expectEqual(await north.present().decision.verdict, .refuse(.alreadyUsed))
    _ = await south.leave()
    await south.allTold()
    expectEqual(await north.present().decision.verdict, .admit)
    await north.allTold()
    // That they left was one exit, and is counted once.
    expectEqual(await north.present().decision.verdict, .refuse(.alreadyUsed))
  }

  @Test func withoutTheFleetNobodyIsAskedAndNobodyPasses() async throws {
    let shared = try Shared()
    let north = try await shared.station("north", isCutOff: true)
    north.lets()
    let kept = await north.present(.milliseconds(200))
    expectEqual(kept.decision.verdict, .undecided(.unreachable))
    expect(kept.decision.detail?.contains("fleet.alone") == true)
    expect(north.system.asked.isEmpty)
    await north.join()
    expectEqual(await north.present().decision.verdict, .admit)
  }

  @Test func whoPassedWithoutTheFleetIsMarkedAndAConflictIsWithTheOthers() async throws {
    let shared = try Shared()
    let trust = AlonePolicy.trust(.init(people: 10, time: .seconds(600)))
    let north = try await shared.station("north", alone: trust, isCutOff: true)
    let south = try await shared.station("south", alone: trust, isCutOff: true)
    let events = south.hub.subscribe()
    for station in [north, south] {
      station.lets()
      let kept = await station.present(.milliseconds(200))
      expectEqual(kept.decision.verdict, .admit)
      expectEqual(kept.decision.note, .withoutFleet)
      expect(kept.isProvisional && !kept.decision.isProvisional)
    }
    await north.join()
    await north.allTold()
    await south.join()
    await south.allTold()
    var isTold = false
    for await case .conflict(let conflict) in events {
      expectEqual(conflict.told.ending, .contradicted)
      let words = conflict.told.said ?? ""
      expect(words.contains("station north") && words.contains("station south"), "\(words)")
      isTold = true
      break
    }
    expect(isTold)
    for station in [north, south] {
      try await until { try await !station.journal.conflicts().isEmpty }
      let conflicts = try await station.journal.conflicts()
      expectEqual(conflicts.count, 1)
      expectEqual(conflicts.first?.owed.scan.code, FleetStationBench.code)
      // Nothing of it is told to a ticket system.
      expect(try await station.journal.owed().isEmpty)
    }
  }

  @Test func anAdmissionThatWasTakenBackIsFreeAtTheOthersToo() async throws {
    let shared = try Shared()
    let (north, south) = (try await shared.station("north"), try await shared.station("south"))
    north.lets()
    south.lets()
    let kept = await north.present()
    await north.allTold()
    guard
      let scan = north.journal.facts.compactMap({ fact -> ScanID? in
        if case .asked(let asked) = fact { asked.scan.id } else { nil }
      }).first, let admission = kept.decision.admission, let ticket = kept.ticket
    else { return expect(false, "nothing was asked") }
    let now = north.ledger.now
    north.ledger.record(
      .scan(
        JournaledScan(
          scan: Scan(
            id: scan, gate: GateID("door"), reader: ReaderID("left"), code: FleetStationBench.code,
            readAt: now.monotonic),
          system: north.system.id, ticket: ticket, at: now, decidedIn: .zero, verdict: .admit, decider: .server,
          admission: admission)))
    expectEqual(try await north.ledger.annul(scan), .takenBack)
    await north.allTold()
    expectEqual(await south.present().decision.verdict, .admit)
  }
}
