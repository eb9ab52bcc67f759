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
        refusal: refusal))
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

  @Test func whoIsInWithoutTheTicketSystemsWordIsAConflict() throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    try expectEqual(
      bench.tell(owed, redeemed("e", 110, refusal: .wrongEvent), at: 110), .contradicted(.wrongEvent, nil))
    // The record is that person's.
    try expectEqual(bench.scan(redeemed("e", 110), at: 120).verdict, .refuse(.alreadyUsed))
  }
}
