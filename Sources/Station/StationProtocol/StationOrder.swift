package import ScanModel

/// What a member of staff wants of the station.
package struct StationOrder: Hashable, Sendable {
  /// What is to be done.
  package enum Action: Hashable, Sendable {
    /// The gate is taken out of service, or put into it again.
    case maintenance(GateID, isOn: Bool)
    /// One pulse for somebody whom no ticket lets in; it counts no ticket.
    case openOnce(GateID)
    /// The gate's last admission is given back, because nobody passed on it: the ticket admits again.
    case annul(GateID)
    /// A code that was typed goes the whole way of a scanned one. Never shown whole.
    case present(GateID, Code)
    /// What the station knows of the ticket with this code, or of those presented lately whose codes end with these four characters,
    /// without asking anybody. Never shown whole.
    case search(String)
    /// Nothing is told to ticket systems of what the outbox owes, until it is to be told again.
    case outboxHold(isOn: Bool)
    /// Everything that the outbox owes is told now, and what left it untold is tried once more.
    case outboxRetry
    /// The lists on board are fetched anew: of one ticket system, or of all.
    case listRefresh(TicketSystemID?)
    /// Set-up codes are taken for so many minutes, 1 to 60.
    case arming(minutes: UInt8)
    /// Lamps and sound of one signal; only in maintenance, and no relay moves.
    case signalTest(GateID, Signal)
    /// What was found doubtful of the journal is relied on again.
    case journalAccept
    /// The control service is told this status in place of the station's own; `nil` goes back to that.
    case status(StationStatus?)
    /// Staff have seen that an admission was not confirmed, and count it as open no longer. The journal keeps it.
    case acknowledge(AttemptID)
    /// The next picture that a reader's camera takes anyway is shown, once; it is kept nowhere.
    case picture(ReaderID)
  }

  /// The number.
  package var id: OrderID
  /// What is to be done.
  package var action: Action
  /// Who wants it, as the listener says; cut at `StationLimits.maximumName` bytes. The gateway adds who the kernel says it is.
  package var who: String
  /// Why; empty where nobody said. Cut at `StationLimits.maximumWhy` bytes.
  package var why: String
  /// When it was given, by the machine's monotonic clock. The same when it is repeated.
  package var givenAt: MonotonicTime

  /// - Parameter givenAt: now, where nothing else is said.
  package init(
    _ action: Action, who: String, why: String = "", id: OrderID = OrderID(),
    givenAt: MonotonicTime = SystemTime().now()
  ) {
    self.id = id
    self.action = action
    self.who = who
    self.why = why
    self.givenAt = givenAt
  }
}

/// What orders there are. The raw values are the names in configuration, events, counters and documentation.
package enum OrderKind: String, Sendable, CaseIterable {
  case maintenance
  case openOnce
  case annul
  case present
  case search
  case outboxHold
  case outboxRetry
  case listRefresh
  case arming
  case signalTest
  case journalAccept
  case status
  case acknowledge
  case picture

  /// Whether what it does at a gate must not come later than whoever gave it looks at it; see `StationLimits.orderAge`.
  package var ages: Bool {
    switch self {
    case .maintenance, .openOnce, .annul, .present, .signalTest, .arming, .picture: true
    case .search, .outboxHold, .outboxRetry, .listRefresh, .journalAccept, .status, .acknowledge: false
    }
  }
}

extension StationOrder.Action {
  /// What sort of order it is.
  package var kind: OrderKind {
    switch self {
    case .maintenance: .maintenance
    case .openOnce: .openOnce
    case .annul: .annul
    case .present: .present
    case .search: .search
    case .outboxHold: .outboxHold
    case .outboxRetry: .outboxRetry
    case .listRefresh: .listRefresh
    case .arming: .arming
    case .signalTest: .signalTest
    case .journalAccept: .journalAccept
    case .status: .status
    case .acknowledge: .acknowledge
    case .picture: .picture
    }
  }

  /// The gate that it is for; `nil` where it is for none.
  package var gate: GateID? {
    switch self {
    case .maintenance(let gate, _), .openOnce(let gate), .annul(let gate), .present(let gate, _),
      .signalTest(let gate, _):
      gate
    case .search, .outboxHold, .outboxRetry, .listRefresh, .arming, .journalAccept, .status, .acknowledge,
      .picture:
      nil
    }
  }

  /// What it says besides its name and gate, as events and the journal show it: `on`, `off`, a signal, a shortened code, a ticket system, a status, an admission,
  /// a reader.
  package var detail: String? {
    switch self {
    case .maintenance(_, let isOn), .outboxHold(let isOn): isOn ? "on" : "off"
    case .present(_, let code): code.shortened
    case .listRefresh(let system): system.map { TerminalText.clean($0.name, limit: 100) }
    case .signalTest(_, let signal): signal.text
    case .status(let status): status?.rawValue ?? "own"
    case .acknowledge(let admission): admission.description
    case .picture(let reader): TerminalText.clean(reader.name, limit: 100)
    case .openOnce, .annul, .search, .outboxRetry, .arming, .journalAccept: nil
    }
  }
}
