internal import CSQLite
internal import Glibc

/// What SQLite said when it refused something.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  package let code: Int32
  /// The system's error number behind it, 0 where there was none.
  package let errno: Int32
  /// SQLite's own words; never a bound value.
  package let message: String

  /// Makes an error that SQLite itself did not give.
  package init(code: Int32, errno: Int32 = 0, message: String) {
    self.code = code
    self.errno = errno
    self.message = message
  }

  /// What a file has is not what it should be.
  package static func damage(_ message: String) -> SQLiteError { SQLiteError(code: SQLITE_CORRUPT, message: message) }

  /// The code and SQLite's own words.
  package var description: String { "SQLite error \(code): \(message)" }

  /// The primary result code.
  package var primary: Int32 { code & 0xFF }

  /// Whether the file's content is not what it should be: its bytes, or what tables it has.
  package var isDamage: Bool {
    switch primary {
    case SQLITE_CORRUPT, SQLITE_NOTADB: true
    case SQLITE_ERROR: isAbsence || message.contains(" has no column ")
    default: false
    }
  }

  /// Whether what was asked for is not in the file: a table, a column.
  package var isAbsence: Bool { primary == SQLITE_ERROR && message.hasPrefix("no such ") }

  /// Whether no space is left.
  package var isFull: Bool { primary == SQLITE_FULL || errno == ENOSPC || errno == EDQUOT || errno == EFBIG }

  /// Whether the disk gives errors.
  package var isDiskError: Bool { primary == SQLITE_IOERR }

  /// Whether it is about what was to be written, not about the file or the disk.
  package var isRefusal: Bool {
    [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(primary)
  }
}

