package import ScanModel

/// What to do with a provisional admission of which the ticket system has still to be told.
package enum Telling: Sendable, Equatable {
  /// Send the request. The ticket is locked by this attempt until `told` or `abandon`.
  case ask
  /// The ticket is being decided, or told of, now: wait until it has been.
  case locked(by: AttemptID)
  /// It ended with no request.
  case settled(ToldRecord)
  /// The answer to an earlier request may still come: try again after `AttemptPolicy.lateGrace`.
  case notYet
  /// A request for it may have redeemed, and no answer will come: look the code up, then `lookedUp`.
  case lookUp
  /// The ledger owes nothing of that name: it ended before, or its memory was lost.
  case unknown
}

/// What telling a ticket system of a provisional admission came to.
package enum ToldRecord: Sendable, Equatable {
  /// The ticket system has an admission for it, on this record where it keeps any. The end.
  case confirmed(entryID: String?)
  /// The ticket system refuses it, or has admitted as many as were paid for. The end: a conflict.
  case contradicted(RefuseReason, AttemptDecision.Note?)
  /// Whose the ticket system's record is cannot be told. The end, unless staff have it told again: a conflict.
  case unsettled
  /// Nothing was redeemed: tell it later.
  case again
  /// This telling may have redeemed; its answer may come late, or is to be looked up.
  case doubtful
  /// It ended otherwise while the telling was under way, and that end counts: nothing is to be told any more.
  case gone
}
