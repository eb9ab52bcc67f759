import HTTPTypes
import SQLiteFile

/// Venues and those who perform: the original knows both as schedules, by their subdomains.
extension Desk {
  private static let details = [
    "email", "phone", "website", "description", "address1", "address2", "city", "state", "postal_code", "country_code",
    "formatted_address", "geo_lat", "geo_lon", "timezone", "profile_image_url", "header_image_url",
    "background_image_url",
  ]
  private static let placeDetails = ["formatted_address", "geo_lat", "geo_lon"]

  /// All on one page, except in the document's shape and the original's.
  func schedules(_ asked: Asked, _ kind: StoredSchedule.Kind?) throws -> Answer {
    let condition = kind == nil ? "user_id = ?" : "user_id = ? AND type = ?"
    let values: [(any Storable)?] = [holder.userID] + (kind.map { [$0.rawValue] } ?? [])
    let total: Int64 = try db.value("SELECT COUNT(*) FROM schedules WHERE \(condition)", with: values) ?? 0
    let size = try shape == .planify ? max(total, 1) : size(asked, usual: 100, most: 500)
    let pages = Pages(total: total, size: size, page: shape == .planify ? nil : asked["page"])
    let rows = try db.rows(
      "SELECT * FROM schedules WHERE \(condition) ORDER BY name, id LIMIT ? OFFSET ?", with: values + pages.bounds)
    let data = JSONText.array(try rows.map { try text(StoredSchedule($0)) })
    if shape == .planify { return .ok(["data": data]) }
    return .ok(["data": data, "meta": pages.meta(shape, path: asked.address)])
  }

  func showSchedule(_ asked: Asked, _ kind: StoredSchedule.Kind?) throws -> Answer {
    try answer(own(asked.id, kind), nil)
  }

  func createSchedule(_ asked: Asked, _ kind: StoredSchedule.Kind?) throws -> Answer {
    var fields = FieldReading(asked.input)
    let name = fields.text("name", isRequired: true) ?? ""
    let kind = kind ?? StoredSchedule.Kind(rawValue: fields.text("type", isRequired: true) ?? "")
    if kind == nil { fields.noteSelected("type") }
    let told = details(asked.input, &fields)
    try fields.finish()
    try db.run(
      "INSERT INTO schedules (user_id, type, subdomain, name, details, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      holder.userID, (kind ?? .venue).rawValue, subdomain(name), name, SentJSON.object(told).json.text(), now.seconds,
      now.seconds)
    guard let made = try book.schedule(db.lastInsertedRowID) else { throw Self.serverError }
    var answer = try answer(made, "Schedule created successfully")
    answer.status = .created
    return answer
  }

  func updateSchedule(_ asked: Asked, _ kind: StoredSchedule.Kind?) throws -> Answer {
    let schedule = try own(asked.id, kind)
    var fields = FieldReading(asked.input)
    let name = asked.input.has("name") ? fields.text("name", isRequired: true) : nil
    let told = details(asked.input, &fields)
    try fields.finish()
    try db.run(
      "UPDATE schedules SET name = ?, details = ?, updated_at = ? WHERE id = ?", name ?? schedule.name,
      SentJSON.object(schedule.details.merging(told) { $1 }).json.text(), now.seconds, schedule.id)
    guard let changed = try book.schedule(schedule.id) else { throw Self.serverError }
    return try answer(changed, "Schedule updated successfully")
  }

  /// Its events stay, without it.
  func deleteSchedule(_ asked: Asked, _ kind: StoredSchedule.Kind?) throws -> Answer {
    let schedule = try own(asked.id, kind)
    try db.run("UPDATE events SET venue_id = NULL WHERE venue_id = ?", schedule.id)
    try db.run("DELETE FROM schedules WHERE id = ?", schedule.id)
    switch shape {
    case .document: return Answer(status: .noContent, body: nil)
    case .planify:
      return .ok(["message": .string("\(schedule.kind == .venue ? "Venue" : "Talent") deleted successfully")])
    case .upstream: return .ok(["data": ["message": "Schedule deleted successfully"]])
    }
  }

  /// What a path names, where it is the key's user's own; of anybody else's nothing is said.
  private func own(_ name: String, _ kind: StoredSchedule.Kind?) throws -> StoredSchedule {
    let row =
      if shape == .upstream {
        try db.row("SELECT * FROM schedules WHERE subdomain = ?", name)
      } else {
        try Int64(name).flatMap { try db.row("SELECT * FROM schedules WHERE id = ?", $0) }
      }
    let found = try row.map(StoredSchedule.init)
    guard let found, found.ownerID == holder.userID, kind == nil || found.kind == kind else {
      throw none(.schedule, name)
    }
    return found
  }

  private func details(_ input: DeskInput, _ fields: inout FieldReading) -> [String: SentJSON] {
    var told: [String: SentJSON] = [:]
    for name in Self.details where input.has(name) {
      switch name {
      case "geo_lat": told[name] = fields.number(name, -90...90).map { .decimal($0) } ?? .null
      case "geo_lon": told[name] = fields.number(name, -180...180).map { .decimal($0) } ?? .null
      case "email": told[name] = fields.email(name).map { .string($0) } ?? .null
      case "country_code": told[name] = fields.text(name, upTo: 2).map { .string($0) } ?? .null
      case "description": told[name] = fields.text(name, upTo: 10_000).map { .string($0) } ?? .null
      default: told[name] = fields.text(name).map { .string($0) } ?? .null
      }
    }
    return told
  }

  /// Lower-case letters and digits of the name, with a number where another has it.
  private func subdomain(_ name: String) throws -> String {
    let letters = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let parts = String(letters).split(separator: "-")
    let base = parts.isEmpty ? "schedule" : parts.joined(separator: "-")
    var (subdomain, count) = (base, 0)
    while (try db.value("SELECT id FROM schedules WHERE subdomain = ?", subdomain) as Int64?) != nil {
      count += 1
      subdomain = "\(base)-\(count)"
    }
    return subdomain
  }

  private func answer(_ schedule: StoredSchedule, _ message: JSONText?) throws -> Answer {
    let text = try text(schedule)
    guard shape == .upstream else { return .ok(text) }
    return .ok(message.map { ["data": text, "meta": ["message": $0]] } ?? ["data": text], layout: .pretty)
  }

  private func text(_ schedule: StoredSchedule) throws -> JSONText {
    let id: JSONText =
      switch shape {
      case .document: .string(String(schedule.id))
      case .planify: .integer(schedule.id)
      case .upstream: .string(OpaqueID.text(schedule.id))
      }
    let names = Self.details.filter { schedule.kind == .venue || !Self.placeDetails.contains($0) }
    var members: [(key: String, value: JSONText)] = [("id", id), ("name", .string(schedule.name))]
    if shape == .upstream { members.append(("type", .string(schedule.kind.rawValue))) }
    members += names.map { ($0, schedule.told($0)) }
    if shape == .document, schedule.kind == .venue {
      let rooms = try db.rows("SELECT id, name FROM rooms WHERE schedule_id = ? ORDER BY id", schedule.id)
      members.append(
        (
          "rooms",
          .array(try rooms.map { ["id": .string("\(try $0["id"] as Int64)"), "name": .string(try $0["name"])] })
        ))
    }
    return .object(
      members + [
        ("subdomain", .string(schedule.subdomain)), ("created_at", .string(schedule.created.withOffset)),
        ("updated_at", .string(schedule.updated.withOffset)),
      ])
  }
}
