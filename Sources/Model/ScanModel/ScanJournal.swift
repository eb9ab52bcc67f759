/// The port to the journal of this station: its book of attempts where it shares none, and the append-only truth of its scans.
package protocol ScanJournal: AttemptBook {
  /// Returns when everything up to `mark` is written.
  /// - Throws: why it is not, and will not be.
  func written(_ mark: JournalMark) async throws(JournalFault)

  /// Provisional admissions that left the outbox without being told, and can still be sent by hand (`Ending.keepsCode`);
  /// oldest first.
  func retriable() async throws(JournalFault) -> [OwedAdmission]

  /// Provisional admissions that ended as conflicts, oldest first, each with how it ended. Codes are those that are still kept.
  func conflicts() async throws(JournalFault) -> [(owed: OwedAdmission, told: ToldAdmission)]

  /// The admission that a scan of this station was; `nil` where it was none, or is further back than is looked: some thousand scans.
  func admission(of scan: ScanID) async throws(JournalFault) -> JournaledAdmission?

  /// The place of the newest fact that is written.
  func end() async throws(JournalFault) -> JournalPlace

  /// Admissions and exits at gates of a ticket system, as far as they are written, after a place and in pieces: a look is short.
  /// - Returns: `nil` where the place is none of this journal's: it was begun anew, or is older than whoever asks.
  func passages(of system: TicketSystemID, after place: JournalPlace) async throws(JournalFault) -> PassagePage?

  /// The newest admission before a passage on the same ticket that names its event; `nil` where none is found, or further back than
  /// is looked: some thousand scans.
  func admission(before passage: JournaledPassage) async throws(JournalFault) -> JournaledPassage?

  /// What ticket systems have said themselves of tickets that were presented, as far as it is written: newest first, and in pieces, for
  /// a look is short. A ticket's key has its server in it, so that those of others are nobody's.
  /// - Parameter fact: what is older than that; the newest where it is `nil`.
  /// - Returns: the piece, and the fact before which the next one ends; `nil` where that was all.
  /// - Throws: why the journal cannot be read.
  func words(before fact: Int64?) async throws(JournalFault) -> (words: [JournaledWord], next: Int64?)

  /// Orders of staff, oldest first: the newest ones, so that none of them is done twice, and whatever its age the last one about the
  /// maintenance of each gate.
  func orders() async throws(JournalFault) -> [JournaledOrder]

  /// Ends when the journal has something to tell, each state once; a new caller is told the present state first.
  var states: AsyncStream<JournalState> { get }
}

/// What a ticket system has said itself of a ticket that was presented.
package struct JournaledWord: Sendable, Equatable {
  /// The ticket's key in the ledger.
  package var ticket: TicketKey
  /// Why it refused the ticket; `nil` where it would have admitted.
  package var refusal: RefuseReason?
  /// When, by the machine's civil clock.
  package var at: WallTime

  package init(ticket: TicketKey, refusal: RefuseReason?, at: WallTime) {
    self.ticket = ticket
    self.refusal = refusal
    self.at = at
  }
}

/// One thing that has happened. Facts are never changed or taken back.
package enum JournalFact: Sendable, Equatable {
  /// A request that may redeem is about to be sent.
  case asked(AskedAttempt)
  /// The gate has its word on a request: an answer, or none. Before the gate opens.
  case concluded(ConcludedAttempt)
  /// An answer came after the gate had stopped waiting for it.
  case late(ConcludedAttempt)
  /// A scan is over: its verdict, and what the outputs made of it.
  case scan(JournaledScan)
  /// Scans are over that were too many to be written down one by one.
  case flood(ScanFlood)
  /// Somebody is about to be admitted without the ticket system's word. Durable before the gate opens.
  case owed(OwedAdmission)
  /// The ticket system need not be told of an admission any more.
  case told(ToldAdmission)
  /// An admission was taken back because nobody passed.
  case annulled(AnnulledAdmission)
  /// Staff want something, or what became of it. Durable before a gate opens by it.
  case order(JournaledOrder)
}

/// An admission that was taken back because nobody passed on it.
package struct AnnulledAdmission: Sendable, Equatable {
  /// The scan.
  package var scan: ScanID
  /// The admission's name in the ledger.
  package var admission: AttemptID
  /// When.
  package var at: JournalTime

  package init(scan: ScanID, admission: AttemptID, at: JournalTime) {
    self.scan = scan
    self.admission = admission
    self.at = at
  }
}

/// An admission as the journal has it.
package struct JournaledAdmission: Sendable, Equatable {
  /// Its name in the ledger.
  package var admission: AttemptID
  /// The ticket's key there.
  package var ticket: TicketKey
  /// When it was decided.
  package var at: JournalTime
  /// Whether it was taken back.
  package var isAnnulled: Bool

  package init(admission: AttemptID, ticket: TicketKey, at: JournalTime, isAnnulled: Bool) {
    self.admission = admission
    self.ticket = ticket
    self.at = at
    self.isAnnulled = isAnnulled
  }
}

