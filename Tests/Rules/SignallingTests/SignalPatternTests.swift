import Expectations
import ScanModel
import Signalling
import Testing

@Suite struct SignalPatternTests {
  /// Lamps and sound alone: a relay at rest has a deadline of its own.
  private static let outputs = SequencerBench.outputs.filter { $0.value != .relay }

  private func times(_ bench: SequencerBench, _ output: OutputName) -> [Int64] {
    bench.switches.filter { $0.output == output }.map(\.at.milliseconds)
  }

  @Test func admitIsSteadyAndRefuseBlinks() throws {
    var bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.admit()
    bench.pass(.seconds(5))
    expectEqual(times(bench, "green"), [0, 2_000])
    expectEqual(times(bench, "buzzer"), [0, 500])
    bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.play(.refuse(.unpaid))
    bench.pass(.seconds(5))
    expectEqual(times(bench, "red"), [0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800])
    expectEqual(times(bench, "buzzer"), [0, 120, 240, 360])
    expect(times(bench, "green").isEmpty)
    expect(bench.sequencer.deadline == nil)
  }

  @Test func lateTimersJoinNoBeeps() throws {
    var bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.play(.refuse(.unpaid))
    bench.pass(.seconds(5)) { .milliseconds(150) }
    expectEqual(bench.switches.filter { $0.output == "buzzer" }.map(\.isOn), [true, false, true, false])
  }

  @Test func aNewSignalPreemptsAndTurnsTheRestOff() throws {
    var bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.play(.busy)
    expectEqual(bench.lit, ["amber"])
    bench.play(.refuse(.notFound))
    expectEqual(bench.lit, ["red", "buzzer"])
    bench.play(.undecided(.unreachable))
    expectEqual(bench.lit, ["amber", "buzzer"])
    bench.stop()
    expect(bench.lit.isEmpty)
  }

  @Test func aVerdictFallsBackToTheBackground() throws {
    var bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.play(.refuse(.notFound))
    bench.pass(.milliseconds(10))
    bench.play(.outOfService)
    expectEqual(bench.lit, ["red", "buzzer"])
    bench.pass(.milliseconds(2_000))
    expectEqual(bench.lit, ["red", "amber"])
    bench.pass(.milliseconds(250))
    expect(bench.lit.isEmpty)
    bench.pass(.milliseconds(1_800))
    expectEqual(bench.lit, ["red", "amber"])
    bench.play(.idle)
    expect(bench.lit.isEmpty)
    expect(bench.sequencer.deadline == nil)
  }

  @Test func offlineIsABackgroundAndDisturbsNobody() throws {
    var bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.play(.offline)
    bench.pass(.milliseconds(6_500))
    expectEqual(times(bench, "amber"), [0, 150, 400, 550, 6_000, 6_150, 6_400])
    bench.play(.provisional)
    expectEqual(bench.lit, ["green", "amber", "buzzer"])
    bench.pass(.seconds(2))
    // Back in the rest, from its beginning.
    expectEqual(bench.lit, ["amber"])
    bench.play(.offline)
    bench.pass(.milliseconds(150))
    expect(bench.lit.isEmpty)
    bench.play(.idle)
    expect(bench.sequencer.deadline == nil)
    expectEqual(times(bench, "buzzer"), [6_500, 7_000, 7_150, 7_270])
  }

  @Test func theBackgroundEndsBusyAndDoesNotRestartItself() throws {
    var bench = try SequencerBench(outputs: Self.outputs)
    bench.start()
    bench.play(.busy)
    bench.pass(.seconds(20))
    expectEqual(bench.lit, ["amber"])
    bench.play(.idle)
    expect(bench.lit.isEmpty)
    bench.play(.outOfService)
    bench.pass(.milliseconds(100))
    let due = bench.sequencer.deadline
    bench.play(.outOfService)
    expectEqual(bench.sequencer.deadline, due)
  }

  @Test func anEndlessVerdictIsNotTheNextPersons() throws {
    var patterns = SignalPatterns()
    patterns.admit = SignalPattern(["green": .steady, "buzzer": try .blink(on: .milliseconds(100), off: .seconds(1))])
    var bench = try SequencerBench(outputs: Self.outputs, patterns: patterns)
    bench.start()
    bench.play(.admit)
    bench.pass(.milliseconds(2_999))
    expectEqual(bench.lit, ["green"])
    bench.pass(.milliseconds(1))
    expect(bench.lit.isEmpty)
    expect(bench.sequencer.deadline == nil)
  }

