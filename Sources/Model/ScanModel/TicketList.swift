/// The port to a list of tickets on board: what a ticket system had sold when the list was made.
///
/// It holds no readable code: a ticket is found by a keyed digest of its code.
package protocol TicketList: Sendable {
  /// What the list says of a code; `nil` where it does not name it.
  /// - Parameter code: in the ticket system's own form.
  /// - Throws: why the list cannot be read: to which file, and what to do.
  func find(_ code: Code) async throws(TicketListFault) -> ListedTicket?

  /// What the list is, as of now; `nil` where none was imported.
  func state() async throws(TicketListFault) -> TicketListState?

  /// Puts what the ticket system has told into the place of all that the list has for a time. It is sealed as an import is; all of it
  /// counts from one moment on, and until then, and after any fault, the list is as it was.
  /// - Parameters:
  ///   - span: tickets whose first moment is in it are gone; all, where it is `nil`.
  ///   - tickets: codes in the ticket system's own form, and moments rather than days. What one says of a code counts instead of what
  ///     the list has said of it, of whatever time.
  ///   - asOf: when what the list says then was true.
  ///   - mayShrink: whether it may be less than half of what was there; else that is a fault (`isShrunk`).
  ///   - folding: as `TicketSystem.foldedKey`.
  /// - Returns: how many of them were left out, because a list cannot decide on them.
  /// - Throws: why nothing was replaced.
  func replace(
    _ span: Range<WallTime>?, with tickets: [ToldTicket], asOf: WallTime, mayShrink: Bool,
    folding: @escaping @Sendable (Code) -> TicketKey?
  ) async throws(TicketListFault) -> Int
}

extension TicketList {
  /// It is for reading.
  package func replace(
    _ span: Range<WallTime>?, with tickets: [ToldTicket], asOf: WallTime, mayShrink: Bool,
    folding: @escaping @Sendable (Code) -> TicketKey?
  ) async throws(TicketListFault) -> Int { throw TicketListFault("This list of tickets cannot be written.") }
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
  /// Whether the list names another code, too, that the ticket system may take for a spelling of this one
  /// (`TicketSystem.foldedKey`): by the list they are two tickets.
  package var hasOtherSpelling: Bool

  package init(
    status: Status, from: WallTime? = nil, until: WallTime? = nil, quantity: Int = 1, sale: String? = nil,
    saleQuantity: Int? = nil, event: String? = nil, eventID: String? = nil, kind: String? = nil,
    hasOtherSpelling: Bool = false
  ) {
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
  package var details: TicketDetails { TicketDetails(event: event, eventID: eventID, kind: kind) }
}

/// What is known of a whole list.
package struct TicketListState: Sendable, Equatable {
  /// When its content was true: when it was fetched, or what the person who imported it said.
  package var asOf: WallTime
  /// How many codes it names.
  package var count: Int
  /// How old its content is by a clock that nobody sets; `nil` where none has run on since the list was imported.
  package var age: Duration?

  package init(asOf: WallTime, count: Int, age: Duration? = nil) {
    self.asOf = asOf
    self.count = count
    self.age = age
  }

  /// How old its content is; `nil` where no clock tells.
  package func age(at now: JournalTime) -> Duration? { now.isTrusted ? now.wall - asOf : age }
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

/// The port to what a ticket system itself tells of all that it has sold: a list to be taken on board. Redeems nothing.
package protocol TicketRoster: Sendable {
  /// One page, from 1.
  /// - Throws: why there is none: from which host, and what to do.
  func page(_ number: Int) async throws(TicketListFault) -> RosterPage

  /// One page of what was sold for a day, from 1, within the part of the budget that live scans leave; `nil` where it tells no such
  /// list, or not to our key, which no trying again changes.
  /// - Throws: as `page`.
  func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage?
}

/// A page of what a ticket system tells.
package struct RosterPage: Sendable, Equatable {
  /// Its tickets.
  package var tickets: [ToldTicket]
  /// Whether there is another page.
  package var hasMore: Bool

  package init(tickets: [ToldTicket], hasMore: Bool) {
    self.tickets = tickets
    self.hasMore = hasMore
  }
}

/// A ticket as its ticket system tells it, not judged yet.
package struct ToldTicket: Sendable, Equatable {
  /// Its code; empty where our key may not see it. Not for logs.
  package var code: String
  /// Whether that is a whole sale's own code, which admits as many as the sale has, and not an entry's.
  package var isWholeSale: Bool
  /// Its state; `nil` where that is none that we know.
  package var status: ListedTicket.Status?
  /// The day on which it admits, as the ticket system writes it; `nil` where it tells none.
  package var day: String?
  /// The first moment at which it admits, and the first at which it admits no more; they count before the day.
  package var from: WallTime?, until: WallTime?
  /// How many persons it admits.
  package var quantity: Int
  /// Its sale, by the ticket system's identifier.
  package var sale: String?
  /// The event's name.
  package var event: String?
  /// What the ticket system calls the event.
  package var eventID: String?
  /// What sort of ticket it is.
  package var kind: String?
  /// Why a list cannot decide on it, in words without its code; `nil` where it can.
  package var obstacle: String?

  package init(
    code: String, isWholeSale: Bool, status: ListedTicket.Status?, day: String? = nil, from: WallTime? = nil,
    until: WallTime? = nil, quantity: Int = 1, sale: String? = nil, event: String? = nil, eventID: String? = nil,
    kind: String? = nil, obstacle: String? = nil
  ) {
    self.from = from
    self.until = until
    self.eventID = eventID
    self.kind = kind
    self.code = code
    self.isWholeSale = isWholeSale
    self.status = status
    self.day = day
    self.quantity = quantity
    self.sale = sale
    self.event = event
    self.obstacle = obstacle
  }
}
