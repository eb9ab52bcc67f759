import Foundation
import SQLiteFile

/// Writes events and sales into the database: what seeding and importing share.
struct TicketBook {
  let db: Database

  /// What is known of a ticket before it is written.
  struct Ticket: Sendable, Equatable {
    /// What the code is the secret of.
    enum Kind: String, Sendable, CaseIterable, Decodable {
      /// One printed entry; admits once.
      case entry
      /// A sale; each scan makes an entry.
      case sale
    }

    var code: String
    var kind: Kind
    var status: String
    var isDeleted: Bool
    var name: String
    var email: String
    var quantity: Int64
  }

  /// A ticket type of an event.
  struct SoldType: Hashable, Sendable {
    var name: String
    var price: String
    var quantity: Int64?
  }

  /// An event of one evening, begun at eight by its own clocks unless told otherwise.
  struct Evening: Hashable, Sendable {
    var name: String
    var day: String
    var zone: String
    var organiser = Organiser.own
    var hour = 20
    var venue: Int64?
    /// Who may scan it besides its organiser.
    var editor: Int64?
    var types = [SoldType(name: "Admission", price: "10.000")]

    func startsAt() -> String? {
      guard let day = CalendarDay(day), let zone = TimeZone.named(zone) else { return nil }
      return day.instant(hour: hour, in: zone).sql
    }
  }

  /// The zone of this machine, by its IANA name.
  static var localZone: String {
    let name = TimeZone.current.identifier
    return name == "GMT" ? "UTC" : name
  }

  func addEvent(_ evening: Evening, seed: String? = nil) throws -> Int64 {
    try db.run(
      """
      INSERT INTO events (user_id, name, timezone, date, starts_at, duration, venue_id, editor_id, seed)
      VALUES (?, ?, ?, ?, ?, 3, ?, ?, ?)
      """, evening.organiser, evening.name, evening.zone, evening.day, evening.startsAt(), evening.venue,
      evening.editor,
      seed)
    let id = db.lastInsertedRowID
    for type in evening.types {
      try db.run(
        "INSERT INTO tickets (event_id, type, price, quantity) VALUES (?, ?, ?, ?)", id, type.name, type.price,
        type.quantity)
    }
    return id
  }

  /// Moves an event to a day and zone.
  func move(event id: Int64, to evening: Evening) throws {
    try db.run(
      "UPDATE events SET date = ?, timezone = ?, starts_at = ?, venue_id = COALESCE(venue_id, ?) WHERE id = ?",
      evening.day, evening.zone, evening.startsAt(), evening.venue, id)
  }

  /// The organiser's event of this name, day and zone, made when there is none.
  func event(_ evening: Evening) throws -> Int64 {
    let found: Int64? = try db.value(
      """
      SELECT id FROM events WHERE user_id = ? AND name = ? AND date = ? AND timezone = ? AND seed IS NULL AND NOT is_deleted
      """,
      evening.organiser, evening.name, evening.day, evening.zone)
    return try found ?? addEvent(evening)
  }

  /// Adds a sale of one ticket type, the first unless told otherwise, with its printed entry where the code is an entry's.
  func add(
    _ ticket: Ticket, to event: Int64, type: String? = nil, seed: String? = nil,
    random: inout some RandomNumberGenerator
  ) throws {
    let saleSecret = ticket.kind == .sale ? ticket.code : Secret.ticket(&random)
    try db.run(
      "INSERT INTO sales (event_id, secret, status, name, email, is_deleted, seed) VALUES (?, ?, ?, ?, ?, ?, ?)",
      event, saleSecret, ticket.status, ticket.name, ticket.email, ticket.isDeleted, seed)
    try db.run(
      """
      INSERT INTO sale_tickets (sale_id, ticket_id, quantity)
      SELECT ?, id, ? FROM tickets WHERE event_id = ? ORDER BY type IS NOT ?, id LIMIT 1
      """, db.lastInsertedRowID, ticket.quantity, event, type)
    if ticket.kind == .entry {
      try db.run("INSERT INTO entries (sale_ticket_id, secret) VALUES (?, ?)", db.lastInsertedRowID, ticket.code)
    }
  }

  /// The sale that a code belongs to, and in which of the two ways.
  func find(code: String) throws -> (sale: Int64, kind: Ticket.Kind)? {
    let sql = """
      SELECT sale_tickets.sale_id FROM entries JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
      WHERE entries.secret = ?
      """
    if let sale: Int64 = try db.value(sql, code) { return (sale, .entry) }
    let bySale: Int64? = try db.value("SELECT id FROM sales WHERE secret = ?", code)
    return bySale.map { ($0, .sale) }
  }

  /// Rewrites a sale that is there already; its entries stay as they are.
  func update(sale: Int64, to ticket: Ticket, event: Int64) throws {
    try db.run(
      "UPDATE sales SET event_id = ?, status = ?, name = ?, email = ?, is_deleted = ? WHERE id = ?",
      event, ticket.status, ticket.name, ticket.email, ticket.isDeleted, sale)
    try db.run(
      """
      UPDATE sale_tickets SET quantity = ?, ticket_id = (SELECT id FROM tickets WHERE event_id = ? ORDER BY id LIMIT 1)
      WHERE sale_id = ?
      """, ticket.quantity, event, sale)
  }

  /// Forgets that the tickets of an event were ever scanned.
  func forgetScans(ofEvent event: Int64) throws {
    let ofEvent = """
      sale_ticket_id IN (SELECT sale_tickets.id FROM sale_tickets JOIN sales ON sales.id = sale_tickets.sale_id
      WHERE sales.event_id = ?)
      """
    try db.run("DELETE FROM entries WHERE made_by_scan = 1 AND \(ofEvent)", event)
    try db.run("UPDATE entries SET scanned_at = NULL, seat_number = NULL WHERE \(ofEvent)", event)
  }
}
