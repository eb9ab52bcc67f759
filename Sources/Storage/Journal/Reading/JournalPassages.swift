import SQLiteFile
package import ScanModel

/// Who came and went, for whoever tells it elsewhere: read in pieces, each a turn of the writer's thread that no batch waits long for.
extension Journal {
  package func end() async throws(JournalFault) -> JournalPlace {
    try await core.onWriter { writer in writer.ask { store throws(SQLiteError) in store.place(of: store.lastSeq) } }
  }

  package func passages(
    of system: TicketSystemID, after place: JournalPlace
  ) async throws(JournalFault) -> PassagePage? {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in
        guard place.journal == store.identity, (0...store.lastSeq).contains(place.fact) else { return nil }
        return try store.passages(of: system, after: place.fact)
      }
    }
  }

  package func admission(before passage: JournaledPassage) async throws(JournalFault) -> JournaledPassage? {
    guard let ticket = passage.ticket else { return nil }
    var end = passage.fact
    for _ in 0..<JournalStore.mostSlices where end > 0 {
      let slice = end
      let found = try await core.onWriter { writer in
        writer.ask { store throws(SQLiteError) in try store.admission(on: ticket, before: slice) }
      }
      if let found { return found }
      end -= JournalStore.slice
    }
    return nil
  }
}

extension JournalStore {
  /// So many facts are looked at in one turn for passages, and at most so many passages are told.
  private static let (piece, most): (Int64, Int64) = (500, 32)
  /// So many facts are looked at in one turn for an earlier admission, and how often.
  fileprivate static let (slice, mostSlices): (Int64, Int) = (1_000, 20)

  private static let columns = """
    SELECT s.seq, s.id, gate.text, s.ticket, s.wall, s.monotonic, s.trusted, session.boot, s.decider, s.note, s.event_id,
      s.holder, EXISTS (SELECT 1 FROM annulment n WHERE n.scan = s.id)
    FROM scan s LEFT JOIN name gate ON gate.id = s.gate LEFT JOIN session ON session.id = s.session
    """

  /// A place in this file.
  fileprivate func place(of fact: Int64) -> JournalPlace { JournalPlace(journal: identity, fact: fact) }

  fileprivate func passages(of system: TicketSystemID, after fact: Int64) throws(SQLiteError) -> PassagePage {
    let last = lastSeq
    var end = min(last, saturatingSum(fact, Self.piece))
    var (passages, rows): ([JournaledPassage], Int64) = ([], 0)
    try database.prepare(
      Self.columns
        + """
         WHERE s.seq > ?1 AND s.seq <= ?2 AND s.verdict = 'admit' AND s.system = (SELECT id FROM name WHERE text = ?3)
        ORDER BY s.seq LIMIT ?4
        """
    ).each([.integer(fact), .integer(end), .text(system.name), .integer(Self.most)]) { row in
      rows += 1
      // More may follow a full page, whatever its rows are.
      if rows == Self.most { end = row.integer(0) ?? end }
      if let passage = passage(row) { passages.append(passage) }
    }
    return PassagePage(passages: passages, end: place(of: end), isEnd: end == last)
  }

  /// The newest of one slice that names its event; the notes of gates that lead out say that it is no admission.
  fileprivate func admission(on ticket: TicketKey, before fact: Int64) throws(SQLiteError) -> JournaledPassage? {
    try database.prepare(
      Self.columns
        + """
         WHERE s.seq >= ?1 AND s.seq < ?2 AND s.ticket = ?3 AND s.verdict = 'admit' AND s.event_id IS NOT NULL
          AND (s.note IS NULL OR s.note NOT IN (?4, ?5))
        ORDER BY s.seq DESC LIMIT 1
        """
    ).rows(
      [.integer(fact - Self.slice), .integer(fact), .blob(ticket.bytes)]
        + JournaledPassage.exitNotes.map { .text($0) }
    ) { passage($0) }.first
  }

  /// A row of `columns`. A scan without an identifier is none that could be told of.
  private func passage(_ row: Row) -> JournaledPassage? {
    guard let scan = ScanID(bytes: row.blob(1) ?? []) else { return nil }
    return JournaledPassage(
      fact: row.integer(0) ?? 0, scan: scan, gate: GateID(row.text(2) ?? ""), ticket: row.blob(3).map { TicketKey($0) },
      at: row.time(4), boot: BootID(row.text(7) ?? ""), decider: row.text(8).flatMap { Decider(rawValue: $0) },
      isExit: JournaledPassage.isOfExit(note: row.text(9)), eventID: row.text(10),
      holder: row.blob(11).flatMap { seals.openHolder($0, of: scan) }, isAnnulled: row.integer(12) == 1)
  }
}