  @Test func aSignalWithoutAPatternEndsWhatWasPlayed() throws {
    var patterns = SignalPatterns.standard(for: SequencerBench.outputs)
    patterns.busy = .off
    var bench = try SequencerBench(outputs: Self.outputs, patterns: patterns)
    bench.start()
    bench.play(.admit)
    bench.play(.busy)
    expect(bench.lit.isEmpty)
    bench.play(.outOfService)
    let due = bench.sequencer.deadline
    bench.pass(.milliseconds(50))
    bench.play(.busy)
    expectEqual(bench.sequencer.deadline, due)
  }

  @Test func aReasonMayHaveItsOwnPattern() throws {
    var patterns = SignalPatterns.standard(for: SequencerBench.outputs)
    let own = SignalPattern(["red": .steady])
    patterns.refuseReasons[.alreadyUsed] = own
    patterns.undecidedReasons[.stale] = own
    expectEqual(patterns.pattern(for: .refuse(.alreadyUsed)), own)
    expectEqual(patterns.pattern(for: .refuse(.unpaid)), patterns.refuse)
    expectEqual(patterns.pattern(for: .undecided(.stale)), own)
    expectEqual(patterns.pattern(for: .undecided(.busy)), patterns.undecided)
  }

  @Test func theStandardIsUnderstoodWithoutColourOrSound() {
    let outputs: [OutputName: OutputKind] = [
      "relay": .relay, "green": .lamp, "red": .lamp, "yellow": .lamp, "horn": .buzzer, "sign": .lamp,
    ]
    let standard = SignalPatterns.standard(for: outputs)
    expect(standard.problems(for: outputs).isEmpty)
    let all = [
      standard.admit, standard.provisional, standard.refuse, standard.undecided, standard.busy, standard.idle,
      standard.offline, standard.outOfService,
    ]
    // Rhythm of light alone, and of sound alone where there is sound.
    let light = all.map { pattern in Set(pattern.outputs.filter { $0.key != "horn" }.map(\.value)) }
    expectEqual(Set(light).count, all.count)
    let verdicts = [standard.admit, standard.provisional, standard.refuse, standard.undecided]
    expectEqual(Set(verdicts.map { $0.outputs["horn"] }).count, 4)
    expectEqual(all.filter { $0.outputs["green"] != nil }, [standard.admit, standard.provisional])
    for pattern in all {
      expect(pattern.outputs["relay"] == nil && pattern.outputs["sign"] == nil)
      for (output, steps) in pattern.outputs where output != "horn" && steps.steps.count > 1 {
        expect(steps.steps.reduce(.zero, +) >= .milliseconds(334))
      }
    }
    // No amber: everything that lights has a rhythm of its own still, for who cannot tell the two lamps apart.
    let plain = SignalPatterns.standard(for: ["green": .lamp, "red": .lamp])
    let rhythms = [
      plain.admit, plain.provisional, plain.refuse, plain.undecided, plain.offline, plain.outOfService,
    ].map { Set($0.outputs.values) }
    expect(Set(rhythms).count == 6 && rhythms.allSatisfy { $0.count == 1 })
    expect(SignalPatterns.standard(for: ["red": .lamp]).undecided.outputs["red"] != nil)
    expectEqual(SignalPatterns.standard(for: [:]), SignalPatterns())
  }

  @Test func patternsOutOfRangeCannotBeMade() {
    let bad: [([Duration], Int?)] = [
      ([], 1), ([.milliseconds(19)], 1), ([.seconds(61)], 1), ([.seconds(-1)], 1), ([.seconds(1)], 2),
      ([.seconds(1)], nil),
      ([.seconds(1), .seconds(1)], 0), ([.seconds(1), .seconds(1)], -1), ([.seconds(1), .seconds(1)], 1_001),
      (Array(repeating: .seconds(1), count: 65), 1),
    ]
    for (steps, repeats) in bad {
      #expect(throws: SignalError.self) { try OutputPattern(steps: steps, repeats: repeats) }
    }
    #expect(throws: Never.self) { try OutputPattern(steps: [.seconds(1), .seconds(1)], repeats: nil) }
    #expect(throws: Never.self) { try OutputPattern.on(for: .milliseconds(20)) }
  }
}
