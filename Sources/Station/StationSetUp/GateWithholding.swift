package import ScanModel

/// Why a gate is kept out of service by something outside it.
package enum GateWithholding: Sendable, Equatable {
  /// The station is not set up yet; whether a set-up code is taken now, and what is missing.
  case notSetUp(isArmed: Bool, String)
  /// The control service has taken it out of service: its words.
  case closed(String)

  /// What is to be done about it, for staff.
  package var detail: String {
    switch self {
    case .notSetUp(_, let words), .closed(let words): words
    }
  }

  /// What the gate shows meanwhile.
  package var background: Signal {
    switch self {
    case .notSetUp(isArmed: true, _): .setUp(.armed)
    case .notSetUp, .closed: .outOfService
    }
  }
}

/// What a gate is doing, for who tells others of it.
package enum GateActivity: Sendable, Equatable {
  /// The next person can present a code.
  case open
  /// A scan is being decided.
  case deciding
  /// Nobody can pass.
  case outOfService
}

/// A gate, as far as who sets the station up leads it.
package protocol SetUpGate: AnyObject, Sendable {
  /// Keeps the gate out of service; `nil` lets it work. From any thread, returns at once.
  func setWithholding(_ withholding: GateWithholding?)

  /// Shows a step of setting the station up, where no scan is being decided. From any thread, returns at once.
  func show(_ step: SetUpSignal)
}
