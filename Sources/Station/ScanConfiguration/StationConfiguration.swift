package import Reading
package import ScanModel
package import TicketSystemKit

/// A whole configuration that has passed every check. Lists keep the order of the file.
package struct StationConfiguration: Sendable {
  /// The file's name as it was given.
  package var file: String
  /// The station's name.
  package var name: String
  /// The ticket systems; names are unique.
  package var ticketSystems: [TicketSystemConfiguration]
  /// The readers; names are unique, each belongs to exactly one gate.
  package var readers: [ReaderConfiguration]
  /// The gates; names are unique, there is at least one.
  package var gates: [GateConfiguration]
  /// What is kept of the scans.
  package var journal: JournalConfiguration
  /// How set-up codes are taken; `nil` where nothing is set up by them.
  package var setUp: SetUpConfiguration?
  /// The service that tells the station what it is; `nil` where there is none.
  package var control: ControlServiceConfiguration?
  /// How machines see the station; `nil` where none does.
  package var console: ConsoleConfiguration?
  /// How home automation sees it; `nil` where none does.
  package var mqtt: MQTTConfiguration?
  /// The stations that share a book with this one; `nil` where it shares none.
  package var fleet: FleetConfiguration?
  /// The files that the configuration names; `checkFiles` looks at them.
  package var files: [FileReference]
  /// The credentials that it names.
  package var credentials: [CredentialReference]
}

/// A gate: `gates.<name>`.
package struct GateConfiguration: Sendable {
  /// The name.
  package var id: GateID
  /// Its readers; at least one.
  package var readers: [ReaderID]
  /// Its ticket system.
  package var ticketSystem: TicketSystemID
  /// Which way people pass.
  package var direction: GateDirection
  /// What the adapter's section for gates read; `nil` where the gate has none.
  package var ticket: (any Sendable)?
  /// How long a person waits for a verdict.
  package var deadline: Duration
  /// How long the same code is ignored since it was last seen.
  package var holdOff: Duration
  /// How many scans may wait.
  package var queue: Int
  /// A scan that waited longer is dropped.
  package var stale: Duration
  /// What can be a code here.
  package var accept: AcceptFilter
  /// What the gate does while its ticket system is offline.
  package var offline: OfflinePolicy
  /// Requests a minute and reader that admit nobody before its codes are no longer asked.
  package var floodLimit: Int
  /// Relay, lamps and buzzers; names are unique.
  package var outputs: [OutputConfiguration]
  /// What its relay does; `nil` where it has none.
  package var relay: RelayConfiguration?
  /// Buttons, switches and sensors; names are unique.
  package var inputs: [InputConfiguration]
  /// The patterns that the file gives, by signal and output; what is absent plays the built-in pattern.
  package var signals: [SignalName: [String: SignalSetting]]
}

/// Which way people pass through a gate. The raw values are the words in the file.
package enum GateDirection: String, Sendable, CaseIterable {
  /// In: the ticket system is asked.
  case `in`
  /// Out: nobody is asked, and the ticket may admit again.
  case out
}

/// A signal that a pattern can be given for.
package enum SignalName: Hashable, Sendable {
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
  package static var all: [Self] {
    [.admit, .provisional, .refuse(nil)] + RefuseReason.allCases.map { .refuse($0) } + [.undecided(nil)]
      + UndecidedReason.allCases.map { .undecided($0) } + [.busy, .idle, .offline, .outOfService]
      + SetUpSignal.all.map { .setUp($0) }
  }

  /// The key in the file.
  package var key: String {
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
package enum SignalSetting: Sendable, Equatable {
  /// On as long as the signal lasts.
  case on
  /// Off.
  case off
  /// On, off, on … for these times, then off; never empty.
  case steps([Duration])
  /// On and off in turn, for `total` or as long as the signal lasts.
  case blink(on: Duration, off: Duration, total: Duration?)
}
