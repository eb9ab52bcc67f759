import Admission
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

/// A ticket system whose requests only read: what becomes of one leaves nothing to find out.
@Suite(.timeLimit(.minutes(1))) struct CheckTests {
  private static let code = LedgerProcess.code
  private static let valid = TicketAnswer.valid(Entitlement(quantity: 1, details: TicketDetails()))

  private func process(policy: OfflinePolicy = OfflinePolicy()) async throws -> LedgerProcess {
    let process = try LedgerProcess(
      MemoryJournal(), FakeTicketSystem(mayRedeem: false, time: SystemTime()), policy: policy)
    // As if it knew: nobody must ask it.
    process.system.find(Self.code, .unused)
    _ = await process.keeper.takeUp([], asker: process.system)
    return process
  }

  /// What was told of attempts until now.
  private func attempts(_ events: AsyncStream<GatewayEvent>, of hub: EventHub) async -> [UnansweredAttempt.State] {
    hub.emit(.gate(GateID("end"), .ready, at: WallTime(seconds: 0)))
    var states: [UnansweredAttempt.State] = []
    for await event in events {
      if case .attempt(let attempt) = event { states.append(attempt.state) }
      if case .gate(GateID("end"), _, _) = event { break }
    }
    return states
  }

  private func mayHaveRedeemed(_ journal: MemoryJournal) -> [Bool] {
    journal.facts.compactMap { fact in
      switch fact {
      case .concluded(let concluded), .late(let concluded): concluded.mayHaveRedeemed
      case .asked, .scan, .flood, .owed, .told, .annulled, .order: nil
      }
    }
  }

  @Test func oneWithoutAnAnswerIsNoOpenCase() async throws {
    let process = try await process()
    let events = process.hub.subscribe()
    process.system.script(Self.code, .lose, .replace, .hold(Self.valid), .answer(Self.valid))
    await expectEqual(process.present().verdict, .undecided(.unreachable))
    await expectEqual(process.present().verdict, .undecided(.badAnswer))
    await expectEqual(process.present(deadline: .milliseconds(500)).verdict, .undecided(.unreachable))
    expect(await process.keeper.unsettled.isEmpty)
    expect(await process.keeper.openCases.due == nil)
    let admitted = await process.present()
    expect(admitted.verdict == .admit && admitted.note == nil)
    // The late answer comes by its own way, and admits nobody.
    process.system.release()
    await until { names(process.journal.facts).last == "late" }
    await expectEqual(process.present().verdict, .refuse(.alreadyUsed))
    await expectEqual(attempts(events, of: process.hub), [])
    expectEqual(process.system.lookedUp, 0)
    expectEqual(mayHaveRedeemed(process.journal), [false, false, false, false, false])
    expect(try await process.journal.unconcluded().isEmpty)
  }

  /// Nobody else has it written down: it is durable before the gate opens. What the ticket system has recorded need not be.
  @Test(arguments: [true, false]) func anAdmissionThatOnlyOurLedgerKnowsIsDurable(isOursAlone: Bool) async throws {
    let process = try await isOursAlone ? process() : LedgerProcess()
    process.system.script(Self.code, .answer(isOursAlone ? Self.valid : process.redeemed("1")))
    await expectEqual(process.present().verdict, .admit)
    let concluded = process.journal.batches.firstIndex { names($0.facts) == ["concluded admit"] }
    let mark = JournalMark(number: UInt64(try #require(concluded)) + 1)
    expectEqual(process.journal.awaited.contains(mark), isOursAlone)
  }

  /// Our own book is the only one: an admission is durable before the gate opens, or the policy for a failing journal decides.
  @Test(arguments: [JournalFailurePolicy.stop, .continue])
  func whatOnlyOurBookKnowsIsDurableFirst(policy: JournalFailurePolicy) async throws {
    let process = try LedgerProcess(
      MemoryJournal(), FakeTicketSystem(mayRedeem: false, time: SystemTime()), whenFailing: policy)
    process.system.script(Self.code, .answer(Self.valid))
    process.journal.setSyncing(false)
    await expectEqual(process.present().verdict, policy == .stop ? .undecided(.outOfService) : .admit)
    process.journal.setSyncing(true)
    // Who was not let in is admitted without another request.
    await expectEqual(process.present().verdict, policy == .stop ? .admit : .refuse(.alreadyUsed))
    expectEqual(process.system.asked.count, 1)
  }

  /// By the scope `every`, over a restart and a start of the machine.
  @Test func oneThatWasAdmittedIsTooSoonWithoutARequest() async throws {
    let time = ShiftedTime()
    let journal = MemoryJournal()
    let system = FakeTicketSystem(mayRedeem: false, time: time)
    system.script(Self.code, .answer(Self.valid))
    func present(boot: String) async throws -> AttemptDecision {
      let keeper = LedgerKeeper(
        server: "fake", dependencies: try .inMemory(journal, boot: boot, time: time), scope: .every(.seconds(900)),
        time: time, events: EventHub())
      let scan = Scan(gate: GateID("north"), reader: ReaderID("left"), code: Self.code, readAt: time.now())
      return await keeper.decide(
        scan, key: TicketKey(Self.code.bytes), system: system, deadline: time.now() + .seconds(20), mayAsk: true
      ).decision
    }
    for round in 1...3 {
      let admitted = try await present(boot: "boot 1")
      expect(admitted.verdict == .admit && admitted.admitted == round)
      let again = try await present(boot: "boot 1")
      expect(again.verdict == .refuse(.tooSoon) && again.firstUse?.request == admitted.admission)
      expectEqual(again.firstUse?.gate, GateID("north"))
      expectEqual(system.asked.count, round)
      time.halt(.seconds(901))
    }
  }

  /// A conclusion is written before a gate opens: so nobody has passed on what this process finds unconcluded.
  @Test func oneThatTheEndOfTheProcessCutOffIsForgotten() async throws {
    let first = try await process()
    first.system.script(Self.code, .hold(Self.valid), .answer(Self.valid))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present() }
    _ = await requests.next()
    let next = try LedgerProcess(first.journal, first.system)
    let told = await next.keeper.takeUp(try await first.journal.unconcluded(), asker: first.system)
    expectEqual(told, [])
    expect(await next.keeper.unsettled.isEmpty)
    expect(await next.keeper.openCases.due == nil)
    expectEqual(mayHaveRedeemed(first.journal), [false])
    let admitted = await next.present()
    expect(admitted.verdict == .admit && admitted.note == nil)
    first.system.release()
    _ = await lost.value
  }

  /// Whoever went on from the same journal may have told it: again does no harm.
  @Test func whatIsOwedIsToldAgainWithoutALookUp() async throws {
    let first = try LedgerProcess(
      MemoryJournal(), FakeTicketSystem(mayRedeem: false, time: SystemTime()),
      policy: OfflinePolicy(.admitAndQueue(most: 3), after: .seconds(1)))
    first.system.setReach(.noConnection)
    first.system.script(Self.code, .fail(.noConnection), .answer(Self.valid))
    expect(await first.present().isProvisional)
    first.system.setReach(nil)
    let isAccepted = Mutex(false)
    let next = try await first.successor(isAccepted: { isAccepted.withLock { $0 } })
    isAccepted.withLock { $0 = true }
    await next.keeper.hold(false)
    await next.keeper.allTold()
    expectEqual(first.journal.endings, [.confirmed])
    expectEqual(first.system.lookedUp, 0)
  }

  /// No ticket system can tell whether somebody passed before the power went: our own book is the only one.
  @Test func oneThatTheEndOfTheMachineCutOffIsForStaff() async throws {
    let first = try await process()
    first.system.script(Self.code, .hold(Self.valid), .answer(Self.valid))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present() }
    _ = await requests.next()
    let next = try await first.successor(boot: "boot 2")
    await next.keeper.settled()
    expectEqual(first.system.lookedUp, 0, "what it says of a use is not of our gate")
    await expectEqual(next.present().verdict, .undecided(.interrupted))
    first.system.release()
    _ = await lost.value
  }
}
