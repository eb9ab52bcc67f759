import HTTPTypes
import SQLiteFile

/// Sales as the fork and the document have them: what is done to one, and how one is made.
extension Desk {
  /// A sale and whom it concerns.
  struct FoundSale {
    let id: Int64
    let status: String
    let buyerID: Int64?
    let event: StoredEvent
  }

  /// `PATCH /api/tickets/{sale}`: any state from any other, and no money is moved.
  func changeSale(_ asked: Asked) throws -> Answer {
    let sale = try managed(asked.id)
    var fields = FieldReading(asked.input)
    let action = fields.text("action")
    let actions = ["mark_paid", "mark_unpaid", "refund", "cancel", "delete", "mark_used", "mark_unused"]
    if let action, !actions.contains(action) { fields.noteSelected("action") }
    let (name, email) = (fields.text("name"), fields.email("email"))
    try fields.finish()
    try rename(sale.id, name, email)
    switch action {
    case "mark_paid": try set("paid", of: sale.id)
    case "mark_unpaid": try set("unpaid", of: sale.id)
    case "refund": try set("refunded", of: sale.id)
    case "cancel": try set("cancelled", of: sale.id)
    case "delete": try db.run("UPDATE sales SET is_deleted = 1 WHERE id = ?", sale.id)
    case "mark_used": try mark(sale.id, "COALESCE(scanned_at, \(now.seconds))")
    case "mark_unused": try mark(sale.id, "NULL")
    default: break
    }
    return .ok(["data": try SaleText.sale(db, id: sale.id, shape)], layout: .pretty)
  }

  /// `POST /api/tickets/{id}/refund` and `/void`, as the document has them.
  func set(_ status: TicketStatus, _ asked: Asked) throws -> Answer {
    let sale = try managed(asked.id)
    try set(status.rawValue, of: sale.id)
    return .ok(try SaleText.sale(db, id: sale.id, shape))
  }

  /// The fork lets none but the buyer.
  func reassign(_ asked: Asked) throws -> Answer {
    let sale = try shape == .planify ? bought(asked.id) : managed(asked.id)
    var fields = FieldReading(asked.input)
    let name = fields.text("new_holder_name", isRequired: true)
    let email = fields.email("new_holder_email", isRequired: true)
    try fields.finish()
    try rename(sale.id, name, email)
    guard shape == .planify else { return .ok(try SaleText.sale(db, id: sale.id, shape)) }
    return .ok([
      "message": "Ticket reassigned successfully",
      "data": [
        "id": .integer(sale.id), "new_holder_name": .optional(name), "new_holder_email": .optional(email),
      ],
    ])
  }

  /// For the buyer alone as well.
  func note(_ asked: Asked) throws -> Answer {
    let sale = try bought(asked.id)
    var fields = FieldReading(asked.input)
    let note = fields.text("note", isRequired: true, upTo: 1_000)
    try fields.finish()
    try db.run("INSERT INTO sale_notes (sale_id, note, created_at) VALUES (?, ?, ?)", sale.id, note, now.seconds)
    return Answer(
      status: .created,
      body: [
        "message": "Note added successfully",
        "data": ["note": .optional(note), "created_at": .string(now.withOffset)],
      ])
  }

  /// `POST /api/events/{subdomain}/checkout`: a sale with printed entries. Its answer tells no code, and nothing else does.
  func checkOut(_ asked: Asked) throws -> Answer {
    var fields = FieldReading(asked.input)
    let name = fields.text("name", isRequired: true)
    let email = fields.email("email", isRequired: true)
    let day = fields.day("event_date", isRequired: true)
    let wanted = fields.required("tickets")
    if wanted != .null, !wanted.isList { fields.note("tickets", "must be an array.") }
    for (type, count) in wanted.members where (count.whole ?? -1) < 0 {
      fields.note("tickets.\(type)", count.whole == nil ? "must be an integer." : "must be at least 0.")
    }
    try fields.finish()
    let first = wanted.members.first { ($0.value.whole ?? 0) > 0 }.flatMap { shape.id($0.key) }
    guard let event = try event(ofSubdomain: asked.id, with: first) else { throw none(.event, asked.id) }
    if let password = event.details["event_password"]?.text, asked.input["password"].text != password {
      throw Answer.error(.forbidden, "Invalid event password")
    }
    var lines: [(type: Int64, count: Int64)] = []
    for (type, count) in wanted.members {
      guard let count = count.whole, count > 0 else { continue }
      guard let id = shape.id(type) else { throw none(.ticket, type) }
      try requireLeft(id, count, named: type)
      lines.append((id, count))
    }
    let sale = try sell(event, to: name, email, on: day, lines, withEntries: true)
    let told: JSONText = [
      "id": .string(PublicID.text(sale)), "status": nil,
      "payment_method": event.details["payment_method"]?.json ?? "cash",
    ]
    return Answer(status: .created, body: ["data": told], layout: .pretty)
  }

