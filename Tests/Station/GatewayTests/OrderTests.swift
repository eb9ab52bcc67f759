import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Signalling
import StationProtocol
import StationSetUp
import Synchronization
import Testing

@testable import Gateway

/// A gate that takes orders; journal and ticket system are scripted, everything else is real.
private struct Bench {
  static let north = GateID("north")
  static let code = Code("good-ticket-1")

  let time = SystemTime()
  let hub = EventHub()
  let system: FakeTicketSystem
  let journal: MemoryJournal
  let ledger: LedgerKeeper
  let signals: RecordingSignals
  let gate: GateController
  let orders: OrderKeeper
  let memory: StationMemory
  let outbox: ScriptedOutbox
  let isExit: Bool

  /// - Parameter former: whose journal and ticket system it has: the next process.
  init(after former: Bench? = nil, _ adjust: (inout GateSettings) -> Void = { _ in }) throws {
    system = former?.system ?? FakeTicketSystem(time: time)
    journal = former?.journal ?? MemoryJournal()
    let outbox = ScriptedOutbox()
    self.outbox = outbox
    let dependencies = try LedgerDependencies.inMemory(journal, isAccepted: { outbox.isAccepted })
    ledger = LedgerKeeper(server: "fake", dependencies: dependencies, time: time, events: hub)
    memory = StationMemory(dependencies: dependencies, orders: outbox.control)
    signals = RecordingSignals(time: time)
    var settings = GateSettings(gate: Self.north, deadline: .seconds(20), holdOff: .zero)
    adjust(&settings)
    isExit = settings.isExit
    gate = GateController(
      settings: settings, system: system, ledger: ledger, signals: signals, events: hub, time: time)
    orders = OrderKeeper(journal: journal, events: hub, loop: dependencies.loop, time: time) { [ledger] in ledger.now }
  }

  /// Runs the gate around a test, once it has taken up what was ordered before.
  func run(_ body: (Bench) async throws -> Void) async throws {
    await orders.recall()
    if orders.maintained.withLock({ $0.contains(Self.north) }) { gate.orderMaintenance(true) }
    let running = Task { await gate.run() }
    await ready()
    try await body(self)
    system.release()
    gate.finish()
    await running.value
  }

  /// Waits until the gate has begun.
  private func ready() async { while await !gate.hasBegun { await gate.heartbeat() } }

  func order(_ action: StationOrder.Action, why: String = "", age: Duration = .zero) -> StationOrder {
    StationOrder(action, who: "anna", why: why, givenAt: time.now() - age)
  }

  /// - Parameter sensed: what the gate's sensors say of the time since the last admission.
  func perform(
    _ order: StationOrder, by user: UInt32 = 1_000, sensed: PassageSensor.Passage = .unwatched
  ) async -> OrderOutcome {
    let giver = OrderGiver(user: user, process: 7, program: "test", names: true)
    let station = OneGate(gate: gate, ledger: ledger, isExit: isExit, memory: memory, sensed: sensed)
    return await Task(executorPreference: gate.loop.tasks) { [orders] in
      await orders.perform(order, by: giver, on: station)
    }.value
  }

  func perform(_ action: StationOrder.Action) async -> OrderOutcome { await perform(order(action)) }

  /// Presents the code at the gate's scanner.
  func scan(_ code: Code = Self.code) async -> DecidedScan? {
    let events = hub.subscribe()
    gate.deliver(RawRead(reader: ReaderID("left"), bytes: code.bytes, readAt: time.now()))
    for await event in events { if case .scan(let decided) = event { return decided } }
    return nil
  }

  var journaled: [JournaledOrder] {
    journal.facts.compactMap { if case .order(let order) = $0 { order } else { nil } }
  }

  func redeemed(_ entry: String) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: time.wall().seconds + 2), quantity: 1,
        details: TicketDetails(holder: "Ada", event: "Opening", tickets: [])))
  }
}

/// What orders about the outbox and the journal need, as a disk would have it.
private final class ScriptedOutbox: Sendable {
  private let state = Mutex((isDoubted: false, isNoted: true, looks: 0, fault: JournalFault?.none))
  var isAccepted: Bool { state.withLock { !$0.isDoubted } }
  /// How often it was looked for what can be sent once more.
  var looks: Int { state.withLock { $0.looks } }
  func fail(_ fault: JournalFault?) { state.withLock { $0.fault = fault } }
  /// The journal is doubted, until somebody accepts it.
  func doubt(isNoted: Bool = true) {
    state.withLock { state in
      state.isNoted = isNoted
      state.isDoubted = true
    }
  }

