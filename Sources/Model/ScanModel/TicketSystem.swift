/// The port to a ticket system: one adapter each, one instance for each gate (it knows that gate's parameters).
///
/// Three shapes fit it. *Redeem online*: `attempt` answers `redeemed`. *Check online, keep our own book*: `attempt`
/// answers `valid`, and the gateway's ledger is the only memory of who went in. *Verify, then redeem*: `examine` checks
/// the signature without a request and names the ledger's key, `attempt` redeems. The ledger belongs to the gateway,
/// never to an adapter: an adapter reports what it was told and when, and decides nothing from earlier attempts.
package protocol TicketSystem: Sendable {
  /// The configured ticket system that this instance speaks to.
  var id: TicketSystemID { get }

  /// Which host is asked, and which setting to look at where it does not answer; `nil` where that cannot be told.
  var whereabouts: Whereabouts? { get }

  /// Whether a request can record an admission at the ticket system; `false` where it only reads, whatever becomes of it. Then
  /// nobody need find out what an unanswered one has done: no outcome says `mayHaveRedeemed`, nothing is looked up, and it is told
  /// as often as one likes. Who went in is known by our own book alone.
  var mayRedeem: Bool { get }

  /// Whether a code is redeemed once, and whoever asks again is told "already used", and neither of which request nor when. Then nothing is
  /// spent by asking twice, and such a word soon after a request of ours without an answer is that request's.
  var redeemsOnce: Bool { get }

  /// The code in the system's own form: a ticket URL is reduced to its secret, a bare secret is returned as it is; and the event that
  /// it names. Pure, and never a request.
  func recognise(_ code: Code) -> RecognisedCode

  /// The code under which lists on board name what is presented, where its own form says more than that: of a signed code what is
  /// signed. Pure, and never a request.
  /// - Parameter code: in the system's own form.
  func listedCode(_ code: Code) -> Code

  /// The folded key: what all codes have in common that this system may take for one another's spelling, because its
  /// database does not look at case, say. `nil` where each code has one spelling only. Pure, and never a request.
  ///
  /// It says that two codes *may* be one ticket, never that they are: see `docs/decisions/0026`.
  /// - Parameter code: in the system's own form.
  func foldedKey(of code: Code) -> TicketKey?

  /// What can be said of the code with no request: its key in the ledger, a refusal (a bad signature), or that it must not be asked
  /// for as long as something is missing to judge it by.
  func examine(_ code: Code, at time: WallTime) -> Examination

  /// What staff can be told of a code that `examine` refuses: what was shown, and what to do; holds nothing of it. `nil` where the reason
  /// says it all.
  func refusalWords(for code: Code) -> String?

  /// What is known of a ticket that `examine` refuses, for staff: of what its issuer has proven to be so, and of nothing else. `nil` where
  /// there is none.
  func refusalDetails(for code: Code) -> TicketDetails?

  /// Asks the ticket system, once; may redeem, unless `mayRedeem` says no. Returns by the request's deadline at the latest.
  ///
  /// Once a byte was sent, nothing is sent again. Failed connects may be retried inside the deadline.
  /// - Parameter late: called exactly once if the outcome's fate was `pending`, with the final outcome; never otherwise.
  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome

  /// Which tickets the gate takes that this instance serves; `nil` where it takes all.
  var rule: GateRule? { get }

  /// Asks without redeeming whether the gate takes a ticket of which nobody has told that, where `rule` says that it matters. It admits
  /// nobody and is no proof of being offline: what cannot be told is `unknown`, and the answer to the request decides.
  func inspect(_ code: Code, deadline: MonotonicTime) async -> Inspection

  /// Asks without redeeming whether the ticket system would decide a scan, with a request that costs it little: on the way of
  /// every scan, with our key.
  func reach(deadline: MonotonicTime) async -> Reach

  /// Asks without redeeming whether anybody has ever been admitted on the code. To settle what an unanswered attempt has
  /// done, and whom a journal of unknown age may have forgotten; never for an admission. A system that only reads knows of
  /// nobody's admission: `unknown`, or `unanswered`.
  func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp
}

