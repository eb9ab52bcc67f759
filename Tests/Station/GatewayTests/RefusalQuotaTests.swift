import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// Which orders are written down of those who may not give them.
@Suite struct RefusalQuotaTests {
  private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

  @Test func whatWasCountedIsToldWithTheNext() {
    var quota = RefusalQuota()
    for number in 0..<25 { expectEqual(quota.take(7, at: time(0)), number < RefusalQuota.most ? 0 : nil) }
    // Another user has their own.
    expectEqual(quota.take(8, at: time(1)), 0)
    expectEqual(quota.take(7, at: time(59)), nil)
    expectEqual(quota.take(7, at: time(60)), 16)
    expectEqual(quota.take(7, at: time(61)), 0)
  }

  /// Whoever comes, and as however many: at most so many are written in a minute, and each is told or counted.
  @Test(arguments: [UInt64](0..<20)) func noneIsLostAndFewAreWritten(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var quota = RefusalQuota()
    let users = UInt32(Int.random(in: 1...1_000, using: &random))
    var now: Int64 = 0
    var (given, told, written) = (0, UInt64(0), [Int64: Int]())
    for _ in 0..<5_000 {
      now += random.chance(2) ? Int64.random(in: 0...90, using: &random) : 0
      given += 1
      guard let left = quota.take(.random(in: 0..<users, using: &random), at: time(now)) else { continue }
      told += left + 1
      written[now, default: 0] += 1
    }
    expect(told <= UInt64(given), "seed \(seed)")
    for (moment, _) in written {
      let within = written.filter { (moment..<moment + 60).contains($0.key) }.values.reduce(0, +)
      // A minute may begin within another.
      expect(within <= 2 * 257 * RefusalQuota.most, "seed \(seed)")
    }
  }
}
