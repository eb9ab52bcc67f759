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
struct RelayMachine: Sendable {
  /// How soon a release that failed is tried again after a pulse, when the gate may stand open.
  static let urgentRetry: Duration = .milliseconds(100)
  /// How soon it is tried again when the relay was never driven since the start.
  static let calmRetry: Duration = .seconds(1)
  /// How often a relay at rest is told so again: that notices a board that went away before an admission is spent on it.
  static let recheck: Duration = .seconds(5)
  /// How often a release is tried at the stop before it is given up.
  static let triesAtStop = 10

  private enum State: Sendable {
    case notStarted
    case resting(recheck: MonotonicTime)
    case driving(PulseID)
    case pulsing(until: MonotonicTime)
    case releasing(tries: Int)
    case stuck(tries: Int, retry: MonotonicTime)
    case gap(until: MonotonicTime)
    case stopped
  }

  let output: OutputName
  private let timing: RelayTiming
  private var state = State.notStarted
  private var waiting: [PulseID] = []
  private var isStopping = false
  /// Whether the relay may be on: it was driven, or that was tried, and no release succeeded since.
  private(set) var mayBeOn = false

  init(output: OutputName, timing: RelayTiming) {
    self.output = output
    self.timing = timing
  }

  var deadline: MonotonicTime? {
    switch state {
    case .pulsing(let until), .gap(let until): until
    case .resting(let recheck): recheck
    case .stuck(_, let retry): retry
    case .notStarted, .driving, .releasing, .stopped: nil
    }
  }

  var isStopped: Bool {
    if case .stopped = state { true } else { false }
  }

  /// Releases the relay; where a stop is under way, only takes that back.
  mutating func start(into effects: inout [SignalSequencer.Effect]) {
    isStopping = false
    switch state {
    case .notStarted, .stopped: release(into: &effects)
    case .resting, .driving, .pulsing, .releasing, .stuck, .gap: break
    }
  }

  /// Lets a running pulse end as it must; nothing else begins.
  mutating func stop(into effects: inout [SignalSequencer.Effect]) {
    isStopping = true
    failWaiting(.stopped, into: &effects)
    switch state {
    case .notStarted: state = .stopped
    case .resting, .gap, .stuck: release(into: &effects)
    case .driving, .pulsing, .releasing, .stopped: break
    }
  }

  mutating func admit(_ pulse: PulseID, into effects: inout [SignalSequencer.Effect]) {
    if isStopping { return effects.append(.pulseFailed(pulse, .stopped)) }
    switch state {
    case .notStarted, .stopped: effects.append(.pulseFailed(pulse, .stopped))
    case .stuck: effects.append(.pulseFailed(pulse, .stuck))
    case .resting: drive(pulse, into: &effects)
    case .driving, .pulsing, .releasing, .gap:
      if waiting.count < SignalSequencer.maximumWaiting {
        waiting.append(pulse)
      } else {
        effects.append(.pulseFailed(pulse, .tooManyWaiting))
      }
    }
  }

  /// The line is driven since `now`. Returns whether a pulse began by it.
  mutating func driven(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) -> Bool {
    guard case .driving(let pulse) = state else { return false }
    let end = now + timing.pulse
    state = .pulsing(until: end)
    effects.append(.pulseStarted(pulse, start: now, end: end))
    return true
  }

  /// The line could not be driven; what it does now is not known, so it is released.
  mutating func driveFailed(into effects: inout [SignalSequencer.Effect]) {
    guard case .driving(let pulse) = state else { return }
    effects.append(.pulseFailed(pulse, .notDriven))
    release(into: &effects)
  }

  mutating func released(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    guard case .releasing = state else { return }
    let wasPulse = mayBeOn
    mayBeOn = false
    if isStopping {
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
      release(into: &effects)
    case .gap(let until) where until <= now:
      next(at: now, into: &effects)
    case .resting(let recheck) where recheck <= now:
      release(into: &effects)
    case .stuck(let tries, let retry) where retry <= now:
      // The count only matters at the stop, which is soon; it must not overflow in a year of a missing relay.
      state = .releasing(tries: min(tries, Self.triesAtStop) + 1)
      effects.append(.releaseRelay(output))
    case .notStarted, .resting, .driving, .pulsing, .releasing, .stuck, .gap, .stopped: break
    }
  }

  private mutating func next(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    if waiting.isEmpty {
      state = .resting(recheck: now + Self.recheck)
    } else {
      drive(waiting.removeFirst(), into: &effects)
    }
  }

  private mutating func drive(_ pulse: PulseID, into effects: inout [SignalSequencer.Effect]) {
    state = .driving(pulse)
    mayBeOn = true
    effects.append(.driveRelay(output))
  }

  private mutating func release(into effects: inout [SignalSequencer.Effect]) {
    state = .releasing(tries: 1)
    effects.append(.releaseRelay(output))
  }

  private mutating func failWaiting(_ failure: PulseFailure, into effects: inout [SignalSequencer.Effect]) {
    for pulse in waiting { effects.append(.pulseFailed(pulse, failure)) }
    waiting.removeAll()
  }
}