extension JournalFact {
  /// What is known of the admission that a scan was, after this fact.
  package func admission(of scan: ScanID, after known: JournaledAdmission?) -> JournaledAdmission? {
    var known = known
    switch self {
    case .scan(let decided) where decided.scan.id == scan:
      guard let admission = decided.admission, let ticket = decided.ticket else { return nil }
      return JournaledAdmission(admission: admission, ticket: ticket, at: decided.at, isAnnulled: false)
    case .annulled(let annulled) where annulled.scan == scan: known?.isAnnulled = true
    default: break
    }
    return known
  }
}

/// Who decided a scan. The raw values are the names in journal, events and exports.
package enum Decider: String, Sendable, CaseIterable {
  /// The ticket system's answer, judged by the ledger.
  case server
  /// What the ledger knew already; nobody was asked.
  case ledger
  /// The list on board.
  case list
  /// The gate's offline policy.
  case policy
  /// The station itself: unreadable, too late, out of service.
  case station
  /// A member of staff.
  case staff
}

/// A scan that is over.
package struct JournaledScan: Sendable, Equatable {
  /// The scan. Its code is kept sealed.
  package var scan: Scan
  /// The ticket system of its gate.
  package var system: TicketSystemID
  /// The ticket's key in the ledger: a digest; `nil` where the code never got so far.
  package var ticket: TicketKey?
  /// When it was decided.
  package var at: JournalTime
  /// From the last byte read to the verdict (and, for an admission, to the start of the relay pulse).
  package var decidedIn: Duration
  /// What the gate did.
  package var verdict: Verdict
  /// Who decided.
  package var decider: Decider
  /// What else staff should know, by its name in events.
  package var note: String?
  /// What happened, in words.
  package var detail: String?
  /// The record of the ticket system.
  package var entryID: String?
  /// The event, as the ticket system calls it, or as the presented code does where that does not tell it.
  package var eventID: String?
  /// The event's name.
  package var event: String?
  /// The ticket's holder. Kept sealed, and deleted after a set time.
  package var holder: String?
  /// How many this code has admitted, this admission included.
  package var admitted: Int
  /// How many it admits in all, as far as is proven.
  package var allowance: Int
  /// The first admission on the ticket, where one is known.
  package var firstUse: FirstUse?
  /// Why the gate did not open, or may not have, although the verdict is an admission.
  package var outputFault: String?
  /// The admission's name in the ledger; `nil` where it is none.
  package var admission: AttemptID?

  package init(
    scan: Scan, system: TicketSystemID, ticket: TicketKey?, at: JournalTime, decidedIn: Duration, verdict: Verdict,
    decider: Decider, note: String? = nil, detail: String? = nil, entryID: String? = nil, eventID: String? = nil,
    event: String? = nil, holder: String? = nil, admitted: Int = 0, allowance: Int = 1, firstUse: FirstUse? = nil,
    outputFault: String? = nil,
    admission: AttemptID? = nil
  ) {
    self.admission = admission
    self.eventID = eventID
    self.event = event
    self.scan = scan
    self.system = system
    self.ticket = ticket
    self.at = at
    self.decidedIn = decidedIn
    self.verdict = verdict
    self.decider = decider
    self.note = note
    self.detail = detail
    self.entryID = entryID
    self.holder = holder
    self.admitted = admitted
    self.allowance = allowance
    self.firstUse = firstUse
    self.outputFault = outputFault
  }
}

/// Scans of one gate that came faster than anybody can present codes: none of them was asked for or admitted anybody, and
/// they are counted instead of written down.
package struct ScanFlood: Sendable, Equatable {
  /// Where they were presented.
  package var gate: GateID
  /// How many were refused.
  package var refused: Int
  /// How many were not decided.
  package var undecided: Int
  /// When the first of them was over, by the civil clock.
  package var began: WallTime
  /// When the last of them was over.
  package var at: JournalTime

  package init(gate: GateID, refused: Int, undecided: Int, began: WallTime, at: JournalTime) {
    self.gate = gate
    self.refused = refused
    self.undecided = undecided
    self.began = began
    self.at = at
  }
}

/// Whether the journal keeps what it is given.
package enum JournalState: Sendable, Equatable {
  /// It does.
  case working
  /// It does not, and tries on: why, and what to do.
  case failing(JournalFault)
  /// It does, and something happened on the way that the operator must know.
  case noticed(String)
  /// It does, and what it says of earlier is not relied on until somebody accepts it: what was found.
  case doubted(String)
  /// Somebody has accepted it.
  case accepted
}

/// Why something could not be written down.
package struct JournalFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind, as far as it decides what to do.
  package enum Kind: Sendable, Equatable {
    /// No space is left.
    case full
    /// The disk is read-only or gives errors.
    case disk
    /// The file is damaged.
    case damaged
    /// Another process has it, or this one may not have it; or it cannot be reached, or not in time.
    case unavailable
    /// A newer version of this program wrote it: no other one can use it, however often it tries.
    case newer
  }

  /// The kind.
  package var kind: Kind
  /// What happened, to which file, and what to do.
  package var description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
