package import ScanModel

/// Whether set-up codes are taken: only while something is missing, and then for a time. Pure; events and time go in.
///
///                  ┌────────────────── nothing missing any more ──────────────────┐
///                  ▼                                                              │
///     off ──start, button, order──▶ armed ──codes refused──▶ locked out ──time──▶ armed, while its time lasts
///      ▲                              │                          │
///      └──────────── time ────────────┴──────────────────────────┘
///
/// Armed again while it is armed, the later end holds. A lock-out outlasts the time in which codes are taken, and a button
/// does not end it: whoever guesses codes stands beside the button. An order of the operator does, and so does success.
/// What a control service says of its token is no event here: losing it arms nothing.
package struct SetUpArming: Sendable {
  /// How long a button arms where the time after the start is zero.
  package static let usualWindow = Duration.seconds(600)
  /// How long an order arms at most.
  package static let longestOrder = Duration.seconds(3_600)

  /// What it is at a time.
  package enum State: Hashable, Sendable {
    /// Set-up codes are codes like any other.
    case off
    /// The next scan is taken as a set-up code.
    case armed(until: MonotonicTime)
    /// Too many were refused: a code that is shown now is not looked at.
    case lockedOut(until: MonotonicTime)
  }

  /// After how many codes that were refused none is taken for a while. A change holds from the next refusal on.
  package var lockOut: ControlConfiguration.LockOut
  /// Whether something is missing that a code can bring: an activation, or an enrolment.
  package private(set) var isMissing: Bool
  private let window: Duration
  private var armedUntil: MonotonicTime?
  private var lockedUntil: MonotonicTime?
  private var refusals = 0

  /// Makes the state of a station that has not started yet: off.
  /// - Parameter window: how long codes are taken after the start; zero for only by hand.
  package init(isMissing: Bool, window: Duration, lockOut: ControlConfiguration.LockOut = .init()) {
    self.isMissing = isMissing
    self.window = max(.zero, window)
    self.lockOut = lockOut
  }

  /// What it is at `now`.
  package func state(at now: MonotonicTime) -> State {
    guard isMissing else { return .off }
    if let lockedUntil, now < lockedUntil { return .lockedOut(until: lockedUntil) }
    if let armedUntil, now < armedUntil { return .armed(until: armedUntil) }
    return .off
  }

  /// Whether the next scan is taken as a set-up code.
  package func isArmed(at now: MonotonicTime) -> Bool { if case .armed = state(at: now) { true } else { false } }

  /// When `state` is another one without an event; `nil` where it stays as it is.
  package func nextChange(after now: MonotonicTime) -> MonotonicTime? {
    switch state(at: now) {
    case .off: nil
    case .armed(let end), .lockedOut(let end): end
    }
  }

  /// The station has started.
  package mutating func started(at now: MonotonicTime) { if window > .zero { arm(for: window, at: now) } }

  /// The button was held.
  /// - Returns: whether codes are taken now, or will be once a lock-out ends; else nothing is missing.
  @discardableResult package mutating func buttonHeld(at now: MonotonicTime) -> Bool {
    arm(for: window > .zero ? window : Self.usualWindow, at: now)
  }

  /// The operator has ordered it at the station's own command line; ends a lock-out.
  /// - Parameter duration: for how long, up to 1 h.
  /// - Returns: whether codes are taken now; else nothing is missing.
  @discardableResult package mutating func ordered(for duration: Duration, at now: MonotonicTime) -> Bool {
    guard isMissing, duration > .zero else { return false }
    lockedUntil = nil
    refusals = 0
    return arm(for: min(duration, Self.longestOrder), at: now)
  }

  /// A set-up code was refused. What is nobody's try (the service is not there, or out of order) does not count.
  /// - Returns: whether codes are locked out by it.
  @discardableResult package mutating func refused(_ refusal: SetUpRefusal, at now: MonotonicTime) -> Bool {
    guard isMissing else { return false }
    switch refusal {
    case .offline, .fault, .lockedOut: return false
    case .wrong, .expired, .used, .unknownStation, .untrusted: break
    }
    refusals += 1
    guard refusals >= lockOut.attempts else { return false }
    refusals = 0
    lockedUntil = now + max(.zero, lockOut.duration)
    return true
  }

  /// The machine slept for so long: it counts as all time does.
  package mutating func slept(for duration: Duration) {
    armedUntil = armedUntil.map { $0 - duration }
    lockedUntil = lockedUntil.map { $0 - duration }
  }

  /// Whether something is missing is known anew. Where nothing is, codes are no longer taken at once; where something is
  /// again, they are not taken by that alone.
  package mutating func nowMissing(_ isMissing: Bool) {
    if !isMissing || !self.isMissing {
      armedUntil = nil
      lockedUntil = nil
      refusals = 0
    }
    self.isMissing = isMissing
  }

  @discardableResult private mutating func arm(for duration: Duration, at now: MonotonicTime) -> Bool {
    guard isMissing else { return false }
    armedUntil = max(armedUntil ?? now, now + duration)
    return true
  }
}

/// What has become of the lock-out of set-up codes since that was told last.
enum LockOutChange: Equatable {
  case none
  /// It began, and lasts so long.
  case began(Duration)
  case ended

  /// Whether set-up codes are taken now, in words for whoever stands at the station.
  func words(isArmed: Bool, isMissing: Bool) -> String {
    let remedy = "Hold the set-up button, restart the service, or run: scangate kiosk activate --wait"
    switch self {
    case .began(let wait):
      return "Too many set-up codes were refused: none is taken for \(max(1, wait.milliseconds / 1_000)) s."
    case .ended where isArmed: return "The lock-out is over: set-up codes are taken again. Hold one to the scanner."
    case .ended: return "The lock-out is over. Set-up codes are taken when somebody asks for it. \(remedy)"
    case .none where isArmed: return "Set-up codes are taken: hold one to the scanner."
    case .none where isMissing: return "Set-up codes are no longer taken. \(remedy)"
    case .none: return "The station is set up: set-up codes are no longer taken."
    }
  }
}
