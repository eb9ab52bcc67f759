/// The port to a list of tickets on board: what a ticket system had sold when the list was made.
///
/// It holds no readable code: a ticket is found by a keyed digest of its code.
package protocol TicketList: Sendable {
  /// What the list says of a code; `nil` where none was imported.
  /// - Parameter code: in the ticket system's own form.
  /// - Throws: why the list cannot be read: to which file, and what to do.
  func find(_ code: Code) async throws(TicketListFault) -> ListFinding?

  /// What the list is, as of now; `nil` where none was imported.
  func state() async throws(TicketListFault) -> TicketListState?

  /// Whether there surely is no list, and nothing was kept of any ticket, told at once and by no disk. Where that is not known so, it is
  /// `false`, and `find` tells.
  var isAbsent: Bool { get }

  /// Whether it tells of any ticket what sort it is.
  /// - Throws: why the list cannot be read.
  func tellsKinds() async throws(TicketListFault) -> Bool

  /// Keeps what the ticket system has said of one ticket, or forgets it; from any thread, returns at once. What is said of one ticket one
  /// after the other is kept in that order. It outlives an import, and counts instead of what an older one says of the code.
  /// - Parameters:
  ///   - checked: what it said; `nil` where it no longer vouches for the ticket.
  ///   - code: as lists name it.
  func keep(_ checked: CheckedTicket?, of code: Code)

  /// Begins to put what the ticket system tells into the place of all that the list has for a time.
  /// - Parameters:
  ///   - span: tickets whose first moment is in it are gone; all, where it is `nil`.
  ///   - asOf: when what is told is true. Of the tickets that stay, what was told of each is as old as it was.
  ///   - folding: as `TicketSystem.foldedKey`.
  /// - Throws: why nothing can be replaced.
  func replacement(
    of span: Range<WallTime>?, asOf: WallTime, folding: @escaping @Sendable (Code) -> TicketKey?
  ) async throws(TicketListFault) -> any TicketListReplacement
}

/// What a ticket system has said of one ticket when it was asked at a gate.
package struct CheckedTicket: Sendable, Equatable {
  /// From when on it no longer admits.
  package var ends: WallTime
  /// What sort of ticket it is, as in `TicketDetails`.
  package var kind: String?
  /// When it said so, by its own clock.
  package var at: WallTime

  package init(ends: WallTime, kind: String?, at: WallTime) {
    self.ends = ends
    self.kind = kind
    self.at = at
  }
}

extension TicketList {
  /// It has to be asked.
  package var isAbsent: Bool { false }

  /// It does not.
  package func tellsKinds() async throws(TicketListFault) -> Bool { false }

  /// It keeps nothing.
  package func keep(_ checked: CheckedTicket?, of code: Code) {}

  /// It is for reading.
  package func replacement(
    of span: Range<WallTime>?, asOf: WallTime, folding: @escaping @Sendable (Code) -> TicketKey?
  ) async throws(TicketListFault) -> any TicketListReplacement {
    throw TicketListFault("This list of tickets cannot be written.")
  }
}

/// What is about to take a place in a list, piece by piece: all of it counts from one moment on. Until `finish` has returned, after any
/// fault, and where it is let go of before, the list is as it was.
package protocol TicketListReplacement: Sendable {
  /// Takes in tickets; they are put down on the disk, sealed as an import's are.
  /// - Parameter tickets: codes in the ticket system's own form, and moments rather than days. What one says of a code counts instead
  ///   of what the list has said of it, of whatever time.
  /// - Throws: why they could not be; nothing is replaced then.
  func add(_ tickets: [ToldTicket]) async throws(TicketListFault)

  /// Puts all of it into its place. To be called once, and last.
  /// - Parameter mayShrink: whether it may be less than half of what was there; else that is a fault (`isShrunk`).
  /// - Returns: how many of the tickets were left out, because a list cannot decide on them.
  /// - Throws: why nothing was replaced.
  func finish(mayShrink: Bool) async throws(TicketListFault) -> Int

  /// Adds what was taken in to the list, instead of replacing anything; to be called once, and last, on one that was begun for no time.
  /// - Parameters:
  ///   - whole: of which time all tickets were told. Others of the list whose first moment is in it are cancelled; where that were more
  ///     than half of them, they are `unconfirmed`. What is of another time stays, as old as it was.
  ///   - end: tickets whose first moment is before it are gone.
  /// - Throws: why nothing was added.
  func merge(whole: Range<WallTime>?, forgetting end: WallTime?) async throws(TicketListFault) -> MergedTickets
}

/// What became of tickets that were added to a list.
package struct MergedTickets: Sendable, Equatable {
  /// How many were taken.
  package var taken: Int
  /// How many were left out, because a list cannot decide on them; and of the first one why, without its code.
  package var left: Int, problem: String?
  /// How many of the list were not told any more of the time of which all were.
  package var vanished: Int
  /// Whether those were so many that nobody believes it: they are `unconfirmed`.
  package var isDoubtful: Bool

  package init(taken: Int, left: Int = 0, problem: String? = nil, vanished: Int = 0, isDoubtful: Bool = false) {
    self.taken = taken
    self.left = left
    self.problem = problem
    self.vanished = vanished
    self.isDoubtful = isDoubtful
  }
}

extension TicketListReplacement {
  /// It is for replacing.
  package func merge(whole: Range<WallTime>?, forgetting end: WallTime?) async throws(TicketListFault) -> MergedTickets
  {
    throw TicketListFault("This list of tickets cannot be added to.")
  }
}

