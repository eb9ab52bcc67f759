import Expectations
import ScanModel
import Admission
import Testing

/// One ticket, one clock: our monotonic second `t` is the server's second `t` and our own.
struct LedgerBench {
  var ledger = AttemptLedger()
  let key = TicketKey([7])
  let gate = GateID("north")

  func mono(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
  func wall(_ seconds: Double) -> WallTime { WallTime(nanoseconds: Int64(seconds * 1e9)) }

  mutating func begin(
    at time: Double, ignoringPending: Bool = false, key other: TicketKey? = nil, folded: TicketKey? = nil,
    rule: GateRule? = nil
  ) -> (AttemptID, Beginning) {
    let attempt = AttemptID()
    let beginning = ledger.begin(
      other ?? key, folded: folded, attempt: attempt, gate: gate, at: mono(time), wall: wall(time),
      ignoringPending: ignoringPending, rule: rule)
    return (attempt, beginning)
  }

  func redemption(_ entry: String, _ scannedAt: Int64, quantity: Int = 1) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: scannedAt), quantity: quantity,
        details: TicketDetails(holder: "Ada")))
  }

  func outcome(
    _ answer: TicketAnswer, from sent: Double, to ended: Double, fate: AttemptOutcome.Fate = .answered,
    date: Int64? = nil, mayHaveRedeemed: Bool = true
  ) -> AttemptOutcome {
    AttemptOutcome(
      fate: fate, answer: answer, mayHaveRedeemed: mayHaveRedeemed, sentAt: mono(sent), endedAt: mono(ended),
      serverDate: date.map { WallTime(seconds: $0) })
  }

  /// Presents at `sent`, with an answer 0.1 s later whose `Date` is right.
  mutating func scan(
    _ answer: TicketAnswer, at sent: Double, date: Int64? = nil, key other: TicketKey? = nil,
    mayHaveRedeemed: Bool = true
  ) throws -> AttemptDecision {
    let (attempt, beginning) = begin(at: sent, ignoringPending: true, key: other)
    if case .known(let decision) = beginning { return decision }
    try #require(beginning == .ask)
    let outcome = outcome(
      answer, from: sent, to: sent + 0.1, date: date ?? Int64(sent + 0.1), mayHaveRedeemed: mayHaveRedeemed)
    return ledger.conclude(other ?? key, attempt: attempt, outcome: outcome, wall: wall(sent + 0.1))
  }

  mutating func giveBack(_ decision: AttemptDecision, at time: Double, key other: TicketKey? = nil) -> Bool {
    guard let admission = decision.admission else { return false }
    return ledger.giveBack(other ?? key, admission: admission, at: mono(time))
  }

  /// Presents at `sent` and loses the answer.
  mutating func lose(at sent: Double, pending: Bool = false) throws -> AttemptID {
    let (attempt, beginning) = begin(at: sent, ignoringPending: true)
    try #require(beginning == .ask)
    let outcome = outcome(
      .undecided(.unreachable, detail: nil), from: sent, to: sent + 2.5, fate: pending ? .pending : .lost)
    let decision = ledger.conclude(key, attempt: attempt, outcome: outcome, wall: wall(sent + 2.5))
    expectEqual(decision.verdict, .undecided(.unreachable))
    return attempt
  }
}

@Suite("Attempt ledger")
struct AttemptLedgerTests {
  @Test("A fresh record admits; the same ticket again is known used and costs no request")
  func entryOnce() throws {
    var bench = LedgerBench()
    let first = try bench.scan(bench.redemption("e", 100), at: 100.2)
    expectEqual(first.verdict, .admit)
    expect(first.admitted == 1 && first.details?.holder == "Ada")
    let request = try #require(first.admission)
    let (_, again) = bench.begin(at: 110)
    guard case .known(let decision) = again else { return expect(false, "asked again: \(again)") }
    expectEqual(decision.verdict, .refuse(.alreadyUsed))
    expectEqual(decision.firstUse, .init(gate: bench.gate, at: bench.wall(100.3), request: request))
  }

