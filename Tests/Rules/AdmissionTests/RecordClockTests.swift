import Expectations
import FoundationEssentials
import ScanModel
import Admission
import ScanTesting
import Testing

/// How clocks that were apart came to be trusted again.
enum Cure: CaseIterable, Sendable { case lookUps, restart, configured }

@Suite("A ticket system whose machines disagree on the time")
struct RecordClockTests {
  private func ticket(_ number: Int) -> TicketKey { TicketKey([UInt8(number >> 8), UInt8(number & 0xFF)]) }

  /// Presents new tickets whose records are made now, by a clock that is `off` ahead of `Date`, one in ten seconds.
  private func present(
    _ bench: inout LedgerBench, _ numbers: ClosedRange<Int>, off: Int64, proven: Bool = false
  ) throws -> [AttemptDecision] {
    try numbers.map { number in
      let at = 1_000.2 + Double(number) * 10
      let (attempt, beginning) = bench.begin(at: at, key: ticket(number))
      try #require(beginning == .ask)
      let outcome = bench.outcome(
        bench.redemption("e\(number)", Int64(at) + off), from: at, to: at + 0.1, date: Int64(at + 0.1))
      return bench.ledger.conclude(
        ticket(number), attempt: attempt, outcome: outcome, wall: bench.wall(at + 0.1), wasUnused: proven)
    }
  }

  @Test(
    "Fresh tickets that come back as used at one distance are a clock's fault, told with the third",
    arguments: [-9, -90] as [Int64])
  func dateAhead(off: Int64) throws {
    var bench = LedgerBench()
    let verdicts = try present(&bench, 1...3, off: off).map(\.verdict)
    expectEqual(verdicts, [.refuse(.alreadyUsed), .refuse(.alreadyUsed), .undecided(.clockWrong)])
    expect(bench.ledger.wantsProof(ticket(4), at: bench.mono(1_040), wall: bench.wall(1_040)))
    // Who was refused before is for staff while it lasts.
    guard case .known(let again) = bench.begin(at: 1_041, key: ticket(1)).1 else { return expect(false, "asked") }
    expect(again.verdict == .undecided(.clockWrong) && again.note == .recordBehind)
    // Five that a look-up showed unused tell the offset; the next one needs no look-up, and who was refused is admitted.
    expect(try present(&bench, 4...8, off: off, proven: true).allSatisfy { $0.verdict == .admit })
    expect(!bench.ledger.wantsProof(ticket(9), at: bench.mono(1_089), wall: bench.wall(1_089)))
    expectEqual(try present(&bench, 9...9, off: off).map(\.verdict), [.admit])
    for number in 1...3 {
      let (attempt, beginning) = bench.begin(at: 1_100 + Double(number), key: ticket(number))
      try #require(beginning == .ask)
      let outcome = bench.outcome(
        bench.redemption("e\(number)", 1_000 + Int64(number) * 10 + off), from: 1_100, to: 1_110, date: 1_110)
      let decision = bench.ledger.conclude(
        ticket(number), attempt: attempt, outcome: outcome, wall: bench.wall(1_110))
      expect(decision.verdict == .admit && decision.note == .ownLostAnswer)
      guard case .known(let third) = bench.begin(at: 1_120, key: ticket(number)).1 else {
        return expect(false, "asked")
      }
      expectEqual(third.verdict, .refuse(.alreadyUsed))
    }
  }

