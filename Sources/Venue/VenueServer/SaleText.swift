import SQLiteFile

/// Writes a sale as the real server does: not as its document says.
enum SaleText {
  /// The sale as it stands now; without its secret and its date, which the real server does not tell.
  static func sale(_ db: Database, id: Int64, _ shape: ServerShape?) throws -> JSONText {
    guard let row = try db.row("SELECT * FROM sales WHERE id = ?", id) else { return .null }
    let tickets = try db.rows(
      """
      SELECT id, ticket_id, quantity,
        EXISTS (SELECT 1 FROM entries WHERE sale_ticket_id = sale_tickets.id AND scanned_at IS NOT NULL) AS used
      FROM sale_tickets WHERE sale_id = ? ORDER BY id
      """, id)
    return try [
      "id": .integer(id), "status": .string(row["status"]), "name": .string(row["name"]),
      "email": .string(row["email"]), "event_id": .integer(row["event_id"]),
      "event": EventText.inSale(db, id: row["event_id"], shape),
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
}
