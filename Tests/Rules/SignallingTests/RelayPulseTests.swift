import Expectations
import ScanModel
import Signalling
import Testing

private let signals: [Signal] = [
  .admit, .provisional, .refuse(.unpaid), .refuse(.alreadyUsed), .undecided(.unreachable), .busy, .idle, .offline,
  .outOfService,
]

@Suite struct RelayPulseTests {
  @Test func aRefusalDuringAPulseLeavesTheRelayAlone() throws {
    var bench = try SequencerBench(timing: RelayTiming(pulse: .milliseconds(800), gap: .milliseconds(100)))
    bench.start()
    bench.admit()
    expect(bench.isRelayOn)
    expectEqual(bench.lit, ["green", "buzzer"])
    bench.pass(.milliseconds(100))
    bench.play(.refuse(.unpaid))
    expect(bench.isRelayOn)
    expectEqual(bench.lit, ["red", "buzzer"])
    bench.pass(.seconds(10))
    expectEqual(bench.relay, [.init(start: bench.epoch, end: bench.epoch + .milliseconds(800))])
  }

  @Test func theSecondAdmissionWaitsForEndAndGapAndThenLightsGreen() throws {
    var bench = try SequencerBench(timing: RelayTiming(pulse: .milliseconds(400), gap: .milliseconds(300)))
    bench.start()
    bench.admit()
    bench.pass(.milliseconds(200))
    let second = bench.admit()
    bench.play(.refuse(.expired))
    bench.pass(.milliseconds(499))
    expect(!bench.lit.contains("green"))
    expect(bench.answers[second] == nil)
    bench.pass(.milliseconds(1))
    expect(bench.lit.contains("green"))
    bench.pass(.seconds(5))
    expectEqual(
      bench.relay,
      [
        .init(start: bench.epoch, end: bench.epoch + .milliseconds(400)),
        .init(start: bench.epoch + .milliseconds(700), end: bench.epoch + .milliseconds(1_100)),
      ])
  }

  /// Each person's lamps are those of his own admission, whichever waited for which; what came to nothing is forgotten.
  @Test func aProvisionalAdmissionLooksSoWhenItsOwnPulseBegins() throws {
    var bench = try SequencerBench(timing: RelayTiming(pulse: .milliseconds(400), gap: .milliseconds(300)))
    bench.start()
    bench.admit()
    bench.admit(isProvisional: true)
    bench.admit()
    expectEqual(bench.lit, ["green", "buzzer"])
    bench.pass(.milliseconds(700))
    expectEqual(bench.lit, ["green", "amber", "buzzer"])
    bench.pass(.milliseconds(700))
    expectEqual(bench.lit, ["green", "buzzer"])
    bench.pass(.seconds(5))
    expectEqual(bench.relay.count, 3)
    var isBroken = true
    bench.driveFails = { isBroken }
    bench.admit(isProvisional: true)
    isBroken = false
    bench.pass(.seconds(5))
    expect(bench.lit.isEmpty)
    bench.admit()
    expectEqual(bench.lit, ["green", "buzzer"])
  }

  @Test func aBoundedNumberOfAdmissionsWaits() throws {
    var bench = try SequencerBench()
    bench.start()
    let pulses = (0..<12).map { _ in bench.admit() }
    expect(pulses.suffix(3).allSatisfy { bench.failed[$0] == .tooManyWaiting })
    bench.pass(.seconds(60))
    expect(pulses.prefix(9).allSatisfy { bench.started[$0] != nil })
    expectEqual(bench.relay.count, 9)
  }

  @Test func withoutARelayAnAdmissionIsLampsAndSound() throws {
    var bench = try SequencerBench(outputs: ["green": .lamp])
    bench.start()
    let pulse = bench.admit()
    expectEqual(bench.withoutRelay, [pulse])
    expectEqual(bench.lit, ["green"])
    let provisional = bench.admit(isProvisional: true)
    expectEqual(bench.withoutRelay, [pulse, provisional])
    bench.pass(.milliseconds(1_500))
    expect(bench.lit.isEmpty)
    bench.pass(.milliseconds(300))
    expectEqual(bench.lit, ["green"])
    bench.stop()
    expect(bench.sequencer.isStopped)
    expectEqual(bench.failed[bench.admit()], .stopped)
  }

