import Expectations
import ScanModel
import Signalling
import Testing

@Suite struct SetUpPatternTests {
  private static let setUp: [Signal] = SetUpSignal.all.map { .setUp($0) }
  private static let others: [Signal] = [
    .admit, .provisional, .refuse(.unpaid), .undecided(.unreachable), .busy, .idle, .offline, .outOfService,
  ]
  /// Everything that a person may have in front of them, and at least one thing that may light for setting up.
  private static let stations: [[OutputName: OutputKind]] = [
    ["red": .lamp], ["green": .lamp, "red": .lamp], ["buzzer": .buzzer], ["amber": .lamp], ["yellow": .lamp],
    ["green": .lamp, "amber": .lamp], ["green": .lamp, "buzzer": .buzzer], ["red": .lamp, "buzzer": .buzzer],
    ["red": .lamp, "amber": .lamp], ["green": .lamp, "red": .lamp, "amber": .lamp],
    ["relay": .relay, "red": .lamp], ["relay": .relay, "buzzer": .buzzer], SequencerBench.outputs,
  ]

  private typealias Switch = SequencerBench.Switch

  /// What is switched when while a signal plays for 40 s: longer than any of them needs to show what it is.
  private func shown(
    _ signal: Signal, _ outputs: [OutputName: OutputKind], hearing: Bool = true, seeing: Bool = true,
    inColour: Bool = true
  ) throws -> [Switch] {
    let played = outputs.filter { $0.value != .relay }
    var bench = try SequencerBench(outputs: played)
    bench.start()
    bench.play(signal)
    bench.pass(.seconds(40))
    return bench.switches.filter { played[$0.output] == .buzzer ? hearing : seeing }.map { change in
      var change = change
      if !inColour { change.output = played[change.output] == .buzzer ? "sound" : "light" }
      return change
    }
  }

  @Test(arguments: stations.indices) func eachIsLikeNoOther(station: Int) throws {
    let outputs = Self.stations[station]
    var seen: [[Switch]: Signal] = [:]
    for signal in Self.setUp {
      let now = try shown(signal, outputs)
      expect(!now.isEmpty, "\(signal)")
      expect(seen.updateValue(signal, forKey: now) == nil, "\(signal)")
    }
    for signal in Self.others {
      expect(seen[try shown(signal, outputs)] == nil, "\(signal)")
    }
  }

  /// Who sees no colours, hears nothing, or does not look, knows what came of a code all the same.
  @Test func nobodyNeedsColoursOrBoth() throws {
    let outcomes = Self.setUp.filter { !$0.isBackground && $0 != .setUp(.working) }
    for senses in [(true, false), (false, true)] {
      var seen: Set<[Switch]> = []
      for signal in outcomes + Self.others.prefix(4) {
        let all = try shown(signal, SequencerBench.outputs, hearing: senses.0, seeing: senses.1, inColour: false)
        expect(seen.insert(all).inserted, "\(signal) \(senses)")
      }
    }
  }

  @Test(arguments: SetUpRefusal.allCases) func refusalsAreCounted(refusal: SetUpRefusal) throws {
    let changes = try shown(.setUp(.refused(refusal)), SequencerBench.outputs)
    for output in ["red", "buzzer"] as [OutputName] {
      let own = changes.filter { $0.output == output }
      let lengths = stride(from: 0, to: own.count - 1, by: 2).map { (own[$0 + 1].at - own[$0].at).milliseconds }
      let once = [1_000] + Array(repeating: Int64(300), count: refusal.flashes)
      expectEqual(lengths, once + once)
    }
    expectEqual(Set(changes.map(\.output)), ["red", "buzzer"])
  }

  @Test func theirNumbersAreThoseOfTheManual() {
    let numbers: [(SetUpRefusal, Int)] = [
      (.wrong, 1), (.expired, 2), (.used, 3), (.unknownStation, 4), (.offline, 5), (.untrusted, 6), (.lockedOut, 7),
      (.fault, 8),
    ]
    expectEqual(numbers.map(\.0), SetUpRefusal.allCases)
    for (refusal, number) in numbers { expectEqual(refusal.flashes, number) }
  }

