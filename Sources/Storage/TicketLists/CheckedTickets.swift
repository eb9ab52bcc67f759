internal import Glibc
internal import LinuxIO
internal import SQLiteFile
internal import ScanModel

/// What a ticket system has said of single tickets when it was asked at a gate, in a file beside its list: found by the same keyed
/// digests, and each row proven. Used by one thread at a time.
///
/// It is a memory of what can be asked again: one that is damaged, or that cannot be written, is begun anew, and what is not in it
/// admits nobody. What was to be forgotten and could not is held to be forgotten as long as the process lives.
final class CheckedTickets {
  /// So many are kept; then those go that were asked about longest ago.
  static let most = 100_000
  /// "SGct": tells the file from every other program's.
  private static let applicationID: Int64 = 0x5347_6374
  private static let version: Int64 = 1

  private let path: String
  private let seals: TicketListSeals
  private let most: Int
  private var open: Open?
  /// How many are kept.
  private(set) var count = 0
  /// Digests that the file has against our will.
  private var forgotten: Set<[UInt8]> = []

  private struct Open {
    let database: Database
    let find: Statement
    let put: Statement
    let remove: Statement
  }

  /// Names them; opens nothing.
  init(_ place: TicketListPlace, seals: TicketListSeals, most: Int = CheckedTickets.most) {
    path = place.checkedPath
    self.seals = seals
    self.most = most
  }

  /// Whether there is a file of it.
  var isPresent: Bool { access(path, F_OK) == 0 }

  /// What was said of a code; `nil` where that is not known.
  func find(_ code: Code) -> CheckedTicket? {
    let digest = seals.digest(of: code)
    guard !forgotten.contains(digest) else { return nil }
    do throws(SQLiteError) {
      guard let open = try opened(making: false) else { return nil }
      let rows = try open.find.rows([.blob(digest)]) { row throws(SQLiteError) in
        guard let ends = row.integer(0), let at = row.integer(1) else { return nil as CheckedTicket? }
        let found = CheckedTicket(ends: WallTime(seconds: ends), kind: row.text(2), at: WallTime(seconds: at))
        return row.blob(3) == seals.proof(of: found, digest) ? found : nil
      }
      return rows.first
    } catch {
      beginAnew(after: error)
      return nil
    }
  }

  /// Keeps what was said, or forgets it, in this order.
  func take(_ news: [(checked: CheckedTicket?, code: Code)]) {
    let news = news.map { (checked: $0.checked, digest: seals.digest(of: $0.code)) }
    for (checked, digest) in news { if checked == nil { forgotten.insert(digest) } else { forgotten.remove(digest) } }
    do throws(SQLiteError) {
      guard let open = try opened(making: news.contains { $0.checked != nil }) else { return forgotten.removeAll() }
      let before = count
      do throws(SQLiteError) {
        try open.database.transaction { () throws(SQLiteError) in
          for (checked, digest) in news { try take(checked, digest, open) }
          if count > most { try trim(open.database) }
        }
      } catch {
        count = before
        throw error
      }
      for (_, digest) in news { forgotten.remove(digest) }
    } catch {
      // What was to be replaced is not what was said last.
      for (_, digest) in news { forgotten.insert(digest) }
      beginAnew(after: error)
    }
  }

  private func take(_ checked: CheckedTicket?, _ digest: [UInt8], _ open: Open) throws(SQLiteError) {
    guard let checked else {
      try open.remove.run(.blob(digest))
      count -= open.database.changes
      return
    }
    let isKnown = try !open.find.rows([.blob(digest)]) { row throws(SQLiteError) in row.integer(0) }.isEmpty
    try open.put.run(
      .blob(digest), .integer(checked.ends.seconds), .integer(checked.at.seconds), Value(checked.kind),
      .blob(seals.proof(of: checked, digest)))
    if !isKnown { count += 1 }
  }

  /// A hundredth more than must go, so that it is seldom looked for.
  private func trim(_ database: Database) throws(SQLiteError) {
    try database.execute(
      """
      DELETE FROM checked WHERE digest IN (SELECT digest FROM checked ORDER BY at LIMIT \(count - most + most / 100))
      """)
    count -= database.changes
  }

  // MARK: The file

  private func opened(making: Bool) throws(SQLiteError) -> Open? {
    if let open { return open }
    guard making || isPresent else { return nil }
    do throws(SystemError) {
      _ = try OwnedDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
    } catch {
      throw SQLiteError(code: 14, errno: error.errno, message: error.words)
    }
    chmod(path, 0o600)
    let database = try Database(path, .present, busyMilliseconds: 200)
    // What is written down beside the file stays a small part of it.
    try database.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512; PRAGMA wal_autocheckpoint = 250"
    )
    let found = try (database.integer("PRAGMA application_id"), database.integer("PRAGMA user_version"))
    if found != (Self.applicationID, Self.version) {
      guard found.0 == 0, found.1 == 0 else {
        throw SQLiteError.damage("it is another program's, or of another version")
      }
      try database.execute(
        """
        BEGIN;
        CREATE TABLE checked (
          digest BLOB PRIMARY KEY, ends INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT, proof BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        PRAGMA application_id = \(Self.applicationID);
        PRAGMA user_version = \(Self.version);
        COMMIT;
        """)
    }
    let open = Open(
      database: database, find: try database.prepare("SELECT ends, at, kind, proof FROM checked WHERE digest = ?1"),
      put: try database.prepare("INSERT OR REPLACE INTO checked VALUES (?1, ?2, ?3, ?4, ?5)"),
      remove: try database.prepare("DELETE FROM checked WHERE digest = ?1"))
    count = Int(clamping: try database.integer("SELECT count(*) FROM checked") ?? 0)
    self.open = open
    return open
  }

  /// Closes it; one that is damaged is thrown away.
  private func beginAnew(after error: SQLiteError) {
    open = nil
    count = 0
    guard error.isDamage else { return }
    for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
    if !isPresent { forgotten.removeAll() }
  }
}

extension TicketListPlace {
  /// The file of what was said of single tickets.
  var checkedPath: String { "\(state)/tickets-\(system.name).checked.sqlite" }
}
