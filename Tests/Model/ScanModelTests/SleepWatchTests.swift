import Expectations
import ScanModel
import ScanTesting
import Testing

/// That the machine slept is seen by two clocks.
@Suite struct SleepWatchTests {
  private static func at(_ milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 9_000_000_000) + .milliseconds(milliseconds)
  }

  @Test func aDifferenceThatGrewMakesStaleWhatWasBegunBefore() {
    var watch = SleepWatch(asleep: .seconds(7))
    expect(watch.look(asleep: .seconds(7), at: Self.at(0)) == nil)
    expect(!watch.hasSlept(since: Self.at(-1)))
    expectEqual(watch.look(asleep: .seconds(10), at: Self.at(5)), .seconds(3))
    expect(watch.hasSlept(since: Self.at(5)) && !watch.hasSlept(since: Self.at(6)))
    expect(watch.look(asleep: .seconds(10), at: Self.at(7)) == nil)
    expect(watch.hasSlept(since: Self.at(5)), "it stays so")
  }

  /// The two clocks are not read at one moment.
  @Test func readingsThatVaryAreNoSleep() {
    var random = SeededGenerator(seed: 3)
    var watch = SleepWatch(asleep: .seconds(7))
    for step in 0..<1_000 {
      let late = Duration.microseconds(Int.random(in: -20_000...20_000, using: &random))
      expect(watch.look(asleep: .seconds(7) + late, at: Self.at(step)) == nil)
    }
    expectEqual(watch.look(asleep: .seconds(8), at: Self.at(1_000)), .seconds(1))
  }

  @Test func theMachinesOwnClocksAgreeWhileItIsAwake() {
    let time = SystemTime()
    var watch = SleepWatch(asleep: time.asleep())
    for _ in 0..<1_000 { expect(watch.look(asleep: time.asleep(), at: time.now()) == nil) }
  }
}
