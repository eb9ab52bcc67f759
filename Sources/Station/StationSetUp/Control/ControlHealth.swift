package import ScanModel

/// How a station stands with its control service, as the service's document has it, and since when.
package struct ControlHealth: Sendable, Equatable {
  /// Whether the server answered, and was well, when it was asked last.
  package var serverConnected = false
  /// Whether the server accepts the token: its last word on it was yes, or it needs none.
  package var tokenValid = false
  /// Whether the configuration was fetched less than an hour ago.
  package var configCurrent = false
  /// Since when the configuration is this old; `nil` where there is none.
  package var configAge: Duration?
  /// When the server was heard last.
  package var heard: WallTime?
  /// What is not as it should be, and what to do; empty where all is well.
  package var words: [String] = []

  /// Whether all three are.
  package var isHealthy: Bool { serverConnected && tokenValid && configCurrent }

  /// Makes the health of a station that nothing is known of.
  package init() {}
}

/// What a station is to its control service now.
package struct ControlState: Sendable, Equatable {
  /// Who it is.
  package var stationID: String
  /// The server that it is activated at, else the configured one; `nil` where there is none.
  package var server: ControlServer?
  /// What its activation gave; `nil` where it is not activated.
  package var activation: Activation?
  /// When it was activated.
  package var activated: WallTime?
  /// When an activation was sent whose answer is not known; `nil` where there is none.
  package var attempted: WallTime?
  /// The last configuration, and when it was fetched.
  package var configuration: ControlConfiguration?
  package var fetched: WallTime?
  /// Since when the server refuses the token; `nil` where it does not.
  package var tokenRefusedSince: WallTime?
  /// What staff have set by hand.
  package var manualStatus: StationStatus?

  /// Whether the station has been activated: its token may be refused meanwhile, or lost, and that changes nothing here.
  package var isActivated: Bool { activation != nil }
}

/// What an operator should hear of, once each time.
package enum ControlNotice: Sendable, Equatable {
  /// A configuration that differs from the one before; the names of what changed, `all` where there was none before.
  case configurationChanged(ControlConfiguration, [String])
  /// The token ends soon.
  case tokenExpiring(WallTime)
  /// The token has ended by this machine's clock, and the server has not accepted it since.
  case tokenExpired(WallTime)
  /// The server refuses the token; why, and what to do.
  case tokenRefused(String)
  /// The server accepts it again.
  case tokenAccepted
  /// After faults that were told, all is well with the server again.
  case answers
  /// A call went wrong; a fault that lasts is told once an hour.
  case fault(ControlFault)
  /// What the station kept cannot be read, or not be written: what is lost, and what to do.
  case record(String)
}

extension ControlNotice {
  /// What happened, and what to do, for people. What servers said in it is clean; names of theirs are not shown.
  package var words: String {
    switch self {
    case .configurationChanged(_, let changes):
      changes == ["all"]
        ? "The control service has given a configuration."
        : "The control service has changed: \(changes.joined(separator: ", "))."
    case .tokenExpiring(let end):
      "The token of the control service ends at \(end.iso8601). Make a new activation code in time."
    case .tokenExpired(let end):
      "The token of the control service ended at \(end.iso8601). Gates go on. Have a new activation code made, then: scangate "
        + "kiosk activate --again"
    case .tokenRefused(let words): words
    case .tokenAccepted: "The control service accepts the token again."
    case .answers: "The control service answers as it should again."
    case .fault(let fault): fault.detail
    case .record(let words): words
    }
  }
}
