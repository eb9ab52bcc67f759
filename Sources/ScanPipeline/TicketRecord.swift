import ScanModel

/// The attempt that decides a ticket now.
struct AttemptLock: Sendable {
  let attempt: AttemptID
  let gate: GateID
  let began: MonotonicTime
  let wall: WallTime
}

/// An attempt that may have redeemed, and nobody told us.
struct OpenAttempt: Sendable {
  let lock: AttemptLock
  let sentAt: MonotonicTime
  let endedAt: MonotonicTime
  var isPending: Bool
}

/// A record of the ticket system that we were shown.
struct KnownEntry: Sendable {
  /// Whose it is.
  enum Origin: Sendable { case ours, elsewhere, ahead }
  let origin: Origin
  /// Whether somebody was admitted on it, by us.
  var isClaimed: Bool
  /// Until when a presentation claims it without a request; `nil` where it may not.
  var claimUntil: MonotonicTime?
  /// The attempt that was shown it.
  let shownTo: AttemptLock
}

/// All that is known of one ticket, and the judgement on it.
///
/// What kind of code it is shows only by its records:
///
///     unknown ── the same record again, or one made before this request ──▶ entry   admits once
///        ├────── a second, different record ─────────────────────────────▶ sale    admits `quantity` times
///        └────── good, and the system keeps no records ─────────────────▶ book    admits `quantity` times
///
/// An entry secret shows one record for ever, with the time of its first redemption; a sale secret makes a new one in each
/// request. Until it is proven, a ticket admits once. Every admission passes through `admit`, the only place that counts.
struct TicketRecord: Sendable {
  enum Kind: Sendable { case unknown, entry, sale, book }

  /// The attempt that decides the ticket now; with its release goes what overtook it.
  var lock: AttemptLock? {
    didSet { overtaking = nil }
  }
  /// The late outcome of the attempt that holds the lock, where it overtook the word that the attempt is pending.
  private var overtaking: (outcome: AttemptOutcome, wall: WallTime)?
  private var kind = Kind.unknown
  private var admitted = 0
  private var quantity = 1
  private var entries: [String: KnownEntry] = [:]
  private var open: [OpenAttempt] = []
  /// The ticket system said "already used" when no request of ours could be the reason.
  private var isUsedElsewhere = false
  private var firstUse: AttemptDecision.FirstUse?
  private var details: TicketDetails?

  private var allowance: Int {
    switch kind {
    case .unknown, .entry: 1
    case .sale, .book: Swift.max(1, quantity)
    }
  }

  var leavesTrace: Bool { lock != nil || admitted > 0 || isUsedElsewhere || !entries.isEmpty || !open.isEmpty }

  func isOnlyUnsettled(endedBefore time: MonotonicTime) -> Bool {
    lock == nil && admitted == 0 && !isUsedElsewhere && entries.isEmpty && open.allSatisfy { $0.endedAt < time }
  }

  // MARK: Before a request

  /// Admits on a record that came too late for the attempt that made it.
  mutating func claim(gate: GateID, at time: MonotonicTime, wall: WallTime) -> AttemptDecision? {
    guard admitted < allowance else { return nil }
    let waiting = entries.filter { entry in
      entry.value.origin == .ours && !entry.value.isClaimed && entry.value.claimUntil.map { time <= $0 } == true
    }
    guard let entryID = waiting.keys.min() else { return nil }
    return admit(on: entryID, gate: gate, wall: wall, note: .ownLostAnswer)
  }

  /// The refusal that needs no request, if nothing can be left on this ticket.
  func knownUsed() -> AttemptDecision? {
    let isUsed =
      switch kind {
      case .entry: admitted >= 1 || isUsedElsewhere
      case .sale, .book: admitted >= allowance
      case .unknown: admitted >= 1 && quantity == 1
      }
    guard isUsed else { return nil }
    return decision(.refuse(.alreadyUsed), note: admitted == 0 ? .usedElsewhere : nil)
  }

  /// The attempt whose answer is worth a moment's wait.
  func awaited(at time: MonotonicTime, _ policy: AttemptPolicy) -> AttemptID? {
    open.first { $0.isPending && time <= $0.endedAt + policy.lateGrace }?.lock.attempt
  }