  @Test func greenAndTheRelayStayAsTheyAre() throws {
    var bench = try SequencerBench()
    bench.start()
    for signal in Self.setUp {
      bench.play(signal)
      bench.pass(.seconds(20))
    }
    expect(bench.relay.isEmpty && bench.started.isEmpty && !bench.isRelayOn)
    expect(!bench.switches.contains { $0.output == "green" || $0.output == "relay" })
    expect(SignalPatterns.standard(for: SequencerBench.outputs).problems(for: SequencerBench.outputs).isEmpty)
  }

  /// Of one's own may be off, and leaves the others as they are.
  @Test func whatIsGivenReplacesTheBuiltInOneOnly() throws {
    var patterns = SignalPatterns.standard(for: SequencerBench.outputs)
    patterns.setUp = [.armed: .off, .done: SignalPattern(["amber": try .on(for: .seconds(1))])]
    var bench = try SequencerBench(outputs: SequencerBench.outputs.filter { $0.value != .relay }, patterns: patterns)
    bench.start()
    bench.play(.setUp(.armed))
    expect(bench.lit.isEmpty)
    bench.play(.setUp(.done))
    expectEqual(bench.lit, ["amber"])
    bench.play(.setUp(.refused(.used)))
    expectEqual(bench.lit, ["red", "buzzer"])
  }

  /// A pattern of one's own may name the relay as little as any other.
  @Test func aPatternOfOnesOwnDrivesNoRelay() throws {
    var patterns = SignalPatterns()
    patterns.setUp[.done] = SignalPattern(["relay": .steady])
    expectEqual(
      patterns.problems(for: SequencerBench.outputs),
      [
        "the pattern of setUp.done names the relay relay; a relay is driven by admissions only"
      ])
    var bench = try SequencerBench(patterns: patterns)
    bench.start()
    bench.play(.setUp(.done))
    bench.pass(.seconds(5))
    expect(bench.relay.isEmpty)
  }

  @Test func nothingFlashesMoreThanThreeTimesASecond() throws {
    for signal in Self.setUp {
      let changes = try shown(signal, SequencerBench.outputs, hearing: false)
      for lamp in Set(changes.map(\.output)) {
        let begins = changes.filter { $0.output == lamp && $0.isOn }.map(\.at)
        for (index, begin) in begins.enumerated() {
          expect(begins[index...].prefix { $0 < begin + .seconds(1) }.count <= 3, "\(signal)")
        }
      }
    }
  }

  @Test func theRestAfterACodeIsArmedAgain() throws {
    var bench = try SequencerBench(outputs: SequencerBench.outputs.filter { $0.value != .relay })
    bench.start()
    bench.play(.setUp(.armed))
    expectEqual(bench.lit, ["amber"])
    bench.play(.setUp(.working))
    bench.pass(.seconds(30))
    bench.play(.setUp(.refused(.wrong)))
    expectEqual(bench.lit, ["red", "buzzer"])
    // The background is told once more meanwhile, and cuts nothing.
    bench.play(.setUp(.armed))
    expectEqual(bench.lit, ["red", "buzzer"])
    bench.pass(.seconds(7))
    expectEqual(bench.lit, ["amber"])
    bench.play(.setUp(.done))
    bench.play(.idle)
    bench.pass(.seconds(4))
    expect(bench.lit.isEmpty && bench.sequencer.deadline == nil)
  }

  @Test func endlessPatternsOfOnesOwnEndAsVerdictsDo() throws {
    var patterns = SignalPatterns()
    patterns.setUp = [.done: SignalPattern(["red": .steady]), .working: SignalPattern(["amber": .steady])]
    var bench = try SequencerBench(outputs: SequencerBench.outputs.filter { $0.value != .relay }, patterns: patterns)
    bench.start()
    bench.play(.setUp(.working))
    bench.pass(.seconds(60))
    expectEqual(bench.lit, ["amber"])
    bench.play(.setUp(.done))
    bench.pass(.milliseconds(2_999))
    expectEqual(bench.lit, ["red"])
    bench.pass(.milliseconds(1))
    expect(bench.lit.isEmpty)
  }
}
