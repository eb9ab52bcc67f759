import SQLiteFile
package import ScanModel

extension Journal {
  /// The servers of which something is remembered: types and addresses, as in `LedgerKey.server`.
  /// - Throws: why the journal cannot tell.
  package func servers() async throws(JournalFault) -> [String] {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in
        try store.database.texts(
          "SELECT text FROM name WHERE EXISTS (SELECT 1 FROM memory WHERE memory.server = name.id)")
      }
    }
  }
}
