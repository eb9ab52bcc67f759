internal import SQLiteFile
package import ScanModel

/// Scans that were counted and not written down one by one, as the journal has them.
package struct JournalFlood: Sendable, Equatable {
  /// Where they were presented, how many, and when.
  package var flood: ScanFlood
  /// In which boot.
  package var boot: BootID
}

extension Journal.Reader {
  /// Scans that were too many to be written down one by one, oldest first.
  /// - Parameter filter: whose gate and times count: those that ended in that time.
  package func floods(matching filter: Filter = Filter()) throws(JournalFault) -> [JournalFlood] {
    guard hasFloods else { return [] }
    return try told { () throws(SQLiteError) in
      try database.prepare(
        """
        SELECT gate.text, f.refused, f.undecided, f.began, f.wall, f.monotonic, f.trusted, session.boot
        FROM flood f LEFT JOIN name gate ON gate.id = f.gate LEFT JOIN session ON session.id = f.session
        WHERE (?1 IS NULL OR f.wall >= ?1) AND (?2 IS NULL OR f.wall < ?2) AND (?3 IS NULL OR gate.text = ?3)
        ORDER BY f.seq
        """
      ).rows([Value(filter.from?.nanoseconds), Value(filter.until?.nanoseconds), Value(filter.gate?.name)]) { row in
        JournalFlood(
          flood: ScanFlood(
            gate: GateID(row.text(0) ?? ""), refused: Int(row.integer(1) ?? 0), undecided: Int(row.integer(2) ?? 0),
            began: WallTime(nanoseconds: row.integer(3) ?? 0), at: row.time(4)),
          boot: BootID(row.text(7) ?? ""))
      }
    }
  }
}
