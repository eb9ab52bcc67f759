import ScanModel
import Signalling
import ScanTesting

/// A gate's outputs in virtual time: carries out the sequencer's effects, answers them, and records what a relay, lamps
/// and a buzzer would have done.
struct SequencerBench {
  /// One time that the relay was on.
  struct Pulse: Equatable {
    var start: MonotonicTime
    var end: MonotonicTime?
  }

  struct Switch: Hashable {
    var output: OutputName
    var isOn: Bool
    var at: Duration
  }

  static let outputs: [OutputName: OutputKind] = [
    "relay": .relay, "green": .lamp, "red": .lamp, "amber": .lamp, "buzzer": .buzzer,
  ]

  var sequencer: SignalSequencer
  var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
  let epoch = MonotonicTime(nanoseconds: 1_000_000_000_000)
  var relay: [Pulse] = []
  var isRelayOn = false
  var switches: [Switch] = []
  var lit: Set<OutputName> = []
  var started: [PulseID: (start: MonotonicTime, end: MonotonicTime)] = [:]
  var withoutRelay: Set<PulseID> = []
  var failed: [PulseID: PulseFailure] = [:]
  var answers: [PulseID: Int] = [:]
  var releaseTries: [Duration] = []
  /// When the relay was switched on, or told once more that it is.
  var driveTries: [Duration] = []
  /// How long writing the line takes, and whether it fails; a write that fails changes nothing.
  var writeTime: () -> Duration = { .zero }
  var driveFails: () -> Bool = { false }
  /// Whether a drive that fails may have switched the line all the same.
  var driveIsUnsure = false
  var releaseFails: () -> Bool = { false }
  private var count: UInt64 = 0

  init(
    outputs: [OutputName: OutputKind] = Self.outputs, timing: RelayTiming = .standard,
    safeState: SafeState = .secure, patterns: SignalPatterns? = nil
  ) throws {
    sequencer = try SignalSequencer(
      outputs: outputs, timing: timing, safeState: safeState, patterns: patterns ?? .standard(for: outputs))
  }

  var elapsed: Duration { now - epoch }

  mutating func start(commanded: Bool = true, resuming end: MonotonicTime? = nil) {
    carryOut(sequencer.start(commanded: commanded, resuming: end, at: now))
  }
  mutating func stop(leavingSafeState: Bool = false) { carryOut(sequencer.stop(leavingSafeState: leavingSafeState)) }
  mutating func command() { carryOut(sequencer.command(at: now)) }
  mutating func uncommand() { carryOut(sequencer.uncommand(at: now)) }
  mutating func sleep(_ duration: Duration) { carryOut(sequencer.slept(for: duration, at: now)) }
  mutating func dropWaiting() { carryOut(sequencer.dropWaiting()) }
  mutating func play(_ signal: Signal) { carryOut(sequencer.play(signal, at: now)) }

  @discardableResult mutating func admit(isProvisional: Bool = false) -> PulseID {
    count += 1
    let pulse = PulseID(count)
    carryOut(sequencer.admit(pulse, isProvisional: isProvisional, at: now))
    return pulse
  }

  /// Lets time pass and calls `advance` when it is due, each time later by `lateness`.
  mutating func pass(_ duration: Duration, lateness: () -> Duration = { .zero }) {
    let end = now + duration
    while let due = sequencer.deadline, due <= end {
      now = max(now, due) + lateness()
      carryOut(sequencer.advance(to: now))
    }
    now = max(now, end)
  }

  mutating func carryOut(_ first: [SignalSequencer.Effect]) {
    var effects = first
    var index = 0
    while index < effects.count {
      effects += carryOut(effects[index])
      index += 1
    }
  }

  private mutating func carryOut(_ effect: SignalSequencer.Effect) -> [SignalSequencer.Effect] {
    switch effect {
    case .set(let output, let on):
      switches.append(Switch(output: output, isOn: on, at: elapsed))
      if on { lit.insert(output) } else { lit.remove(output) }
      return []
    case .driveRelay:
      now = now + writeTime()
      if driveFails() { return sequencer.relayDriveFailed(mayHaveSwitched: driveIsUnsure, at: now) }
      driveTries.append(elapsed)
      if !isRelayOn { relay.append(Pulse(start: now)) }
      isRelayOn = true
      return sequencer.relayDriven(at: now)
    case .releaseRelay:
      now = now + writeTime()
      releaseTries.append(elapsed)
      if releaseFails() { return sequencer.relayReleaseFailed(at: now) }
      if isRelayOn { relay[relay.count - 1].end = now }
      isRelayOn = false
      return sequencer.relayReleased(at: now)
    case .pulseStarted(let pulse, let start, let end):
      started[pulse] = (start, end)
      answers[pulse, default: 0] += 1
    case .admittedWithoutRelay(let pulse):
      withoutRelay.insert(pulse)
      answers[pulse, default: 0] += 1
    case .pulseFailed(let pulse, let failure):
      failed[pulse] = failure
      answers[pulse, default: 0] += 1
    }
    return []
  }
}

/// Numbers that a seed repeats, shared by the closures of a bench.
final class SequencerDice {
  private var generator: SeededGenerator
  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
  func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(Int.random(in: range, using: &generator)) }
}