/// What a request has found that only asks whether the ticket system would decide a scan.
package enum Reach: Sendable, Equatable {
  /// It does, and our key may scan. `date` is its clock's time, where the answer tells it, in whole seconds.
  case answers(date: WallTime?)
  /// Nobody can be admitted until somebody acts: why; and what happened, to which host, and which setting to look at.
  case fault(UndecidedReason, detail: String)
  /// It answers, but whether it would decide a scan cannot be told: it is asked too often, or out of order; which, and who.
  case unclear(detail: String)
  /// It counts as offline.
  case offline(OfflineCause)
  /// Nothing could be asked: our own budget is spent.
  case unknown

  /// Whether it would decide a scan.
  package var isAnswer: Bool { if case .answers = self { true } else { false } }
}

/// What a look-up that redeems nothing has found.
package enum LookUp: Sendable, Equatable {
  /// The ticket system has no admission on the code, nor on any other code of its sale.
  case unused
  /// It has one.
  case used
  /// It has answered and cannot tell; or such a code cannot be looked up.
  case unknown
  /// Nobody answered who could tell: nobody at all, or something else than the ticket system.
  case unanswered
}

/// Where a ticket system is.
package struct Whereabouts: Sendable, Equatable {
  /// The host that is asked.
  package var host: String
  /// Which setting to look at where it does not answer; a sentence.
  package var cure: String

  package init(host: String, cure: String) {
    self.host = host
    self.cure = cure
  }
}

extension TicketSystem {
  /// A request may redeem.
  package var mayRedeem: Bool { true }

  /// It tells records and their times, or keeps none.
  package var redeemsOnce: Bool { false }

  /// Lists name its own form.
  package func listedCode(_ code: Code) -> Code { code }

  /// The gate takes all.
  package var rule: GateRule? { nil }

  /// Nothing can be told without redeeming.
  package func inspect(_ code: Code, deadline: MonotonicTime) async -> Inspection { Inspection(.unknown) }

  /// Where it is cannot be told.
  package var whereabouts: Whereabouts? { nil }

  /// Whether it answers shows with the next scan.
  package func reach(deadline: MonotonicTime) async -> Reach { .answers(date: nil) }

  /// Nothing can be looked up.
  package func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp { .unknown }

  /// The reason says it all.
  package func refusalWords(for code: Code) -> String? { nil }

  /// Nothing is proven.
  package func refusalDetails(for code: Code) -> TicketDetails? { nil }

  /// Nothing can be said without a request: the code is its own key.
  package func examine(_ code: Code, at time: WallTime) -> Examination { .proceed(TicketKey(code.bytes)) }
}