  @Test func aPatternCannotDriveTheRelay() throws {
    var patterns = SignalPatterns.standard(for: SequencerBench.outputs)
    patterns.refuse.outputs["relay"] = .steady
    patterns.idle.outputs["elsewhere"] = .steady
    expectEqual(patterns.problems(for: SequencerBench.outputs).count, 2)
    var bench = try SequencerBench(patterns: patterns)
    bench.start()
    for signal in signals {
      bench.play(signal)
      bench.pass(.milliseconds(500))
    }
    expect(bench.relay.isEmpty)
    expect(!bench.switches.contains { $0.output == "relay" || $0.output == "elsewhere" })
    expect(bench.switches.contains { $0.output == "green" })
  }

  @Test func beforeTheStartAndAfterTheStopNothingOpens() throws {
    var bench = try SequencerBench()
    expectEqual(bench.failed[bench.admit()], .stopped)
    bench.start()
    bench.stop()
    expect(bench.sequencer.isStopped)
    expectEqual(bench.failed[bench.admit()], .stopped)
    bench.play(.refuse(.unpaid))
    expect(bench.lit.isEmpty)
    expect(bench.relay.isEmpty)
    bench.start()
    bench.admit()
    expect(bench.isRelayOn)
  }

  @Test func aStopLetsTheRunningPulseEnd() throws {
    var bench = try SequencerBench()
    bench.start()
    bench.admit()
    let waiting = bench.admit()
    bench.pass(.milliseconds(100))
    bench.stop()
    expect(bench.isRelayOn)
    expect(!bench.sequencer.isStopped)
    expectEqual(bench.failed[waiting], .stopped)
    expect(bench.lit.isEmpty)
    bench.pass(.seconds(5))
    expect(bench.sequencer.isStopped)
    expectEqual(bench.relay, [.init(start: bench.epoch, end: bench.epoch + .milliseconds(500))])
  }

  @Test func aSecondStartDoesNotCutAPulse() throws {
    var bench = try SequencerBench()
    bench.start()
    bench.admit()
    bench.pass(.milliseconds(100))
    bench.start()
    bench.stop()
    bench.start()
    expect(bench.isRelayOn)
    bench.pass(.seconds(5))
    expectEqual(bench.relay, [.init(start: bench.epoch, end: bench.epoch + .milliseconds(500))])
  }

  @Test func aRelayThatCannotBeReleasedIsTriedAtOnceAndEvery100Milliseconds() throws {
    var bench = try SequencerBench()
    bench.start()
    bench.admit()
    let waiting = bench.admit()
    bench.releaseFails = { true }
    bench.releaseTries = []
    bench.pass(.milliseconds(850))
    expectEqual(bench.releaseTries, [500, 500, 600, 700, 800].map { .milliseconds($0) })
    expectEqual(bench.failed[waiting], .stuck)
    expectEqual(bench.failed[bench.admit()], .stuck)
    expect(bench.sequencer.isOn("relay"))
    bench.releaseFails = { false }
    bench.pass(.milliseconds(50))
    expect(!bench.sequencer.isOn("relay"))
    bench.admit()
    bench.pass(.milliseconds(500))
    expectEqual(bench.relay.count, 2)
  }

  @Test func aRelayThatIsMissingAtTheStartIsTriedCalmlyUntilItComes() throws {
    var bench = try SequencerBench()
    bench.releaseFails = { true }
    bench.start()
    bench.pass(.milliseconds(2_500))
    expectEqual(bench.releaseTries, [0, 0, 1_000, 2_000].map { .milliseconds($0) })
    expectEqual(bench.failed[bench.admit()], .stuck)
    bench.releaseFails = { false }
    bench.pass(.seconds(1))
    bench.admit()
    expect(bench.isRelayOn)
  }

