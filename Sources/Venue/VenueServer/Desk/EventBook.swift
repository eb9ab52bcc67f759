import Foundation
import SQLiteFile

/// An event as the database has it.
struct StoredEvent: Sendable {
  let id: Int64
  let ownerID: Int64
  let editorID: Int64?
  let name: String
  let zone: String
  /// Its day, by its own clocks.
  let day: String
  /// In UTC: `2025-12-17 19:00:00`.
  let startsAt: String?
  /// In hours.
  let duration: Double?
  let venueID: Int64?
  /// What else was told of it.
  let details: [String: SentJSON]

  init(_ row: StoredRow) throws {
    id = try row["id"]
    ownerID = try row["user_id"]
    editorID = try row["editor_id"]
    name = try row["name"]
    zone = try row["timezone"]
    day = try row["date"]
    startsAt = try row["starts_at"]
    duration = try row["duration"]
    venueID = try row["venue_id"]
    details = try EventBook.details(row)
  }

  /// Whether somebody may scan its tickets and change them: not its owner alone.
  func isManaged(by holder: KeyHolder) -> Bool { ownerID == holder.userID || editorID == holder.userID }

  /// Whether tickets are sold.
  var sellsTickets: Bool { details["tickets_enabled"]?.isTrue ?? true }

  /// When it is over; as the real server has it for those that do not say, after two hours.
  var ends: Timestamp? {
    startsAt.flatMap(Timestamp.init(sql:)).map {
      Timestamp(clamping: $0.seconds + Int64(min(max(duration ?? 2, 0), 10_000) * 3_600))
    }
  }
}

/// Events and their ticket types in the database.
struct EventBook {
  /// SQL for `StoredEvent.isManaged`, which wants the user twice.
  static let isManaged = "(events.user_id = ? OR events.editor_id = ?)"

  let db: Database

  static func details(_ row: StoredRow) throws -> [String: SentJSON] {
    let text: String = try row["details"]
    return (try? JSONDecoder().decode([String: SentJSON].self, from: Data(text.utf8))) ?? [:]
  }

  func event(_ id: Int64) throws -> StoredEvent? {
    try db.row("SELECT * FROM events WHERE id = ? AND NOT is_deleted", id).map(StoredEvent.init)
  }

  /// Its venue, and who performs, as rows of `schedules`.
  func schedule(_ id: Int64?) throws -> StoredSchedule? {
    guard let id else { return nil }
    return try db.row("SELECT * FROM schedules WHERE id = ?", id).map(StoredSchedule.init)
  }

  func members(of event: Int64) throws -> [StoredSchedule] {
    try db.rows(
      """
      SELECT schedules.* FROM event_members JOIN schedules ON schedules.id = event_members.schedule_id
      WHERE event_members.event_id = ? ORDER BY schedules.id
      """, event
    ).map(StoredSchedule.init)
  }

  /// The types that are for sale, with how many were sold.
  func types(of event: Int64) throws -> [TicketType] {
    try db.rows(
      """
      SELECT tickets.*,
        (SELECT COALESCE(SUM(sale_tickets.quantity), 0) FROM sale_tickets JOIN sales ON sales.id = sale_tickets.sale_id
         WHERE sale_tickets.ticket_id = tickets.id AND sales.status = 'paid' AND NOT sales.is_deleted) AS sold
      FROM tickets WHERE event_id = ? AND NOT is_deleted ORDER BY id
      """, event
    ).map(TicketType.init)
  }
}

/// A type of tickets: `VIP`.
struct TicketType: Sendable {
  let id: Int64
  let name: String?
  /// As it is told: `10.000`.
  let price: String?
  /// How many there are; nil for any number.
  let quantity: Int64?
  let description: String?
  let sold: Int64

  init(_ row: StoredRow) throws {
    id = try row["id"]
    name = try row["type"]
    price = try row["price"]
    quantity = try row["quantity"]
    description = try row["description"]
    sold = try row["sold"]
  }
}

/// A venue, or somebody who performs.
struct StoredSchedule: Sendable {
  enum Kind: String, Sendable { case venue, talent }

  let id: Int64
  let ownerID: Int64
  let kind: Kind
  let subdomain: String
  let name: String
  let details: [String: SentJSON]
  let created: Timestamp
  let updated: Timestamp

  init(_ row: StoredRow) throws {
    id = try row["id"]
    ownerID = try row["user_id"]
    kind = try Kind(rawValue: row["type"]) ?? .venue
    subdomain = try row["subdomain"]
    name = try row["name"]
    details = try EventBook.details(row)
    created = Timestamp(clamping: try row["created_at"])
    updated = Timestamp(clamping: try row["updated_at"])
  }

  /// One of its details; null where nobody told.
  func told(_ name: String) -> JSONText { details[name]?.json ?? .null }
}
