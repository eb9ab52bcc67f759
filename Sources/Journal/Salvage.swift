import SQLiteFile
import ScanModel

extension JournalStore {
  /// Takes over what a damaged journal still tells of its ledgers. What was changed by the damage does not open, and is
  /// left behind.
  /// - Returns: how many entries of ledgers, and how many open attempts.
  func takeOver(from name: String) -> (memory: Int, attempts: Int) {
    guard let damaged = try? Database(name, .read, busyMilliseconds: 0) else { return (0, 0) }
    var memory = 0
    var attempts = 0
    var batch = JournalBatch()
    let save = {
      if (try? self.write([PendingBatch(mark: 0, batch: batch)])) != nil {
        memory += batch.memory.count
        attempts += batch.facts.count
      }
      batch = JournalBatch()
    }
    let remembered = try? damaged.prepare(
      "SELECT name.text, memory.kind, memory.key, memory.state FROM memory JOIN name ON name.id = memory.server")
    try? remembered?.each { row throws(SQLiteError) in
      guard let kind = row.integer(1).flatMap({ UInt8(exactly: $0) }).flatMap({ LedgerKey.Kind(rawValue: $0) }),
        let server = row.text(0), let bytes = row.blob(2)
      else { return }
      let key = LedgerKey(server: server, kind: kind, bytes: bytes)
      guard let state = row.blob(3).flatMap({ self.seals.openMemory($0, of: key) }) else { return }
      batch.memory[key] = .some(state)
      if batch.memory.count >= 500 { save() }
    }
    save()
    let open = try? damaged.prepare(StoreStatements.unconcludedSQL)
    try? open?.each { row throws(SQLiteError) in
      if let asked = self.asked(row) { batch.facts.append(.asked(asked)) }
    }
    save()
    return (memory, attempts)
  }
}
