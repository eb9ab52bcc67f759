import SQLiteFile
import ScanModel

extension JournalStore {
  /// What was taken over from a damaged journal.
  struct Saved {
    var memory = 0
    var attempts = 0
    var owed = 0
  }

  /// Takes over what a damaged journal still tells of its ledgers and its outbox. What was changed by the damage does not
  /// open, and is left behind.
  /// - Returns: how much that is.
  func takeOver(from name: String) -> Saved {
    var saved = Saved()
    guard let damaged = try? Database(name, .read, busyMilliseconds: 0) else { return saved }
    defer { rest() }
    var batch = JournalBatch()
    func save() -> Bool {
      defer { batch = JournalBatch() }
      return (try? write([PendingBatch(mark: 0, batch: batch)])) != nil
    }
    func saveMemory() {
      let count = batch.memory.count
      if save() { saved.memory += count }
    }
    let remembered = try? damaged.prepare(
      "SELECT name.text, memory.kind, memory.key, memory.state FROM memory JOIN name ON name.id = memory.server")
    try? remembered?.each { row throws(SQLiteError) in
      guard let key = LedgerKey(row), let state = row.blob(3).flatMap({ seals.openMemory($0, of: key) }) else { return }
      batch.memory[key] = .some(state)
      if batch.memory.count >= 500 { saveMemory() }
    }
    saveMemory()
    let open = try? damaged.prepare(StoreStatements.unconcludedSQL)
    try? open?.each { row throws(SQLiteError) in
      if let asked = asked(row) { batch.facts.append(.asked(asked)) }
    }
    let attempts = batch.facts.count
    if save() { saved.attempts = attempts }
    // What waits, and conflicts with how they ended.
    let owed = try? damaged.prepare(
      OutboxStatements.columns() + OutboxStatements.endings + OutboxStatements.sources + OutboxStatements.ending
        + " ORDER BY o.owed")
    try? owed?.each { row throws(SQLiteError) in
      guard let admission = self.owed(row) else { return }
      batch.facts.append(.owed(admission))
      if let ending = row.text(16).flatMap({ ToldAdmission.Ending(rawValue: $0) }) {
        batch.facts.append(
          .told(
            ToldAdmission(
              attempt: admission.attempt, ending: ending, reason: row.text(17).flatMap { RefuseReason(rawValue: $0) },
              said: row.text(18), entryID: row.text(19),
              recordedAt: row.integer(20).map { WallTime(nanoseconds: $0) }, at: row.time(21))))
      }
      // Each on its own: one that is refused takes no other with it.
      if save() { saved.owed += 1 }
    }
    return saved
  }
}

extension LedgerKey {
  /// A row that begins with server, kind and key.
  init?(_ row: Row) {
    guard let kind = row.integer(1).flatMap({ UInt8(exactly: $0) }).flatMap({ Kind(rawValue: $0) }),
      let server = row.text(0), let bytes = row.blob(2)
    else { return nil }
    self.init(server: server, kind: kind, bytes: bytes)
  }
}
