import ScanModel

/// Admissions without the ticket system's word: how they come about, and how the ticket system is told of them.
///
/// They are counted once, when somebody is admitted. A record of the ticket system is *claimed* by at most one of them, like
/// by any admission; one that another admission has claimed contradicts it.
extension TicketRecord {
  /// How many of the admissions counted here the ticket system has still to be told of.
  var owedInside: Int { owed.count { !$0.hasLeft } }

  /// How many of the admissions counted here the ticket system knows of, or has contradicted.
  var settled: Int { admitted - owedInside }

  /// Records on which somebody may have passed before the machine started.
  private var doubtful: Int { entries.values.count(where: \.isDoubtful) }

  /// Counts one admission without the ticket system's word, if ticket and sale have one left for sure.
  mutating func admitProvisionally(
    _ right: OfflineRight, insteadOf reason: UndecidedReason, _ lock: AttemptLock, wall: WallTime, detail: String?,
    _ book: inout SaleBook
  ) -> AttemptDecision {
    if let named = right.sale, !isSpaced {
      book.learn(named, quantity: right.saleQuantity, isListed: true)
      // What the ticket system itself has said of the ticket outranks the list.
      if sale == nil { join(named, &book) }
    }
    if right.quantity > 1 { listed = right.quantity }
    if let told = right.ends { (ends, details) = (told, right.details ?? details) }
    if details == nil { details = right.details }
    if var known = knownUsed(book) {
      known.detail = detail
      return known
    }
    if hasEnded(at: wall) { return decision(.refuse(.expired), detail: detail) }
    guard admitted < allowance else {
      // By the ticket system's own word it may stand for several.
      let mayBeSale = kind == .unknown && admitted < quantity
      return decision(mayBeSale ? .undecided(reason) : .refuse(.alreadyUsed), detail: detail)
    }
    guard admitted + interrupted + doubtful < allowance, book.hasSureRoom(in: sale) else { return interruption() }
    if !isSpaced, !otherSpellings(book).isEmpty { return spelledOtherwise(reason) }
    let use = AttemptDecision.FirstUse(gate: lock.gate, at: wall, request: lock.attempt)
    stand(LastAdmission(attempt: lock.attempt, entryID: nil, wasFirst: firstUse == nil, isProvisional: true))
    admitted += 1
    book.count(1, in: sale, firstUse: use)
    book.owe(1, in: sale)
    owed.append(Owed(attempt: lock.attempt, gate: lock.gate, wall: wall))
    for index in open.indices where open[index].lock.attempt == lock.attempt { open[index].owed = lock.attempt }
    if firstUse == nil { firstUse = use }
    var admission = decision(.admit, note: open.isEmpty ? nil : .surplusPossible, detail: detail)
    admission.admission = lock.attempt
    admission.isProvisional = true
    return admission
  }

  // MARK: Telling