  @Test func aRelayAtRestIsToldSoAgainSoThatALostOneIsNoticed() throws {
    var bench = try SequencerBench()
    bench.start()
    bench.releaseTries = []
    bench.pass(.seconds(12))
    expectEqual(bench.releaseTries, [.seconds(5), .seconds(10)])
    expect(bench.relay.isEmpty)
    bench.releaseFails = { true }
    bench.pass(.seconds(4))
    expectEqual(bench.failed[bench.admit()], .stuck)
    bench.releaseFails = { false }
    bench.pass(.seconds(1))
    bench.admit()
    expect(bench.isRelayOn)
  }

  @Test func aStopGivesUpARelayThatCannotBeReleased() throws {
    var bench = try SequencerBench()
    bench.start()
    bench.admit()
    bench.releaseFails = { true }
    bench.stop()
    bench.pass(.seconds(3))
    expect(bench.sequencer.isStopped)
    expect(bench.sequencer.deadline == nil)
  }

  @Test func aLineThatCannotBeDrivenFailsThatAdmissionOnlyAndLightsNothing() throws {
    var bench = try SequencerBench()
    bench.start()
    bench.driveFails = { true }
    bench.releaseTries = []
    expectEqual(bench.failed[bench.admit()], .notDriven)
    expect(bench.lit.isEmpty)
    expectEqual(bench.releaseTries.count, 1)
    bench.pass(.seconds(1))
    // Whatever it does now, it is released.
    bench.driveIsUnsure = true
    bench.releaseTries = []
    expectEqual(bench.failed[bench.admit()], .unsure)
    expect(bench.lit.isEmpty)
    expectEqual(bench.releaseTries.count, 1)
    bench.driveFails = { false }
    bench.pass(.milliseconds(500))
    bench.admit()
    expect(bench.isRelayOn)
  }