  var control: OutboxControl {
    OutboxControl(
      retriable: { () throws(JournalFault) in
        let fault = self.state.withLock { state in
          state.looks += 1
          return state.fault
        }
        if let fault { throw fault }
        return []
      },
      accept: {
        self.state.withLock { state in
          state.isDoubted = false
          return state.isNoted
        }
      })
  }
}

private struct OneGate: OrderedStation {
  let gate: GateController
  let ledger: LedgerKeeper
  let isExit: Bool
  let memory: StationMemory
  var sensed = PassageSensor.Passage.unwatched
  var setUp: StationSetUp? { nil }

  func passage(at gate: GateID, since moment: MonotonicTime) -> PassageSensor.Passage { sensed }

  func refreshLists(of system: TicketSystemID?) -> [TicketSystemID] { [] }
  func search(_ text: String, names: Bool) async -> OrderOutcome { .found([]) }
  func picture(of reader: ReaderID) async -> OrderOutcome {
    .picture(CameraView(jpeg: [0xFF, 0xD8], width: 8, height: 8, format: "8x8 GREY", age: .zero))
  }
  func gate(_ id: GateID) -> GateController? { id == Bench.north ? gate : nil }
  func isExit(_ gate: GateID) -> Bool { isExit }
  func ledger(of gate: GateID) -> LedgerKeeper? { ledger }
}

