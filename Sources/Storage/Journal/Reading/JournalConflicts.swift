internal import SQLiteFile
package import ScanModel

/// What ended as a conflict, so that a process that begins knows what staff have still to look at.
extension Journal {
  package func conflicts() async throws(JournalFault) -> [(owed: OwedAdmission, told: ToldAdmission)] {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in try store.conflicts() }
    }
  }
}

extension JournalStore {
  fileprivate func conflicts() throws(SQLiteError) -> [(owed: OwedAdmission, told: ToldAdmission)] {
    try database.prepare(
      OutboxStatements.columns() + OutboxStatements.endings + OutboxStatements.sources + OutboxStatements.ending
        + " WHERE o.told IS NOT NULL ORDER BY o.owed"
    ).rows { row in
      guard let owed = owed(row), let ending = row.text(16).flatMap({ ToldAdmission.Ending(rawValue: $0) }) else {
        return nil
      }
      return (
        owed,
        ToldAdmission(
          attempt: owed.attempt, ending: ending, reason: row.text(17).flatMap { RefuseReason(rawValue: $0) },
          said: row.text(18), entryID: row.text(19), recordedAt: row.integer(20).map { WallTime(nanoseconds: $0) },
          at: row.time(21))
      )
    }
  }
}
