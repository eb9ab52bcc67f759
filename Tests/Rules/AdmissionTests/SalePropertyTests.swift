import Expectations
import ScanModel
import Admission
import ScanTesting
import Testing

@Suite("One sale, several codes, a lossy network")
struct SalePropertyTests {
  @Test("Over all codes never more than was paid, and one entry admits once", arguments: [3, 90_001] as [UInt64])
  func sale(base: UInt64) throws {
    var full = 0
    var givenBack = 0
    for seed in base..<base + 2_000 {
      var random = SeededGenerator(seed: seed)
      let paid = Int.random(in: 1...3, using: &random)
      // An entry secret, the same in another spelling, and the sale secret.
      let keys = [TicketKey([65]), TicketKey([97]), TicketKey([1])]
      var bench = LedgerBench()
      var entry: Int64?
      var records = 0
      var admitted = 0
      var onEntry = 0
      var time = 100.0
      var pending: [(key: TicketKey, attempt: AttemptID, answer: TicketAnswer, sent: Double)] = []
      for _ in 0..<12 {
        time += Double(Int.random(in: 3...60, using: &random)) / 2
        let key = keys.randomElement(using: &random) ?? keys[0]
        if let late = pending.popLast(), random.chance(60) {
          let outcome = bench.outcome(late.answer, from: late.sent, to: time - 0.4, date: Int64(time - 0.4))
          _ = bench.ledger.late(late.key, attempt: late.attempt, outcome: outcome, wall: bench.wall(time - 0.4))
        }
        let (attempt, beginning) = bench.begin(at: time, ignoringPending: true, key: key)
        let decision: AttemptDecision
        if case .known(let known) = beginning {
          decision = known
        } else {
          try #require(beginning == .ask)
          records += 1
          var (name, scannedAt) = ("sale \(records)", Int64(time))
          if key != keys[2] {
            scannedAt = entry ?? scannedAt
            entry = scannedAt
            name = "entry"
          }
          let answer = TicketAnswer.redeemed(
            Redemption(
              entryID: name, scannedAt: WallTime(seconds: scannedAt), quantity: paid, sale: "s", saleQuantity: paid,
              details: TicketDetails()))
          var outcome = bench.outcome(answer, from: time, to: time + 0.1, date: Int64(time + 0.1))
          if random.chance(30) {
            let isPending = random.chance(50)
            if isPending { pending.append((key, attempt, answer, time)) }
            outcome = bench.outcome(
              .undecided(.unreachable, detail: nil), from: time, to: time + 1, fate: isPending ? .pending : .lost)
          } else if random.chance(10) {
            outcome.answer = .refused(.expired, detail: nil)
          }
          decision = bench.ledger.conclude(key, attempt: attempt, outcome: outcome, wall: bench.wall(time + 0.1))
        }
        guard decision.verdict == .admit else { continue }
        if random.chance(15), bench.giveBack(decision, at: time, key: key) {
          givenBack += 1
          continue
        }
        admitted += 1
        if key != keys[2] { onEntry += 1 }
        expect(admitted <= paid && onEntry <= 1, "seed \(seed): \(admitted) of \(paid), \(onEntry) on one entry")
      }
      if admitted == paid { full += 1 }
    }
    expect(full > 500 && givenBack > 100)
  }
}
