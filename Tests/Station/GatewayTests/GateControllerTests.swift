import Admission
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// A gate with a scripted ticket system; everything else is real.
private struct Bench {
  let time = SystemTime()
  let hub = EventHub()
  let system: FakeTicketSystem
  let ledger: LedgerKeeper
  let journal: MemoryJournal
  let signals: RecordingSignals
  let gate: GateController
  let events: EventReader

  /// A gate of its own, or another one beside `neighbour` with the same ticket system and ledger.
  init(
    beside neighbour: Bench? = nil, name: String = "north", system: FakeTicketSystem? = nil,
    _ adjust: (inout GateSettings) -> Void = { _ in }
  ) throws {
    self.system = neighbour?.system ?? system ?? FakeTicketSystem(time: time)
    journal = neighbour?.journal ?? MemoryJournal()
    ledger =
      try neighbour?.ledger ?? LedgerKeeper(server: "fake", dependencies: .inMemory(journal), time: time, events: hub)
    signals = RecordingSignals(time: time)
    var settings = GateSettings(gate: GateID(name), deadline: .seconds(20))
    adjust(&settings)
    events = EventReader(hub.subscribe())
    gate = GateController(
      settings: settings, system: self.system, ledger: ledger, signals: signals, events: hub, time: time)
  }

  func present(_ code: String, at readAt: MonotonicTime? = nil) {
    gate.deliver(
      RawRead(reader: ReaderID("left"), bytes: [UInt8](code.utf8), readAt: readAt ?? time.now()))
  }

  /// Runs the gate around a test.
  func run(_ body: (Bench) async throws -> Void) async throws {
    let running = Task { await gate.run() }
    try await body(self)
    system.release()
    gate.finish()
    await running.value
  }
}

/// Reads a hub's events one by one.
private actor EventReader {
  private let stream: AsyncStream<GatewayEvent>
  init(_ stream: AsyncStream<GatewayEvent>) { self.stream = stream }

  func next(where matches: @Sendable (GatewayEvent) -> Bool) async -> GatewayEvent? {
    for await event in stream where matches(event) { return event }
    return nil
  }

  func nextScan() async -> DecidedScan? {
    let event = await next { if case .scan = $0 { true } else { false } }
    if case .scan(let decided)? = event { return decided }
    return nil
  }
}

/// A record that is fresh by the server's clock for some seconds to come.
private func redeemed(_ entry: String, quantity: Int = 1, time: SystemTime = SystemTime()) -> TicketAnswer {
  .redeemed(
    Redemption(
      entryID: entry, scannedAt: WallTime(seconds: time.wall().seconds + 2), quantity: quantity,
      details: TicketDetails(holder: "Ada", event: "Opening", tickets: [])))
}

private let good = Code("good-ticket-1")

/// Waits until the gate has played so many signals that `matches` says so.
private func played(_ signals: RecordingSignals, _ matches: ([Signal]) -> Bool) async throws {
  for await found in signals.changes where matches(found) { return }
}

extension GatewayEvent {
  fileprivate func isGate(_ state: GateState) -> Bool {
    if case .gate(_, state, _) = self { true } else { false }
  }
}

extension GatewayEvent {
  fileprivate var isGateFault: Bool {
    if case .gate(_, .fault, _) = self { return true }
    return false
  }
}

