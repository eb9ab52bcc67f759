import SQLiteFile

/// Writes an event as each shape has it.
struct EventText {
  let book: EventBook
  let shape: ServerShape

  init(_ db: Database, _ shape: ServerShape) {
    book = EventBook(db: db)
    self.shape = shape
  }

  /// As a sale tells it; without a shape as the fork does.
  static func inSale(_ db: Database, id: Int64, _ shape: ServerShape?) throws -> JSONText {
    let text = EventText(db, shape ?? .planify)
    guard let event = try text.book.event(id) else { return .null }
    guard text.shape == .document else { return try text.text(event) }
    return [
      "id": .integer(id), "name": .string(event.name), "starts_at": .optional(text.starts(event)),
      "ends_at": .optional(event.ends?.utc),
    ]
  }

  func text(_ event: StoredEvent) throws -> JSONText {
    switch shape {
    case .document: try document(event)
    case .planify: try planify(event)
    case .upstream: try upstream(event)
    }
  }

  private func starts(_ event: StoredEvent) -> String? { event.startsAt.flatMap(Timestamp.init(sql:))?.utc }

  private func told(_ event: StoredEvent, _ name: String, else usual: JSONText = .null) -> JSONText {
    event.details[name]?.json ?? usual
  }

  private func duration(_ event: StoredEvent) -> JSONText { event.duration.map { .decimal($0) } ?? .null }

  private func document(_ event: StoredEvent) throws -> JSONText {
    let venue = try book.schedule(event.venueID)
    return [
      "id": .string(String(event.id)), "name": .string(event.name), "description": told(event, "description"),
      "starts_at": .optional(starts(event)), "ends_at": .optional(event.ends?.utc),
      "timezone": .string(event.zone), "venue_id": .optional(venue.map { String($0.id) }),
      "venue": try venue.map { ["id": .string(String($0.id)), "name": .string($0.name), "rooms": try rooms($0)] }
        ?? .null,
      "event_url": told(event, "event_url"),
      "tickets": .array(
        try book.types(of: event.id).map { type in
          [
            "id": .string(String(type.id)), "type": .optional(type.name),
            "price": type.price.flatMap(Double.init).map { .decimal($0) } ?? .null,
            "quantity": type.quantity.map { .integer($0) } ?? .null, "sold": .integer(type.sold),
            "description": .optional(type.description),
          ]
        }),
    ]
  }

  private func planify(_ event: StoredEvent) throws -> JSONText {
    let publicID = PublicID.text(event.id)
    let venue = try book.schedule(event.venueID)
    let members = try book.members(of: event.id)
    return [
      "id": .string(publicID), "url": .string("https://venue.example/event/\(publicID)"),
      "slug": .string("event-\(event.id)"), "name": .string(event.name), "description": told(event, "description"),
      "description_html": nil, "starts_at": .optional(event.startsAt), "duration": duration(event),
      "timezone": .string(event.zone), "venue_id": .optional(venue.map { PublicID.text($0.id) }),
      "venue": try venue.map(schedule) ?? .null, "tickets_enabled": .bool(event.sellsTickets),
      "ticket_currency_code": told(event, "ticket_currency_code", else: "EUR"),
      "total_tickets_mode": told(event, "total_tickets_mode", else: "individual"),
      "ticket_notes": told(event, "ticket_notes"), "ticket_notes_html": nil,
      "registration_url": told(event, "registration_url"), "event_url": told(event, "event_url"),
      "payment_method": told(event, "payment_method", else: "cash"),
      "payment_instructions": told(event, "payment_instructions"), "payment_instructions_html": nil,
      "flyer_image_id": nil, "flyer_image_url": nil, "category": nil, "notification_settings": .phpMap([]),
      "has_password": .bool(event.details["event_password"]?.isTrue ?? false), "members": Self.members(members),
      "tickets": .array(
        try book.types(of: event.id).map { type in
          Self.type(
            type, id: PublicID.text(type.id),
            with: [("sold", .phpMap(type.sold > 0 ? [(event.day, .integer(type.sold))] : []))])
        }),
      "schedules": .array(
        ((venue.map { [$0] } ?? []) + members).map {
          [
            "id": .string(PublicID.text($0.id)), "name": .string($0.name), "type": .string($0.kind.rawValue),
            "subdomain": .string($0.subdomain), "pivot": ["group_id": nil, "is_accepted": true],
          ]
        }), "curator_role": nil,
    ]
  }

