import CSQLite

/// SQLite as it is, with nothing between it and a test.
final class PlainDatabase {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private var handle: OpaquePointer?

  init(_ path: String) throws {
    let result = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK else {
      sqlite3_close_v2(handle)
      throw Failure(description: "\(path) does not open: \(String(cString: sqlite3_errstr(result)))")
    }
  }

  deinit { sqlite3_close_v2(handle) }

  /// Whether SQLite takes it that a write changes no byte beside those that it names.
  var isPowersafeOverwrite: Bool {
    var answer: CInt = -1
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &answer) == SQLITE_OK && answer == 1
  }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Calls `row` for each row of the result, with the statement, after binding a blob.
  func rows(_ sql: String, blob: [UInt8]? = nil, _ row: (OpaquePointer) throws -> Void = { _ in }) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    try (blob ?? []).withUnsafeBytes { bytes in
      if blob != nil { sqlite3_bind_blob(statement, 1, bytes.baseAddress, CInt(bytes.count), nil) }
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: try row(statement)
        case SQLITE_DONE: return
        default: throw failure(sql)
        }
      }
    }
  }

  /// The first column of the first row.
  func text(_ sql: String) throws -> String {
    var first: String?
    try rows(sql) { if first == nil, let text = sqlite3_column_text($0, 0) { first = String(cString: text) } }
    return first ?? ""
  }

  private func failure(_ sql: String) -> Failure {
    Failure(description: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
  }
}
