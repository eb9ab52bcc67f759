package import ScanModel

/// One relay pulse that was asked for; its owner chooses the number.
package struct PulseID: Hashable, Sendable {
  /// The number, unique within the sequencer's life.
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// Why a relay pulse that was asked for does not come.
package enum PulseFailure: Hashable, Sendable {
  /// The line could not be driven, and was not.
  case notDriven
  /// The line was driven with an error; whether it switched is not known.
  case unsure
  /// The relay could not be released after an earlier pulse or at the start.
  case stuck
  /// As many admissions as may wait are waiting already.
  case tooManyWaiting
  /// Nobody commands the outputs.
  case uncommanded
  /// Whoever asked may have given up meanwhile: a gate is not opened for somebody who has gone.
  case late
  /// The outputs are not started, or stopped.
  case stopped
}

/// Everything a gate's outputs do, as a state machine: signals, admissions and time go in, effects come out. No clock, no I/O.
///
/// Lamps and buzzers play patterns, and a new signal pre-empts the playing one. The relay knows whole pulses only: nothing
/// cuts, extends or merges one, and `play` never touches it. The owner carries out effects in their order and answers
/// `driveRelay` with `relayDriven` or `relayDriveFailed`, `releaseRelay` with `relayReleased` or `relayReleaseFailed`, each
/// with the time after the line was really written: a pulse is measured from there, so a slow device or a late timer can make
/// a pulse longer, but never shorter.
///
///     start ──▶ commanded ◀──command── uncommanded ◀── start
///                   └────uncommand────────▲
///
/// Uncommanded, nothing is admitted or played: admissions that wait fail, a running pulse ends at its own end, then the relay
/// is in its safe state and told so every 5 s, and lamps and buzzers play `outOfService`. Commanded again, they go on playing
/// that until they are told something else.
package struct SignalSequencer: Sendable {
  /// How many admissions may wait for the running pulse and the passage gap.
  package static let maximumWaiting = 8

  /// What the owner has to do.
  package enum Effect: Hashable, Sendable {
    /// Switch a lamp or a buzzer.
    case set(OutputName, on: Bool)
    /// Switch the relay on, and answer.
    case driveRelay(OutputName)
    /// Switch the relay off, and answer.
    case releaseRelay(OutputName)
    /// The pulse has started; the relay is on from `start` until `end` at least.
    case pulseStarted(PulseID, start: MonotonicTime, end: MonotonicTime)
    /// The gate has no relay; lamps and sound are played.
    case admittedWithoutRelay(PulseID)
    /// The pulse does not come.
    case pulseFailed(PulseID, PulseFailure)
  }

  private var player: PatternPlayer
  private var relay: RelayMachine?
  private var isRunning = false
  private var isCommanded = true
  private let hasRelay: Bool

  /// Makes the sequencer of a gate's outputs; nothing happens before `start`.
  /// - Throws: `SignalError` when there is more than one relay.
  package init(
    outputs: [OutputName: OutputKind], timing: RelayTiming = .standard, safeState: SafeState = .secure,
    patterns: SignalPatterns
  ) throws(SignalError) {
    let relays = outputs.filter { $0.value == .relay }.map(\.key).sorted()
    guard relays.count <= 1 else {
      let names = relays.map(\.name).joined(separator: ", ")
      throw SignalError("a gate has one relay at most, this one has \(relays.count): \(names)")
    }
    relay = relays.first.map { RelayMachine(output: $0, timing: timing, safeState: safeState) }
    hasRelay = relay != nil
    var patterns = patterns
    patterns.setUp.merge(SetUpPatterns.standard(for: outputs)) { given, _ in given }
    player = PatternPlayer(outputs: Set(outputs.filter { $0.value != .relay }.keys), patterns: patterns)
  }

  /// When `advance` is to be called next; `nil` when nothing is under way. May be past.
  package var deadline: MonotonicTime? {
    guard let lamps = player.deadline, let relay = relay?.deadline else { return player.deadline ?? relay?.deadline }
    return min(lamps, relay)
  }

  /// Whether `output` is to be on now, lamp, buzzer or relay; the relay counts as on until it was released.
  package func isOn(_ output: OutputName) -> Bool {
    relay?.output == output ? relay?.mayBeOn ?? false : player.lit.contains(output)
  }

  /// Whether the `driveRelay` that waits for its answer begins a pulse; else it takes the relay to its safe state.
  package var isBeginningPulse: Bool { relay?.isBeginningPulse ?? false }

  /// Whether a pulse runs.
  package var isPulsing: Bool { relay?.isPulsing ?? false }

  /// Whether the stop is complete: the relay is released, or given up after many tries.
  package var isStopped: Bool { !isRunning && relay?.isStopped ?? true }

  /// Brings the relay to rest and shows the background signal. All lamps and buzzers are taken to be off. Started already,
  /// it does nothing.
  /// - Parameters:
  ///   - commanded: whether somebody commands the outputs already.
  ///   - end: when the relay's pulse ends that a predecessor of this process began and did not end; ignored where no such
  ///     pulse can be.
  package mutating func start(
    commanded: Bool = true, resuming end: MonotonicTime? = nil, at now: MonotonicTime
  ) -> [Effect] {
    var effects: [Effect] = []
    if isRunning { return effects }
    isRunning = true
    isCommanded = commanded
    relay?.start(commanded: commanded, resuming: end, at: now, into: &effects)
    if !commanded { player.setBackground(.outOfService) }
    player.start(at: now, into: &effects)
    return effects
  }

  /// Switches lamps and buzzers off and tells waiting admissions that they fail. A running pulse ends as it must: the
  /// owner goes on calling `advance` until `isStopped`.
  /// - Parameter leavingSafeState: whether the relay is left in its safe state, for a successor that takes the line over;
  ///   else it is left off.
  package mutating func stop(leavingSafeState: Bool = false) -> [Effect] {
    var effects: [Effect] = []
    isRunning = false
    relay?.stop(leavingSafeState: leavingSafeState, into: &effects)
    player.stop(into: &effects)
    return effects
  }

  /// Somebody commands the outputs.
  package mutating func command(at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    guard isRunning, !isCommanded else { return effects }
    isCommanded = true
    relay?.command(into: &effects)
    return effects
  }

  /// Nobody commands the outputs any more.
  package mutating func uncommand(at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    guard isRunning, isCommanded else { return effects }
    isCommanded = false
    relay?.uncommand(into: &effects)
    player.play(.outOfService, at: now, into: &effects)
    return effects
  }

  /// Fails the admissions that wait for the relay, because whoever asked for them may have given up.
  package mutating func dropWaiting() -> [Effect] {
    var effects: [Effect] = []
    relay?.dropWaiting(.late, into: &effects)
    return effects
  }

  /// Told that the machine slept for so long, as was noticed at `now`: a pulse that ran into it is that much nearer to its end, and
  /// over where that is past. Admissions that wait fail.
  package mutating func slept(for duration: Duration, at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    relay?.slept(for: duration, at: now, into: &effects)
    return effects
  }

  /// Plays lamps and sound of `signal`; never touches the relay. Uncommanded, it does nothing.
  package mutating func play(_ signal: Signal, at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    if isRunning, isCommanded { player.play(signal, at: now, into: &effects) }
    return effects
  }

  /// Asks for one relay pulse. The pattern of `admit`, or of `provisional`, begins when the pulse does.
  ///
  /// Exactly one of `pulseStarted`, `admittedWithoutRelay` and `pulseFailed` follows for `pulse`, now or later.
  package mutating func admit(_ pulse: PulseID, isProvisional: Bool, at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    let admission = RelayMachine.Admission(pulse: pulse, isProvisional: isProvisional)
    if hasRelay {
      relay?.admit(admission, into: &effects)
    } else if isRunning, isCommanded {
      effects.append(.admittedWithoutRelay(pulse))
      player.play(admission.signal, at: now, into: &effects)
    } else {
      effects.append(.pulseFailed(pulse, isRunning ? .uncommanded : .stopped))
    }
    return effects
  }

  /// Does what is due at `now`: the relay first.
  package mutating func advance(to now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    relay?.advance(to: now, into: &effects)
    player.advance(to: now, into: &effects)
    return effects
  }

  /// The relay is on since `now`.
  package mutating func relayDriven(at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    if let begun = relay?.driven(at: now, into: &effects), isRunning {
      player.play(begun.signal, at: now, into: &effects)
    }
    return effects
  }

  /// The relay could not be switched on.
  /// - Parameter mayHaveSwitched: whether it may be on, or have been, all the same.
  package mutating func relayDriveFailed(mayHaveSwitched: Bool, at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    relay?.driveFailed(mayHaveSwitched: mayHaveSwitched, at: now, into: &effects)
    return effects
  }

  /// The relay is off since `now`.
  package mutating func relayReleased(at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    relay?.released(at: now, into: &effects)
    return effects
  }

  /// The relay could not be switched off.
  package mutating func relayReleaseFailed(at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    relay?.releaseFailed(at: now, into: &effects)
    return effects
  }
}
