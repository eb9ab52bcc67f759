package import ScanModel

/// Telling the ticket system of admissions that were made without its word. It admits nobody: who is owed was counted before.
extension AttemptLedger {
  /// Whether the ticket system has still to be told of this admission.
  package func owes(_ key: TicketKey, _ owed: AttemptID) -> Bool {
    records[key]?.owed.contains { $0.attempt == owed } == true
  }

  /// Told that the ticket system may have been told of an admission already, by whoever went on from an earlier state of the
  /// same journal. It is looked up first then.
  package mutating func mayBeTold(_ key: TicketKey, owed: AttemptID, at time: MonotonicTime) {
    guard var record = records[key], let index = record.owed.firstIndex(where: { $0.attempt == owed }),
      !record.open.contains(where: { $0.owed == owed })
    else { return }
    let entry = record.owed[index]
    let lock = entry.telling ?? AttemptLock(attempt: AttemptID(), gate: entry.gate, began: time, wall: entry.wall)
    record.cutOff(lock, tellingOf: index, at: time, isSameBoot: false)
    keep(record, key)
  }

  /// Asks what to do to tell the ticket system of a provisional admission. Restore what `missing(key)` names before.
  /// - Parameters:
  ///   - owed: the admission, by `AttemptDecision.admission`.
  ///   - attempt: the request that would tell of it. Write it down as asked, together with `takeChanges`, before it is sent.
  ///   - gate: the admission's gate.
  ///   - redeemsOnce: as `TicketSystem.redeemsOnce`.
  package mutating func beginTelling(
    _ key: TicketKey, owed: AttemptID, attempt: AttemptID, gate: GateID, at time: MonotonicTime, wall: WallTime,
    redeemsOnce: Bool = false
  ) -> Telling {
    guard var record = records[key] else { return .unknown }
    if let lock = record.lock { return .locked(by: lock.attempt) }
    let lock = AttemptLock(attempt: attempt, gate: gate, began: time, wall: wall)
    let before = TicketMemory(record)
    if redeemsOnce { record.redeemsOnce() }
    let telling = record.beginTelling(owed, lock, at: time, policy, &book)
    if telling == .ask || TicketMemory(record) != before { keep(record, key) }
    return telling
  }

  /// Takes the outcome of a telling, and releases the lock. Restore what `missing(for: outcome)` names before.
  ///
  /// An attempt that does not hold the lock changes nothing and is `again`, or `doubtful` where it may have redeemed.
  /// - Parameter wall: our civil clock when the answer was there.
  package mutating func told(
    _ key: TicketKey, owed: AttemptID, attempt: AttemptID, outcome: AttemptOutcome, wall: WallTime
  ) -> ToldRecord {
    guard var record = records[key], let lock = record.lock, lock.attempt == attempt else {
      return outcome.mayHaveRedeemed ? .doubtful : .again
    }
    let told = record.told(owed, lock, outcome, wall: wall, policy, &book)
    keep(record, key)
    return told
  }

  /// Takes what a look-up has found that was made for `Telling.lookUp`.
  /// - Parameter before: when it was asked.
  /// - Returns: `again` where it can be told now; `unsettled` where somebody has used the ticket, us included; `nil` where
  ///   nothing can be said yet.
  package mutating func lookedUp(
    _ key: TicketKey, owed: AttemptID, found: LookUp, before time: MonotonicTime
  ) -> ToldRecord? {
    guard var record = records[key] else { return nil }
    guard record.owed.contains(where: { $0.attempt == owed }) else { return .gone }
    switch found {
    case .unknown, .unanswered: return nil
    case .used: return .unsettled
    case .unused:
      let isSure = record.noneTold(owed, before: time, policy, &book)
      keep(record, key)
      return isSure ? .again : nil
    }
  }
}
