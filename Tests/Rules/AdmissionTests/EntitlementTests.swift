import Admission
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing

/// Rights to pass that end, or are never used up, of a ticket system that keeps no records.
@Suite struct EntitlementTests {
  private func valid(_ quantity: Int, until ends: Double? = nil) -> TicketAnswer {
    .valid(
      Entitlement(quantity: quantity, ends: ends.map { LedgerBench().wall($0) }, details: TicketDetails(holder: "Ada")))
  }

  /// The ledger as another process has it, by way of the journal's form.
  private func successor(
    of bench: inout LedgerBench, _ journal: inout [LedgerPlace: Data], isSameBoot: Bool = true
  ) throws -> LedgerBench {
    for (place, memory) in bench.ledger.takeChanges() {
      journal[place] = memory.map { Data($0.json) }
    }
    var next = LedgerBench()
    for (place, text) in journal {
      let isFresh = next.ledger.restore(
        place, try JSONDecoder().decode(LedgerMemory.self, from: text), age: 0, isSameBoot: isSameBoot)
      expect(isFresh)
    }
    return next
  }

  private func successor(of bench: inout LedgerBench, isSameBoot: Bool = true) throws -> LedgerBench {
    var journal: [LedgerPlace: Data] = [:]
    return try successor(of: &bench, &journal, isSameBoot: isSameBoot)
  }

  @Test(arguments: [(150, true), (199, true), (200, false), (250, false)])
  func whatIsRememberedAdmitsNobodyAfterItsEnd(time: Double, admits: Bool) throws {
    for restarts in [false, true] {
      var bench = LedgerBench()
      try expectEqual(bench.scan(valid(3, until: 200), at: 100).verdict, .admit)
      if restarts { bench = try successor(of: &bench) }
      // It is decided a second after it was presented.
      let offline = try bench.offline(at: time - 1)
      expectEqual(offline.verdict, admits ? .admit : .refuse(.expired), "\(restarts)")
      expectEqual(offline.admitted, admits ? 2 : 1)
      // The ticket system's own word of now is believed, renewed or not.
      try expectEqual(bench.scan(valid(3, until: 200), at: time).verdict, .admit)
    }
  }

  @Test(arguments: [(150, true), (200, false)])
  func aGateThatDidNotOpenIsAskedForAnewAfterTheEnd(time: Double, admits: Bool) throws {
    var bench = LedgerBench()
    let admitted = try bench.scan(valid(1, until: 200), at: 100)
    expect(bench.giveBack(admitted, at: 101))
    let (_, again) = bench.begin(at: time)
    guard case .known(let decision) = again else { return expect(!admits && again == .ask, "\(again)") }
    expect(admits && decision.verdict == .admit && decision.note == .givenBack)
  }

  @Test func aRenewedOneHasItsNewEnd() throws {
    var bench = LedgerBench()
    _ = try bench.scan(valid(5, until: 200), at: 100)
    _ = try bench.scan(valid(5, until: 400), at: 190)
    try expectEqual(bench.offline(at: 300).verdict, .admit)
    _ = try bench.scan(valid(5), at: 390)
    try expectEqual(bench.offline(at: 500).verdict, .admit)
  }

  /// A ticket system whose answer is its list: it admits as many as that says now, and not as many as it said once.
  @Test func howOftenAListedOneAdmitsIsWhatTheListSaysNow() throws {
    var bench = LedgerBench()
    func scan(_ answer: TicketAnswer, at time: Double) throws -> AttemptDecision {
      let attempt = AttemptID()
      let beginning = bench.ledger.begin(
        bench.key, attempt: attempt, gate: bench.gate, at: bench.mono(time), wall: bench.wall(time), isOnBoard: true)
      try #require(beginning == .ask, "\(beginning)")
      let outcome = bench.outcome(answer, from: time, to: time + 0.1, mayHaveRedeemed: false)
      return bench.ledger.conclude(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(time + 0.1))
    }
    for time in [100.0, 110] { try expectEqual(scan(valid(2), at: time).verdict, .admit) }
    try expectEqual(scan(valid(2), at: 120).verdict, .refuse(.alreadyUsed))
    bench = try successor(of: &bench, isSameBoot: false)
    // Two more were added.
    for (time, admitted) in [(10.0, 3), (20, 4)] {
      let decision = try scan(valid(4), at: time)
      expect(decision.verdict == .admit && decision.admitted == admitted && decision.allowance == 4, "\(decision)")
    }
    try expectEqual(scan(valid(4), at: 30).verdict, .refuse(.alreadyUsed))
    // Where it says nothing, what it said last holds; and no more than are in where it says less.
    try expectEqual(scan(.undecided(.rateLimited, detail: nil), at: 40).verdict, .refuse(.alreadyUsed))
    try expectEqual(scan(.undecided(.badAnswer, detail: nil), at: 50).verdict, .undecided(.badAnswer))
    try expectEqual(scan(valid(1), at: 60).verdict, .refuse(.alreadyUsed))
    try expectEqual(scan(.refused(.cancelled, detail: nil), at: 70).verdict, .refuse(.cancelled))
  }

