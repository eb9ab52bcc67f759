/// The port to what a ticket system itself tells of all that it has sold: a list to be taken on board. Redeems nothing.
package protocol TicketRoster: Sendable {
  /// One page, from 1.
  /// - Throws: why there is none: from which host, and what to do.
  func page(_ number: Int) async throws(TicketListFault) -> RosterPage

  /// One page of what was sold for a day, from 1, within the part of the budget that live scans leave; `nil` where it tells no such
  /// list, or not to our key, which no trying again changes.
  /// - Throws: as `page`.
  func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage?

  /// What it tells in one answer of the tickets for now, where that is all that it tells; `nil` where it tells days page by page, or
  /// nothing to our key, which no trying again changes. Asked within the part of the budget that live scans leave.
  /// - Throws: as `page`.
  func current() async throws(TicketListFault) -> RosterAnswer?

  /// When it should be asked again, whatever the interval: before it stops telling of a day, and once it begins to tell of the next; `nil`
  /// where that is no matter.
  func nextTurn(after now: WallTime) -> WallTime?

  /// What it tells of one user's tickets alone; `nil` where it tells no such list.
  /// - Parameter user: as the ticket system calls the user.
  /// - Throws: that nobody can be called so.
  func of(user: String) throws(TicketListFault) -> (any TicketRoster)?
}

extension TicketRoster {
  /// It tells days.
  package func current() async throws(TicketListFault) -> RosterAnswer? { nil }

  /// Whenever it is asked, it tells of the same days.
  package func nextTurn(after now: WallTime) -> WallTime? { nil }

  /// It tells all, and of no user alone.
  package func of(user: String) throws(TicketListFault) -> (any TicketRoster)? { nil }
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

/// What a ticket system tells in one answer of the tickets for now: it adds to what the list has, and takes nothing away but as it says.
package struct RosterAnswer: Sendable, Equatable {
  /// Its tickets, of whatever time.
  package var tickets: [ToldTicket]
  /// Of which time it tells all tickets: one of the list whose first moment is in it, and that is not told, is no more. `nil` where it
  /// tells all of no time.
  package var whole: Range<WallTime>?
  /// Why it does not tell all, in words for staff; `nil` where it does.
  package var gap: String?

  package init(tickets: [ToldTicket], whole: Range<WallTime>?, gap: String? = nil) {
    self.tickets = tickets
    self.whole = whole
    self.gap = gap
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
  /// The holder's name, and the seats: for a list that keeps them.
  package var holder: String?, seats: [String]
  /// Why a list cannot decide on it, in words without its code; `nil` where it can.
  package var obstacle: String?

  package init(
    code: String, isWholeSale: Bool, status: ListedTicket.Status?, day: String? = nil, from: WallTime? = nil,
    until: WallTime? = nil, quantity: Int = 1, sale: String? = nil, event: String? = nil, eventID: String? = nil,
    kind: String? = nil, holder: String? = nil, seats: [String] = [], obstacle: String? = nil
  ) {
    self.holder = holder
    self.seats = seats
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
