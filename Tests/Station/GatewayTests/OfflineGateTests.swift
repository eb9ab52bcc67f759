import Admission
import Expectations
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// A gate whose ticket system is offline, by each policy.
@Suite(.timeLimit(.minutes(1))) struct OfflineGateTests {
  private static let queue = OfflinePolicy(.admitAndQueue(most: 3), after: .seconds(1))
  private static let code = LedgerProcess.code

  private static func codes(_ count: Int) -> [Code] { (0..<count).map { Code("good-ticket-\($0)") } }

  private func owed(_ journal: MemoryJournal) async throws -> Int { try await journal.owed().count }

  /// Faults that are none of the network's.
  static let faults: [UndecidedReason] = UndecidedReason.allCases.filter { $0 != .unreachable && $0 != .rateLimited }

  @Test(arguments: OfflineCause.allCases) func offlineAdmitsProvisionally(cause: OfflineCause) async throws {
    var policy = Self.queue
    policy.rateLimited = true
    let process = try LedgerProcess(policy: policy)
    process.system.script(Self.code, .fail(cause))
    process.system.setReach(cause)
    let kept = await process.kept()
    expectEqual(kept.decision.verdict, .admit)
    expect(kept.decision.isProvisional)
    expectEqual(kept.decider, .policy)
    try await expectEqual(owed(process.journal), 1)
    expect(
      process.journal.facts.contains { if case .owed(let owed) = $0 { owed.scan.code == Self.code } else { false } })
  }

  @Test func withoutAPolicyNobodyPasses() async throws {
    let process = try LedgerProcess()
    process.system.script(Self.code, .fail(.noConnection))
    await expectEqual(process.present().verdict, .undecided(.unreachable))
    try await expectEqual(owed(process.journal), 0)
  }

  @Test func aSpentBudgetIsOfflineOnlyWhereTheGateSaysSo() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .fail(.rateLimited))
    expect(await process.present().verdict != .admit)
  }

  @Test(arguments: faults) func faultsNeverOpen(reason: UndecidedReason) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .answer(.undecided(reason, detail: nil)))
    let decision = await process.present()
    expectEqual(decision.verdict, .undecided(reason))
    try await expectEqual(owed(process.journal), 0)
  }

  /// A revoked key whose network goes a moment later.
  @Test(arguments: [UndecidedReason.keyRefused, .accessDenied, .keyBlocked])
  func aRefusedKeyOpensNothingOfflineEither(reason: UndecidedReason) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(
      Self.code, .answer(.undecided(reason, detail: nil)), .fail(.noConnection), .fail(.noConnection),
      .fail(.noConnection), .redeem("1"))
    for _ in 0..<4 { await expectEqual(process.present().verdict, .undecided(reason)) }
    try await expectEqual(owed(process.journal), 0)
    // Each of them has asked: that the key is accepted again is found out by the next.
    let admitted = await process.present()
    expect(admitted.verdict == .admit && !admitted.isProvisional)
  }

  /// The ticket system's word on a ticket is its word on the key.
  @Test(arguments: [UndecidedReason.keyRefused, .accessDenied, .keyBlocked])
  func aKeyThatIsAcceptedAgainOpensAgain(reason: UndecidedReason) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .answer(.undecided(reason, detail: nil)))
    await expectEqual(process.present().verdict, .undecided(reason))
    let other = Code("good-ticket-2")
    process.system.script(other, .redeem("2"))
    let admitted = await process.present(other)
    expect(admitted.verdict == .admit && !admitted.isProvisional)
    let third = Code("good-ticket-3")
    process.system.script(third, .fail(.noConnection))
    expect(await process.present(third).isProvisional)
  }

  @Test(arguments: ["boot 1", "boot 2"]) func aRefusedKeyIsKnownToTheNextProcess(boot: String) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(
      Self.code, .answer(.undecided(.keyRefused, detail: nil)), .fail(.noConnection), .redeem("1"))
    await expectEqual(process.present().verdict, .undecided(.keyRefused))
    let next = try await process.successor(boot: boot)
    await expectEqual(next.present().verdict, .undecided(.keyRefused))
    try await expectEqual(owed(process.journal), 0)
  }

  @Test func aRefusedKeyIsLearntFromAProbe() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .lose)
    process.system.setFault(.keyRefused)
    expect(await process.present().verdict != .admit)
    let other = Code("good-ticket-2")
    process.system.script(other, .fail(.noConnection))
    await expectEqual(process.present(other).verdict, .undecided(.keyRefused))
  }

  @Test func aRefusedKeyIsLearntFromALateAnswer() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.setReach(.timeOut)
    process.system.script(Self.code, .hold(.undecided(.keyRefused, detail: nil)))
    expect(await process.present().isProvisional)
    process.system.release()
    let other = Code("good-ticket-2")
    process.system.script(other, .fail(.noConnection))
    // The late answer comes by its own way.
    await until { await !process.keeper.notes.keyFaults.isEmpty }
    await expectEqual(process.present(other).verdict, .undecided(.keyRefused))
  }

  /// A code on which the server stumbles, while others are answered.
  @Test(arguments: [true, false]) func aCodeThatBreaksTheConnectionOpensNothing(isLost: Bool) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, isLost ? .lose : .fail(.gatewayFault))
    for _ in 0..<3 { await expectEqual(process.present().verdict, .undecided(.unreachable)) }
    try await expectEqual(owed(process.journal), 0)
    let other = Code("good-ticket-2")
    process.system.script(other, .redeem("2"))
    let admitted = await process.present(other)
    expectEqual(admitted.verdict, .admit)
    expect(!admitted.isProvisional)
  }

  /// Another gate, or some time, may have cured it: nobody is refused for it for good, nor admitted on trust.
  @Test(arguments: RefuseReason.allCases.filter(\.isOfPlaceOrTime))
  func aWordOfAPlaceOrATimeIsForStaffWhileItIsAway(reason: RefuseReason) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .answer(.refused(reason, detail: nil)), .fail(.noConnection))
    await expectEqual(process.present().verdict, .refuse(reason))
    await expectEqual(process.present(gate: "south").verdict, .undecided(.unreachable))
    try await expectEqual(owed(process.journal), 0)
  }

  @Test func theTicketSystemsLastWordCountsWhileItIsAway() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .answer(.refused(.refunded, detail: nil)), .fail(.noConnection))
    await expectEqual(process.present().verdict, .refuse(.refunded))
    let unknown = Code("invented-1")
    await expectEqual(process.present(unknown).verdict, .refuse(.notFound))
    let other = Code("good-ticket-2")
    process.system.script(other, .fail(.noConnection))
    expect(await process.present(other).isProvisional)
    await expectEqual(process.present(gate: "south").verdict, .refuse(.refunded))
    await expectEqual(process.present(unknown, gate: "south").verdict, .refuse(.notFound))
  }

  @Test func asManyAsTheGateMayOweAndNoMore() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    for (index, code) in Self.codes(5).enumerated() {
      process.system.script(code, .fail(.noConnection))
      expectEqual((await process.present(code).verdict == .admit), (index < 3), "\(index)")
    }
    // The bound is each gate's own, and survives the process.
    await expectEqual(process.present(Self.codes(5)[4], gate: "south").verdict, .admit)
    let next = try await process.successor()
    process.system.script(Code("good-ticket-9"), .fail(.noConnection))
    await expectEqual(next.present(Code("good-ticket-9")).verdict, .undecided(.unreachable))
  }

  @Test func aTicketAdmitsOnceOverOfflineOnlineAndRestarts() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .fail(.noConnection))
    await expectEqual(process.present().verdict, .admit)
    await expectEqual(process.present().verdict, .refuse(.alreadyUsed))
    await expectEqual(process.present(gate: "south").verdict, .refuse(.alreadyUsed))
    for boot in ["boot 1", "boot 2"] {
      let next = try await process.successor(boot: boot)
      await expectEqual(next.present().verdict, .refuse(.alreadyUsed))
    }
  }

  @Test func anAdmissionThatCannotBeKeptOpensNothing() async throws {
    for policy in [JournalFailurePolicy.continue, .stop] {
      let process = try LedgerProcess(whenFailing: policy, policy: Self.queue)
      process.system.script(Self.code, .fail(.noConnection))
      process.journal.setFault(JournalFault(.full, "full"))
      let decision = await process.present()
      expectEqual(decision.verdict, .undecided(.outOfService), "\(policy)")
    }
  }

  @Test func aSlowDiskIsForThePolicyOfAFailingJournal() async throws {
    var policy = Self.queue
    policy.durableWithin = .milliseconds(20)
    for (whenFailing, verdict) in [
      (JournalFailurePolicy.continue, Verdict.admit), (.stop, .undecided(.outOfService)),
    ] {
      let process = try LedgerProcess(whenFailing: whenFailing, policy: policy)
      process.system.script(Self.code, .fail(.noConnection))
      process.journal.setSyncing(false)
      await expectEqual(process.present().verdict, verdict)
      try await expectEqual(owed(process.journal), (verdict == .admit ? 1 : 0))
    }
  }

  // MARK: Telling

  @Test func whatIsOwedIsToldWhenTheTicketSystemAnswersAgain() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    let codes = Self.codes(3)
    // The others are not asked for, since nobody answers.
    process.system.script(codes[0], .fail(.noConnection), .redeem("0"))
    for (index, code) in codes.enumerated().dropFirst() { process.system.script(code, .redeem("\(index)")) }
    process.system.setReach(.noConnection)
    _ = await process.keeper.takeUp([], asker: process.system)
    for code in codes { expect(await process.present(code).isProvisional) }
    process.system.setReach(nil)
    await process.keeper.allTold()
    try await expectEqual(owed(process.journal), 0)
    expectEqual(process.journal.endings, [.confirmed, .confirmed, .confirmed])
    expectEqual(process.system.owed, codes, "oldest first")
    for code in codes { await expectEqual(process.present(code).verdict, .refuse(.alreadyUsed)) }
  }

  @Test func theNextProcessTellsWhatThisOneOwed() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .fail(.noConnection), .redeem("1"))
    expect(await process.present().isProvisional)
    let next = try await process.successor(boot: "boot 2")
    await next.keeper.allTold()
    expectEqual(process.journal.endings, [.confirmed])
    await expectEqual(next.present().verdict, .refuse(.alreadyUsed))
  }

  @Test(arguments: [RefuseReason.refunded, .cancelled, .unpaid, .wrongDay, .notFound, .alreadyUsed])
  func aRefusalIsAConflict(reason: RefuseReason) async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .fail(.noConnection), .answer(.refused(reason, detail: "words")))
    expect(await process.present().isProvisional)
    let next = try LedgerProcess(process.journal, process.system, policy: Self.queue)
    // Before it is taken up: it may be told at once.
    let conflicts = next.hub.subscribe()
    _ = await next.keeper.takeUp([], asker: process.system, owed: try await process.journal.owed())
    await next.keeper.allTold()
    expectEqual(process.journal.endings, [.contradicted])
    for await event in conflicts {
      guard case .conflict(let conflict) = event else { continue }
      expectEqual(conflict.told.reason, reason)
      expectEqual(conflict.told.said, "words")
      break
    }
  }

  @Test func aTicketUsedElsewhereMeanwhileIsAConflict() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    let before = WallTime(seconds: process.time.wall().seconds - 600)
    process.system.script(
      Self.code, .fail(.noConnection),
      .answer(.redeemed(Redemption(entryID: "1", scannedAt: before, quantity: 1, details: TicketDetails()))))
    expect(await process.present().isProvisional)
    let next = try await process.successor()
    await next.keeper.allTold()
    expectEqual(process.journal.endings, [.contradicted])
  }

  @Test func whileStaffHoldItNothingIsTold() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .fail(.noConnection), .redeem("1"))
    expect(await process.present().isProvisional)
    await process.keeper.hold(true)
    let next = try LedgerProcess(process.journal, process.system, policy: Self.queue)
    await next.keeper.hold(true)
    _ = await next.keeper.takeUp([], asker: process.system)
    await next.keeper.takeUp(try await process.journal.owed())
    await expectEqual(next.keeper.outbox.count, 1)
    expectEqual(process.system.owed, [])
    await next.keeper.hold(false)
    await next.keeper.allTold()
    expectEqual(process.journal.endings, [.confirmed])
  }

  @Test func aGateThatDidNotOpenOwesNothing() async throws {
    let process = try LedgerProcess(policy: Self.queue)
    process.system.script(Self.code, .fail(.noConnection))
    let kept = await process.kept()
    let ticket = try #require(kept.ticket)
    await process.keeper.giveBack(kept.decision, ledgerKey: ticket)
    expectEqual(process.journal.endings, [.withdrawn])
    try await expectEqual(owed(process.journal), 0)
    let again = await process.present()
    expectEqual(again.verdict, .admit)
    expect(again.isProvisional, "the ticket system has still to be told of it")
    try await expectEqual(owed(process.journal), 1)
  }

  // MARK: The list

  private static func policy(maxAge: Duration = .seconds(3_600)) -> OfflinePolicy {
    OfflinePolicy(.list(maxAge: maxAge), after: .seconds(1))
  }

  private func word(_ ticket: ListedTicket?, asOf age: Duration = .seconds(60), policy: OfflinePolicy = policy())
    async throws
    -> KeptDecision
  {
    let now = SystemTime().wall()
    let list = FixedList(state: TicketListState(asOf: now - age, count: 1), ticket: ticket)
    let process = try LedgerProcess(list: list, policy: policy)
    process.system.script(Self.code, .fail(.noConnection))
    return await process.kept()
  }

  @Test func theListDecidesByEachState() async throws {
    let reasons: [(ListedTicket.Status, Verdict)] = [
      (.valid, .admit), (.unpaid, .refuse(.unpaid)), (.cancelled, .refuse(.cancelled)), (.refunded, .refuse(.refunded)),
      (.expired, .refuse(.expired)), (.used, .refuse(.alreadyUsed)), (.unconfirmed, .undecided(.badAnswer)),
    ]
    expectEqual(reasons.count, ListedTicket.Status.allCases.count)
    for (status, verdict) in reasons {
      let kept = try await word(ListedTicket(status: status))
      expectEqual(kept.decision.verdict, verdict)
      expectEqual(kept.decider, status == .unconfirmed ? .policy : .list)
      expectEqual(kept.decision.isProvisional, (verdict == .admit))
    }
  }

  @Test func whatTheListDoesNotNameIsUndecided() async throws {
    try await expectEqual(word(nil).decision.verdict, .undecided(.unreachable))
  }

  @Test func anOldListDecidesNothing() async throws {
    let ticket = ListedTicket(status: .valid)
    try await expectEqual(word(ticket, asOf: .seconds(3_500)).decision.verdict, .admit)
    try await expectEqual(word(ticket, asOf: .seconds(3_700)).decision.verdict, .undecided(.outOfService))
  }

  /// What was told of one ticket is not younger for what was told of others since.
  @Test func aTicketIsAsOldAsWhatBroughtIt() async throws {
    let now = SystemTime().wall()
    let fresh = TicketListState(asOf: now - .seconds(60), count: 2)
    for (age, verdict) in [(Duration.seconds(3_500), Verdict.admit), (.seconds(3_700), .undecided(.outOfService))] {
      for status in [ListedTicket.Status.valid, .refunded] {
        let list = FixedList(
          state: fresh, ticket: ListedTicket(status: status), told: ListAge(asOf: now - age))
        let process = try LedgerProcess(list: list, policy: Self.policy())
        process.system.script(Self.code, .fail(.noConnection))
        let kept = await process.kept()
        expectEqual(kept.decision.verdict, verdict == .admit && status == .refunded ? .refuse(.refunded) : verdict)
        if verdict != .admit { expect(kept.decision.detail?.contains("has of the ticket is") == true) }
      }
    }
  }

  /// The last word of the ticket system is older than the list, and younger than what the list says of this ticket.
  @Test func theLastWordCountsAgainstWhatIsOlder() async throws {
    let now = SystemTime().wall()
    let list = FixedList(
      state: TicketListState(asOf: now + .seconds(60), count: 1), ticket: ListedTicket(status: .valid),
      told: ListAge(asOf: now - .seconds(60)))
    let process = try LedgerProcess(list: list, policy: Self.policy())
    process.system.script(Self.code, .answer(.refused(.refunded, detail: nil)), .fail(.noConnection))
    await expectEqual(process.present().verdict, .refuse(.refunded))
    await expectEqual(process.present(gate: "south").verdict, .refuse(.refunded))
  }

  /// And it outlives the process: a restart is what somebody does in an outage.
  @Test(arguments: [RefuseReason.refunded, .unpaid, nil]) func theLastWordOutlivesTheProcess(
    reason: RefuseReason?
  ) async throws {
    let now = SystemTime().wall()
    for asOf in [now - .seconds(600), now + .seconds(600)] {
      let list = FixedList(
        state: TicketListState(asOf: asOf, count: 1), ticket: ListedTicket(status: .valid), told: ListAge(asOf: asOf))
      let process = try LedgerProcess(list: list, policy: Self.policy())
      let ticket = await process.keeper.key(of: Self.code)
      func journal(_ verdict: Verdict, _ decider: Decider, _ seconds: Int64) {
        process.journal.enqueue(
          JournalBatch(facts: [
            .scan(
              JournaledScan(
                scan: Scan(
                  gate: GateID("north"), reader: ReaderID("left"), code: Self.code, readAt: process.time.now()),
                system: process.system.id, ticket: ticket,
                at: JournalTime(wall: now - .seconds(seconds), monotonic: process.time.now(), isTrusted: true),
                decidedIn: .milliseconds(30), verdict: verdict, decider: decider))
          ]))
      }
      let (last, other) = reason.map { (Verdict.refuse($0), Verdict.admit) } ?? (.admit, .refuse(.refunded))
      journal(other, .server, 20)
      journal(last, .server, 10)
      // What it did not say itself is none of its words.
      for _ in 0..<10 { journal(other, .ledger, 5) }
      process.system.script(Self.code, .fail(.noConnection))
      _ = await process.keeper.takeUp([], asker: process.system)
      let isOlder = asOf > now
      await expectEqual(process.present().verdict, isOlder ? .admit : last)
    }
  }

  /// By a clock that may be wrong no list is old, and the venue has said that it is to count.
  @Test func whereTheDayIsIgnoredTheListsAgeIsToo() async throws {
    var policy = Self.policy()
    policy.untrustedClock = .ignoreDay
    let list = FixedList(
      state: TicketListState(asOf: SystemTime().wall() - .seconds(900_000), count: 1),
      ticket: ListedTicket(status: .valid))
    for (isTrusted, verdict) in [(true, Verdict.undecided(.outOfService)), (false, .admit)] {
      let process = try LedgerProcess(
        list: list, policy: policy, clock: ClockTrust(time: SystemTime(), isDisciplined: { isTrusted }))
      process.system.script(Self.code, .fail(.noConnection))
      await expectEqual(process.present().verdict, verdict)
    }
  }

  /// What the ticket system has said of one ticket has an end: without a clock nobody knows whether it has come, whatever the venue has
  /// said of days.
  @Test func whatWasSaidOfOneTicketNeedsAClock() async throws {
    let now = SystemTime().wall()
    var policy = Self.policy()
    policy.untrustedClock = .ignoreDay
    policy.freshFor = .seconds(86_400)
    let said = now - .seconds(3_600)
    let list = FixedList(
      state: nil, ticket: ListedTicket(status: .valid, until: now + .seconds(3_600), checkedAt: said),
      told: ListAge(asOf: said))
    for (isTrusted, verdict) in [(true, Verdict.admit), (false, .undecided(.clockWrong))] {
      let process = try LedgerProcess(
        list: list, policy: policy, clock: ClockTrust(time: SystemTime(), isDisciplined: { isTrusted }))
      process.system.script(Self.code, .fail(.noConnection))
      await expectEqual(process.present().verdict, verdict)
    }
  }

  @Test func theLastWordCountsUnlessTheListIsNewer() async throws {
    for (asOf, verdict) in [(Duration.seconds(-60), Verdict.refuse(.unpaid)), (.seconds(60), .admit)] {
      let list = FixedList(
        state: TicketListState(asOf: SystemTime().wall() + asOf, count: 1), ticket: ListedTicket(status: .valid))
      let process = try LedgerProcess(list: list, policy: Self.policy())
      process.system.script(Self.code, .answer(.refused(.unpaid, detail: nil)), .fail(.noConnection))
      await expectEqual(process.present().verdict, .refuse(.unpaid))
      await expectEqual(process.present(gate: "south").verdict, verdict)
    }
  }

  @Test func withoutAListNobodyPasses() async throws {
    let process = try LedgerProcess(policy: Self.policy())
    process.system.script(Self.code, .fail(.noConnection))
    await expectEqual(process.present().verdict, .undecided(.outOfService))
  }

  @Test func aTicketAdmitsFromItsFirstMomentToItsLast() async throws {
    let now = SystemTime().wall()
    let day = Duration.seconds(86_400)
    for (from, until, verdict) in [
      (now - day as WallTime?, now + day as WallTime?, Verdict.admit),
      (now + .seconds(60), now + day, .refuse(.tooEarly)),
      (now - day, now - .seconds(60), .refuse(.tooLate)), (nil, now, .refuse(.tooLate)), (nil, nil, .admit),
      (now + day, nil, .refuse(.tooEarly)),
    ] {
      let decision = try await word(ListedTicket(status: .valid, from: from, until: until, event: "Gala")).decision
      expectEqual(decision.verdict, verdict)
      // Staff can say when, and what for.
      if verdict != .admit {
        let moment = verdict == .refuse(.tooEarly) ? from : until
        expect(decision.detail?.contains("\(moment?.iso8601 ?? "-") (Gala)") == true, "\(decision.detail ?? "")")
      }
    }
  }

  @Test func withoutATrustedClockTheDayIsForThePolicy() async throws {
    let now = SystemTime().wall()
    let yesterday = ListedTicket(status: .valid, from: now - .seconds(90_000), until: now - .seconds(3_600))
    for (rule, verdict) in [
      (OfflinePolicy.UntrustedClock.undecided, Verdict.undecided(.clockWrong)), (.ignoreDay, .admit),
    ] {
      var policy = Self.policy()
      policy.untrustedClock = rule
      let list = FixedList(state: TicketListState(asOf: now - .seconds(60), count: 1), ticket: yesterday)
      let process = try LedgerProcess(
        list: list, policy: policy, clock: ClockTrust(time: SystemTime(), isDisciplined: { false }))
      process.system.script(Self.code, .fail(.noConnection))
      await expectEqual(process.present().verdict, verdict)
    }
  }

  /// A machine that nothing tells the time: the list's age is counted by the clock that ran on since it was imported.
  @Test func whatNeedsNoDayAsksNoClock() async throws {
    let now = SystemTime().wall()
    let undated = ListedTicket(status: .valid)
    let dated = ListedTicket(status: .valid, until: now + .seconds(3_600))
    let cases: [(ListedTicket, Duration?, Verdict)] = [
      (undated, .seconds(60), .admit), (undated, nil, .undecided(.clockWrong)),
      (undated, .seconds(7_200), .undecided(.outOfService)), (dated, .seconds(60), .undecided(.clockWrong)),
      (ListedTicket(status: .refunded, until: now), .seconds(60), .refuse(.refunded)),
    ]
    for (ticket, age, verdict) in cases {
      // The civil clock is far off.
      let list = FixedList(state: TicketListState(asOf: now - .seconds(900_000), count: 1, age: age), ticket: ticket)
      let process = try LedgerProcess(
        list: list, policy: Self.policy(), clock: ClockTrust(time: SystemTime(), isDisciplined: { false }))
      process.system.script(Self.code, .fail(.noConnection))
      await expectEqual(process.present().verdict, verdict, "\(ticket), \(String(describing: age))")
    }
  }

  @Test(arguments: [("boot 1", true), ("boot 2", false)])
  func trustInTheClockHoldsOverARestartOfTheProcess(boot: String, isTrusted: Bool) async throws {
    func clock() -> ClockTrust { ClockTrust(time: SystemTime(), isDisciplined: { false }, battery: { nil }) }
    let process = try LedgerProcess(clock: clock())
    process.system.script(Self.code, .redeem("1"))
    await expectEqual(process.present().verdict, .admit)
    await process.keeper.clockNoted()
    let later = clock()
    let next = try LedgerProcess(process.journal, process.system, boot: boot, clock: later)
    _ = await next.keeper.takeUp([], asker: process.system)
    expectEqual(later.now().isTrusted, isTrusted)
  }

  /// After a power cut nothing may keep the clock right, and the list cannot be judged by it.
  @Test func whoIsInIsRefusedWhateverTheListCannotTell() async throws {
    let list = FixedList(
      state: TicketListState(asOf: SystemTime().wall(), count: 1), ticket: ListedTicket(status: .valid))
    let process = try LedgerProcess(list: list, policy: Self.policy())
    process.system.script(Self.code, .fail(.noConnection))
    expect(await process.present().isProvisional)
    let next = try LedgerProcess(
      process.journal, process.system, list: list, policy: Self.policy(),
      clock: ClockTrust(time: SystemTime(), isDisciplined: { false }))
    _ = await next.keeper.takeUp([], asker: process.system, owed: try await process.journal.owed())
    await next.keeper.hold(true)
    let again = await next.kept()
    expectEqual(again.decision.verdict, .refuse(.alreadyUsed))
    expectEqual(again.decider, .ledger)
  }

  @Test func twoCodesOfASaleAtTwoGatesAdmitAsManyAsWerePaid() async throws {
    let ticket = ListedTicket(status: .valid, quantity: 2, sale: "s", saleQuantity: 3)
    let list = FixedList(state: TicketListState(asOf: SystemTime().wall(), count: 2), ticket: ticket)
    let process = try LedgerProcess(list: list, policy: Self.policy())
    let (first, second) = (Code("sale-code-1"), Code("sale-code-2"))
    for code in [first, second] { process.system.script(code, .fail(.noConnection)) }
    var admitted = 0
    for code in [first, second, first, second, first, second] {
      for gate in ["north", "south"] where await process.present(code, gate: gate).verdict == .admit { admitted += 1 }
    }
    expectEqual(admitted, 3)
  }

  @Test func aListThatCannotBeReadIsSaidSo() async throws {
    let list = FixedList(
      state: TicketListState(asOf: SystemTime().wall(), count: 1), ticket: nil, fault: TicketListFault("torn"))
    let process = try LedgerProcess(list: list, policy: Self.policy())
    process.system.script(Self.code, .fail(.noConnection))
    let decision = await process.present()
    expectEqual(decision.verdict, .undecided(.outOfService))
    expectEqual(decision.detail, "torn")
  }
}

/// A list that says the same of every code.
private struct FixedList: TicketList {
  let state: TicketListState?
  let ticket: ListedTicket?
  /// When that was true; without it, when the list was.
  var told: ListAge?
  var fault: TicketListFault?

  func find(_ code: Code) async throws(TicketListFault) -> ListFinding? {
    if let fault { throw fault }
    if let ticket, let told { return .named(ticket, told) }
    return ListFinding(ticket, in: state)
  }

  func state() async throws(TicketListFault) -> TicketListState? { state }
}

extension MemoryJournal {
  /// How provisional admissions ended, in order.
  var endings: [ToldAdmission.Ending] {
    facts.compactMap { if case .told(let told) = $0 { told.ending } else { nil } }
  }
}
