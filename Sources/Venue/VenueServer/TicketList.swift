import HTTPTypes
import SQLiteFile

/// `GET /api/tickets`: the sales of the asker's events, 50 a page. Reads only.
struct TicketList {
  /// Sales on one page; not negotiable at the real server either.
  static let pageSize = 50

  let db: Database
  let holder: KeyHolder

  func page(event: String?, query: String?, page: String?) throws -> Answer {
    var conditions = ["events.user_id = ?", "NOT sales.is_deleted"]
    var values: [(any Storable)?] = [holder.userID]
    if let event, !event.isEmpty {
      guard let id = Int64(event),
        let owner: Int64 = try db.value("SELECT user_id FROM events WHERE id = ?", id)
      else { return .message(.notFound, "No query results for model [App\\Models\\Event] \(event)") }
      guard owner == holder.userID else { return .error(.forbidden, "Unauthorized") }
      conditions.append("events.id = ?")
      values.append(id)
    }
    if let query, !query.isEmpty {
      let pattern = "%\(query)%"
      conditions.append(
        """
        (sales.name LIKE ? OR sales.email LIKE ? OR sales.secret LIKE ? OR events.name LIKE ? OR EXISTS (
          SELECT 1 FROM sale_tickets JOIN entries ON entries.sale_ticket_id = sale_tickets.id
          WHERE sale_tickets.sale_id = sales.id AND entries.secret LIKE ?))
        """)
      values += [pattern, pattern, pattern, pattern, pattern]
    }
    let source = "FROM sales JOIN events ON events.id = sales.event_id WHERE " + conditions.joined(separator: " AND ")

    let total: Int64 = try db.value("SELECT COUNT(*) \(source)", with: values) ?? 0
    let size = Int64(Self.pageSize)
    let last = max(1, (total + size - 1) / size)
    let current = max(1, page.flatMap { Int64($0) } ?? 1)
    // A page beyond the last is empty; its number is clamped before it can overflow.
    values += [size, (min(current, last + 1) - 1) * size]
    let sales = try db.rows("SELECT sales.id \(source) ORDER BY sales.id DESC LIMIT ? OFFSET ?", with: values)
    let meta: JSONText = [
      "current_page": .integer(current), "last_page": .integer(last), "per_page": .integer(size),
      "total": .integer(total),
    ]
    let data = JSONText.array(try sales.map { try SaleText.sale(db, id: $0["id"]) })
    return .ok(["data": data, "meta": meta], layout: .pretty)
  }
}
