package import ScanModel

/// What happened while a station was to be set up by a scan.
package struct SetUpEvent: Sendable, Equatable {
  /// What it was. The raw values are the names in events.
  package enum State: String, Sendable, CaseIterable {
    /// Set-up codes are taken from now on.
    case armed
    /// They are no longer.
    case disarmed
    /// A code was read, and is being tried.
    case trying
    /// The station, or one of its ticket systems, is set up.
    case done
    /// A code did not set it up.
    case refused
  }

  /// What it was.
  package var state: State
  /// Why a code was refused.
  package var reason: SetUpRefusal?
  /// The gate at whose scanner it was shown.
  package var gate: GateID?
  /// The scanner.
  package var reader: ReaderID?
  /// What happened, to which host, and what to do.
  package var detail: String?
  /// When.
  package var at: WallTime
}

/// What the control service, or what we hold of it, has changed.
package struct ControlEvent: Sendable, Equatable {
  /// What it was. The raw values are the names in events.
  package enum State: String, Sendable, CaseIterable {
    /// The station is activated.
    case activated
    /// Its activation was taken away by hand.
    case reset
    /// Another configuration came.
    case configured
    /// The service does not accept our token. Gates go on as they did.
    case tokenRefused
    /// The token ends soon, or has ended.
    case tokenEnding
    /// The service accepts our token again.
    case tokenAccepted
    /// It could not be asked, or answers what it should not.
    case fault
    /// It answers again.
    case answers
  }

  /// What it was.
  package var state: State
  /// The kind of fault, where it is one.
  package var kind: ControlFaultKind?
  /// What happened, to which host, and what to do.
  package var detail: String?
  /// When.
  package var at: WallTime
}

/// What setting a station up and leading it tell the world.
package enum StationSetUpEvent: Sendable, Equatable {
  /// A station is being set up by a scan.
  case setUp(SetUpEvent)
  /// The control service has changed something, or what we hold of it has.
  case control(ControlEvent)

  /// Who is told; from any thread, returns at once.
  package typealias Sink = @Sendable (StationSetUpEvent) -> Void
}
