import Foundation
import SQLiteFile

/// Everything that is wrong with tickets that are to be imported. Nothing of them is.
package struct TicketFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One thing wrong.
  package struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// The file as it was named.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// What is wrong and what would be right.
    package let text: String
    /// `file:line: what is wrong`
    package var description: String { "\(file):\(line): \(text)" }
  }

  /// All problems, by line.
  package let problems: [Problem]
  /// One line a problem.
  package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A ticket that is to be imported, as a file's line has it.
package struct ImportedTicket: Sendable, Equatable {
  /// The line, from 1.
  package var line: Int
  /// The code that is scanned.
  package var code: String
  /// Whether the code is a whole sale's; `nil` where that follows from `quantity`: more than one has no entry.
  package var isSale: Bool?
  /// What it is worth.
  package var status: TicketStatus
  /// The buyer.
  package var name: String
  /// The buyer's mail address.
  package var email: String
  /// How many it admits.
  package var quantity: Int
  /// The event; `nil` for "Imported tickets".
  package var event: String?
  /// The day, written `2026-11-21`; `nil` for today.
  package var day: String?
  /// The zone by its IANA name; `nil` for this machine's.
  package var zone: String?

  /// A paid ticket of today for one, unless told otherwise.
  package init(
    line: Int, code: String, isSale: Bool? = nil, status: TicketStatus = .paid, name: String = "", email: String = "",
    quantity: Int = 1, event: String? = nil, day: String? = nil, zone: String? = nil
  ) {
    self.line = line
    self.code = code
    self.isSale = isSale
    self.status = status
    self.name = name
    self.email = email
    self.quantity = quantity
    self.event = event
    self.day = day
    self.zone = zone
  }
}

/// What an import did.
package struct ImportSummary: Sendable, Equatable {
  /// Tickets that are new.
  package let added: Int
  /// Tickets whose code was known, and that are now as the file says. Their scans are kept.
  package let updated: Int
}

extension VenueServer {
  /// Imports tickets. Importing the same code again updates its ticket.
  ///
  /// - Parameter file: the name used in errors.
  /// - Throws: `TicketFileError` with everything that is wrong; `CancellationError` where the task is cancelled. Nothing is imported then.
  package func importTickets(_ tickets: [ImportedTicket], file: String) async throws -> ImportSummary {
    let checked = TicketRows(tickets, now: Timestamp(configuration.now()))
    guard checked.problems.isEmpty else { throw Self.error(checked.problems, file) }
    let isCancelled = CancelFlag()
    return try await withTaskCancellationHandler {
      try await store.write { db in
        let problems = try checked.conflicts(db, isCancelled)
        guard problems.isEmpty else { throw Self.error(problems, file) }
        return try checked.write(db, isCancelled)
      }
    } onCancel: {
      isCancelled.set()
    }
  }

  /// Gives up a venue that is not to serve: its database is closed, and removed where this venue made it. Nothing may be asked of it
  /// any more.
  /// - Returns: whether it was removed, or never a file.
  package func abandon() -> Bool { store.abandon() }

  private static func error(_ problems: [TicketRows.Problem], _ file: String) -> TicketFileError {
    let ordered = problems.sorted { $0.line < $1.line }
    return TicketFileError(problems: ordered.map { .init(file: file, line: $0.line, text: $0.text) })
  }
}

/// Tickets that are to be imported, checked.
struct TicketRows: Sendable {
  /// Something wrong, at a line.
  struct Problem: Sendable, Equatable {
    var line: Int
    var text: String
  }

  struct Row: Sendable {
    var line: Int
    var ticket: TicketBook.Ticket
    var evening: TicketBook.Evening
  }

  static let quantities = 1...100_000

  private(set) var rows: [Row] = []
  private(set) var problems: [Problem] = []

  init(_ tickets: [ImportedTicket], now: Timestamp) {
    var seen: [String: Int] = [:]
    for ticket in tickets {
      guard let row = row(ticket, now) else { continue }
      if let first = seen[row.ticket.code] {
        note(row.line, "the code was given in line \(first) already")
      } else {
        seen[row.ticket.code] = row.line
        rows.append(row)
      }
    }
  }

  private mutating func note(_ line: Int, _ text: String) { problems.append(Problem(line: line, text: text)) }

  /// The row, or nil after noting everything that is wrong with it.
  private mutating func row(_ ticket: ImportedTicket, _ now: Timestamp) -> Row? {
    let (before, line) = (problems.count, ticket.line)
    if ticket.code.isEmpty {
      note(line, "the code is missing")
    } else if ticket.code.utf8.count > 255
      || ticket.code.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    {
      note(line, "the code must have at most 255 bytes and no control characters")
    }
    let isSale = ticket.isSale ?? (ticket.quantity > 1)
    if !Self.quantities.contains(ticket.quantity) {
      note(line, "quantity must be a whole number from 1 to \(Self.quantities.upperBound)")
    } else if !isSale, ticket.quantity != 1 {
      note(line, "an entry code admits one; for a quantity of \(ticket.quantity) the kind must be sale")
    }
    let zoneName = ticket.zone ?? TicketBook.localZone
    let zone = TimeZone.named(zoneName)
    if zone == nil { note(line, "timezone must be an IANA name such as Europe/Berlin") }
    let day =
      if let text = ticket.day { CalendarDay(text) } else {
        zone.map { CalendarDay.today(in: $0, at: now.seconds) }
      }
    if day == nil, ticket.day != nil { note(line, "date must be a day written YYYY-MM-DD") }
    guard problems.count == before, let day else { return nil }
    return Row(
      line: line,
      ticket: .init(
        code: ticket.code, kind: isSale ? .sale : .entry, status: ticket.status.rawValue,
        isDeleted: ticket.status == .deleted, name: ticket.name, email: ticket.email,
        quantity: Int64(ticket.quantity)),
      evening: .init(name: ticket.event ?? "Imported tickets", day: "\(day)", zone: zoneName))
  }

  /// Rows whose code the database knows as the other kind.
  func conflicts(_ db: Database, _ isCancelled: CancelFlag) throws -> [Problem] {
    try rows.compactMap { row in
      try isCancelled.check()
      guard let found = try TicketBook(db: db).find(code: row.ticket.code), found.kind != row.ticket.kind else {
        return nil
      }
      return Problem(
        line: row.line,
        text: "the database has this code as kind \(found.kind.rawValue); keep that kind or use another code")
    }
  }

  func write(_ db: Database, _ isCancelled: CancelFlag) throws -> ImportSummary {
    let book = TicketBook(db: db)
    var random = SystemRandomNumberGenerator()
    var events: [TicketBook.Evening: Int64] = [:]
    var (added, updated) = (0, 0)
    for row in rows {
      try isCancelled.check()
      let event = try events[row.evening] ?? book.event(row.evening)
      events[row.evening] = event
      if let found = try book.find(code: row.ticket.code) {
        try book.update(sale: found.sale, to: row.ticket, event: event)
        updated += 1
      } else {
        try book.add(row.ticket, to: event, random: &random)
        added += 1
      }
    }
    return ImportSummary(added: added, updated: updated)
  }
}