  mutating func beginTelling(
    _ attempt: AttemptID, _ lock: AttemptLock, at time: MonotonicTime, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> Telling {
    guard let index = owed.firstIndex(where: { $0.attempt == attempt }) else { return .unknown }
    // A telling that nobody has concluded nor interrupted: since when it is over is not known.
    if let telling = owed[index].telling { cutOff(telling, tellingOf: index, at: time, isSameBoot: true) }
    let waiting = entries.filter { entry in
      entry.value.origin == .ours && !entry.value.isClaimed && !entry.value.isDoubtful && !entry.value.hasLeft
    }
    if let entryID = waiting.keys.min() { return .settled(confirm(owed[index], on: entryID, &book)) }
    if awaited(at: time, policy) != nil { return .notYet }
    // A second request for an entry secret makes no second record.
    if kind != .entry, open.contains(where: { $0.owed == attempt }) { return .lookUp }
    owed[index].telling = lock
    self.lock = lock
    return .ask
  }

  /// Forgets a telling of which nothing was sent.
  /// - Returns: whether it was one.
  mutating func forgetTelling(_ attempt: AttemptID) -> Bool {
    guard let index = owed.firstIndex(where: { $0.telling?.attempt == attempt }) else { return false }
    owed[index].telling = nil
    return true
  }

  /// Releases the lock and judges what the telling came to.
  mutating func told(
    _ attempt: AttemptID, _ lock: AttemptLock, _ outcome: AttemptOutcome, wall: WallTime, _ policy: AttemptPolicy,
    _ book: inout SaleBook
  ) -> ToldRecord {
    let overtaking = overtaking
    self.lock = nil
    _ = forgetTelling(lock.attempt)
    let span = Self.span(of: outcome, lock)
    guard let owed = owed.first(where: { $0.attempt == attempt }) else {
      // Nobody passes on it any more: it is like any request whose answer came too late for its person.
      keep(lock, span, .pending)
      if outcome.fate != .pending { _ = late(lock.attempt, outcome, wall: wall, policy, &book) }
      if let (outcome, wall) = overtaking { _ = late(lock.attempt, outcome, wall: wall, policy, &book) }
      return .gone
    }
    guard case .undecided = outcome.wholeAnswer else {
      return judge(owed, lock, span, outcome, wall: wall, policy, &book)
    }
    guard outcome.mayHaveRedeemed else { return .again }
    keep(lock, span, outcome.fate == .pending ? .pending : .lost, owed: attempt)
    guard let (outcome, wall) = overtaking else { return .doubtful }
    switch late(lock.attempt, outcome, wall: wall, policy, &book) {
    case .confirms(_, let entryID): return .confirmed(entryID: entryID)
    case .contradicts(_, let reason, let note): return .contradicted(reason, note)
    case .unsettles: return .unsettled
    case .settled: return .again
    case .ignored, .overtaking, .claimable, .surplus, .usedElsewhere, .lost: return .doubtful
    }
  }

  /// Takes the late answer to a request that was sent for the admission, or told of it.
  mutating func lateTold(
    _ owed: Owed, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, _ outcome: AttemptOutcome, wall: WallTime,
    _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> LateRecord {
    // Nothing was redeemed: it can be told.
    if case .undecided = outcome.wholeAnswer { return .settled }
    // The attempt that is under way may be the reason; what is told afterwards shows it.
    if case .refused(.alreadyUsed, _) = outcome.wholeAnswer, self.lock != nil { return .settled }
    switch judge(owed, lock, span, outcome, wall: wall, policy, &book) {
    case .confirmed(let entryID): return .confirms(owed: owed.attempt, entryID: entryID)
    case .contradicted(let reason, let note): return .contradicts(owed: owed.attempt, reason, note)
    case .unsettled, .again, .doubtful, .gone: return .unsettles(owed: owed.attempt)
    }
  }

  /// Closes attempts of which the ticket system has shown that none redeemed.
  /// - Returns: whether nothing is open any more that was sent for the admission.
  mutating func noneTold(
    _ attempt: AttemptID, before time: MonotonicTime, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> Bool {
    _ = noneRedeemed(before: time, policy, &book)
    open.removeAll { $0.owed == attempt && $0.standing == .pending && $0.endedAt + policy.lateGrace < time }
    return !open.contains { $0.owed == attempt }
  }

  /// Takes a request that was cut off by the end of the process or the machine: nobody passes on a telling, and on the
  /// request of a provisional admission somebody has passed already.
  mutating func cutOff(_ lock: AttemptLock, tellingOf index: Int, at time: MonotonicTime, isSameBoot: Bool) {
    owed[index].telling = nil
    guard !open.contains(where: { $0.lock.attempt == lock.attempt }) else { return }
    open.append(
      OpenAttempt(
        lock: lock, sentAt: lock.began, endedAt: Swift.max(lock.began, time), standing: isSameBoot ? .lost : .unplaced,
        owed: owed[index].attempt))
  }

  // MARK: Answers

  private mutating func judge(
    _ owed: Owed, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, _ outcome: AttemptOutcome, wall: WallTime,
    _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> ToldRecord {
    switch outcome.wholeAnswer {
    case .redeemed(let redemption):
      let told = judge(owed, redemption, lock, span, date: outcome.serverDate, wall: wall, policy, &book)
      guard let bar = redemption.bar else { return told }
      keepOff(redemption.entryID)
      // Somebody is in on it all the same.
      if case .confirmed = told, let refusal = bar.refusal { return .contradicted(refusal, nil) }
      return told
    case .valid(let entitlement):
      learn(entitlement)
      return confirm(owed, on: nil, &book)
    case .refused(.alreadyUsed, _):
      return usedBefore(owed, span, policy, &book)
    case .refused(let reason, _):
      // What a request of ours has spent cannot be paid with again, and comes too soon after it.
      if reason.mayFollowUse, isSettledFree, let record = unclaimed() { return confirm(owed, on: record, &book) }
      withdrawClaims()
      if outcome.mayHaveRedeemed { keep(lock, span, .refused) }
      if reason.mayFollowUse, settled < allowance, open.contains(where: \.mayExplainRefusal) { return .unsettled }
      return contradict(owed, reason, nil, &book)
    case .undecided:
      return .doubtful
    }
  }

  private mutating func judge(
    _ owed: Owed, _ redemption: Redemption, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, date: WallTime?,
    wall: WallTime, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> ToldRecord {
    learn(redemption, &book)
    let entryID = redemption.entryID
    if let known = entries[entryID] {
      proveEntry()
      switch known.origin {
      case .elsewhere: return contradict(owed, .alreadyUsed, .usedElsewhere, &book)
      case .ours where known.isDoubtful: return .unsettled
      // Who has left may have come back on the same record.
      case .ours where known.isClaimed && !owed.hasLeft: return contradict(owed, .alreadyUsed, nil, &book)
      case .ours: return confirm(owed, on: entryID, &book)
      }
    }
    if let owner = book.owner(of: entryID, otherThan: key) {
      learnUsed(by: owner)
      return owner.firstUse == nil ? .unsettled : contradict(owed, .alreadyUsed, .otherCode, &book)
    }
    let (source, offsets) = source(
      of: redemption, span, date: date, wall: wall, wasUnused: false, isTelling: true, policy, &book)
    let isFirst = entries.isEmpty
    switch source {
    case .ahead:
      keep(lock, span, .ahead(entryID: entryID), offsets.asked, owed: owed.attempt)
      return .unsettled
    case .unknown:
      return .unsettled
    case .elsewhere where isFirst:
      note(entryID, .elsewhere, lock, &book)
      entries[entryID]?.offsets = offsets
      proveEntry()
      isUsedElsewhere = true
      if book.clock.isContradicted { return .unsettled }
      return contradict(owed, .alreadyUsed, .usedElsewhere, &book)
    case .earlierAttempt where isFirst:
      note(entryID, .ours, lock, &book)
      if quantity == 1 { explain() }
      return confirm(owed, on: entryID, &book)
    case .thisAttempt where isFirst:
      note(entryID, .ours, lock, &book)
      return confirm(owed, on: entryID, &book)
    case .thisAttempt where kind != .entry, .earlierAttempt where kind != .entry:
      note(entryID, .ours, lock, &book)
      kind = .sale
      return confirm(owed, on: entryID, &book)
    case .thisAttempt, .earlierAttempt, .elsewhere:
      // No such code exists.
      note(entryID, source == .elsewhere ? .elsewhere : .ours, lock, &book)
      return .unsettled
    }
  }

  /// The ticket system itself says "already used": by us, if a request of ours is open that may be the reason.
  private mutating func usedBefore(
    _ owed: Owed, _ span: ClosedRange<MonotonicTime>, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> ToldRecord {
    let isOurs = open.contains { attempt in
      if attempt.isUnplaced { return false }
      // Who came again soon after it, and was let in without a request, is whom it was for.
      let isTheirs = isOnce && (.zero...policy.claimFor).contains(owed.wall - attempt.lock.wall)
      return isTheirs || attempt.owed == owed.attempt || span.lowerBound <= attempt.endedAt + policy.lateGrace
    }
    if owed.hasLeft && settled > 0 || isSettledFree && (unclaimed() != nil || givenBack.isOpen || isOurs) {
      proveEntry()
      return confirm(owed, on: unclaimed(), &book)
    }
    // It does not say when: a lost request of long ago may be the reason, too.
    if isSettledFree, !open.isEmpty || doubtful > 0 { return .unsettled }
    proveEntry()
    if settled == 0 { isUsedElsewhere = true }
    return contradict(owed, .alreadyUsed, isUsedElsewhere ? .usedElsewhere : nil, &book)
  }

  /// Whether nothing that the ticket system knows of was admitted on the ticket.
  private var isSettledFree: Bool { settled == 0 && !isUsedElsewhere }

  // MARK: Ends

  /// The ticket system has an admission for it. Beyond what the ticket or its sale is for, it contradicts all the same.
  private mutating func confirm(_ owed: Owed, on entryID: String?, _ book: inout SaleBook) -> ToldRecord {
    let hasRoom = owed.hasLeft || settled < allowance
    let hasSaleRoom = owed.hasLeft || book.hasSettledRoom(in: sale)
    endOwed(owed, &book)
    if let entryID {
      if !owed.hasLeft {
        entries[entryID]?.isClaimed = true
        entries[entryID]?.hasLeft = false
        let use = AttemptDecision.FirstUse(gate: owed.gate, at: owed.wall, request: owed.attempt)
        book.use(entryID, use, of: key)
      } else if entries[entryID]?.isClaimed == false {
        entries[entryID]?.hasLeft = true
      }
    } else {
      givenBack = GivenBack(until: nil, isOpen: owed.hasLeft && settled == 0)
    }
    for index in standing.indices where standing[index].attempt == owed.attempt {
      (standing[index].entryID, standing[index].isProvisional) = (entryID, nil)
    }
    guard hasRoom else { return .contradicted(.alreadyUsed, nil) }
    return hasSaleRoom ? .confirmed(entryID: entryID) : .contradicted(.alreadyUsed, .saleUsedUp)
  }

  private mutating func contradict(
    _ owed: Owed, _ reason: RefuseReason, _ note: AttemptDecision.Note?, _ book: inout SaleBook
  ) -> ToldRecord {
    endOwed(owed, &book)
    return .contradicted(reason, note)
  }

  /// It is owed no more. The admission stays counted.
  mutating func endOwed(_ ended: Owed, _ book: inout SaleBook) {
    owed.removeAll { $0.attempt == ended.attempt }
    if !ended.hasLeft { book.owe(-1, in: sale) }
  }
}
