import SQLiteFile

/// A type that a column can have.
protocol Storable {
  /// What a column holds; nil where that is of another type.
  init?(stored: Value)
  var stored: Value { get }
}

extension Int64: Storable {
  init?(stored: Value) {
    guard case .integer(let number) = stored else { return nil }
    self = number
  }
  var stored: Value { .integer(self) }
}

extension Bool: Storable {
  init?(stored: Value) {
    guard case .integer(let number) = stored else { return nil }
    self = number != 0
  }
  var stored: Value { Value(self) }
}

extension Double: Storable {
  init?(stored: Value) {
    switch stored {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    default: return nil
    }
  }
  var stored: Value { .real(self) }
}

extension String: Storable {
  init?(stored: Value) {
    guard case .text(let text) = stored else { return nil }
    self = text
  }
  var stored: Value { .text(self) }
}

extension [UInt8]: Storable {
  init?(stored: Value) {
    guard case .blob(let bytes) = stored else { return nil }
    self = bytes
  }
  var stored: Value { .blob(self) }
}

/// A row that was read: its columns by name. A column that is not as it is asked for is an error, whatever the file says.
struct StoredRow: Sendable {
  private let names: [String]
  private let values: [Value]

  init(names: [String], values: [Value]) {
    self.names = names
    self.values = values
  }

  /// A column that always holds something.
  subscript<Column: Storable>(_ name: String) -> Column {
    get throws(SQLiteError) {
      guard let value: Column = try self[name] else { throw .damage("no \(name)") }
      return value
    }
  }

  /// A column that may hold nothing.
  subscript<Column: Storable>(_ name: String) -> Column? {
    get throws(SQLiteError) {
      guard let index = names.firstIndex(of: name) else { throw .damage("no column \(name)") }
      return try Self.column(values[index], name)
    }
  }

  static func column<Column: Storable>(_ value: Value, _ name: String) throws(SQLiteError) -> Column? {
    if value == .null { return nil }
    guard let column = Column(stored: value) else { throw .damage("\(name) is of another type") }
    return column
  }
}

extension Database {
  /// Runs one statement.
  func run(_ sql: String, _ values: (any Storable)?...) throws(SQLiteError) {
    try prepare(sql).each(Self.stored(values)) { _ throws(SQLiteError) in }
  }

  /// All rows.
  func rows(_ sql: String, _ values: (any Storable)?...) throws(SQLiteError) -> [StoredRow] {
    try rows(sql, with: values)
  }

  /// All rows of a statement whose values were collected.
  func rows(_ sql: String, with values: [(any Storable)?]) throws(SQLiteError) -> [StoredRow] {
    var names: [String] = []
    var found: [StoredRow] = []
    try prepare(sql).each(Self.stored(values)) { row throws(SQLiteError) in
      if found.isEmpty { names = row.names }
      found.append(StoredRow(names: names, values: row.values))
    }
    return found
  }

  /// The first row.
  func row(_ sql: String, _ values: (any Storable)?...) throws(SQLiteError) -> StoredRow? {
    try rows(sql, with: values).first
  }

  /// The first column of the first row; nil where there is no row, or nothing in it.
  func value<Column: Storable>(_ sql: String, _ values: (any Storable)?...) throws(SQLiteError) -> Column? {
    try value(sql, with: values)
  }

  /// The first column of the first row of a statement whose values were collected.
  func value<Column: Storable>(_ sql: String, with values: [(any Storable)?]) throws(SQLiteError) -> Column? {
    var found: Value?
    try prepare(sql).each(Self.stored(values)) { row throws(SQLiteError) in found = found ?? row.values.first }
    return try StoredRow.column(found ?? .null, "the first column")
  }

  private static func stored(_ values: [(any Storable)?]) -> [Value] { values.map { $0?.stored ?? .null } }
}
