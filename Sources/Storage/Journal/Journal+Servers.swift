import SQLiteFile
package import ScanModel

extension Journal {
  /// The servers of which something is remembered: types and addresses, as in `LedgerKey.server`.
  /// - Throws: why the journal cannot tell.
  package func servers() async throws(JournalFault) -> [String] {
    let path = core.settings.path
    return try await core.onWriter { writer in
      writer.file.flatMap {
        $0.tell(path) { store throws(SQLiteError) in
          try store.database.texts(
            "SELECT text FROM name WHERE EXISTS (SELECT 1 FROM memory WHERE memory.server = name.id)")
        }
      }
    }
  }
}
