package import ScanModel

/// What became of an order.
package enum OrderOutcome: Hashable, Sendable {
  /// It was done: what happened, for whoever gave it.
  case done(String)
  /// A typed code was decided: its `scan` event, one line of JSON as `docs/events.md` has it.
  case decided(line: String)
  /// What a search found.
  case found([FoundTicket])
  /// The picture of a camera that was asked for. Kept by nobody.
  case picture(CameraView)
  /// It was not done, surely: why, and what to do.
  case refused(OrderRefusal, String)
  /// Whether it was done is not known: the answer of whoever does it was lost, or the service ended in between. It is not done again.
  case unknown(String)

  /// The name in events, counters and the journal.
  package var name: String {
    switch self {
    case .done, .decided, .found, .picture: "done"
    case .refused: "refused"
    case .unknown: "unknown"
    }
  }

  /// Why it was refused; `nil` where it was not.
  package var refusal: OrderRefusal? { if case .refused(let refusal, _) = self { refusal } else { nil } }

  /// The words that come with it, if any.
  package var words: String? {
    switch self {
    case .done(let words), .refused(_, let words), .unknown(let words): words
    case .decided, .found, .picture: nil
    }
  }
}

/// Why an order was not done. The raw values are the names in events, counters and documentation.
package enum OrderRefusal: String, Sendable, CaseIterable {
  /// This user may not give it.
  case notAllowed
  /// There is no such gate, or no such ticket system.
  case unknown
  /// It was given too long ago, or by a clock that is ahead.
  case stale
  /// As many were given lately as may be.
  case tooMany
  /// A pulse runs, or the last one is too near.
  case pulsing
  /// Nobody was admitted that can be annulled: not at this gate, not lately, or somebody has passed, or it was done before.
  case nothingToAnnul
  /// The same code was presented a moment ago, or the gate takes no more scans now.
  case busy
  /// The gate is not in maintenance.
  case notInMaintenance
  /// The gate cannot be opened now: its outputs, or the station.
  case outOfService
  /// The journal cannot write it down, so it was not done.
  case notWritten
  /// This station has nothing for it: no list, no set-up, no outbox.
  case nothingThere
  /// Its number is another order's.
  case numberUsed

  /// What is said of `numberUsed`, whoever finds it out.
  package static let numberIsUsed =
    "This number was given with another order. Nothing was done; give this one a number of its own."
}

/// A ticket that a search found. Its code is shown by its last characters alone.
package struct FoundTicket: Hashable, Sendable {
  /// The last characters of the code, after an ellipsis.
  package var code: String
  /// The ticket system.
  package var system: TicketSystemID
  /// Whose it is; `nil` where nobody told, or where whoever asks is not told names.
  package var holder: String?
  /// The event.
  package var event: String?
  /// How many were admitted on it here.
  package var admitted: UInt32
  /// How many it admits; `nil` where it is not known, or without end.
  package var allowance: UInt32?
  /// When somebody was first admitted on it, of those who are in.
  package var firstAdmitted: WallTime?
  /// Where.
  package var gate: GateID?
  /// What else is to be said: refunded, of another day, left again.
  package var words: String?

  package init(
    code: String, system: TicketSystemID, holder: String? = nil, event: String? = nil, admitted: UInt32 = 0,
    allowance: UInt32? = nil, firstAdmitted: WallTime? = nil, gate: GateID? = nil, words: String? = nil
  ) {
    self.code = code
    self.system = system
    self.holder = holder
    self.event = event
    self.admitted = admitted
    self.allowance = allowance
    self.firstAdmitted = firstAdmitted
    self.gate = gate
    self.words = words
  }
}
