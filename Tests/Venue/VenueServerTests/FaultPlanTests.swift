import Expectations
import Testing

@testable import VenueServer

@Suite struct FaultPlanTests {
  private func day(_ texts: String...) throws -> FaultPlan { FaultPlan(try texts.map { try Misbehaviour($0) }) }

  private func hits(_ day: FaultPlan, of count: Int) -> [Bool] {
    var day = day
    return (0..<count).map { _ in !day.manners(for: .scan).isGood }
  }

  @Test func aGoodDayChangesNothing() {
    var day = FaultPlan()
    expect(day.manners(for: .scan).isGood)
    expect(day.manners(for: .other).isGood)
  }

  @Test func theNextThreeAreHitAndThenNoMore() throws {
    expectEqual(hits(try day("status=503,next=3"), of: 5), [true, true, true, false, false])
  }

  @Test func aShareIsThatShareAndTheSameEachTime() throws {
    let first = hits(try day("html,share=20%"), of: 10_000)
    expectEqual(first, hits(try day("html,share=20%"), of: 10_000))
    expect(first != hits(try day("html,share=20%,seed=2"), of: 10_000))
    // Four standard deviations.
    expect((1_840...2_160).contains(first.count { $0 }))
    expectEqual(hits(try day("html,share=20%,next=7"), of: 10_000).count { $0 }, 7)
  }

  @Test func onlyScansAreHitUnlessAllAre() throws {
    var scans = try day("html")
    expect(scans.manners(for: .other).isGood)
    expect(!scans.manners(for: .scan).isGood)
    var all = try day("html,on=all")
    expect(!all.manners(for: .other).isGood)
  }

  @Test func pausesAndClocksAddUpAndTheFirstOtherFaultWins() throws {
    var day = try day(
      "latency=1s", "clock=-1h", "status=503,next=1", "latency=2s,when=after", "close=after,next=1", "clock=10s",
      "latency=5ms")
    let first = day.manners(for: .scan)
    expectEqual(first.pauseBefore, 1_005)
    expectEqual(first.pauseAfter, 2_000)
    expectEqual(first.clock, -3_590)
    expectEqual(first.fault, .status(503, retryAfter: nil, .before))
    expectEqual(day.entries.map(\.hits), [1, 1, 1, 1, 0, 1, 1])
    expectEqual(day.manners(for: .scan).fault, .end(.close, .after))
    expect(day.manners(for: .scan).fault == nil)
    expectEqual(day.entries[4].description, "close=after,next=1  (hits: 1, over)")
  }

  /// Whatever is on the list and whoever asks: counts keep to `next`, pauses and clocks to their limits, one seed to one
  /// sequence, and what comes later in the list changes nothing for what comes before.
  @Test(arguments: 0..<60) func invariantsHold(seed: UInt64) {
    var random = SecretSource(number: seed)
    let list = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
      var one = Misbehaviour.random(&random)
      if one.next != nil { one.next = Int.random(in: 1...5, using: &random) }
      return one
    }
    let requests = (0..<200).map { _ in Bool.random(using: &random) }
    var (day, again, shorter) = (FaultPlan(list), FaultPlan(list), FaultPlan(Array(list.dropLast())))
    for isScan in requests {
      let manners = day.manners(for: isScan ? .scan : .other)
      expectEqual(manners, again.manners(for: isScan ? .scan : .other), "seed \(seed)")
      expect((0...Misbehaviour.longestPause).contains(manners.pauseBefore))
      expect((0...Misbehaviour.longestPause).contains(manners.pauseAfter))
      expect(abs(manners.clock) <= Misbehaviour.furthestClock)
      let without = shorter.manners(for: isScan ? .scan : .other)
      if let fault = without.fault { expectEqual(manners.fault, fault, "seed \(seed)") }
    }
    expect(day.entries.dropLast().elementsEqual(shorter.entries), "seed \(seed)")
    for entry in day.entries {
      if let next = entry.misbehaviour.next { expect(entry.hits <= next, "seed \(seed)") }
    }
  }
}
