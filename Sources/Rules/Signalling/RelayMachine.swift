import ScanModel

/// Drives one relay in whole pulses. Pure.
///
///                     admit                  driven                    end is past
///      resting ────────────────▶ driving ──────────────▶ pulsing ───────────────────┐
///         ▲                         │ failed                                        ▼
///         │ no admission waits      └────────────────────────────────────────▶ releasing ◀──── start, stop, recheck
///         │                                                         released │      │  ▲
///        gap ◀───────────────────────────────────────────────────────────────┘      │  │ retry is due
///         │ an admission waits                                         failed twice ▼  │
///         └──────────────▶ driving                                                 stuck
///
/// An admission that comes in between waits; in `stuck` it fails, for a gate that cannot be closed cannot be opened for
/// one person either.
///
/// Uncommanded, admissions fail, and where the safe state is `safe` the relay is held on instead of released. A pulse that
/// runs comes first, up to its own end:
///
///      resting, gap, stuck ──uncommand──▶ taking ◀──── end of a pulse or of a release while uncommanded, start, recheck
///                                   driven │  ▲ retry is due
///                                          ▼  │        failed twice
///                                        held, untaken ◀───────────── taking
///                                          └──command──▶ releasing ──▶ gap …
struct RelayMachine: Sendable {
  /// How soon a release that failed is tried again after a pulse, when the gate may stand open.
  static let urgentRetry: Duration = .milliseconds(100)
  /// How soon it is tried again when the relay was never driven since the start.
  static let calmRetry: Duration = .seconds(1)
  /// How often a relay at rest is told so again: that notices a board that went away before an admission is spent on it.
  static let recheck: Duration = .seconds(5)
  /// How often a release is tried at the stop before it is given up.
  static let triesAtStop = 10

  /// One pulse that was asked for, and what is played when it begins.
  struct Admission: Sendable {
    let pulse: PulseID
    let isProvisional: Bool
    var signal: Signal { isProvisional ? .provisional : .admit }
  }

  private enum State: Sendable {
    case notStarted
    case resting(recheck: MonotonicTime)
    case driving(Admission)
    case pulsing(until: MonotonicTime)
    case releasing(tries: Int)
    case stuck(tries: Int, retry: MonotonicTime)
    case gap(until: MonotonicTime)
    case taking(tries: Int)
    case held(recheck: MonotonicTime)
    case untaken(tries: Int, retry: MonotonicTime)
    case stopped
  }

  let output: OutputName
  private let timing: RelayTiming
  private let safeState: SafeState
  private var isCommanded = true
  private var state = State.notStarted
  private var waiting: [Admission] = []
  private var isStopping = false
  private var leavesSafeState = false
  /// Whether the relay may be on: it was driven, or that was tried, and no release succeeded since.
  private(set) var mayBeOn = false

  init(output: OutputName, timing: RelayTiming, safeState: SafeState) {
    self.output = output
    self.timing = timing
    self.safeState = safeState
  }

  /// Whether the relay belongs on while no pulse runs.
  private var isHeld: Bool { safeState == .safe && (isStopping ? leavesSafeState : !isCommanded) }

  var deadline: MonotonicTime? {
    switch state {
    case .pulsing(let until), .gap(let until): until
    case .resting(let recheck), .held(let recheck): recheck
    case .stuck(_, let retry), .untaken(_, let retry): retry
    case .notStarted, .driving, .releasing, .taking, .stopped: nil
    }
  }

  /// Whether the drive that is under way begins a pulse; else it takes the relay to its safe state.
  var isBeginningPulse: Bool { if case .driving = state { true } else { false } }

  var isPulsing: Bool { if case .pulsing = state { true } else { false } }

  var isStopped: Bool { if case .stopped = state { true } else { false } }