/// One gate and its neighbours, from the raw read to the relay.
@Suite(.timeLimit(.minutes(1))) struct GateControllerTests {
  @Test func aGoodCodeOpensOnceAndTheSecondTimeIsAlreadyUsed() async throws {
    try await Bench { $0.holdOff = .zero }.run { bench in
      bench.system.script(good, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      let first = await bench.events.nextScan()
      expectEqual(first?.verdict, .admit)
      expectEqual(first?.details.holder, "Ada")
      bench.present(" good-ticket-1\r")
      await expectEqual(bench.events.nextScan()?.verdict, .refuse(.alreadyUsed))
      expectEqual(bench.signals.pulses, 1)
      // A code for one person that was admitted is known to be used up: no second request.
      expectEqual(bench.system.asked, [good])
    }
  }

  @Test func whoStandsThereAfterAHaltIsNotLetInForSomebodyElse() async throws {
    let time = ShiftedTime()
    let system = FakeTicketSystem(time: time)
    let signals = RecordingSignals(time: SystemTime())
    let hub = EventHub()
    let events = EventReader(hub.subscribe())
    let ledger = try LedgerKeeper(server: "fake", dependencies: .inMemory(time: time), time: time, events: hub)
    let gate = GateController(
      settings: GateSettings(gate: GateID("north"), deadline: .seconds(20), holdOff: .zero), system: system,
      ledger: ledger,
      signals: signals, events: hub, time: time)
    let running = Task { await gate.run() }
    func present() { gate.deliver(RawRead(reader: ReaderID("left"), bytes: good.bytes, readAt: time.now())) }
    system.script(good, .hold(redeemed("1")))
    var requests = system.requests.makeAsyncIterator()
    present()
    _ = await requests.next()
    time.halt(.seconds(60))
    system.release()
    await expectEqual(events.nextScan()?.verdict, .undecided(.stale))
    expectEqual(signals.pulses, 0)
    // The ticket is theirs still, and no second request is needed.
    present()
    await expectEqual(events.nextScan()?.verdict, .admit)
    expect(signals.pulses == 1 && system.asked.count == 1)
    gate.finish()
    await running.value
  }

  @Test func whoLeavesIsAskedNothingAndComesInAgain() async throws {
    try await Bench { $0.holdOff = .zero }.run { entrance in
      try await Bench(beside: entrance, name: "exit") {
        $0.holdOff = .zero
        $0.isExit = true
      }.run { exit in
        entrance.system.script(good, .answer(redeemed("1")))
        entrance.present("good-ticket-1")
        await expectEqual(entrance.events.nextScan()?.verdict, .admit)
        exit.present("good-ticket-1")
        let leaving = await exit.events.nextScan()
        expect(leaving?.verdict == .admit && leaving?.note == .left && leaving?.decider == .ledger)
        exit.present("never-seen-here")
        let stranger = await exit.events.nextScan()
        // Nobody is kept in.
        expect(stranger?.verdict == .admit && stranger?.note == .notInside)
        expect(exit.signals.pulses == 2 && exit.system.asked == [good])
        entrance.present("good-ticket-1")
        await expectEqual(entrance.events.nextScan()?.note, .reentry)
      }
    }
  }

  /// Without what it is to be judged by, no request and no policy opens for a code.
  @Test func whatCannotBeExaminedIsUndecidedOnlineAndOffline() async throws {
    try await Bench {
      $0.holdOff = .zero
      $0.offline.rule = .admitAndQueue
    }.run { bench in
      bench.system.examine(good, as: .undecided(.unreachable, detail: "No key."))
      bench.system.setReach(.noConnection)
      for _ in 0..<3 {
        bench.present("good-ticket-1")
        let decided = await bench.events.nextScan()
        expect(
          decided?.verdict == .undecided(.unreachable) && decided?.detail == "No key.", "\(String(describing: decided))"
        )
        expectEqual(decided?.decider, .station)
      }
      expectEqual(bench.system.asked, [])
      expectEqual(bench.signals.pulses, 0)
      bench.system.examine(good, as: .proceed(TicketKey(good.bytes)))
      bench.system.script(good, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
    }
  }

  /// A ticket whose hour is over, or that cannot be judged, keeps nobody in, and nobody comes in again on it.
  @Test(arguments: [Examination.refuse(.expired), .undecided(.clockWrong, detail: "No clock.")])
  func whoLeavesIsNotKeptInByTheHour(examination: Examination) async throws {
    try await Bench { $0.holdOff = .zero }.run { entrance in
      try await Bench(beside: entrance, name: "exit") {
        $0.holdOff = .zero
        $0.isExit = true
      }.run { exit in
        entrance.system.script(good, .answer(redeemed("1")))
        entrance.present("good-ticket-1")
        await expectEqual(entrance.events.nextScan()?.verdict, .admit)
        entrance.system.examine(good, as: examination)
        exit.present("good-ticket-1")
        let leaving = await exit.events.nextScan()
        expect(leaving?.verdict == .admit && leaving?.note == .notInside && leaving?.decider == .station)
        entrance.system.examine(good, as: .proceed(TicketKey(good.bytes)))
        entrance.present("good-ticket-1")
        await expectEqual(entrance.events.nextScan()?.verdict, .refuse(.alreadyUsed))
        entrance.system.examine(good, as: .refuse(.notGenuine))
        exit.present("good-ticket-1")
        await expectEqual(exit.events.nextScan()?.verdict, .refuse(.notGenuine))
      }
    }
  }

  @Test func everyScanIsWrittenDownWithWhoDecided() async throws {
    let bench = try Bench { $0.holdOff = .zero }
    try await bench.run { bench in
      bench.system.script(good, .answer(redeemed("17")))
      for code in ["good-ticket-1", "good-ticket-1", "unknown-ticket", "x"] {
        bench.present(code)
        _ = await bench.events.nextScan()
      }
    }
    let scans = bench.journal.facts.compactMap { fact -> JournaledScan? in
      if case .scan(let scan) = fact { scan } else { nil }
    }
    expectEqual(scans.map(\.decider), [.server, .ledger, .server, .station])
    expectEqual(scans.map(\.verdict), [.admit, .refuse(.alreadyUsed), .refuse(.notFound), .refuse(.unreadable)])
    expect(scans.first?.entryID == "17" && scans.first?.holder == "Ada")
    expect(scans[1].ticket == scans[0].ticket && scans[0].ticket?.bytes.count == 16 && scans[3].ticket == nil)
    // The attempt was asked and concluded before its scan was over.
    guard case .asked(let asked) = bench.journal.facts.first else {
      Issue.record("nothing was asked")
      return
    }
    expectEqual(asked.scan.id, scans.first?.scan.id)
  }

  /// Whoever believes what events say finds it in the journal, whenever the process ends.
  @Test func anEventSaysStoredOnceTheJournalHasWrittenIt() async throws {
    try await Bench { $0.holdOff = .zero }.run { bench in
      bench.present("x")
      await expectEqual(bench.events.nextScan()?.isStored, true)
      // It comes round too late, and an event does not wait for ever; the order stays.
      bench.journal.setWriting(false)
      bench.present("y")
      bench.present("z")
      for code in ["y", "z"] {
        let told = await bench.events.nextScan()
        expect(told?.isStored == false && told?.scan.code.text == code)
      }
      bench.journal.setWriting(true)
      bench.journal.setFault(JournalFault(.full, "No space is left."))
      bench.present("u")
      await expectEqual(bench.events.nextScan()?.isStored, false)
      bench.journal.setFault(nil)
      bench.system.script(good, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.isStored, true)
    }
  }

  /// Nothing is told before the journal has it.
  @Test func anEventWaitsForTheJournalsWriter() async throws {
    try await Bench { $0.holdOff = .zero }.run { bench in
      for round in 0..<20 {
        bench.present("x")
        let told = await bench.events.nextScan()
        let written = bench.journal.facts.contains {
          if case .scan(let scan) = $0 { scan.scan.id == told?.scan.id } else { false }
        }
        expect(told?.isStored == true && written, "round \(round)")
      }
    }
  }

  /// What the code names reaches the ticket system and the journal; the answer's word is the better one.
  @Test func theEventTravelsWithTheScan() async throws {
    let system = FakeTicketSystem(time: SystemTime()) { _ in
      nil
    } recognising: { code in
      let parts = code.text.split(separator: "/")
      return parts.count == 2 ? RecognisedCode(Code(String(parts[1])), event: String(parts[0])) : RecognisedCode(code)
    }
    let answer = redeemed("1")
    guard case .redeemed(var named) = answer else { return expect(false, "it is no redemption") }
    (named.entryID, named.details.eventID) = ("2", "456")
    system.script(good, .answer(answer))
    system.script(Code("good-ticket-2"), .answer(.redeemed(named)))
    let bench = try Bench(system: system)
    try await bench.run { bench in
      for code in ["url/good-ticket-1", "url/good-ticket-2", "good-ticket-3"] {
        bench.present(code)
        let scan = await bench.events.nextScan()
        expectEqual(scan?.details.eventID, ["url/good-ticket-1": "url", "url/good-ticket-2": "456"][code])
      }
    }
    expectEqual(system.events, ["url", "url", nil])
    let scans = bench.journal.facts.compactMap { if case .scan(let scan) = $0 { scan } else { nil } }
    expectEqual(scans.map(\.eventID), ["url", "456", nil])
    expectEqual(scans.map(\.event), ["Opening", "Opening", nil])
  }

  /// A scanner that shouts: a thousand at once are written down one by one, and none of the others is forgotten.
  @Test func aFloodIsCounted() async throws {
    let bench = try Bench { $0.holdOff = .zero }
    var stored = 0
    try await bench.run { bench in
      for _ in 0..<1_300 {
        bench.present("x")
        if await bench.events.nextScan()?.isStored == true { stored += 1 }
      }
    }
    var (written, counted) = (0, 0)
    for fact in bench.journal.facts {
      switch fact {
      case .scan: written += 1
      case .flood(let flood):
        expect(flood.gate == GateID("north") && flood.undecided == 0 && flood.at.wall >= flood.began)
        counted += flood.refused
      default: break
      }
    }
    expect(written >= 1_000 && written == stored && counted > 0, "\(written) written, \(stored) stored")
    expectEqual(written + counted, 1_300)
  }

  @Test func aRepeatWithinHoldOffIsNeitherAskedNorDrivesTheRelay() async throws {
    try await Bench().run { bench in
      bench.system.script(good, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
      bench.present("good-ticket-1")
      let event = await bench.events.next { if case .repeat = $0 { true } else { false } }
      expect(event != nil)
      expectEqual(bench.signals.pulses, 1)
      // The admission is not shown again: at a gate without a relay its lamp is the permission.
      expectEqual(bench.signals.played.filter { $0 == .admit }.count, 1)
      expectEqual(bench.system.asked.count, 1)
    }
  }

  @Test func aRepeatJoinsTheScanInFlightAndADifferentCodeIsNotDelayedByIt() async throws {
    try await Bench { $0.holdOff = .zero }.run { bench in
      var requests = bench.system.requests.makeAsyncIterator()
      bench.system.script(good, .hold(redeemed("1")))
      bench.present("good-ticket-1")
      _ = await requests.next()
      bench.present("good-ticket-1")
      let event = await bench.events.next { if case .repeat = $0 { true } else { false } }
      expect(event != nil)
      expectEqual(bench.system.asked, [good])
    }
  }

  @Test func aLostAnswerIsUndecidedAndThePersonIsAdmittedWhenPresentingAgain() async throws {
    try await Bench().run { bench in
      bench.system.script(good, .lose, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.unreachable))
      // Hold-off is lifted at once after undecided.
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func aLateAnswerIsRecordedAndClaimedWithoutAnotherRequest() async throws {
    try await Bench { $0.deadline = .seconds(1) }.run { bench in
      bench.system.script(good, .hold(redeemed("1")), .answer(redeemed("2")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.unreachable))
      bench.system.release()
      let late = await bench.events.next {
        if case .attempt(let attempt) = $0 { attempt.state == .redeemedLate } else { false }
      }
      expect(late != nil)
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
      expectEqual(bench.system.asked.count, 1)
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func theSameCodeAtTwoGatesAtOnceAdmitsOne() async throws {
    try await Bench().run { north in
      try await Bench(beside: north, name: "south").run { south in
        var requests = north.system.requests.makeAsyncIterator()
        north.system.script(good, .hold(redeemed("1")))
        north.present("good-ticket-1")
        _ = await requests.next()
        south.present("good-ticket-1")
        // South is deciding: a repeat joins it.
        south.present("good-ticket-1")
        let joined = await south.events.next { if case .repeat = $0 { true } else { false } }
        expect(joined != nil)
        north.system.release()
        await expectEqual(north.events.nextScan()?.verdict, .admit)
        let second = await south.events.nextScan()
        expectEqual(second?.verdict, .refuse(.alreadyUsed))
        expectEqual(second?.firstUse?.gate, GateID("north"))
        expectEqual(north.signals.pulses + south.signals.pulses, 1)
        expectEqual(north.system.asked.count, 1)
      }
    }
  }

  @Test func aSaleOfTwoAdmitsTwoOverAllGates() async throws {
    try await Bench { $0.holdOff = .zero }.run { north in
      try await Bench(beside: north, name: "south") { $0.holdOff = .zero }.run { south in
        north.system.script(
          good, .answer(redeemed("1", quantity: 2)), .answer(redeemed("2", quantity: 2)),
          .answer(redeemed("3", quantity: 2)))
        north.present("good-ticket-1")
        await expectEqual(north.events.nextScan()?.verdict, .admit)
        south.present("good-ticket-1")
        let second = await south.events.nextScan()
        expectEqual(second?.verdict, .admit)
        expectEqual(second?.admitted, 2)
        north.present("good-ticket-1")
        await expectEqual(north.events.nextScan()?.verdict, .refuse(.alreadyUsed))
        expectEqual(north.signals.pulses + south.signals.pulses, 2)
      }
    }
  }

  @Test(arguments: ["", "short", "tab\tinside-the-code", "escape-\u{1B}[2J-code", String(repeating: "x", count: 129)])
  func whatCannotBeACodeIsUnreadableAndCostsNoRequest(_ text: String) async throws {
    try await Bench().run { bench in
      bench.present(text)
      await expectEqual(bench.events.nextScan()?.verdict, .refuse(.unreadable))
      expect(bench.system.asked.isEmpty)
      expect(bench.signals.played.contains(.refuse(.unreadable)))
    }
  }

  @Test func bytesThatAreNoTextAreUnreadable() async throws {
    try await Bench().run { bench in
      bench.gate.deliver(
        RawRead(
          reader: ReaderID("left"), bytes: [0xFF, 0xFE, 0x80] + [UInt8](repeating: 0x41, count: 20),
          readAt: bench.time.now()))
      await expectEqual(bench.events.nextScan()?.verdict, .refuse(.unreadable))
    }
  }

  @Test func aScanThatWaitedTooLongIsDroppedUnasked() async throws {
    try await Bench().run { bench in
      bench.present("good-ticket-1", at: bench.time.now() - .seconds(4))
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.stale))
      expect(bench.system.asked.isEmpty)
    }
  }

  @Test func aFullQueueDropsAndSaysSo() async throws {
    try await Bench { $0.queue = 1 }.run { bench in
      var requests = bench.system.requests.makeAsyncIterator()
      bench.system.script(good, .hold(redeemed("1")))
      bench.present("good-ticket-1")
      _ = await requests.next()
      bench.present("waiting-ticket")
      bench.present("dropped-ticket")
      let dropped = await bench.events.nextScan()
      expectEqual(dropped?.verdict, .undecided(.busy))
      expectEqual(dropped?.scan.code, Code("dropped-ticket"))
    }
  }

  @Test func aBrokenRelayKeepsTheGateFromRedeeming() async throws {
    try await Bench().run { bench in
      bench.signals.breakDown("relay: line RELAY0 of chip gate is gone. Check the wiring.")
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.outOfService))
      expect(bench.system.asked.isEmpty)
    }
  }

  @Test func aRelayThatFailsAfterTheAdmissionIsTold() async throws {
    try await Bench().run { bench in
      bench.system.script(good, .answer(redeemed("1")))
      bench.signals.failNextPulse("relay: it could not be driven.")
      bench.present("good-ticket-1")
      let decided = await bench.events.nextScan()
      expectEqual(decided?.verdict, .admit)
      expectEqual(decided?.outputFault, "relay: it could not be driven.")
      // Once it works again, the person is let in on the same admission.
      bench.signals.repair()
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
      expectEqual(bench.signals.pulses, 1)
      expectEqual(bench.system.asked.count, 1)
    }
  }

  @Test func nothingIsRedeemedForAPersonForWhomTheRelayWouldOpenTooLate() async throws {
    try await Bench {
      $0.stale = .seconds(10)
      $0.gap = .seconds(60)
    }.run { bench in
      bench.system.script(good, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
      bench.present("another-ticket")
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.stale))
      expectEqual(bench.system.asked, [good])
    }
  }

  @Test func aRelayThatWorksAgainMakesTheGateReadyWithoutAScan() async throws {
    try await Bench().run { bench in
      bench.signals.breakDown("relay: line RELAY0 of chip gate is gone.")
      bench.gate.outputsChanged()
      let fault = await bench.events.next { $0.isGateFault }
      expect(fault != nil)
      bench.signals.repair()
      bench.gate.outputsChanged()
      let ready = await bench.events.next { !$0.isGateFault }
      expectEqual(ready?.jsonLine.contains(#""state":"ready""#), true)
    }
  }

  @Test func aKnownBadCodeCostsOneRequest() async throws {
    try await Bench { $0.holdOff = .zero }.run { bench in
      for _ in 0..<3 {
        bench.present("unknown-ticket")
        await expectEqual(bench.events.nextScan()?.verdict, .refuse(.notFound))
      }
      expectEqual(bench.system.asked.count, 1)
    }
  }

  @Test func aReaderThatFloodsTheGateWithUnknownCodesIsNoLongerAskedFor() async throws {
    try await Bench { $0.floodLimit = 3 }.run { bench in
      for index in 0..<3 {
        bench.present("unknown-ticket-\(index)")
        await expectEqual(bench.events.nextScan()?.verdict, .refuse(.notFound))
      }
      bench.present("unknown-ticket-3")
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.rateLimited))
      expectEqual(bench.system.asked.count, 3)
    }
  }

  @Test func whatIsRefusedUnaskedIsToldWithItsWords() async throws {
    try await Bench().run { bench in
      let details = TicketDetails(eventID: "matinee", seats: ["A-1"])
      bench.system.examine(good, as: .refuse(.wrongEvent))
      bench.system.tell(of: good, details, "It is for the matinee.")
      bench.present("good-ticket-1")
      let told = await bench.events.nextScan()
      expect(
        told?.verdict == .refuse(.wrongEvent) && told?.details == details && told?.detail == "It is for the matinee.",
        "\(String(describing: told))")
      expectEqual(bench.system.asked.count, 0)
    }
  }

  /// Nobody at the gate is to blame for a server that is out of order, or says nothing: whoever comes next is asked about.
  @Test(arguments: [FakeTicketSystem.Behaviour.answer(.undecided(.unreachable, detail: "Out of order (500).")), .lose])
  func whatTheServerDoesIsNoFlood(_ fault: FakeTicketSystem.Behaviour) async throws {
    try await Bench { $0.floodLimit = 3 }.run { bench in
      for index in 0..<4 {
        bench.system.script(Code("ticket-in-vain-\(index)"), fault)
        bench.present("ticket-in-vain-\(index)")
        await expectEqual(bench.events.nextScan()?.verdict, .undecided(.unreachable))
      }
      bench.system.script(good, .answer(redeemed("1")))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
    }
  }

  @Test func aFaultOfTheKeyIsAnAlarmAndEndsWithTheNextAnswer() async throws {
    try await Bench().run { bench in
      bench.system.script(good, .answer(.undecided(.keyRefused, detail: "Check the key file.")), .answer(redeemed("1")))
      bench.present("good-ticket-1")
      let fault = await bench.events.next { $0.isGateFault }
      expect(fault != nil)
      await expectEqual(bench.events.nextScan()?.verdict, .undecided(.keyRefused))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.verdict, .admit)
      expectEqual(bench.signals.played.last { $0 == .idle || $0 == .outOfService }, .idle)
    }
  }

  @Test func theFakeConformsAsTheRealOnesDo() async {
    let time = SystemTime()
    let fake = FakeTicketSystem(time: time)
    fake.script(good, .answer(redeemed("1")))
    fake.script(Code("slow-ticket"), .hold(redeemed("2")))
    let suite = TicketSystemConformance(
      system: fake, goodCode: good, unknownCode: Code("unknown-ticket"), slowCode: Code("slow-ticket"),
      release: { fake.release() }, time: time)
    await expectEqual(suite.failures(), [])
  }

  @Test func anAdmissionThatMayHaveOpenedIsNotGivenBack() async throws {
    try await Bench { $0.holdOff = .zero }.run { bench in
      bench.system.script(good, .answer(redeemed("1")))
      bench.signals.loseNextAnswer("it may have opened")
      bench.present("good-ticket-1")
      let first = await bench.events.nextScan()
      expectEqual(first?.verdict, .admit)
      expectEqual(first?.outputFault, "it may have opened")
      bench.present("good-ticket-1")
      let second = await bench.events.nextScan()
      expectEqual(second?.verdict, .refuse(.alreadyUsed))
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func aGateInMaintenanceAsksNobodyAndComesBack() async throws {
    try await Bench().run { bench in
      bench.system.script(good, .answer(redeemed("1")))
      bench.gate.setMaintenance(true)
      let taken = await bench.events.next { $0.isGate(.maintenance) }
      expect(taken != nil)
      bench.present("good-ticket-1")
      let refused = await bench.events.nextScan()
      expectEqual(refused?.verdict, .undecided(.outOfService))
      expect(bench.signals.played.contains(.outOfService))
      expectEqual(bench.signals.pulses, 0)
      expect(bench.system.asked.isEmpty)

      bench.gate.setMaintenance(false)
      let back = await bench.events.next { $0.isGate(.ready) }
      expect(back != nil)
      bench.present("good-ticket-1")
      let admitted = await bench.events.nextScan()
      expectEqual(admitted?.verdict, .admit)
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func aProvisionalAdmissionLooksOtherAndSoDoesTheGateUntilTheTicketSystemAnswers()
    async throws
  {
    try await Bench {
      $0.holdOff = .zero
      $0.offline = OfflinePolicy(.admitAndQueue(most: 2))
    }.run { bench in
      bench.system.setReach(.noConnection)
      _ = await bench.ledger.takeUp([], asker: bench.system)
      bench.system.script(good, .fail(.noConnection), .redeem("1"))
      bench.present("good-ticket-1")
      let decided = await bench.events.nextScan()
      expectEqual(decided?.verdict, .admit)
      expectEqual(decided?.isProvisional, true)
      expectEqual(decided?.decider, .policy)
      try await played(bench.signals) { $0.last == .offline }
      // On a busy machine a decision may take long enough to be shown.
      expectEqual(bench.signals.played.filter { $0 != .busy }, [.idle, .provisional, .offline])
      bench.system.setReach(nil)
      try await played(bench.signals) { $0.last == .idle }
      await bench.ledger.allTold()
      expectEqual(bench.system.owed, [good])
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func aProvisionalAdmissionWhoseRelayFailsOwesNothing() async throws {
    try await Bench {
      $0.holdOff = .zero
      $0.offline = OfflinePolicy(.admitAndQueue(most: 2))
    }.run { bench in
      bench.system.script(good, .fail(.noConnection))
      bench.signals.failNextPulse("stuck")
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.outputFault, "stuck")
      await expectEqual(bench.ledger.outbox.count, 0)
      bench.signals.repair()
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.isProvisional, true)
      await expectEqual(bench.ledger.outbox.count, 1)
    }
  }

  @Test func aKeyThatIsRefusedToAProbeIsTheGatesFaultBeforeAnybodyScans() async throws {
    try await Bench { $0.offline = OfflinePolicy(.admitAndQueue(most: 2)) }.run { bench in
      bench.system.setReach(.noConnection)
      _ = await bench.ledger.takeUp([], asker: bench.system)
      bench.system.script(good, .fail(.noConnection), .redeem("1"))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.nextScan()?.isProvisional, true)
      bench.system.setFault(.keyRefused)
      let event = await bench.events.next { if case .gate(_, .fault(.keyRefused, _), _) = $0 { true } else { false } }
      expect(event != nil)
      // The key was put right: the next telling shows it.
      bench.system.setReach(nil)
      bench.system.setFault(nil)
      await bench.ledger.allTold()
      expect(await bench.events.next { if case .gate(_, .ready, _) = $0 { true } else { false } } != nil)
    }
  }
}
