package import ScanModel

/// The once-rule: who has been admitted on which ticket of one ticket system, over all gates of the station.
///
/// It makes "once" of an API that has no "already used" and no idempotency. For each ticket:
///
///     begin ─┬─▶ known      a late record is waiting (admit), or nothing is left (alreadyUsed): no request
///            ├─▶ pending    our earlier request is open: wait a moment, then begin(ignoringPending: true)
///            ├─▶ locked     another gate decides this ticket: wait for it
///            └─▶ ask ══ locked by this attempt ══▶ abandon    never sent; unlocked, no trace
///                                             └══▶ conclude   unlocked
///                                                   ├─ refused, undecided and not sent ─▶ no trace
///                                                   ├─ refused and may have redeemed ─▶ unsettled, without end
///                                                   ├─ redeemed, valid ─▶ TicketRecord judges, counts ══▶ giveBack, annul
///                                                   ├─ redeemed, but not for this gate ─▶ refused; our record waits for another
///                                                   ├─ undecided, and a right to pass offline ─▶ admitted, owed
///                                                   └─ may have redeemed ─▶ unsettled: pending ── late ─▶ settled,
///                                                                                        └─ lost    claimable, lost
///
/// An admission without the ticket system's word is provisional, and owed until the ticket system was told:
///
///     owed ── beginTelling ─┬─▶ settled   a record of ours waits for somebody: confirmed, no request
///      ▲                    ├─▶ notYet    an answer may still come
///      │                    ├─▶ lookUp    it may have been told: ask without redeeming ══▶ lookedUp ── unused ─▶ again
///      │                    ├─▶ locked    the ticket is being decided                           └── used ─▶ unsettled
///      │                    └─▶ ask ══ locked ══▶ abandon
///      │                                    └══▶ told ─┬─ a record of ours ─▶ confirmed
///      │                                               ├─ refused, used elsewhere, more than were paid ─▶ contradicted
///      ├──────────── again, doubtful ──────────────────┴─ whose the record is cannot be told ─▶ unsettled
///      ├── late, for what was sent for it ─▶ confirmed, contradicted, unsettled
///      └── giveBack, annul ─▶ withdrawn
///
/// It was counted when somebody was admitted; telling of it counts nobody. What is unsettled stays owed here, so that it can
/// be told again by hand.
///
/// Two promises, in this order, in any interleaving: nobody is admitted beyond the ticket's allowance, nor beyond what its
/// sale paid for over all its codes, unless without the ticket system's word, and then it is reported; nobody whose ticket was never admitted is refused because of an answer that we lost.
/// A record admits for the code that it was first seen for, so that another spelling of the code opens nothing. Tickets are
/// kept by their codes' bytes; what several codes have in common that the ticket system may take for one is counted beside
/// them by their folded key (`SpellingBook`, `docs/decisions/0026`).
///
/// Memory: only tickets with an admission, a known record, an unsettled attempt or a lock are kept; unknown codes leave no
/// trace. `forget` drops what only ever was unsettled. What outlives the process is told by `takeChanges` and given back by
/// `restore`; before each step the caller restores what `missing` names, so that the ledger itself need not hold it all.
package struct AttemptLedger: Sendable {
  let policy: AttemptPolicy
  var records: [TicketKey: TicketRecord] = [:]
  var book: SaleBook
  /// Tickets whose stored memory is not what is known.
  var changed: Set<TicketKey> = []
  /// Tickets of which something is stored.
  private var stored: Set<TicketKey> = []
  /// Counts what was let go of: what was recalled before is old then.
  package private(set) var age: UInt64 = 0

  /// Makes an empty ledger.
  /// - Parameter clock: what an earlier ledger of the same server knew of its clocks; by the policy alone at first.
  package init(_ policy: AttemptPolicy = .init(), clock: RecordClock? = nil) {
    self.policy = policy
    book = SaleBook(
      clock: clock ?? RecordClock(configured: policy.recordOffset, tolerated: policy.recordAhead))
  }

  /// What is known of the ticket system's clocks.
  package var clock: RecordClock {
    get { book.clock }
    set { book.clock = newValue }
  }

  /// Whether a ticket must be looked up before it is asked for, because no record's time can be believed now. One whose record was
  /// shown and admitted nobody yet is not spent by asking again.
  package mutating func wantsProof(_ key: TicketKey, at time: MonotonicTime, wall: WallTime) -> Bool {
    book.clock.wantsProof(at: time, wall: wall) && records[key]?.hasRecordToAskFor != true
  }

  /// What the ticket system has told of a ticket since the start, or the list where it has not.
  package func details(of key: TicketKey) -> TicketDetails? { records[key]?.details }

  /// Who was admitted on a ticket here, as far as it is held in memory: how many are in now, and the first admission.
  package func use(of key: TicketKey) -> (admitted: Int, first: AttemptDecision.FirstUse?)? {
    records[key].map { ($0.admitted, $0.firstUse) }
  }

  /// The sale that a ticket belongs to and how many persons that admits, as far as both are known and in memory.
  package func sale(of key: TicketKey) -> (name: String, quantity: Int)? {
    guard let sale = records[key]?.sale, let quantity = book.memory(ofSale: sale)?.quantity else { return nil }
    return (sale, quantity)
  }

  /// How often a ticket admits at most, where the ticket system has told that it may be for several and has not shown yet whether it is: it
  /// is asked again then.
  package func mostPossible(of key: TicketKey) -> Int? {
    guard let record = records[key], record.kind == .unknown, !record.entries.isEmpty, record.quantity > 1 else {
      return nil
    }
    return record.quantity
  }

  /// How many tickets it remembers.
  package var count: Int { records.count }

  /// Whether an attempt on any ticket is under way.
  package var isDeciding: Bool { records.values.contains { $0.lock != nil } }

  /// Whether a request of ours may have spent the ticket, and nobody passed on it: what the ticket system says of its money then may be
  /// of our own making, and is not its last word.
  package func mayBeSpentByUs(_ key: TicketKey) -> Bool { records[key]?.mayBeSpentByUs == true }

  /// Whether an attempt on this ticket is under way.
  package func isLocked(_ key: TicketKey) -> Bool { records[key]?.lock != nil }

  /// Asks what to do with one presentation of a ticket.
  /// - Parameters:
  ///   - folded: what the code has in common with all that the ticket system may take for it.
  ///   - isDistinct: whether the list on board names another such code, too: then they are two tickets.
  ///   - isTrusted: whether `wall` can be believed.
  ///   - ignoringPending: the caller has waited for the open request long enough.
  ///   - redeemsOnce: as `TicketSystem.redeemsOnce`.
  ///   - isOnBoard: whether the ticket system's answer is on board and records nothing: how often the ticket admits is what that says now,
  ///     so it is asked before a ticket is used up, and before one that was given back admits.
  ///   - rule: which tickets the gate takes; `nil` where it takes all. On what it does not know to be one nobody passes without a request.
  package mutating func begin(
    _ key: TicketKey, folded: TicketKey? = nil, isDistinct: Bool = false, attempt: AttemptID, gate: GateID,
    at time: MonotonicTime, wall: WallTime, isTrusted: Bool = true, ignoringPending: Bool = false,
    redeemsOnce: Bool = false, isOnBoard: Bool = false, rule: GateRule? = nil
  ) -> Beginning {
    var record = records[key] ?? TicketRecord(key: key, interval: policy.interval)
    record.folded = folded ?? record.folded
    record.isDistinct = isDistinct
    record.isOnBoard = isOnBoard
    if redeemsOnce { record.redeemsOnce() }
    if let decision = record.tooSoon(at: time, wall: wall, isTrusted: isTrusted, book) { return .known(decision) }
    // What waits on it for the right gate stays as it is.
    if let bar = rule?.lastingBar(record.details) { return .known(record.decision(bar)) }
    if let lock = record.lock {
      // A telling admits nobody, so that what is used up need not wait for it.
      let isTelling = record.owed.contains { $0.telling?.attempt == lock.attempt }
      if isTelling, let decision = record.rejudge(wall: wall, book) ?? record.knownUsed(book) {
        return .known(decision)
      }
      return .locked(by: lock.attempt)
    }
    if record.isOwedOtherwise(book) { return .known(record.knownUsed(book) ?? record.spelledOtherwise(.busy)) }
    let presented = AttemptLock(attempt: attempt, gate: gate, began: time, wall: wall)
    if let decision = record.rejudge(wall: wall, book) { return .known(decision) }
    if !isOnBoard, let decision = record.claim(presented, at: time, wall: wall, rule, &book) {
      record.space(decision, at: time, wall: wall, isTrusted: isTrusted, presented)
      keep(record, key)
      return .known(decision)
    }
    if !isOnBoard, let decision = record.knownUsed(book) { return .known(decision) }
    if !ignoringPending, let open = record.awaited(at: time, policy) { return .pending(open) }
    record.lock = presented
    records[key] = record
    return .ask
  }

  /// Takes the outcome of the attempt that holds the ticket's lock, releases the lock and decides.
  ///
  /// An attempt that does not hold the lock changes nothing and is `undecided(badAnswer)`.
  /// - Parameters:
  ///   - wall: our civil clock when the answer was there.
  ///   - isTrusted: whether that can be believed.
  ///   - wasUnused: a look-up right before the request has shown that nobody had redeemed the ticket.
  ///   - offline: what the ticket may do if the outcome is undecided, no fault, and nothing else decides: one admission,
  ///     which the ticket system has still to be told of. `nil` where nobody is admitted without its word.
  ///   - rule: as in `begin`; what the answer itself says of the gate is in its `Redemption.bar`.
  package mutating func conclude(
    _ key: TicketKey, attempt: AttemptID, outcome: AttemptOutcome, wall: WallTime, isTrusted: Bool = true,
    wasUnused: Bool = false, offline: OfflineRight? = nil, rule: GateRule? = nil
  ) -> AttemptDecision {
    guard var record = records[key], let lock = record.lock, lock.attempt == attempt else {
      return AttemptDecision(verdict: .undecided(.badAnswer), note: .unknownAttempt)
    }
    let decision = record.conclude(
      lock, outcome, wasUnused: wasUnused, offline: offline, wall: wall, rule, policy, &book)
    let ended = TicketRecord.span(of: outcome, lock).upperBound
    record.space(decision, at: ended, wall: wall, isTrusted: isTrusted, lock)
    keep(record, key)
    return decision
  }

  /// Takes the final outcome of an attempt that was pending.
  ///
  /// It may overtake `conclude`, since they come from different threads: then it is kept until that, and counts in it.
  /// A ticket's lock, if another attempt holds it, stays: what is claimable now serves that attempt's conclusion too.
  package mutating func late(
    _ key: TicketKey, attempt: AttemptID, outcome: AttemptOutcome, wall: WallTime
  ) -> LateRecord {
    guard var record = records[key] else { return .ignored }
    let result = record.late(attempt, outcome, wall: wall, policy, &book)
    keep(record, key)
    return result
  }

  /// Releases the lock of an attempt of which nothing was sent.
  package mutating func abandon(_ key: TicketKey, attempt: AttemptID) {
    guard var record = records[key], record.lock?.attempt == attempt else { return }
    record.lock = nil
    if record.forgetTelling(attempt) { changed.insert(key) }
    records[key] = record.leavesTrace ? record : nil
  }

  /// Takes back an admission because the gate did not open: the next presentation of this code within
  /// `AttemptPolicy.claimFor` is admitted without a request, if its sale still has room.
  ///
  /// A provisional admission is withdrawn: it is owed no more, and the next presentation is asked for or judged offline anew.
  ///
  /// - Parameter admission: `AttemptDecision.admission` of the decision that could not be carried out.
  /// - Returns: false, and nothing changed, unless it is the last admission on the ticket, or owed, and was not given back yet.
  @discardableResult
  package mutating func giveBack(_ key: TicketKey, admission: AttemptID, at time: MonotonicTime) -> Bool {
    guard var record = records[key], record.giveBack(admission, until: time + policy.claimFor, &book) else {
      return false
    }
    keep(record, key)
    return true
  }

  /// Takes back an admission because nobody passed on it, as `giveBack` does, whenever that is found. The one before it on the ticket,
  /// of those that stand, is the latest then.
  package mutating func annul(_ key: TicketKey, admission: AttemptID, at time: MonotonicTime) -> Annulment {
    if giveBack(key, admission: admission, at: time) { return .takenBack }
    return records[key].map { $0.admitted == 0 ? .already : .tooLate } ?? .unknown
  }

  /// Somebody leaves who was admitted on this ticket: it admits once more, if the ticket system agrees.
  /// - Returns: false, and nothing changed, where nobody is in on it.
  @discardableResult
  package mutating func leave(_ key: TicketKey) -> Bool {
    guard records[key]?.leave(&book) == true else { return false }
    if let record = records[key] { book.spellings.take(record) }
    changed.insert(key)
    return true
  }

  /// Attempts whose fate is open and records on which nobody passed, oldest first.
  package var unsettled: [UnsettledAttempt] {
    records.values.flatMap(\.unsettled).sorted { $0.askedAt < $1.askedAt }
  }

  /// Drops tickets of which nothing is known but attempts that ended before `time` without an answer. Attempts that were
  /// refused and yet may have redeemed stay: the person may pay and come back on another day.
  ///
  /// Call it rarely and with a time long past (a day): an answer that was lost before it is not recognised any more.
  package mutating func forget(endedBefore time: MonotonicTime) {
    for (key, record) in records where record.isOnlyUnsettled(endedBefore: time) { drop(key) }
  }

  /// Takes an attempt that was asked and never concluded, because the process or the machine ended before.
  ///
  /// A conclusion is written before the gate opens. So within the same boot nobody has passed on it, and it is as good as
  /// lost. After another start of the machine nobody can tell, and it counts as an admission that may have been.
  /// - Parameters:
  ///   - folded: as in `begin`.
  ///   - began: when it was about to be sent, by the clock of its own boot.
  ///   - time: now.
  ///   - isTrusted: whether `wall` could be believed.
  ///   - mayRedeem: whether it may have redeemed; what only read is forgotten where nobody can have passed on it.
  package mutating func interrupt(
    _ key: TicketKey, folded: TicketKey? = nil, attempt: AttemptID, gate: GateID, began: MonotonicTime, wall: WallTime,
    at time: MonotonicTime,
    isSameBoot: Bool, isTrusted: Bool = true, mayRedeem: Bool = true
  ) {
    var record = records[key] ?? TicketRecord(key: key, interval: policy.interval)
    record.folded = folded ?? record.folded
    record.interrupt(
      AttemptLock(attempt: attempt, gate: gate, began: began, wall: wall),
      at: isSameBoot ? min(time, began + policy.longestRequest) : time, isSameBoot: isSameBoot, mayRedeem: mayRedeem,
      isTrusted: isTrusted, &book)
    keep(record, key)
  }

  /// Closes the attempts on a ticket that ended, grace included, before `time`: the ticket system has shown that nobody has
  /// redeemed it until then, so nobody has passed on it either.
  /// - Parameter time: when it was asked.
  package mutating func noneRedeemed(_ key: TicketKey, before time: MonotonicTime) {
    guard var record = records[key], record.noneRedeemed(before: time, policy, &book) else { return }
    keep(record, key)
  }

  mutating func keep(_ record: TicketRecord, _ key: TicketKey) {
    book.spellings.take(record)
    guard record.leavesTrace else { return drop(key) }
    records[key] = record
    changed.insert(key)
  }

  private mutating func drop(_ key: TicketKey) {
    records[key] = nil
    changed.remove(key)
    guard stored.contains(key) else { return }
    changed.insert(key)
    age += 1
  }

  // MARK: What outlives the process

  /// What is to be restored before this ticket is begun with; empty once nothing more is known to be needed.
  /// - Parameter folded: as in `begin`.
  package func missing(_ key: TicketKey, folded: TicketKey? = nil) -> [LedgerPlace] {
    var places: [LedgerPlace] = []
    if let folded = folded ?? self.folded(of: key), !book.spellings.knows(folded) { places.append(.folded(folded)) }
    guard let record = records[key] else { return [.ticket(key)] + places }
    if let sale = record.sale, !book.knows(sale: sale) { places.append(.sale(sale)) }
    return places
  }

  /// The folded key that a ticket in memory was presented with.
  package func folded(of key: TicketKey) -> TicketKey? { records[key]?.folded }

  /// Whether somebody is in, or may be, on another code of the same folded key. Restore what `missing` names before.
  package func isSpelledOtherwise(_ key: TicketKey, folded: TicketKey?) -> Bool {
    folded.map { !book.spellings.others(than: key, folded: $0).isEmpty } ?? false
  }

  /// What is to be restored before this outcome is concluded, told, or taken late.
  /// - Parameter offline: as in `conclude`.
  package func missing(for outcome: AttemptOutcome, offline: OfflineRight? = nil) -> [LedgerPlace] {
    if case .undecided = outcome.answer, let sale = offline?.sale { return book.knows(sale: sale) ? [] : [.sale(sale)] }
    guard case .redeemed(let redemption) = outcome.answer else { return [] }
    var places: [LedgerPlace] = []
    if !book.knows(entry: redemption.entryID) { places.append(.entry(redemption.entryID)) }
    if let sale = redemption.sale, !book.knows(sale: sale) { places.append(.sale(sale)) }
    return places
  }

  /// Takes back what `takeChanges` told; nothing where something is known already.
  /// - Parameters:
  ///   - age: `age` when it was recalled; older memory is not taken.
  ///   - isSameBoot: whether it was written since the machine's start.
  /// - Returns: false if it is too old: recall again.
  package mutating func restore(_ place: LedgerPlace, _ memory: LedgerMemory, age: UInt64, isSameBoot: Bool) -> Bool {
    guard age == self.age else { return false }
    switch (place, memory) {
    case (.ticket(let key), .ticket(let memory)):
      if records[key] == nil {
        records[key] = TicketRecord(key: key, interval: policy.interval, memory, isSameBoot: isSameBoot)
      }
      stored.insert(key)
    case (.sale(let sale), .sale(let memory)): book.restore(sale: sale, memory)
    case (.entry(let entry), .entry(let memory)): book.restore(entry: entry, memory)
    case (.folded(let folded), .folded(let memory)): book.spellings.restore(folded, memory, isSameBoot: isSameBoot)
    default: break
    }
    return true
  }

  /// What is remembered otherwise than when this was last asked; `nil` where nothing is any more.
  package mutating func takeChanges() -> [LedgerPlace: LedgerMemory?] {
    var changes: [LedgerPlace: LedgerMemory?] = [:]
    for key in changed {
      let memory = records[key].map { LedgerMemory.ticket(TicketMemory($0)) }
      changes[.ticket(key)] = .some(memory)
      if memory == nil { stored.remove(key) } else { stored.insert(key) }
    }
    for place in book.changed {
      let memory: LedgerMemory? =
        switch place {
        case .sale(let sale): book.memory(ofSale: sale).map { .sale($0) }
        case .entry(let entry): book.memory(ofEntry: entry).map { .entry($0) }
        case .ticket, .folded: nil
        }
      changes[place] = .some(memory)
    }
    for folded in book.spellings.changed {
      changes[.folded(folded)] = .some(book.spellings.memory(of: folded).map { .folded($0) })
    }
    changed.removeAll()
    book.changesTaken()
    return changes
  }

  /// Counts everything as changed, because what was stored is gone.
  package mutating func markAllChanged() {
    changed.formUnion(records.keys)
    book.markAllChanged()
  }

  /// Lets go of what is stored and not in use, if more than `limit` tickets are held.
  package mutating func letGo(beyond limit: Int) {
    // What overtook its conclusion counts in that, with what was restored for it.
    guard records.count > limit, !records.values.contains(where: { $0.overtaking != nil }) else { return }
    records = records.filter { changed.contains($0.key) || $0.value.isInUse }
    stored = stored.filter { records[$0] != nil }
    book.letGo(
      except: Set(records.values.compactMap(\.sale)), folded: Set(records.values.compactMap(\.folded)))
    age += 1
  }
}
