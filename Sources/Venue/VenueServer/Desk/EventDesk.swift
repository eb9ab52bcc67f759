import Foundation
import HTTPTypes
import SQLiteFile

/// Events: listed, shown, made, changed and deleted.
extension Desk {
  /// Those that the key's user owns, and no others that it may scan.
  func events(_ asked: Asked) throws -> Answer {
    let size = try size(asked, usual: 100, most: shape == .planify ? 1_000 : 500)
    let total: Int64 =
      try db.value("SELECT COUNT(*) FROM events WHERE user_id = ? AND NOT is_deleted", holder.userID) ?? 0
    let pages = Pages(total: total, size: size, page: asked["page"])
    let rows = try db.rows(
      "SELECT * FROM events WHERE user_id = ? AND NOT is_deleted ORDER BY id LIMIT ? OFFSET ?",
      with: [holder.userID] + pages.bounds)
    let text = EventText(db, shape)
    return .ok(
      [
        "data": .array(try rows.map { try text.text(StoredEvent($0)) }),
        "meta": pages.meta(shape, path: asked.address),
      ], layout: .pretty)
  }

  func showEvent(_ asked: Asked) throws -> Answer { try answer(own(asked.id), nil) }

  func createEvent(_ asked: Asked) throws -> Answer {
    var venue: StoredSchedule?
    if shape != .document {
      guard let row = try db.row("SELECT * FROM schedules WHERE subdomain = ?", asked.id) else {
        throw none(.schedule, asked.id)
      }
      let schedule = try StoredSchedule(row)
      guard schedule.ownerID == holder.userID else { throw Self.unauthorized }
      venue = schedule
    }
    let talent = venue?.kind == .talent ? venue : nil
    if talent != nil { venue = nil }
    var fields = FieldReading(asked.input)
    _ = fields.text("name", isRequired: true)
    if asked.input["starts_at"] == .null { fields.note("starts_at", "is required.") }
    let zone = toldZone(asked.input) ?? (venue ?? talent)?.details["timezone"]?.text ?? TicketBook.localZone
    try db.run(
      "INSERT INTO events (user_id, name, timezone, date, venue_id) VALUES (?, '', ?, '1970-01-01', ?)",
      holder.userID, zone, venue?.id)
    let id = db.lastInsertedRowID
    if let talent {
      try db.run("INSERT INTO event_members (event_id, schedule_id) VALUES (?, ?)", id, talent.id)
    }
    guard let event = try book.event(id) else { throw Self.serverError }
    try change(event, asked.input, &fields, isNew: true)
    var made = try answer(event, "Event created successfully")
    made.status = .created
    return made
  }

  func updateEvent(_ asked: Asked) throws -> Answer {
    let event = try own(asked.id)
    var fields = FieldReading(asked.input)
    if asked.input.has("name") { _ = fields.text("name", isRequired: true) }
    try change(event, asked.input, &fields, isNew: false)
    return try answer(event, "Event updated successfully")
  }

  /// Its tickets go with it; what was admitted stays in the book.
  func deleteEvent(_ asked: Asked) throws -> Answer {
    let event = try own(asked.id)
    try db.run("UPDATE events SET is_deleted = 1 WHERE id = ?", event.id)
    try db.run("UPDATE sales SET is_deleted = 1 WHERE event_id = ?", event.id)
    if shape == .document { return Answer(status: .noContent, body: nil) }
    return .ok(["meta": ["message": "Event deleted successfully"]], layout: .pretty)
  }

  /// The event that a path names, where it is the key's user's own.
  private func own(_ name: String) throws -> StoredEvent {
    guard let event = try shape.id(name).flatMap({ try book.event($0) }) else { throw none(.event, name) }
    guard event.ownerID == holder.userID else { throw Self.unauthorized }
    return event
  }

  /// The event as it is now.
  private func answer(_ event: StoredEvent, _ message: JSONText?) throws -> Answer {
    guard let now = try book.event(event.id) else { throw Self.serverError }
    let text = try EventText(db, shape).text(now)
    if shape == .document { return .ok(text) }
    return .ok(message.map { ["data": text, "meta": ["message": $0]] } ?? ["data": text], layout: .pretty)
  }

  // MARK: Changing

  /// What an event has besides, each of any type.
  private static let details = [
    "description", "event_url", "registration_url", "ticket_currency_code", "total_tickets_mode", "ticket_notes",
    "payment_method", "payment_instructions", "tickets_enabled", "event_password", "venue_address1",
  ]

