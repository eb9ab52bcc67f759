import Expectations
import ScanConfiguration
import ScanModel
import Admission
import Calls
import ScanTesting
import StationProtocol
import Testing

@testable import Gateway

/// Admissions of which the ticket system is told, and it does not answer of them.
@Suite(.timeLimit(.minutes(1))) struct OutboxTests {
  private static let policy = OfflinePolicy(.admitAndQueue(most: 100), after: .seconds(1))
  private static let code = LedgerProcess.code
  private let time = ShiftedTime()

  /// A process that owes these admissions, and then the next one, which tells of them.
  private func owing(_ codes: [Code], _ system: (FakeTicketSystem) -> Void) async throws -> LedgerProcess {
    let process = try LedgerProcess(policy: Self.policy, time: time)
    // The others are not asked for, since nobody answers.
    if let first = codes.first { process.system.script(first, .fail(.noConnection)) }
    system(process.system)
    for code in codes { expect(await process.present(code).isProvisional) }
    return try await process.successor()
  }

  /// Lets time pass, which is what the outbox waits for, until something is so.
  private func pass(_ process: LedgerProcess, until condition: () async -> Bool) async {
    await until {
      guard await !condition() else { return true }
      // The civil clock stands: no day changes.
      time.halt(.seconds(61))
      time.setWall(.seconds(-61))
      await process.keeper.sendOwed()
      return false
    }
  }

  /// A page of a firewall, a redirect, a wrong address: nothing that the ticket system has said.
  @Test(arguments: [FakeTicketSystem.Behaviour.answer(.undecided(.badAnswer, detail: "405")), .replace])
  func whatSaysNothingOfTheTicketDoesNotEndIt(behaviour: FakeTicketSystem.Behaviour) async throws {
    let process = try await owing([Self.code]) { system in
      for _ in 0..<12 { system.script(Self.code, behaviour) }
      system.script(Self.code, .redeem("1"))
      // What may have redeemed is looked up before it is told again.
      system.find(Self.code, .unused)
    }
    await pass(process) { process.system.owed.count >= 12 || !process.journal.endings.isEmpty }
    expectEqual(process.journal.endings, [])
    await pass(process) { await process.keeper.outbox.count == 0 }
    expectEqual(process.journal.endings, [.confirmed])
    await expectEqual(process.present().verdict, .refuse(.alreadyUsed))
  }

  @Test func aLookUpThatNobodyAnswersDoesNotEndItEither() async throws {
    let process = try await owing([Self.code]) { system in
      system.script(Self.code, .replace, .redeem("1"))
      system.find(Self.code, .unanswered)
    }
    await pass(process) { process.system.lookedUp >= 12 || !process.journal.endings.isEmpty }
    expectEqual(process.journal.endings, [])
    process.system.find(Self.code, .unused)
    await pass(process) { await process.keeper.outbox.count == 0 }
    expectEqual(process.journal.endings, [.confirmed])
    // Never a second request before it was known that the first had done nothing.
    expectEqual(process.system.owed, [Self.code, Self.code])
  }

  @Test func oneTicketThatIsNotUnderstoodHoldsUpNoOtherAndIsOwedOn() async throws {
    let other = Code("good-ticket-2")
    let process = try await owing([Self.code, other]) { system in
      system.script(Self.code, .answer(.undecided(.badAnswer, detail: "what?")))
      system.script(other, .redeem("1"))
    }
    await pass(process) { !process.journal.endings.isEmpty && process.system.owed.count >= 12 }
    expectEqual(process.journal.endings, [.confirmed])
    // Still one of those that the gate has let in on trust.
    await expectEqual(process.keeper.outbox.count(at: GateID("north")), 1)
  }

  /// A search that takes long, a firewall that lets scans through alone: what a probe is told need not be true of scans.
  /// A conflict that staff have sent once more, and the ticket system then confirms, is open no longer.
  @Test func aConflictThatIsConfirmedLaterIsOpenNoLonger() async throws {
    let process = try await owing([Self.code]) { $0.script(Self.code, .fail(.noConnection), .redeem("1")) }
    let owed = try #require(try await process.journal.owed().first)
    await process.keeper.giveUp(owed)
    expectEqual(process.hub.view.openConflicts.newest.map(\.id), [owed.attempt])
    expectEqual(process.hub.view.openConflicts.newest.map(\.state), ["tooLate"])
    await process.keeper.tellAgain([owed])
    await pass(process) { process.journal.endings.last == .confirmed }
    expectEqual(process.hub.view.openConflicts.count, 0)
  }

  @Test func aProbeThatFailsDoesNotKeepAWorkingTicketSystemOffline() async throws {
    let process = try LedgerProcess(policy: Self.policy, time: time)
    process.system.script(Self.code, .fail(.noConnection))
    process.system.setReach(.timeOut)
    let codes = (0..<6).map { Code("good-ticket-0\($0)") }
    for code in codes { process.system.script(code, .redeem(code.text)) }
    expect(await process.present().isProvisional)
    expect(await process.present(codes[0]).isProvisional)
    time.halt(ServerReach.trialInterval)
    // One asks and its answer ends the outage; then all ask.
    for code in codes.dropFirst() {
      let decision = await process.present(code)
      expect(decision.verdict == .admit && !decision.isProvisional, "\(code.text)")
    }
    await expectEqual(process.keeper.reach.state, .online)
    expectEqual(process.system.asked, [Self.code] + codes.dropFirst())
  }

  @Test func whileNobodyAnswersOnePersonNowAndThenWaitsForThat() async throws {
    let process = try LedgerProcess(policy: Self.policy, time: time)
    process.system.setReach(.noConnection)
    for number in 0..<8 {
      let code = Code("good-ticket-0\(number)")
      process.system.script(code, .fail(.noConnection))
      expect(await process.present(code).isProvisional)
      if number % 4 == 3 { time.halt(ServerReach.trialInterval) }
    }
    expectEqual(process.system.asked, [Code("good-ticket-00"), Code("good-ticket-04")])
  }

  @Test func theOrderLearnsWhoseTheFaultIs() {
    func outcome(
      _ answer: TicketAnswer, _ fate: AttemptOutcome.Fate = .answered, _ offline: OfflineCause? = nil,
      retryAfter: Duration? = nil
    ) -> AttemptOutcome {
      AttemptOutcome(
        fate: fate, answer: answer, mayHaveRedeemed: false, sentAt: nil, endedAt: time.now(), offline: offline,
        retryAfter: retryAfter)
    }
    func undecided(_ reason: UndecidedReason) -> TicketAnswer { .undecided(reason, detail: nil) }
    let wait = Duration.seconds(7)
    let pause = OutboxOrder.Result.pauseOfRefusedKey
    let cases: [(ToldRecord, AttemptOutcome?, OutboxOrder.Result)] = [
      (.confirmed(entryID: nil), outcome(.valid(Entitlement(quantity: 1, details: TicketDetails()))), .ended),
      (.contradicted(.refunded, nil), outcome(.refused(.refunded, detail: nil)), .ended),
      (.unsettled, outcome(.refused(.alreadyUsed, detail: nil)), .ended),
      (.confirmed(entryID: "1"), nil, .endedUnasked), (.unsettled, nil, .endedUnasked),
      (.confirmed(entryID: "1"), outcome(undecided(.unreachable), .pending, .timeOut), .endedUnasked),
      (.gone, outcome(undecided(.badAnswer)), .endedUnasked),
      (.doubtful, outcome(undecided(.unreachable), .lost, .noConnection), .doubtful(retryAfter: nil)),
      (
        .doubtful, outcome(undecided(.unreachable), .answered, .gatewayFault, retryAfter: wait),
        .doubtful(retryAfter: wait)
      ),
      (.again, outcome(undecided(.unreachable), .notSent, .noConnection), .again(retryAfter: nil)),
      (
        .again, outcome(undecided(.rateLimited), .answered, .rateLimited, retryAfter: wait), .again(retryAfter: wait)
      ),
      (.again, outcome(undecided(.badAnswer)), .unheard(retryAfter: nil)),
      (.again, outcome(undecided(.badAnswer), retryAfter: wait), .unheard(retryAfter: wait)),
      (.again, outcome(undecided(.keyRefused)), .again(retryAfter: pause)),
      (.again, outcome(undecided(.keyRefused), retryAfter: wait), .again(retryAfter: pause)),
      (.again, outcome(undecided(.accessDenied), retryAfter: pause * 2), .again(retryAfter: pause * 2)),
      // The server says for how long it blocks the key.
      (.again, outcome(undecided(.keyBlocked)), .again(retryAfter: pause)),
      (.again, outcome(undecided(.keyBlocked), retryAfter: wait), .again(retryAfter: wait)),
      (.again, outcome(undecided(.keyBlocked), .notSent, retryAfter: pause * 2), .again(retryAfter: pause * 2)),
    ]
    for (told, outcome, result) in cases { expectEqual(OutboxOrder.Result(told, outcome), result, "\(told)") }
  }
}
