import Expectations
import ScanModel
import Signalling
import Testing

private let signals: [Signal] = [.refuse(.unpaid), .undecided(.unreachable), .busy, .idle, .outOfService]

@Suite struct SafeStateTests {
  private func bench(_ safeState: SafeState, pulse: Int = 500, gap: Int = 300) throws -> SequencerBench {
    try SequencerBench(
      timing: RelayTiming(pulse: .milliseconds(pulse), gap: .milliseconds(gap)), safeState: safeState)
  }

  @Test(arguments: SafeState.allCases) func uncommandedNothingIsAdmittedOrPlayed(safeState: SafeState) throws {
    var bench = try bench(safeState)
    bench.start(commanded: false)
    expectEqual(bench.isRelayOn, (safeState == .safe))
    expectEqual(bench.lit, ["red", "amber"])
    expectEqual(bench.failed[bench.admit()], .uncommanded)
    bench.play(.refuse(.unpaid))
    expect(!bench.lit.contains("buzzer"))
    bench.pass(.seconds(30))
    expectEqual(bench.isRelayOn, (safeState == .safe))
    expectEqual(bench.relay.count, (safeState == .safe ? 1 : 0))
  }

  @Test func secureIsOffAndToldSoAgain() throws {
    var bench = try bench(.secure)
    bench.start(commanded: false)
    bench.releaseTries = []
    bench.pass(.seconds(11))
    expectEqual(bench.releaseTries, [.seconds(5), .seconds(10)])
    expect(bench.driveTries.isEmpty)
  }

  @Test func safeIsHeldOnAndToldSoAgainUntilItIsCommanded() throws {
    var bench = try bench(.safe)
    bench.start(commanded: false)
    bench.pass(.seconds(11))
    expectEqual(bench.driveTries, [.zero, .seconds(5), .seconds(10)])
    expect(bench.releaseTries.isEmpty)
    bench.command()
    expect(!bench.isRelayOn)
    bench.admit()
    bench.pass(.milliseconds(299))
    expect(!bench.isRelayOn)
    bench.pass(.milliseconds(1))
    expect(bench.isRelayOn)
    bench.pass(.milliseconds(500))
    expect(!bench.isRelayOn)
  }

  @Test func aPulseEndsByItselfBeforeTheSafeState() throws {
    for safeState in SafeState.allCases {
      var bench = try bench(safeState)
      bench.start()
      let pulse = bench.admit()
      let waiting = bench.admit()
      bench.pass(.milliseconds(100))
      bench.uncommand()
      expectEqual(bench.failed[waiting], .uncommanded)
      expect(bench.isRelayOn)
      bench.pass(.milliseconds(399))
      expect(bench.isRelayOn)
      expectEqual(bench.driveTries.count, 1)
      bench.pass(.milliseconds(1))
      expectEqual(bench.isRelayOn, (safeState == .safe))
      expectEqual(bench.started[pulse]?.end, bench.epoch + .milliseconds(500))
    }
  }

  @Test func inTheGapItIsHeldAtOnce() throws {
    var bench = try bench(.safe)
    bench.start()
    bench.admit()
    bench.pass(.milliseconds(600))
    expect(!bench.isRelayOn)
    bench.uncommand()
    expect(bench.isRelayOn)
    // Commanded and not again within one turn: released once, and the gap cut short by the safe state.
    bench.command()
    expect(!bench.isRelayOn)
    bench.uncommand()
    expect(bench.isRelayOn)
  }

  @Test func commandedAgainWithinAPulseChangesNothing() throws {
    var bench = try bench(.safe)
    bench.start()
    bench.admit()
    bench.pass(.milliseconds(100))
    bench.uncommand()
    bench.command()
    bench.pass(.seconds(4))
    expectEqual(bench.relay, [.init(start: bench.epoch, end: bench.epoch + .milliseconds(500))])
  }

  @Test func lampsGoOnSayingOutOfServiceUntilToldOtherwise() throws {
    var bench = try bench(.secure)
    bench.start()
    bench.uncommand()
    expectEqual(bench.lit, ["red", "amber"])
    bench.command()
    expectEqual(bench.lit, ["red", "amber"])
    bench.play(.idle)
    expect(bench.lit.isEmpty)
  }

  @Test func aRelayThatCannotBeHeldIsTriedUntilItCan() throws {
    var bench = try bench(.safe)
    var tries: [Duration] = []
    bench.driveFails = { true }
    bench.start(commanded: false)
    expect(!bench.isRelayOn)
    bench.driveFails = { false }
    bench.pass(.seconds(1))
    tries = bench.driveTries
    expectEqual(tries, [.seconds(1)])
    expect(bench.isRelayOn)
  }

  @Test func aRelayThatCouldNotBeReleasedIsHeldAllTheSame() throws {
    var bench = try bench(.safe)
    bench.start()
    bench.admit()
    bench.releaseFails = { true }
    bench.pass(.milliseconds(700))
    bench.uncommand()
    bench.releaseFails = { false }
    bench.pass(.seconds(20))
    expect(bench.isRelayOn)
    bench.command()
    bench.pass(.seconds(1))
    expect(!bench.isRelayOn)
  }

