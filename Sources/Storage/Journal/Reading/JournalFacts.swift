import SQLiteFile
package import ScanModel

extension Journal.Reader {
  /// What the file says of itself.
  package struct Standing: Sendable, Equatable {
    /// The version of its schema.
    package var version: Int64
    /// When its first scan was decided; `nil` where there is none.
    package var first: JournalTime?
    /// When its last scan was decided.
    package var last: JournalTime?
    /// When the gateway was started last; `nil` where it never was.
    package var started: WallTime?
    /// When it stopped as it should; `nil` while it runs, and where it was killed or the power went.
    package var stopped: WallTime?
  }

  /// Whether the key that this reader was given is the one that the journal was sealed with.
  package func opensSealed() throws(JournalFault) -> Bool {
    try told { () throws(SQLiteError) in
      try database.prepare("SELECT key FROM retention").rows { seals?.proves($0.blob(0) ?? []) } == [true]
    }
  }

  /// What the file says of itself.
  package func standing() throws(JournalFault) -> Standing {
    try told { () throws(SQLiteError) in
      func time(_ order: String) throws(SQLiteError) -> JournalTime? {
        try database.prepare("SELECT wall, monotonic, trusted FROM scan ORDER BY seq \(order) LIMIT 1")
          .rows { $0.time(0) }.first
      }
      var standing = Standing(
        version: try database.integer("PRAGMA user_version") ?? 0, first: try time("ASC"), last: try time("DESC"))
      try database.prepare(
        """
        SELECT session.wall, stop.wall FROM session LEFT JOIN stop ON stop.session = session.id
        ORDER BY session.id DESC LIMIT 1
        """
      ).each { row throws(SQLiteError) in
        standing.started = row.integer(0).map { WallTime(nanoseconds: $0) }
        standing.stopped = row.integer(1).map { WallTime(nanoseconds: $0) }
      }
      return standing
    }
  }

  /// Scans whose identifier begins so, or that of a request or admission that served them; those of requests that were never
  /// decided among them; oldest first.
  /// - Parameters:
  ///   - digits: hexadecimal digits, at most 32.
  ///   - limit: at most so many.
  /// - Returns: none where `digits` are no hexadecimal digits.
  package func scans(beginningWith digits: String, limit: Int) throws(JournalFault) -> [ScanID] {
    func bytes(_ padding: String) -> [UInt8]? {
      AttemptID(hexadecimal: digits + String(repeating: padding, count: max(0, 32 - digits.utf8.count)))?.bytes
    }
    guard let first = bytes("0"), let last = bytes("f") else { return [] }
    return try told { () throws(SQLiteError) in
      try database.prepare(
        """
        SELECT id FROM (
          SELECT seq, id FROM scan WHERE id BETWEEN ?1 AND ?2 UNION ALL
          SELECT seq, scan FROM attempt WHERE scan BETWEEN ?1 AND ?2 OR id BETWEEN ?1 AND ?2
          \(hasOutbox ? "UNION ALL SELECT seq, scan FROM owed WHERE id BETWEEN ?1 AND ?2" : ""))
        GROUP BY id ORDER BY min(seq) LIMIT ?3
        """
      ).rows([.blob(first), .blob(last), .integer(Int64(max(0, limit)))]) { ScanID(bytes: $0.blob(0) ?? []) }
    }
  }

  /// One scan; `nil` where it was never decided.
  package func scan(_ id: ScanID) throws(JournalFault) -> JournalRow? {
    try told { () throws(SQLiteError) in
      try database.prepare(columns + Self.sources + " WHERE s.id = ?1 ORDER BY s.seq LIMIT 1")
        .rows([.blob(id.bytes)]) { JournalRow($0, seals: seals) }.first
    }
  }

  /// The tables in which there is damage, by name; for a file in which `Journal.verify` found some.
  package func damagedTables() throws(JournalFault) -> [String] {
    try told { () throws(SQLiteError) in
      let tables = try database.texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      return tables.filter { table in
        let name = table.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        guard let found = try? database.texts("PRAGMA integrity_check('\(name)')") else { return true }
        return found != ["ok"]
      }
    }
  }
}