  @Test("A record of the future is a clock's fault at once, with Date and without", arguments: [true, false])
  func dateBehind(hasDate: Bool) throws {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100.2)
    let outcome = bench.outcome(bench.redemption("e", 190), from: 100.2, to: 100.3, date: hasDate ? 100 : nil)
    let first = bench.ledger.conclude(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(100.3))
    expect(first.verdict == .undecided(.clockWrong) && first.note == .recordAhead)
    expect(bench.ledger.wantsProof(ticket(1), at: bench.mono(101), wall: bench.wall(101)))
    expect(!bench.ledger.clock.mayProbe(ticket(1), at: bench.mono(101)), "a ticket would be spent")
    guard hasDate else { return }
    expect(try present(&bench, 1...5, off: 90, proven: true).allSatisfy { $0.verdict == .admit })
    // The record of who was burnt lies where it belongs by now.
    let again = try bench.scan(bench.redemption("e", 190), at: 1_060.2)
    expect(again.verdict == .admit && again.note == .ownLostAnswer)
  }

  @Test("Without Date, our own clock that was set is doubted no longer, and nobody is spent to learn it")
  func ownClockSet() throws {
    var bench = LedgerBench()
    let (attempt, _) = bench.begin(at: 100.2)
    let outcome = bench.outcome(bench.redemption("e", 190), from: 100.2, to: 100.3)
    _ = bench.ledger.conclude(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(100.3))
    expectEqual(bench.ledger.clock.doubt?.isContradiction, true)
    expect(bench.ledger.wantsProof(ticket(1), at: bench.mono(110), wall: bench.wall(200)))
    expectEqual(bench.ledger.clock.doubt, .unconfirmed)
    expect(bench.ledger.clock.mayProbe(ticket(1), at: bench.mono(110)))
  }

  @Test("Copies in the rhythm of their originals do not make themselves fresh")
  func copiesInRhythm() throws {
    var bench = LedgerBench()
    // Used a minute ago at another station, each; a look-up shows it, so that none is asked for after the third.
    let copies = try present(&bench, 1...3, off: -60)
    expect(copies.allSatisfy { $0.verdict != .admit })
    // Honest ones among them show that the clock is right.
    expect(try present(&bench, 4...8, off: 0, proven: true).allSatisfy { $0.verdict == .admit })
    expectEqual(bench.ledger.clock.offset, .zero)
    expectEqual(try present(&bench, 9...9, off: -60).map(\.verdict), [.refuse(.alreadyUsed)])
    // Who was refused before that was proven may have been refused by clocks that were put right since: never admitted, for staff.
    guard case .known(let first) = bench.begin(at: 1_200, key: ticket(1)).1 else { return expect(false, "asked") }
    expectEqual(first.verdict, .undecided(.interrupted))
    guard case .known(let later) = bench.begin(at: 1_201, key: ticket(9)).1 else { return expect(false, "asked") }
    expectEqual(later.verdict, .refuse(.alreadyUsed))
  }

  @Test(
    "Clocks that were put right: whom the wrong one sent away is for staff, and not refused for good",
    arguments: [Cure.lookUps, .restart, .configured])
  func putRight(cure: Cure) throws {
    var bench = LedgerBench()
    expectEqual(
      try present(&bench, 1...3, off: -60).map(\.verdict),
      [.refuse(.alreadyUsed), .refuse(.alreadyUsed), .undecided(.clockWrong)])
    switch cure {
    case .lookUps: break
    case .restart:
      let kept = try JSONDecoder().decode(
        [RecordSuspicion].self, from: JSONEncoder().encode(bench.ledger.clock.suspicions))
      bench.ledger.clock = RecordClock()
      bench.ledger.clock.recall(kept)
    case .configured:
      bench.ledger.clock = bench.ledger.clock.configured(
        anew: .seconds(1), tolerated: .seconds(5), wall: bench.wall(1_035))
    }
    expect(try present(&bench, 4...8, off: 0, proven: true).allSatisfy { $0.verdict == .admit })
    expect(bench.ledger.clock.doubt == nil)
    for number in 1...3 {
      guard case .known(let again) = bench.begin(at: 1_200, key: ticket(number)).1 else {
        return expect(false, "asked")
      }
      expect(again.verdict == .undecided(.interrupted) && again.note == .recordBehind, "\(number)")
    }
    // After six hours nobody comes again for that.
    guard case .known(let late) = bench.begin(at: 23_000, key: ticket(1)).1 else { return expect(false, "asked") }
    expectEqual(late.verdict, .refuse(.alreadyUsed))
  }

  @Test(
    "Clocks that are a second apart hit some tickets: the second one raises the doubt, and both are admitted afterwards"
  )
  func almost() throws {
    var bench = LedgerBench()
    let offs: [Int64] = [-1, -2, -1, -1, -2]
    var verdicts: [Verdict] = []
    for (index, off) in offs.enumerated() {
      let number = index + 1
      verdicts += try present(&bench, number...number, off: off).map(\.verdict)
    }
    expectEqual(verdicts, [.admit, .refuse(.alreadyUsed), .admit, .admit, .undecided(.clockWrong)])
    expect(try present(&bench, 6...10, off: -1, proven: true).allSatisfy { $0.verdict == .admit })
    expectEqual(try present(&bench, 11...11, off: -2).map(\.verdict), [.admit])
    for number in [2, 5] {
      let at = 1_200 + Double(number) * 10
      let record = bench.redemption("e\(number)", 1_000 + Int64(number) * 10 - 2)
      try expectEqual(bench.scan(record, at: at, key: ticket(number)).verdict, .admit)
    }
  }

  @Test("A ticket used elsewhere a moment ago is refused, and for staff when it comes again")
  func aMomentAgo() throws {
    var bench = LedgerBench()
    try expectEqual(present(&bench, 1...1, off: -3).map(\.verdict), [.refuse(.alreadyUsed)])
    expect(!bench.ledger.wantsProof(ticket(2), at: bench.mono(1_015), wall: bench.wall(1_015)))
    guard case .known(let again) = bench.begin(at: 1_020, key: ticket(1)).1 else { return expect(false, "asked") }
    expect(again.verdict == .undecided(.interrupted) && again.note == .recordBehind)
  }

  @Test("Tickets used at different times raise no doubt")
  func usedElsewhere() throws {
    var bench = LedgerBench()
    for number in 1...20 {
      try expectEqual(
        present(&bench, number...number, off: -Int64(number * number * 7)).map(\.verdict), [.refuse(.alreadyUsed)])
    }
    expect(bench.ledger.clock.doubt == nil)
  }

  @Test("Nothing proven: a ticket is spent after 15 s, and each time after twice as long, up to five minutes")
  func probes() throws {
    var bench = LedgerBench()
    _ = try present(&bench, 1...3, off: -60)
    var probes: [Int] = []
    for second in 1_021...2_300 where bench.ledger.clock.mayProbe(ticket(4), at: bench.mono(Double(second))) {
      probes.append(second)
    }
    let distances = zip(probes, probes.dropFirst()).map { $1 - $0 }
    // The third was told at 1030.3 s.
    expectEqual(probes.first, 1_046)
    expectEqual(distances, [30, 60, 120, 240, 300, 300])
  }

  @Test("Nothing proven, and one ticket shows whether the clocks were put right; it admits when it comes again")
  func probe() throws {
    var bench = LedgerBench()
    _ = try present(&bench, 1...3, off: -60)
    expect(!bench.ledger.clock.mayProbe(ticket(4), at: bench.mono(1_030)))
    expect(bench.ledger.clock.mayProbe(ticket(40), at: bench.mono(1_400)))
    let probe = try present(&bench, 40...40, off: 0)
    expectEqual(probe.map(\.verdict), [.undecided(.clockWrong)])
    expect(bench.ledger.clock.doubt == nil)
    let again = try bench.scan(bench.redemption("e40", 1_400), at: 1_410.2, key: ticket(40))
    expectEqual(again.verdict, .admit)
  }

  @Test("What was learnt is confirmed by the first proven record of the next process")
  func recalled() throws {
    var bench = LedgerBench()
    bench.ledger.clock.recall(learnt: .seconds(-60))
    expect(bench.ledger.wantsProof(ticket(1), at: bench.mono(1_000), wall: bench.wall(1_000)))
    expect(bench.ledger.clock.mayProbe(ticket(1), at: bench.mono(1_000)))
    try expectEqual(present(&bench, 1...1, off: -60, proven: true).map(\.verdict), [.admit])
    expect(!bench.ledger.wantsProof(ticket(2), at: bench.mono(1_011), wall: bench.wall(1_011)))
    // Ten minutes in which nothing confirms it.
    expect(bench.ledger.wantsProof(ticket(2), at: bench.mono(1_700), wall: bench.wall(1_700)))
  }

  /// A late answer whose clocks are those of a server that wants to break us.
  @Test("No time that a server can send ends the process", arguments: [Int64.min, -1, 0, 1, .max])
  func anyTimes(seconds: Int64) throws {
    var bench = LedgerBench()
    for number in 1...12 {
      let (attempt, beginning) = bench.begin(at: 100 + Double(number), key: ticket(number))
      try #require(beginning == .ask)
      let outcome = bench.outcome(
        bench.redemption("e\(number)", number % 2 == 0 ? seconds : 0 &- seconds), from: 100 + Double(number),
        to: 101 + Double(number), date: number % 3 == 0 ? nil : number % 2 == 0 ? 0 &- seconds : seconds)
      _ = bench.ledger.conclude(
        ticket(number), attempt: attempt, outcome: outcome, wall: bench.wall(101), wasUnused: number > 4)
      _ = bench.ledger.wantsProof(ticket(number), at: bench.mono(101), wall: WallTime(nanoseconds: .max))
    }
  }
}
