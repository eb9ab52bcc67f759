import ScanModel

/// What happens to a ticket apart from presenting it: the gate did not open, the person leaves, the process or the machine
/// ended, the ticket system was looked up; and what of it staff must know.
extension TicketRecord {
  /// Takes back the admission of `attempt`, if it was the last: the next presentation claims it until `until`. One that is
  /// owed is taken back in any case: else the ticket system would be told of somebody who did not pass.
  mutating func giveBack(_ attempt: AttemptID, until: MonotonicTime, _ book: inout SaleBook) -> Bool {
    // What it has followed was longer ago than the interval.
    defer { if spaced?.use.request == attempt { spaced = nil } }
    if standing.last?.attempt != attempt, let owed = owed.first(where: { $0.attempt == attempt && !$0.hasLeft }),
      admitted > 0
    {
      admitted -= 1
      standing.removeAll { $0.attempt == attempt }
      if admitted == 0 { firstUse = nil }
      book.giveBack(sale: sale, entryID: nil, of: key)
      endOwed(owed, &book)
      return true
    }
    guard let given = standing.last, given.attempt == attempt, admitted > 0 else { return false }
    standing.removeLast()
    admitted -= 1
    if given.wasFirst { firstUse = nil }
    book.giveBack(sale: sale, entryID: given.entryID, of: key)
    if let owed = owed.first(where: { $0.attempt == attempt }) {
      // Nobody has passed, so there is nothing to tell; what was sent for it stays open as for any scan.
      endOwed(owed, &book)
    } else if let entryID = given.entryID {
      entries[entryID]?.isClaimed = false
      entries[entryID]?.isGivenBack = true
      if entries[entryID]?.isBarred != true { entries[entryID]?.claimUntil = until }
    } else if given.isProvisional != true {
      givenBack = GivenBack(until: until, isOpen: true)
    }
    return true
  }

  /// Somebody who was admitted on the ticket leaves: it admits once more.
  /// - Returns: false, and nothing changed, where nobody is in on it.
  mutating func leave(_ book: inout SaleBook) -> Bool {
    guard admitted > 0 else { return false }
    admitted -= 1
    standing = []
    let entryID = entries.filter { $0.value.origin == .ours && $0.value.isClaimed }.keys.min()
    book.giveBack(sale: sale, entryID: entryID, of: key)
    if let entryID {
      entries[entryID]?.isClaimed = false
      entries[entryID]?.hasLeft = true
    } else if let index = owed.firstIndex(where: { !$0.hasLeft }) {
      owed[index].hasLeft = true
      book.owe(-1, in: sale)
    } else if isUsedElsewhere {
      // Admitted without the ticket system's word, which was a no: it is asked again.
      if admitted == 0 { firstUse = nil }
      return true
    } else {
      givenBack = GivenBack(until: nil, isOpen: true)
    }
    isUsedElsewhere = false
    if admitted == 0 { firstUse = nil }
    return true
  }

  // MARK: After a restart

  /// Takes an attempt that was asked and never concluded. Before a gate opens, the conclusion is written: within the same
  /// boot nobody can have passed on it. The end of the machine may have taken a written conclusion along.
  mutating func interrupt(
    _ lock: AttemptLock, at time: MonotonicTime, isSameBoot: Bool, mayRedeem: Bool, isTrusted: Bool,
    _ book: inout SaleBook
  ) {
    if let owed = owed.firstIndex(where: { $0.attempt == lock.attempt || $0.telling?.attempt == lock.attempt }) {
      // A check is told again.
      guard mayRedeem else { return self.owed[owed].telling = nil }
      return cutOff(lock, tellingOf: owed, at: time, isSameBoot: isSameBoot)
    }
    guard mayRedeem || !isSameBoot else { return }
    if isSpaced, !isSameBoot, spaced?.at == nil {
      let use = FirstUse(gate: lock.gate, at: lock.wall, request: lock.attempt)
      spaced = SpacedAdmission(at: nil, use: use, isTrusted: isTrusted, isSure: false)
      // It is over with the interval.
      guard mayRedeem else { return }
    }
    if !isSameBoot { book.interrupt(1, in: sale) }
    open.append(
      OpenAttempt(
        lock: lock, sentAt: lock.began, endedAt: Swift.max(lock.began, time),
        standing: isSameBoot ? .lost : .interrupted))
  }

  /// Closes attempts of which the ticket system has shown that none redeemed.
  /// - Returns: whether there were any.
  mutating func noneRedeemed(before time: MonotonicTime, _ policy: AttemptPolicy, _ book: inout SaleBook) -> Bool {
    let count = open.count
    let interrupted = interrupted
    defer { book.interrupt(self.interrupted - interrupted, in: sale) }
    open.removeAll { attempt in
      switch attempt.standing {
      case .lost: attempt.endedAt + policy.lateGrace < time
      // From before this boot, and monotonic time counts from its start.
      case .unplaced, .interrupted: time.nanoseconds > policy.lateGrace.saturatedNanoseconds
      case .pending, .refused, .ahead: false
      }
    }
    return open.count < count
  }

  // MARK: For staff

  var unsettled: [UnsettledAttempt] {
    // Somebody passed on what was sent for an owed admission; the outbox tells of that.
    let attempts = open.filter { attempt in !owed.contains { $0.attempt == attempt.owed } }.map { attempt in
      let state: UnsettledAttempt.State =
        switch attempt.standing {
        case .pending: .pending
        case .lost: .lost
        case .refused: .refused
        case .ahead(let entryID): .recordAhead(entryID: entryID)
        case .unplaced: .lost
        case .interrupted: .interrupted
        }
      return UnsettledAttempt(
        key: key, attempt: attempt.lock.attempt, gate: attempt.lock.gate, askedAt: attempt.lock.wall, state: state)
    }
    let surplus = entries.compactMap { entryID, entry -> UnsettledAttempt? in
      guard entry.origin == .ours, !entry.isClaimed, !entry.hasLeft else { return nil }
      return UnsettledAttempt(
        key: key, attempt: entry.shownTo.attempt, gate: entry.shownTo.gate, askedAt: entry.shownTo.wall,
        state: .surplus(entryID: entryID))
    }
    return attempts + surplus
  }
}
