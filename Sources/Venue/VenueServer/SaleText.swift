import FoundationEssentials
import SQLiteFile

/// Writes a sale and its event as the real server does: not as its document says.
enum SaleText {
  /// The real server's public ids are its numbers, moved and in base64: 456 is "Mzg5NzM0".
  private static let idOffset: Int64 = 389_278

  static func publicID(_ id: Int64) -> String {
    Data(String(id + idOffset).utf8).base64EncodedString()
  }

  /// Reads an id in a path: a number, or a public id.
  static func id(_ text: some StringProtocol) -> Int64? {
    if let number = Int64(text) { return number }
    guard let data = Data(base64Encoded: String(text)), let number = Int64(String(decoding: data, as: UTF8.self)),
      number > idOffset
    else { return nil }
    return number - idOffset
  }

  /// The sale as it stands now; without its secret and its date, which the real server does not tell.
  static func sale(_ db: Database, id: Int64) throws -> JSONText {
    guard let row = try db.row("SELECT * FROM sales WHERE id = ?", id) else { return .null }
    let tickets = try db.rows(
      """
      SELECT id, ticket_id, quantity,
        EXISTS (SELECT 1 FROM entries WHERE sale_ticket_id = sale_tickets.id AND scanned_at IS NOT NULL) AS used
      FROM sale_tickets WHERE sale_id = ? ORDER BY id
      """, id)
    return try [
      "id": .integer(id), "status": .string(row["status"]), "name": .string(row["name"]),
      "email": .string(row["email"]), "event_id": .integer(row["event_id"]), "event": event(db, id: row["event_id"]),
      "tickets": .array(
        tickets.map { try ticket(id: $0["id"], of: $0["ticket_id"], $0["quantity"], isUsed: $0["used"]) }),
    ]
  }

  /// One ticket of a sale counts as used once any of its entries was scanned, whatever its quantity.
  private static func ticket(id: Int64, of type: Int64, _ quantity: Int64, isUsed: Bool) -> JSONText {
    [
      "id": .integer(id), "ticket_id": .integer(type), "quantity": .integer(quantity),
      "usage_status": .string(isUsed ? "used" : "unused"),
    ]
  }

  private static func event(_ db: Database, id: Int64) throws -> JSONText {
    guard let row = try db.row("SELECT * FROM events WHERE id = ?", id) else { return .null }
    let duration: Double? = try row["duration"]
    let publicID = publicID(id)
    return try [
      "id": .string(publicID), "url": .string("https://venue.example/event/\(publicID)"),
      "slug": .string("event-\(id)"), "name": .string(row["name"]), "description": nil, "description_html": nil,
      "starts_at": .optional(row["starts_at"]), "duration": duration.map { .decimal($0) } ?? .null,
      "timezone": .string(row["timezone"]), "venue_id": nil, "venue": nil, "tickets_enabled": true,
      "ticket_currency_code": "EUR", "total_tickets_mode": "individual", "ticket_notes": nil, "ticket_notes_html": nil,
      "registration_url": nil, "event_url": nil, "payment_method": "cash", "payment_instructions": nil,
      "payment_instructions_html": nil, "flyer_image_id": nil, "flyer_image_url": nil, "category": nil,
      "notification_settings": .phpMap([]), "has_password": false, "members": .phpMap([]),
      "tickets": .array(ticketTypes(db, event: id, date: row["date"])), "schedules": [], "curator_role": nil,
    ]
  }

  private static func ticketTypes(_ db: Database, event: Int64, date: String) throws -> [JSONText] {
    let rows = try db.rows(
      """
      SELECT tickets.id, tickets.type,
        (SELECT COALESCE(SUM(sale_tickets.quantity), 0) FROM sale_tickets JOIN sales ON sales.id = sale_tickets.sale_id
         WHERE sale_tickets.ticket_id = tickets.id AND sales.status = 'paid' AND NOT sales.is_deleted) AS sold
      FROM tickets WHERE event_id = ? ORDER BY id
      """, event)
    return try rows.map { row in
      let sold: Int64 = try row["sold"]
      return try [
        "id": .string(publicID(row["id"])), "type": .optional(row["type"]), "price": "10.000", "quantity": nil,
        "sold": .phpMap(sold > 0 ? [(date, .integer(sold))] : []), "description": nil,
      ]
    }
  }
}
