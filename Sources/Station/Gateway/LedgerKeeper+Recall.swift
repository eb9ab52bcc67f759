internal import LinuxIO
import ScanModel
internal import Admission

/// The way between the ledger and what outlives the process.
extension LedgerKeeper {
  /// How long the journal may take to write or recall something before it counts as failing. It takes some 0.1 ms.
  private static let longestWrite: Duration = .seconds(1)

  /// Has in the ledger what is stored of a ticket, its sale, and the codes that its ticket system may take for it.
  func remember(_ key: TicketKey, folded: TicketKey? = nil) async throws(JournalFault) {
    var known: Set<LedgerPlace> = []
    while true {
      let places = ledger.missing(key, folded: folded).filter { !known.contains($0) }
      if places.isEmpty { return }
      try await recall(places)
      known.formUnion(places)
    }
  }

  /// Has in the ledger what is stored of the record and the sale that an answer names, or the list on board.
  func remember(for outcome: AttemptOutcome, offline right: OfflineRight? = nil) async throws(JournalFault) {
    let places = ledger.missing(for: outcome, offline: right)
    if !places.isEmpty { try await recall(places) }
  }

  private func recall(_ places: [LedgerPlace]) async throws(JournalFault) {
    // The usual case, a first presentation, needs no turn.
    if let found = try store.recallNow(places, in: part) { return restore(found, age: ledger.age) }
    while true {
      let age = ledger.age
      let (store, part) = (store, part)
      let found = try await bounded { () throws(JournalFault) in try await store.recall(places, in: part) }
      // What was let go of meanwhile may have changed before.
      guard ledger.age == age else { continue }
      return restore(found, age: age)
    }
  }

  private func restore(_ found: [LedgerStore.Recalled], age: UInt64) {
    for found in found { _ = ledger.restore(found.place, found.memory, age: age, isSameBoot: found.isSameBoot) }
  }

  /// Queues what has happened together with what it has changed.
  @discardableResult func write(_ facts: [JournalFact], isUrgent: Bool = false) -> JournalMark {
    store.dependencies.journal.enqueue(
      JournalBatch(facts: facts, memory: store.memory(of: ledger.takeChanges(), in: part), isUrgent: isUrgent))
  }

  /// Writes everything again that is held in memory, because the journal has lost it.
  func writeAnew() {
    ledger.markAllChanged()
    write(outbox.waiting.map { .owed($0) }, isUrgent: true)
    store.dependencies.journal.enqueue(JournalBatch(memory: store.memory(of: notes), isUrgent: true))
  }

  /// Why it is not written; `nil` when it is. A disk on its last legs can hold a system call for minutes.
  func written(_ mark: JournalMark) async -> JournalFault? {
    do throws(JournalFault) {
      if try await store.dependencies.journal.written(mark, until: time.now() + Self.longestWrite) { return nil }
      return JournalFault(
        .unavailable, "The journal has not written anything for \(Self.longestWrite.milliseconds) ms. Look at the disk."
      )
    } catch {
      return error
    }
  }

  /// What the journal answers in time.
  private func bounded<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(JournalFault) -> Value
  ) async throws(JournalFault) -> Value {
    let work = Task(executorPreference: loop.tasks) { () -> Result<Value, JournalFault> in
      do throws(JournalFault) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    let alarm = Task {
      try await Task.sleep(for: Self.longestWrite)
      work.cancel()
    }
    defer { alarm.cancel() }
    return try await work.value.get()
  }
}