  @Test("With several tickets in the sale the kind is asked for; the same record proves an entry secret")
  func entryOfALargerSale() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(bench.redemption("e", 100, quantity: 3), at: 100.2).verdict, .admit)
    try expectEqual(bench.scan(bench.redemption("e", 100, quantity: 3), at: 110).verdict, .refuse(.alreadyUsed))
    guard case .known = bench.begin(at: 111).1 else { return expect(false, "an entry secret is asked again") }
  }

  @Test("A sale secret admits as often as its quantity")
  func saleQuantity() throws {
    var bench = LedgerBench()
    for (index, second) in [100, 110, 120].enumerated() {
      let decision = try bench.scan(bench.redemption("e\(index)", Int64(second), quantity: 3), at: Double(second) + 0.1)
      expect(decision.verdict == .admit && decision.admitted == index + 1)
    }
    let (_, fourth) = bench.begin(at: 130)
    guard case .known(let decision) = fourth else { return expect(false, "asked a fourth time") }
    expect(decision.verdict == .refuse(.alreadyUsed) && decision.allowance == 3)
  }

  @Test(
    "The second is the margin: Date and record are rounded down", arguments: [(99, true), (98, false), (100, true)])
  func margin(scannedAt: Int64, admits: Bool) throws {
    // Sent at 100.2, answered at 100.3, Date 100: a record can be of 99.9, which reads 99, but not of 98.
    var bench = LedgerBench()
    let decision = try bench.scan(bench.redemption("e", scannedAt), at: 100.2)
    expectEqual(decision.verdict, (admits ? .admit : .refuse(.alreadyUsed)))
    expectEqual(decision.note, (admits ? nil : .usedElsewhere))
    if !admits { expectEqual(decision.firstUse, .init(gate: nil, at: WallTime(seconds: scannedAt))) }
  }

  @Test(
    "A known offset of the records' clock moves what is fresh, and does not widen it",
    arguments: [
      (-3, 97, true), (-3, 96, true), (-3, 95, false), (-60, 40, true), (-60, 38, false), (4, 104, true),
      (4, 101, false),
    ])
  func recordOffset(offset: Int, scannedAt: Int64, admits: Bool) throws {
    var bench = LedgerBench()
    bench.ledger = AttemptLedger(AttemptPolicy(recordOffset: .seconds(offset)))
    try expectEqual(bench.scan(bench.redemption("e", scannedAt), at: 100.2).verdict == .admit, admits)
  }

  @Test("Without Date our own clock serves, to 2 s", arguments: [(97, false), (98, true), (103, true)])
  func noDate(scannedAt: Int64, admits: Bool) throws {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100.2)
    let outcome = bench.outcome(bench.redemption("e", scannedAt), from: 100.2, to: 100.3)
    let decision = bench.ledger.conclude(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(100.3))
    expectEqual((decision.verdict == .admit), admits)
  }

  @Test("The quantity in the latest answer counts: a record beyond it is refused and listed")
  func quantityShrinks() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(bench.redemption("e1", 100, quantity: 2), at: 100.1).verdict, .admit)
    let decision = try bench.scan(bench.redemption("e2", 110, quantity: 1), at: 110.1)
    expect(decision.verdict == .refuse(.alreadyUsed) && decision.note == .surplusPossible)
    expectEqual(bench.ledger.unsettled.map(\.state), [.surplus(entryID: "e2")])
  }

  @Test("A record later than the server's own clock is undecided, now and whenever it is shown again")
  func recordAhead() throws {
    var bench = LedgerBench()
    let first = try bench.scan(bench.redemption("e", 160), at: 100.2)
    expect(first.verdict == .undecided(.clockWrong) && first.note == .recordAhead)
    try expectEqual(bench.scan(bench.redemption("e", 160), at: 160.2).verdict, .undecided(.clockWrong))
    expectEqual(bench.ledger.unsettled.map(\.state), [.recordAhead(entryID: "e")])
  }

  @Test("A lost answer is recognised when the person presents again")
  func lostAnswer() throws {
    var bench = LedgerBench()
    let lost = try bench.lose(at: 100.2)
    expectEqual(bench.ledger.unsettled.map(\.attempt), [lost])
    let decision = try bench.scan(bench.redemption("e", 100), at: 130)
    expect(decision.verdict == .admit && decision.note == .ownLostAnswer)
    expect(bench.ledger.unsettled.isEmpty)
  }

  @Test("A record from before our lost attempt is not ours")
  func lostAnswerDoesNotExcuseEarlierUse() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.2)
    try expectEqual(bench.scan(bench.redemption("e", 90), at: 130).verdict, .refuse(.alreadyUsed))
  }

  @Test("A record from after the grace of our lost attempt is not ours")
  func lostAnswerGraceEnds() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.2)
    // Ended at 102.7, grace until 132.7; Date hides a second.
    try expectEqual(bench.scan(bench.redemption("e", 136), at: 300).verdict, .refuse(.alreadyUsed))
  }

  @Test("A pending attempt is waited for, and its late answer admits the next presentation without a request")
  func lateClaim() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.2, pending: true)
    expectEqual(bench.begin(at: 103).1, .pending(attempt))
    let outcome = bench.outcome(bench.redemption("e", 100), from: 100.2, to: 104, date: 104)
    let late = bench.ledger.late(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(104))
    expectEqual(late, .claimable(entryID: "e"))
    expectEqual(bench.ledger.unsettled.map(\.state), [.surplus(entryID: "e")])
    let (_, next) = bench.begin(at: 110)
    guard case .known(let decision) = next else { return expect(false, "not claimed: \(next)") }
    expect(decision.verdict == .admit && decision.note == .ownLostAnswer)
    expect(bench.ledger.unsettled.isEmpty)
    guard case .known(let second) = bench.begin(at: 111).1 else { return expect(false, "asked") }
    expectEqual(second.verdict, .refuse(.alreadyUsed))
    // The presentation that claims it sends none.
    expectEqual(second.firstUse, .init(gate: bench.gate, at: bench.wall(110), request: attempt))
  }

  @Test("A late answer that overtakes the word that its attempt is pending admits at once")
  func overtaking() {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100.2)
    let late = bench.outcome(bench.redemption("e", 100), from: 100.2, to: 102.8, date: 102)
    let result = bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(102.8))
    expect(result == .overtaking && bench.ledger.isLocked(bench.key))
    let pending = bench.outcome(.undecided(.unreachable, detail: nil), from: 100.2, to: 102.7, fate: .pending)
    let decision = bench.ledger.conclude(bench.key, attempt: attempt, outcome: pending, wall: bench.wall(102.7))
    expect(decision.verdict == .admit && decision.note == .ownLostAnswer)
    expect(bench.ledger.unsettled.isEmpty && !bench.ledger.isLocked(bench.key))
  }

  @Test("A claim ends; then the server is asked, and the record is still ours")
  func claimEnds() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.2, pending: true)
    let outcome = bench.outcome(bench.redemption("e", 100), from: 100.2, to: 104, date: 104)
    _ = bench.ledger.late(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(104))
    let decision = try bench.scan(bench.redemption("e", 100), at: 500)
    expect(decision.verdict == .admit && decision.note == .ownLostAnswer)
  }

  @Test("A refusal withdraws a claim: a ticket that was refunded meanwhile needs the server's word")
  func refusalWithdrawsClaim() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.2, pending: true)
    let (second, beginning) = bench.begin(at: 103, ignoringPending: true)
    try #require(beginning == .ask)
    let outcome = bench.outcome(bench.redemption("e", 100), from: 100.2, to: 103.5, date: 103)
    _ = bench.ledger.late(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(103.5))
    let refused = bench.outcome(.refused(.refunded, detail: "refunded"), from: 103, to: 104, date: 104)
    let decision = bench.ledger.conclude(bench.key, attempt: second, outcome: refused, wall: bench.wall(104))
    expect(decision.verdict == .refuse(.refunded) && decision.detail == "refunded")
    expectEqual(bench.begin(at: 105).1, .ask)
  }

  @Test("A late answer while the next request is out serves that request's conclusion")
  func lateDuringTheNextRequest() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.2, pending: true)
    let (second, _) = bench.begin(at: 103, ignoringPending: true)
    let late = bench.outcome(bench.redemption("e", 100), from: 100.2, to: 103.5, date: 103)
    _ = bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(103.5))
    expectEqual(bench.begin(at: 103.6).1, .locked(by: second))
    let lost = bench.outcome(.undecided(.unreachable, detail: nil), from: 103, to: 105.5, fate: .lost)
    let decision = bench.ledger.conclude(bench.key, attempt: second, outcome: lost, wall: bench.wall(105.5))
    expect(decision.verdict == .admit && decision.admitted == 1)
  }

  @Test("A lost sale record leaves a surplus at the server, never an admission too many")
  func saleSurplus() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.2, pending: true)
    try expectEqual(bench.scan(bench.redemption("e2", 103), at: 103.1).verdict, .admit)
    let late = bench.outcome(bench.redemption("e1", 101), from: 100.2, to: 104, date: 104)
    let result = bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(104))
    expectEqual(result, .surplus(entryID: "e1"))
    expectEqual(bench.ledger.unsettled.map(\.state), [.surplus(entryID: "e1")])
    guard case .known(let decision) = bench.begin(at: 110).1 else { return expect(false, "asked") }
    expectEqual(decision.verdict, .refuse(.alreadyUsed))
  }

  @Test("A second record for a proven entry secret opens nothing")
  func contradiction() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.2, pending: true)
    let (second, _) = bench.begin(at: 103, ignoringPending: true)
    // The late answer finds the ticket used long before, the other makes a new record.
    let late = bench.outcome(bench.redemption("old", 10), from: 100.2, to: 103.5, date: 103)
    let result = bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(103.5))
    expectEqual(result, .usedElsewhere(entryID: "old"))
    let fresh = bench.outcome(bench.redemption("new", 103), from: 103, to: 103.6, date: 103)
    let decision = bench.ledger.conclude(bench.key, attempt: second, outcome: fresh, wall: bench.wall(103.6))
    expect(decision.verdict == .undecided(.badAnswer) && decision.note == .contradiction)
  }

  @Test(
    "Refused for what our own lost request may have done: for staff, however late, until it is known that it did nothing",
    arguments: [RefuseReason.alreadyUsed, .unpaid, .tooSoon])
  func ownRequestMayBeTheReason(reason: RefuseReason) throws {
    let refusal = TicketAnswer.refused(reason, detail: "spent")
    for isPending in [false, true] {
      var bench = LedgerBench()
      _ = try bench.lose(at: 100, pending: isPending)
      for time in [110, 133, 5_000] as [Double] {
        let decision = try bench.scan(refusal, at: time, mayHaveRedeemed: false)
        expectEqual(decision.verdict, .undecided(.interrupted))
        expect(decision.note == .ownRequestPossible && decision.detail == "spent" && decision.admitted == 0)
      }
    }
    var bench = LedgerBench()
    _ = try bench.lose(at: 100)
    bench.ledger.noneRedeemed(bench.key, before: bench.mono(200))
    try expectEqual(bench.scan(refusal, at: 210, mayHaveRedeemed: false).verdict, .refuse(reason))
  }

  @Test(
    "Our own lost request explains no other refusal",
    arguments: [
      RefuseReason.cancelled, .refunded, .wrongDay, .notFound, .expired, .notAuthorised, .wrongEvent, .wrongKind,
      .tooEarly, .tooLate, .notGenuine,
    ])
  func ownRequestIsNotTheReason(reason: RefuseReason) throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100)
    try expectEqual(bench.scan(.refused(reason, detail: nil), at: 110, mayHaveRedeemed: false).verdict, .refuse(reason))
  }

  @Test("An attempt that was itself refused explains no refusal, not after a restart of the machine either")
  func refusedExplainsNothing() throws {
    let unpaid = TicketAnswer.refused(.unpaid, detail: nil)
    var bench = LedgerBench()
    for time in [100, 110, 120] as [Double] { try expectEqual(bench.scan(unpaid, at: time).verdict, .refuse(.unpaid)) }
    let changes = bench.ledger.takeChanges()
    let memory = try #require(changes[.ticket(bench.key)] ?? nil)
    var next = LedgerBench()
    _ = next.ledger.restore(.ticket(next.key), memory, age: 0, isSameBoot: false)
    try expectEqual(next.scan(unpaid, at: 200, mayHaveRedeemed: false).verdict, .refuse(.unpaid))
    next = LedgerBench()
    _ = next.ledger.restore(.ticket(next.key), memory, age: 0, isSameBoot: false)
    try expectEqual(
      next.scan(.refused(.alreadyUsed, detail: nil), at: 200, mayHaveRedeemed: false).verdict, .refuse(.alreadyUsed))
  }

  @Test("A ticket for two, one in, one lost, then said to be used: the second is for staff")
  func secondOfTwo() throws {
    var bench = LedgerBench()
    let valid = TicketAnswer.valid(Entitlement(quantity: 2, details: TicketDetails()))
    try expectEqual(bench.scan(valid, at: 100).verdict, .admit)
    _ = try bench.lose(at: 110)
    try expectEqual(
      bench.scan(.refused(.alreadyUsed, detail: nil), at: 120, mayHaveRedeemed: false).verdict, .undecided(.interrupted)
    )
    try expectEqual(bench.scan(valid, at: 130).verdict, .admit)
    try expectEqual(bench.scan(valid, at: 140).verdict, .refuse(.alreadyUsed))
  }

  @Test("Once alreadyUsed was said with nothing of ours open, a later lost attempt excuses nothing")
  func usedIsUsed() throws {
    var bench = LedgerBench()
    let refusal = TicketAnswer.refused(.alreadyUsed, detail: nil)
    try expectEqual(bench.scan(refusal, at: 100).verdict, .refuse(.alreadyUsed))
    guard case .known(let decision) = bench.begin(at: 101).1 else { return expect(false, "asked again") }
    expect(decision.verdict == .refuse(.alreadyUsed) && decision.note == .usedElsewhere)
  }

  @Test("A system without redeeming: the book is ours")
  func book() throws {
    var bench = LedgerBench()
    let valid = TicketAnswer.valid(Entitlement(quantity: 2, details: TicketDetails()))
    try expectEqual(bench.scan(valid, at: 100).verdict, .admit)
    try expectEqual(bench.scan(valid, at: 110).verdict, .admit)
    try expectEqual(bench.scan(valid, at: 120).verdict, .refuse(.alreadyUsed))
  }

  @Test("Refused and never sent leave no trace; abandon and conclude unlock")
  func noTrace() throws {
    var bench = LedgerBench()
    try expectEqual(
      bench.scan(.refused(.notFound, detail: nil), at: 100, mayHaveRedeemed: false).verdict, .refuse(.notFound))
    expectEqual(bench.ledger.count, 0)
    let (attempt, _) = bench.begin(at: 101)
    expectEqual(bench.begin(at: 101.5).1, .locked(by: attempt))
    bench.ledger.abandon(bench.key, attempt: AttemptID())
    expect(bench.ledger.isLocked(bench.key))
    bench.ledger.abandon(bench.key, attempt: attempt)
    expectEqual(bench.ledger.count, 0)
  }

  @Test("What only ever was unsettled can be forgotten; admissions cannot")
  func forgetting() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100)
    bench.ledger.forget(endedBefore: bench.mono(102))
    expectEqual(bench.ledger.count, 1)
    bench.ledger.forget(endedBefore: bench.mono(200))
    expectEqual(bench.ledger.count, 0)
    _ = try bench.scan(bench.redemption("e", 300), at: 300.2)
    bench.ledger.forget(endedBefore: bench.mono(1_000))
    expectEqual(bench.ledger.count, 1)
  }

  @Test("An outcome that belongs to nothing changes nothing")
  func strangers() {
    var bench = LedgerBench()
    let outcome = bench.outcome(bench.redemption("e", 100), from: 100, to: 100.1, date: 100)
    let decision = bench.ledger.conclude(bench.key, attempt: AttemptID(), outcome: outcome, wall: bench.wall(100))
    expect(decision.verdict == .undecided(.badAnswer) && decision.note == .unknownAttempt)
    expectEqual(bench.ledger.late(bench.key, attempt: AttemptID(), outcome: outcome, wall: bench.wall(100)), .ignored)
    expectEqual(bench.ledger.count, 0)
  }

  @Test(
    "A half answer never admits, whatever the adapter made of it",
    arguments: [.lost, .pending, .notSent] as [AttemptOutcome.Fate])
  func halfAnswer(fate: AttemptOutcome.Fate) {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100)
    let outcome = bench.outcome(bench.redemption("e", 100), from: 100, to: 100.1, fate: fate, date: 100)
    let decision = bench.ledger.conclude(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(100.1))
    expectEqual(decision.verdict, .undecided(.badAnswer))
    expect(!bench.ledger.isLocked(bench.key))
  }

  @Test("Times at the ends of the range do not trap", arguments: [Int64.min, 0, Int64.max])
  func extremeTimes(nanoseconds: Int64) {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100)
    let extreme = MonotonicTime(nanoseconds: nanoseconds)
    let redemption = Redemption(
      entryID: "e", scannedAt: WallTime(nanoseconds: nanoseconds), quantity: .min, details: TicketDetails())
    let outcome = AttemptOutcome(
      fate: .answered, answer: .redeemed(redemption), mayHaveRedeemed: true, sentAt: extreme, endedAt: extreme,
      serverDate: WallTime(nanoseconds: Int64.max &- nanoseconds))
    let decision = bench.ledger.conclude(
      bench.key, attempt: attempt, outcome: outcome, wall: WallTime(nanoseconds: nanoseconds))
    expectEqual(decision.allowance, 1)
    expect(!bench.ledger.isLocked(bench.key))
  }
}