  @Test func anUnlimitedOneIsNeverUsedUp() throws {
    var bench = LedgerBench()
    for number in 1...50 {
      let decision = try bench.scan(valid(Entitlement.unlimited), at: Double(100 * number))
      expect(decision.verdict == .admit && decision.admitted == number && decision.allowance == Entitlement.unlimited)
    }
    bench = try successor(of: &bench, isSameBoot: false)
    try expectEqual(bench.offline(at: 10).verdict, .admit)
    // What the end of the machine cut off takes nothing from what has no end.
    bench.ledger.interrupt(
      bench.key, attempt: AttemptID(), gate: bench.gate, began: bench.mono(11), wall: bench.wall(11),
      at: bench.mono(12), isSameBoot: false)
    let next = try bench.scan(valid(Entitlement.unlimited), at: 20)
    expect(next.verdict == .admit && next.admitted == 52)
    // One that turns out to be for so many is, from then on.
    try expectEqual(bench.scan(valid(52), at: 30).verdict, .refuse(.alreadyUsed))
  }

  @Test func memoryWithoutAnEndLooksAsItDid() throws {
    var bench = LedgerBench()
    _ = try bench.scan(valid(2), at: 100)
    for (place, memory) in bench.ledger.takeChanges() {
      let text = String(decoding: try JSONEncoder().encode(try #require(memory)), as: UTF8.self)
      expect(!text.contains("ends"), "\(place)")
    }
  }

  /// Whatever is answered and whenever it is presented: nobody is admitted by memory after the end that was told last, nor beyond
  /// the quantity.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 50, release: 500))))
  func nobodyPassesOnWhatIsOver(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bench = LedgerBench()
    var time = 100.0
    var told: (quantity: Int, ends: Double?)?
    var last: AttemptDecision?
    var journal: [LedgerPlace: Data] = [:]
    for _ in 0..<60 {
      time += Double(Int.random(in: 1...40, using: &random))
      let before = last?.admitted ?? 0
      switch Int.random(in: 0..<10, using: &random) {
      case ..<4:
        let quantity = random.chance(30) ? Entitlement.unlimited : Int.random(in: 1...6, using: &random)
        let ends = random.chance(70) ? time + Double(Int.random(in: -50...200, using: &random)) : nil
        let (attempt, beginning) = bench.begin(at: time, ignoringPending: true)
        if case .known(let decision) = beginning {
          last = decision
          if decision.verdict == .admit {
            expect(told?.ends.map { time < $0 } ?? true, "seed \(seed): given back, at \(time)")
          }
        } else {
          told = (quantity, ends)
          let outcome = bench.outcome(
            valid(quantity, until: ends), from: time, to: time, date: Int64(time), mayHaveRedeemed: false)
          last = bench.ledger.conclude(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(time))
          expectEqual(last?.verdict == .admit, before < quantity, "seed \(seed) at \(time)")
        }
      case ..<8:
        let decision = try bench.offline(at: time)
        time += 1
        if decision.verdict == .admit, decision.note != .givenBack {
          expect(told?.ends.map { time < $0 } ?? true, "seed \(seed): offline, at \(time)")
          expect(decision.admitted <= told?.quantity ?? 1, "seed \(seed)")
        }
        last = decision
      case ..<9: bench = try successor(of: &bench, &journal)
      default:
        if let given = last, given.verdict == .admit, bench.giveBack(given, at: time) { last?.admitted -= 1 }
        last?.verdict = .refuse(.alreadyUsed)
      }
    }
  }
}
