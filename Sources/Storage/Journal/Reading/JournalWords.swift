import SQLiteFile
package import ScanModel

/// What ticket systems said of tickets before this process, read in pieces: each is a turn of the writer's thread that no batch waits
/// long for.
extension Journal {
  package func words(before fact: Int64?) async throws(JournalFault) -> (words: [JournaledWord], next: Int64?) {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in try store.words(before: fact ?? saturatingSum(store.lastSeq, 1)) }
    }
  }
}

extension JournalStore {
  /// So many facts are looked at in one turn.
  private static let piece: Int64 = 500

  fileprivate func words(before fact: Int64) throws(SQLiteError) -> (words: [JournaledWord], next: Int64?) {
    let first = max(1, fact - Self.piece)
    var words: [JournaledWord] = []
    try database.prepare(
      """
      SELECT ticket, verdict, reason, wall FROM scan
      WHERE seq >= ?1 AND seq < ?2 AND decider = ?3 AND verdict IN ('admit', 'refuse') AND ticket IS NOT NULL
      ORDER BY seq DESC
      """
    ).each([.integer(first), .integer(fact), .text(Decider.server.rawValue)]) { row in
      guard let ticket = row.blob(0), let wall = row.integer(3) else { return }
      let isRefusal = row.text(1) == "refuse"
      let reason = row.text(2).flatMap { RefuseReason(rawValue: $0) }
      // A refusal of another version, in words that this one does not know, is none that it could repeat.
      guard isRefusal == (reason != nil) else { return }
      words.append(JournaledWord(ticket: TicketKey(ticket), refusal: reason, at: WallTime(nanoseconds: wall)))
    }
    return (words, first > 1 ? first : nil)
  }
}