  // MARK: After a request

  /// Releases the lock and decides.
  mutating func conclude(
    _ lock: AttemptLock, _ outcome: AttemptOutcome, wall: WallTime, _ policy: AttemptPolicy
  ) -> AttemptDecision {
    let overtaking = overtaking
    self.lock = nil
    let span = Self.span(of: outcome, lock)
    // A verdict needs a whole answer, whatever the adapter made of a part of one.
    let answer = outcome.fate == .answered ? outcome.answer : Self.unanswered(outcome.answer)
    switch answer {
    case .redeemed(let redemption):
      return redeemed(redemption, lock, span, date: outcome.serverDate, wall: wall, policy)
    case .valid(let entitlement):
      return valid(entitlement, lock, wall: wall)
    case .refused(.alreadyUsed, let detail):
      return usedBefore(lock, span, wall: wall, detail: detail, policy)
    case .refused(let reason, let detail):
      withdrawClaims()
      return decision(.refuse(reason), detail: detail)
    case .undecided(let reason, let detail):
      if outcome.mayHaveRedeemed {
        open.append(
          OpenAttempt(
            lock: lock, sentAt: span.lowerBound, endedAt: span.upperBound, isPending: outcome.fate == .pending))
      }
      if let (outcome, wall) = overtaking { _ = late(lock.attempt, outcome, wall: wall, policy) }
      // An earlier request's answer may have come while this one was out. A fault is an alarm and stays one.
      if !reason.isFault, var claimed = claim(gate: lock.gate, at: span.upperBound, wall: wall) {
        claimed.detail = detail
        return claimed
      }
      return decision(.undecided(reason), note: open.isEmpty ? nil : .surplusPossible, detail: detail)
    }
  }

  mutating func late(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, wall: WallTime, _ policy: AttemptPolicy
  ) -> LateRecord {
    if lock?.attempt == attempt {
      overtaking = (outcome, wall)
      return .overtaking
    }
    guard let index = open.firstIndex(where: { $0.lock.attempt == attempt && $0.isPending }) else { return .ignored }
    let answer = outcome.fate == .answered ? outcome.answer : Self.unanswered(outcome.answer)
    if case .undecided = answer, outcome.mayHaveRedeemed {
      open[index].isPending = false
      return .lost
    }
    let ended = open.remove(at: index)
    switch answer {
    case .redeemed(let redemption):
      let span = ended.sentAt...Swift.max(ended.sentAt, outcome.endedAt)
      return redeemedLate(redemption, ended.lock, span, date: outcome.serverDate, wall: wall, policy)
    case .refused(let reason, _) where reason != .alreadyUsed:
      withdrawClaims()
      return .settled
    case .refused, .valid, .undecided:
      return .settled
    }
  }

  // MARK: Answers

  /// Whose a record is that we see for the first time.
  private enum Source { case thisAttempt, earlierAttempt, elsewhere, ahead }

  private func source(
    _ made: WallTime, _ span: ClosedRange<MonotonicTime>, date: WallTime?, wall: WallTime, _ policy: AttemptPolicy
  ) -> Source {
    let clock = ServerClock(span: span, date: date, wall: wall, wallMargin: policy.wallMargin)
    if made > clock.latestRecord(at: span.upperBound) + policy.recordAhead { return .ahead }
    let made = made + policy.recordBehind
    if made >= clock.earliestRecord(at: span.lowerBound) { return .thisAttempt }
    let isOurs = open.contains { attempt in
      // Nothing in this answer was made after it.
      let end = Swift.min(attempt.endedAt + policy.lateGrace, span.upperBound)
      return made >= clock.earliestRecord(at: attempt.sentAt)
        && made <= clock.latestRecord(at: end) + policy.recordBehind
    }
    return isOurs ? .earlierAttempt : .elsewhere
  }

