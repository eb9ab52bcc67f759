import SQLiteFile

/// What the writer says to SQLite, compiled once.
struct StoreStatements {
  let begin: Statement
  let commit: Statement
  let addAttempt: Statement
  let openAttempt: Statement
  let findOpen: Statement
  let closeAttempt: Statement
  let addConclusion: Statement
  let addScan: Statement
  let addFlood: Statement
  let addAnnulment: Statement
  let addOrder: Statement
  let addName: Statement
  let findName: Statement
  let remember: Statement
  let forget: Statement
  let recall: Statement
  let turn: Statement
  let unconcluded: Statement

  init(_ database: Database) throws(SQLiteError) {
    func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    addAttempt = try database.prepare(
      """
      INSERT INTO attempt (
        seq, session, id, boot, scan, gate, reader, code, symbology, read_at, system, server, ticket, wall, monotonic,
        trusted) VALUES (\(places(16)))
      """)
    openAttempt = try database.prepare("INSERT INTO open_attempt (id, attempt) VALUES (?, ?)")
    findOpen = try database.prepare("SELECT attempt FROM open_attempt WHERE id = ?")
    closeAttempt = try database.prepare("DELETE FROM open_attempt WHERE id = ?")
    addConclusion = try database.prepare(
      """
      INSERT INTO conclusion (
        seq, session, id, attempt, late, fate, may_have_redeemed, verdict, reason, entry, recorded_at, said, wall,
        monotonic, trusted) VALUES (\(places(15)))
      """)
    addScan = try database.prepare(
      """
      INSERT INTO scan (
        seq, session, id, gate, reader, code, symbology, read_at, system, ticket, wall, monotonic, trusted, decided_in,
        verdict, reason, decider, note, detail, entry, holder, admitted, allowance, output_fault, first_used_at,
        first_used_gate, first_used_request, event_id, event, admission)
      VALUES (\(places(30)))
      """)
    addFlood = try database.prepare(
      """
      INSERT INTO flood (seq, session, gate, refused, undecided, began, wall, monotonic, trusted)
      VALUES (\(places(9)))
      """)
    addAnnulment = try database.prepare(
      "INSERT INTO annulment (seq, session, scan, admission, wall, monotonic, trusted) VALUES (\(places(7)))")
    addOrder = try database.prepare(
      """
      INSERT INTO staff_order (
        seq, session, id, kind, gate, subject, who, user, why, outcome, reason, detail, scan, wall, monotonic, trusted)
      VALUES (\(places(16)))
      """)
    addName = try database.prepare("INSERT OR IGNORE INTO name (text) VALUES (?)")
    findName = try database.prepare("SELECT id FROM name WHERE text = ?")
    remember = try database.prepare(
      """
      INSERT INTO memory (server, kind, key, state) VALUES (?, ?, ?, ?)
      ON CONFLICT (server, kind, key) DO UPDATE SET state = excluded.state
      """)
    forget = try database.prepare("DELETE FROM memory WHERE server = ? AND kind = ? AND key = ?")
    recall = try database.prepare(
      "SELECT state FROM memory WHERE server = (SELECT id FROM name WHERE text = ?) AND kind = ? AND key = ?")
    turn = try database.prepare("UPDATE retention SET checkpoints = checkpoints + 1")
    unconcluded = try database.prepare(Self.unconcludedSQL)
  }

  /// Attempts without conclusion, oldest first; `JournalStore.asked` reads the columns.
  static let unconcludedSQL = """
    SELECT a.id, boot.text, a.scan, gate.text, reader.text, a.code, a.symbology, a.read_at, system.text, server.text,
      a.ticket, a.wall, a.monotonic, a.trusted
    FROM open_attempt o JOIN attempt a ON a.seq = o.attempt
    LEFT JOIN name boot ON boot.id = a.boot LEFT JOIN name gate ON gate.id = a.gate
    LEFT JOIN name reader ON reader.id = a.reader LEFT JOIN name system ON system.id = a.system
    LEFT JOIN name server ON server.id = a.server
    ORDER BY a.seq
    """
}
