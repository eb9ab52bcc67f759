internal import SQLiteFile
package import ScanModel

/// A provisional admission of which the ticket system was not told, or which it does not confirm, as the journal has it.
package struct JournalOwed: Sendable, Equatable {
  /// How it ended.
  package struct Ending: Sendable, Equatable {
    /// The ending, by `ToldAdmission.Ending`'s names.
    package var name: String
    /// Why the ticket system refuses it, by `RefuseReason`'s names.
    package var reason: String?
    /// What the ticket system said, or what happened.
    package var said: String?
    /// The ticket system's record.
    package var entryID: String?
    /// When that was made, by the server's clock.
    package var recordedAt: WallTime?
    /// When we knew.
    package var at: JournalTime
  }

  /// Its name in the ledger.
  package var attempt: AttemptID
  /// The scan.
  package var scan: ScanID
  /// Where somebody was admitted.
  package var gate: GateID
  /// The code, the scan's where nothing is left to be told; `nil` without the station's key, and where it is not known.
  package var code: Code?
  /// The ticket system of the gate.
  package var system: TicketSystemID
  /// Its server.
  package var server: String
  /// The ticket's digest.
  package var ticket: TicketKey
  /// Who decided, by `Decider`'s names.
  package var decider: String
  /// Whether an unanswered request for the same scan may have told it already.
  package var mayBeTold: Bool
  /// When somebody was admitted.
  package var at: JournalTime
  /// In which boot.
  package var boot: BootID
  /// How it ended: a conflict; `nil` where it waits.
  package var ending: Ending?

  init?(_ row: Row, seals: JournalSeals?) {
    guard let attempt = AttemptID(bytes: row.blob(0) ?? []), let scan = ScanID(bytes: row.blob(2) ?? []) else {
      return nil
    }
    self.attempt = attempt
    self.scan = scan
    gate = GateID(row.text(3) ?? "")
    code = row.blob(5).flatMap { seals?.openCode($0, of: scan) }
    system = TicketSystemID(row.text(8) ?? "")
    server = row.text(9) ?? ""
    ticket = TicketKey(row.blob(10) ?? [])
    at = row.time(11)
    boot = BootID(row.text(1) ?? "")
    decider = row.text(14) ?? ""
    mayBeTold = row.integer(15) == 1
    ending = row.text(16).map { name in
      Ending(
        name: name, reason: row.text(17), said: row.text(18), entryID: row.text(19),
        recordedAt: row.integer(20).map { WallTime(nanoseconds: $0) }, at: row.time(21))
    }
  }
}

extension Journal.Reader {
  /// Which admissions of the outbox are told.
  package enum OutboxPart: Sendable, CaseIterable {
    /// Those that wait.
    case waiting
    /// Those that ended as conflicts.
    case conflicts
    /// Both.
    case all
  }

  /// The code of the scan, which follows within a few facts, where that of the admission has gone.
  private static let code = """
    coalesce(a.code, (SELECT s.code FROM scan s WHERE s.seq BETWEEN a.seq AND a.seq + 1000 AND s.id = a.scan LIMIT 1))
    """

  /// Admissions that the ticket system was not told of, or does not confirm; oldest first. Costs what they are many, not what
  /// the journal is long.
  /// - Parameter time: those that ended at this time or later, and those that ended by a clock that was not trusted; what waits
  ///   is told whenever it began.
  package func outbox(_ part: OutboxPart, since time: WallTime? = nil) throws(JournalFault) -> [JournalOwed] {
    guard hasOutbox else { return [] }
    let condition =
      switch part {
      case .waiting: "o.told IS NULL"
      case .conflicts: "o.told IS NOT NULL"
      case .all: "1"
      }
    return try told { () throws(SQLiteError) in
      try database.prepare(
        OutboxStatements.columns(code: Self.code) + OutboxStatements.endings + OutboxStatements.sources
          + OutboxStatements.ending
          + " WHERE \(condition) AND (?1 IS NULL OR o.told IS NULL OR t.wall >= ?1 OR t.trusted = 0) ORDER BY o.owed"
      ).rows([Value(time?.nanoseconds)]) { JournalOwed($0, seals: seals) }
    }
  }
}
