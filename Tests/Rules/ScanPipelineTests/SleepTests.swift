import Expectations
import ScanModel
import ScanPipeline
import ScanTesting
import Testing

/// What was open while the machine slept, which the clock of everything does not count.
@Suite struct SleepTests {
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

  @Test func nobodyIsHeldOffByWhatWasSeenBefore() {
    var holdOff = HoldOff(duration: .seconds(2))
    expectEqual(holdOff.sighting(of: Code("one"), at: Self.at(0)), .new)
    holdOff.decided(Code("one"), .refuse(.unpaid))
    expectEqual(holdOff.sighting(of: Code("two"), at: Self.at(1)), .new)
    holdOff.slept()
    expectEqual(holdOff.sighting(of: Code("one"), at: Self.at(2)), .new)
    // What is being decided is decided by its scan.
    expectEqual(holdOff.sighting(of: Code("two"), at: Self.at(3)), .repeat(inFlight: true))
  }

  @Test func aStationThatSleptIsArmedNoLongerThanIfItHadNot() {
    var station = SetUpArming(isMissing: true, window: .seconds(600))
    station.started(at: Self.at(0))
    station.slept(for: .seconds(599))
    expectEqual(station.state(at: Self.at(0)), .armed(until: Self.at(1_000)))
    station.slept(for: .seconds(1))
    expectEqual(station.state(at: Self.at(0)), .off)
  }

  @Test func aPulseThatSleptPastItsEndEndsAndWhoWaitedIsAskedAgain() throws {
    var bench = try SequencerBench(timing: RelayTiming(pulse: .milliseconds(800), gap: .milliseconds(300)))
    bench.start()
    bench.admit()
    let waiting = bench.admit()
    bench.pass(.milliseconds(100))
    bench.sleep(.seconds(3_600))
    expect(!bench.isRelayOn)
    expectEqual(bench.failed[waiting], .late)
    bench.pass(.seconds(5))
    expectEqual(bench.relay, [.init(start: bench.epoch, end: bench.epoch + .milliseconds(100))])
    bench.admit()
    expect(bench.isRelayOn)
  }

  /// By a clock that goes on while the machine sleeps a pulse is as long as it is to be, or over when the machine wakes.
  @Test func sleepIsCountedAsAllTime() throws {
    for seed in 0..<UInt64(extent(landing: 200, release: 2_000)) {
      var random = SeededGenerator(seed: seed)
      let timing = try RelayTiming(pulse: .milliseconds(800), gap: .milliseconds(300))
      var bench = try SequencerBench(timing: timing)
      bench.start()
      /// When it slept, for how long, and which admissions had no answer then.
      var sleeps: [(at: MonotonicTime, length: Duration, open: [PulseID])] = []
      var asked: [PulseID] = []
      for _ in 0..<30 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: asked.append(bench.admit())
        case 2: bench.pass(.milliseconds(Int.random(in: 0...700, using: &random)))
        default:
          let length = Duration.milliseconds(Int.random(in: 50...1_500, using: &random))
          sleeps.append((bench.now, length, asked.filter { bench.answers[$0] == nil }))
          bench.sleep(length)
          // What is asked for at the same moment was not there before.
          bench.pass(.milliseconds(1))
        }
      }
      bench.pass(.seconds(60))
      expect(asked.allSatisfy { bench.answers[$0] == 1 }, "seed \(seed)")
      for sleep in sleeps { expect(sleep.open.allSatisfy { bench.failed[$0] == .late }, "seed \(seed)") }
      for pulse in bench.relay {
        let end = try #require(pulse.end)
        let during = sleeps.filter { pulse.start <= $0.at && $0.at <= end }
        let length = during.reduce(end - pulse.start) { $0 + $1.length }
        expect(length >= timing.pulse, "seed \(seed)")
        expect(length == timing.pulse || during.contains { $0.at == end }, "seed \(seed)")
      }
    }
  }
}