  /// `POST /api/tickets`, which the document names and does not describe: a paid sale, and its code.
  func issue(_ asked: Asked) throws -> Answer {
    var fields = FieldReading(asked.input)
    let eventName = fields.required("event_id")
    let name = fields.text("name", isRequired: true)
    let email = fields.email("email", isRequired: true)
    let day = fields.day("event_date")
    let count = fields.input.has("quantity") ? fields.whole("quantity") : 1
    if let count, !(1...100).contains(count) { fields.note("quantity", "must be between 1 and 100.") }
    let event = try (eventName.text ?? eventName.whole.map { String($0) }).flatMap { name in
      try shape.id(name).flatMap { try book.event($0) }
    }
    if eventName != .null, event == nil { fields.noteSelected("event_id") }
    let types = try event.map { try book.types(of: $0.id) } ?? []
    let typeName = asked.input["ticket_id"].text ?? asked.input["ticket_id"].whole.map { String($0) }
    let type = typeName.map { name in types.first { $0.id == shape.id(name) || $0.name == name } } ?? types.first
    if event != nil, type == nil { fields.noteSelected("ticket_id") }
    try fields.finish()
    guard let event, let type, let count else { throw Self.serverError }
    guard event.isManaged(by: holder) else { throw Self.unauthorized }
    try requireLeft(type.id, count, named: String(type.id))
    let sale = try sell(event, to: name, email, on: day, [(type.id, count)], withEntries: false)
    try set("paid", of: sale)
    guard case .object(let members) = try SaleText.sale(db, id: sale, shape),
      let code: String = try db.value("SELECT secret FROM sales WHERE id = ?", sale)
    else { throw Self.serverError }
    return Answer(status: .created, body: .object(members + [("ticket_code", .string(code))]))
  }

  // MARK: Parts that the original shares

  /// Makes an unpaid sale of the key's user.
  func sell(
    _ event: StoredEvent, to name: String?, _ email: String?, on day: CalendarDay?,
    _ lines: [(type: Int64, count: Int64)], withEntries: Bool
  ) throws -> Int64 {
    var random = SystemRandomNumberGenerator()
    try db.run(
      """
      INSERT INTO sales (event_id, secret, status, name, email, event_date, buyer_id) VALUES (?, ?, 'unpaid', ?, ?, ?, ?)
      """, event.id, Secret.ticket(&random), name ?? "", email ?? "", day?.description, holder.userID)
    let sale = db.lastInsertedRowID
    for line in lines {
      try db.run(
        "INSERT INTO sale_tickets (sale_id, ticket_id, quantity) VALUES (?, ?, ?)", sale, line.type, line.count)
      let saleTicket = db.lastInsertedRowID
      for seat in stride(from: 1, through: withEntries ? line.count : 0, by: 1) {
        try db.run(
          "INSERT INTO entries (sale_ticket_id, secret, seat_number) VALUES (?, ?, ?)", saleTicket,
          Secret.ticket(&random), String(seat))
      }
    }
    return sale
  }

  /// Ends the request where so many are not left, or more than anybody buys are wanted.
  func requireLeft(_ type: Int64, _ count: Int64, named name: String) throws {
    guard let event: Int64 = try db.value("SELECT event_id FROM tickets WHERE id = ?", type) else {
      throw none(.ticket, name)
    }
    let found = try book.types(of: event).first { $0.id == type }
    let left = found?.quantity.map { $0 > 0 ? $0 - (found?.sold ?? 0) : 10_000 } ?? 10_000
    guard count <= left else { throw Answer.error(.unprocessableContent, "Tickets not available") }
  }

  func set(_ status: String, of sale: Int64) throws {
    try db.run("UPDATE sales SET status = ? WHERE id = ?", status, sale)
  }

  /// The sale that a path names, where its event may be managed.
  private func managed(_ name: String) throws -> FoundSale {
    let sale = try sale(name)
    guard sale.buyerID == holder.userID || sale.event.isManaged(by: holder) else { throw Self.unauthorized }
    return sale
  }

  private func bought(_ name: String) throws -> FoundSale {
    let sale = try sale(name)
    guard sale.buyerID == holder.userID else { throw Self.unauthorized }
    return sale
  }

  private func sale(_ name: String) throws -> FoundSale {
    guard let id = PublicID.numberOrText(name),
      let row = try db.row("SELECT status, event_id, buyer_id FROM sales WHERE id = ?", id),
      let event = try book.event(row["event_id"])
    else { throw none(.sale, name) }
    return try FoundSale(id: id, status: row["status"], buyerID: row["buyer_id"], event: event)
  }

  private func rename(_ sale: Int64, _ name: String?, _ email: String?) throws {
    if let name { try db.run("UPDATE sales SET name = ? WHERE id = ?", name, sale) }
    if let email { try db.run("UPDATE sales SET email = ? WHERE id = ?", email, sale) }
  }

  /// Every entry of every line.
  private func mark(_ sale: Int64, _ time: String) throws {
    try db.run(
      """
      UPDATE entries SET scanned_at = \(time)
      WHERE sale_ticket_id IN (SELECT id FROM sale_tickets WHERE sale_id = ?)
      """, sale)
  }

  /// The event with this slug, or that of a schedule's whose type is to be sold; the schedule's first where none has it.
  private func event(ofSubdomain name: String, with type: Int64?) throws -> StoredEvent? {
    if name.hasPrefix("event-"), let id = Int64(name.dropFirst("event-".count)) { return try book.event(id) }
    let id: Int64? = try db.value(
      """
      SELECT events.id FROM events JOIN schedules ON schedules.id = events.venue_id
      WHERE schedules.subdomain = ? AND NOT events.is_deleted
      ORDER BY NOT EXISTS (SELECT 1 FROM tickets WHERE event_id = events.id AND id = ?), events.id LIMIT 1
      """, name, type)
    return try id.flatMap { try book.event($0) }
  }
}
