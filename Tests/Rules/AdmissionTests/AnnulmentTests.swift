import Admission
import Expectations
import Foundation
import ScanModel
import Testing

/// Admissions that are taken back because nobody passed, and records that a gate was not to admit on.
@Suite struct AnnulmentTests {
  private func redeemed(_ entry: String, _ at: Int64, quantity: Int = 1, refusal: RefuseReason? = nil) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: at), quantity: quantity, details: TicketDetails(),
        bar: refusal.map { GateBar(.refuse($0)) }))
  }

  private func annul(_ bench: inout LedgerBench, _ decision: AttemptDecision, at time: Double) throws -> Annulment {
    bench.ledger.annul(bench.key, admission: try #require(decision.admission), at: bench.mono(time))
  }

  @Test func theRecordWaitsForThePerson() throws {
    var bench = LedgerBench()
    expectEqual(bench.ledger.annul(bench.key, admission: AttemptID(), at: bench.mono(99)), .unknown)
    let first = try bench.scan(redeemed("e", 100), at: 100.1)
    // However long ago it was.
    try expectEqual(annul(&bench, first, at: 4_000), .takenBack)
    try expectEqual(annul(&bench, first, at: 4_001), .already)
    guard case .known(let again) = bench.begin(at: 4_002).1 else { return expect(false, "asked") }
    expect(again.verdict == .admit && again.entryID == "e" && again.admitted == 1)
    try expectEqual(annul(&bench, first, at: 4_003), .tooLate)
    try expectEqual(bench.scan(redeemed("e", 100), at: 4_004).verdict, .refuse(.alreadyUsed))
    try expectEqual(annul(&bench, again, at: 4_005), .takenBack)
  }

  @Test func oneAfterTheOtherFromTheLatest() throws {
    var bench = LedgerBench()
    let family = try (0..<3).map { try bench.scan(redeemed("e\($0)", 100 + $0, quantity: 3), at: Double($0) + 100.1) }
    expectEqual(family.map(\.admitted), [1, 2, 3])
    var journal: [LedgerPlace: Data] = [:]
    for (place, memory) in bench.ledger.takeChanges() { journal[place] = memory.map { Data($0.json) } }
    var next = LedgerBench()
    for (place, text) in journal {
      let memory = try JSONDecoder().decode(LedgerMemory.self, from: text)
      expect(next.ledger.restore(place, memory, age: 0, isSameBoot: true))
    }
    try expectEqual(annul(&next, family[1], at: 110), .tooLate)
    for (admitted, one) in family.enumerated().reversed() {
      try expectEqual(annul(&next, one, at: 111), .takenBack, "\(admitted)")
    }
    for admitted in 1...3 {
      guard case .known(let again) = next.begin(at: 120).1 else { return expect(false, "asked") }
      expect(again.verdict == .admit && again.admitted == admitted)
    }
    guard case .known(let fourth) = next.begin(at: 121).1 else { return expect(false, "asked") }
    expectEqual(fourth.verdict, .refuse(.alreadyUsed))
  }

  @Test func aRecordThatIsNotForThisGateAdmitsAtAnother() throws {
    for again in [110.0, 5_000] {
      var bench = LedgerBench()
      let refused = try bench.scan(redeemed("e", 100, refusal: .wrongEvent), at: 100.1)
      expect(refused.verdict == .refuse(.wrongEvent) && refused.admitted == 0 && refused.admission == nil)
      expectEqual(bench.ledger.unsettled.map(\.state), [.surplus(entryID: "e")])
      // Nobody but a gate that has asked knows whether it is one for it.
      try expectEqual(bench.scan(redeemed("e", 100, refusal: .wrongEvent), at: again).verdict, .refuse(.wrongEvent))
      let admitted = try bench.scan(redeemed("e", 100), at: again + 1)
      expect(admitted.verdict == .admit && admitted.entryID == "e" && admitted.note == nil)
      try expectEqual(
        bench.scan(redeemed("e", 100, refusal: .wrongEvent), at: again + 2).verdict, .refuse(.alreadyUsed))
      // Taken back, it is asked for again.
      try expectEqual(annul(&bench, admitted, at: again + 3), .takenBack)
      expectEqual(bench.begin(at: again + 4).1, .ask)
    }
  }

  @Test func onAlreadyUsedAloneNobodyPassesOnSuchARecord() throws {
    var bench = LedgerBench()
    _ = try bench.scan(redeemed("e", 100, refusal: .wrongEvent), at: 100.1)
    let second = try bench.scan(.refused(.alreadyUsed, detail: nil), at: 110, mayHaveRedeemed: false)
    expect(second.verdict == .undecided(.interrupted) && second.note == .ownRequestPossible)
  }

  @Test func aLateAnswerOfThatKindIsNotClaimed() throws {
    var bench = LedgerBench()
    let lost = try bench.lose(at: 100, pending: true)
    let late = bench.outcome(redeemed("e", 100, refusal: .wrongEvent), from: 100, to: 103, date: 103)
    expectEqual(
      bench.ledger.late(bench.key, attempt: lost, outcome: late, wall: bench.wall(103)), .surplus(entryID: "e"))
    expectEqual(bench.begin(at: 104).1, .ask)
  }

  // MARK: A gate's rule where nobody is asked

  /// Takes tickets of one event.
  private func rule(_ event: String) -> GateRule {
    GateRule { ticket in
      guard let told = ticket?.eventID else { return .unknown }
      return told == event ? .takes : .bars(GateBar(.refuse(.wrongEvent), detail: "of \(told)"))
    }
  }

  /// A late answer and an admission that was given back wait for their gate, and no other takes them.
  @Test(arguments: [true, false]) func whatIsClaimedWithoutARequestIsForTheRightGate(isLate: Bool) throws {
    var bench = LedgerBench()
    var told = redeemed("e", 100)
    if case .redeemed(var redemption) = told {
      redemption.details.eventID = "B"
      told = .redeemed(redemption)
    }
    if isLate {
      let lost = try bench.lose(at: 100, pending: true)
      _ = bench.ledger.late(
        bench.key, attempt: lost, outcome: bench.outcome(told, from: 100, to: 103, date: 103), wall: bench.wall(103))
    } else {
      let admitted = try bench.scan(told, at: 100.1)
      expect(bench.giveBack(admitted, at: 101))
    }
    for _ in 0..<2 {
      guard case .known(let refused) = bench.begin(at: 104, rule: rule("A")).1 else { return expect(false, "asked") }
      expect(refused.verdict == .refuse(.wrongEvent) && refused.detail == "of B" && refused.admitted == 0)
    }
    guard case .known(let admitted) = bench.begin(at: 105, rule: rule("B")).1 else { return expect(false, "asked") }
    expect(admitted.verdict == .admit && admitted.entryID == "e")
  }

  /// Where nobody has told the event, the gate asks; the answer shows it.
  @Test func whatIsNotKnownToBeForTheGateIsAskedFor() throws {
    var bench = LedgerBench()
    expect(bench.giveBack(try bench.scan(redeemed("e", 100), at: 100.1), at: 101))
    let (attempt, beginning) = bench.begin(at: 104, rule: rule("B"))
    expectEqual(beginning, .ask)
    // Not without an answer either, whatever it is that came.
    for answer in [TicketAnswer.undecided(.unreachable, detail: nil), .refused(.alreadyUsed, detail: nil)] {
      var ledger = bench.ledger
      let outcome = bench.outcome(answer, from: 104, to: 104.1, date: 104, mayHaveRedeemed: false)
      let decision = ledger.conclude(
        bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(104.1), rule: rule("B"))
      expect(decision.verdict != .admit && decision.admitted == 0, "\(decision)")
    }
    let shown = bench.outcome(redeemed("e", 100), from: 104, to: 104.1, date: 104)
    expectEqual(
      bench.ledger.conclude(bench.key, attempt: attempt, outcome: shown, wall: bench.wall(104.1), rule: rule("B"))
        .verdict, .admit)
  }

  /// Without its word, too: what the ticket system has told outranks the list.
  @Test func offlineNobodyPassesOnATicketOfAnotherEvent() throws {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100, rule: rule("A"))
    let right = OfflineRight(details: TicketDetails(eventID: "B"))
    let outcome = bench.outcome(
      .undecided(.unreachable, detail: nil), from: 100, to: 101, fate: .notSent, mayHaveRedeemed: false)
    let decision = bench.ledger.conclude(
      bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(101), offline: right, rule: rule("A"))
    expect(decision.verdict == .refuse(.wrongEvent) && !decision.isProvisional)
    expectEqual(bench.ledger.count, 0)
  }

  /// Nobody has passed on it without a request, so that not even a power cut leaves it to staff.
  @Test func whatWaitsForAnotherGateWaitsThroughAPowerCut() throws {
    var bench = LedgerBench()
    _ = try bench.scan(redeemed("e", 100, refusal: .wrongEvent), at: 100.1)
    let changes = bench.ledger.takeChanges()
    var next = LedgerBench()
    for (place, memory) in changes {
      guard let memory else { continue }
      let kept = try JSONDecoder().decode(LedgerMemory.self, from: Data(memory.json))
      expect(next.ledger.restore(place, kept, age: 0, isSameBoot: false))
    }
    let admitted = try next.scan(redeemed("e", 100), at: 7)
    expect(admitted.verdict == .admit && admitted.entryID == "e" && admitted.isOfAnotherGate)
    try expectEqual(next.scan(redeemed("e", 100), at: 8).verdict, .refuse(.alreadyUsed))
  }

  /// Whose ticket it is cannot be told: staff decide, and the record waits.
  @Test func aRecordThatCannotBeJudgedIsKept() throws {
    var bench = LedgerBench()
    var untold = redeemed("e", 100)
    if case .redeemed(var redemption) = untold {
      redemption.bar = GateBar(.undecided(.badAnswer), detail: "no event")
      untold = .redeemed(redemption)
    }
    let first = try bench.scan(untold, at: 100.1)
    expect(first.verdict == .undecided(.badAnswer) && first.detail == "no event" && first.admission == nil)
    try expectEqual(bench.scan(redeemed("e", 100), at: 110).verdict, .admit)
  }

  @Test func whoIsInWithoutTheTicketSystemsWordIsAConflict() throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    try expectEqual(
      bench.tell(owed, redeemed("e", 110, refusal: .wrongEvent), at: 110), .contradicted(.wrongEvent, nil))
    // The record is that person's.
    try expectEqual(bench.scan(redeemed("e", 110), at: 120).verdict, .refuse(.alreadyUsed))
  }
}