  /// Only those who perform: an empty list is an object with members where there are any.
  private static func members(_ members: [StoredSchedule]) -> JSONText {
    .phpMap(
      members.map {
        (
          PublicID.text($0.id),
          ["name": .string($0.name), "email": $0.told("email"), "youtube_url": $0.told("youtube_url")]
        )
      })
  }

  private static func type(_ type: TicketType, id: String, with more: [(key: String, value: JSONText)]) -> JSONText {
    .object(
      [
        ("id", .string(id)), ("type", .optional(type.name)), ("price", .optional(type.price)),
        ("quantity", type.quantity.map { .integer($0) } ?? .null),
      ] + more + [("description", .optional(type.description))])
  }

  /// A venue within an event: the one place where its rooms are told.
  private func schedule(_ schedule: StoredSchedule) throws -> JSONText {
    [
      "id": .string(shape.publicID(schedule.id)), "url": .string("https://venue.example/\(schedule.subdomain)"),
      "type": .string(schedule.kind.rawValue), "subdomain": .string(schedule.subdomain),
      "name": .string(schedule.name), "email": schedule.told("email"), "website": schedule.told("website"),
      "description": schedule.told("description"), "timezone": schedule.told("timezone"), "language_code": "en",
      "groups": [], "address1": schedule.told("address1"), "address2": schedule.told("address2"),
      "city": schedule.told("city"), "state": schedule.told("state"), "postal_code": schedule.told("postal_code"),
      "country_code": schedule.told("country_code"), "rooms": try rooms(schedule),
    ]
  }

  private func rooms(_ schedule: StoredSchedule) throws -> JSONText {
    let rooms = try book.db.rows("SELECT id, name FROM rooms WHERE schedule_id = ? ORDER BY id", schedule.id)
    return .array(
      try rooms.map { ["id": .string(shape.publicID(try $0["id"])), "name": .string(try $0["name"]), "details": nil] })
  }

  /// Without a zone, though its time is in UTC, and without what was sold.
  private func upstream(_ event: StoredEvent) throws -> JSONText {
    let venue = try book.schedule(event.venueID)
    let members = try book.members(of: event.id)
    let id = OpaqueID.text(event.id)
    return [
      "id": .string(id), "url": .string("https://venue.example/event/\(id)"), "name": .string(event.name),
      "short_description": nil, "description": told(event, "description"), "starts_at": .optional(event.startsAt),
      "duration": duration(event), "category_id": nil, "category_name": nil, "is_private": false, "is_draft": false,
      "is_password_protected": .bool(event.details["event_password"]?.isTrue ?? false),
      "event_url": told(event, "event_url"), "registration_url": told(event, "registration_url"),
      "venue_id": .optional(venue.map { OpaqueID.text($0.id) }), "venue_name": .optional(venue?.name),
      "venue_address1": venue?.told("address1") ?? .null, "venue_subdomain": .optional(venue?.subdomain),
      "flyer_image_url": nil, "schedule_type": "single", "tickets_enabled": .bool(event.sellsTickets),
      "tickets": .array(
        try book.types(of: event.id).map { type in
          Self.type(type, id: OpaqueID.text(type.id), with: [("is_pass", false)])
        }), "members": Self.members(members), "event_parts": [],
      "ticket_currency_code": told(event, "ticket_currency_code", else: "EUR"),
      "payment_method": told(event, "payment_method", else: "cash"),
      "schedules": .array(
        ((venue.map { [$0] } ?? []) + members).map {
          [
            "id": .string(OpaqueID.text($0.id)), "subdomain": .string($0.subdomain), "name": .string($0.name),
            "type": .string($0.kind.rawValue),
          ]
        }),
    ]
  }
}
