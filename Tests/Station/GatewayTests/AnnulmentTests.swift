import Admission
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// Nobody has passed on an admission, and staff say so.
@Suite(.timeLimit(.minutes(1))) struct AnnulmentTests {
  private static let code = LedgerProcess.code

  /// Presents the code, and writes the scan down as a gate does.
  private func present(_ process: LedgerProcess) async -> (scan: ScanID, kept: KeptDecision) {
    let scan = Scan(
      gate: GateID("north"), reader: ReaderID("left"), code: Self.code, readAt: process.time.now())
    let kept = await process.keeper.decide(
      scan, key: TicketKey(Self.code.bytes), system: process.system, deadline: process.time.now() + .seconds(20),
      mayAsk: true, offline: process.policy)
    ScanReports(system: process.system.id, ledger: process.keeper, events: process.hub)
      .add(scan, kept, outputFault: nil)
    return (scan.id, kept)
  }

  @Test func theTicketAdmitsOnceMoreWithoutASecondRequest() async throws {
    let process = try LedgerProcess()
    process.system.script(Self.code, .answer(process.redeemed("1")))
    let first = await present(process)
    try await expectEqual(process.keeper.annul(first.scan), .takenBack)
    try await expectEqual(process.keeper.annul(first.scan), .already)
    try await expectEqual(process.keeper.annul(ScanID()), .unknown)
    let second = await present(process)
    expect(second.kept.decision.verdict == .admit && second.kept.decision.admitted == 1)
    expectEqual(process.system.asked.count, 1)
    // What was taken back stays so; the second is another admission.
    try await expectEqual(process.keeper.annul(first.scan), .already)
    let third = await present(process)
    expectEqual(third.kept.decision.verdict, .refuse(.alreadyUsed))
    try await expectEqual(process.keeper.annul(third.scan), .unknown)
    expectEqual(names(process.journal.facts).count { $0 == "annulled" }, 1)
  }

  @Test func theNextProcessKnowsIt() async throws {
    let first = try LedgerProcess()
    first.system.script(Self.code, .answer(first.redeemed("1")))
    let admitted = await present(first)
    let second = try await first.successor()
    try await expectEqual(second.keeper.annul(admitted.scan), .takenBack)
    expect(first.journal.awaited.last?.number == UInt64(first.journal.batches.count), "it is durable when it is told")
    let third = try await second.successor()
    try await expectEqual(third.keeper.annul(admitted.scan), .already)
    expect(try await first.journal.unconcluded().isEmpty)
    await expectEqual(present(third).kept.decision.verdict, .admit)
    await expectEqual(present(third).kept.decision.verdict, .refuse(.alreadyUsed))
    expectEqual(first.system.asked.count, 1)
  }

  @Test func ourOwnBookCountsOneLess() async throws {
    let process = try LedgerProcess(MemoryJournal(), FakeTicketSystem(mayRedeem: false, time: SystemTime()))
    process.system.script(
      Self.code, .answer(.valid(Entitlement(quantity: 2, details: TicketDetails()))))
    let (first, second) = (await present(process), await present(process))
    expectEqual(second.kept.decision.admitted, 2)
    try await expectEqual(process.keeper.annul(first.scan), .tooLate)
    try await expectEqual(process.keeper.annul(second.scan), .takenBack)
    // Now it is the latest.
    try await expectEqual(process.keeper.annul(first.scan), .takenBack)
    for admitted in 1...2 {
      let again = await present(process).kept.decision
      expect(again.verdict == .admit && again.admitted == admitted, "\(again)")
    }
    await expectEqual(present(process).kept.decision.verdict, .refuse(.alreadyUsed))
  }

  @Test func whatIsOwedNeedNotBeTold() async throws {
    let process = try LedgerProcess(policy: OfflinePolicy(.admitAndQueue(most: 3), after: .seconds(1)))
    process.system.setReach(.noConnection)
    process.system.script(Self.code, .fail(.noConnection))
    let owed = await present(process)
    expect(owed.kept.decision.isProvisional)
    try await expectEqual(process.keeper.annul(owed.scan), .takenBack)
    expect(try await process.journal.owed().isEmpty)
    expectEqual(process.journal.endings, [.withdrawn])
    expect(await present(process).kept.decision.isProvisional, "it admits again")
  }

  /// Its sale and its entries are remembered under the keys of its day.
  @Test func anotherDaysAdmissionIsNotTakenBack() async throws {
    let (time, journal) = (ManualTime(), MemoryJournal())
    let system = FakeTicketSystem(time: time)
    let keeper = LedgerKeeper(
      server: "fake", dependencies: try .inMemory(journal, time: time), scope: .perDay(begins: .zero), time: time,
      events: EventHub())
    let reports = ScanReports(system: system.id, ledger: keeper, events: EventHub())
    func present() async -> ScanID {
      let scan = Scan(gate: GateID("north"), reader: ReaderID("left"), code: Self.code, readAt: time.now())
      let kept = await keeper.decide(
        scan, key: TicketKey(Self.code.bytes), system: system, deadline: time.now() + .seconds(20), mayAsk: true)
      expectEqual(kept.decision.verdict, .admit)
      reports.add(scan, kept, outputFault: nil)
      return scan.id
    }
    system.script(Self.code, .redeem("1"), .redeem("2"))
    let yesterday = await present()
    time.advance(by: .seconds(86_400))
    let today = await present()
    try await expectEqual(keeper.annul(yesterday), .tooLate)
    try await expectEqual(keeper.annul(today), .takenBack)
  }

  @Test func whatCannotBeKnownIsNotTakenBack() async throws {
    let process = try LedgerProcess()
    process.system.script(Self.code, .answer(process.redeemed("1")))
    let first = await present(process)
    process.journal.setRecallFault(JournalFault(.disk, "It cannot be read."))
    let second = try await process.successor()
    await #expect(throws: JournalFault.self) { _ = try await second.keeper.annul(first.scan) }
    process.journal.setRecallFault(nil)
    await expectEqual(present(second).kept.decision.verdict, .refuse(.alreadyUsed))
  }
}
