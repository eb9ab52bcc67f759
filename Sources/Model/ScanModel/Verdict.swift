/// What the gate does with a scan. Only `admit` opens.
package enum Verdict: Sendable, Equatable {
  /// Permission to pass now.
  case admit
  /// The person may not pass with this code.
  case refuse(RefuseReason)
  /// Nobody could be asked, or the answer cannot be believed; the code itself is not judged.
  case undecided(UndecidedReason)

  /// `admit`, `refuse` or `undecided`, as events and journal write it.
  package var name: String {
    switch self {
    case .admit: "admit"
    case .refuse: "refuse"
    case .undecided: "undecided"
    }
  }

  /// The reason's name, as events and journal write it; `nil` for an admission.
  package var reason: String? {
    switch self {
    case .admit: nil
    case .refuse(let reason): reason.rawValue
    case .undecided(let reason): reason.rawValue
    }
  }
}

/// Why a code is refused. The raw values are the names in events, configuration and documentation.
package enum RefuseReason: String, Sendable, CaseIterable {
  /// What was read cannot be a code of this gate (length, alphabet, encoding).
  case unreadable
  /// The ticket system does not know the code.
  case notFound
  /// Valid on another day.
  case wrongDay
  /// Not paid.
  case unpaid
  /// Cancelled by buyer or organiser.
  case cancelled
  /// Money given back.
  case refunded
  /// Offered or valid until a time that has passed.
  case expired
  /// Admitted before as often as it allows.
  case alreadyUsed
  /// A ticket of an event that this station's key may not admit to.
  case notAuthorised
  /// Of another event than the one that this gate admits to.
  case wrongEvent
  /// Of a kind that this gate does not take: a membership of another level, a ticket without the balcony.
  case wrongKind
  /// Good, but not yet.
  case tooEarly
  /// Good until a time of its event that has passed: it begins with doors shut, or is over.
  case tooLate
  /// Used a short while ago; good again after it.
  case tooSoon
  /// A forgery: its signature or form is not the ticket system's.
  case notGenuine

  /// Whether another gate, or some time, may cure it: it is no lasting word on the ticket.
  package var isOfPlaceOrTime: Bool {
    switch self {
    case .wrongEvent, .wrongKind, .tooEarly, .tooSoon: true
    case .unreadable, .notFound, .wrongDay, .unpaid, .cancelled, .refunded, .expired, .alreadyUsed, .notAuthorised,
      .tooLate, .notGenuine:
      false
    }
  }

  /// Whether a use of the ticket may be the reason, without the ticket system's saying so as it does with `alreadyUsed`: a
  /// request of ours whose answer was lost can then be what it means.
  package var mayFollowUse: Bool { self == .unpaid || self == .tooSoon }
}

/// Why a scan could not be decided. The raw values are the names in events, configuration and documentation.
package enum UndecidedReason: String, Sendable, CaseIterable {
  /// The ticket system does not know our key (401). A fault of the configuration.
  case keyRefused
  /// Our key lacks the right to scan (403). A fault of the configuration.
  case accessDenied
  /// Our key is blocked for a time (423).
  case keyBlocked
  /// The rate budget is spent, here or at the server (429), or one reader floods the gate.
  case rateLimited
  /// No DNS answer, no connection, no answer before the deadline, or the server is out of order (5xx).
  case unreachable
  /// TLS cannot be trusted: wrong host, unknown authority. A fault of the configuration.
  case tlsFault
  /// Our clock and the server's differ too much, or a certificate's dates contradict our clock.
  case clockWrong
  /// The answer cannot be an admission or a refusal of this API.
  case badAnswer
  /// An earlier request for this ticket was cut off, by the machine's end or on its way back, or the journal may be older than it,
  /// and no record can tell whether somebody passed on it, or was wronged by it. Staff decide.
  case interrupted
  /// The scan waited too long in the gate's queue and was dropped unasked.
  case stale
  /// The gate's queue was full; the scan was dropped unasked.
  case busy
  /// The gate's own outputs or configuration do not let it admit.
  case outOfService

  /// Whether it says that our key may not scan.
  package var isOfKey: Bool { [.keyRefused, .accessDenied, .keyBlocked].contains(self) }

  /// Whether an operator must act: waiting or scanning again does not cure it.
  package var isFault: Bool {
    switch self {
    case .keyRefused, .accessDenied, .keyBlocked, .tlsFault, .clockWrong, .badAnswer, .outOfService: true
    case .rateLimited, .unreachable, .interrupted, .stale, .busy: false
    }
  }
}