/// What staff order of a gate, each once.
@Suite(.timeLimit(.minutes(1))) struct OrderTests {
  private static let north = Bench.north

  @Test func aGateIsOpenedOnceAndItIsWrittenDownBefore() async throws {
    try await Bench().run { bench in
      let order = bench.order(.openOnce(Self.north), why: "a wheelchair")
      let events = bench.hub.subscribe()
      await expectEqual(bench.perform(order).name, "done")
      expectEqual(bench.signals.pulses, 1)
      let facts = bench.journaled
      expectEqual(facts.map(\.outcome), [nil, "done"])
      expectEqual(facts.map(\.id), [order.id, order.id])
      expectEqual(facts.last?.who, "anna")
      expectEqual(facts.last?.user, 1_000)
      expectEqual(facts.last?.why, "a wheelchair")
      expect(bench.journal.awaited.count == 1, "the pulse waits until its number is durable")
      // The same order again, over whatever connection: told, not done.
      await expectEqual(bench.perform(order).name, "done")
      expectEqual(bench.signals.pulses, 1)
      expectEqual(bench.journaled.count, 2)
      for await event in events {
        guard case .order(let told) = event else { continue }
        expectEqual(told.order, order)
        expect(event.jsonLine.contains("\"order\":\"openOnce\""))
        expect(event.jsonLine.contains("\"why\":\"a wheelchair\""))
        expect(event.jsonLine.contains("\"decided_by\":\"staff\""))
        break
      }
      expectEqual(
        bench.hub.view.counters.orders, [StationCounters.Orders(kind: .openOnce, outcome: "done", count: 1)])
      // No scan is counted for it.
      expectEqual(bench.hub.view.counters.scans, [])
    }
  }

  @Test func anOrderThatIsGivenTwiceAtOnceIsDoneOnce() async throws {
    try await Bench().run { bench in
      bench.journal.setSyncing(false)
      let order = bench.order(.openOnce(Self.north))
      async let first = bench.perform(order)
      async let second = bench.perform(order)
      while bench.journal.awaited.isEmpty { await Task.yield() }
      expectEqual(bench.signals.pulses, 0)
      bench.journal.setSyncing(true)
      let outcomes = await [first, second]
      expectEqual(outcomes.map(\.name), ["done", "done"])
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func aPictureIsGivenOnceAndNotRemembered() async throws {
    try await Bench().run { bench in
      let order = bench.order(.picture(ReaderID("camera")))
      guard case .picture(let view) = await bench.perform(order) else { throw CancellationError() }
      expectEqual(view.jpeg, [0xFF, 0xD8])
      guard case .done = await bench.perform(order) else { throw CancellationError() }
    }
  }

  @Test func noGateOpensByWhatTheDiskDoesNotKeep() async throws {
    try await Bench().run { bench in
      bench.journal.setSyncing(false)
      await expectEqual(bench.perform(.openOnce(Self.north)).refusal, .notWritten)
      await expectEqual(bench.perform(.present(Self.north, Bench.code)).refusal, .notWritten)
      expectEqual(bench.signals.pulses, 0)
      expectEqual(bench.system.asked, [])
      bench.journal.setSyncing(true)
    }
  }

  @Test func theNextProcessDoesNotDoItAgain() async throws {
    let first = try Bench()
    let done = first.order(.openOnce(Self.north))
    try await first.run { bench in _ = await bench.perform(done) }
    // One whose process ended in between: its number is all that there is.
    let open = first.order(.openOnce(Self.north))
    first.journal.enqueue(
      JournalBatch(facts: [
        .order(
          JournaledOrder(
            id: open.id, kind: "openOnce", gate: Self.north, who: "anna", user: 0, why: "", at: first.ledger.now))
      ]))
    try await Bench(after: first).run { bench in
      await expectEqual(bench.perform(done).name, "done")
      await expectEqual(bench.perform(open).name, "unknown")
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func aNumberIsOneOrdersAlone() async throws {
    let first = try Bench()
    let annulment = first.order(.annul(Self.north))
    try await first.run { bench in
      await expectEqual(bench.perform(annulment).refusal, .nothingToAnnul)
      let other = StationOrder(.openOnce(Self.north), who: "anna", id: annulment.id, givenAt: bench.time.now())
      await expectEqual(bench.perform(other).refusal, .numberUsed)
      // While it is being done, too.
      bench.journal.setSyncing(false)
      let open = bench.order(.openOnce(Self.north))
      async let opened = bench.perform(open)
      while bench.journal.awaited.isEmpty { await Task.yield() }
      let another = StationOrder(.present(Self.north, Bench.code), who: "anna", id: open.id, givenAt: bench.time.now())
      await expectEqual(bench.perform(another).refusal, .numberUsed)
      bench.journal.setSyncing(true)
      await expectEqual(opened.name, "done")
      // What is shown alike, and is not.
      let one = bench.order(.search("a-ticket-7777"))
      await expectEqual(bench.perform(one).name, "done")
      let alike = StationOrder(.search("b-ticket-7777"), who: "anna", id: one.id, givenAt: bench.time.now())
      await expectEqual(bench.perform(alike).refusal, .numberUsed)
    }
    try await Bench(after: first).run { bench in
      let other = StationOrder(.openOnce(Self.north), who: "anna", id: annulment.id, givenAt: bench.time.now())
      await expectEqual(bench.perform(other).refusal, .numberUsed)
      await expectEqual(bench.perform(annulment).refusal, .nothingToAnnul)
      expectEqual(bench.signals.pulses, 0)
    }
  }

  /// By a word that is no verdict nobody is let in.
  @Test func theNextProcessHasNoVerdictOfATypedCode() async throws {
    let first = try Bench()
    let typed = first.order(.present(Self.north, Bench.code))
    try await first.run { bench in
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      await expectEqual(bench.perform(typed).name, "done")
    }
    try await Bench(after: first).run { bench in
      await expectEqual(bench.perform(typed).name, "unknown")
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func anOldOrderOpensNothing() async throws {
    try await Bench().run { bench in
      for age in [Duration.seconds(6), .seconds(-3), .seconds(100_000)] {
        await expectEqual(bench.perform(bench.order(.openOnce(Self.north), age: age)).refusal, .stale)
      }
      await expectEqual(bench.perform(.openOnce(GateID("south"))).refusal, .unknown)
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func twoPulsesNeverMeet() async throws {
    try await Bench { $0.gap = .seconds(30) }.run { bench in
      await expectEqual(bench.perform(.openOnce(Self.north)).name, "done")
      // The interval of orders first, then the gap after the pulse.
      await expectEqual(bench.perform(.openOnce(Self.north)).refusal, .pulsing)
      await expectEqual(bench.gate.obstacleToOpening?.refusal, .pulsing)
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func whileACodeIsBeingDecidedNobodyElseIsLetIn() async throws {
    try await Bench().run { bench in
      bench.system.script(Bench.code, .hold(bench.redeemed("1")))
      bench.gate.deliver(RawRead(reader: ReaderID("left"), bytes: Bench.code.bytes, readAt: bench.time.now()))
      for await _ in bench.system.requests { break }
      await expectEqual(bench.perform(.openOnce(Self.north)).refusal, .busy)
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func aGateThatCannotOpenIsNotOpened() async throws {
    try await Bench().run { bench in
      bench.signals.breakDown("the relay is gone")
      await expectEqual(bench.perform(.openOnce(Self.north)), .refused(.outOfService, "the relay is gone"))
      // Nothing is begun that surely comes to nothing.
      expectEqual(bench.journaled.map(\.outcome), ["refused"])
    }
  }

  @Test func aLostAnswerIsNotKnown() async throws {
    try await Bench().run { bench in
      bench.signals.loseNextAnswer("it may have opened")
      await expectEqual(bench.perform(.openOnce(Self.north)), .unknown("it may have opened"))
    }
  }

  @Test func maintenanceOutlivesTheProcess() async throws {
    let first = try Bench()
    try await first.run { bench in
      await expectEqual(bench.perform(.maintenance(Self.north, isOn: true)).name, "done")
      await expectEqual(bench.scan()?.verdict, .undecided(.outOfService))
      await expectEqual(bench.perform(.openOnce(Self.north)).refusal, .outOfService)
      await expectEqual(bench.gate.state, .maintenance)
    }
    try await Bench(after: first).run { bench in
      await expectEqual(bench.scan()?.verdict, .undecided(.outOfService))
      expectEqual(bench.system.asked, [])
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      await expectEqual(bench.perform(.maintenance(Self.north, isOn: false)).name, "done")
      await expectEqual(bench.scan()?.verdict, .admit)
    }
    let third = try Bench(after: first)
    await third.orders.recall()
    expectEqual(third.orders.maintained.withLock { $0 }, [])
  }

  @Test func anAdmissionIsTakenBackOnce() async throws {
    try await Bench().run { bench in
      await expectEqual(bench.perform(.annul(Self.north)).refusal, .nothingToAnnul)
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      let admitted = await bench.scan()
      expectEqual(admitted?.verdict, .admit)
      await expectEqual(bench.perform(.annul(Self.north)).name, "done")
      expectEqual(bench.journaled.last?.scan, admitted?.scan.id)
      await expectEqual(bench.perform(.annul(Self.north)).refusal, .nothingToAnnul)
      // The next presentation admits, and asks nobody.
      await expectEqual(bench.scan()?.verdict, .admit)
      expectEqual(bench.system.asked, [Bench.code])
      await expectEqual(bench.scan()?.verdict, .refuse(.alreadyUsed))
    }
  }

  @Test func whoHasLeftIsNotAnnulled() async throws {
    try await Bench().run { bench in
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      await expectEqual(bench.scan()?.verdict, .admit)
      let scan = Scan(gate: GateID("out"), reader: ReaderID("right"), code: Bench.code, readAt: bench.time.now())
      _ = await bench.ledger.leave(scan, key: TicketKey(Bench.code.bytes))
      await expectEqual(bench.perform(.annul(Self.north)).refusal, .nothingToAnnul)
    }
  }

  @Test func whoHasPassedIsNotAnnulled() async throws {
    try await Bench().run { bench in
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      await expectEqual(bench.scan()?.verdict, .admit)
      for sensed in [PassageSensor.Passage.somebody, .unknown] {
        let outcome = await bench.perform(bench.order(.annul(Self.north)), sensed: sensed)
        expectEqual(outcome.refusal, .nothingToAnnul, "\(outcome)")
      }
      await expectEqual(bench.scan()?.verdict, .refuse(.alreadyUsed))
      await expectEqual(bench.perform(bench.order(.annul(Self.north)), sensed: .nobody).name, "done")
      await expectEqual(bench.scan()?.verdict, .admit)
    }
  }

  /// A minute after the admission somebody is in, whoever says otherwise.
  @Test func anAdmissionIsTakenBackWithinAMinute() async throws {
    try await Bench().run { bench in
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      let found = await bench.scan()
      var admitted = try #require(found)
      // The same admission, told as one of 61 s ago.
      admitted.scan = Scan(
        id: admitted.scan.id, gate: Self.north, reader: admitted.scan.reader, code: Bench.code,
        readAt: bench.time.now() - StationLimits.annulTime - .seconds(1))
      admitted.decidedIn = .zero
      bench.hub.view.take(.scan(admitted))
      let late = await bench.perform(.annul(Self.north))
      expect(late.refusal == .nothingToAnnul && late.words?.contains("in the last 60 s") == true, "\(late)")
    }
  }

  @Test func fiveAdmissionsAMinuteAreTakenBack() async throws {
    try await Bench().run { bench in
      for number in 0...StationLimits.annulsPerMinute {
        let code = Code("good-ticket-number-\(number)")
        bench.system.script(code, .answer(bench.redeemed("\(number)")))
        await expectEqual(bench.scan(code)?.verdict, .admit)
        let outcome = await bench.perform(.annul(Self.north))
        if number < StationLimits.annulsPerMinute {
          expectEqual(outcome.name, "done", "\(outcome)")
        } else {
          expectEqual(outcome.refusal, .tooMany)
        }
      }
    }
  }

  @Test func nobodyIsAnnulledWhereTheyLeave() async throws {
    try await Bench { $0.isExit = true }.run { bench in
      await expectEqual(bench.scan()?.verdict, .admit)
      await expectEqual(bench.perform(.annul(Self.north)).refusal, .nothingToAnnul)
    }
  }

  @Test func aTypedCodeGoesTheWholeWay() async throws {
    try await Bench { $0.holdOff = .seconds(100) }.run { bench in
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      guard case .decided(let line) = await bench.perform(.present(Self.north, Bench.code)) else {
        return expect(false, "it is not decided")
      }
      expect(line.contains("\"verdict\":\"admit\"") && line.contains("\"reader\":\"console\""))
      expect(!line.contains("good-ticket"))
      expectEqual(bench.signals.pulses, 1)
      await expectEqual(bench.perform(.present(Self.north, Bench.code)).refusal, .busy)
      // What cannot be a code is decided, too.
      guard case .decided(let refused) = await bench.perform(.present(Self.north, Code(bytes: [0xFF]))) else {
        return expect(false, "it is not decided")
      }
      expect(refused.contains("\"reason\":\"unreadable\""))
      expect(bench.journaled.allSatisfy { $0.subject?.contains("good") != true })
    }
  }

  @Test func tenCodesAMinuteAreTyped() async throws {
    try await Bench().run { bench in
      for number in 0..<StationLimits.presentsPerMinute {
        guard case .decided = await bench.perform(.present(Self.north, Code("unknown-\(number)"))) else {
          return expect(false, "\(number) is not decided")
        }
      }
      await expectEqual(bench.perform(.present(Self.north, Code("one-too-many"))).refusal, .tooMany)
    }
  }

  /// Whoever tries what cannot be done takes nothing from those who need it, and is not listened to for ever.
  @Test func whatWasRefusedCountsForWhoeverGaveIt() async throws {
    try await Bench().run { bench in
      for _ in 0..<StationLimits.refusalsPerMinute {
        await expectEqual(bench.perform(.annul(Self.north)).refusal, .nothingToAnnul)
      }
      await expectEqual(bench.perform(.annul(Self.north)).refusal, .tooMany)
      bench.system.script(Bench.code, .answer(bench.redeemed("1")))
      await expectEqual(bench.scan()?.verdict, .admit)
      // Their own orders of other sorts, and everybody else's of this one.
      await expectEqual(bench.perform(.search("some-ticket")).name, "done")
      await expectEqual(bench.perform(.annul(Self.north)).refusal, .tooMany)
      await expectEqual(bench.perform(bench.order(.annul(Self.north)), by: 1_001).name, "done")
    }
  }

  /// A guess counts that the ticket system has judged; what was only shown again, or not written down, does not.
  @Test func aTypedCodeCountsWhereItWasJudged() async throws {
    try await Bench { $0.holdOff = .seconds(100) }.run { bench in
      guard case .decided = await bench.perform(.present(Self.north, Bench.code)) else {
        return expect(false, "it is not decided")
      }
      for _ in 0..<2 * StationLimits.presentsPerMinute {
        await expectEqual(bench.perform(.present(Self.north, Bench.code)).refusal, .busy)
      }
      bench.journal.setFault(JournalFault(.disk, "the disk is full."))
      for number in 0..<StationLimits.presentsPerMinute {
        await expectEqual(bench.perform(.present(Self.north, Code("unwritten-\(number)"))).refusal, .notWritten)
      }
      bench.journal.setFault(nil)
      for number in 1..<StationLimits.presentsPerMinute {
        guard case .decided = await bench.perform(.present(Self.north, Code("guess-\(number)"))) else {
          return expect(false, "\(number) is not decided")
        }
      }
      await expectEqual(bench.perform(.present(Self.north, Code("one-too-many"))).refusal, .tooMany)
    }
  }

  @Test func signalsAreTriedInMaintenanceAlone() async throws {
    try await Bench().run { bench in
      await expectEqual(bench.perform(.signalTest(Self.north, .admit)).refusal, .notInMaintenance)
      _ = await bench.perform(.maintenance(Self.north, isOn: true))
      for signal in [Signal.admit, .refuse(.unpaid), .provisional] {
        await expectEqual(bench.perform(.signalTest(Self.north, signal)).name, "done")
        expectEqual(bench.signals.played.last, signal)
      }
      // Lamps and sound alone.
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func theOutboxIsHeldByOrder() async throws {
    try await Bench().run { bench in
      await expectEqual(bench.perform(.outboxHold(isOn: true)).name, "done")
      // The next process has to know.
      expectEqual(bench.journaled.last?.subject, "on")
      expect(bench.journal.awaited.count == 1, "it is told when the disk has it")
      await expectEqual(bench.perform(.outboxRetry).name, "done")
      expectEqual(bench.outbox.looks, 1)
      let fault = JournalFault(.disk, "the disk gives errors.")
      bench.outbox.fail(fault)
      await expectEqual(
        bench.perform(.outboxRetry), .refused(.notWritten, "the disk gives errors. Nothing was changed."))
      await expectEqual(bench.perform(.journalAccept).refusal, .nothingThere)
      bench.outbox.doubt()
      await expectEqual(bench.perform(.journalAccept), .done("The journal is relied on."))
      await expectEqual(bench.perform(.journalAccept).refusal, .nothingThere)
      bench.outbox.doubt(isNoted: false)
      let once = await bench.perform(.journalAccept)
      expect(once.words?.contains("until the service ends") == true, "\(once)")
      await expectEqual(bench.perform(.arming(minutes: 10)).refusal, .nothingThere)
      await expectEqual(bench.perform(.listRefresh(nil)).refusal, .nothingThere)
    }
  }

  @Test func aConflictIsAcknowledgedOnceAndForGood() async throws {
    try await Bench().run { bench in
      let (owed, told) = Self.conflict()
      bench.hub.emit(.conflict(OutboxConflict(owed: owed, told: told)))
      expectEqual(bench.hub.view.openConflicts.newest.map(\.id), [owed.attempt])
      await expectEqual(bench.perform(.acknowledge(AttemptID())).refusal, .nothingThere)
      await expectEqual(bench.perform(.acknowledge(owed.attempt)).name, "done")
      await expectEqual(bench.perform(.acknowledge(owed.attempt)).refusal, .nothingThere)
      expectEqual(bench.hub.view.openConflicts.count, 0)
      // What was counted stays counted.
      expectEqual(bench.hub.view.counters.conflicts, 1)
      expectEqual(bench.journaled.first { $0.outcome == "done" }?.subject, owed.attempt.description)
      expectEqual(bench.journal.awaited.count, 3, "each is told when the disk has it")
    }
  }

  /// Conflicts of earlier processes are open until somebody has acknowledged them.
  @Test func conflictsOutliveTheProcess() async throws {
    try await Bench().run { bench in
      let (seen, unseen) = (Self.conflict(), Self.conflict())
      bench.journal.enqueue(
        JournalBatch(facts: [.owed(seen.owed), .owed(unseen.owed), .told(seen.told), .told(unseen.told)]))
      let hub = EventHub()
      let next = OrderKeeper(
        journal: bench.journal, events: hub, loop: bench.gate.loop, time: bench.time, clock: { Self.epoch })
      await next.recall()
      expectEqual(hub.view.openConflicts.count, 2)
      expectEqual(hub.view.counters.conflicts, 0)
      await expectEqual(bench.perform(.acknowledge(seen.owed.attempt)).refusal, .nothingThere)
      bench.hub.emit(.conflict(OutboxConflict(owed: seen.owed, told: seen.told)))
      await expectEqual(bench.perform(.acknowledge(seen.owed.attempt)).name, "done")
      let later = EventHub()
      await OrderKeeper(
        journal: bench.journal, events: later, loop: bench.gate.loop, time: bench.time, clock: { Self.epoch }
      ).recall()
      expectEqual(later.view.openConflicts.newest.map(\.id), [unseen.owed.attempt])
    }
  }

  @Test func aStationWithoutAControlServiceHasNobodyToTellAStatus() async throws {
    try await Bench().run { bench in
      await expectEqual(bench.perform(.status(.lunch)).refusal, .nothingThere)
      expectEqual(bench.journaled.last?.subject, "lunch")
    }
  }

  private static let epoch = JournalTime(
    wall: WallTime(seconds: 0), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)

  private static func conflict() -> (owed: OwedAdmission, told: ToldAdmission) {
    let scan = Scan(
      id: ScanID(), gate: Bench.north, reader: ReaderID("left"), code: Bench.code,
      readAt: MonotonicTime(nanoseconds: 0))
    let owed = OwedAdmission(
      attempt: AttemptID(), scan: scan, system: TicketSystemID("venue"), server: "test", ticket: TicketKey([1]),
      decider: .policy, mayBeTold: false, at: Self.epoch, boot: BootID("boot 1"))
    return (owed, ToldAdmission(attempt: owed.attempt, ending: .contradicted, reason: .refunded, at: Self.epoch))
  }

  /// Ten a minute are written down, and all are counted; nothing that they say makes the journal grow.
  @Test func whoMayNotOrderIsWrittenDownWithoutEnd() async throws {
    try await Bench().run { bench in
      let giver = OrderGiver(user: 1_001, process: 8, program: "test")
      let station = OneGate(gate: bench.gate, ledger: bench.ledger, isExit: false, memory: bench.memory)
      let events = bench.hub.subscribe()
      let last = bench.order(.maintenance(Self.north, isOn: true))
      await Task(executorPreference: bench.gate.loop.tasks) { [orders = bench.orders] in
        for order in [last] + (0..<100).map({ bench.order(.openOnce(GateID("made-up-\($0)"))) }) {
          guard let outcome = orders.counted(order, by: giver, "You may not.") else { continue }
          await orders.writeDown(order, by: giver, outcome, on: station)
        }
      }.value
      expectEqual(bench.journaled.count, RefusalQuota.most)
      expect(bench.journaled.allSatisfy { $0.reason == "notAllowed" && $0.user == 1_001 })
      expectEqual(bench.journaled.map(\.gate), [Self.north] + Array(repeating: nil, count: 9))
      expectEqual(bench.hub.view.counters.orders.map(\.count), [1, 100])
      for await event in events {
        guard case .order(let told) = event else { continue }
        expect(told.gate == Self.north && told.outcome.refusal == .notAllowed, "\(told)")
        break
      }
      expectEqual(bench.signals.pulses, 0)
      // The number is not taken: who may, may.
      await expectEqual(bench.perform(last).name, "done")
    }
  }

  /// What is counted is what the journal has.
  @Test(arguments: 0..<10) func countersEqualTheJournal(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try await Bench().run { bench in
      let codes = (0..<6).map { Code("ticket-number-\($0)") }
      for (number, code) in codes.enumerated() where Bool.random(using: &random) {
        bench.system.script(code, .answer(bench.redeemed("\(number)")))
      }
      for _ in 0..<40 { _ = await bench.scan(codes.randomElement(using: &random) ?? codes[0]) }
      var written: [String: UInt64] = [:]
      for case .scan(let scan) in bench.journal.facts {
        written["\(scan.verdict.name) \(scan.verdict.reason ?? "") \(scan.decider)", default: 0] += 1
      }
      var counted: [String: UInt64] = [:]
      for scans in bench.hub.view.counters.scans {
        counted["\(scans.verdict) \(scans.reason ?? "") \(scans.decider)"] = scans.count
      }
      expectEqual(counted, written, "seed \(seed)")
      expectEqual(bench.hub.view.counters.decisions.first?.times.count, 40, "seed \(seed)")
      expectEqual(
        bench.hub.view.condition(of: Self.north).passed, UInt64(bench.signals.pulses), "seed \(seed)")
    }
  }
}