  private mutating func redeemed(
    _ redemption: Redemption, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, date: WallTime?,
    wall: WallTime, _ policy: AttemptPolicy
  ) -> AttemptDecision {
    learn(redemption.quantity, redemption.details)
    let entryID = redemption.entryID
    if let known = entries[entryID] {
      proveEntry()
      switch known.origin {
      case .ahead: return decision(.undecided(.clockWrong), note: .recordAhead)
      case .elsewhere: return decision(.refuse(.alreadyUsed), note: .usedElsewhere)
      case .ours where known.isClaimed: return decision(.refuse(.alreadyUsed))
      case .ours: return admit(on: entryID, gate: lock.gate, wall: wall, note: .ownLostAnswer)
      }
    }
    let source = source(redemption.scannedAt, span, date: date, wall: wall, policy)
    let isFirst = entries.isEmpty
    switch source {
    case .ahead:
      note(entryID, .ahead, lock)
      return decision(.undecided(.clockWrong), note: .recordAhead)
    case .elsewhere where isFirst && admitted == 0:
      note(entryID, .elsewhere, lock)
      proveEntry()
      isUsedElsewhere = true
      firstUse = .init(gate: nil, at: redemption.scannedAt)
      return decision(.refuse(.alreadyUsed), note: .usedElsewhere)
    case .earlierAttempt where isFirst:
      // A sale secret would have made a record of its own in this request.
      note(entryID, .ours, lock)
      proveEntry()
      return admit(on: entryID, gate: lock.gate, wall: wall, note: .ownLostAnswer)
    case .thisAttempt where isFirst:
      note(entryID, .ours, lock)
      return admit(on: entryID, gate: lock.gate, wall: wall, note: open.isEmpty ? nil : .surplusPossible)
    case .thisAttempt where kind != .entry:
      note(entryID, .ours, lock)
      kind = .sale
      return admit(on: entryID, gate: lock.gate, wall: wall, note: open.isEmpty ? nil : .surplusPossible)
    case .thisAttempt, .earlierAttempt, .elsewhere:
      // An entry secret with a second record, or a new record of a sale secret that is not new: no such code exists.
      note(entryID, source == .elsewhere ? .elsewhere : .ours, lock)
      return decision(
        admitted >= allowance ? .refuse(.alreadyUsed) : .undecided(.badAnswer), note: .contradiction)
    }
  }

  private mutating func redeemedLate(
    _ redemption: Redemption, _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, date: WallTime?,
    wall: WallTime, _ policy: AttemptPolicy
  ) -> LateRecord {
    learn(redemption.quantity, redemption.details)
    let entryID = redemption.entryID
    if let known = entries[entryID] {
      proveEntry()
      return known.origin == .elsewhere ? .usedElsewhere(entryID: entryID) : .settled
    }
    let source = source(redemption.scannedAt, span, date: date, wall: wall, policy)
    let isFirst = entries.isEmpty
    switch source {
    case .ahead:
      note(entryID, .ahead, lock)
      return .surplus(entryID: entryID)
    case .elsewhere:
      note(entryID, .elsewhere, lock)
      if isFirst && admitted == 0 {
        proveEntry()
        isUsedElsewhere = true
        firstUse = .init(gate: nil, at: redemption.scannedAt)
      }
      return .usedElsewhere(entryID: entryID)
    case .thisAttempt, .earlierAttempt:
      note(entryID, .ours, lock)
      if source == .earlierAttempt, isFirst { proveEntry() }
      if source == .thisAttempt, !isFirst, kind == .unknown { kind = .sale }
      guard admitted < allowance, isFirst || kind == .sale else { return .surplus(entryID: entryID) }
      entries[entryID]?.claimUntil = span.upperBound + policy.claimFor
      return .claimable(entryID: entryID)
    }
  }

  private mutating func valid(_ entitlement: Entitlement, _ lock: AttemptLock, wall: WallTime) -> AttemptDecision {
    learn(entitlement.quantity, entitlement.details)
    if kind == .unknown, entries.isEmpty { kind = .book }
    return admit(on: nil, gate: lock.gate, wall: wall, note: nil)
  }

