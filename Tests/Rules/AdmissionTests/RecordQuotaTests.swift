import Expectations
import ScanModel
import Admission
import ScanTesting
import Testing

@Suite struct RecordQuotaTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

  @Test func aThousandAtOnceThenTenASecond() {
    var quota = RecordQuota()
    for _ in 0..<1_000 { expect(quota.take(at: at(0))) }
    for _ in 0..<7 { expect(!quota.take(at: at(99))) }
    expect(quota.take(at: at(100)))
    expect(!quota.take(at: at(101)))
    expect(quota.take(at: at(200)))
  }

  /// Whoever presents codes by hand, or a queue of people at eight scanners of one gate, is written down wholly.
  @Test(arguments: 0..<20) func nothingThatSomebodySawIsLeftOut(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var quota = RecordQuota()
    var time: Int64 = 0
    for number in 0..<5_000 {
      time += Int64.random(in: 0...200, using: &random) + (number % 2 == 0 ? 0 : 100)
      expect(quota.take(at: at(time)), "seed \(seed), scan \(number)")
    }
  }

  @Test(arguments: 0..<20) func neverMoreThanTheBurstAndTheRate(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var quota = RecordQuota()
    var time: Int64 = 0
    var taken: [Int64] = []
    for _ in 0..<5_000 {
      time += random.chance(5) ? Int64.random(in: 0...2_000, using: &random) : Int64.random(in: 0...3, using: &random)
      if quota.take(at: at(time)) { taken.append(time) }
    }
    for index in taken.indices.dropFirst(1_101) {
      expect(taken[index] - taken[index - 1_101] >= 10_000, "seed \(seed)")
    }
    expect(taken.count < 5_000)
  }
}