/// What a list says of a code.
package enum ListFinding: Sendable, Equatable {
  /// It names it, as a ticket of which that was told then.
  case named(ListedTicket, ListAge)
  /// It does not name it. When the list was last told of all tickets: `nil` where it never was, so that nothing follows; and when it was
  /// last told of any.
  case unnamed(all: ListAge?, any: ListAge)

  /// The ticket, where it names it.
  package var ticket: ListedTicket? { if case .named(let ticket, _) = self { ticket } else { nil } }
}

/// When something in a list was true.
package struct ListAge: Sendable, Equatable {
  /// When it was fetched, or what the person who imported it said.
  package var asOf: WallTime
  /// How old it is by a clock that nobody sets; `nil` where none has run on since it came on board.
  package var running: Duration?

  package init(asOf: WallTime, running: Duration? = nil) {
    self.asOf = asOf
    self.running = running
  }

  /// How old it is; `nil` where no clock tells.
  package func at(_ now: JournalTime) -> Duration? { now.isTrusted ? now.wall - asOf : running }
}

/// What a list says of a ticket.
package struct ListedTicket: Sendable, Equatable {
  /// The ticket's state when the list was made. The raw values are the names in imported files.
  package enum Status: String, Sendable, CaseIterable {
    /// It admits.
    case valid
    /// Not paid.
    case unpaid
    /// Cancelled by buyer or organiser.
    case cancelled
    /// Money given back.
    case refunded
    /// Offered or valid until a time that had passed.
    case expired
    /// Somebody was admitted on it before the list was made.
    case used
    /// It was on the list, and is suddenly told no more with many others, or what is told of it cannot be true: neither admits, and the
    /// ticket is not refused. No file says it.
    case unconfirmed
  }

  /// The state.
  package var status: Status
  /// The first moment at which it admits; `nil` without bound.
  package var from: WallTime?
  /// The first moment at which it admits no more; `nil` without bound.
  package var until: WallTime?
  /// How many persons the code admits; at least 1.
  package var quantity: Int
  /// The sale that it belongs to, by the ticket system's identifier.
  package var sale: String?
  /// How many persons the whole sale admits, over all its codes.
  package var saleQuantity: Int?
  /// The event's name.
  package var event: String?
  /// What the ticket system calls the event.
  package var eventID: String?
  /// What sort of ticket it is, as in `TicketDetails`.
  package var kind: String?
  /// The holder's name, and the seats, where the list keeps them.
  package var holder: String?, seats: [String]
  /// Whether the list names another code, too, that the ticket system may take for a spelling of this one
  /// (`TicketSystem.foldedKey`): by the list they are two tickets.
  package var hasOtherSpelling: Bool
  /// When the ticket system said it of this very ticket; `nil` where it is as the whole list is.
  package var checkedAt: WallTime?

  package init(
    status: Status, from: WallTime? = nil, until: WallTime? = nil, quantity: Int = 1, sale: String? = nil,
    saleQuantity: Int? = nil, event: String? = nil, eventID: String? = nil, kind: String? = nil,
    holder: String? = nil, seats: [String] = [], hasOtherSpelling: Bool = false, checkedAt: WallTime? = nil
  ) {
    self.holder = holder
    self.seats = seats
    self.checkedAt = checkedAt
    self.eventID = eventID
    self.kind = kind
    self.hasOtherSpelling = hasOtherSpelling
    self.status = status
    self.from = from
    self.until = until
    self.quantity = quantity
    self.sale = sale
    self.saleQuantity = saleQuantity
    self.event = event
  }

  /// Why it admits nobody at that time; `nil` where it admits. A clock that is not trusted says nothing of its moments.
  package func refusal(at now: JournalTime) -> RefuseReason? {
    switch status {
    case .unpaid: .unpaid
    case .cancelled: .cancelled
    case .refunded: .refunded
    case .expired: .expired
    case .used: .alreadyUsed
    // Who asks `ListOnBoard` hears that nothing is sure; whoever did not, admits nobody.
    case .unconfirmed: .cancelled
    case .valid where !now.isTrusted: nil
    case .valid: from.map { now.wall < $0 } == true ? .tooEarly : until.map { now.wall >= $0 } == true ? .tooLate : nil
    }
  }

  /// What staff can tell somebody who is turned away for that: of when it is, and what for.
  package func words(for reason: RefuseReason) -> String {
    let moment =
      switch reason {
      case .tooEarly: from.map { " It admits from \($0.iso8601)" }
      case .tooLate: until.map { " It admitted until \($0.iso8601)" }
      default: nil as String?
      }
    return moment.map { $0 + (event.map { " (\($0))." } ?? ".") } ?? ""
  }

  /// What staff see of it.
  package var details: TicketDetails {
    var date: TicketDate?
    if let from, let until, from < until { date = .span(from..<until) }
    return TicketDetails(holder: holder, event: event, eventID: eventID, date: date, kind: kind, seats: seats)
  }
}

/// What is known of a list.
package struct TicketListState: Sendable, Equatable {
  /// When the newest of its content was true.
  package var told: ListAge
  /// How many codes it names.
  package var count: Int

  package init(asOf: WallTime, count: Int, age: Duration? = nil) {
    told = ListAge(asOf: asOf, running: age)
    self.count = count
  }
}

/// Why a list of tickets cannot be read: what happened, to which file, and what to do.
package struct TicketListFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The words; a line for each thing that is wrong.
  package var description: String
  /// Whether what was put in cannot be used; else something that is needed cannot be had.
  package var isOfData: Bool
  /// Whether what was put in is less than half of what was there.
  package var isShrunk: Bool
  package init(_ description: String, isOfData: Bool = false, isShrunk: Bool = false) {
    self.description = description
    self.isOfData = isOfData
    self.isShrunk = isShrunk
  }
}
