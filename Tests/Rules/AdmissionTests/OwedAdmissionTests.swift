import Expectations
import Foundation
import ScanModel
import Admission
import Testing

extension LedgerBench {
  /// Presents while the ticket system is known to be offline: nothing is sent.
  mutating func offline(
    at time: Double, _ right: OfflineRight? = OfflineRight(), key other: TicketKey? = nil
  ) throws -> AttemptDecision {
    try unanswered(at: time, right, .notSent, key: other)
  }

  /// Presents, and no answer comes in time.
  mutating func unanswered(
    at time: Double, _ right: OfflineRight?, _ fate: AttemptOutcome.Fate,
    key other: TicketKey? = nil
  ) throws -> AttemptDecision {
    let (attempt, beginning) = begin(at: time, ignoringPending: true, key: other)
    if case .known(let decision) = beginning { return decision }
    try #require(beginning == .ask)
    let outcome = AttemptOutcome(
      fate: fate, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: fate != .notSent,
      sentAt: fate == .notSent ? nil : mono(time), endedAt: mono(time + 1), offline: .timeOut)
    return ledger.conclude(
      other ?? key, attempt: attempt, outcome: outcome, wall: wall(time + 1), offline: right)
  }

  mutating func beginTelling(
    _ owed: AttemptDecision, at time: Double, key other: TicketKey? = nil
  ) throws -> (AttemptID, Telling) {
    let attempt = AttemptID()
    let telling = ledger.beginTelling(
      other ?? key, owed: try #require(owed.admission), attempt: attempt, gate: gate, at: mono(time), wall: wall(time))
    return (attempt, telling)
  }

  /// Tells with an answer 0.1 s later whose `Date` is right.
  mutating func tell(
    _ owed: AttemptDecision, _ answer: TicketAnswer, at time: Double, fate: AttemptOutcome.Fate = .answered,
    mayHaveRedeemed: Bool = true, key other: TicketKey? = nil
  ) throws -> ToldRecord {
    let (attempt, telling) = try beginTelling(owed, at: time, key: other)
    try #require(telling == .ask)
    let outcome = outcome(
      answer, from: time, to: time + 0.1, fate: fate, date: Int64(time + 0.1), mayHaveRedeemed: mayHaveRedeemed)
    return ledger.told(
      other ?? key, owed: try #require(owed.admission), attempt: attempt, outcome: outcome, wall: wall(time + 0.1))
  }

  func owes(_ owed: AttemptDecision) throws -> Bool { ledger.owes(key, try #require(owed.admission)) }
}

@Suite("Provisional admissions")
struct OwedAdmissionTests {
  private static let nothing = TicketAnswer.undecided(.unreachable, detail: nil)

  private func made(_ entry: String, _ scannedAt: Int64, quantity: Int = 1, of sale: Int? = 1) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: scannedAt), quantity: quantity, sale: "s", saleQuantity: sale,
        details: TicketDetails()))
  }

  @Test("Without proof a code admits once offline, and the ticket system's own record confirms it")
  func onceAndConfirmed() throws {
    var bench = LedgerBench()
    let admission = try bench.offline(at: 100)
    expect(admission.verdict == .admit && admission.isProvisional && admission.admission != nil)
    expect(admission.admitted == 1 && admission.allowance == 1)
    try expectEqual(bench.offline(at: 110).verdict, .refuse(.alreadyUsed))
    try expectEqual(bench.tell(admission, bench.redemption("e", 200), at: 200), .confirmed(entryID: "e"))
    expect(try !bench.owes(admission))
    try expectEqual(bench.scan(bench.redemption("e", 200), at: 300).verdict, .refuse(.alreadyUsed))
    expect(bench.ledger.unsettled.isEmpty)
    try expectEqual(bench.beginTelling(admission, at: 310).1, .unknown)
  }

  @Test(
    "Stations of a fleet that were alone tell of the same tickets at once: that is no wrong clock",
    arguments: [false, true])
  func toldAtOnce(isShared: Bool) throws {
    var bench = LedgerBench()
    bench.ledger = AttemptLedger(AttemptPolicy(isShared: isShared))
    let keys = (1...2).map { TicketKey([UInt8($0)]) }
    let admissions = try keys.map { try bench.offline(at: 100, key: $0) }
    for (key, admission) in zip(keys, admissions) {
      // The other one has told of it two seconds before.
      let told = try bench.tell(admission, bench.redemption("\(key)", 198), at: 200, key: key)
      expect(told != .confirmed(entryID: "\(key)"))
    }
    expectEqual(bench.ledger.clock.isContradicted, !isShared)
  }

