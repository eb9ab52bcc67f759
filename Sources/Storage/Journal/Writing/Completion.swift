import SQLiteFile

extension JournalStore {
  /// How many of the newest decisions are looked at: more than all gates of a station have under way.
  private static let newest = 256
  /// Within how many facts after its decision a scan is written.
  private static let apart = 10_000

  /// What was decided by an answer, with no scan to it: what happened between the two is not known.
  private static let concluded = """
    SELECT c.session, a.scan, a.gate, a.reader, a.code, a.symbology, a.read_at, a.system, a.ticket, c.wall, c.monotonic,
      c.trusted, CASE WHEN c.session = a.session THEN max(0, c.monotonic - a.read_at) ELSE 0 END, c.verdict, c.reason,
      'server', NULL, ?1, c.entry, NULL, c.verdict = 'admit', 1, CASE WHEN c.verdict = 'admit' THEN ?2 END,
      NULL, NULL, NULL, NULL, NULL, CASE WHEN c.verdict = 'admit' THEN c.id END
    FROM (SELECT * FROM conclusion ORDER BY seq DESC LIMIT \(newest)) c JOIN attempt a ON a.seq = c.attempt
    WHERE c.late = 0 AND c.verdict IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM owed o WHERE o.seq BETWEEN c.seq AND c.seq + \(apart) AND o.scan = a.scan)
      AND NOT EXISTS (SELECT 1 FROM scan s WHERE s.seq BETWEEN c.seq AND c.seq + \(apart) AND s.id = a.scan)
    ORDER BY c.seq
    """

  /// Who was admitted without the ticket system's word, likewise; not who was not admitted after all.
  private static let owed = """
    SELECT o.session, o.scan, o.gate, o.reader, coalesce(o.code, x''), o.symbology, o.read_at, o.system, o.ticket, o.wall,
      o.monotonic, o.trusted, max(0, o.monotonic - o.read_at), 'admit', NULL, o.decider, NULL, ?1, NULL, NULL, 1, 1, ?2,
      NULL, NULL, NULL, NULL, NULL, o.id
    FROM (SELECT * FROM owed ORDER BY seq DESC LIMIT \(newest)) o
    WHERE NOT EXISTS (SELECT 1 FROM told t WHERE t.id = o.id AND t.ending = 'withdrawn')
      AND NOT EXISTS (SELECT 1 FROM scan s WHERE s.seq BETWEEN o.seq AND o.seq + \(apart) AND s.id = o.scan)
    ORDER BY o.seq
    """

  /// Writes down the scans that were decided, and perhaps seen, when the process was killed: between a decision and its scan
  /// lie the outputs. Once a start, before anything is queued.
  func completeScans() throws(SQLiteError) {
    let detail = Value.text("The gateway ended at this moment.")
    let outputs = Value.text("The gateway ended before it noted whether the gate opened.")
    let found =
      try database.prepare(Self.concluded).rows([detail, outputs], \.values)
      + database.prepare(Self.owed).rows([detail, outputs], \.values)
    if found.isEmpty { return }
    let before = nextSeq
    do throws(SQLiteError) {
      try database.transaction { () throws(SQLiteError) in
        for values in found { try sql.addScan.each([.integer(next())] + values) { _ throws(SQLiteError) in } }
      }
    } catch {
      // What was rolled back has no rows.
      nextSeq = before
      throw error
    }
  }
}
