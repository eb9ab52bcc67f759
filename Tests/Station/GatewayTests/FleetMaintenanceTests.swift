import Expectations
import FleetBook
import FleetKeeping
import LibCrypto
import LinuxIO
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import Gateway

/// A gate while its whole fleet is in maintenance; journal and ticket system are scripted, everything else is real.
private struct Bench {
  static let code = Code("good-ticket-1")

  let administrator: Ed25519.PrivateKey
  let journal: MemoryJournal
  let hub = EventHub()
  let time = SystemTime()
  let system: FakeTicketSystem
  let signals: RecordingSignals
  let orders: FleetOrderKeeper
  let memory: StationMemory
  let gate: GateController

  /// - Parameter former: whose journal and ticket system it has: the next process.
  init(after former: Bench? = nil, isExit: Bool = false) throws {
    administrator = former?.administrator ?? Ed25519.PrivateKey()
    journal = former?.journal ?? MemoryJournal()
    system = former?.system ?? FakeTicketSystem(time: time)
    signals = RecordingSignals(time: time)
    orders = FleetOrderKeeper(
      event: "summer",
      seal: FleetOrderSeal(event: "summer", administrators: [administrator.publicKey].compactMap(\.self)),
      book: journal, time: time)
    var dependencies = try LedgerDependencies.inMemory(journal)
    dependencies.fleetOrders = orders
    memory = StationMemory(dependencies: dependencies)
    let ledger = LedgerKeeper(server: "fake", dependencies: dependencies, time: time, events: hub)
    var settings = GateSettings(gate: GateID("north"), deadline: .seconds(20), holdOff: .zero)
    settings.isExit = isExit
    gate = GateController(
      settings: settings, system: system, ledger: ledger, signals: signals, events: hub, time: time)
  }

  /// Runs the gate around a test.
  func run(_ body: (Bench) async throws -> Void) async throws {
    let teller = FleetTeller(
      dependencies: try LedgerDependencies.inMemory(journal), events: hub, time: time)
    orders.listen { teller.tell($0) }
    await memory.takeUp(asking: [:], at: [:])
    let running = Task { await gate.run() }
    while await !gate.hasBegun { await gate.heartbeat() }
    try await body(self)
    system.release()
    gate.finish()
    await running.value
  }