  @Test("No right, a fault, or the ticket system's word that overtook: nobody is admitted provisionally")
  func notProvisional() throws {
    var bench = LedgerBench()
    try expectEqual(bench.offline(at: 100, nil).verdict, .undecided(.unreachable))
    let (fault, _) = bench.begin(at: 110)
    let blocked = bench.outcome(
      .undecided(.keyRefused, detail: nil), from: 110, to: 110.1, mayHaveRedeemed: false)
    let decision = bench.ledger.conclude(
      bench.key, attempt: fault, outcome: blocked, wall: bench.wall(110.1), offline: OfflineRight())
    expect(decision.verdict == .undecided(.keyRefused) && bench.ledger.count == 0)
    let (attempt, _) = bench.begin(at: 120)
    let late = bench.outcome(.refused(.refunded, detail: nil), from: 120, to: 122.6, mayHaveRedeemed: false)
    expectEqual(bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(122.6)), .overtaking)
    let pending = bench.outcome(Self.nothing, from: 120, to: 122.5, fate: .pending)
    let overtaken = bench.ledger.conclude(
      bench.key, attempt: attempt, outcome: pending, wall: bench.wall(122.7), offline: OfflineRight())
    expect(overtaken.verdict == .undecided(.unreachable) && !overtaken.isProvisional)
  }

  @Test("The list proves that a code stands for several, and its sale counts over all codes")
  func listed() throws {
    var bench = LedgerBench()
    let other = TicketKey([8])
    let right = OfflineRight(quantity: 3, sale: "s", saleQuantity: 3)
    try expectEqual(bench.offline(at: 100, right).verdict, .admit)
    try expectEqual(bench.offline(at: 110, right).admitted, 2)
    try expectEqual(bench.offline(at: 120, OfflineRight(sale: "s", saleQuantity: 3), key: other).verdict, .admit)
    let fourth = try bench.offline(at: 130, right)
    expect(fourth.verdict == .refuse(.alreadyUsed) && fourth.note == .saleUsedUp)
  }

  @Test("The ticket system's own word on a sale outranks the list")
  func listIsOutranked() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", 100, of: 1), at: 100.1, key: TicketKey([8])).verdict, .admit)
    try expectEqual(
      bench.offline(at: 110, OfflineRight(quantity: 3, sale: "s", saleQuantity: 3)).verdict, .refuse(.alreadyUsed))
  }

  @Test("What the list allowed beyond what was paid is contradicted, and only that")
  func listWasWrong() throws {
    var bench = LedgerBench()
    let right = OfflineRight(quantity: 3, sale: "s", saleQuantity: 3)
    let owed = try (0..<3).map { try bench.offline(at: 100 + 10 * Double($0), right) }
    try expectEqual(bench.tell(owed[0], made("e1", 200, quantity: 2, of: 2), at: 200), .confirmed(entryID: "e1"))
    try expectEqual(bench.tell(owed[1], made("e2", 210, quantity: 2, of: 2), at: 210), .confirmed(entryID: "e2"))
    try expectEqual(bench.tell(owed[2], made("e3", 220, quantity: 2, of: 2), at: 220), .contradicted(.alreadyUsed, nil))
    expect(bench.ledger.unsettled.isEmpty)
  }

  @Test("Two codes of one sale: the admission beyond the sale is contradicted")
  func saleOverdrawn() throws {
    var bench = LedgerBench()
    let other = TicketKey([8])
    let first = try bench.offline(at: 100)
    let second = try bench.offline(at: 110, key: other)
    expectEqual(second.verdict, .admit)
    try expectEqual(bench.tell(first, made("e1", 200), at: 200), .confirmed(entryID: "e1"))
    try expectEqual(bench.tell(second, made("e2", 210), at: 210, key: other), .contradicted(.alreadyUsed, .saleUsedUp))
  }

  @Test("Two spellings of one code: the second is contradicted")
  func otherCode() throws {
    var bench = LedgerBench()
    let other = TicketKey([8])
    let first = try bench.offline(at: 100)
    let second = try bench.offline(at: 110, key: other)
    try expectEqual(bench.tell(first, bench.redemption("e", 200), at: 200), .confirmed(entryID: "e"))
    try expectEqual(
      bench.tell(second, bench.redemption("e", 200), at: 210, key: other), .contradicted(.alreadyUsed, .otherCode))
  }

  @Test("Used elsewhere, refunded meanwhile, or said to be used")
  func contradicted() throws {
    var bench = LedgerBench()
    var owed = try bench.offline(at: 100)
    try expectEqual(bench.tell(owed, bench.redemption("e", 50), at: 200), .contradicted(.alreadyUsed, .usedElsewhere))
    bench = LedgerBench()
    owed = try bench.offline(at: 100)
    try expectEqual(
      bench.tell(owed, .refused(.refunded, detail: nil), at: 200, mayHaveRedeemed: false), .contradicted(.refunded, nil)
    )
    bench = LedgerBench()
    owed = try bench.offline(at: 100)
    try expectEqual(
      bench.tell(owed, .refused(.alreadyUsed, detail: nil), at: 200, mayHaveRedeemed: false),
      .contradicted(.alreadyUsed, .usedElsewhere))
    guard case .known(let again) = bench.begin(at: 300).1 else { return expect(false, "asked") }
    expectEqual(again.verdict, .refuse(.alreadyUsed))
  }

  @Test("An earlier request of ours that was lost neither prevents the admission nor contradicts it")
  func earlierLost() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.2)
    let owed = try bench.offline(at: 110)
    expect(owed.verdict == .admit && owed.note == .surplusPossible)
    // An entry secret shows the record of the lost request.
    try expectEqual(bench.tell(owed, bench.redemption("e", 100), at: 300), .confirmed(entryID: "e"))
    expect(bench.ledger.unsettled.isEmpty)
    // A sale secret makes another, and the first may be surplus.
    bench = LedgerBench()
    let lost = try bench.lose(at: 100.2)
    let second = try bench.offline(at: 110)
    try expectEqual(bench.tell(second, bench.redemption("e2", 300), at: 300), .confirmed(entryID: "e2"))
    expectEqual(bench.ledger.unsettled.map(\.attempt), [lost])
  }

  @Test("The late answer to its own request ends it")
  func ownLate() throws {
    let ends: [(TicketAnswer, LateRecord?)] = [
      (LedgerBench().redemption("e", 100), nil),
      (.refused(.refunded, detail: nil), .some(.ignored)),
      (LedgerBench().redemption("e", 20), .some(.ignored)),
    ]
    for (index, (answer, _)) in ends.enumerated() {
      var bench = LedgerBench()
      let owed = try bench.unanswered(at: 100.2, OfflineRight(), .pending)
      let attempt = try #require(owed.admission)
      expect(owed.isProvisional && owed.note == .surplusPossible)
      expect(bench.ledger.unsettled.isEmpty)
      try expectEqual(bench.beginTelling(owed, at: 102).1, .notYet)
      let late = bench.outcome(answer, from: 100.2, to: 104, date: 104, mayHaveRedeemed: index == 0)
      let expected: LateRecord =
        switch index {
        case 0: .confirms(owed: attempt, entryID: "e")
        case 1: .contradicts(owed: attempt, .refunded, nil)
        default: .contradicts(owed: attempt, .alreadyUsed, .usedElsewhere)
        }
      expectEqual(bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(104)), expected)
      expect(try !bench.owes(owed))
    }
  }

  @Test("A lost request of its own is looked up before it is told")
  func lookUpFirst() throws {
    var bench = LedgerBench()
    let owed = try bench.unanswered(at: 100, OfflineRight(), .lost)
    let attempt = try #require(owed.admission)
    try expectEqual(bench.beginTelling(owed, at: 110).1, .lookUp)
    expect(bench.ledger.lookedUp(bench.key, owed: attempt, found: .unknown, before: bench.mono(110)) == nil)
    // Within its grace it may still be carried out.
    expect(bench.ledger.lookedUp(bench.key, owed: attempt, found: .unused, before: bench.mono(110)) == nil)
    expectEqual(bench.ledger.lookedUp(bench.key, owed: attempt, found: .used, before: bench.mono(140)), .unsettled)
    expectEqual(bench.ledger.lookedUp(bench.key, owed: attempt, found: .unused, before: bench.mono(140)), .again)
    try expectEqual(bench.tell(owed, bench.redemption("e", 150), at: 150), .confirmed(entryID: "e"))
  }

  @Test("A telling that was lost is doubtful; a record that waits for nobody ends it without a request")
  func doubtful() throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    try expectEqual(bench.tell(owed, Self.nothing, at: 200, fate: .notSent, mayHaveRedeemed: false), .again)
    try expectEqual(bench.tell(owed, Self.nothing, at: 210, fate: .lost), .doubtful)
    try expectEqual(bench.beginTelling(owed, at: 300).1, .lookUp)
    // Of an earlier presentation a late answer comes.
    bench = LedgerBench()
    let earlier = try bench.lose(at: 90, pending: true)
    let second = try bench.offline(at: 100)
    let late = bench.outcome(bench.redemption("e", 90), from: 90, to: 105, date: 105)
    expectEqual(
      bench.ledger.late(bench.key, attempt: earlier, outcome: late, wall: bench.wall(105)), .surplus(entryID: "e"))
    try expectEqual(bench.beginTelling(second, at: 106).1, .settled(.confirmed(entryID: "e")))
    expect(bench.ledger.unsettled.isEmpty)
  }

  @Test("A telling locks the ticket like a scan, and a scan its telling")
  func locks() throws {
    var bench = LedgerBench()
    let right = OfflineRight(quantity: 2)
    let owed = try bench.offline(at: 100, right)
    let (scan, _) = bench.begin(at: 110)
    try expectEqual(bench.beginTelling(owed, at: 110.1).1, .locked(by: scan))
    bench.ledger.abandon(bench.key, attempt: scan)
    let (telling, ask) = try bench.beginTelling(owed, at: 111)
    expect(ask == .ask && bench.begin(at: 111.1).1 == .locked(by: telling))
    bench.ledger.abandon(bench.key, attempt: telling)
    expect(try bench.owes(owed) && !bench.ledger.isLocked(bench.key))
    try expectEqual(bench.tell(owed, bench.redemption("e", 112), at: 112), .confirmed(entryID: "e"))
  }

  @Test("The gate did not open: it is withdrawn, and the next presentation is judged anew")
  func givenBack() throws {
    var bench = LedgerBench()
    let first = try bench.offline(at: 100)
    let isBack1 = bench.giveBack(first, at: 101)
    expect(isBack1)
    expect(try !bench.owes(first) && bench.ledger.count == 0)
    let second = try bench.offline(at: 110)
    expect(second.verdict == .admit && second.isProvisional)
    // With a request of its own out, that stays open as for any scan.
    bench = LedgerBench()
    let sent = try bench.unanswered(at: 100.2, OfflineRight(), .lost)
    let isBack2 = bench.giveBack(sent, at: 103)
    expect(isBack2)
    expectEqual(bench.ledger.unsettled.map(\.attempt), [try #require(sent.admission)])
    let again = try bench.scan(bench.redemption("e", 100), at: 110)
    expect(again.verdict == .admit && again.note == .ownLostAnswer && !again.isProvisional)
  }

  @Test("The gate did not open while the ticket system was being told: the record waits for the person")
  func givenBackWhileTold() throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    let (telling, _) = try bench.beginTelling(owed, at: 101)
    let isBack3 = bench.giveBack(owed, at: 101.1)
    expect(isBack3)
    let outcome = bench.outcome(bench.redemption("e", 101), from: 101, to: 101.2, date: 101)
    let told = bench.ledger.told(
      bench.key, owed: try #require(owed.admission), attempt: telling, outcome: outcome, wall: bench.wall(101.2))
    expectEqual(told, .gone)
    guard case .known(let claimed) = bench.begin(at: 110).1 else { return expect(false, "asked") }
    expect(claimed.verdict == .admit && claimed.entryID == "e")
    // It had been confirmed before: given back like any other.
    bench = LedgerBench()
    let confirmed = try bench.offline(at: 100)
    try expectEqual(bench.tell(confirmed, bench.redemption("e", 101), at: 101), .confirmed(entryID: "e"))
    let isBack4 = bench.giveBack(confirmed, at: 102)
    expect(isBack4)
    guard case .known(let second) = bench.begin(at: 103).1 else { return expect(false, "asked") }
    expect(second.verdict == .admit && second.note == .givenBack)
  }

  @Test("Who left before the ticket system was told: told all the same, and in again on the same record")
  func left() throws {
    var bench = LedgerBench()
    let first = try bench.offline(at: 100)
    let hasLeft = bench.ledger.leave(bench.key)
    expect(hasLeft)
    let second = try bench.offline(at: 110)
    expect(second.verdict == .admit && second.isProvisional)
    try expectEqual(bench.tell(first, bench.redemption("e", 200), at: 200), .confirmed(entryID: "e"))
    try expectEqual(bench.tell(second, bench.redemption("e", 200), at: 210), .confirmed(entryID: "e"))
    try expectEqual(bench.scan(bench.redemption("e", 200), at: 220).verdict, .refuse(.alreadyUsed))
    // Contradicted, left, and back: the ticket system's no stays.
    bench = LedgerBench()
    let stranger = try bench.offline(at: 100)
    try expectEqual(
      bench.tell(stranger, .refused(.alreadyUsed, detail: nil), at: 200, mayHaveRedeemed: false),
      .contradicted(.alreadyUsed, .usedElsewhere))
    let goes = bench.ledger.leave(bench.key)
    expect(goes)
    try expectEqual(
      bench.scan(.refused(.alreadyUsed, detail: nil), at: 300, mayHaveRedeemed: false).verdict, .refuse(.alreadyUsed))
  }

  @Test("A doubt from before the machine started is for staff, offline too")
  func interrupted() throws {
    var bench = LedgerBench()
    bench.ledger.interrupt(
      bench.key, attempt: AttemptID(), gate: bench.gate, began: bench.mono(90), wall: bench.wall(90),
      at: bench.mono(100), isSameBoot: false)
    let decision = try bench.offline(at: 110)
    expectEqual(decision.verdict, .undecided(.interrupted))
  }

  @Test("Tellings that the end of process or machine cut off admit nobody", arguments: [true, false])
  func cutOff(isSameBoot: Bool) throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    let (telling, _) = try bench.beginTelling(owed, at: 101)
    var later = LedgerBench()
    for (place, memory) in bench.ledger.takeChanges() {
      let data = try JSONEncoder().encode(try #require(memory))
      let isFresh = later.ledger.restore(
        place, try JSONDecoder().decode(LedgerMemory.self, from: data), age: 0, isSameBoot: isSameBoot)
      expect(isFresh)
    }
    later.ledger.interrupt(
      later.key, attempt: telling, gate: later.gate, began: later.mono(101), wall: later.wall(101),
      at: later.mono(103), isSameBoot: isSameBoot)
    expect(try later.owes(owed) && later.ledger.unsettled.isEmpty)
    try expectEqual(later.offline(at: 110).verdict, .refuse(.alreadyUsed))
    try expectEqual(later.beginTelling(owed, at: 110).1, .lookUp)
    let attempt = try #require(owed.admission)
    expectEqual(later.ledger.lookedUp(later.key, owed: attempt, found: .unused, before: later.mono(140)), .again)
    try expectEqual(later.tell(owed, bench.redemption("e", 150), at: 150), .confirmed(entryID: "e"))
  }

  @Test(
    "A check that the end of process or machine cut off is told again, without a look-up", arguments: [true, false])
  func checkCutOff(isSameBoot: Bool) throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    let (telling, _) = try bench.beginTelling(owed, at: 101)
    var later = LedgerBench()
    for (place, memory) in bench.ledger.takeChanges() {
      let isFresh = later.ledger.restore(place, try #require(memory), age: 0, isSameBoot: isSameBoot)
      expect(isFresh)
    }
    later.ledger.interrupt(
      later.key, attempt: telling, gate: later.gate, began: later.mono(101), wall: later.wall(101),
      at: later.mono(103), isSameBoot: isSameBoot, mayRedeem: false)
    expect(try later.owes(owed) && later.ledger.unsettled.isEmpty)
    try expectEqual(later.beginTelling(owed, at: 110).1, .ask)
  }

  @Test("Memory of versions without provisional admissions is read, and looks the same where there are none")
  func olderMemory() throws {
    var bench = LedgerBench()
    _ = try bench.scan(made("e", 100), at: 100.2)
    for (place, memory) in bench.ledger.takeChanges() {
      let text = String(decoding: try JSONEncoder().encode(try #require(memory)), as: UTF8.self)
      expect(!text.contains("owed") && !text.contains("isListed") && !text.contains("isProvisional"), "\(place)")
    }
    let older = """
      {"ticket":{"_0":{"kind":"unknown","admitted":1,"quantity":1,"givenBack":{"isOpen":false},"entries":{},"open":[],\
      "isUsedElsewhere":false}}}
      """
    let memory = try JSONDecoder().decode(LedgerMemory.self, from: Data(older.utf8))
    let isFresh = bench.ledger.restore(.ticket(TicketKey([9])), memory, age: 0, isSameBoot: true)
    expect(isFresh)
  }

  @Test("What is owed is not forgotten")
  func notForgotten() throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    _ = bench.ledger.leave(bench.key)
    bench.ledger.forget(endedBefore: bench.mono(100_000))
    expect(try bench.owes(owed))
  }

  @Test("A sale secret that admitted one offline: the next is asked, and in at the second scan; an entry secret is not")
  func mayStandForSeveral() throws {
    var bench = LedgerBench()
    let owed = try bench.offline(at: 100)
    let first = try bench.scan(bench.redemption("e1", 200, quantity: 2), at: 200)
    expect(first.verdict == .undecided(.busy) && first.note == .surplusPossible)
    try expectEqual(bench.offline(at: 205).verdict, .undecided(.unreachable))
    try expectEqual(bench.scan(bench.redemption("e2", 210, quantity: 2), at: 210).verdict, .admit)
    try expectEqual(bench.scan(bench.redemption("e3", 220, quantity: 2), at: 220).verdict, .refuse(.alreadyUsed))
    try expectEqual(bench.beginTelling(owed, at: 230).1, .settled(.confirmed(entryID: "e1")))
    expect(bench.ledger.unsettled.isEmpty)
    bench = LedgerBench()
    let entry = try bench.offline(at: 100)
    try expectEqual(bench.scan(bench.redemption("e", 200, quantity: 2), at: 200).verdict, .undecided(.busy))
    try expectEqual(bench.scan(bench.redemption("e", 200, quantity: 2), at: 210).verdict, .refuse(.alreadyUsed))
    try expectEqual(bench.beginTelling(entry, at: 230).1, .settled(.confirmed(entryID: "e")))
  }

  @Test("Of two admissions the first gate did not open: that one is withdrawn")
  func firstOfTwoGivenBack() throws {
    var bench = LedgerBench()
    let right = OfflineRight(quantity: 2, sale: "s", saleQuantity: 2)
    let first = try bench.offline(at: 100, right)
    let second = try bench.offline(at: 101, right)
    let isBack = bench.giveBack(first, at: 102)
    expect(isBack)
    let isBackTwice = bench.giveBack(first, at: 103)
    expect(!isBackTwice)
    expect(try !bench.owes(first) && bench.owes(second))
    try expectEqual(bench.offline(at: 110, right).admitted, 2)
    try expectEqual(bench.offline(at: 120, right).verdict, .refuse(.alreadyUsed))
  }

  @Test("Already used, and a lost request of long ago may be the reason: nobody can tell")
  func usedLongAgo() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.2)
    let owed = try bench.offline(at: 110)
    try expectEqual(
      bench.tell(owed, .refused(.alreadyUsed, detail: nil), at: 3_000, mayHaveRedeemed: false), .unsettled)
    // Within its grace it is.
    bench = LedgerBench()
    _ = try bench.lose(at: 100.2)
    let soon = try bench.offline(at: 110)
    try expectEqual(
      bench.tell(soon, .refused(.alreadyUsed, detail: nil), at: 120, mayHaveRedeemed: false), .confirmed(entryID: nil))
  }

  @Test("What a list teaches of a sale is counted with what is stored of it")
  func saleOfAListIsRestoredFirst() throws {
    var bench = LedgerBench()
    let right = OfflineRight(quantity: 2, sale: "s", saleQuantity: 2)
    let unanswered = bench.outcome(Self.nothing, from: 100, to: 101, fate: .lost)
    expectEqual(bench.ledger.missing(for: unanswered, offline: right), [.sale("s")])
    expect(bench.ledger.missing(for: unanswered).isEmpty)
    try expectEqual(bench.offline(at: 100, right).verdict, .admit)
    let changes = bench.ledger.takeChanges()
    bench.ledger.letGo(beyond: 0)
    expectEqual(bench.ledger.missing(for: unanswered, offline: right), [.sale("s")])
    let memory = try #require(changes[.sale("s")] ?? nil)
    let isFresh = bench.ledger.restore(.sale("s"), memory, age: bench.ledger.age, isSameBoot: true)
    expect(isFresh && bench.ledger.missing(for: unanswered, offline: right).isEmpty)
    let other = TicketKey([8])
    try expectEqual(bench.offline(at: 110, right, key: other).verdict, .admit)
    try expectEqual(bench.offline(at: 120, right, key: TicketKey([9])).note, .saleUsedUp)
  }
}