  /// Brings the relay to rest, off or held on; where a stop is under way, only takes that back.
  /// - Parameter end: when a pulse ends that a predecessor began. The line is as that one left it; one that is off by now
  ///   is not switched on again. Ignored where it is past, or further off than the longest pulse.
  mutating func start(
    commanded: Bool, resuming end: MonotonicTime?, at now: MonotonicTime,
    into effects: inout [SignalSequencer.Effect]
  ) {
    isStopping = false
    isCommanded = commanded
    switch state {
    case .notStarted, .stopped:
      if let end, end > now, end - now <= RelayTiming.pulseRange.upperBound {
        mayBeOn = true
        state = .pulsing(until: end)
      } else {
        settle(into: &effects)
      }
    case .resting, .driving, .pulsing, .releasing, .stuck, .gap, .taking, .held, .untaken: break
    }
  }

  /// Admissions are taken again; a relay that is held on is released, and the gap is kept.
  mutating func command(into effects: inout [SignalSequencer.Effect]) {
    isCommanded = true
    switch state {
    case .held, .untaken: if !isHeld { release(into: &effects) }
    case .notStarted, .resting, .driving, .pulsing, .releasing, .stuck, .gap, .taking, .stopped: break
    }
  }

  /// Admissions fail from now on, those that wait too; the relay goes to its safe state after the running pulse.
  mutating func uncommand(into effects: inout [SignalSequencer.Effect]) {
    isCommanded = false
    failWaiting(.uncommanded, into: &effects)
    switch state {
    case .resting, .gap, .stuck: if isHeld { take(into: &effects) }
    case .notStarted, .driving, .pulsing, .releasing, .taking, .held, .untaken, .stopped: break
    }
  }

  /// Lets a running pulse end as it must; nothing else begins.
  /// - Parameter leavingSafeState: whether a relay whose safe state is `safe` is left on, rather than off.
  mutating func stop(leavingSafeState: Bool, into effects: inout [SignalSequencer.Effect]) {
    isStopping = true
    leavesSafeState = leavingSafeState
    failWaiting(.stopped, into: &effects)
    switch state {
    case .notStarted: state = .stopped
    case .resting, .gap, .stuck, .held, .untaken: settle(into: &effects)
    case .driving, .pulsing, .releasing, .taking, .stopped: break
    }
  }

  /// Fails the admissions that wait; the running pulse and the rest go on.
  mutating func dropWaiting(_ failure: PulseFailure, into effects: inout [SignalSequencer.Effect]) {
    failWaiting(failure, into: &effects)
  }

  /// The machine slept for so long: it counts for a pulse and for the gap as all time does. Whoever waits may have gone.
  mutating func slept(for duration: Duration, at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    failWaiting(.late, into: &effects)
    switch state {
    case .pulsing(let until): state = .pulsing(until: until - duration)
    case .gap(let until): state = .gap(until: until - duration)
    case .notStarted, .resting, .driving, .releasing, .stuck, .taking, .held, .untaken, .stopped: break
    }
    advance(to: now, into: &effects)
  }

  mutating func admit(_ admission: Admission, into effects: inout [SignalSequencer.Effect]) {
    let pulse = admission.pulse
    if isStopping { return effects.append(.pulseFailed(pulse, .stopped)) }
    if !isCommanded { return effects.append(.pulseFailed(pulse, .uncommanded)) }
    switch state {
    case .notStarted, .stopped: effects.append(.pulseFailed(pulse, .stopped))
    case .stuck: effects.append(.pulseFailed(pulse, .stuck))
    case .resting: drive(admission, into: &effects)
    case .driving, .pulsing, .releasing, .gap, .taking, .held, .untaken:
      if waiting.count < SignalSequencer.maximumWaiting {
        waiting.append(admission)
      } else {
        effects.append(.pulseFailed(pulse, .tooManyWaiting))
      }
    }
  }

  /// The line is driven since `now`. Returns the admission whose pulse began by it.
  mutating func driven(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) -> Admission? {
    switch state {
    case .driving(let admission):
      let end = now + timing.pulse
      state = .pulsing(until: end)
      effects.append(.pulseStarted(admission.pulse, start: now, end: end))
      return admission
    case .taking:
      if !isHeld {
        release(into: &effects)
      } else if isStopping {
        state = .stopped
      } else {
        state = .held(recheck: now + Self.recheck)
      }
      return nil
    case .notStarted, .resting, .pulsing, .releasing, .stuck, .gap, .held, .untaken, .stopped: return nil
    }
  }

