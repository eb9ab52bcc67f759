import Expectations
import ScanModel
import Admission
import Testing

/// What random evenings have found on which clocks went wrong and were put right, each as small as it gets.
@Suite("What evenings of wrong clocks have found")
struct EveningClockFindingsTests {
  private func ticket(_ number: Int) -> TicketKey { TicketKey([3, UInt8(number)]) }

  /// Presents new tickets whose records are made now, by a clock that is `off` ahead of the one that bounds them.
  private func present(
    _ bench: inout LedgerBench, _ numbers: ClosedRange<Int>, off: Int64, proven: Bool = false, hasDate: Bool = true
  ) throws -> [Verdict] {
    try numbers.map { number in
      let at = 2_000.2 + Double(number) * 10
      let (attempt, beginning) = bench.begin(at: at, key: ticket(number))
      try #require(beginning == .ask)
      let outcome = bench.outcome(
        bench.redemption("p\(number)", Int64(at) + off), from: at, to: at + 0.1, date: hasDate ? Int64(at + 0.1) : nil)
      return bench.ledger.conclude(
        ticket(number), attempt: attempt, outcome: outcome, wall: bench.wall(at + 0.1), wasUnused: proven
      ).verdict
    }
  }

  /// What the next process knows of the clocks.
  private func restart(_ bench: inout LedgerBench) {
    let suspicions = bench.ledger.clock.suspicions
    bench.ledger.clock = RecordClock()
    bench.ledger.clock.recall(suspicions)
  }

  private func known(_ bench: inout LedgerBench, _ key: TicketKey, at time: Double) -> Verdict? {
    guard case .known(let decision) = bench.begin(at: time, key: key).1 else { return nil }
    return decision.verdict
  }

  private static let twoRefused: [Verdict] = [
    .refuse(.alreadyUsed), .refuse(.alreadyUsed), .undecided(.clockWrong),
  ]

  @Test(
    "A record of the future that is old once clocks were put right that had been learnt: for staff, and admitted once that is understood"
  )
  func futureThenOld() throws {
    var bench = LedgerBench()
    // `Date` is ten seconds behind.
    try expectEqual(bench.scan(bench.redemption("e", 100), at: 100.2, date: 90).verdict, .undecided(.clockWrong))
    expect(try present(&bench, 1...5, off: 10, proven: true).allSatisfy { $0 == .admit })
    expectEqual(bench.ledger.clock.doubt, nil)
    let again = try bench.scan(bench.redemption("e", 100), at: 2_100.2)
    expect(again.verdict == .undecided(.clockWrong) && again.note == .recordBehind)
    expect(bench.ledger.wantsProof(ticket(9), at: bench.mono(2_101), wall: bench.wall(2_101)))
    expect(try present(&bench, 11...15, off: 0, proven: true).allSatisfy { $0 == .admit })
    try expectEqual(bench.scan(bench.redemption("e", 100), at: 2_200.2).verdict, .admit)
  }

  @Test(
    "Shown to a second request while the clocks were doubted, and only then to the one that made it: admitted once they are right"
  )
  func shownBeforeItsOwnAnswer() throws {
    var bench = LedgerBench()
    try expectEqual(
      bench.scan(bench.redemption("f", 150), at: 60.2, date: 60, key: ticket(99)).verdict, .undecided(.clockWrong))
    let first = try bench.lose(at: 100.2, pending: true)
    try expectEqual(bench.scan(bench.redemption("e", 104), at: 110.2, date: 110).verdict, .undecided(.clockWrong))
    let late = bench.outcome(bench.redemption("e", 104), from: 100.2, to: 118, date: 118)
    expectEqual(
      bench.ledger.late(bench.key, attempt: first, outcome: late, wall: bench.wall(118)), .claimable(entryID: "e"))
    expect(try present(&bench, 1...5, off: 0, proven: true).allSatisfy { $0 == .admit })
    try expectEqual(bench.scan(bench.redemption("e", 104), at: 2_100.2, date: 2_100).verdict, .admit)
  }

  @Test("A sale's secret for one that a wrong clock makes look like an entry's admits in no other spelling")
  func saleForOneInTwoSpellings() throws {
    var bench = LedgerBench()
    let folded = TicketKey([97])
    func present(_ bench: inout LedgerBench, _ key: TicketKey, _ entry: String, at: Double, date: Int64) throws
      -> Verdict
    {
      let (attempt, beginning) = bench.begin(at: at, ignoringPending: true, key: key, folded: folded)
      try #require(beginning == .ask)
      let outcome = bench.outcome(bench.redemption(entry, Int64(at)), from: at, to: at + 0.1, date: date)
      return bench.ledger.conclude(key, attempt: attempt, outcome: outcome, wall: bench.wall(at + 0.1)).verdict
    }
    let (lost, _) = bench.begin(at: 100.2, key: folded, folded: folded)
    let noAnswer = bench.outcome(.undecided(.unreachable, detail: nil), from: 100.2, to: 111, fate: .lost)
    _ = bench.ledger.conclude(folded, attempt: lost, outcome: noAnswer, wall: bench.wall(111))
    // `Date` is ten seconds ahead: the record of this request looks as if the lost one had made it.
    try expectEqual(present(&bench, folded, "e1", at: 130.2, date: 140), .admit)
    try expectEqual(present(&bench, TicketKey([65]), "e2", at: 200.2, date: 200), .undecided(.interrupted))
  }

