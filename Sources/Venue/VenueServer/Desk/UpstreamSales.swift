import HTTPTypes
import SQLiteFile

/// Sales as the original has them: the one list there is of codes, and what may be done to a sale, by its state.
extension Desk {
  private static let statuses = ["unpaid", "paid", "cancelled", "refunded", "expired"]

  func upstreamSales(_ asked: Asked) throws -> Answer {
    var fields = FieldReading(DeskInput(asked.query.mapValues { .string($0) }))
    let size = try size(asked, usual: 100, most: 500)
    let day = fields.day("event_date")
    if let status = asked["status"], !Self.statuses.contains(status) { fields.noteSelected("status") }
    let email = fields.email("email")
    try fields.finish()
    var conditions = [EventBook.isManaged, "NOT sales.is_deleted", "NOT events.is_deleted"]
    var values: [(any Storable)?] = [holder.userID, holder.userID]
    for (column, value) in [
      ("events.id", asked["event_id"].map { shape.id($0) ?? -1 } as (any Storable)?),
      (SalesList.day, day?.description), ("sales.status", asked["status"]), ("sales.email", email),
      ("schedules.subdomain", asked["subdomain"]),
    ] {
      guard let value else { continue }
      conditions.append("\(column) = ?")
      values.append(value)
    }
    let source = "\(Self.source) WHERE " + conditions.joined(separator: " AND ")
    let total: Int64 = try db.value("SELECT COUNT(*) \(source)", with: values) ?? 0
    let pages = Pages(total: total, size: size, page: asked["page"])
    let rows = try db.rows(
      "\(Self.select) \(source) ORDER BY sales.id DESC LIMIT ? OFFSET ?", with: values + pages.bounds)
    return .ok(
      ["data": .array(try rows.map(text)), "meta": pages.meta(shape, path: asked.address)], layout: .pretty)
  }

  func showUpstreamSale(_ asked: Asked) throws -> Answer {
    .ok(["data": try text(managed(asked.id))], layout: .pretty)
  }

  func changeUpstreamSale(_ asked: Asked) throws -> Answer {
    let row = try managed(asked.id)
    let (id, status): (Int64, String) = try (row["id"], row["status"])
    var fields = FieldReading(asked.input)
    let action = fields.text("action", isRequired: true)
    let allowed = [
      "mark_paid": (["unpaid"], "paid"), "refund": (["paid"], "refunded"), "cancel": (["unpaid", "paid"], "cancelled"),
    ]
    if let action, allowed[action] == nil { fields.noteSelected("action") }
    try fields.finish()
    guard let action, let (from, to) = allowed[action] else { throw Self.serverError }
    guard from.contains(status) else {
      throw Answer.error(
        .unprocessableContent, "Action \"\(action)\" cannot be performed on a sale with status \"\(status)\"")
    }
    try set(to, of: id)
    return try told(id, "Sale updated successfully")
  }

  func deleteUpstreamSale(_ asked: Asked) throws -> Answer {
    try db.run("UPDATE sales SET is_deleted = 1 WHERE id = ?", managed(asked.id)["id"] as Int64)
    return .ok(["data": ["message": "Sale deleted successfully"]], layout: .pretty)
  }

