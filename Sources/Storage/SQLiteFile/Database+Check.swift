internal import CSQLite

extension Database {
  /// Looks through the whole file for damage, but not whether indexes say what their tables do. Takes minutes for a big file.
  ///
  /// A page that the disk does not give is among SQLite's findings, in words that leave open what it was. So the file is read
  /// once more by itself: what cannot be read is the disk's fault, and what was read wrong once may be right again.
  /// - Parameter isOver: asked now and then, whether to end early; then `SQLITE_INTERRUPT` is thrown.
  /// - Returns: the first damage that is found, in SQLite's words; `nil` where there is none.
  /// - Throws: why nothing is known of the file.
  package func quickCheck(isOver: () -> Bool) throws(SQLiteError) -> String? {
    var words: String?
    for _ in 0..<2 {
      let found = try texts("PRAGMA quick_check(1)")
      if found == ["ok"] { return nil }
      words = found.first ?? "the check says nothing"
      for part in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] { try readThrough(part, isOver: isOver) }
    }
    return words
  }

  /// Reads all of the file, or of its log, as SQLite does; a descriptor of our own would cost the process SQLite's locks.
  private func readThrough(_ part: Int32, isOver: () -> Bool) throws(SQLiteError) {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    guard control(part, &pointer) == SQLITE_OK, let file = pointer, let methods = file.pointee.pMethods,
      let read = methods.pointee.xRead, let sizeOf = methods.pointee.xFileSize
    else { return }
    var size: Int64 = 0
    var result = sizeOf(file, &size)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var place: Int64 = 0
    while result == SQLITE_OK, place < size {
      if isOver() { throw SQLiteError(code: SQLITE_INTERRUPT, message: "interrupted") }
      result = read(file, &bytes, Int32(min(Int64(bytes.count), size - place)), place)
      place += Int64(bytes.count)
    }
    // SQLITE_IOERR_SHORT_READ: it has become shorter meanwhile.
    if result == SQLITE_IOERR | 2 << 8 || result == SQLITE_OK { return }
    throw SQLiteError(code: result, message: String(cString: sqlite3_errstr(result)))
  }
}
