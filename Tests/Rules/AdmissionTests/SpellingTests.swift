import Expectations
import Foundation
import ScanModel
import Admission
import Testing

/// Codes that a ticket system may take for spellings of one: `docs/decisions/0026`.
@Suite("Spellings of a code")
struct SpellingTests {
  private static let folded = TicketKey([9])
  private static let (small, capital) = (TicketKey([97]), TicketKey([65]))

  private func made(_ entry: String, at time: Int64, sale: String? = "s", quantity: Int = 1) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: time), quantity: quantity, sale: sale, details: TicketDetails()))
  }

  /// Presents a code; without an answer the server is away, and the policy admits what looks right.
  private func scan(
    _ bench: inout LedgerBench, _ key: TicketKey, at time: Double, _ answer: TicketAnswer? = nil,
    isDistinct: Bool = false
  ) -> AttemptDecision {
    let attempt = AttemptID()
    let beginning = bench.ledger.begin(
      key, folded: Self.folded, isDistinct: isDistinct, attempt: attempt, gate: bench.gate, at: bench.mono(time),
      wall: bench.wall(time), ignoringPending: true)
    guard case .ask = beginning else {
      if case .known(let decision) = beginning { return decision }
      return AttemptDecision(verdict: .undecided(.badAnswer))
    }
    let outcome =
      answer.map { bench.outcome($0, from: time, to: time + 0.1, date: Int64(time + 0.1)) }
      ?? bench.outcome(
        .undecided(.unreachable, detail: nil), from: time, to: time, fate: .notSent, mayHaveRedeemed: false)
    return bench.ledger.conclude(
      key, attempt: attempt, outcome: outcome, wall: bench.wall(time), offline: answer == nil ? OfflineRight() : nil)
  }

  @Test("Two tickets whose codes differ in case alone are two, by the server's entries")
  func twoTickets() {
    var bench = LedgerBench()
    expectEqual(scan(&bench, Self.small, at: 100, made("1", at: 100, sale: "s1")).verdict, .admit)
    let second = scan(&bench, Self.capital, at: 200, made("2", at: 200, sale: "s2"))
    expect(second.verdict == .admit && second.admitted == 1)
    expectEqual(scan(&bench, Self.small, at: 300).verdict, .refuse(.alreadyUsed))
    expectEqual(scan(&bench, Self.capital, at: 300).verdict, .refuse(.alreadyUsed))
  }

  @Test("A sale's secret in another spelling has no allowance of its own", arguments: [1, 2])
  func saleSecret(quantity: Int) {
    var bench = LedgerBench()
    var admitted = 0
    for round in 0..<6 {
      let key = TicketKey([UInt8(round % 3)])
      let time = 100 + Double(round) * 10
      let decision = scan(&bench, key, at: time, made("e\(round)", at: Int64(time), quantity: quantity))
      if decision.verdict == .admit { admitted += 1 }
    }
    expectEqual(admitted, quantity)
  }

  @Test("Who is in by the server's word is not admitted again in another spelling without it")
  func capitalsOffline() {
    var bench = LedgerBench()
    expectEqual(scan(&bench, Self.small, at: 100, made("1", at: 100)).verdict, .admit)
    let again = scan(&bench, Self.capital, at: 200)
    expect(again.verdict == .undecided(.unreachable) && again.note == .otherCode)
    // The list names both: they are two tickets.
    expectEqual(scan(&bench, Self.capital, at: 300, isDistinct: true).verdict, .admit)
  }

  @Test("Who was admitted without the server's word must be told first; then the server's word counts")
  func untold() throws {
    var bench = LedgerBench()
    let first = scan(&bench, Self.small, at: 100)
    expect(first.verdict == .admit && first.isProvisional)
    let early = scan(&bench, Self.capital, at: 200, made("1", at: 200))
    expect(early.verdict == .undecided(.busy) && early.note == .otherCode)
    let telling = AttemptID()
    let owed = try #require(first.admission)
    expectEqual(
      bench.ledger.beginTelling(
        Self.small, owed: owed, attempt: telling, gate: bench.gate, at: bench.mono(300), wall: bench.wall(300)), .ask)
    expectEqual(
      bench.ledger.told(
        Self.small, owed: owed, attempt: telling,
        outcome: bench.outcome(made("1", at: 300), from: 300, to: 300.1, date: 300), wall: bench.wall(300)),
      .confirmed(entryID: "1"))
    // A server that folds shows the entry that was told.
    expectEqual(scan(&bench, Self.capital, at: 400, made("1", at: 300)).verdict, .refuse(.alreadyUsed))
  }

  @Test("Where the station's book is all there is, another spelling is the same ticket")
  func ownBook() {
    var bench = LedgerBench()
    let valid = TicketAnswer.valid(Entitlement(quantity: 1, details: TicketDetails()))
    expectEqual(scan(&bench, Self.small, at: 100, valid).verdict, .admit)
    let again = scan(&bench, Self.capital, at: 200, valid)
    expect(again.verdict == .refuse(.alreadyUsed) && again.firstUse?.gate == bench.gate)
  }

  @Test("What the gate did not open for, and who has left, leaves room for any spelling")
  func givenBack() {
    var bench = LedgerBench()
    let first = scan(&bench, Self.small, at: 100, made("1", at: 100))
    expect(bench.giveBack(first, at: 101, key: Self.small))
    expectEqual(scan(&bench, Self.capital, at: 102, made("2", at: 102)).verdict, .admit)
    expectEqual(scan(&bench, Self.small, at: 103).verdict, .undecided(.interrupted))
    expect(bench.ledger.leave(Self.capital))
    expectEqual(scan(&bench, Self.small, at: 104).verdict, .admit)
  }

  @Test("A used ticket's spellings are bounded in memory")
  func bounded() {
    var bench = LedgerBench()
    for number in 0..<100 {
      let answer = made("1", at: 10)
      expectEqual(
        scan(&bench, TicketKey([1, UInt8(number)]), at: 1_000 + Double(number), answer).verdict, .refuse(.alreadyUsed))
    }
    let sizes = bench.ledger.takeChanges().values.compactMap { memory -> Int? in
      if case .folded? = memory { try? JSONEncoder().encode(memory).count } else { nil }
    }
    expect(sizes.count == 1 && sizes[0] < 10_000, "\(sizes)")
  }

  @Test(
    "Repeating in another spelling does not pay, and two tickets are never one",
    arguments: ([1, 5_000_011, 70_000_003, 0xFACE] as [UInt64]).prefix(extent(landing: 1, release: 4)))
  func promises(base: UInt64) {
    var counts: [String: Int] = [:]
    for seed in base..<base + UInt64(extent(landing: 400, release: 1_500)) {
      var world = SpellingWorld(seed: seed)
      world.run()
      expect(
        world.problems.isEmpty,
        "seed \(seed), folds \(world.folds), \(world.policy), \(world.tickets): \(world.problems)")
      if !world.problems.isEmpty { return }
      counts.merge(world.counts) { $0 + $1 }
    }
    // The worlds did reach what they are about.
    for (what, least) in [
      ("admit", 200), ("refuse", 200), ("undecided", 100), ("undecided otherCode", 60), ("refuse otherCode", 60),
      ("told", 60),
    ] {
      expect(counts[what, default: 0] > least, "\(counts)")
    }
  }
}
