public import ScanModel
public import TicketSystemKit

/// A whole configuration that has passed every check. Lists keep the order of the file.
public struct StationConfiguration: Sendable {
  /// The file's name as it was given.
  public var file: String
  /// The station's name.
  public var name: String
  /// The ticket systems; names are unique.
  public var ticketSystems: [TicketSystemConfiguration]
  /// The readers; names are unique, each belongs to exactly one gate.
  public var readers: [ReaderConfiguration]
  /// The gates; names are unique, there is at least one.
  public var gates: [GateConfiguration]
  /// What is kept of the scans.
  public var journal: JournalConfiguration
  /// How set-up codes are taken; `nil` where nothing is set up by them.
  public var setUp: SetUpConfiguration?
  /// The service that tells the station what it is; `nil` where there is none.
  public var control: ControlServiceConfiguration?
  /// The files that the configuration names; `checkFiles` looks at them.
  public var files: [FileReference]
  /// The credentials that it names.
  public var credentials: [CredentialReference]
}

/// A gate: `gates.<name>`.
public struct GateConfiguration: Sendable {
  /// The name.
  public var id: GateID
  /// Its readers; at least one.
  public var readers: [ReaderID]
  /// Its ticket system.
  public var ticketSystem: TicketSystemID
  /// Which way people pass.
  public var direction: GateDirection
  /// What the adapter's section for gates read; `nil` where the gate has none.
  public var ticket: (any Sendable)?
  /// How long a person waits for a verdict.
  public var deadline: Duration
  /// How long the same code is ignored since it was last seen.
  public var holdOff: Duration
  /// How many scans may wait.
  public var queue: Int
  /// A scan that waited longer is dropped.
  public var stale: Duration
  /// What can be a code here.
  public var accept: AcceptRule
  /// What the gate does while its ticket system is offline.
  public var offline: OfflineConfiguration
  /// Requests a minute and reader that admit nobody before its codes are no longer asked.
  public var floodLimit: Int
  /// Relay, lamps and buzzers; names are unique.
  public var outputs: [OutputConfiguration]
  /// Buttons, switches and sensors; names are unique.
  public var inputs: [InputConfiguration]
  /// The patterns that the file gives, by signal and output; what is absent plays the built-in pattern.
  public var signals: [SignalName: [String: SignalSetting]]
}

/// Which way people pass through a gate. The raw values are the words in the file.
public enum GateDirection: String, Sendable, CaseIterable {
  /// In: the ticket system is asked.
  case `in`
  /// Out: nobody is asked, and the ticket may admit again.
  case out
}

/// A signal that a pattern can be given for.
public enum SignalName: Hashable, Sendable {
  /// `admit`.
  case admit
  /// `provisional`.
  case provisional
  /// `refuse` for every reason that has no pattern of its own, or `refuse.<reason>`.
  case refuse(RefuseReason?)
  /// `undecided` for every reason that has no pattern of its own, or `undecided.<reason>`.
  case undecided(UndecidedReason?)
  /// `busy`.
  case busy
  /// `idle`.
  case idle
  /// `offline`.
  case offline
  /// `outOfService`.
  case outOfService
  /// `setUp.armed`, `setUp.working`, `setUp.done`, or `setUp.<refusal>`.
  case setUp(SetUpSignal)

  /// All of them, in the order of the documentation.
  public static var all: [Self] {
    [.admit, .provisional, .refuse(nil)] + RefuseReason.allCases.map { .refuse($0) } + [.undecided(nil)]
      + UndecidedReason.allCases.map { .undecided($0) } + [.busy, .idle, .offline, .outOfService]
      + SetUpSignal.all.map { .setUp($0) }
  }

  /// The key in the file.
  public var key: String {
    switch self {
    case .admit: "admit"
    case .provisional: "provisional"
    case .refuse(nil): "refuse"
    case .refuse(.some(let reason)): "refuse.\(reason.rawValue)"
    case .undecided(nil): "undecided"
    case .undecided(.some(let reason)): "undecided.\(reason.rawValue)"
    case .busy: "busy"
    case .idle: "idle"
    case .offline: "offline"
    case .outOfService: "outOfService"
    case .setUp(let step): "setUp.\(step.name)"
    }
  }
}

/// What one lamp or buzzer does during a signal.
public enum SignalSetting: Sendable, Equatable {
  /// On as long as the signal lasts.
  case on
  /// Off.
  case off
  /// On, off, on … for these times, then off; never empty.
  case steps([Duration])
  /// On and off in turn, for `total` or as long as the signal lasts.
  case blink(on: Duration, off: Duration, total: Duration?)
}