  /// The line could not be driven; what it does now is not known, so after a pulse that did not begin it is released.
  mutating func driveFailed(
    mayHaveSwitched: Bool, at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]
  ) {
    switch state {
    case .driving(let admission):
      effects.append(.pulseFailed(admission.pulse, mayHaveSwitched ? .unsure : .notDriven))
      settle(into: &effects)
    case .taking(let tries):
      if !isHeld {
        release(into: &effects)
      } else if tries == 1 {
        state = .taking(tries: 2)
        effects.append(.driveRelay(output))
      } else if isStopping, tries >= Self.triesAtStop {
        state = .stopped
      } else {
        state = .untaken(tries: tries, retry: now + Self.calmRetry)
      }
    case .notStarted, .resting, .pulsing, .releasing, .stuck, .gap, .held, .untaken, .stopped: break
    }
  }

  mutating func released(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    guard case .releasing = state else { return }
    let wasPulse = mayBeOn
    mayBeOn = false
    if isHeld {
      take(into: &effects)
    } else if isStopping {
      state = .stopped
    } else if wasPulse {
      state = .gap(until: now + timing.gap)
      advance(to: now, into: &effects)
    } else {
      next(at: now, into: &effects)
    }
  }

  mutating func releaseFailed(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    guard case .releasing(let tries) = state else { return }
    if tries == 1 {
      state = .releasing(tries: 2)
      effects.append(.releaseRelay(output))
    } else if isStopping, tries >= Self.triesAtStop {
      state = .stopped
    } else {
      failWaiting(.stuck, into: &effects)
      state = .stuck(tries: tries, retry: now + (mayBeOn || isStopping ? Self.urgentRetry : Self.calmRetry))
    }
  }

  mutating func advance(to now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    switch state {
    case .pulsing(let until) where until <= now:
      settle(into: &effects)
    case .gap(let until) where until <= now:
      next(at: now, into: &effects)
    case .resting(let recheck) where recheck <= now:
      release(into: &effects)
    case .stuck(let tries, let retry) where retry <= now:
      // The count only matters at the stop, which is soon; it must not overflow in a year of a missing relay.
      state = .releasing(tries: min(tries, Self.triesAtStop) + 1)
      effects.append(.releaseRelay(output))
    case .held(let recheck) where recheck <= now:
      take(into: &effects)
    case .untaken(let tries, let retry) where retry <= now:
      state = .taking(tries: min(tries, Self.triesAtStop) + 1)
      effects.append(.driveRelay(output))
    case .notStarted, .resting, .driving, .pulsing, .releasing, .stuck, .gap, .taking, .held, .untaken, .stopped: break
    }
  }

  private mutating func settle(into effects: inout [SignalSequencer.Effect]) {
    if isHeld { take(into: &effects) } else { release(into: &effects) }
  }

  private mutating func next(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    if waiting.isEmpty {
      state = .resting(recheck: now + Self.recheck)
    } else {
      drive(waiting.removeFirst(), into: &effects)
    }
  }

  private mutating func drive(_ admission: Admission, into effects: inout [SignalSequencer.Effect]) {
    state = .driving(admission)
    mayBeOn = true
    effects.append(.driveRelay(output))
  }

  private mutating func release(into effects: inout [SignalSequencer.Effect]) {
    state = .releasing(tries: 1)
    effects.append(.releaseRelay(output))
  }

  private mutating func take(into effects: inout [SignalSequencer.Effect]) {
    state = .taking(tries: 1)
    mayBeOn = true
    effects.append(.driveRelay(output))
  }

  private mutating func failWaiting(_ failure: PulseFailure, into effects: inout [SignalSequencer.Effect]) {
    for admission in waiting { effects.append(.pulseFailed(admission.pulse, failure)) }
    waiting.removeAll()
  }
}
