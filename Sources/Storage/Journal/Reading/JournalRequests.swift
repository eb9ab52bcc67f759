import SQLiteFile
package import ScanModel

/// A request of which it is not known whether somebody passed on it.
package struct UnsettledAttempt: Sendable, Equatable {
  /// Why it is not known. The raw values are the names in exports.
  package enum Reason: String, Sendable, CaseIterable {
    /// The machine ended while the ticket was being decided: whether the gate opened is not known.
    case interrupted
    /// The gateway ended while the ticket was being decided: no gate opened, but the server may have recorded an admission.
    case ended
    /// The gate stopped waiting, and no answer came since.
    case pending
    /// No answer will come.
    case lost
    /// It was asked, and nothing was written since: the gateway has not been started again.
    case open
  }

  /// The request.
  package var attempt: JournalAttempt
  /// Why it is not known.
  package var reason: Reason
}

extension Journal.Reader {
  /// Requests, oldest first, with what became of them.
  /// - Parameter open: those that were never concluded, or all.
  package func attempts(open: Bool) throws(JournalFault) -> [JournalAttempt] {
    try told { () throws(SQLiteError) in
      try attempts(where: open ? "a.seq IN (SELECT attempt FROM open_attempt)" : "1")
    }
  }

  /// The requests that served a scan, oldest first.
  package func attempts(of scan: ScanID) throws(JournalFault) -> [JournalAttempt] {
    try told { () throws(SQLiteError) in try attempts(where: "a.scan = ?1", [.blob(scan.bytes)]) }
  }

  /// Requests that might have redeemed and of which no answer tells, oldest first. A later answer to the same ticket settles
  /// one; only staff settle one that the end of the machine cut off.
  /// - Parameters:
  ///   - time: those that were asked at this time or later; by a clock that was not trusted, those after the first scan since.
  ///   - now: a request that was asked less than a minute ago and is not concluded is under way, and left out.
  package func unsettled(since time: WallTime, now: WallTime) throws(JournalFault) -> [UnsettledAttempt] {
    try told { () throws(SQLiteError) in
      let candidates = try attempts(
        where: """
          -- What became of an admission that was told later is told by the outbox.
          \(hasOutbox ? "a.scan NOT IN (SELECT scan FROM owed) AND" : "") (a.wall >= ?1 OR a.trusted = 0 AND a.seq >= (SELECT min(seq) FROM scan WHERE trusted = 1 AND wall >= ?1))
            -- What cannot have redeemed, a check, is nobody's conflict, whether it was answered or not.
            AND NOT EXISTS (SELECT 1 FROM conclusion n WHERE n.attempt = a.seq AND (n.fate IN ('answered', 'notSent') OR n.may_have_redeemed = 0))
            AND a.id NOT IN (SELECT n.id FROM conclusion n WHERE n.attempt IS NULL AND n.fate IN ('answered', 'notSent'))
          """, [.integer(time.nanoseconds)]
      ).compactMap { attempt in reason(attempt, now: now).map { UnsettledAttempt(attempt: attempt, reason: $0) } }
      guard !candidates.isEmpty else { return [] }
      var places: [AttemptID: Int64] = [:]
      var answered: [TicketKey: Int64] = [:]
      let ids = Set(candidates.map(\.attempt.id))
      let tickets = Set(candidates.map(\.attempt.ticket))
      // One look over what came after, instead of one for each.
      try database.prepare(
        """
        SELECT a.seq, a.id, a.ticket, EXISTS (
          SELECT 1 FROM conclusion c WHERE c.attempt = a.seq AND c.fate = 'answered' AND c.verdict IN ('admit', 'refuse'))
        FROM attempt a WHERE a.seq >= (SELECT min(seq) FROM attempt WHERE id = ?1) ORDER BY a.seq
        """
      ).each([.blob(candidates[0].attempt.id.bytes)]) { row throws(SQLiteError) in
        let seq = row.integer(0) ?? 0
        if let id = AttemptID(bytes: row.blob(1) ?? []), ids.contains(id) { places[id] = seq }
        let ticket = TicketKey(row.blob(2) ?? [])
        if row.integer(3) == 1, tickets.contains(ticket) { answered[ticket] = seq }
      }
      return candidates.filter { candidate in
        candidate.reason == .interrupted
          || answered[candidate.attempt.ticket, default: .min] <= places[candidate.attempt.id, default: .min]
      }
    }
  }

  private func reason(_ attempt: JournalAttempt, now: WallTime) -> UnsettledAttempt.Reason? {
    guard let last = attempt.conclusions.last else {
      return now - attempt.at.wall >= .seconds(60) || attempt.at.wall > now ? .open : nil
    }
    // A verdict is missing where the next start concluded it.
    if last.verdict == nil, !last.isLate { return last.boot == attempt.boot ? .ended : .interrupted }
    return last.fate == "pending" ? .pending : .lost
  }

  private func attempts(where condition: String, _ values: [Value] = []) throws(SQLiteError) -> [JournalAttempt] {
    var found: [JournalAttempt] = []
    try database.prepare(
      """
      SELECT a.seq, a.id, a.scan, gate.text, a.code, system.text, server.text, a.wall, a.monotonic, a.trusted, boot.text,
        c.late, c.fate, c.may_have_redeemed, c.verdict, c.reason, c.entry, c.recorded_at, c.said,
        c.wall, c.monotonic, c.trusted, ending.boot, a.ticket
      FROM attempt a LEFT JOIN conclusion c ON c.attempt = a.seq LEFT JOIN session ending ON ending.id = c.session
      LEFT JOIN name gate ON gate.id = a.gate LEFT JOIN name system ON system.id = a.system
      LEFT JOIN name server ON server.id = a.server LEFT JOIN name boot ON boot.id = a.boot
      WHERE \(condition) ORDER BY a.seq, c.seq
      """
    ).each(values) { row throws(SQLiteError) in
      guard var attempt = JournalAttempt(row, seals: seals) else { return }
      if let last = found.last, last.id == attempt.id { attempt.conclusions = found.removeLast().conclusions }
      if let conclusion = JournalAttempt.Conclusion(row) { attempt.conclusions.append(conclusion) }
      found.append(attempt)
    }
    return found
  }
}
