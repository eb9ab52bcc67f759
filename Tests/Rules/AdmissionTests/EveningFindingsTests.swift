import Expectations
import ScanModel
import Admission
import Testing

/// What random evenings have found, each as small as it gets.
@Suite("What evenings have found")
struct EveningFindingsTests {
  private static let folded = TicketKey([9])
  private static let (small, capital) = (TicketKey([97]), TicketKey([65]))

  private func made(_ entry: String, at time: Int64, quantity: Int = 1, sale: Int? = nil) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: time), quantity: quantity, sale: "s",
        saleQuantity: sale ?? quantity,
        details: TicketDetails()))
  }

  private func proven(_ bench: inout LedgerBench, _ numbers: ClosedRange<Int>, off: Int64) throws {
    for number in numbers {
      let (at, key) = (2_000.2 + Double(number) * 10, TicketKey([3, UInt8(number)]))
      let (attempt, beginning) = bench.begin(at: at, key: key)
      try #require(beginning == .ask)
      let outcome = bench.outcome(
        bench.redemption("p\(number)", Int64(at) + off), from: at, to: at + 0.1, date: Int64(at + 0.1))
      let decision = bench.ledger.conclude(
        key, attempt: attempt, outcome: outcome, wall: bench.wall(at + 0.1), wasUnused: true)
      expectEqual(decision.verdict, .admit)
    }
  }

  @Test(
    "Lost, and then taken for used by a clock that is behind: for staff, and admitted once the clocks are understood")
  func lostByWrongClock() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    try expectEqual(bench.scan(bench.redemption("e", 97), at: 140.2).verdict, .refuse(.alreadyUsed))
    guard case .known(let again) = bench.begin(at: 150).1 else { return expect(false, "asked") }
    expectEqual(again.verdict, .undecided(.interrupted))
    // Two more that missed by a moment raise the doubt, five proven ones tell the offset.
    for number in 0..<2 {
      let at = 200.2 + Double(number) * 10
      _ = try bench.scan(bench.redemption("m\(number)", Int64(at) - 4), at: at, key: TicketKey([2, UInt8(number)]))
    }
    try proven(&bench, 1...5, off: -4)
    expect(try bench.scan(bench.redemption("e", 97), at: 2_100.2).verdict == .admit)
  }

  @Test(
    "Refused for the money, and paid: a record that a clock dates a moment after the refusal is for staff, not used elsewhere"
  )
  func refusedByWrongClock() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(.refused(.expired, detail: nil), at: 100.5).verdict, .refuse(.expired))
    try expectEqual(bench.scan(bench.redemption("e", 104), at: 200.5).verdict, .refuse(.alreadyUsed))
    guard case .known(let again) = bench.begin(at: 210).1 else { return expect(false, "asked") }
    expectEqual(again.verdict, .undecided(.interrupted))
  }

  @Test("A use a moment after the half minute is for staff when it comes again, and admits nobody")
  func afterTheGrace() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    try expectEqual(bench.scan(bench.redemption("e", 137), at: 200.2).verdict, .refuse(.alreadyUsed))
    guard case .known(let again) = bench.begin(at: 210).1 else { return expect(false, "asked") }
    expectEqual(again.verdict, .undecided(.interrupted))
  }

  @Test("Not paid, says a server of a ticket that our own late answer has spent: for staff")
  func spentByOurLateAnswer() throws {
    var bench = LedgerBench()
    let lost = try bench.lose(at: 100.2, pending: true)
    let late = bench.outcome(bench.redemption("e", 103), from: 100.2, to: 104, date: 104)
    expectEqual(
      bench.ledger.late(bench.key, attempt: lost, outcome: late, wall: bench.wall(104)), .claimable(entryID: "e"))
    expect(bench.ledger.mayBeSpentByUs(bench.key))
    // Five minutes later nobody passes on the claim alone.
    let asked = try bench.scan(.refused(.unpaid, detail: nil), at: 500.2, mayHaveRedeemed: false)
    expect(asked.verdict == .undecided(.interrupted) && asked.note == .ownRequestPossible)
  }

  @Test("Not paid, says a server of a ticket whose admission was given back long ago: for staff")
  func unpaidAfterGivingBack() throws {
    var bench = LedgerBench()
    let first = try bench.scan(.valid(Entitlement(quantity: 1, details: TicketDetails())), at: 100.2)
    expectEqual(bench.giveBack(first, at: 101), true)
    let asked = try bench.scan(.refused(.unpaid, detail: nil), at: 500.2, mayHaveRedeemed: false)
    expect(asked.verdict == .undecided(.interrupted) && asked.note == .ownRequestPossible)
  }

  @Test(
    "A sale's secret whose first request was lost is for several still, though a clock makes its next record look like that one's"
  )
  func saleSecretByWrongClock() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    let first = try bench.scan(made("e2", at: 121, quantity: 2), at: 124.2)
    expect(first.verdict == .admit && first.note == .ownLostAnswer)
    try expectEqual(bench.scan(made("e3", at: 141, quantity: 2), at: 141.2).verdict, .admit)
    try expectEqual(bench.scan(made("e4", at: 151, quantity: 2), at: 151.2).verdict, .refuse(.alreadyUsed))
  }

  @Test("Of a sale's secret two records in one row may look like those of a lost request: both are of its own")
  func twoLikeTheLostOne() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    try expectEqual(bench.scan(made("e2", at: 121, quantity: 2), at: 124.2).verdict, .admit)
    try expectEqual(bench.scan(made("e3", at: 123, quantity: 2), at: 126.2).verdict, .admit)
    try expectEqual(bench.scan(made("e4", at: 141, quantity: 2), at: 141.2).verdict, .refuse(.alreadyUsed))
  }

  @Test("A late answer that looks like that of an earlier request makes no entry secret of a sale's")
  func lateLikeTheLostOne() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    let second = try bench.lose(at: 130.2, pending: true)
    let late = bench.outcome(made("e1", at: 125, quantity: 2), from: 130.2, to: 134, date: 134)
    expectEqual(
      bench.ledger.late(bench.key, attempt: second, outcome: late, wall: bench.wall(134)), .claimable(entryID: "e1"))
    try expectEqual(bench.scan(made("-", at: 0), at: 135.2).verdict, .admit)
    try expectEqual(bench.scan(made("e2", at: 150, quantity: 2), at: 150.2).verdict, .admit)
  }

  @Test("An old record besides another is for staff while the clocks are doubted, and as long as that may be why")
  func secondRecordDoubted() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", at: 100, quantity: 2), at: 100.2).verdict, .admit)
    // A record of the future raises the doubt.
    _ = try bench.scan(bench.redemption("f", 190), at: 110.2, key: TicketKey([2]))
    let old = try bench.scan(made("e2", at: 50, quantity: 2), at: 120.2)
    expect(old.verdict == .undecided(.clockWrong) && old.note == .recordBehind)
    guard case .known(let again) = bench.begin(at: 130).1 else { return expect(false, "asked") }
    expect(again.verdict == .undecided(.clockWrong) && again.note == .recordBehind)
  }

  @Test("Told of by a request whose record looks like that of a lost one, a sale's secret is for several still")
  func toldLikeTheLostOne() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    let owed = try provisional(&bench, at: 140)
    let telling = AttemptID()
    expectEqual(
      bench.ledger.beginTelling(
        bench.key, owed: owed, attempt: telling, gate: bench.gate, at: bench.mono(200), wall: bench.wall(200)), .ask)
    let outcome = bench.outcome(made("e1", at: 120, quantity: 2), from: 200, to: 200.1, date: 200)
    expectEqual(
      bench.ledger.told(bench.key, owed: owed, attempt: telling, outcome: outcome, wall: bench.wall(200)),
      .confirmed(entryID: "e1"))
    try expectEqual(bench.scan(made("e2", at: 300, quantity: 2), at: 300.2).verdict, .admit)
  }

  @Test("A sale's secret that shows an old record besides another is not refused as used while it is for more")
  func secondRecordOld() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", at: 100, quantity: 2), at: 100.2).verdict, .admit)
    let old = try bench.scan(made("e2", at: 50, quantity: 2), at: 120.2)
    expect(old.verdict == .undecided(.badAnswer) && old.note == .contradiction)
  }

  @Test("Who comes after a contradicted admission, with a ticket that may be for several, is told to scan again")
  func afterContradiction() throws {
    var bench = LedgerBench()
    let owed = try provisional(&bench, at: 100)
    let telling = AttemptID()
    expectEqual(
      bench.ledger.beginTelling(
        bench.key, owed: owed, attempt: telling, gate: bench.gate, at: bench.mono(200), wall: bench.wall(200)), .ask)
    let outcome = bench.outcome(.refused(.unpaid, detail: nil), from: 200, to: 200.1, mayHaveRedeemed: false)
    expectEqual(
      bench.ledger.told(bench.key, owed: owed, attempt: telling, outcome: outcome, wall: bench.wall(200)),
      .contradicted(.unpaid, nil))
    try expectEqual(bench.scan(made("e1", at: 300, quantity: 2), at: 300.2).verdict, .undecided(.busy))
    try expectEqual(bench.scan(made("e2", at: 310, quantity: 2), at: 310.2).verdict, .admit)
    try expectEqual(bench.scan(made("e3", at: 320, quantity: 2), at: 320.2).verdict, .refuse(.alreadyUsed))
  }

  private func provisional(_ bench: inout LedgerBench, at time: Double) throws -> AttemptID {
    let (attempt, _) = bench.begin(at: time)
    let nothing = bench.outcome(
      .undecided(.unreachable, detail: nil), from: time, to: time, fate: .notSent, mayHaveRedeemed: false)
    let decision = bench.ledger.conclude(
      bench.key, attempt: attempt, outcome: nothing, wall: bench.wall(time), offline: OfflineRight())
    return try #require(decision.isProvisional ? decision.admission : nil)
  }

  @Test("What overtook its conclusion counts in its sale, however much is let go of in between")
  func overtakenAndLetGo() throws {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100, key: Self.small)
    try expectEqual(bench.scan(made("e1", at: 101, sale: 1), at: 101.2, key: Self.capital).verdict, .admit)
    var stored: [LedgerPlace: LedgerMemory?] = bench.ledger.takeChanges()
    let late = bench.outcome(made("e2", at: 102, sale: 1), from: 100, to: 103, date: 103)
    expectEqual(
      bench.ledger.late(Self.small, attempt: attempt, outcome: late, wall: bench.wall(103)), .overtaking)
    stored.merge(bench.ledger.takeChanges()) { $1 }
    bench.ledger.letGo(beyond: 0)
    let pending = bench.outcome(.undecided(.unreachable, detail: nil), from: 100, to: 102.5, fate: .pending)
    for place in bench.ledger.missing(for: pending) {
      if let memory = stored[place] ?? nil {
        _ = bench.ledger.restore(place, memory, age: bench.ledger.age, isSameBoot: true)
      }
    }
    let decision = bench.ledger.conclude(Self.small, attempt: attempt, outcome: pending, wall: bench.wall(103))
    expect(decision.verdict != .admit)
  }

  @Test("A claim after a restart does not forget which code the record is of")
  func ownerAfterRestart() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", at: 100), at: 100.2, key: Self.small)
    expectEqual(bench.giveBack(first, at: 101, key: Self.small), true)
    var stored: [LedgerPlace: LedgerMemory?] = bench.ledger.takeChanges()
    bench.ledger = AttemptLedger()
    restore(&bench, bench.ledger.missing(Self.small), stored)
    restore(&bench, bench.ledger.missing(Self.small), stored)
    guard case .known(let claimed) = bench.begin(at: 110, key: Self.small).1 else { return expect(false, "asked") }
    expectEqual(claimed.verdict, .admit)
    stored.merge(bench.ledger.takeChanges()) { $1 }
    expect(stored[.entry("e1")] != nil && stored[.entry("e1")] != .some(nil), "the record's owner is forgotten")
    guard case .known(let again) = bench.begin(at: 120, key: Self.small).1 else { return expect(false, "asked") }
    expectEqual(again.verdict, .refuse(.alreadyUsed))
  }

  @Test("Who is given back after the ledger let go of it does not make it forget which code the record is of")
  func ownerAfterGivingBack() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", at: 100), at: 100.2, key: Self.small)
    var stored: [LedgerPlace: LedgerMemory?] = bench.ledger.takeChanges()
    bench.ledger.letGo(beyond: 0)
    restore(&bench, bench.ledger.missing(Self.small), stored)
    expectEqual(bench.giveBack(first, at: 101, key: Self.small), true)
    stored.merge(bench.ledger.takeChanges()) { $1 }
    expect(stored[.entry("e1")] != nil && stored[.entry("e1")] != .some(nil), "the record's owner is forgotten")
  }

  private func restore(_ bench: inout LedgerBench, _ places: [LedgerPlace], _ stored: [LedgerPlace: LedgerMemory?]) {
    for place in places {
      guard let memory = stored[place] ?? nil else { continue }
      expect(bench.ledger.restore(place, memory, age: bench.ledger.age, isSameBoot: true))
    }
  }

  @Test("However long the process was away, a use half a minute after the longest request is another's")
  func longAway() throws {
    var bench = LedgerBench()
    bench.ledger.interrupt(
      bench.key, attempt: AttemptID(), gate: bench.gate, began: bench.mono(100), wall: bench.wall(100),
      at: bench.mono(4_000), isSameBoot: true)
    try expectEqual(bench.scan(bench.redemption("e", 1_000), at: 4_100.2).verdict, .refuse(.alreadyUsed))
  }

  @Test("What the ticket system has told to be for several is said to be so, until it has shown it")
  func mayBeForMore() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", at: 100, quantity: 3), at: 100.2)
    expect(first.verdict == .admit && first.mayBeForMore)
    let second = try bench.scan(made("e2", at: 110, quantity: 3), at: 110.2)
    expect(second.verdict == .admit && !second.mayBeForMore)
  }
}
