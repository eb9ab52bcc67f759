import Admission
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// Codes that a ticket system may take for spellings of one, from the gate's side: `docs/decisions/0026`.
@Suite(.timeLimit(.minutes(1))) struct SpellingGateTests {
  private static let queue = OfflinePolicy(.admitAndQueue(most: 100), after: .seconds(1), rateLimited: true)
  private static let list = OfflinePolicy(.list(maxAge: .seconds(3_600)), after: .seconds(1))
  private static let (small, capital, mixed) = (Code("good-ticket-1"), Code("GOOD-TICKET-1"), Code("Good-Ticket-1"))

  /// A station whose ticket system may ignore case.
  private func process(_ policy: OfflinePolicy = Self.queue, list: (any TicketList)? = nil) throws -> LedgerProcess {
    let system = FakeTicketSystem(time: SystemTime()) { TicketKey(Array($0.text.lowercased().utf8)) }
    return try LedgerProcess(MemoryJournal(), system, list: list, policy: policy)
  }

  private func owed(_ process: LedgerProcess) async throws -> Int { try await process.journal.owed().count }

  /// Lets the network go.
  private func goOffline(_ process: LedgerProcess, _ codes: Code...) {
    process.system.setReach(.noConnection)
    for code in codes { process.system.script(code, .fail(.noConnection)) }
  }

  /// A telephone that shows its ticket in another spelling each time, to a server that takes all of them.
  @Test func aUsedTicketInEverNewSpellingsSpendsNoMoreThanAThirdOfTheBudget() async throws {
    let process = try process()
    let spellings = (0..<64).map { number in
      Code(
        String(
          "abcdef-ticket".enumerated().map {
            number >> $0.offset & 1 == 1 ? Character($0.element.uppercased()) : $0.element
          }))
    }
    let answer = process.redeemed("1", sale: "s")
    for code in spellings { process.system.script(code, .answer(answer)) }
    await expectEqual(process.present(spellings[0]).verdict, .admit)
    for code in spellings.dropFirst() {
      let verdict = await process.present(code).verdict
      expect(verdict == .refuse(.alreadyUsed) || verdict == .undecided(.rateLimited), "\(verdict)")
    }
    expectEqual(process.system.asked.count, 21)
    try await expectEqual(owed(process), 0)
  }

  /// What admits nobody counts, whatever the reason; what is nobody's doing does not.
  @Test func everyRequestThatAdmitsNobodyCounts() async throws {
    func asked(_ behaviour: FakeTicketSystem.Behaviour, count: Int = 40) async throws -> Int {
      let process = try process(OfflinePolicy())
      for number in 0..<count {
        let code = Code("any-ticket-\(number)")
        process.system.script(code, behaviour)
        _ = await process.present(code)
      }
      return process.system.asked.count
    }
    for answer in [
      TicketAnswer.refused(.unpaid, detail: nil), .refused(.alreadyUsed, detail: nil),
      .undecided(.badAnswer, detail: nil),
    ] {
      try await expectEqual(asked(.answer(answer)), 20, "\(answer)")
    }
    try await expectEqual(asked(.lose), 40)
    try await expectEqual(asked(.answer(.undecided(.keyRefused, detail: nil))), 40)
  }

  @Test(arguments: ["boot 1", "boot 2"])
  func whoIsInByTheTicketSystemsWordIsNotAdmittedInCapitalsWithoutIt(boot: String) async throws {
    let process = try process()
    process.system.script(Self.small, .redeem("1"))
    await expectEqual(process.present(Self.small).verdict, .admit)
    goOffline(process, Self.capital)
    let again = await process.present(Self.capital)
    expect(again.verdict == .undecided(.unreachable) && again.note == .otherCode, "\(again)")
    let next = try await process.successor(boot: boot)
    await expectEqual(next.present(Self.capital).verdict, .undecided(.unreachable))
    await expectEqual(next.present(Self.small).verdict, .refuse(.alreadyUsed))
    try await expectEqual(owed(process), 0)
  }

  @Test func aSaleSecretHasOneAllowanceInAllItsSpellings() async throws {
    let process = try process()
    for (number, code) in [Self.small, Self.capital, Self.mixed].enumerated() {
      // The whole sale is for more than the ticket that the gate admits.
      process.system.script(
        code,
        .answer(
          .redeemed(
            Redemption(
              entryID: "\(number)", scannedAt: WallTime(seconds: process.time.wall().seconds + 2), quantity: 2,
              sale: "s",
              saleQuantity: 9, details: TicketDetails()))))
    }
    await expectEqual(process.present(Self.small).verdict, .admit)
    await expectEqual(process.present(Self.capital).verdict, .admit)
    let third = await process.present(Self.mixed)
    expect(third.verdict == .undecided(.interrupted) && third.note == .otherCode, "\(third)")
  }

  @Test func capsLockSpeaksForNoOtherSpelling() async throws {
    let process = try process()
    process.system.script(Self.small, .redeem("1"))
    await expectEqual(process.present(Self.capital).verdict, .refuse(.notFound))
    await expectEqual(process.present(Self.small).verdict, .admit)
    // Nor while the ticket system is away.
    await expectEqual(process.present(Code("GOOD-TICKET-2")).verdict, .refuse(.notFound))
    goOffline(process, Code("good-ticket-2"))
    expect(await process.present(Code("good-ticket-2")).isProvisional)
  }

  @Test func whatWasRefundedDoesNotOpenInCapitals() async throws {
    let process = try process()
    process.system.script(Self.small, .answer(.refused(.refunded, detail: nil)))
    await expectEqual(process.present(Self.small).verdict, .refuse(.refunded))
    goOffline(process, Self.small, Self.capital)
    await expectEqual(process.present(Self.capital).verdict, .undecided(.unreachable))
    await expectEqual(process.present(Self.small, gate: "south").verdict, .refuse(.refunded))
    try await expectEqual(owed(process), 0)
  }

  @Test func twoTicketsThatDifferInCaseAloneAreJudgedByTheirEntries() async throws {
    let process = try process()
    process.system.script(Self.small, .answer(process.redeemed("1", sale: "a")))
    process.system.script(Self.capital, .answer(process.redeemed("2", sale: "b")))
    await expectEqual(process.present(Self.small).verdict, .admit)
    await expectEqual(process.present(Self.capital).verdict, .admit)
    let next = try await process.successor()
    await expectEqual(next.present(Self.small).verdict, .refuse(.alreadyUsed))
    await expectEqual(next.present(Self.capital).verdict, .refuse(.alreadyUsed))
    expectEqual(process.system.asked, [Self.small, Self.capital])
  }

  @Test func aListThatNamesBothSpellingsHasTwoTickets() async throws {
    let ticket = ListedTicket(status: .valid, hasOtherSpelling: true)
    let process = try process(Self.list, list: SpelledList(tickets: [Self.small: ticket, Self.capital: ticket]))
    goOffline(process, Self.small, Self.capital, Self.mixed)
    for code in [Self.small, Self.capital] {
      expect(await process.present(code).isProvisional, "\(code)")
      await expectEqual(process.present(code).verdict, .refuse(.alreadyUsed), "\(code)")
    }
    expect(await process.present(Self.mixed).verdict != .admit)
    try await expectEqual(owed(process), 2)
  }

  /// Admitted in capitals by a server that does not mind; the list names it as it was sold.
  @Test func aListThatNamesOneSpellingDoesNotOpenForItAgain() async throws {
    let process = try process(Self.list, list: SpelledList(tickets: [Self.small: ListedTicket(status: .valid)]))
    process.system.script(Self.capital, .redeem("1"))
    await expectEqual(process.present(Self.capital).verdict, .admit)
    goOffline(process, Self.small)
    await expectEqual(process.present(Self.small).verdict, .undecided(.unreachable))
    try await expectEqual(owed(process), 0)
  }

  @Test func whoWasAdmittedOnTrustIsToldBeforeAnotherSpellingIsAsked() async throws {
    let first = try process()
    first.system.script(Self.small, .fail(.noConnection), .redeem("1"))
    first.system.setReach(.noConnection)
    expect(await first.present(Self.small).isProvisional)
    first.system.setReach(nil)
    let next = try LedgerProcess(first.journal, first.system, policy: Self.queue)
    await next.keeper.hold(true)
    _ = await next.keeper.takeUp([], asker: first.system, owed: try await first.journal.owed())
    first.system.script(Self.capital, .redeem("1"))
    let asked = first.system.asked
    let early = await next.present(Self.capital)
    expect(early.verdict == .undecided(.busy) && early.note == .otherCode, "\(early)")
    expectEqual(first.system.asked, asked)
    await next.keeper.hold(false)
    await next.keeper.allTold()
    // The server does not mind the case: it shows the entry that was told.
    await expectEqual(next.present(Self.capital).verdict, .refuse(.alreadyUsed))
  }

  @Test func whatTheMachinesEndCutOffDoesNotOpenInAnotherSpelling() async throws {
    let first = try process()
    first.system.script(Self.small, .hold(first.redeemed("1")))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present(Self.small) }
    _ = await requests.next()
    goOffline(first, Self.capital)
    let next = try await first.successor(boot: "boot 2")
    let other = await next.present(Self.capital)
    expect(other.verdict == .undecided(.unreachable) && other.note == .otherCode, "\(other)")
    // The first process lives on in here, and may admit the first spelling when it has waited long enough.
    expect(try await first.journal.owed().allSatisfy { $0.scan.code != Self.capital })
    first.system.release()
    _ = await lost.value
  }
}

/// A list of these tickets.
private struct SpelledList: TicketList {
  let tickets: [Code: ListedTicket]

  func find(_ code: Code) throws(TicketListFault) -> ListFinding? { ListFinding(tickets[code], in: state()) }
  func state() -> TicketListState? {
    TicketListState(asOf: SystemTime().wall() - .seconds(60), count: tickets.count)
  }
}
