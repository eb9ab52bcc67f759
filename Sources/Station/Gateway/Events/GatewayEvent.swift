package import StationSetUp
package import ScanModel
package import Admission

/// What the gateway tells the world, one JSON object a line; `docs/events.md` is its contract.
package enum GatewayEvent: Sendable, Equatable {
  /// A scan was decided.
  case scan(DecidedScan)
  /// The same code again within hold-off: nothing was asked, no relay moved.
  case `repeat`(gate: GateID, reader: ReaderID, code: Code, at: WallTime)
  /// A request that may have redeemed was not answered, or was answered after the gate had stopped waiting.
  case attempt(UnansweredAttempt)
  /// A reader's state changed.
  case device(reader: ReaderID, state: ReaderState, at: WallTime)
  /// A reader's input was thrown away.
  case discarded(reader: ReaderID, reason: DiscardReason, characters: Int, at: WallTime)
  /// A reader's device became another one right after a read: somebody may have shown a programming barcode to it.
  case identityChanged(reader: ReaderID, before: DeviceDescription, after: DeviceDescription, at: WallTime)
  /// So many earlier events were dropped, because this subscriber was too slow.
  case dropped(count: Int)
  /// A gate began or ceased to be able to decide.
  case gate(GateID, GateState, at: WallTime)
  /// A gate's input has changed: a button, a door contact.
  case input(gate: GateID, input: String, isActive: Bool, at: WallTime)
  /// The service was told to reload its configuration.
  case configuration(ReloadOutcome, at: WallTime)
  /// A ticket system answers again, or counts as offline: which host, and what to look at. `owed` admissions have still to be told
  /// to it.
  case ticketSystem(TicketSystemID, offline: OfflineCause?, owed: Int, detail: String? = nil, at: WallTime)
  /// A clock was found wrong by the answers of a ticket system, or right again.
  case clock(ClockEvent)
  /// What we admitted offline and the ticket system does not confirm: staff must look.
  case conflict(OutboxConflict)
  /// The journal began or ceased to keep what it is given, or found something that the operator must know.
  case journal(JournalState, at: WallTime)
  /// A list on board has refreshed itself, or could not.
  case list(ListEvent)
  /// How a ticket system's log of who came and went is kept.
  case mirror(MirrorEvent)
  /// A station is being set up by a scan.
  case setUp(SetUpEvent)
  /// The control service has changed something, or what we hold of it has.
  case control(ControlEvent)
  /// Staff have ordered something, and what became of it.
  case order(StaffOrderEvent)
  /// What has become of the book that stations share.
  case fleet(FleetEvent)
  /// How many are in the house has changed, where stations share a book.
  case house(HouseEvent)
}

/// A scan with its verdict and everything that staff may want to know of it.
package struct DecidedScan: Sendable, Equatable {
  /// The scan; its code is shown shortened only.
  package var scan: Scan
  /// What the gate did.
  package var verdict: Verdict
  /// When the last byte was read, in civil time.
  package var readAt: WallTime
  /// From the last byte read to the verdict (and, for an admission, to the start of the relay pulse).
  package var decidedIn: Duration
  /// Holder, event and tickets, where the ticket system told them.
  package var details: TicketDetails
  /// How many this code has admitted here, this admission included.
  package var admitted: Int
  /// How many it admits in all, as far as is proven.
  package var allowance: Int
  /// Who decided.
  package var decider: Decider
  /// Whether it is an admission that the ticket system has still to be told of.
  package var isProvisional: Bool
  /// What else staff should know of it.
  package var note: AttemptDecision.Note?
  /// The first admission on the ticket, where one is known.
  package var firstUse: AttemptDecision.FirstUse?
  /// What happened, to which host or line, and what to do; `nil` where the reason says it all.
  package var detail: String?
  /// Whether the relay could not be driven although the verdict is an admission.
  package var outputFault: String?
  /// Whether the journal has it: then the end of the process does not lose it.
  package var isStored = false
}

/// A request whose answer the gate did not have in time.
package struct UnansweredAttempt: Sendable, Equatable {
  /// What is known of it now.
  package enum State: String, Sendable {
    /// The answer may still come.
    case pending
    /// No answer will come; it may have redeemed.
    case lost
    /// The answer came late, and an admission was recorded that nobody has passed on.
    case redeemedLate
    /// The answer came late, and the server holds a record beyond what the code admits; nobody passes on it.
    case surplus
    /// The answer came late and settled that nobody is owed a passage.
    case settled
    /// The machine ended while it was under way; whether somebody passed on it is not known.
    case interrupted
  }

  /// The attempt.
  package var attempt: AttemptID
  /// The scan it served.
  package var scan: ScanID
  /// The gate that asked.
  package var gate: GateID
  /// The code, shown shortened only.
  package var code: Code
  /// What is known of it now.
  package var state: State
  /// When this became known.
  package var at: WallTime
}

/// A provisional admission that the ticket system does not confirm.
package struct OutboxConflict: Sendable, Equatable {
  /// The admission.
  package var owed: OwedAdmission
  /// What became of it.
  package var told: ToldAdmission
}

/// Whether a gate can decide.
package enum GateState: Sendable, Equatable {
  /// It can.
  case ready
  /// It can, as far as is known: what keeps its ticket system from being asked. In events it is `ready`.
  case unproven(String)
  /// It cannot until somebody acts: the reason, and what to do.
  case fault(UndecidedReason, String)
  /// Staff have taken it out of service by its maintenance input.
  case maintenance
  /// All gates of the fleet were taken out of service: by whom, and why. In events it is `maintenance`.
  case maintenanceOfFleet(String)
  /// The station is not set up yet: what is missing, and what to do.
  case notSetUp(String)
  /// The control service has taken it out of service: why.
  case closed(String)
}

/// What became of a reload.
package enum ReloadOutcome: Sendable, Equatable {
  /// The station runs by the new file.
  case applied
  /// The station runs on by the old one: everything that is wrong with the new file.
  case kept([String])
  /// The station runs on by the old one: what the new file changes that only a restart can change.
  case needsRestart([String])

  /// The name in events.
  package var name: String {
    switch self {
    case .applied: "applied"
    case .kept: "kept"
    case .needsRestart: "needsRestart"
    }
  }

  /// The words that come with it, if any.
  package var detail: String? {
    switch self {
    case .applied: nil
    case .kept(let words), .needsRestart(let words): words.joined(separator: "\n")
    }
  }
}

extension GatewayEvent {
  /// The event of a station's set-up.
  package init(_ event: StationSetUpEvent) {
    self =
      switch event {
      case .setUp(let event): .setUp(event)
      case .control(let event): .control(event)
      }
  }
}
