import ScanModel

/// What the ticket system's answer means for the ticket.
extension TicketRecord {
  mutating func redeemed(
    _ redemption: Redemption, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, date: WallTime?,
    wall: WallTime, wasUnused: Bool, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> AttemptDecision {
    learn(redemption, &book)
    let entryID = redemption.entryID
    bar = redemption.bar
    defer {
      if bar != nil { keepOff(entryID) }
      bar = nil
    }
    let owner = book.owner(of: entryID, otherThan: key)
    if let known = entries[entryID], known.origin == .elsewhere || owner == nil {
      proveEntry()
      switch known.origin {
      case .elsewhere: return decision(.refuse(.alreadyUsed), note: .usedElsewhere)
      case .ours where known.isClaimed: return decision(.refuse(.alreadyUsed))
      case .ours where known.isDoubtful: return interruption()
      case .ours:
        book.own(entryID, key)
        return admit(
          on: entryID, lock, wall: wall, note: known.hasLeft ? .reentry : known.isBarred == true ? nil : .ownLostAnswer,
          &book)
      }
    }
    if let owner {
      learnUsed(by: owner)
      var refusal = decision(.refuse(.alreadyUsed), note: .otherCode)
      refusal.firstUse = owner.firstUse ?? refusal.firstUse
      return refusal
    }
    let wasShown = open.contains { $0.standing == .ahead(entryID: entryID) }
    let wasDoubted = book.clock.isContradicted
    var (source, offsets) = source(
      of: redemption, span, date: date, wall: wall, wasUnused: wasUnused, policy, &book)
    // By a doubted clock nobody is admitted; the ticket is judged again when it is trusted.
    let isDoubted = wasDoubted && !wasShown || book.clock.isContradicted
    if isDoubted, !wasUnused, source == .thisAttempt || source == .earlierAttempt { source = .ahead }
    let isFirst = entries.isEmpty
    switch source {
    case .ahead:
      keep(lock, span, .ahead(entryID: entryID), offsets.asked)
      return decision(.undecided(.clockWrong), note: .recordAhead)
    case .unknown:
      return interruption()
    case .elsewhere where isFirst && settled == 0:
      note(entryID, .elsewhere, lock, &book)
      entries[entryID]?.offsets = offsets
      proveEntry()
      isUsedElsewhere = true
      firstUse = .init(gate: nil, at: redemption.scannedAt)
      if book.clock.isContradicted || wasShown && book.clock.misses(offsets.asked) {
        return unclear(book)
      }
      return decision(.refuse(.alreadyUsed), note: .usedElsewhere)
    case .earlierAttempt where isFirst:
      // A sale secret would have made a record of its own in this request; by a wrong clock that may look just so.
      note(entryID, .ours, lock, &book)
      if quantity == 1 { explain() }
      return admit(on: entryID, lock, wall: wall, note: .ownLostAnswer, &book)
    case .thisAttempt where isFirst && kind == .unknown && admitted >= allowance && admitted < quantity:
      // An entry secret, and this is the record of who was admitted before without one; or it stands for several. The next record
      // shows.
      note(entryID, .ours, lock, &book)
      return decision(.undecided(.busy), note: .surplusPossible)
    case .thisAttempt where isFirst:
      note(entryID, .ours, lock, &book)
      return admit(on: entryID, lock, wall: wall, note: open.isEmpty ? nil : .surplusPossible, &book)
    case .thisAttempt where kind != .entry, .earlierAttempt where kind != .entry:
      note(entryID, .ours, lock, &book)
      kind = .sale
      return admit(on: entryID, lock, wall: wall, note: open.isEmpty ? nil : .surplusPossible, &book)
    case .thisAttempt, .earlierAttempt, .elsewhere:
      // An entry secret with a second record, or a new record of a sale secret that is not new: no such code exists.
      note(entryID, source == .elsewhere ? .elsewhere : .ours, lock, &book)
      if source == .elsewhere {
        entries[entryID]?.offsets = offsets
        if admitted < quantity, book.clock.isContradicted { return unclear(book) }
      }
      let mayBeForMore = kind == .unknown && admitted < quantity
      return decision(
        admitted >= allowance && !mayBeForMore ? .refuse(.alreadyUsed) : .undecided(.badAnswer), note: .contradiction)
    }
  }

  mutating func redeemedLate(
    _ redemption: Redemption, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, date: WallTime?,
    wall: WallTime, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> LateRecord {
    learn(redemption, &book)
    let entryID = redemption.entryID
    defer { if redemption.bar != nil { keepOff(entryID) } }
    if let known = entries[entryID] {
      proveEntry()
      return known.origin == .elsewhere ? .usedElsewhere(entryID: entryID) : .settled
    }
    if let owner = book.owner(of: entryID, otherThan: key) {
      learnUsed(by: owner)
      return .settled
    }
    var (source, offsets) = source(of: redemption, span, date: date, wall: wall, wasUnused: false, policy, &book)
    if book.clock.isContradicted, source == .thisAttempt || source == .earlierAttempt { source = .ahead }
    let isFirst = entries.isEmpty
    switch source {
    case .ahead:
      keep(lock, span, .ahead(entryID: entryID), offsets.asked)
      return .surplus(entryID: entryID)
    case .unknown:
      return .settled
    case .elsewhere:
      note(entryID, .elsewhere, lock, &book)
      entries[entryID]?.offsets = offsets
      if isFirst && settled == 0 {
        proveEntry()
        isUsedElsewhere = true
        firstUse = .init(gate: nil, at: redemption.scannedAt)
      }
      return .usedElsewhere(entryID: entryID)
    case .thisAttempt, .earlierAttempt:
      note(entryID, .ours, lock, &book)
      if source == .earlierAttempt, isFirst, quantity == 1 { explain() }
      if source == .thisAttempt, !isFirst, kind == .unknown { kind = .sale }
      guard admitted < allowance, book.hasRoom(in: sale), isFirst || kind == .sale, redemption.bar == nil else {
        return .surplus(entryID: entryID)
      }
      entries[entryID]?.claimUntil = span.upperBound + policy.claimFor
      return .claimable(entryID: entryID)
    }
  }

  mutating func valid(_ entitlement: Entitlement, _ lock: AttemptLock, wall: WallTime, _ book: inout SaleBook)
    -> AttemptDecision
  {
    learn(entitlement)
    return admit(on: nil, lock, wall: wall, note: nil, &book)
  }

  /// The ticket system itself says "already used": by us, if we have an attempt that nobody passed on.
  ///
  /// It does not say when, so a ticket that was used elsewhere before our attempt was lost cannot be told apart: a lost attempt
  /// admits nobody, however short ago, and staff decide. Only where it never tells more than that, one lost a short while ago is believed to
  /// be the reason. But once it was said with no attempt of ours open, it is known for good, and no attempt lost later can excuse it.
  mutating func usedBefore(
    _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, wall: WallTime, detail: String?, _ rule: GateRule?,
    _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> AttemptDecision {
    // Whether this gate is one for a record that another was not to admit on, such an answer does not tell.
    let unclaimed = unclaimed { $0.isBarred != true }
    guard rule?.takes(details) ?? true, admitted == 0, !isUsedElsewhere,
      unclaimed != nil || givenBack.isOpen || hasLost(before: span.lowerBound, policy)
    else {
      if mayBeSpentByUs { return forStaff(detail: detail) }
      if owed.isEmpty {
        proveEntry()
      } else if kind == .unknown {
        // What was sent for who is owed may be the reason; telling shows it.
        kind = .entry
      }
      isUsedElsewhere = isUsedElsewhere || (kind == .entry && admitted == 0)
      return decision(.refuse(.alreadyUsed), note: isUsedElsewhere ? .usedElsewhere : nil, detail: detail)
    }
    proveEntry()
    var admission = admit(on: unclaimed, lock, wall: wall, note: .ownLostAnswer, &book)
    admission.detail = detail
    return admission
  }

  /// Whether a request of ours ended without an answer, so short a while before that its person is there again, and "already used" is
  /// all that the ticket system tells of what became of it.
  private func hasLost(before time: MonotonicTime, _ policy: AttemptPolicy) -> Bool {
    isOnce
      && open.contains { attempt in
        (attempt.standing == .lost || attempt.standing == .pending) && time <= attempt.endedAt + policy.claimFor
      }
  }

  /// Whether somebody passed, or whose the record is, cannot be told any more: staff decide.
  func interruption() -> AttemptDecision { decision(.undecided(.interrupted), note: .interrupted) }

  /// A record of ours that nobody has passed on.
  func unclaimed(where isMeant: (KnownEntry) -> Bool = { _ in true }) -> String? {
    entries.filter { $0.value.origin == .ours && !$0.value.isClaimed && !$0.value.isDoubtful && isMeant($0.value) }
      .keys.min()
  }

  /// A gate was not to admit on the record: from now on none does that has not asked.
  mutating func keepOff(_ entryID: String) {
    entries[entryID]?.isBarred = true
    entries[entryID]?.claimUntil = nil
  }

  /// Whether a refusal may be of our own making: a request of ours has spent, or may have, what nobody passed on.
  var mayBeSpentByUs: Bool {
    admitted < allowance && !isUsedElsewhere
      && (givenBack.isOpen || open.contains(where: \.mayExplainRefusal)
        || entries.values.contains { $0.origin == .ours && !$0.isClaimed })
  }

  /// Whether the person is refused for a request of ours cannot be told: staff decide.
  func forStaff(detail: String?) -> AttemptDecision {
    let isOfEarlierBoot = open.contains(where: \.isUnplaced) || entries.values.contains(where: \.isDoubtful)
    return decision(
      .undecided(.interrupted), note: isOfEarlierBoot ? .interrupted : .ownRequestPossible, detail: detail)
  }
}
