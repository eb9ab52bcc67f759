import Expectations
import ScanConfiguration
import ScanModel
import Calls
import ScanTesting
import Testing

@testable import Gateway

/// `ready` means ready: what keeps a gate from admitting is told before anybody presents a ticket, and taken back when it is mended.
@Suite(.timeLimit(.minutes(1))) struct ReadinessTests {
  private static let quick = SystemCheck.Waits(key: [.milliseconds(1)], other: [.milliseconds(1)], spacing: .zero)

  /// A gate whose ticket system is asked as a station's are.
  private struct Bench {
    let hub = EventHub()
    let journal: MemoryJournal
    let system: FakeTicketSystem
    let ledger: LedgerKeeper
    let signals: RecordingSignals
    let gate: GateController
    let ruled: RuledTicketSystem
    private let events: Box

    /// - Parameter predecessor: the process before this one: journal and ticket system are the same.
    init(
      after predecessor: Bench? = nil, waits: SystemCheck.Waits = ReadinessTests.quick,
      time: any TimeSource = SystemTime(), isRuled: Bool = false,
      _ adjust: (inout GateSettings) -> Void = { _ in }
    ) throws {
      journal = predecessor?.journal ?? MemoryJournal()
      system = predecessor?.system ?? FakeTicketSystem(time: SystemTime())
      signals = RecordingSignals(time: time)
      ledger = try LedgerKeeper(
        server: "fake", dependencies: .inMemory(journal, time: time), checkWaits: waits, time: time, events: hub)
      var settings = GateSettings(gate: GateID("north"), deadline: .seconds(20), holdOff: .zero)
      adjust(&settings)
      events = Box(hub.subscribe())
      ruled = RuledTicketSystem(system, event: "A")
      gate = GateController(
        settings: settings, system: isRuled ? ruled : system, ledger: ledger, signals: signals, events: hub, time: time)
    }

    /// Runs the gate around a test, its ticket system asked first.
    func run(_ body: (Bench) async throws -> Void) async throws {
      _ = await ledger.takeUp([], asker: system)
      await ledger.check([system])
      let running = Task { await gate.run() }
      try await body(self)
      system.release()
      gate.finish()
      await running.value
      await ledger.check([])
    }

    func present(_ code: Code) {
      gate.deliver(RawRead(reader: ReaderID("left"), bytes: code.bytes, readAt: SystemTime().now()))
    }

    /// The next thing that is told of the gate.
    func nextState() async -> GateState? {
      let event = await events.next { if case .gate = $0 { true } else { false } }
      if case .gate(_, let state, _)? = event { return state }
      return nil
    }

    /// Returns once the gate has played a signal last.
    func played(_ signal: Signal) async { for await played in signals.changes where played.last == signal { return } }

    func nextReach() async -> GatewayEvent? {
      await events.next { if case .ticketSystem = $0 { true } else { false } }
    }

    func nextClock() async -> ClockEvent? {
      let event = await events.next { if case .clock = $0 { true } else { false } }
      if case .clock(let clock)? = event { return clock }
      return nil
    }
  }

  private actor Box {
    private let stream: AsyncStream<GatewayEvent>
    init(_ stream: AsyncStream<GatewayEvent>) { self.stream = stream }
    func next(where matches: @Sendable (GatewayEvent) -> Bool) async -> GatewayEvent? {
      for await event in stream where matches(event) { return event }
      return nil
    }
  }

  @Test(arguments: [UndecidedReason.keyRefused, .accessDenied, .keyBlocked, .tlsFault, .clockWrong, .badAnswer])
  func aFaultIsToldBeforeTheFirstTicketAndTakenBack(reason: UndecidedReason) async throws {
    let bench = try Bench()
    bench.system.setFault(reason, detail: "Mend it.")
    try await bench.run { bench in
      // Never ready before: that is the first word.
      await expectEqual(bench.nextState(), .fault(reason, "Mend it."))
      await bench.played(.outOfService)
      bench.system.setFault(nil)
      await expectEqual(bench.nextState(), .ready)
      expect(bench.system.asked.isEmpty, "no ticket was needed for it")
      await bench.played(.idle)
    }
  }

  /// Whoever comes, nobody could pass by the gate's rule: that is told before anybody comes, and taken back.
  @Test func aRuleThatLetsNobodyPassIsToldBeforeTheFirstTicket() async throws {
    let bench = try Bench(isRuled: true)
    bench.ruled.setStanding(.awaited)
    try await bench.run { bench in
      bench.ruled.setStanding(.barred(.outOfService, "No event of the venue. Check ticket.events."))
      await expectEqual(bench.nextState(), .fault(.outOfService, "No event of the venue. Check ticket.events."))
      await bench.played(.outOfService)
      bench.ruled.setStanding(.open)
      await expectEqual(bench.nextState(), .ready)
      await bench.played(.idle)
      bench.ruled.setStanding(.barred(.outOfService, "Gone."))
      await expectEqual(bench.nextState(), .fault(.outOfService, "Gone."))
      expect(bench.system.asked.isEmpty, "no ticket was needed for it")
    }
  }

  @Test func aRuleOfWhichTooLittleIsKnownMakesReadySaySo() async throws {
    let bench = try Bench(isRuled: true)
    bench.ruled.setStanding(.unproven("Whether it tells types is not known."))
    try await bench.run { bench in
      let state = await bench.nextState()
      expect(state?.name == "ready" && state?.detail == "Whether it tells types is not known.")
      bench.ruled.setStanding(.open)
      await expectEqual(bench.nextState(), .ready)
    }
  }

  @Test func aRuleKeepsNobodyFromLeaving() async throws {
    let bench = try Bench(isRuled: true) { $0.isExit = true }
    bench.ruled.setStanding(.barred(.outOfService, "Nobody."))
    try await bench.run { await expectEqual($0.nextState(), .ready) }
  }

  @Test func aGateIsReadyOnceItsTicketSystemAnswered() async throws {
    try await Bench().run { bench in
      await expectEqual(bench.nextState(), .ready)
      expectEqual(bench.system.probes, 1)
    }
  }

  /// Offline, the gate's policy decides: that is no fault.
  @Test func aGateWhoseTicketSystemIsOfflineIsReadyToDecideByItsPolicy() async throws {
    let bench = try Bench { $0.offline = OfflinePolicy(.admitAndQueue(most: 2)) }
    bench.system.setReach(.noConnection)
    try await bench.run { bench in
      await expectEqual(bench.nextState(), .ready)
      await bench.played(.offline)
    }
  }

  /// Where the policy lets nobody pass, ready says so, and is told plainly once the ticket system answers.
  @Test func whereNobodyPassesWithoutTheTicketSystemReadySaysSo() async throws {
    let bench = try Bench()
    bench.system.setReach(.noAddress)
    try await bench.run { bench in
      guard let state = await bench.nextState() else {
        Issue.record("nothing is told")
        return
      }
      expectEqual(state.name, "ready")
      expect(state.detail?.contains("fake does not answer (noAddress)") == true, "\(state)")
      bench.system.setReach(nil)
      await expectEqual(bench.nextState(), .ready)
    }
  }

  /// It answers, and cannot be asked: ready says why.
  @Test func readySaysThatTheTicketSystemCouldNotBeAsked() async throws {
    let bench = try Bench()
    bench.system.setDoubt("It is out of order.")
    try await bench.run { bench in
      let state = await bench.nextState()
      expectEqual(state?.name, "ready")
      expectEqual(state?.detail, "It is out of order. It is asked again.")
      bench.system.setDoubt(nil)
      await expectEqual(bench.nextState(), .ready)
    }
  }

  /// The log of who is away names the host and the setting.
  @Test func whoIsAwayIsToldWithHostAndSetting() async throws {
    let bench = try Bench()
    bench.system.setReach(.noConnection)
    try await bench.run { bench in
      guard case .ticketSystem(_, .noConnection?, _, let detail, _)? = await bench.nextReach() else {
        Issue.record("it is not told")
        return
      }
      expectEqual(detail, "fake.example takes no connection. Check url.")
    }
  }

  @Test func aFaultOfAnEarlierProcessThatWasMendedIsNotTold() async throws {
    let first = try Bench()
    first.system.setFault(.keyRefused, detail: "Mend it.")
    try await first.run { await expectEqual($0.nextState(), .fault(.keyRefused, "Mend it.")) }
    await expectEqual(first.ledger.notes.keyFaults, ["fake": "keyRefused"])
    // The right key is put in place, and the service is started again.
    first.system.setFault(nil)
    let next = try Bench(after: first)
    try await next.run { bench in
      await expectEqual(bench.nextState(), .ready)
      await expectEqual(bench.ledger.notes.keyFaults, [:])
      expect(!bench.signals.played.contains(.outOfService))
    }
  }

  /// What cannot be asked anew holds: a revoked key opens no gate because the network is away as well.
  @Test func aFaultOfAnEarlierProcessThatNobodyCanDisproveIsTold() async throws {
    let policy: (inout GateSettings) -> Void = { $0.offline = OfflinePolicy(.admitAndQueue(most: 2)) }
    let first = try Bench(policy)
    first.system.setFault(.keyRefused)
    try await first.run { await expectEqual($0.nextState(), .fault(.keyRefused, "A fault.")) }
    first.system.setFault(nil)
    first.system.setReach(.noConnection)
    let next = try Bench(after: first, policy)
    try await next.run { bench in
      guard case .fault(.keyRefused, _)? = await bench.nextState() else {
        Issue.record("it is not told")
        return
      }
      bench.system.setReach(nil)
      await expectEqual(bench.nextState(), .ready)
    }
  }

  /// A reload asks anew, and what was found before it is not told from memory.
  @Test func aReloadAsksAnew() async throws {
    let bench = try Bench(waits: SystemCheck.Waits())
    bench.system.setFault(.keyRefused, detail: "Mend it.")
    try await bench.run { bench in
      await expectEqual(bench.nextState(), .fault(.keyRefused, "Mend it."))
      bench.system.setFault(nil)
      await bench.ledger.check([bench.system])
      await expectEqual(bench.nextState(), .ready)
      expectEqual(bench.system.probes, 2)
    }
  }

  /// The next probe is a minute away, and somebody finds out that it is mended.
  @Test func aScanTakesItBackToo() async throws {
    let bench = try Bench(waits: SystemCheck.Waits())
    bench.system.setFault(.accessDenied, detail: "Mend it.")
    bench.system.script(Code("good-ticket-1"), .redeem("1"))
    try await bench.run { bench in
      await expectEqual(bench.nextState(), .fault(.accessDenied, "Mend it."))
      bench.present(Code("good-ticket-1"))
      await expectEqual(bench.nextState(), .ready)
    }
  }

  /// A certificate that runs out in the evening: the scan that meets it tells all gates, and nobody has to find out that it is renewed.
  @Test func whatAScanMeetsIsProbedUntilItIsMended() async throws {
    let bench = try Bench()
    bench.system.script(Code("good-ticket-1"), .answer(.undecided(.tlsFault, detail: "Mend caFile.")))
    try await bench.run { bench in
      await expectEqual(bench.nextState(), .ready)
      bench.system.setFault(.tlsFault, detail: "Mend caFile.")
      bench.present(Code("good-ticket-1"))
      await expectEqual(bench.nextState(), .fault(.tlsFault, "Mend caFile."))
      bench.system.setFault(nil)
      await expectEqual(bench.nextState(), .ready)
    }
  }

  /// A page that came in place of one answer: a probe that is answered proves it gone, and nobody has to scan. What comes of the
  /// gate's own parameters is told again by the next scan.
  @Test func oneBadAnswerIsTakenBackByTheProbeAndToldAgainByTheNext() async throws {
    let bench = try Bench()
    bench.system.script(Code("ticket-1"), .answer(.undecided(.badAnswer, detail: "A page.")))
    bench.system.script(Code("ticket-2"), .answer(.undecided(.badAnswer, detail: "A page again.")))
    try await bench.run { bench in
      await expectEqual(bench.nextState(), .ready)
      for (code, words) in [("ticket-1", "A page."), ("ticket-2", "A page again.")] {
        bench.present(Code(code))
        await expectEqual(bench.nextState(), .fault(.badAnswer, words))
        await expectEqual(bench.nextState(), .ready)
      }
      expect(bench.system.probes >= 3, "\(bench.system.probes)")
    }
  }

  @Test func whoLeavesIsNotAskedAbout() async throws {
    let bench = try Bench { $0.isExit = true }
    bench.system.setFault(.keyRefused)
    try await bench.run { await expectEqual($0.nextState(), .ready) }
  }

  @Test func aClockThatIsWrongIsToldBeforeTheFirstTicket() async throws {
    let time = ShiftedTime()
    time.setWall(.seconds(3_600))
    let bench = try Bench(time: time)
    bench.system.setDate(SystemTime().wall())
    try await bench.run { bench in
      await expectEqual(bench.nextClock()?.state, .stationWrong)
    }
  }
}
