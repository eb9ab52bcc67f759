public import ScanModel

/// What happened while a station was to be set up by a scan.
public struct SetUpEvent: Sendable, Equatable {
  /// What it was. The raw values are the names in events.
  public enum State: String, Sendable, CaseIterable {
    /// Set-up codes are taken from now on.
    case armed
    /// They are no longer.
    case disarmed
    /// The station, or one of its ticket systems, is set up.
    case done
    /// A code did not set it up.
    case refused
  }

  /// What it was.
  public var state: State
  /// Why a code was refused.
  public var reason: SetUpRefusal?
  /// The gate at whose scanner it was shown.
  public var gate: GateID?
  /// The scanner.
  public var reader: ReaderID?
  /// What happened, to which host, and what to do.
  public var detail: String?
  /// When.
  public var at: WallTime
}

/// What the control service, or what we hold of it, has changed.
public struct ControlEvent: Sendable, Equatable {
  /// What it was. The raw values are the names in events.
  public enum State: String, Sendable, CaseIterable {
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
  public var state: State
  /// The kind of fault, where it is one.
  public var kind: ControlFaultKind?
  /// What happened, to which host, and what to do.
  public var detail: String?
  /// When.
  public var at: WallTime

  /// Makes an event.
  public init(_ state: State, kind: ControlFaultKind? = nil, detail: String? = nil, at: WallTime) {
    self.state = state
    self.kind = kind
    self.detail = detail
    self.at = at
  }
}
