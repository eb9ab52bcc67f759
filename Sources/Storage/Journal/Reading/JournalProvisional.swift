internal import SQLiteFile
package import ScanModel

/// An admission that was given without the ticket system's word, whatever became of it.
package struct JournalProvisional: Sendable, Equatable {
  /// The scan.
  package var scan: ScanID?
  /// Where somebody was admitted.
  package var gate: GateID
  /// Who decided, by `Decider`'s names.
  package var decider: String
  /// When somebody was admitted.
  package var at: JournalTime
  /// How it ended, by `ToldAdmission.Ending`'s names; `nil` where it waits.
  package var ending: String?
  /// Why the ticket system refuses it.
  package var reason: String?
  /// The event's name, or what the ticket system calls it.
  package var event: String?
}

/// A start of the gateway.
package struct JournalStart: Sendable, Equatable {
  /// When.
  package var at: WallTime
  /// Whether the one before it was killed, or lost its power.
  package var isAfterLoss: Bool
}

extension Journal.Reader {
  private static let provisionalPiece = 1_000

  /// Calls `body` with each admission that was given without the ticket system's word, oldest first.
  /// - Parameter filter: whose gate and times count.
  package func provisional(matching filter: Filter = Filter(), _ body: (JournalProvisional) throws -> Void) throws {
    guard hasOutbox else { return }
    var place: Int64 = -1
    while true {
      // In pieces: a long look would keep the log from being moved into the file.
      let rows = try told { () throws(SQLiteError) in try provisionalRows(filter, after: place) }
      for row in rows { try body(row.found) }
      guard rows.count == Self.provisionalPiece, let last = rows.last?.place, last > place else { return }
      place = last
    }
  }

  private func provisionalRows(
    _ filter: Filter, after place: Int64
  ) throws(SQLiteError) -> [(place: Int64, found: JournalProvisional)] {
    // The scan follows within a few facts.
    let event =
      hasEvents
      ? "(SELECT coalesce(s.event, s.event_id) FROM scan s WHERE s.seq BETWEEN a.seq AND a.seq + 1000 AND s.id = a.scan LIMIT 1)"
      : "NULL"
    return try database.prepare(
      """
      SELECT a.scan, gate.text, a.decider, a.wall, a.monotonic, a.trusted, t.ending, t.reason, \(event), a.seq
      FROM owed a LEFT JOIN name gate ON gate.id = a.gate
      LEFT JOIN told t ON t.seq = (SELECT max(seq) FROM told WHERE told.id = a.id)
      WHERE a.seq > ?4 AND (?1 IS NULL OR a.wall >= ?1) AND (?2 IS NULL OR a.wall < ?2)
        AND (?3 IS NULL OR gate.text = ?3)
      ORDER BY a.seq LIMIT \(Self.provisionalPiece)
      """
    ).rows([
      Value(filter.from?.nanoseconds), Value(filter.until?.nanoseconds), Value(filter.gate?.name), .integer(place),
    ]) { row in
      (
        row.integer(9) ?? 0,
        JournalProvisional(
          scan: row.blob(0).flatMap { ScanID(bytes: $0) }, gate: GateID(row.text(1) ?? ""),
          decider: row.text(2) ?? "", at: row.time(3), ending: row.text(6), reason: row.text(7), event: row.text(8))
      )
    }
  }

  /// Starts of the gateway, oldest first.
  /// - Parameter filter: whose times count.
  package func starts(matching filter: Filter = Filter()) throws(JournalFault) -> [JournalStart] {
    try told { () throws(SQLiteError) in
      try database.prepare(
        """
        SELECT s.wall, (SELECT max(id) FROM session WHERE id < s.id) AS former,
          EXISTS (SELECT 1 FROM stop WHERE stop.session = (SELECT max(id) FROM session WHERE id < s.id))
        FROM session s WHERE (?1 IS NULL OR s.wall >= ?1) AND (?2 IS NULL OR s.wall < ?2) ORDER BY s.id
        """
      ).rows([Value(filter.from?.nanoseconds), Value(filter.until?.nanoseconds)]) { row in
        JournalStart(
          at: WallTime(nanoseconds: row.integer(0) ?? 0), isAfterLoss: row.integer(1) != nil && row.integer(2) == 0)
      }
    }
  }
}