  func give(_ number: UInt64, _ isOn: Bool, why: String = "fire drill") throws {
    let order = FleetOrder(number: number, isMaintenance: isOn, who: "Anna", why: why, at: WallTime(seconds: 0))
    let seal = FleetOrderSeal(event: "summer", administrators: [])
    orders.take(try #require(seal.seal(order, by: { administrator.signature(for: $0) })))
  }

  func scan() async -> DecidedScan? {
    let events = hub.subscribe()
    gate.deliver(RawRead(reader: ReaderID("left"), bytes: Self.code.bytes, readAt: time.now()))
    for await event in events { if case .scan(let decided) = event { return decided } }
    return nil
  }

  func admits() {
    system.script(
      Self.code,
      .answer(
        .redeemed(
          Redemption(
            entryID: "1", scannedAt: WallTime(seconds: time.wall().seconds + 2), quantity: 1,
            details: TicketDetails(holder: "Ada", event: "Opening", tickets: [])))))
  }

  /// The gate's state, once it is that.
  func becomes(_ name: String) async { await until { await gate.state.name == name } }
}

@Suite(.timeLimit(.minutes(1))) struct FleetMaintenanceTests {
  @Test func nobodyIsAskedAndTheGateComesBack() async throws {
    try await Bench().run { bench in
      let events = bench.hub.subscribe()
      bench.admits()
      try bench.give(1, true)
      await bench.becomes("maintenance")
      await bench.gate.heartbeat()
      expect(bench.signals.played.last == .outOfService)
      let refused = await bench.scan()
      expectEqual(refused?.verdict, .undecided(.outOfService))
      let detail = refused?.detail ?? ""
      expect(detail.contains("by Anna") && detail.contains("fire drill"), "\(detail)")
      expectEqual(bench.signals.pulses, 0)
      expect(bench.system.asked.isEmpty)
      // Nor by hand.
      let obstacle = await bench.gate.obstacleToOpening
      expect(obstacle?.refusal == .outOfService && obstacle?.words?.contains("by Anna") == true, "\(obstacle as Any)")

      try bench.give(2, false)
      await bench.becomes("ready")
      expectEqual(bench.signals.pulses, 0)
      await expectEqual(bench.scan()?.verdict, .admit)
      expectEqual(bench.signals.pulses, 1)
      var told: [String] = []
      for await event in events {
        guard case .fleet(let fleet) = event else { continue }
        told.append(event.jsonLine)
        if fleet.state == .maintenanceOver { break }
      }
      expectEqual(told.count, 2)
      for part in [#""state":"maintenance""#, #""who":"Anna""#, #""why":"fire drill""#] {
        expect(told[0].contains(part), "\(told[0])")
      }
    }
  }

  @Test func aRestartKeepsItFromTheFirstPersonOn() async throws {
    let first = try Bench()
    try await first.run { bench in
      try bench.give(1, true)
      await bench.becomes("maintenance")
    }
    try await Bench(after: first).run { bench in
      await expectEqual(bench.scan()?.verdict, .undecided(.outOfService))
      expect(bench.system.asked.isEmpty)
      // Somebody plays what was ended, and what was never signed.
      try bench.give(2, false)
      try bench.give(1, true)
      bench.orders.take([1, 2, 3])
      bench.admits()
      await expectEqual(bench.scan()?.verdict, .admit)
    }
  }

  /// Each that says so keeps the gate out of service, and ends it for itself alone.
  @Test func whoeverSaysSoIsEnough() async throws {
    try await Bench().run { bench in
      let gate = bench.gate
      bench.admits()
      let sources: [(isOn: Bool, set: (Bool) throws -> Void)] = [
        (false, { try bench.give($0 ? 3 : 4, $0) }), (false, { gate.orderMaintenance($0) }),
        (false, { gate.setMaintenance($0) }),
      ]
      for (_, set) in sources { try set(true) }
      let words = gate.maintenanceWords ?? ""
      for part in ["by Anna", "an order and its maintenance input"] { expect(words.contains(part), "\(words)") }
      for (_, set) in sources {
        expect(gate.isInMaintenance)
        await expectEqual(bench.scan()?.verdict, .undecided(.outOfService))
        try set(false)
      }
      expect(!gate.isInMaintenance && gate.maintenanceWords == nil)
      expect(bench.system.asked.isEmpty)
      await expectEqual(bench.scan()?.verdict, .admit)
      // Staff end theirs alone.
      try bench.give(5, true)
      gate.orderMaintenance(true)
      let outcome = await Task(executorPreference: gate.loop.tasks) { await gate.maintain(false) }.value
      let said = outcome.words ?? ""
      expect(said.contains("is out of service still") && said.contains("by Anna"), "\(outcome)")
      expect(gate.isInMaintenance && !gate.isMaintenanceOrdered)
    }
  }

  /// Other words are news, and who looks at the station sees them.
  @Test func whoAndWhyAreShown() async throws {
    try await Bench().run { bench in
      try bench.give(1, true)
      await bench.becomes("maintenance")
      try bench.give(2, true, why: "storm")
      await until { await bench.gate.state.detail?.contains("storm") == true }
      await until { bench.hub.view.condition(of: GateID("north")).condition.detail?.contains("storm") == true }
      expectEqual(bench.hub.view.condition(of: GateID("north")).condition.state, "maintenance")
    }
  }

  /// As by staff's own order, nobody leaves by it either.
  @Test func anExitIsOutOfServiceToo() async throws {
    try await Bench(isExit: true).run { bench in
      try bench.give(1, true)
      await expectEqual(bench.scan()?.verdict, .undecided(.outOfService))
      try bench.give(2, false)
      await expectEqual(bench.scan()?.verdict, .admit)
    }
  }
}
