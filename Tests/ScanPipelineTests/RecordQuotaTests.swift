import Expectations
import ScanModel
import ScanPipeline
import ScanTesting
import Testing

@Suite struct RecordQuotaTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

  @Test func aHundredAtOnceThenTwoASecondAndTheRestIsCounted() {
    var quota = RecordQuota()
    for _ in 0..<100 { expect(quota.take(at: at(0)) == (true, 0)) }
    for _ in 0..<7 { expect(!quota.take(at: at(499)).isTaken) }
    expect(quota.take(at: at(500)) == (true, 7))
    expect(!quota.take(at: at(501)).isTaken)
    expect(quota.take(at: at(1_000)) == (true, 1))
  }

  @Test(arguments: 0..<20) func neverMoreThanTheBurstAndTheRate(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var quota = RecordQuota()
    var time: Int64 = 0
    var taken: [Int64] = []
    var asked = 0
    var counted = 0
    for _ in 0..<5_000 {
      time += random.chance(5) ? Int64.random(in: 0...20_000, using: &random) : Int64.random(in: 0...30, using: &random)
      asked += 1
      let (isTaken, skipped) = quota.take(at: at(time))
      if isTaken { taken.append(time) }
      counted += skipped
    }
    for (index, first) in taken.enumerated() {
      let window = taken[index...].prefix { $0 < first + 10_000 }
      expect(window.count <= 100 + 20, "seed \(seed)")
    }
    expect(counted <= asked - taken.count && taken.count < asked)
  }
}