  @Test func onlyOneRelayAndNoEndlessPulse() {
    #expect(throws: SignalError.self) {
      try SignalSequencer(outputs: ["a": .relay, "b": .relay], patterns: SignalPatterns())
    }
    for (pulse, gap) in [(19, 0), (10_001, 0), (-500, 0), (500, -1), (500, 10_001)] {
      #expect(throws: SignalError.self) { try RelayTiming(pulse: .milliseconds(pulse), gap: .milliseconds(gap)) }
    }
    #expect(throws: Never.self) { try RelayTiming(pulse: .seconds(10), gap: .zero) }
    #expect(throws: Never.self) { try RelayTiming(pulse: .milliseconds(20), gap: .seconds(10)) }
  }

  // MARK: Properties

  private func timing(_ dice: SequencerDice) throws -> RelayTiming {
    try RelayTiming(pulse: dice.milliseconds(20...900), gap: dice.milliseconds(0...400))
  }

  /// Random admissions, signals and steps of time; exact timers. As many pulses as accepted admissions, each of exactly its
  /// length, each two at least the gap apart, in order.
  @Test(arguments: 0..<200) func pulsesAreWhole(seed: Int) throws {
    let dice = SequencerDice(seed: UInt64(seed))
    let timing = try timing(dice)
    var bench = try SequencerBench(timing: timing)
    bench.start()
    var pulses: [PulseID] = []
    for _ in 0..<300 {
      switch dice.below(4) {
      case 0: pulses.append(bench.admit(isProvisional: dice.below(2) == 0))
      case 1: bench.play(signals[dice.below(signals.count)])
      case 2: bench.pass(dice.milliseconds(0...30))
      default: bench.pass(dice.milliseconds(0...700))
      }
      let waiting = pulses.count { bench.answers[$0] == nil }
      expect(waiting <= SignalSequencer.maximumWaiting, "seed \(seed)")
    }
    bench.pass(.seconds(20))
    let accepted = pulses.filter { bench.failed[$0] == nil }
    expect(accepted.count > 0, "seed \(seed)")
    expect(pulses.allSatisfy { bench.answers[$0] == 1 }, "seed \(seed)")
    expect(bench.failed.values.allSatisfy { $0 == .tooManyWaiting }, "seed \(seed)")
    expectEqual(bench.relay.map(\.start), accepted.map { bench.started[$0]?.start }, "seed \(seed)")
    expect(
      bench.relay.allSatisfy { pulse in pulse.end.map { $0 - pulse.start == timing.pulse } ?? false }, "seed \(seed)")
    for (one, next) in zip(bench.relay, bench.relay.dropFirst()) {
      expect(one.end.map { next.start - $0 >= timing.gap } ?? false, "seed \(seed)")
    }
  }

  /// The same with late timers and a slow line: pulses and gaps may be longer, never shorter, and none is lost.
  @Test(arguments: 0..<100) func lateTimersShortenNothing(seed: Int) throws {
    let dice = SequencerDice(seed: UInt64(seed) &+ 1_000)
    let timing = try timing(dice)
    var bench = try SequencerBench(timing: timing)
    bench.writeTime = { dice.milliseconds(0...40) }
    bench.start()
    var pulses: [PulseID] = []
    for _ in 0..<200 {
      switch dice.below(3) {
      case 0: pulses.append(bench.admit(isProvisional: dice.below(2) == 0))
      case 1: bench.play(signals[dice.below(signals.count)])
      default: bench.pass(dice.milliseconds(0...600)) { dice.milliseconds(0...300) }
      }
    }
    bench.pass(.seconds(60)) { dice.milliseconds(0...300) }
    expect(pulses.allSatisfy { bench.answers[$0] == 1 }, "seed \(seed)")
    expect(bench.relay.count == bench.started.count && !bench.isRelayOn, "seed \(seed)")
    for pulse in bench.relay {
      expect(pulse.end.map { $0 - pulse.start >= timing.pulse } ?? false, "seed \(seed)")
    }
    for (one, next) in zip(bench.relay, bench.relay.dropFirst()) {
      expect(one.end.map { next.start - $0 >= timing.gap } ?? false, "seed \(seed)")
    }
  }

  /// With a line that fails now and then, starts and stops: every admission gets one answer, pulses that started are whole,
  /// the sequencer never believes a relay off that is on, and in the end it is off.
  @Test(arguments: 0..<200) func faultsShortenNothingAndLoseNoAnswer(seed: Int) throws {
    let dice = SequencerDice(seed: UInt64(seed) &+ 2_000)
    let timing = try timing(dice)
    var bench = try SequencerBench(timing: timing)
    var isBroken = true
    bench.driveFails = { isBroken && dice.below(4) == 0 }
    bench.releaseFails = { isBroken && dice.below(3) == 0 }
    bench.start()
    var pulses: [PulseID] = []
    for _ in 0..<200 {
      switch dice.below(12) {
      case 0...3: pulses.append(bench.admit(isProvisional: dice.below(2) == 0))
      case 4...6: bench.play(signals[dice.below(signals.count)])
      case 7: bench.stop()
      case 8: bench.start()
      default: bench.pass(dice.milliseconds(0...600)) { dice.milliseconds(0...50) }
      }
      expect(!bench.isRelayOn || bench.sequencer.isOn("relay"), "seed \(seed)")
    }
    isBroken = false
    bench.start()
    bench.pass(.seconds(60))
    expect(!bench.isRelayOn && !bench.sequencer.isOn("relay"), "seed \(seed)")
    expect(pulses.allSatisfy { bench.answers[$0] == 1 }, "seed \(seed)")
    expectEqual(bench.relay.count, bench.started.count, "seed \(seed)")
    for pulse in bench.relay {
      expect(pulse.end.map { $0 - pulse.start >= timing.pulse } ?? false, "seed \(seed)")
    }
  }
}