  @Test func aStopLeavesTheSafeStateOnlyWhereItIsAskedTo() throws {
    for (safeState, leaving, isOn) in [
      (SafeState.safe, true, true), (.safe, false, false), (.secure, true, false), (.secure, false, false),
    ] {
      for commanded in [true, false] {
        var bench = try bench(safeState)
        bench.start(commanded: commanded)
        bench.admit()
        bench.pass(.milliseconds(100))
        let wasPulsing = commanded
        bench.stop(leavingSafeState: leaving)
        expectEqual(bench.sequencer.isStopped, !wasPulsing)
        bench.pass(.seconds(2))
        expect(bench.sequencer.isStopped)
        expectEqual(bench.isRelayOn, isOn)
        expect(bench.sequencer.deadline == nil)
      }
    }
  }

  @Test func aStopGivesUpARelayThatCannotBeHeld() throws {
    var bench = try bench(.safe)
    bench.driveFails = { true }
    bench.start(commanded: false)
    bench.stop(leavingSafeState: true)
    bench.pass(.seconds(20))
    expect(bench.sequencer.isStopped)
  }

  @Test func whoGaveUpFindsTheGateShut() throws {
    var bench = try bench(.secure)
    bench.start()
    bench.admit()
    let waiting = bench.admit()
    bench.dropWaiting()
    expectEqual(bench.failed[waiting], .late)
    bench.pass(.seconds(5))
    expectEqual(bench.relay, [.init(start: bench.epoch, end: bench.epoch + .milliseconds(500))])
    bench.admit()
    expect(bench.isRelayOn)
  }

  // MARK: Resuming

  @Test(arguments: SafeState.allCases) func aPredecessorsPulseEndsWhenItWould(safeState: SafeState) throws {
    var bench = try bench(safeState)
    // As the line was left.
    bench.isRelayOn = true
    bench.relay = [.init(start: bench.now)]
    bench.start(commanded: false, resuming: bench.now + .milliseconds(200))
    bench.pass(.milliseconds(199))
    expect(bench.isRelayOn && bench.driveTries.isEmpty && bench.releaseTries.isEmpty)
    bench.pass(.milliseconds(1))
    expectEqual(bench.isRelayOn, (safeState == .safe))
    bench.command()
    bench.pass(.seconds(1))
    expect(!bench.isRelayOn)
    let pulse = bench.admit()
    expect(bench.started[pulse] != nil)
  }

  @Test(arguments: [
    Duration.zero, .milliseconds(-1), .seconds(-1_000), .seconds(10) + .nanoseconds(1), .seconds(Int64.max),
  ])
  func anEndThatCannotBeIsIgnored(end: Duration) throws {
    var bench = try bench(.secure)
    bench.isRelayOn = true
    bench.relay = [.init(start: bench.now)]
    bench.start(commanded: false, resuming: bench.now + end)
    expect(!bench.isRelayOn)
  }

  // MARK: Properties

  /// Random admissions, signals, losses and takings of command, late timers and lines that fail: every admission has one
  /// answer, no pulse is shorter than its length, uncommanded nothing begins a pulse, and left alone the relay is in the
  /// safe state, or off where it is commanded.
  @Test(arguments: 0..<300) func command(seed: Int) throws {
    let dice = SequencerDice(seed: UInt64(seed) &+ 9_000)
    let safeState = SafeState.allCases[dice.below(2)]
    var isBroken = dice.below(2) == 0
    var bench = try bench(safeState, pulse: 20 + dice.below(800), gap: dice.below(400))
    bench.driveFails = { isBroken && dice.below(4) == 0 }
    bench.releaseFails = { isBroken && dice.below(4) == 0 }
    var isCommanded = dice.below(2) == 0
    bench.start(commanded: isCommanded)
    var pulses: [PulseID] = []
    for _ in 0..<200 {
      let started = bench.started.count
      var mayStart = isCommanded
      switch dice.below(12) {
      case 0...3: pulses.append(bench.admit(isProvisional: dice.below(2) == 0))
      case 4: bench.play(signals[dice.below(signals.count)])
      case 5:
        isCommanded = true
        mayStart = true
        bench.command()
      case 6:
        isCommanded = false
        mayStart = false
        bench.uncommand()
      case 7: bench.dropWaiting()
      default: bench.pass(dice.milliseconds(0...700)) { dice.milliseconds(0...60) }
      }
      expect(mayStart || bench.started.count == started, "seed \(seed)")
      expect(!bench.isRelayOn || bench.sequencer.isOn("relay"), "seed \(seed)")
    }
    isBroken = false
    isCommanded = dice.below(2) == 0
    if isCommanded { bench.command() } else { bench.uncommand() }
    bench.pass(.seconds(60))
    expectEqual(bench.isRelayOn, (!isCommanded && safeState == .safe), "seed \(seed)")
    expect(pulses.allSatisfy { bench.answers[$0] == 1 }, "seed \(seed)")
    for (start, end) in bench.started.values {
      expect(
        bench.relay.contains { $0.start <= start && $0.end.map { $0 >= end } ?? true }, "seed \(seed): a pulse was cut")
    }
    if safeState == .secure { expectEqual(bench.relay.count, bench.started.count, "seed \(seed)") }
  }
}
