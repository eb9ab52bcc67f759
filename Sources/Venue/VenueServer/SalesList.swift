import HTTPTypes
import SQLiteFile

/// `GET /api/sales`: the sales of the asker's events with their secrets, whatever their state. Reads only.
///
/// As upstream has it, and beyond it the secrets of printed entries, as `entries` of each ticket: here both kinds of code admit.
struct SalesList {
  /// What is asked for, as it came.
  struct Query: Sendable {
    var event: String?
    var day: String?
    var status: String?
    var page: String?
    var size: String?
  }

  /// The most sales on one page, and how many there are without `per_page`.
  static let (mostPerPage, usualPerPage) = (500, 100)

  /// The day that a sale is for.
  static let day = "COALESCE(sales.event_date, events.date)"

  let db: Database
  let holder: KeyHolder

  func page(_ query: Query) throws -> Answer {
    var conditions = ["events.user_id = ?", "NOT events.is_deleted"]
    var values: [(any Storable)?] = [holder.userID]
    for (column, value) in [("events.id", query.event), (Self.day, query.day), ("sales.status", query.status)] {
      guard let value, !value.isEmpty else { continue }
      conditions.append("\(column) = ?")
      values.append(value)
    }
    let source = "FROM sales JOIN events ON events.id = sales.event_id WHERE " + conditions.joined(separator: " AND ")
    let total: Int64 = try db.value("SELECT COUNT(*) \(source)", with: values) ?? 0
    let size = Int64(min(max(query.size.flatMap { Int($0) } ?? Self.usualPerPage, 1), Self.mostPerPage))
    let pages = Pages(total: total, size: size, page: query.page)
    let rows = try db.rows(
      """
      SELECT sales.id, sales.event_id, sales.secret, sales.status, sales.is_deleted, sales.name, sales.email,
        events.name AS event, \(Self.day) AS date \(source) ORDER BY sales.id DESC LIMIT ? OFFSET ?
      """, with: values + pages.bounds)
    return .ok([
      "data": .array(try rows.map { try sale($0) }),
      "meta": pages.meta(nil),
    ])
  }

  private func sale(_ row: StoredRow) throws -> JSONText {
    let id: Int64 = try row["id"]
    let tickets = try db.rows("SELECT id, ticket_id, quantity FROM sale_tickets WHERE sale_id = ? ORDER BY id", id)
    let quantities: [Int64] = try tickets.map { try $0["quantity"] }
    let isDeleted: Bool = try row["is_deleted"]
    return try [
      "id": .integer(id), "event_id": .string(PublicID.text(row["event_id"])), "event_name": .string(row["event"]),
      "name": .string(row["name"]), "email": .string(row["email"]), "event_date": .string(row["date"]),
      "status": .string(isDeleted ? "deleted" : row["status"]), "secret": .string(row["secret"]),
      "tickets": .array(tickets.map { try ticket($0) }), "total_quantity": .integer(quantities.reduce(0, +)),
    ]
  }

  private func ticket(_ row: StoredRow) throws -> JSONText {
    let id: Int64 = try row["id"]
    let entries = try db.rows(
      "SELECT secret, scanned_at, made_by_scan FROM entries WHERE sale_ticket_id = ? ORDER BY id", id)
    let isUsed = try entries.contains { try ($0["scanned_at"] as Int64?) != nil }
    let printed = try entries.filter { try !$0["made_by_scan"] }
    return try [
      "ticket_id": .integer(row["ticket_id"]), "quantity": .integer(row["quantity"]),
      "usage_status": .string(isUsed ? "used" : "unused"), "is_addon": false, "is_pass": false,
      "entries": .array(printed.map(entry)),
    ]
  }

  private func entry(_ row: StoredRow) throws -> JSONText {
    let scanned: Int64? = try row["scanned_at"]
    return try [
      "secret": .string(row["secret"]),
      "scanned_at": .optional(scanned.map { Timestamp(seconds: $0).iso8601 }),
    ]
  }
}
