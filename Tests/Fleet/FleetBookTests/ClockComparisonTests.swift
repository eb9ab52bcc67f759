import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import FleetBook

/// When a clock counts as off, by answers that take their time.
@Suite struct ClockComparisonTests {
  private let now = WallTime(seconds: 1_800_000_000)

  /// What three answers in a row, and more, make of a clock that is so far ahead.
  private func take(_ comparison: inout ClockComparison, _ ahead: [Double], took: Double = 0.1) -> [Bool] {
    ahead.map { ahead in
      let told = now
      return comparison.take(
        sent: told + .milliseconds(ahead * 1_000 - took * 500),
        answered: told + .milliseconds(ahead * 1_000 + took * 500),
        told: told)
    }
  }

  @Test func threeInARowAreToldOnceAndThatItIsRightAgainOnce() {
    var comparison = ClockComparison()
    expectEqual(take(&comparison, [0, 5, 5, 0, 5, 5]), [false, false, false, false, false, false])
    expectEqual(take(&comparison, [5, 5.1, 4.9]), [true, false, false])
    expect(comparison.ahead.map { $0 > .seconds(4) && $0 < .seconds(6) } == true, "\(comparison)")
    // One that is right is chance, and one to the other side as well.
    expectEqual(take(&comparison, [0, 0, 5, 0, 0]), [false, false, false, false, false])
    expectEqual(take(&comparison, [0]), [true])
    expect(comparison.ahead == nil)
    expectEqual(take(&comparison, [0, 0, 0, 0]), [false, false, false, false])
  }

  @Test func oneSideIsNotTheOther() {
    var comparison = ClockComparison()
    expectEqual(take(&comparison, [5, 5, -5, -5]), [false, false, false, false])
    expectEqual(take(&comparison, [-5]), [true])
    expect(comparison.ahead.map { $0 < .zero } == true)
    // A clock that was set to another wrong time is told again.
    expectEqual(take(&comparison, [-3_600]), [true])
  }

  @Test func whatASlowAnswerExplainsIsNotOff() {
    var comparison = ClockComparison()
    expectEqual(take(&comparison, [4, 4, 4, -4, -4, -4], took: 6), Array(repeating: false, count: 6))
    // A clock that was set between asking and answer tells nothing.
    for _ in 0..<6 { expect(!comparison.take(sent: now + .seconds(60), answered: now, told: now)) }
  }

  /// Whatever answers take: a clock within the tolerance is never told of, and one that is far off is in the end.
  @Test(arguments: (0..<extent(landing: 20, release: 200)).map { _ in UInt64.random(in: .min ... .max) })
  func whatIsToldIsSo(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var right = ClockComparison()
    var wrong = ClockComparison()
    var isTold = false
    for _ in 0..<50 {
      let took = Double.random(in: 0..<4, using: &random)
      if take(&right, [Double.random(in: -2...2, using: &random)], took: took) != [false] {
        expect(false, "seed \(seed): a clock that is right")
      }
      if take(&wrong, [Double.random(in: 6...9, using: &random)], took: took) == [true] { isTold = true }
    }
    expect(isTold, "seed \(seed)")
  }
}