  /// Unpaid, unless it is free.
  func addUpstreamSale(_ asked: Asked) throws -> Answer {
    var fields = FieldReading(asked.input)
    let eventName = fields.text("event_id", isRequired: true)
    let name = fields.text("name", isRequired: true)
    let email = fields.email("email", isRequired: true)
    let wanted = fields.required("tickets")
    if wanted != .null, !wanted.isList { fields.note("tickets", "must be an array.") }
    for (type, count) in wanted.members where (count.whole ?? 0) < 1 {
      fields.note("tickets.\(type)", count.whole == nil ? "must be an integer." : "must be at least 1.")
    }
    let day = fields.day("event_date")
    try fields.finish()
    guard let event = try eventName.flatMap(shape.id).flatMap({ try book.event($0) }) else {
      throw none(.event, eventName ?? "")
    }
    guard event.isManaged(by: holder) else { throw Self.unauthorized }
    if let starts = event.startsAt.flatMap(Timestamp.init(sql:)), starts.seconds < now.seconds {
      throw Answer.error(.unprocessableContent, "Cannot sell tickets for events in the past")
    }
    let types = try book.types(of: event.id)
    var lines: [(type: Int64, count: Int64)] = []
    for (name, count) in wanted.members {
      guard let type = types.first(where: { $0.id == shape.id(name) || $0.name == name }), let count = count.whole
      else {
        throw Answer.error(.unprocessableContent, "Ticket not found")
      }
      try requireLeft(type.id, count, named: name)
      lines.append((type.id, count))
    }
    let sale = try sell(event, to: name, email, on: day, lines, withEntries: false)
    let amount = lines.reduce(0.0) { sum, line in
      sum + (types.first { $0.id == line.type }?.price.flatMap(Double.init) ?? 0) * Double(line.count)
    }
    if amount == 0 { try set("paid", of: sale) }
    var answer = try told(sale, "Sale created successfully")
    answer.status = .created
    return answer
  }

  private static let select = """
    SELECT sales.*, events.name AS event, events.user_id, events.editor_id, \(SalesList.day) AS day, schedules.subdomain
    """
  private static let source = """
    FROM sales JOIN events ON events.id = sales.event_id LEFT JOIN schedules ON schedules.id = events.venue_id
    """

  private func told(_ id: Int64, _ message: JSONText) throws -> Answer {
    guard let row = try db.row("\(Self.select) \(Self.source) WHERE sales.id = ?", id) else { throw Self.serverError }
    return .ok(["data": try text(row), "meta": ["message": message]], layout: .pretty)
  }

  private func managed(_ name: String) throws -> StoredRow {
    let sql = """
      \(Self.select) \(Self.source) WHERE sales.id = ? AND NOT sales.is_deleted AND NOT events.is_deleted
      """
    guard let id = shape.id(name), let row = try db.row(sql, id) else { throw none(.sale, name) }
    guard try row["user_id"] == holder.userID || row["editor_id"] as Int64? == holder.userID else {
      throw Self.unauthorized
    }
    return row
  }

  /// Its code is told to those alone who own the event or bought the ticket.
  private func text(_ row: StoredRow) throws -> JSONText {
    let id: Int64 = try row["id"]
    let lines = try db.rows(
      """
      SELECT sale_tickets.quantity, tickets.id, tickets.type, tickets.price FROM sale_tickets
      JOIN tickets ON tickets.id = sale_tickets.ticket_id WHERE sale_tickets.sale_id = ? ORDER BY sale_tickets.id
      """, id)
    var (amount, count) = (0.0, Int64(0))
    let tickets: [JSONText] = try lines.map { line in
      let price = (try line["price"] as String?).flatMap(Double.init) ?? 0
      let quantity: Int64 = try line["quantity"]
      amount += price * Double(quantity)
      count += quantity
      return [
        "ticket_id": .string(OpaqueID.text(try line["id"])), "quantity": .integer(quantity), "price": .decimal(price),
        "type": .optional(try line["type"]), "is_addon": false, "is_pass": false,
      ]
    }
    var members: [(key: String, value: JSONText)] = try [
      ("id", .string(OpaqueID.text(id))), ("event_id", .string(OpaqueID.text(row["event_id"]))),
      ("event_name", .string(row["event"])), ("subdomain", .optional(row["subdomain"])), ("name", .string(row["name"])),
      ("email", .string(row["email"])), ("phone", nil), ("event_date", .string(row["day"])),
      ("status", .string(row["status"])), ("payment_method", "cash"), ("payment_amount", .decimal(amount)),
      ("transaction_reference", nil),
    ]
    if try row["user_id"] == holder.userID || row["buyer_id"] as Int64? == holder.userID {
      members.append(("secret", .string(try row["secret"])))
    }
    return .object(members + [("tickets", .array(tickets)), ("total_quantity", .integer(count))])
  }
}
