import Expectations
import ScanModel
import Signalling
import ScanTesting
import Testing

/// What was open while the machine slept, which the clock of everything does not count.
@Suite struct SleepTests {
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
