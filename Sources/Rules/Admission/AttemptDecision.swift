package import ScanModel

/// How long things stay open in an `AttemptLedger`, and how far clocks are trusted.
package struct AttemptPolicy: Sendable, Equatable {
  /// How long after we stopped waiting the server may still carry out a request of ours. 30 s at first, the usual
  /// longest life of a PHP request.
  ///
  /// While an attempt is unsettled, a record that anybody made between its sending and this much after its end is taken
  /// for our own: longer forgives slower servers, shorter leaves less room for a ticket used at a foreign station. A
  /// request that was answered after all has no grace: its record lies before its answer.
  package var lateGrace: Duration
  /// How long an attempt takes at most, from its note in the journal to its end: one that the process's end cut off was over by then,
  /// however late the next process begins. 11 s at first, for the longest that a gate or a telling waits, and the journal.
  package var longestRequest: Duration
  /// For how long an admission that the server told us too late, or that was given back because the gate did not open,
  /// waits for its person. 5 minutes at first.
  package var claimFor: Duration
  /// How far our own civil clock is trusted when an answer has no `Date`. 2 s at first.
  package var wallMargin: Duration
  /// How much later than `Date` allows a record may say it was made (`Date` of another machine or from a cache). 5 s at
  /// first; beyond it the server's clocks contradict each other and nothing can be told: `undecided(clockWrong)`.
  package var recordAhead: Duration
  /// How far the clock that dates records is known to be ahead of the one that makes `Date` (another machine in front);
  /// negative where it is behind. Zero at first. It moves what counts as fresh, and widens nothing.
  package var recordOffset: Duration
  /// For how long after an admission the same ticket is refused, which else admits as often as it is shown; `nil` where "once" holds.
  /// For ticket systems that keep no record of who went in.
  package var interval: Duration?
  /// Whether other stations share a book with this one. While they cannot be asked each may admit alone, and all tell of it in the same moment:
  /// a ticket that was used a moment before it is told of is then no sign of a wrong clock. `false` at first.
  package var isShared: Bool

  package init(
    lateGrace: Duration = .seconds(30), longestRequest: Duration = .seconds(11), claimFor: Duration = .seconds(300),
    wallMargin: Duration = .seconds(2),
    recordAhead: Duration = .seconds(5), recordOffset: Duration = .zero,
    interval: Duration? = nil, isShared: Bool = false
  ) {
    self.interval = interval
    self.isShared = isShared
    self.lateGrace = lateGrace
    self.longestRequest = longestRequest
    self.claimFor = claimFor
    self.wallMargin = wallMargin
    self.recordAhead = recordAhead
    self.recordOffset = recordOffset
  }
}

/// What to do with a scan, before a request.
package enum Beginning: Sendable, Equatable {
  /// Send the request. The key is locked by this attempt until `conclude` or `abandon`.
  case ask
  /// Another gate is deciding this ticket now: wait until it has, then begin again.
  case locked(by: AttemptID)
  /// An earlier request of ours is still open and its answer may come: wait a moment, then begin ignoring it.
  case pending(AttemptID)
  /// Decided with no request.
  case known(AttemptDecision)
}

