import Admission
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

/// Gates that do not take all tickets: nobody passes at a wrong one, and what was spent there admits at the right one.
@Suite(.timeLimit(.minutes(1))) struct GateRuleTests {
  private static let code = LedgerProcess.code
  private static let wrong = Verdict.refuse(.wrongEvent)

  /// Hall A and hall B of one house, and what they share.
  private struct Halls {
    let process: LedgerProcess
    let a: RuledTicketSystem
    let b: RuledTicketSystem

    init(_ process: LedgerProcess) {
      self.process = process
      a = RuledTicketSystem(process.system, event: "A")
      b = RuledTicketSystem(process.system, event: "B")
    }

    func atA(_ code: Code = GateRuleTests.code, event: String? = nil) async -> KeptDecision {
      await process.kept(code, gate: "hall-a", a, event: event)
    }

    func atB(_ code: Code = GateRuleTests.code, event: String? = nil) async -> KeptDecision {
      await process.kept(code, gate: "hall-b", b, event: event)
    }

    var asked: Int { process.system.asked.count }
  }

  private func halls(
    list: ListedTicket?? = nil, policy: OfflinePolicy = OfflinePolicy(), boot: String = "boot 1"
  ) throws -> Halls {
    let list = list.map { OneTicketList(ticket: $0) }
    return Halls(try LedgerProcess(boot: boot, list: list, policy: policy))
  }

  // MARK: The list on board

  /// A bound gate looks into it at each scan: where there is none, nobody is asked for it.
  @Test func aListThatIsNotThereIsNotAsked() async throws {
    for isAbsent in [true, false] {
      let list = CountingList(isAbsent: isAbsent)
      let halls = Halls(try LedgerProcess(list: list))
      halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "A")))
      await expectEqual(halls.atA().decision.verdict, .admit)
      expectEqual(list.asked.withLock { $0 }, isAbsent ? 0 : 1)
    }
  }

  // MARK: Before the request

  @Test func aNamedEventOfAnotherGateCostsNoRequest() async throws {
    let halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    let refused = await halls.atA(event: "B")
    expect(refused.decision.verdict == Self.wrong && refused.decision.detail == "of B" && refused.decider == .station)
    expect(halls.asked == 0 && halls.a.inspected.isEmpty && halls.process.journal.facts.isEmpty)
    await expectEqual(halls.atB(event: "B").decision.verdict, .admit)
    expect(halls.b.inspected.isEmpty, "the URL says that it is worth asking")
  }

  /// Anybody can print a URL.
  @Test func aNamedEventAdmitsNobody() async throws {
    let halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    await expectEqual(halls.atA(event: "A").decision.verdict, Self.wrong)
    expectEqual(halls.asked, 1)
    await expectEqual(halls.atB(event: "A").decision.verdict, Self.wrong)
    await expectEqual(halls.atB().decision.verdict, .admit)
  }

  @Test func theListSparesTheTicket() async throws {
    let halls = try halls(list: ListedTicket(status: .valid, event: "Gala", eventID: "B"))
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    let refused = await halls.atA()
    expect(refused.decision.verdict == Self.wrong && refused.decider == .list)
    expectEqual(refused.decision.details?.event, "Gala")
    expect(halls.asked == 0 && halls.a.inspected.isEmpty)
    await expectEqual(halls.atB().decision.verdict, .admit)
    expect(halls.b.inspected.isEmpty, "the list has told")
  }

  /// The list says B, the ticket system A: it is green at A once B has found that out, and lost at neither.
  @Test func whatTheTicketSystemHasToldOutranksTheList() async throws {
    let halls = try halls(list: ListedTicket(status: .valid, event: "Gala", eventID: "B"))
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "A")))
    await expectEqual(halls.atA().decision.verdict, Self.wrong)
    await expectEqual(halls.atB().decision.verdict, Self.wrong)
    await expectEqual(halls.atA().decision.verdict, .admit)
    await expectEqual(halls.atA().decision.verdict, .refuse(.alreadyUsed))
    await expectEqual(halls.atB().decision.verdict, Self.wrong)
  }

  @Test func anInspectionSparesTheTicket() async throws {
    let halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    halls.a.find(Self.code, Inspection(.bars(GateBar(.refuse(.wrongEvent), detail: "hall B, 20:00"))))
    let refused = await halls.atA()
    expect(refused.decision.verdict == Self.wrong && refused.decision.detail == "hall B, 20:00")
    await expectEqual(halls.atA().decision.verdict, Self.wrong)
    expect(halls.asked == 0 && halls.a.inspected.count == 1, "a refusal is remembered for a moment")
    await expectEqual(halls.atB().decision.verdict, .admit)
  }

  @Test func aGateWithoutARuleAsksNothingElse() async throws {
    let halls = try halls(list: ListedTicket(status: .valid, eventID: "B"))
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    await expectEqual(halls.process.kept(event: "C").decision.verdict, .admit)
  }

  // MARK: After it

  @Test(arguments: [nil, "boot 1", "boot 2"]) func refusedThenAdmitted(boot: String?) async throws {
    var halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    await expectEqual(halls.atA().decision.verdict, Self.wrong)
    if let boot { halls = Halls(try await halls.process.successor(boot: boot)) }
    let admitted = await halls.atB()
    expect(admitted.decision.verdict == .admit && admitted.decision.entryID == "1")
    await expectEqual(halls.atB().decision.verdict, .refuse(.alreadyUsed))
    await expectEqual(halls.atA().decision.verdict, Self.wrong)
  }

  @Test func withTheAnswerLostItIsAdmittedAllTheSame() async throws {
    for boot in [nil, "boot 1"] {
      var halls = try halls()
      halls.process.system.script(Self.code, .lose, .answer(halls.process.redeemed("1", event: "B")))
      await expectEqual(halls.atA().decision.verdict, .undecided(.unreachable))
      if let boot { halls = Halls(try await halls.process.successor(boot: boot)) }
      await expectEqual(halls.atB().decision.verdict, .admit)
      await expectEqual(halls.atB().decision.verdict, .refuse(.alreadyUsed))
    }
  }

  /// An answer that names no event: nobody passes at either, and staff of a gate that takes all can let them in.
  @Test func anAnswerThatTellsTooLittleAdmitsNobodyAndSpendsNothing() async throws {
    let halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1")))
    await expectEqual(halls.atA().decision.verdict, .undecided(.badAnswer))
    await expectEqual(halls.atB().decision.verdict, .undecided(.badAnswer))
    await expectEqual(halls.process.present().verdict, .admit)
  }

  @Test func aLateAnswerAdmitsAtItsGateAlone() async throws {
    let halls = try halls(policy: OfflinePolicy(.admitAndQueue(most: 1), after: .milliseconds(300)))
    halls.process.system.script(Self.code, .hold(halls.process.redeemed("1", event: "B")))
    let pending = await halls.atB()
    expectEqual(pending.decision.verdict, .undecided(.unreachable))
    halls.process.system.release()
    await until { halls.process.journal.facts.contains { if case .late = $0 { true } else { false } } }
    await expectEqual(halls.atA().decision.verdict, Self.wrong)
    let admitted = await halls.atB()
    expect(admitted.decision.verdict == .admit && admitted.decider == .ledger)
    expectEqual(halls.asked, 1)
  }

  /// Whichever of two gates is the first to hold the ticket, it opens the right one, once.
  @Test(arguments: 1...20) func atTwoGatesAtOnceItOpensTheRightOne(round: Int) async throws {
    let halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    async let a = halls.atA().decision.verdict
    async let b = halls.atB().decision.verdict
    async let again = halls.atB().decision.verdict
    let verdicts = await (a, [b, again].sorted { $0.name < $1.name })
    expectEqual(verdicts.0, Self.wrong)
    expectEqual(verdicts.1, [.admit, .refuse(.alreadyUsed)])
  }

  @Test func whatWasGivenBackAdmitsAtItsGateAlone() async throws {
    let halls = try halls()
    halls.process.system.script(Self.code, .answer(halls.process.redeemed("1", event: "B")))
    let kept = await halls.atB()
    await halls.process.keeper.giveBack(kept.decision, ledgerKey: try #require(kept.ticket))
    await expectEqual(halls.atA().decision.verdict, Self.wrong)
    await expectEqual(halls.atB().decision.verdict, .admit)
    expectEqual(halls.asked, 1)
  }

  // MARK: Without the ticket system

  /// Of which event a ticket is, by the list; and what comes of it at hall A by either policy.
  static let offline: [(event: String?, isListed: Bool, verdict: Verdict)] = [
    ("A", true, .admit), ("B", true, .refuse(.wrongEvent)), (nil, true, .undecided(.unreachable)),
    (nil, false, .undecided(.unreachable)),
  ]

  @Test(arguments: offline, [OfflinePolicy.Choice.admitAndQueue(most: 9), .list(maxAge: .seconds(3_600))])
  func offlineTheListDecides(
    test: (event: String?, isListed: Bool, verdict: Verdict), choice: OfflinePolicy.Choice
  ) async throws {
    let ticket = test.isListed ? ListedTicket(status: .valid, eventID: test.event) : nil
    let halls = try halls(list: .some(ticket), policy: OfflinePolicy(choice))
    halls.process.system.setReach(.noConnection)
    halls.process.system.script(Self.code, .fail(.noConnection))
    for _ in 0..<2 {
      let kept = await halls.atA()
      if kept.decision.verdict == .refuse(.alreadyUsed), test.verdict == .admit { continue }
      expectEqual(kept.decision.verdict, test.verdict)
      expectEqual(kept.decision.isProvisional, test.verdict == .admit)
    }
    try await expectEqual(halls.process.journal.owed().count, test.verdict == .admit ? 1 : 0)
  }

  /// What is told later is told with what the list says of the ticket.
  @Test func whatIsToldLaterComesWithTheListsWord() async throws {
    let halls = try halls(
      list: ListedTicket(status: .valid, eventID: "A", kind: "VIP"),
      policy: OfflinePolicy(.list(maxAge: .seconds(3_600))))
    halls.process.system.setReach(.noConnection)
    halls.process.system.script(
      Self.code, .fail(.noConnection), .answer(halls.process.redeemed("1", event: "A")))
    _ = await halls.process.keeper.takeUp([], asker: halls.process.system, faces: [GateID("hall-a"): halls.a])
    expect(await halls.atA().decision.isProvisional)
    await expectEqual(halls.atB().decision.verdict, Self.wrong)
    halls.process.system.setReach(nil)
    await halls.process.keeper.allTold()
    expectEqual(halls.process.journal.endings, [.confirmed])
    expectEqual(halls.a.listed.last??.kind, "VIP")
  }

  /// The code says that it is of this event, and nobody else does.
  @Test func offlineANamedEventAdmitsNobody() async throws {
    let halls = try halls(policy: OfflinePolicy(.admitAndQueue(most: 9)))
    halls.process.system.setReach(.noConnection)
    halls.process.system.script(Self.code, .fail(.noConnection))
    await expectEqual(halls.atA(event: "A").decision.verdict, .undecided(.unreachable))
    await expectEqual(halls.atA(event: "B").decision.verdict, Self.wrong)
    // A gate that takes all goes by its policy, as ever.
    expect(await halls.process.present(Self.code, gate: "north").isProvisional)
  }
}

/// One ticket, or none, on a list that is fresh.
private struct OneTicketList: TicketList {
  let ticket: ListedTicket?

  func find(_ code: Code) throws(TicketListFault) -> ListFinding? { ListFinding(ticket, in: state()) }
  func state() -> TicketListState? { TicketListState(asOf: SystemTime().wall(), count: 1, age: .seconds(1)) }
}

/// A list that is not there, and notes who asks for it.
private final class CountingList: TicketList {
  let isAbsent: Bool
  let asked = Mutex(0)

  init(isAbsent: Bool) { self.isAbsent = isAbsent }

  func find(_ code: Code) -> ListFinding? {
    asked.withLock { $0 += 1 }
    return nil
  }

  func state() -> TicketListState? { nil }
}
