package import ScanModel

/// How a station is at one moment. Texts from outside are clean; there is no code, name or secret in it.
package struct StationSnapshot: Hashable, Sendable {
  /// The station's name.
  package var station: String
  /// The program's version.
  package var version: String
  /// When this was, by the machine's civil clock.
  package var at: WallTime
  /// How long the service has been running.
  package var uptime: Duration
  /// Whether the machine's civil clock can be believed.
  package var isClockTrusted = true
  /// What became of the last reload of the configuration; `nil` where there was none.
  package var reload: Reload?
  /// The gates, in the order of the configuration.
  package var gates: [Gate] = []
  /// The readers, in the order of the configuration.
  package var readers: [Reader] = []
  /// The ticket systems, in the order of the configuration.
  package var ticketSystems: [TicketSystem] = []
  /// Admissions that ticket systems have still to be told of.
  package var outbox = Outbox()
  /// Whether the journal keeps what it is given.
  package var journal = Condition(state: "working")
  /// The disk that the journal is on; `nil` where it cannot be asked, or does not answer.
  package var disk: Disk?
  /// The control service; `nil` where there is none.
  package var control: Control?
  /// The fleet; `nil` where the station is of none, or it does not answer.
  package var fleet: Fleet?
  /// Where the output holder listens; `nil` where the service drives the outputs itself.
  package var holder: String?
  /// Whether set-up codes are taken now; `nil` where none ever are.
  package var isArmed: Bool?
  /// What was counted since the service was started.
  package var counters = StationCounters()
  /// How many scans gates decided lately, by time.
  package var throughput = StationThroughput()

  package init(station: String, version: String, at: WallTime, uptime: Duration) {
    self.station = station
    self.version = version
    self.at = at
    self.uptime = uptime
  }

  /// A state by its name in events, and the words that come with it.
  package struct Condition: Hashable, Sendable {
    /// The name.
    package var state: String
    /// What happened, and what to do.
    package var detail: String?

    package init(state: String, detail: String? = nil) {
      self.state = state
      self.detail = detail
    }
  }

  /// What became of a reload.
  package struct Reload: Hashable, Sendable {
    /// By the names of the `configuration` event.
    package var outcome: Condition
    /// When.
    package var at: WallTime

    package init(outcome: Condition, at: WallTime) {
      self.outcome = outcome
      self.at = at
    }
  }

  /// A gate.
  package struct Gate: Hashable, Sendable {
    /// Its name.
    package var id: GateID
    /// By the names of the `gate` event, or `starting`: nothing was told yet.
    package var condition: Condition
    /// When that was told; `nil` before anything was.
    package var since: WallTime?
    /// The fault's reason, where it is one.
    package var reason: UndecidedReason?
    /// Whether people leave by it.
    package var isExit = false
    /// The ticket system that it asks.
    package var ticketSystem: TicketSystemID
    /// Its readers.
    package var readers: [ReaderID] = []
    /// Whether a scan is being decided.
    package var isDeciding = false
    /// Why its policy decides instead of the ticket system; `nil` while that does.
    package var offline: OfflineCause?
    /// Why no admission could open it now.
    package var outputFault: String?
    /// How many passed: admissions whose output worked, into or out of where the gate leads. Since the service was started.
    package var passed: UInt64 = 0
    /// Whether an order has put it into maintenance.
    package var isMaintenanceOrdered = false
    /// The event that it admits to, where that is one and known.
    package var event: String?

    package init(id: GateID, condition: Condition, ticketSystem: TicketSystemID) {
      self.id = id
      self.condition = condition
      self.ticketSystem = ticketSystem
    }
  }

  /// A reader.
  package struct Reader: Hashable, Sendable {
    /// Its name.
    package var id: ReaderID
    /// By the names of the `device` event, or `starting`.
    package var condition: Condition
    /// When it came into this state; `nil` before anything was told.
    package var since: WallTime?
    /// When a scan of it was decided last; `nil` where none was since the service was started. What was read is nobody's to see.
    package var lastRead: WallTime?
    /// How many scans of it were decided, since the service was started.
    package var reads: UInt64 = 0
    /// How many of them were refused.
    package var refusals: UInt64 = 0
    /// Whether it is a camera.
    package var isCamera = false

    package init(id: ReaderID, condition: Condition, since: WallTime? = nil) {
      self.id = id
      self.condition = condition
      self.since = since
    }
  }

  /// A ticket system.
  package struct TicketSystem: Hashable, Sendable {
    /// Its name in the configuration.
    package var id: TicketSystemID
    /// Its type.
    package var type: String
    /// The host and port that are asked; `nil` where nobody is.
    package var host: String?
    /// Why it counts as offline; `nil` where it does not.
    package var offline: OfflineCause?
    /// Since when; `nil` where it does not, or where that was not told.
    package var offlineSince: WallTime?
    /// Why nobody can be admitted by it, as was found last: a reason, what happened and what to do.
    package var fault: Fault?
    /// Whether it is being asked that for the first time since the start, or the reload.
    package var isBeingAsked = false
    /// Why nobody can tell whether it would decide a scan, although it answers; or what its clocks contradict.
    package var doubt: String?
    /// How many more requests its server takes now by our reckoning, and how many it takes at most; `nil` without a budget.
    package var budget: Budget?
    /// When the certificate ends that its server has shown last; `nil` where it has shown none.
    package var certificateEnds: WallTime?
    /// How far this machine's clock is ahead of its server's; negative where it is behind, `nil` where no answer has told.
    package var clockAhead: Duration?
    /// Its list on board; `nil` where it has none.
    package var list: List?
    /// How many admissions it has still to be told of.
    package var owed: UInt64 = 0
    /// How it wants to be shown; `nil` where it has not told.
    package var branding: Branding?
    /// The event of its scope, or the only one of today, where that is known.
    package var event: String?
    /// How many may come, where it or its list tells.
    package var seats: Seats?

    package init(id: TicketSystemID, type: String) {
      self.id = id
      self.type = type
    }
  }

  /// Why nobody can be admitted.
  package struct Fault: Hashable, Sendable {
    /// The reason.
    package var reason: UndecidedReason
    /// What happened, and what to do.
    package var detail: String

    package init(reason: UndecidedReason, detail: String) {
      self.reason = reason
      self.detail = detail
    }
  }

  /// What is left of a budget of requests.
  package struct Budget: Hashable, Sendable {
    /// How many requests could be made now.
    package var left: UInt64
    /// How many it is at most.
    package var most: UInt64

    package init(left: UInt64, most: UInt64) {
      self.left = left
      self.most = most
    }
  }

  /// A file system.
  package struct Disk: Hashable, Sendable {
    /// How many bytes the service may still write.
    package var free: UInt64
    /// How many there are in all.
    package var size: UInt64

    package init(free: UInt64, size: UInt64) {
      self.free = free
      self.size = size
    }

    /// Whether nothing is kept much longer: the journal's file and its log grow by these 32 MB in an evening.
    package var isFull: Bool { free < 32_000_000 }
    /// Whether somebody should look: less than 256 MB are free, or less than a fiftieth.
    package var isFillingUp: Bool { free < 256_000_000 || free < size / 50 }
    /// Such as `21873 of 31268 MB are free`.
    package var words: String { "\(free / 1_000_000) of \(size / 1_000_000) MB are free" }
  }

  /// A list on board.
  package struct List: Hashable, Sendable {
    /// How many tickets it has; `nil` where it cannot be read.
    package var tickets: UInt64?
    /// How old it is; `nil` where nobody can tell.
    package var age: Duration?
    /// How old it may be to decide by it; `nil` without a bound.
    package var mostAge: Duration?
    /// What became of its last refresh, by the names of the `list` event; `nil` where none was told.
    package var refresh: Condition?

    package init(tickets: UInt64? = nil, age: Duration? = nil, mostAge: Duration? = nil, refresh: Condition? = nil) {
      self.tickets = tickets
      self.age = age
      self.mostAge = mostAge
      self.refresh = refresh
    }
  }

  /// What ticket systems have still to be told of.
  package struct Outbox: Hashable, Sendable {
    /// Whether staff hold it: nothing is told.
    package var isHeld = false
    /// How many admissions are in it.
    package var owed: UInt64 = 0
    /// When the oldest of them was given.
    package var oldest: WallTime?
    /// How many ticket systems have not confirmed and no member of staff has acknowledged: staff must look.
    package var conflicts: UInt64 = 0
    /// The newest of them, at most `StationLimits.maximumConflicts`; newest first.
    package var open: [Conflict] = []

    package init() {}
  }

  /// How the station stands with its control service.
  package struct Control: Hashable, Sendable {
    /// The server; `nil` where none is known yet.
    package var server: String?
    /// Whether the station is activated.
    package var isActivated = false
    /// Whether the server answered, and was well, when it was asked last.
    package var isConnected = false
    /// Whether the server accepts the token.
    package var isTokenValid = false
    /// Whether the configuration was fetched less than an hour ago.
    package var isCurrent = false
    /// What is not as it should be, and what to do; empty where all is well.
    package var words: [String] = []
    /// What it has to be shown.
    package var board = Board()
    /// After how long without a hand on it a session of staff is to end; `nil` where the service does not say.
    package var sessionTimeout: Duration?

    package init() {}
  }
}
