/// Why a ticket system counts as offline. Nothing else does: a fault of key, permission, TLS or format is an alarm, or a
/// revoked key would open the door.
package enum OfflineCause: String, Sendable, Hashable, CaseIterable {
  /// Its name could not be resolved.
  case noAddress
  /// No connection came about, or it was closed before a byte of an answer.
  case noConnection
  /// No answer in time.
  case timeOut
  /// A proxy in front of it answered 502, 503 or 504.
  case gatewayFault
  /// It answered 429, or would have: our budget is spent. Offline only at gates that say so.
  case rateLimited
}

/// What a ticket may do without the word of its ticket system.
package struct OfflineRight: Sendable, Equatable {
  /// How many persons the code admits in all; at least 1, and 1 where nothing proves more.
  package var quantity: Int
  /// The sale that it belongs to, by the ticket system's identifier, where that is known.
  package var sale: String?
  /// How many persons the whole sale admits, over all its codes.
  package var saleQuantity: Int?
  /// From when on it no longer admits, where the ticket system has told that of this very ticket; it counts instead of what is
  /// remembered of that.
  package var ends: WallTime?
  /// For staff.
  package var details: TicketDetails?

  /// Makes a right; without arguments that of a code of which nothing is known.
  package init(
    quantity: Int = 1, sale: String? = nil, saleQuantity: Int? = nil, ends: WallTime? = nil,
    details: TicketDetails? = nil
  ) {
    self.ends = ends
    self.quantity = quantity
    self.sale = sale
    self.saleQuantity = saleQuantity
    self.details = details
  }
}

/// A provisional admission that the ticket system has still to be told of. The outbox is all of these that are not told.
package struct OwedAdmission: Sendable, Equatable {
  /// Names it in the ledger: the attempt under which the ticket was locked, whether or not anything was sent.
  package var attempt: AttemptID
  /// The scan. Its code is in the ticket system's own form, kept sealed, and deleted once the ticket system was told.
  package var scan: Scan
  /// The ticket system of the gate.
  package var system: TicketSystemID
  /// Its server, as in `LedgerKey.server`.
  package var server: String
  /// The ticket's key in the ledger: a digest.
  package var ticket: TicketKey
  /// Who decided: `list` or `policy`.
  package var decider: Decider
  /// Whether an unanswered request for the same scan may have told it already.
  package var mayBeTold: Bool
  /// When somebody was admitted.
  package var at: JournalTime
  /// In which boot.
  package var boot: BootID

  package init(
    attempt: AttemptID, scan: Scan, system: TicketSystemID, server: String, ticket: TicketKey, decider: Decider,
    mayBeTold: Bool, at: JournalTime, boot: BootID
  ) {
    self.attempt = attempt
    self.scan = scan
    self.system = system
    self.server = server
    self.ticket = ticket
    self.decider = decider
    self.mayBeTold = mayBeTold
    self.at = at
    self.boot = boot
  }
}

/// The end of a provisional admission's stay in the outbox. Of several for one admission the last counts.
package struct ToldAdmission: Sendable, Equatable {
  /// How it ended. The raw values are the names in journal and exports.
  package enum Ending: String, Sendable, CaseIterable {
    /// The ticket system has an admission for it.
    case confirmed
    /// The ticket system refuses what we admitted: a conflict.
    case contradicted
    /// Whether the ticket system has an admission for it, or whose, cannot be told: a conflict, for staff.
    case unsettled
    /// It was not told before the venue's day changed: a conflict. It can still be sent by hand.
    case tooLate
    /// The gate did not open, and nothing was sent: there is nothing to tell.
    case withdrawn

    /// Whether it belongs into the conflict report.
    package var isConflict: Bool {
      switch self {
      case .contradicted, .unsettled, .tooLate: true
      case .confirmed, .withdrawn: false
      }
    }

    /// Whether it can still be sent by hand, so that its code is kept: the others are settled, whatever they say.
    package var keepsCode: Bool {
      switch self {
      case .unsettled, .tooLate: true
      case .confirmed, .contradicted, .withdrawn: false
      }
    }
  }

  /// The admission, by `OwedAdmission.attempt`.
  package var attempt: AttemptID
  /// How it ended.
  package var ending: Ending
  /// Why the ticket system refuses it.
  package var reason: RefuseReason?
  /// What the ticket system said or what happened, without codes.
  package var said: String?
  /// The ticket system's record.
  package var entryID: String?
  /// When that was made, by the server's clock.
  package var recordedAt: WallTime?
  /// When we knew.
  package var at: JournalTime

  package init(
    attempt: AttemptID, ending: Ending, reason: RefuseReason? = nil, said: String? = nil, entryID: String? = nil,
    recordedAt: WallTime? = nil, at: JournalTime
  ) {
    self.attempt = attempt
    self.ending = ending
    self.reason = reason
    self.said = said
    self.entryID = entryID
    self.recordedAt = recordedAt
    self.at = at
  }
}