/// The ledger's word on one presentation.
package struct AttemptDecision: Sendable, Equatable {
  /// What the gate does.
  package var verdict: Verdict
  /// How often this ledger has admitted on the ticket, this time included.
  package var admitted: Int
  /// How often the ticket admits, as far as is known.
  package var allowance: Int
  /// Whether the ticket system has told that it may be for more than that, and has not shown yet whether it is.
  package var mayBeForMore = false
  /// The first admission on the ticket, where one is known.
  package var firstUse: FirstUse?
  /// What else staff should know.
  package var note: Note?
  /// The ticket's holder, event and tickets, where the ticket system told them now or before.
  package var details: TicketDetails?
  /// The ticket system's own words, where it gave some.
  package var detail: String?
  /// The ticket system's record that was admitted on; `nil` where there is none, or nobody was admitted.
  package var entryID: String?
  /// What `AttemptLedger.giveBack` takes if the gate cannot be opened; `nil` unless the verdict is `admit`.
  package var admission: AttemptID?
  /// Whether somebody is admitted without the ticket system's word, which has still to be told of it.
  package var isProvisional: Bool
  /// Whether somebody is admitted on a record that a gate had asked for which was not to admit on it.
  package var isOfAnotherGate = false

  /// When, where and by which request a ticket was first admitted.
  package typealias FirstUse = ScanModel.FirstUse

  /// What else staff should know. The raw values are the names in events.
  package enum Note: String, Sendable, CaseIterable {
    /// Admitted on a record that an earlier request of ours made, whose answer we did not get in time.
    case ownLostAnswer
    /// The ticket system recorded the admission before we first asked: used at another station.
    case usedElsewhere
    /// The ticket system may hold more records for this code than people were admitted.
    case surplusPossible
    /// The ticket system gave records that one code cannot have.
    case contradiction
    /// The ticket system dates its record later than its own clock: its machines disagree on the time.
    case recordAhead
    /// Tickets never seen before come back as used, again and again, at one and the same distance: a clock is wrong.
    case recordBehind
    /// Admitted on an earlier admission that was given back because the gate did not open.
    case givenBack
    /// As many as the sale is for were admitted, on other codes of it.
    case saleUsedUp
    /// Another code was used: the ticket system's record was first seen for it, or the ticket system may take this one for
    /// another spelling of it.
    case otherCode
    /// Admitted again: who was admitted before has left.
    case reentry
    /// Somebody left who was admitted on this ticket.
    case left
    /// Somebody left on a ticket on which nobody is in, as far as we know.
    case notInside
    /// The machine ended while this ticket was being decided: whether somebody passed on it is not known.
    case interrupted
    /// The ticket system refuses, and an earlier request of ours whose answer was lost may be the reason: staff decide.
    case ownRequestPossible
    /// Admitted without the fleet's word: stations that share a book could not be asked.
    case withoutFleet
    /// The outcome belongs to no attempt that the ledger has open.
    case unknownAttempt
  }

  package init(
    verdict: Verdict, admitted: Int = 0, allowance: Int = 1, firstUse: FirstUse? = nil, note: Note? = nil,
    details: TicketDetails? = nil, detail: String? = nil, entryID: String? = nil, admission: AttemptID? = nil,
    isProvisional: Bool = false
  ) {
    self.isProvisional = isProvisional
    self.verdict = verdict
    self.admitted = admitted
    self.allowance = allowance
    self.firstUse = firstUse
    self.note = note
    self.details = details
    self.detail = detail
    self.entryID = entryID
    self.admission = admission
  }
}

/// What it came to that an admission was to be taken back because nobody passed on it.
package enum Annulment: Sendable, Equatable {
  /// The ticket admits once more.
  case takenBack
  /// Nobody is in on the ticket: it was taken back before, or who passed has left.
  case already
  /// It is not the latest on its ticket, of those that stand: a later one is to be taken back first, or was given since.
  case tooLate
  /// Nothing is known of such an admission of this station.
  case unknown
}

/// What a late outcome came to.
package enum LateRecord: Sendable, Equatable {
  /// The attempt was not open any more, or its ticket is settled: nothing changed.
  case ignored
  /// It came before the attempt was concluded as pending, and will count then.
  case overtaking
  /// Nothing is open about it any more: it did not redeem, or its record had been shown to another attempt.
  case settled
  /// It redeemed, and nobody was admitted on it: the next presentation in time is admitted without a request.
  case claimable(entryID: String)
  /// It redeemed, but the ticket has no admission left for it: a surplus record at the server.
  case surplus(entryID: String)
  /// The ticket was used elsewhere before.
  case usedElsewhere(entryID: String)
  /// Nobody will ever say; it stays unsettled.
  case lost
  /// It was sent for a provisional admission, or to tell of it, and the ticket system has an admission for it.
  case confirms(owed: AttemptID, entryID: String?)
  /// It was sent for a provisional admission, or to tell of it, and the ticket system refuses that.
  case contradicts(owed: AttemptID, RefuseReason, AttemptDecision.Note?)
  /// It was sent for a provisional admission, or to tell of it, and whose the ticket system's record is cannot be told.
  case unsettles(owed: AttemptID)
}

/// For staff: an attempt whose fate is open, or a record at the server on which nobody passed.
package struct UnsettledAttempt: Sendable, Equatable {
  /// What is open about it.
  package enum State: Sendable, Equatable {
    /// Its answer may still come.
    case pending
    /// No answer will come; the server may have recorded an admission.
    case lost
    /// The ticket system refused; it may have recorded an admission all the same (a sale still to be paid).
    case refused
    /// The server recorded an admission and nobody was admitted on it.
    case surplus(entryID: String)
    /// The server dates this record later than its own clock.
    case recordAhead(entryID: String)
    /// The machine ended while it was under way; somebody may have passed on it.
    case interrupted
  }

  /// The ticket. Not for logs.
  package var key: TicketKey
  /// The attempt.
  package var attempt: AttemptID
  /// The gate that asked.
  package var gate: GateID
  /// When it asked, by our clock.
  package var askedAt: WallTime
  /// What is open about it.
  package var state: State
}
