import Foundation
import SQLiteFile

/// Everything that is wrong with a ticket file. Nothing of such a file is imported.
public struct TicketFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One thing wrong.
  public struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// The file as it was named.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// What is wrong and what would be right.
    public let text: String
    /// `file:line: what is wrong`
    public var description: String { "\(file):\(line): \(text)" }
  }

  /// All problems, by line.
  public let problems: [Problem]
  /// One line a problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// What an import did.
public struct ImportSummary: Sendable, Equatable {
  /// Tickets that are new.
  public let added: Int
  /// Tickets whose code was known, and that are now as the file says. Their scans are kept.
  public let updated: Int
}

extension VenueServer {
  /// Imports tickets from comma-separated values (RFC 4180, UTF-8) with the header
  /// `code,kind,status,name,email,quantity,event,date,timezone`, in any order; all but `code` may be left out or empty.
  ///
  /// Defaults: kind `entry`, status `paid`, quantity 1, event "Imported tickets", the zone of this machine, and today in
  /// that zone. Importing the same code again updates its ticket.
  ///
  /// - Parameter file: the name used in errors.
  /// - Throws: `TicketFileError` with every problem of the file.
  public func importTickets(_ bytes: [UInt8], file: String) async throws -> ImportSummary {
    let parsed = TicketFile(bytes, now: Timestamp(configuration.now()))
    guard parsed.problems.isEmpty else { throw Self.error(parsed.problems, file) }
    return try await explaining { store in
      try await store.write { db in
        let problems = try parsed.conflicts(db)
        guard problems.isEmpty else { throw Self.error(problems, file) }
        return try parsed.write(db)
      }
    }
  }

  private static func error(_ problems: [CommaSeparated.Problem], _ file: String) -> TicketFileError {
    let ordered = problems.sorted { $0.line < $1.line }
    return TicketFileError(problems: ordered.map { .init(file: file, line: $0.line, text: $0.text) })
  }
}

/// A parsed ticket file.
struct TicketFile: Sendable {
  typealias Problem = CommaSeparated.Problem

  struct Row: Sendable {
    var line: Int
    var ticket: TicketBook.Ticket
    var evening: TicketBook.Evening
  }

  enum Column: String, CaseIterable {
    case code, kind, status, name, email, quantity, event, date, timezone
  }

  static let statuses = TicketStatus.allCases.map(\.rawValue)
  static let quantities = 1...1_000

  private(set) var rows: [Row] = []
  private(set) var problems: [Problem] = []

  init(_ bytes: [UInt8], now: Timestamp) {
    let file = CommaSeparated(bytes)
    problems = file.problems
    guard let header = file.records.first else {
      if problems.isEmpty { problems.append(Problem(line: 1, text: "is empty; it needs a header with a column code")) }
      return
    }
    guard let columns = columns(of: header) else { return }
    var seen: [String: Int] = [:]
    for record in file.records.dropFirst() {
      guard record.fields.count == columns.count else {
        note(record.line, "has \(record.fields.count) fields, the header has \(columns.count)")
        continue
      }
      var values: [Column: String] = [:]
      for (column, field) in zip(columns, record.fields) {
        let value = field.trimmingCharacters(in: .whitespacesAndNewlines)
        if !value.isEmpty { values[column] = value }
      }
      guard let row = row(record.line, values, now) else { continue }
      if let first = seen[row.ticket.code] {
        note(record.line, "the code was given in line \(first) already")
      } else {
        seen[row.ticket.code] = record.line
        rows.append(row)
      }
    }
  }

  private mutating func note(_ line: Int, _ text: String) { problems.append(Problem(line: line, text: text)) }

  private mutating func columns(of header: CommaSeparated.Record) -> [Column]? {
    let known = Column.allCases.map(\.rawValue).joined(separator: ",")
    let names = header.fields.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    if names.count == 1, names[0].contains(";") || names[0].contains("\t") {
      note(header.line, "the fields must be separated by commas: \(known)")
      return nil
    }
    var columns: [Column] = []
    var isSound = true
    for name in names {
      if let column = Column(rawValue: name), !columns.contains(column) {
        columns.append(column)
      } else {
        let isTwice = Column(rawValue: name) != nil
        note(header.line, isTwice ? "column \(name) is there twice" : "unknown column \"\(name)\"; known are \(known)")
        isSound = false
      }
    }
    if isSound, !columns.contains(.code) {
      note(header.line, "there is no column code; known are \(known)")
      isSound = false
    }
    return isSound ? columns : nil
  }

  /// The row, or nil after noting everything that is wrong with it.
  private mutating func row(_ line: Int, _ values: [Column: String], _ now: Timestamp) -> Row? {
    let before = problems.count
    let code = values[.code] ?? ""
    if code.isEmpty {
      note(line, "the code is missing")
    } else if code.utf8.count > 255
      || code.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    {
      note(line, "the code must have at most 255 bytes and no control characters")
    }
    let kind = TicketBook.Ticket.Kind(rawValue: values[.kind] ?? "entry")
    if kind == nil { note(line, "kind must be entry or sale") }
    let status = values[.status] ?? "paid"
    if !Self.statuses.contains(status) { note(line, "status must be one of \(Self.statuses.joined(separator: ", "))") }
    let quantity = Int(values[.quantity] ?? "1").flatMap { Self.quantities.contains($0) ? Int64($0) : nil }
    if quantity == nil {
      note(line, "quantity must be a whole number from 1 to 1000")
    } else if kind == .entry, quantity != 1 {
      note(line, "an entry code admits one; for a quantity of \(quantity ?? 0) the kind must be sale")
    }
    let zoneName = values[.timezone] ?? TicketBook.localZone
    let zone = TimeZone.named(zoneName)
    if zone == nil { note(line, "timezone must be an IANA name such as Europe/Berlin") }
    let day =
      if let text = values[.date] { CalendarDay(text) } else {
        zone.map { CalendarDay.today(in: $0, at: now.seconds) }
      }
    if day == nil, values[.date] != nil { note(line, "date must be a day written YYYY-MM-DD") }
    guard problems.count == before, let kind, let quantity, let day else { return nil }
    return Row(
      line: line,
      ticket: .init(
        code: code, kind: kind, status: status, isDeleted: status == "deleted", name: values[.name] ?? "",
        email: values[.email] ?? "", quantity: quantity),
      evening: .init(name: values[.event] ?? "Imported tickets", day: "\(day)", zone: zoneName))
  }

  /// Rows whose code the database knows as the other kind.
  func conflicts(_ db: Database) throws -> [Problem] {
    try rows.compactMap { row in
      guard let found = try TicketBook(db: db).find(code: row.ticket.code), found.kind != row.ticket.kind else {
        return nil
      }
      return Problem(
        line: row.line,
        text: "the database has this code as kind \(found.kind.rawValue); keep that kind or use another code")
    }
  }

  func write(_ db: Database) throws -> ImportSummary {
    let book = TicketBook(db: db)
    var random = SystemRandomNumberGenerator()
    var events: [TicketBook.Evening: Int64] = [:]
    var (added, updated) = (0, 0)
    for row in rows {
      let event = try events[row.evening] ?? book.event(row.evening)
      events[row.evening] = event
      if let found = try book.find(code: row.ticket.code) {
        try book.update(sale: found.sale, to: row.ticket, event: event)
        updated += 1
      } else {
        try book.add(row.ticket, to: event, random: &random)
        added += 1
      }
    }
    return ImportSummary(added: added, updated: updated)
  }
}
