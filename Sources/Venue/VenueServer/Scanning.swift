import Foundation
import HTTPTypes
import SQLiteFile

/// The two ways to scan, each inside one transaction: what is read is still true when it is written.
struct Scanning {
  let db: Database
  let holder: KeyHolder
  /// By which today is told.
  let now: Timestamp
  /// What is written down and answered: `now`, unless the clock misbehaves.
  let stamp: Timestamp
  /// Whether a secret is found in any case.
  let ignoresCase: Bool
  let shape: ServerShape?

  /// `POST /api/tickets/scan`: by the secret of an entry, else of a sale. The order of the checks is the real server's.
  func scan(_ fields: ScanFields) throws -> Answer {
    let collation = ignoresCase ? "NOCASE" : "BINARY"
    let entry = try db.row(
      """
      SELECT entries.id, entries.scanned_at, sale_tickets.sale_id FROM entries
      JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
      WHERE entries.secret = ? COLLATE \(collation)
      """, fields.code)
    let saleID: Int64
    if let entry {
      // An entry of a deleted sale is found all the same.
      saleID = try entry["sale_id"]
    } else {
      let sql = "SELECT id FROM sales WHERE secret = ? COLLATE \(collation) AND NOT is_deleted"
      guard let id: Int64 = try db.value(sql, fields.code) else {
        return .error(.notFound, "Ticket not found")
      }
      saleID = id
    }
    guard
      let sale = try db.row(
        """
        SELECT sales.status, events.user_id, events.editor_id, \(SalesList.day) AS date, events.timezone FROM sales
        JOIN events ON events.id = sales.event_id WHERE sales.id = ? AND NOT events.is_deleted
        """, saleID)
    else { return .error(.notFound, "Ticket not found") }
    if let refusal = try refusal(of: sale) { return refusal }

    if let entry {
      return try created(sale: saleID, admit(entry: entry["id"], first: entry["scanned_at"]))
    }
    guard let ticket = try saleTicket(fields.saleTicketID, of: saleID) else {
      return .error(.notFound, fields.saleTicketID == nil ? "No tickets found in this sale" : "Sale ticket not found")
    }
    return try created(sale: saleID, try addEntry(to: ticket, seat: fields.seat))
  }

  /// `POST /api/tickets/{sale_id}/scan`: looks at neither day nor payment, as the real one does not.
  func scan(sale text: String, _ fields: ScanFields) throws -> Answer {
    // The fork wants the buyer, of all people.
    let whose = shape == .planify ? "sales.buyer_id" : "events.user_id"
    let sql = """
      SELECT \(whose) AS whose FROM sales JOIN events ON events.id = sales.event_id WHERE sales.id = ?
      """
    guard let id = PublicID.numberOrText(text), let sale = try db.row(sql, id) else {
      return .message(.notFound, "No query results for model [App\\Models\\Sale] \(text)")
    }
    guard try sale["whose"] as Int64? == holder.userID else { return .error(.forbidden, "Unauthorized") }
    guard let ticket = try saleTicket(fields.saleTicketID, of: id) else {
      return .error(.notFound, "Sale ticket not found")
    }
    let entry = try addEntry(to: ticket, seat: fields.seat)
    let data: JSONText = ["entry_id": .integer(entry.id), "scanned_at": .string(entry.scannedAt.iso8601)]
    return Answer(status: .created, body: ["data": data], layout: .pretty)
  }

  private func refusal(of sale: StoredRow) throws -> Answer? {
    guard try sale["user_id"] == holder.userID || sale["editor_id"] as Int64? == holder.userID else {
      return .error(.forbidden, "You are not authorized to scan this ticket")
    }
    // Zones are checked before they are stored; one that this machine has lost since must not pass for UTC.
    guard let zone = try TimeZone.named(sale["timezone"]) else { return .message(.internalServerError, "Server Error") }
    var day = try CalendarDay(sale["date"])
    // The fork takes the day for an instant, midnight in UTC, which west of Greenwich is on the day before.
    if shape == .planify { day = day.map { Timestamp(seconds: Int64($0.number) * 86_400).day(in: zone) } }
    guard day == now.day(in: zone) else {
      return .error(.badRequest, "This ticket is not valid for today")
    }
    // These three are refused by name. Everything else passes, expired sales too, with the status in the answer.
    switch try sale["status"] as String {
    case "unpaid": return .error(.badRequest, "This ticket is not paid")
    case "cancelled": return .error(.badRequest, "This ticket is cancelled")
    case "refunded": return .error(.badRequest, "This ticket is refunded")
    default: return nil
    }
  }

  private struct Admission {
    let id: Int64
    let scannedAt: Timestamp
  }

  /// A printed entry keeps the time of its first scan.
  private func admit(entry id: Int64, first: Int64?) throws -> Admission {
    if let first { return Admission(id: id, scannedAt: Timestamp(seconds: first)) }
    try db.run("UPDATE entries SET scanned_at = ? WHERE id = ?", stamp.seconds, id)
    return Admission(id: id, scannedAt: stamp)
  }

  /// A sale makes an entry at each scan, however many there are already.
  private func addEntry(to saleTicket: Int64, seat: String?) throws -> Admission {
    var random = SystemRandomNumberGenerator()
    try db.run(
      "INSERT INTO entries (sale_ticket_id, secret, scanned_at, seat_number, made_by_scan) VALUES (?, ?, ?, ?, 1)",
      saleTicket, Secret.scannedEntry(&random), stamp.seconds, seat)
    return Admission(id: db.lastInsertedRowID, scannedAt: stamp)
  }

  private func saleTicket(_ wanted: Int64?, of sale: Int64) throws -> Int64? {
    if let wanted {
      return try db.value("SELECT id FROM sale_tickets WHERE id = ? AND sale_id = ?", wanted, sale)
    }
    return try db.value("SELECT id FROM sale_tickets WHERE sale_id = ? ORDER BY id LIMIT 1", sale)
  }

  private func created(sale: Int64, _ entry: Admission) throws -> Answer {
    let data: JSONText = [
      "sale_id": .integer(sale), "entry_id": .integer(entry.id), "scanned_at": .string(entry.scannedAt.iso8601),
      "sale": try SaleText.sale(db, id: sale, shape),
    ]
    return Answer(status: .created, body: ["data": data], layout: .pretty)
  }
}
