package import Calls
package import ScanModel

/// A configured ticket system, ready to be asked: shared by its gates, with one budget and one set of connections.
package struct TicketSystemConnection: Sendable {
  /// The system's name.
  package let id: TicketSystemID
  /// The system as a gate asks it, with what the gate's own `ticket` section adds.
  package let face: @Sendable (_ ticket: (any Sendable)?) -> any TicketSystem
  /// What it tells of all that it has sold; `nil` where it does not.
  package let roster: (any TicketRoster)?
  /// The log that it keeps of who came and went, where that is to be told; `nil` where it is not, or there is none.
  package let mirror: (any PassageMirror)?
  /// What it looks after while the station runs, until it is cancelled: files of its own that may change. It tells the operator what
  /// keeps it from that, and that it is mended. `nil` where there is nothing.
  package let upkeep: (@Sendable (_ tell: @escaping @Sendable (UpkeepNews) -> Void) async -> Void)?
  /// What it has told that stations of a fleet give each other; `nil` where there is nothing.
  package let shares: SharedKnowledge?
  /// How it is, for whoever looks; from any thread, and returns at once.
  package let look: @Sendable () -> ConnectionLook
  /// Ends its connections.
  package let close: @Sendable () async -> Void

  /// Makes a connection.
  /// - Parameter face: the system as a gate asks it, with what the gate's section has read; `nil` for a gate that has none.
  package init<Gate: Sendable>(
    id: TicketSystemID, roster: (any TicketRoster)? = nil, mirror: (any PassageMirror)? = nil,
    face: @escaping @Sendable (Gate?) -> any TicketSystem,
    upkeep: (@Sendable (_ tell: @escaping @Sendable (UpkeepNews) -> Void) async -> Void)? = nil,
    shares: SharedKnowledge? = nil,
    look: @escaping @Sendable () -> ConnectionLook = { ConnectionLook() },
    close: @escaping @Sendable () async -> Void = {}
  ) {
    self.look = look
    self.upkeep = upkeep
    self.shares = shares
    self.id = id
    self.face = { face($0 as? Gate) }
    self.roster = roster
    self.mirror = mirror
    self.close = close
  }

  /// Stands for a system that awaits its set-up code.
  init(unenrolled id: TicketSystemID) {
    let system = UnenrolledTicketSystem(id: id)
    self.id = id
    face = { _ in system }
    roster = nil
    mirror = nil
    upkeep = nil
    shares = nil
    look = { ConnectionLook() }
    close = {}
  }
}

/// How a connection is.
package struct ConnectionLook: Sendable, Equatable {
  /// What is left of its budget of requests; `nil` where nothing bounds them.
  package var budget: RateBudget.Left?
  /// When the server's certificate ends that it showed last; `nil` where it has shown none.
  package var certificateEnds: WallTime?
  /// How the server wants to be shown; `nil` where it has not told.
  package var branding: SystemBranding?
  /// The event that is on now, where it is one and known.
  package var event: String?
  /// How many may come; `nil` where that was not told.
  package var seats: SystemSeats?

  package init(budget: RateBudget.Left? = nil, certificateEnds: WallTime? = nil) {
    self.budget = budget
    self.certificateEnds = certificateEnds
  }
}

/// What an operator is told of a ticket system's files.
package enum UpkeepNews: Sendable, Equatable {
  /// Somebody must act: with which file, and what to do.
  case alarm(String)
  /// That is mended, or has changed.
  case notice(String)
}

/// What a connection is for.
package enum ConnectionUse: Sendable {
  /// Gates: the whole budget, small answers.
  case gates
  /// A list to be taken on board, perhaps beside a running service: a quarter of the budget, long answers.
  case list

  /// How much of the budget may be used.
  package var share: Double { self == .gates ? 1 : 0.25 }
}
