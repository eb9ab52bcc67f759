import HTTPTypes
import SQLiteFile

/// The log of who came: names for an event, and no admission. None but the event's owner writes or reads it.
extension Desk {
  /// What the document has besides; the fork drops it silently.
  private static let details = [
    "ticket_id", "gate_id", "device_id", "action", "ts", "idempotency_key", "is_offline",
  ]

  /// Each is written down, whatever came before: whoever says it twice is in it twice.
  func addCheckIn(_ asked: Asked) throws -> Answer {
    var fields = FieldReading(asked.input)
    let event = try event(&fields)
    let name = fields.text("attendee_name", isRequired: true)
    let (email, notes) = (fields.email("attendee_email"), fields.text("notes", upTo: 10_000))
    let action = asked.input["action"]
    if shape == .document, action != .null, !["checkin", "checkout"].contains(action.text) {
      fields.noteSelected("action")
    }
    try fields.finish()
    let owned = try owned(event)
    var details: [String: SentJSON] = [:]
    for detail in Self.details where shape == .document && asked.input.has(detail) {
      details[detail] = asked.input[detail]
    }
    try db.run(
      """
      INSERT INTO checkins (event_id, attendee_name, attendee_email, notes, checked_in_at, details) VALUES (?, ?, ?, ?, ?, ?)
      """, owned.id, name, email, notes, now.seconds, SentJSON.object(details).json.text())
    guard let row = try db.row("SELECT * FROM checkins WHERE id = ?", db.lastInsertedRowID) else {
      throw Self.serverError
    }
    return Answer(status: .created, body: try text(row))
  }

  /// The latest first; without pages but in the document's shape.
  func checkIns(_ asked: Asked) throws -> Answer {
    var fields = FieldReading(DeskInput(asked.query.mapValues { .string($0) }))
    let event = try event(&fields)
    try fields.finish()
    let owned = try owned(event)
    let total: Int64 = try db.value("SELECT COUNT(*) FROM checkins WHERE event_id = ?", owned.id) ?? 0
    let size = try shape == .planify ? max(total, 1) : size(asked, usual: 100, most: 500)
    let pages = Pages(total: total, size: size, page: shape == .planify ? nil : asked["page"])
    let rows = try db.rows(
      "SELECT * FROM checkins WHERE event_id = ? ORDER BY checked_in_at DESC, id DESC LIMIT ? OFFSET ?",
      with: [owned.id] + pages.bounds)
    let data = JSONText.array(try rows.map(text))
    return .ok(shape == .planify ? ["data": data] : ["data": data, "meta": pages.meta(shape)])
  }

  /// By its plain number; in the document's shape by any of its names.
  private func event(_ fields: inout FieldReading) throws -> StoredEvent? {
    if shape == .planify {
      guard let id = fields.whole("event_id", isRequired: true) else { return nil }
      let event = try book.event(id)
      if event == nil { fields.noteSelected("event_id") }
      return event
    }
    let value = fields.required("event_id")
    let event = try (value.text ?? value.whole.map { String($0) }).flatMap { name in
      try shape.id(name).flatMap { try book.event($0) }
    }
    if value != .null, event == nil { fields.noteSelected("event_id") }
    return event
  }

  /// In the third wording of a refusal.
  private func owned(_ event: StoredEvent?) throws -> StoredEvent {
    guard let event, event.ownerID == holder.userID else { throw Answer.message(.forbidden, "Unauthorized") }
    return event
  }

  private func text(_ row: StoredRow) throws -> JSONText {
    let (id, event): (Int64, Int64) = try (row["id"], row["event_id"])
    let isDocument = shape == .document
    let time = Timestamp(clamping: try row["checked_in_at"])
    let details = try EventBook.details(row)
    let members: [(key: String, value: JSONText)] = try [
      ("id", isDocument ? .string(String(id)) : .integer(id)),
      ("event_id", isDocument ? .string(String(event)) : .integer(event)),
      ("attendee_name", .string(row["attendee_name"])), ("attendee_email", .optional(row["attendee_email"])),
      ("checked_in_at", .string(isDocument ? time.utc : time.withOffset)), ("notes", .optional(row["notes"])),
    ]
    return .object(members + (isDocument ? Self.details.map { ($0, details[$0]?.json ?? .null) } : []))
  }
}
