import HTTPTypes
import SQLiteFile

/// `GET /api/tickets`: the sales of the asker's events, 50 a page. Reads only.
struct TicketList {
  /// Sales on one page; not negotiable at the real server either.
  static let pageSize = 50

  let db: Database
  let holder: KeyHolder
  let shape: ServerShape?

  func page(event: String?, query: String?, page: String?) throws -> Answer {
    var conditions = [EventBook.isManaged, "NOT sales.is_deleted", "NOT events.is_deleted"]
    var values: [(any Storable)?] = [holder.userID, holder.userID]
    if let event, !event.isEmpty {
      let id = Int64(event)
      guard let found = try id.flatMap({ try EventBook(db: db).event($0) }) else {
        // The fork looks for the number among one's own, and takes no number for 0.
        if shape == .planify { return .error(.forbidden, "Unauthorized") }
        return .message(.notFound, "No query results for model [App\\Models\\Event] \(event)")
      }
      guard found.isManaged(by: holder) else { return .error(.forbidden, "Unauthorized") }
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
    let pages = Pages(total: total, size: Int64(Self.pageSize), page: page)
    let sales = try db.rows(
      "SELECT sales.id \(source) ORDER BY sales.id DESC LIMIT ? OFFSET ?", with: values + pages.bounds)
    let data = JSONText.array(try sales.map { try SaleText.sale(db, id: $0["id"], shape) })
    return .ok(["data": data, "meta": pages.meta(shape)], layout: .pretty)
  }
}