/// The key of a ticket in the ledger, unique within its ticket system: the code itself, or an identifier inside it.
package struct TicketKey: Hashable, Sendable {
  /// The bytes of the key. Not for logs.
  package let bytes: [UInt8]
  package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// What a ticket system says of a code without a request.
package enum Examination: Sendable, Equatable {
  /// Ask on; the ledger remembers the ticket under this key.
  case proceed(TicketKey)
  /// Refused without a request.
  case refuse(RefuseReason)
  /// Nobody passes on it now, online or offline: what it is to be judged by is not there (a key, the time). Why, and what to do.
  case undecided(UndecidedReason, detail: String)
}

/// One question to a ticket system.
package struct AttemptRequest: Sendable {
  /// This attempt.
  package let attempt: AttemptID
  /// The scan it serves; the nonce where the system takes one.
  package let scan: ScanID
  /// The code in the system's own form.
  package let code: Code
  /// When the gate stops waiting; covers DNS, connect, TLS, request and answer.
  package let deadline: MonotonicTime
  /// Whether nobody waits for the answer: somebody was admitted before. Live scans come first, in the rate budget too.
  package let isOwed: Bool
  /// How long ago somebody was admitted, where nobody waits for the answer; `nil` where no clock tells.
  package let owedFor: Duration?
  /// The event that the presented code named, as in `Scan`.
  package let event: String?
  /// What the list on board says of the ticket, where the gate has a rule.
  package let listed: TicketDetails?
  /// The ticket within the sale that the gate takes, where an inspection has told it.
  package let line: TicketDetails.LineID?

  package init(
    attempt: AttemptID, scan: ScanID, code: Code, deadline: MonotonicTime, isOwed: Bool = false,
    owedFor: Duration? = nil, event: String? = nil, listed: TicketDetails? = nil, line: TicketDetails.LineID? = nil
  ) {
    self.owedFor = owedFor
    self.event = event
    self.listed = listed
    self.line = line
    self.isOwed = isOwed
    self.attempt = attempt
    self.scan = scan
    self.code = code
    self.deadline = deadline
  }
}

/// How an attempt ended, and what is known of the server's time.
package struct AttemptOutcome: Sendable, Equatable {
  /// What became of the request.
  package enum Fate: Sendable, Equatable {
    /// No byte of it was sent: it cannot have redeemed.
    case notSent
    /// A whole answer came.
    case answered
    /// Sent, not answered by the deadline; the answer may still come and is reported late.
    case pending
    /// Sent, and no whole answer will come.
    case lost
  }

  /// What became of the request.
  package var fate: Fate
  /// What the ticket system said; `undecided` where there was no answer to believe.
  package var answer: TicketAnswer
  /// Whether the server may have recorded an admission on it: true for `pending` and `lost`, and for answers after
  /// which nobody can tell (5xx, a broken 201). Never where a request only reads: such a one is lost, and nothing with it.
  package var mayHaveRedeemed: Bool
  /// Whether nobody was asked: what the ticket system said a short while ago still holds. It proves nothing of how it is now.
  package var isRemembered: Bool
  /// Whether the code is one that nobody can invent, whatever became of the request: its issuer's signature is proven. Whoever shows such
  /// codes has no endless supply of them.
  package var isProven = false
  /// Why the ticket system counts as offline by this; `nil` where it does not, whatever else is wrong.
  package var offline: OfflineCause?
  /// How long the ticket system, or our budget, asks us to wait before the next request; at most 15 minutes are obeyed.
  package var retryAfter: Duration?
  /// Just before the first byte was handed to the connection; `nil` when nothing was sent.
  package var sentAt: MonotonicTime?
  /// When the answer, or the failure, was known.
  package var endedAt: MonotonicTime
  /// The server's clock by the `Date` header (RFC 9110, 6.6.1), in whole seconds.
  package var serverDate: WallTime?

  package init(
    fate: Fate, answer: TicketAnswer, mayHaveRedeemed: Bool, sentAt: MonotonicTime?, endedAt: MonotonicTime,
    serverDate: WallTime? = nil, offline: OfflineCause? = nil, retryAfter: Duration? = nil, isRemembered: Bool = false
  ) {
    self.isRemembered = isRemembered
    self.retryAfter = retryAfter
    self.offline = offline
    self.fate = fate
    self.answer = answer
    self.mayHaveRedeemed = mayHaveRedeemed
    self.sentAt = sentAt
    self.endedAt = endedAt
    self.serverDate = serverDate
  }
}

/// What a ticket system said.
package enum TicketAnswer: Sendable, Equatable {
  /// It recorded an admission, perhaps at an earlier time: the ledger tells which.
  case redeemed(Redemption)
  /// The code is good, and the system keeps no record of admissions: the ledger decides alone.
  case valid(Entitlement)
  /// The code is bad; `detail` is the server's own text for staff, already shortened and stripped of control characters.
  case refused(RefuseReason, detail: String?)
  /// Nothing that could be believed; `detail` says what happened, to which host, and what to do.
  case undecided(UndecidedReason, detail: String?)
}

/// An admission in a ticket system's record.
package struct Redemption: Sendable, Equatable {
  /// The record's identifier.
  package var entryID: String
  /// When the record was made, by the server's clock, in whole seconds (a fresh one can look up to 1 s older than it is).
  package var scannedAt: WallTime
  /// How often the ticket admits if its code turns out to stand for several; at least 1.
  package var quantity: Int
  /// The sale that the record belongs to, where the system tells it: several codes can stand for one sale.
  package var sale: String?
  /// How many persons the whole sale admits, over all its codes and tickets; `nil` where the system does not tell it.
  package var saleQuantity: Int?
  /// For staff.
  package var details: TicketDetails
  /// Why nobody passes on it at this gate all the same: the record waits for another gate, or time, that asks for it.
  package var bar: GateBar?

  package init(
    entryID: String, scannedAt: WallTime, quantity: Int, sale: String? = nil, saleQuantity: Int? = nil,
    details: TicketDetails, bar: GateBar? = nil
  ) {
    self.bar = bar
    self.entryID = entryID
    self.scannedAt = scannedAt
    self.quantity = quantity
    self.sale = sale
    self.saleQuantity = saleQuantity
    self.details = details
  }
}

/// A right to pass in a system that keeps no record of admissions.
package struct Entitlement: Sendable, Equatable {
  /// How often it admits; at least 1, and `unlimited` where it does as often as it is shown.
  package var quantity: Int
  /// From when on it no longer admits, by our civil clock; `nil` where nothing ends it. The ticket system's answer of now is believed
  /// whatever it says of that; what is only remembered of it admits nobody after it.
  package var ends: WallTime?
  /// For staff.
  package var details: TicketDetails

  /// A quantity that is never used up.
  package static let unlimited = Int.max

  package init(quantity: Int, ends: WallTime? = nil, details: TicketDetails) {
    self.ends = ends
    self.quantity = quantity
    self.details = details
  }
}

/// What staff see of a ticket. Text comes from a server: it is cleaned before any terminal or screen shows it.
package struct TicketDetails: Sendable, Equatable {
  /// The holder's name.
  package var holder: String?
  /// The event's name.
  package var event: String?
  /// What the ticket system calls the event.
  package var eventID: String?
  /// When it is for, where that was told.
  package var date: TicketDate?
  /// The tickets of the sale.
  package var tickets: [Line]
  /// What sort of ticket it is: a membership's level, a category.
  package var kind: String?
  /// The seats that it is for, as they are called there; at most `mostSeats`.
  package var seats: [String] { didSet { seats = Array(seats.prefix(Self.mostSeats)) } }
  /// From when on it no longer admits. For staff alone; what the ledger goes by is the entitlement's.
  package var ends: WallTime?

  /// More seats than this are not told.
  package static let mostSeats = 32

  /// What a ticket system calls a ticket: some count, others have names.
  package enum LineID: Sendable, Hashable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// A whole number.
    case number(Int64)
    /// Text, made fit for staff.
    case text(String)

    /// A number.
    package init(integerLiteral value: Int64) { self = .number(value) }
    /// A text.
    package init(stringLiteral value: String) { self = .text(value) }
  }

  /// One kind of ticket in a sale.
  package struct Line: Sendable, Equatable {
    /// The sale ticket's identifier.
    package var id: LineID
    /// How many persons it admits.
    package var quantity: Int
    /// Whether the server has a scanned entry of it.
    package var isUsed: Bool

    package init(id: LineID, quantity: Int, isUsed: Bool) {
      self.id = id
      self.quantity = quantity
      self.isUsed = isUsed
    }
  }

  package init(
    holder: String? = nil, event: String? = nil, eventID: String? = nil, date: TicketDate? = nil, tickets: [Line] = [],
    kind: String? = nil, seats: [String] = [], ends: WallTime? = nil
  ) {
    self.eventID = eventID
    self.date = date
    self.kind = kind
    self.seats = Array(seats.prefix(Self.mostSeats))
    self.ends = ends
    self.holder = holder
    self.event = event
    self.tickets = tickets
  }
}

/// When a ticket is for.
package enum TicketDate: Sendable, Equatable {
  /// A day, by the calendar of where its event is.
  case day(CivilDay)
  /// So long.
  case span(Range<WallTime>)
}
