package import FoundationEssentials
import SQLiteFile

/// One admission in the venue's book.
package struct BookEntry: Sendable, Equatable, Decodable {
  /// The entry, never given twice.
  package let entryID: Int64
  /// The sale that it belongs to.
  package let saleID: Int64
  /// The event that it was for.
  package let eventID: Int64
  /// The ticket of the sale that it used.
  package let saleTicketID: Int64
  /// The code that was presented: the entry's secret, or the sale's. Not for logs.
  package let code: String
  /// Whether the scan made this entry (a sale secret) or found it printed (an entry secret).
  package let wasMadeByScan: Bool
  /// The buyer.
  package let holder: String
  /// The first scan, in whole seconds of the venue's clock.
  package let scannedAt: Date
  /// The seat, where the scan named one.
  package let seat: String?

  private enum CodingKeys: String, CodingKey {
    case code, holder
    case entryID = "entry_id"
    case saleID = "sale_id"
    case eventID = "event_id"
    case saleTicketID = "sale_ticket_id"
    case wasMadeByScan = "made_by_scan"
    case scannedAt = "scanned_at"
    case seat
  }

  static func all(_ db: Database) throws -> [BookEntry] {
    let rows = try db.rows(
      """
      SELECT entries.*, sales.id AS sale_id, sales.event_id, sales.secret AS sale_secret, sales.name FROM entries
      JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
      JOIN sales ON sales.id = sale_tickets.sale_id
      WHERE entries.scanned_at IS NOT NULL ORDER BY entries.scanned_at, entries.id
      """)
    return try rows.map { row in
      let madeByScan: Bool = try row["made_by_scan"]
      let seconds: Int64 = try row["scanned_at"]
      return try BookEntry(
        entryID: row["id"], saleID: row["sale_id"], eventID: row["event_id"], saleTicketID: row["sale_ticket_id"],
        code: madeByScan ? row["sale_secret"] : row["secret"], wasMadeByScan: madeByScan, holder: row["name"],
        scannedAt: Date(timeIntervalSince1970: Double(seconds)), seat: row["seat_number"])
    }
  }
}