  /// The ticket system itself says "already used": by us, if we have an attempt that nobody passed on.
  ///
  /// It does not say when, so a ticket that was used elsewhere before our attempt was lost cannot be told apart. But once
  /// it was said with no attempt of ours open, it is known for good, and no attempt lost later can excuse it.
  private mutating func usedBefore(
    _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, wall: WallTime, detail: String?, _ policy: AttemptPolicy
  ) -> AttemptDecision {
    let unclaimed = entries.filter { $0.value.origin == .ours && !$0.value.isClaimed }.keys.min()
    let ownAttempt = open.contains { span.lowerBound <= $0.endedAt + policy.lateGrace }
    guard admitted == 0, !isUsedElsewhere, unclaimed != nil || ownAttempt else {
      proveEntry()
      isUsedElsewhere = isUsedElsewhere || (kind == .entry && admitted == 0)
      return decision(.refuse(.alreadyUsed), note: isUsedElsewhere ? .usedElsewhere : nil, detail: detail)
    }
    proveEntry()
    var admission = admit(on: unclaimed, gate: lock.gate, wall: wall, note: .ownLostAnswer)
    admission.detail = detail
    return admission
  }

  // MARK: Book-keeping

  /// Counts one admission if the ticket has one left, else refuses.
  private mutating func admit(
    on entryID: String?, gate: GateID, wall: WallTime, note: AttemptDecision.Note?
  ) -> AttemptDecision {
    guard admitted < allowance else {
      return decision(.refuse(.alreadyUsed), note: kind == .sale ? .surplusPossible : nil)
    }
    admitted += 1
    if let entryID { entries[entryID]?.isClaimed = true }
    if firstUse == nil { firstUse = .init(gate: gate, at: wall) }
    return decision(.admit, note: note)
  }

  /// The code admits once, however often it is redeemed: no attempt of ours can have left a surplus record.
  private mutating func proveEntry() {
    guard kind == .unknown || kind == .entry else { return }
    kind = .entry
    open.removeAll()
  }

  private mutating func note(_ entryID: String, _ origin: KnownEntry.Origin, _ lock: AttemptLock) {
    entries[entryID] = KnownEntry(origin: origin, isClaimed: false, claimUntil: nil, shownTo: lock)
  }

  private mutating func learn(_ quantity: Int, _ details: TicketDetails) {
    self.quantity = Swift.max(1, quantity)
    self.details = details
  }

  /// The ticket system now refuses the code: what waits to be claimed needs its word again.
  private mutating func withdrawClaims() {
    for entryID in entries.keys { entries[entryID]?.claimUntil = nil }
  }

  private func decision(
    _ verdict: Verdict, note: AttemptDecision.Note? = nil, detail: String? = nil
  ) -> AttemptDecision {
    AttemptDecision(
      verdict: verdict, admitted: admitted, allowance: allowance, firstUse: firstUse, note: note, details: details,
      detail: detail)
  }

  func unsettled(key: TicketKey) -> [UnsettledAttempt] {
    let attempts = open.map { attempt in
      UnsettledAttempt(
        key: key, attempt: attempt.lock.attempt, gate: attempt.lock.gate, askedAt: attempt.lock.wall,
        state: attempt.isPending ? .pending : .lost)
    }
    let surplus = entries.compactMap { entryID, entry -> UnsettledAttempt? in
      guard entry.origin != .elsewhere, !entry.isClaimed else { return nil }
      return UnsettledAttempt(
        key: key, attempt: entry.shownTo.attempt, gate: entry.shownTo.gate, askedAt: entry.shownTo.wall,
        state: entry.origin == .ahead ? .recordAhead(entryID: entryID) : .surplus(entryID: entryID))
    }
    return attempts + surplus
  }

  /// From sending to answer; never before the attempt began and never backwards, whatever an adapter reports.
  private static func span(of outcome: AttemptOutcome, _ lock: AttemptLock) -> ClosedRange<MonotonicTime> {
    let sent = Swift.max(outcome.sentAt ?? lock.began, lock.began)
    return sent...Swift.max(sent, outcome.endedAt)
  }

  private static func unanswered(_ answer: TicketAnswer) -> TicketAnswer {
    if case .undecided = answer { return answer }
    return .undecided(.badAnswer, detail: nil)
  }
}
