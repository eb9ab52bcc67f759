import Foundation
import SQLiteFile

/// What a ticket is worth at the venue's door. The raw values are the words in ticket files and on the command line.
package enum TicketStatus: String, Sendable, CaseIterable, Decodable {
  case paid, unpaid, cancelled, refunded, expired, deleted
}

/// A code that opens, or would, and how often it did.
package struct BookedTicket: Sendable, Equatable, Decodable {
  /// The entry's secret, or the sale's. Not for logs.
  package let code: String
  let kind: TicketBook.Ticket.Kind
  /// The sale that it belongs to.
  package let saleID: Int64
  /// The event that it is for.
  package let eventID: Int64
  /// The name of that event.
  package let event: String
  /// What it is worth now, whatever it was when it was scanned.
  package let status: TicketStatus
  /// How many persons it was sold for.
  package let quantity: Int64
  /// How many entries the book has for it; beyond `quantity` they are surplus.
  package let entries: Int64
  /// The buyer.
  package let holder: String
  /// What it was seeded for; `nil` where it was not.
  package let seeded: SeededTicket.Kind?

  /// Whether the code is a sale's, which makes an entry at each scan; else it is a printed entry.
  package var isSale: Bool { kind == .sale }

  private enum CodingKeys: String, CodingKey {
    case code, kind, event
    case saleID = "sale_id"
    case eventID = "event_id"
    case status, quantity, entries, holder, seeded
  }

  /// Printed entries, and the sales that have none of those or were scanned by their own code; by sale.
  static func all(_ db: Database) throws -> [BookedTicket] {
    try db.rows(
      """
      SELECT sold.*, events.name AS event FROM (
        SELECT entries.secret AS code, 0 AS is_sale, sales.id AS sale_id, sales.event_id, sales.status, sales.is_deleted,
          sales.name AS holder, sales.seed, 1 AS quantity, entries.scanned_at IS NOT NULL AS entries
        FROM entries JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
        JOIN sales ON sales.id = sale_tickets.sale_id WHERE entries.made_by_scan = 0
        UNION ALL
        SELECT sales.secret, 1, sales.id, sales.event_id, sales.status, sales.is_deleted, sales.name, sales.seed,
          SUM(sale_tickets.quantity),
          (SELECT COUNT(*) FROM entries JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
            WHERE sale_tickets.sale_id = sales.id AND entries.made_by_scan = 1) AS made
        FROM sales JOIN sale_tickets ON sale_tickets.sale_id = sales.id GROUP BY sales.id
        HAVING made > 0 OR NOT EXISTS (SELECT 1 FROM entries JOIN sale_tickets
          ON sale_tickets.id = entries.sale_ticket_id WHERE sale_tickets.sale_id = sales.id)
      ) AS sold JOIN events ON events.id = sold.event_id ORDER BY sale_id, is_sale, code
      """
    ).map { row in
      try BookedTicket(
        code: row["code"], kind: row["is_sale"] ? .sale : .entry, saleID: row["sale_id"], eventID: row["event_id"],
        event: row["event"],
        status: row["is_deleted"] ? .deleted : TicketStatus(rawValue: row["status"]) ?? .unpaid,
        quantity: row["quantity"], entries: row["entries"], holder: row["holder"],
        seeded: (row["seed"] as String?).flatMap(SeededTicket.Kind.init(label:)))
    }
  }
}

extension VenueServer {
  /// Every ticket and how many entries the book has for it.
  package func tickets() async throws -> [BookedTicket] {
    try await store.read { try BookedTicket.all($0) }
  }

  /// Every ticket in a venue's database, without changing it; a venue may be serving from it.
  package static func tickets(ofFile path: String) async throws -> [BookedTicket] {
    try await VenueStore(reading: path).read { try BookedTicket.all($0) }
  }

  /// Gives the whole sale of a code another status, from the next request on; its entries stay in the book.
  /// - Throws: `VenueError.unusable` where no ticket has this code.
  package func setStatus(_ status: TicketStatus, ofCode code: String) async throws {
    try await store.write { db in
      guard let found = try TicketBook(db: db).find(code: code) else {
        throw VenueError.unusable(
          "no ticket has this code; `scangate venue book --tickets --full` shows those there are")
      }
      try db.run(
        "UPDATE sales SET status = ?, is_deleted = ? WHERE id = ?", status.rawValue, status == .deleted, found.sale)
    }
  }
}

extension BookedTicket {
  /// One line of JSON: `code`, `kind`, `sale_id`, `event_id`, `event`, `status`, `quantity`, `entries`, `holder` and `seeded`.
  ///
  /// - Parameter show: how the code is shown; whole unless told otherwise.
  package func json(_ show: (String) -> String = { $0 }) -> String {
    let line: JSONText = [
      "code": .string(show(code)), "kind": .string(kind.rawValue), "sale_id": .integer(saleID),
      "event_id": .integer(eventID), "event": .string(event), "status": .string(status.rawValue),
      "quantity": .integer(quantity), "entries": .integer(entries),
      "holder": .string(holder), "seeded": seeded.map { .string($0.rawValue) } ?? .null,
    ]
    return line.text()
  }
}