  private func change(
    _ event: StoredEvent, _ input: DeskInput, _ fields: inout FieldReading, isNew: Bool
  ) throws {
    let zoneName = toldZone(input) ?? event.zone
    let zone = TimeZone.named(zoneName)
    if zone == nil { fields.noteSelected("timezone") }
    let wall = shape == .document ? nil : fields.wallTime("starts_at")
    let told = shape == .document ? zone.flatMap { documentedTime("starts_at", $0, &fields) } : nil
    let ends = shape == .document ? zone.flatMap { documentedTime("ends_at", $0, &fields) } : nil
    var duration = fields.number("duration", 0...8_760)
    let venueID = try venueID(event, input, &fields)
    try fields.finish()
    guard let zone else { throw Self.serverError }

    var details = event.details
    for name in Self.details where input.has(name) { details[name] = input[name] }
    try refuseNowhere(venueID, details)

    // Both real servers store UTC and read whatever is stored as wall time again with each change, told or not: what is not sent
    // as wall time moves by the zone's offset.
    let stored = event.startsAt.flatMap(WallTime.init)
    let starts =
      told ?? (shape == .document ? event.startsAt.flatMap(Timestamp.init(sql:)) : nil)
      ?? (wall ?? (shape == .document ? nil : stored))?.instant(in: zone)
    if let ends, let starts { duration = Double(max(0, ends.seconds - starts.seconds)) / 3_600 }
    let name = input["name"].text ?? event.name
    try db.run(
      """
      UPDATE events SET name = ?, timezone = ?, date = ?, starts_at = ?, duration = ?, venue_id = ?, details = ? WHERE id = ?
      """, name, zoneName, starts?.day(in: zone).description ?? event.day, starts?.sql,
      input.has("duration") || ends != nil ? duration : event.duration, venueID,
      SentJSON.object(details).json.text(), event.id)
    try setMembers(input["members"], of: event.id)
    try setTypes(input, of: event, isNew: isNew, sells: sells(details, isNew: isNew))
  }

  /// A new event sells nothing at the real servers unless it says that it does.
  private func sells(_ details: [String: SentJSON], isNew: Bool) -> Bool {
    details["tickets_enabled"]?.isTrue ?? (!isNew || shape == .document)
  }

  /// `2025-12-20T19:00:00Z`, or with an offset; or a wall time with a space or a `T`.
  private func documentedTime(_ name: String, _ zone: TimeZone, _ fields: inout FieldReading) -> Timestamp? {
    guard let text = fields.text(name) else { return nil }
    if let date = try? Date(text, strategy: .iso8601) { return Timestamp(date) }
    if let wall = WallTime(text.replacing("T", with: " ")) { return wall.instant(in: zone) }
    fields.note(name, "must be a valid date.")
    return nil
  }

  /// The original takes none: it goes by the zone of the schedule.
  private func toldZone(_ input: DeskInput) -> String? { shape == .upstream ? nil : input["timezone"].text }

  private func venueID(_ event: StoredEvent, _ input: DeskInput, _ fields: inout FieldReading) throws -> Int64? {
    guard input.has("venue_id") else { return event.venueID }
    guard let name = input["venue_id"].text ?? input["venue_id"].whole.map({ String($0) }) else { return nil }
    let venue = try shape.id(name).flatMap { try book.schedule($0) }
    guard let venue, venue.kind == .venue, venue.ownerID == holder.userID else {
      fields.noteSelected("venue_id")
      return nil
    }
    return venue.id
  }

  /// The fork has no event without a place.
  private func refuseNowhere(_ venueID: Int64?, _ details: [String: SentJSON]) throws {
    let isSomewhere = venueID != nil || ["venue_address1", "event_url"].contains { details[$0]?.isTrue ?? false }
    guard shape == .planify, !isSomewhere else { return }
    throw Answer(
      status: .unprocessableContent,
      body: [
        "error": "Validation failed",
        "message": "Event must have either a venue (venue_id or venue_address1) or an event_url",
      ])
  }

  /// Those who perform are added to; nobody is taken away.
  private func setMembers(_ members: SentJSON, of event: Int64) throws {
    for (name, _) in members.members {
      guard let id = shape.id(name), let found = try book.schedule(id), found.kind == .talent else { continue }
      try db.run("INSERT OR IGNORE INTO event_members (event_id, schedule_id) VALUES (?, ?)", event, id)
    }
  }

  /// The fork loses each type that is not sent; the others keep all where none is.
  private func setTypes(_ input: DeskInput, of event: StoredEvent, isNew: Bool, sells: Bool) throws {
    if sells, !isNew, shape != .planify, !input.has("tickets") { return }
    var kept: Set<Int64> = []
    for (_, ticket) in sells ? input["tickets"].members : [] {
      let fields = DeskInput(Dictionary(ticket.members.map { ($0.key, $0.value) }) { $1 })
      let (name, description) = (fields["type"].text ?? fields["name"].text, fields["description"].text)
      let (price, quantity) = try (self.price(fields["price"]), fields["quantity"].whole)
      guard fields["id"].isTrue else {
        try db.run(
          "INSERT INTO tickets (event_id, type, price, quantity, description) VALUES (?, ?, ?, ?, ?)", event.id, name,
          price, quantity, description)
        kept.insert(db.lastInsertedRowID)
        continue
      }
      // The fork finds a type by its plain number alone, and stumbles over any other.
      let id = shape == .planify ? fields["id"].whole : fields["id"].whole ?? fields["id"].text.flatMap(shape.id)
      guard let id, try db.value("SELECT id FROM tickets WHERE id = ?", id) as Int64? != nil else {
        throw Self.serverError
      }
      kept.insert(id)
      try db.run(
        "UPDATE tickets SET type = ?, price = ?, quantity = ?, description = ? WHERE id = ? AND event_id = ?", name,
        price,
        quantity, description, id, event.id)
    }
    for type in try book.types(of: event.id) where !kept.contains(type.id) {
      try db.run("UPDATE tickets SET is_deleted = 1 WHERE id = ?", type.id)
    }
  }

  /// Three places, as the column has them.
  private func price(_ value: SentJSON) throws -> String? {
    guard value != .null else { return nil }
    guard let number = value.number, (0..<1e10).contains(number) else { throw Self.serverError }
    let mills = Int64((number * 1_000).rounded())
    return "\(mills / 1_000).\(String(1_000 + mills % 1_000).dropFirst())"
  }
}
