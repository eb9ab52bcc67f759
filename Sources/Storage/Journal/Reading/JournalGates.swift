import SQLiteFile
package import ScanModel

extension Journal.Reader {
  /// The gates of which scans are kept, by name.
  package func gates() throws(JournalFault) -> [GateID] {
    try told { () throws(SQLiteError) in
      try database.texts(
        "SELECT text FROM name WHERE EXISTS (SELECT 1 FROM scan WHERE scan.gate = name.id) ORDER BY text"
      ).map { GateID($0) }
    }
  }
}
