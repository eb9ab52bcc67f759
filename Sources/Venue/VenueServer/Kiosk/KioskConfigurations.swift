import SQLiteFile

/// The configurations of kiosks: a JSON document for each kiosk and family of servers, made when it is first wanted, and
/// changed by SQLite, which keeps its order.
struct KioskConfigurations {
  let db: Database
  let now: Timestamp
  let family: KioskShape.Family

  /// The document of a kiosk.
  func document(of id: String) throws -> String {
    let sql = "SELECT document FROM kiosk_configurations WHERE kiosk_id = ? AND family = ?"
    if let found: String = try db.value(sql, id, family.rawValue) { return found }
    let fresh = KioskDocument.text(family, id: id, now: now)
    try db.run(
      "INSERT INTO kiosk_configurations (kiosk_id, family, document) VALUES (?, ?, ?)", id, family.rawValue, fresh)
    return fresh
  }

  /// Changes members: `settings.refreshInterval=60` in the member's own type, `name:=null` to any JSON.
  /// - Throws: `VenueError.unusable`, in words; nothing is changed then.
  func set(_ assignments: [String], of id: String) throws {
    var document = try document(of: id)
    for assignment in assignments { document = try changed(document, by: assignment) }
    if family == .document {
      document = try edited(document, "$.updatedAt", .string(now.utc))
    }
    try store(document, of: id)
  }

  /// Writes down how a kiosk is to be.
  func set(_ state: KioskState, of id: String) throws {
    let document = try document(of: id)
    switch family {
    case .document:
      let changed = try edited(document, "$.status", .string(state.rawValue))
      try store(try edited(changed, "$.updatedAt", .string(now.utc)), of: id)
    case .cueit:
      let word = [KioskState.active: "open", .inactive: "closed", .maintenance: "error"][state] ?? "open"
      let changed = try edited(document, "$.currentStatus", .string(word))
      try store(try edited(changed, "$.statusEnabled", .bool(true)), of: id)
    case .nova: try store(try edited(document, "$.active", .bool(state == .active)), of: id)
    }
  }

  private func store(_ document: String, of id: String) throws {
    try db.run(
      "UPDATE kiosk_configurations SET document = ? WHERE kiosk_id = ? AND family = ?", document, id, family.rawValue)
  }

  private func changed(_ document: String, by assignment: String) throws -> String {
    guard let equals = assignment.firstIndex(of: "=") else {
      throw VenueError.unusable(
        "\(quoted(assignment)) sets nothing; write member=value, such as settings.refreshInterval=60")
    }
    var member = assignment[..<equals]
    let value = String(assignment[assignment.index(after: equals)...])
    let isJSON = member.last == ":"
    if isJSON { member.removeLast() }
    let name = String(member)
    guard Self.isPath(name) else {
      throw VenueError.unusable(
        "\(quoted(name)) is no member; write its names with dots, such as maintenance.schedule.time")
    }
    let json = isJSON ? value : try typed(value, name, in: document)
    guard try db.value("SELECT json_valid(?)", json) == true else {
      throw VenueError.unusable("\(name): \(quoted(value)) is no JSON; write \(name)=text for a text")
    }
    return try edited(document, "$." + name, .json(json))
  }

  /// A value in the type that the member has.
  private func typed(_ value: String, _ name: String, in document: String) throws -> String {
    let type: String? = try db.value("SELECT json_type(?, ?)", document, "$." + name)
    switch type {
    case "true", "false":
      guard value == "true" || value == "false" else {
        throw VenueError.unusable("\(name) is true or false; it got \(quoted(value))")
      }
      return value
    case "integer", "real": return try number(value, name)
    case "text": return JSONText.string(value).text()
    case _ where KioskDocument.optionalNumbers.contains(name): return try number(value, name)
    case _ where KioskDocument.optional.contains(name): return JSONText.string(value).text()
    case nil:
      throw VenueError.unusable(
        "the configuration has no member \(name); scangate venue kiosk show tells which it has, and \(name):=JSON makes one"
      )
    default:
      throw VenueError.unusable("\(name) is no single value; name one within it, or write \(name):=JSON")
    }
  }

  private func number(_ value: String, _ name: String) throws -> String {
    guard let number = Double(value), number.isFinite else {
      throw VenueError.unusable("\(name) is a number; it got \(quoted(value))")
    }
    return JSONText.decimal(number).text()
  }

  private func edited(_ document: String, _ path: String, _ value: JSONText) throws -> String {
    let edited: String? = try db.value("SELECT json_set(?1, ?2, json(?3))", document, path, value.text())
    // A member of a member that is not there is left out without a word.
    guard let edited, let _: String = try db.value("SELECT json_type(?, ?)", edited, path) else {
      throw VenueError.unusable("the configuration has nothing that \(path.dropFirst(2)) could be a member of")
    }
    return edited
  }

  /// Letters, digits and dots: nothing that SQLite reads as more than names.
  private static func isPath(_ text: String) -> Bool {
    let steps = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 100
      && steps.allSatisfy { step in
        !step.isEmpty && step.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
      }
  }
}