/// One connection to one SQLite file.
///
/// The thin layer is ours because nothing that a damaged file says may end the process, and because it has to be known
/// exactly when a commit is synced: see `docs/decisions/0006-a-commit-is-synced-beside-the-writer.md`.
package final class Database: @unchecked Sendable {
  // The connection is opened in SQLite's serialised mode: each call on it takes SQLite's own lock. `handle` is never changed
  // before the owner closes it, which it does after its last call.
  private var handle: OpaquePointer?
  /// Set before the connection is used, by its owner.
  private var progress: Progress?

  private final class Progress {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// How a file is opened.
  package enum Mode {
    /// To read and write; made where it is absent.
    case write
    /// To read and write what is there.
    case present
    /// To read.
    case read
    /// To read, as a file that nobody writes: neither locks nor files beside it are made.
    case frozen
  }

  /// Opens `path`. SQLite looks into the file only when something is read.
  package init(_ path: String, _ mode: Mode, busyMilliseconds: Int32) throws(SQLiteError) {
    let flags: Int32
    var name = path
    switch mode {
    case .write: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .present: flags = SQLITE_OPEN_READWRITE
    case .read: flags = SQLITE_OPEN_READONLY
    case .frozen:
      flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Self.escaped(path) + "?immutable=1"
    }
    let result = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_FULLMUTEX, nil)
    guard result == SQLITE_OK else {
      let error = self.error(result)
      sqlite3_close(handle)
      handle = nil
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  deinit { close() }

  /// Closes the connection. Every statement must be gone.
  package func close() {
    sqlite3_close(handle)
    handle = nil
  }

  /// Has the write-ahead log left alone when the connection closes, even where it is the last one; or not.
  package func keepLog(_ isKept: Bool) { csqlite_keep_log(handle, isKept ? 1 : 0) }

  /// Calls `body` often while the connection works, every tenth of a millisecond or so, on the thread that has it work; `body` does not
  /// use the connection. To be called before its first use.
  package func onProgress(_ body: @escaping () -> Void) {
    let progress = Progress(body)
    self.progress = progress
    sqlite3_progress_handler(
      handle, 400,
      { context in
        if let context { Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().body() }
        return 0
      }, Unmanaged.passUnretained(progress).toOpaque())
  }

  /// Stops what the connection does in another thread; harmless when it does nothing.
  package func interrupt() { if let handle { sqlite3_interrupt(handle) } }

  /// Runs statements that take no values.
  package func execute(_ sql: String) throws(SQLiteError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result) }
  }

  /// Compiles one statement.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard result == SQLITE_OK, let statement else { throw error(result) }
    return Statement(statement, of: self)
  }

  /// The first column of the first row as a number.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    var found: Int64?
    try prepare(sql).each { row throws(SQLiteError) in found = found ?? row.integer(0) }
    return found
  }

  /// The first column of each row as text.
  package func texts(_ sql: String) throws(SQLiteError) -> [String] {
    var found: [String] = []
    try prepare(sql).each { row throws(SQLiteError) in found.append(row.text(0) ?? "") }
    return found
  }

  /// Runs `body` within one transaction: all of it or nothing.
  package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      try body()
      try execute("COMMIT")
    } catch {
      // Where SQLite has rolled back already, this is an error that says nothing.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Whether a transaction has been left open.
  package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// How many rows the last statement has changed that changes any.
  package var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

  /// The row that an `INSERT` of this connection made last.
  package var lastInsertedRowID: Int64 { handle.map { sqlite3_last_insert_rowid($0) } ?? 0 }

  /// Moves what is in the write-ahead log into the file.
  /// - Returns: how many frames the log has, and how many of them were moved.
  package func checkpoint(_ mode: Int32) throws(SQLiteError) -> (frames: Int32, moved: Int32) {
    var frames: Int32 = 0
    var moved: Int32 = 0
    let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &moved)
    guard result == SQLITE_OK else { throw error(result) }
    return (frames, moved)
  }

  /// Copies everything into another database, page by page, so that both are the same to the byte.
  /// - Parameter others: called after each piece, for what cannot wait.
  package func copy(to other: Database, others: () -> Void) throws(SQLiteError) {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.error(sqlite3_errcode(other.handle))
    }
    var result = SQLITE_OK
    while result == SQLITE_OK {
      result = sqlite3_backup_step(backup, 256)
      if result == SQLITE_OK { others() }
    }
    let end = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, end == SQLITE_OK else { throw other.error(end == SQLITE_OK ? result : end) }
  }

  /// Tells after each commit how many frames the write-ahead log has. `count` must outlive the connection.
  package func countFrames(in count: FrameCount) {
    let context = Unmanaged.passUnretained(count).toOpaque()
    _ = sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        if let context {
          Unmanaged<FrameCount>.fromOpaque(context).takeUnretainedValue().set(Int(frames))
        }
        return SQLITE_OK
      }, context)
  }

  /// Asks SQLite's file layer for something of the main database.
  func control<Value>(_ operation: Int32, _ value: inout Value) -> Int32 {
    withUnsafeMutablePointer(to: &value) { sqlite3_file_control(handle, "main", operation, $0) }
  }

  fileprivate func error(_ code: Int32) -> SQLiteError {
    guard let handle else { return SQLiteError(code: code, errno: 0, message: String(cString: sqlite3_errstr(code))) }
    let extended = sqlite3_extended_errcode(handle)
    return SQLiteError(
      code: extended & 0xFF == code & 0xFF ? extended : code, errno: sqlite3_system_errno(handle),
      message: String(cString: sqlite3_errmsg(handle)))
  }

  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      let isPlain = (0x21..<0x7F).contains(byte) && !"%?#".utf8.contains(byte)
      if isPlain { return String(UnicodeScalar(byte)) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

/// A value for a statement, or of a column.
package enum Value: Sendable, Equatable {
  /// Nothing.
  case null
  /// A whole number.
  case integer(Int64)
  /// A number with a point.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// Text, or nothing.
  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  /// A number, or nothing.
  package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  /// 1 for true, 0 for false.
  package init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}

/// A compiled statement, used by one thread at a time.
package final class Statement {
  /// SQLite copies what it is given.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private let pointer: OpaquePointer
  private let database: Database

  fileprivate init(_ pointer: OpaquePointer, of database: Database) {
    self.pointer = pointer
    self.database = database
  }

  deinit { sqlite3_finalize(pointer) }

  /// Runs it, and leaves its rows alone.
  package func run(_ values: Value...) throws(SQLiteError) { try each(values) { _ throws(SQLiteError) in } }

  /// Runs it, and calls `body` with each row.
  package func each(_ values: [Value] = [], _ body: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) {
    defer {
      sqlite3_reset(pointer)
      sqlite3_clear_bindings(pointer)
    }
    for (index, value) in values.enumerated() {
      let result = bind(value, at: Int32(truncatingIfNeeded: index + 1))
      guard result == SQLITE_OK else { throw database.error(result) }
    }
    while true {
      switch sqlite3_step(pointer) {
      case SQLITE_ROW: try body(Row(pointer: pointer))
      case SQLITE_DONE: return
      case let result: throw database.error(result)
      }
    }
  }

  /// Runs it; what `make` makes of its rows, but for those of which it makes nothing.
  package func rows<Made>(
    _ values: [Value] = [], _ make: (Row) throws(SQLiteError) -> Made?
  ) throws(SQLiteError) -> [Made] {
    var made: [Made] = []
    try each(values) { row throws(SQLiteError) in if let new = try make(row) { made.append(new) } }
    return made
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(pointer, index)
    case .integer(let number): return sqlite3_bind_int64(pointer, index, number)
    case .real(let number): return sqlite3_bind_double(pointer, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        // A pointer to nothing would store NULL.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
          return sqlite3_bind_text(pointer, index, "", 0, Self.copied)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
          sqlite3_bind_text64(pointer, index, characters, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(pointer, index, 0) }
      return sqlite3_bind_blob64(pointer, index, bytes, UInt64(bytes.count), Self.copied)
    }
  }
}

/// A row, valid until its statement steps on. Columns count from 0; one of another type than asked for is converted by
/// SQLite's rules, and never ends the process.
package struct Row {
  fileprivate let pointer: OpaquePointer

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  /// The names of its columns, as the statement has them.
  package var names: [String] {
    (0..<sqlite3_column_count(pointer)).map { sqlite3_column_name(pointer, $0).map { String(cString: $0) } ?? "" }
  }

  /// What all its columns hold, each in the type that it has there.
  package var values: [Value] { (0..<sqlite3_column_count(pointer)).map { value($0) } }

  private func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(pointer, column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(pointer, column))
    case SQLITE_TEXT: .text(text(column) ?? "")
    case SQLITE_BLOB: .blob(blob(column) ?? [])
    default: .null
    }
  }

  /// A number; `nil` where there is none.
  package func integer(_ column: Int32) -> Int64? { isNull(column) ? nil : sqlite3_column_int64(pointer, column) }

  /// Text; `nil` where there is none. What is not UTF-8 is mended.
  package func text(_ column: Int32) -> String? {
    isNull(column) ? nil : blob(column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Bytes; `nil` where there are none.
  package func blob(_ column: Int32) -> [UInt8]? {
    if isNull(column) { return nil }
    guard let start = sqlite3_column_blob(pointer, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
  }
}
