import Expectations
import Foundation
import ScanModel
import Admission
import ScanTesting
import Testing

/// A sale with an entry secret, the same in another spelling, and the sale secret, at a server that is offline now and then.
@Suite("One sale, several codes, offline now and then")
struct SaleOfflinePropertyTests {
  /// The server's side of the sale.
  private struct Sale {
    let paid: Int
    var entry: Int64?
    var records = 0

    mutating func redeem(_ key: TicketKey, at time: Double) -> TicketAnswer {
      records += 1
      var (name, scannedAt) = ("sale \(records)", Int64(time))
      if key != SaleOfflinePropertyTests.keys[2] {
        scannedAt = entry ?? scannedAt
        entry = scannedAt
        name = "entry"
      }
      return .redeemed(
        Redemption(
          entryID: name, scannedAt: WallTime(seconds: scannedAt), quantity: paid, sale: "s", saleQuantity: paid,
          details: TicketDetails()))
    }
  }

  private static let keys = [TicketKey([65]), TicketKey([97]), TicketKey([1])]
  private static let nothing = TicketAnswer.undecided(.unreachable, detail: nil)

  /// The ledger as the next process knows it.
  private func restarted(_ bench: LedgerBench, _ disk: [LedgerPlace: Data]) throws -> LedgerBench {
    var next = bench
    next.ledger = AttemptLedger()
    for (place, data) in disk {
      let memory = try JSONDecoder().decode(LedgerMemory.self, from: data)
      let isFresh = next.ledger.restore(place, memory, age: 0, isSameBoot: true)
      try #require(isFresh)
    }
    return next
  }

  @Test(
    "What goes beyond the sale, or twice on one entry, is a conflict, and nothing else is", arguments: [11, 60_001])
  func sale(base: Int) throws {
    var (confirmed, contradicted, overdrawn) = (0, 0, 0)
    for seed in base..<base + 1_500 {
      var random = SeededGenerator(seed: UInt64(seed))
      var sale = Sale(paid: Int.random(in: 1...3, using: &random))
      let paid = sale.paid
      let isListed = random.chance(40)
      var bench = LedgerBench()
      var disk: [LedgerPlace: Data] = [:]
      var time = 100.0
      var admitted = 0
      var onEntry = 0
      var conflicts = 0
      var conflictsOnEntry = 0
      var outbox: [(key: TicketKey, decision: AttemptDecision)] = []
      for step in 0..<60 {
        time += Double(Int.random(in: 3...60, using: &random)) / 2
        for (place, memory) in bench.ledger.takeChanges() {
          disk[place] = memory.map { Data($0.json) }
        }
        if random.chance(15) { bench = try restarted(bench, disk) }
        if step < 12 {
          let key = Self.keys.randomElement(using: &random) ?? Self.keys[0]
          let (attempt, beginning) = bench.begin(at: time, ignoringPending: true, key: key)
          var decision: AttemptDecision
          if case .known(let known) = beginning {
            decision = known
          } else {
            try #require(beginning == .ask)
            let isOffline = random.chance(60)
            let outcome = bench.outcome(
              isOffline ? Self.nothing : sale.redeem(key, at: time), from: time, to: time + 0.1,
              fate: isOffline ? .notSent : .answered, date: Int64(time + 0.1), mayHaveRedeemed: !isOffline)
            let listed = OfflineRight(quantity: key == Self.keys[2] ? paid : 1, sale: "s", saleQuantity: paid)
            decision = bench.ledger.conclude(
              key, attempt: attempt, outcome: outcome, wall: bench.wall(time + 0.1),
              offline: isListed ? listed : OfflineRight())
          }
          guard decision.verdict == .admit else { continue }
          admitted += 1
          if key != Self.keys[2] { onEntry += 1 }
          if decision.isProvisional { outbox.append((key, decision)) }
          if isListed { expect(admitted <= paid, "seed \(seed): \(admitted) of \(paid) by the list") }
        } else {
          guard let (key, decision) = outbox.first else { break }
          let (attempt, telling) = try bench.beginTelling(decision, at: time, key: key)
          let owed = try #require(decision.admission)
          var told: ToldRecord
          switch telling {
          case .settled(let record): told = record
          case .lookUp:
            // The server says what is so: of an entry that it has, not whose.
            let found: LookUp = sale.records == 0 ? .unused : .used
            told = bench.ledger.lookedUp(key, owed: owed, found: found, before: bench.mono(time)) ?? .again
          default:
            try #require(telling == .ask)
            let isLost = random.chance(15)
            let isSent = !isLost || random.chance(50)
            let answer = isSent ? sale.redeem(key, at: time) : Self.nothing
            let outcome = bench.outcome(
              isLost ? Self.nothing : answer, from: time, to: time + 0.1, fate: isLost ? .lost : .answered,
              date: Int64(time + 0.1))
            told = bench.ledger.told(key, owed: owed, attempt: attempt, outcome: outcome, wall: bench.wall(time + 0.1))
          }
          switch told {
          case .confirmed: confirmed += 1
          case .contradicted, .unsettled:
            contradicted += 1
            conflicts += 1
            if key != Self.keys[2] { conflictsOnEntry += 1 }
          case .again, .doubtful: continue
          case .gone: expect(false, "seed \(seed): gone")
          }
          outbox.removeFirst()
        }
      }
      expect(outbox.isEmpty, "seed \(seed): never told")
      expect(admitted - conflicts <= paid, "seed \(seed): \(admitted) of \(paid), \(conflicts) conflicts")
      expect(onEntry - conflictsOnEntry <= 1, "seed \(seed): \(onEntry) on one entry, \(conflictsOnEntry) conflicts")
      if admitted > paid { overdrawn += 1 }
    }
    expect(confirmed > 500 && contradicted > 50 && overdrawn > 20, "\(confirmed), \(contradicted), \(overdrawn)")
  }
}
