import SQLiteFile
import ScanModel

/// The housekeeper's reading of all keys that are remembered, so that who asks for one that is not needs no disk.
struct KeyReading {
  /// The file that is read, as `KnownKeys` counts them.
  let file: UInt64
  private var last: (server: Int64, kind: Int64, key: [UInt8])?

  /// The keys of one look into the file, after which its log can move; and those that are noted at once.
  private static let (page, piece) = (2_000, 100)

  init(of file: UInt64) { self.file = file }

  /// Reads the next keys.
  /// - Returns: whether there are more.
  mutating func step(_ database: Database, into known: (_ body: (inout KnownKeys) -> Void) -> Void) throws(SQLiteError)
    -> Bool
  {
    var keys: [LedgerKey] = []
    var count = 0
    var newest = last
    try database.prepare(
      """
      SELECT name.text, memory.kind, memory.key, memory.server FROM memory CROSS JOIN name ON name.id = memory.server
      WHERE (memory.server, memory.kind, memory.key) > (?1, ?2, ?3)
      ORDER BY memory.server, memory.kind, memory.key LIMIT \(Self.page)
      """
    ).each([.integer(last?.server ?? .min), .integer(last?.kind ?? .min), .blob(last?.key ?? [])]) {
      row throws(SQLiteError) in
      count += 1
      newest = (row.integer(3) ?? 0, row.integer(1) ?? 0, row.blob(2) ?? [])
      if let key = LedgerKey(row) { keys.append(key) }
    }
    last = newest
    // In pieces: nobody waits long who queues a batch meanwhile.
    for start in stride(from: 0, to: keys.count, by: Self.piece) {
      known { known in
        for key in keys[start..<min(keys.count, start + Self.piece)] { known.note(key) }
      }
    }
    return count == Self.page
  }
}