  @Test("Used elsewhere at the distance of a record of the future is used elsewhere, where the clocks were not moved")
  func futureThenUsed() throws {
    var bench = LedgerBench()
    // Used ten seconds ago, and `Date` is 26 behind.
    try expectEqual(bench.scan(bench.redemption("e", 90), at: 100.2, date: 74).verdict, .undecided(.clockWrong))
    expect(try present(&bench, 1...5, off: 26, proven: true).allSatisfy { $0 == .admit })
    try expectEqual(
      bench.scan(bench.redemption("e", 90), at: 2_100.2, date: 2_074).verdict, .refuse(.alreadyUsed))
  }

  @Test("Without Date, too, the next process suspects the distances that the former one did")
  func undatedAfterRestart() throws {
    var bench = LedgerBench()
    try expectEqual(present(&bench, 1...3, off: -180, hasDate: false), Self.twoRefused)
    restart(&bench)
    try expectEqual(present(&bench, 4...4, off: -180, hasDate: false), [.undecided(.clockWrong)])
  }

  @Test("An answer that was lost while records were of the future is for staff, also in the next process")
  func lostInFuture() throws {
    var bench = LedgerBench()
    let key = TicketKey([4])
    try lose(&bench, key)
    try expectEqual(present(&bench, 1...1, off: 180), [.undecided(.clockWrong)])
    restart(&bench)
    try expectEqual(bench.scan(bench.redemption("e", 2_180), at: 2_300.2, key: key).verdict, .refuse(.alreadyUsed))
    expectEqual(known(&bench, key, at: 2_310), .undecided(.interrupted))
  }

  @Test("An answer that was lost while the clocks were wrong is for staff, also once they were put right")
  func lostThenPutRight() throws {
    var bench = LedgerBench()
    let key = TicketKey([4])
    try lose(&bench, key)
    try expectEqual(present(&bench, 1...1, off: 180), [.undecided(.clockWrong)])
    expect(try present(&bench, 2...6, off: 0, proven: true).allSatisfy { $0 == .admit })
    try expectEqual(bench.scan(bench.redemption("e", 2_180), at: 2_300.2, key: key).verdict, .refuse(.alreadyUsed))
    expectEqual(known(&bench, key, at: 2_310), .undecided(.interrupted))
  }

  private func lose(_ bench: inout LedgerBench, _ key: TicketKey) throws {
    let (attempt, beginning) = bench.begin(at: 2_000.2, key: key)
    try #require(beginning == .ask)
    let lost = bench.outcome(.undecided(.unreachable, detail: nil), from: 2_000.2, to: 2_002, fate: .lost)
    _ = bench.ledger.conclude(key, attempt: attempt, outcome: lost, wall: bench.wall(2_002))
  }

  @Test("A sale's secret that a wrong clock made look like a used entry secret is for several once that is understood")
  func saleSecretRefused() throws {
    var bench = LedgerBench()
    let plain = bench
    func made(_ entry: String, at time: Int64) -> TicketAnswer { plain.redemption(entry, time, quantity: 2) }
    try expectEqual(bench.scan(made("e1", at: 1_990), at: 2_000.2).verdict, .refuse(.alreadyUsed))
    try expectEqual(present(&bench, 1...2, off: -10), [.refuse(.alreadyUsed), .undecided(.clockWrong)])
    expect(try present(&bench, 3...7, off: -10, proven: true).allSatisfy { $0 == .admit })
    try expectEqual(bench.scan(made("e2", at: 2_090), at: 2_100.2).verdict, .admit)
    try expectEqual(bench.scan(made("e3", at: 2_100), at: 2_110.2).verdict, .admit)
    try expectEqual(bench.scan(made("e4", at: 2_110), at: 2_120.2).verdict, .refuse(.alreadyUsed))
  }

  @Test("While the ticket system is told of who is in, too, a ticket for two that a clock made look used is for staff")
  func whileTold() throws {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 2_000)
    let nothing = bench.outcome(
      .undecided(.unreachable, detail: nil), from: 2_000, to: 2_000, fate: .notSent, mayHaveRedeemed: false)
    let inside = bench.ledger.conclude(
      bench.key, attempt: attempt, outcome: nothing, wall: bench.wall(2_000), offline: OfflineRight())
    let owed = try #require(inside.isProvisional ? inside.admission : nil)
    let record = bench.redemption("e", 2_097, quantity: 2)
    try expectEqual(bench.scan(record, at: 2_100.2).verdict, .refuse(.alreadyUsed))
    expectEqual(
      bench.ledger.beginTelling(
        bench.key, owed: owed, attempt: AttemptID(), gate: bench.gate, at: bench.mono(2_110), wall: bench.wall(2_110)),
      .ask)
    expectEqual(known(&bench, bench.key, at: 2_111), .undecided(.interrupted))
  }

  @Test("Without Date what was learnt ends with the process: who is refused at that distance then is for staff")
  func learntAndForgotten() throws {
    var bench = LedgerBench()
    try expectEqual(present(&bench, 1...3, off: -180, hasDate: false), Self.twoRefused)
    expect(try present(&bench, 4...8, off: -180, proven: true, hasDate: false).allSatisfy { $0 == .admit })
    restart(&bench)
    try expectEqual(present(&bench, 9...9, off: -180, hasDate: false), [.undecided(.clockWrong)])
    // Where the clocks were put right, that is over with five that prove it.
    expect(try present(&bench, 10...14, off: 0, proven: true, hasDate: false).allSatisfy { $0 == .admit })
    try expectEqual(present(&bench, 15...15, off: -180, hasDate: false), [.refuse(.alreadyUsed)])
  }
}
