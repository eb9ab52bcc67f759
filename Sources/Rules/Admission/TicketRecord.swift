import ScanModel

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
  enum Kind: String, Codable, Sendable { case unknown, entry, sale, book }

  /// So many answered attempts are kept. An entry secret's record is of its first redemption, so the first ones count.
  private static let mostAnswered = 16
  static let mostStanding = 16

  let key: TicketKey
  /// As `AttemptPolicy.interval`.
  let interval: Duration?
  /// The attempt that decides the ticket now; with its release goes what overtook it.
  var lock: AttemptLock? {
    didSet { overtaking = nil }
  }
  /// The late outcome of the attempt that holds the lock, where it overtook the word that the attempt is pending.
  private(set) var overtaking: (outcome: AttemptOutcome, wall: WallTime)?
  var kind = Kind.unknown
  var admitted = 0
  var quantity = 1
  /// How often it admits by the list on board; the ticket system's own word outranks it.
  var listed: Int?
  /// The sale that the ticket belongs to, where the ticket system told it.
  var sale: String?
  /// Admissions that can be taken back, one after the other from the last; the newest `mostStanding`.
  var standing: [LastAdmission] = []
  /// An admission on no record was given back; until when a presentation takes it without a request.
  var givenBack = GivenBack()
  var entries: [String: KnownEntry] = [:]
  var open: [OpenAttempt] = []
  /// The ticket system said "already used" when no request of ours could be the reason.
  var isUsedElsewhere = false
  /// Provisional admissions, oldest first, of which the ticket system has still to be told; `admitted` counts them.
  var owed: [Owed] = []
  var firstUse: AttemptDecision.FirstUse?
  var details: TicketDetails?
  /// From when on what is remembered of it admits nobody, as the ticket system told.
  var ends: WallTime?
  /// The admission from which the interval is counted.
  var spaced: SpacedAdmission?
  /// What its code has in common with all that the ticket system may take for it; `nil` where it has one spelling only.
  var folded: TicketKey?
  /// Whether the list on board names another such code, too: then they are two tickets. Of the presentation alone.
  var isDistinct = false
  /// Whether the ticket system's answer is on board: what that says now outranks what is remembered. Of the presentation alone.
  var isOnBoard = false
  /// Whether it is redeemed once, and nothing is told of that but "already used". Of the presentation alone.
  private(set) var isOnce = false
  /// Why nobody passes at the gate that asked, whatever the answer that is judged is for. Of that answer alone.
  var bar: GateBar?

  init(key: TicketKey, interval: Duration?) { (self.key, self.interval) = (key, interval) }

  /// Told that the ticket system redeems it once.
  mutating func redeemsOnce() {
    isOnce = true
    if kind == .unknown { kind = .entry }
  }

  var allowance: Int {
    if isSpaced { return Entitlement.unlimited }
    return switch kind {
    case .entry: 1
    case .unknown: Swift.max(1, entries.isEmpty ? listed ?? 1 : Swift.min(listed ?? 1, quantity))
    case .sale, .book: Swift.max(1, quantity)
    }
  }

  /// Whether its time is over, by our civil clock: without the ticket system's word of now it admits nobody any more.
  func hasEnded(at wall: WallTime) -> Bool { ends.map { wall >= $0 } ?? false }

  var leavesTrace: Bool {
    lock != nil || admitted > 0 || isUsedElsewhere || givenBack.isOpen || !entries.isEmpty || !open.isEmpty
      || !owed.isEmpty || spaced != nil
  }

  /// Whether it must stay in memory: an attempt holds it, or an answer may come for one.
  var isInUse: Bool { lock != nil || open.contains { $0.standing == .pending } }

  func isOnlyUnsettled(endedBefore time: MonotonicTime) -> Bool {
    lock == nil && admitted == 0 && !isUsedElsewhere && !givenBack.isOpen && entries.isEmpty && owed.isEmpty
      && open.allSatisfy { !$0.isAnswered && $0.endedAt < time } && spaced == nil
  }

  // MARK: Before a request

  /// Admits on a record that came too late for the attempt that made it, or that was given back: where the gate is known to take the
  /// ticket.
  mutating func claim(
    _ lock: AttemptLock, at time: MonotonicTime, wall: WallTime, _ rule: GateRule?, _ book: inout SaleBook
  ) -> AttemptDecision? {
    guard rule?.takes(details) ?? true, !hasEnded(at: wall), admitted + interrupted < allowance,
      book.hasSureRoom(in: sale)
    else { return nil }
    let waiting = entries.filter { entry in
      entry.value.origin == .ours && !entry.value.isClaimed && entry.value.claimUntil.map { time <= $0 } == true
    }
    if let entryID = waiting.keys.min() {
      let note: AttemptDecision.Note = waiting[entryID]?.isGivenBack == true ? .givenBack : .ownLostAnswer
      return admit(on: entryID, lock, wall: wall, note: note, &book)
    }
    guard givenBack.isOpen, let until = givenBack.until, time <= until else { return nil }
    return admit(on: nil, lock, wall: wall, note: .givenBack, &book)
  }

  /// The refusal that needs no request, if nothing can be left on this ticket.
  func knownUsed(_ book: SaleBook) -> AttemptDecision? {
    let isUsed =
      switch kind {
      case .entry: admitted >= 1 || isUsedElsewhere
      case .sale, .book: admitted >= allowance
      // Who was admitted without the ticket system's word may be one of several: it is asked.
      case .unknown: !isSpaced && admitted >= (entries.isEmpty ? listed ?? .max : Swift.max(allowance, quantity))
      }
    if isUsed {
      let unseen: AttemptDecision.Note = firstUse?.gate == nil ? .usedElsewhere : .otherCode
      return decision(.refuse(.alreadyUsed), note: admitted == 0 ? unseen : nil)
    }
    return book.hasRoom(in: sale) ? nil : saleUsedUp(book)
  }

  /// The attempt whose answer is worth a moment's wait.
  func awaited(at time: MonotonicTime, _ policy: AttemptPolicy) -> AttemptID? {
    open.first { $0.standing == .pending && time <= $0.endedAt + policy.lateGrace }?.lock.attempt
  }

  // MARK: After a request

  /// Releases the lock and decides.
  mutating func conclude(
    _ lock: AttemptLock, _ outcome: AttemptOutcome, wasUnused: Bool, offline: OfflineRight?, wall: WallTime,
    _ rule: GateRule?, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> AttemptDecision {
    let overtaking = overtaking
    self.lock = nil
    let span = Self.span(of: outcome, lock)
    let answer = outcome.wholeAnswer
    switch answer {
    case .redeemed(let redemption):
      return redeemed(
        redemption, lock, span, date: outcome.serverDate, wall: wall, wasUnused: wasUnused, policy, &book)
    case .valid(let entitlement):
      return valid(entitlement, lock, wall: wall, &book)
    case .refused(.alreadyUsed, let detail):
      return usedBefore(lock, span, wall: wall, detail: detail, rule, policy, &book)
    case .refused(let reason, let detail):
      withdrawClaims()
      // A sale to be paid at the desk: the entry that the server made meanwhile is ours when the person comes back.
      if outcome.mayHaveRedeemed { keep(lock, span, .refused) }
      // What our own lost request has spent cannot be paid with again, and comes too soon after it.
      if reason.mayFollowUse, mayBeSpentByUs { return forStaff(detail: detail) }
      return decision(.refuse(reason), detail: detail)
    case .undecided(let reason, let detail):
      if outcome.mayHaveRedeemed {
        keep(lock, span, outcome.fate == .pending ? .pending : .lost)
      }
      if let (outcome, wall) = overtaking { _ = late(lock.attempt, outcome, wall: wall, policy, &book) }
      // An earlier request's answer may have come while this one was out. A fault is an alarm and stays one.
      if !reason.isFault, var claimed = claim(lock, at: span.upperBound, wall: wall, rule, &book) {
        claimed.detail = detail
        return claimed
      }
      // It was asked although as many are in as it said last: where it says nothing, that holds.
      if isOnBoard, !reason.isFault, let used = knownUsed(book) { return used }
      // What the ticket system has said meanwhile outranks what may be done without its word.
      if !reason.isFault, overtaking.map({ !$0.outcome.saysSomething }) ?? true, let offline {
        let known = rule?.isLasting == false ? offline.details : details ?? offline.details
        if let bar = rule?.bar(known) { return decision(bar) }
        return admitProvisionally(offline, insteadOf: reason, lock, wall: wall, detail: detail, &book)
      }
      return decision(.undecided(reason), note: open.isEmpty ? nil : .surplusPossible, detail: detail)
    }
  }

  mutating func late(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, wall: WallTime, _ policy: AttemptPolicy,
    _ book: inout SaleBook
  ) -> LateRecord {
    if lock?.attempt == attempt {
      overtaking = (outcome, wall)
      return .overtaking
    }
    guard let index = open.firstIndex(where: { $0.lock.attempt == attempt && $0.standing == .pending }) else {
      return .ignored
    }
    let answer = outcome.wholeAnswer
    if case .undecided = answer, outcome.mayHaveRedeemed {
      open[index].standing = .lost
      return .lost
    }
    let ended = open.remove(at: index)
    let span = ended.sentAt...Swift.max(ended.sentAt, outcome.endedAt)
    if let owed = owed.first(where: { $0.attempt == ended.owed }) {
      return lateTold(owed, ended.lock, span, outcome, wall: wall, policy, &book)
    }
    switch answer {
    case .redeemed(let redemption):
      return redeemedLate(redemption, ended.lock, span, date: outcome.serverDate, wall: wall, policy, &book)
    case .refused(let reason, _) where reason != .alreadyUsed:
      withdrawClaims()
      if outcome.mayHaveRedeemed { keep(ended.lock, span, .refused) }
      return .settled
    case .refused, .valid, .undecided:
      return .settled
    }
  }

  // MARK: Book-keeping

  /// Counts one admission if the ticket and its sale have one left, else refuses.
  mutating func admit(
    on entryID: String?, _ lock: AttemptLock, wall: WallTime, note: AttemptDecision.Note?, _ book: inout SaleBook
  ) -> AttemptDecision {
    guard admitted < allowance else {
      return decision(.refuse(.alreadyUsed), note: kind == .sale ? .surplusPossible : nil)
    }
    guard book.hasRoom(in: sale) else { return saleUsedUp(book) }
    guard admitted + interrupted < allowance, book.hasSureRoom(in: sale) else { return interruption() }
    if let withheld = sharedOut(book) { return withheld }
    if let bar { return decision(bar) }
    // Who claims the answer to an earlier request was admitted by that one.
    let request = entryID.flatMap { entries[$0]?.shownTo.attempt } ?? lock.attempt
    let use = AttemptDecision.FirstUse(gate: lock.gate, at: wall, request: request)
    stand(LastAdmission(attempt: lock.attempt, entryID: entryID, wasFirst: firstUse == nil))
    admitted += 1
    book.count(1, in: sale, firstUse: use)
    if let entryID {
      entries[entryID]?.isClaimed = true
      entries[entryID]?.hasLeft = false
      book.use(entryID, use, of: key)
    } else {
      givenBack = GivenBack()
    }
    if firstUse == nil { firstUse = use }
    var admission = decision(.admit, note: note)
    admission.entryID = entryID
    admission.admission = lock.attempt
    admission.isOfAnotherGate = entryID.flatMap { entries[$0]?.isBarred } == true
    return admission
  }

  mutating func stand(_ admission: LastAdmission) { standing = standing.suffix(Self.mostStanding - 1) + [admission] }

  /// How many may have passed on attempts that the end of the machine cut off.
  var interrupted: Int { open.count { $0.standing == .interrupted } }

  func saleUsedUp(_ book: SaleBook) -> AttemptDecision {
    var refusal = decision(.refuse(.alreadyUsed), note: .saleUsedUp)
    refusal.firstUse = firstUse ?? book.firstUse(in: sale)
    return refusal
  }

  /// Another code has the record: this is the same secret in another spelling.
  mutating func learnUsed(by owner: EntryMemory) {
    proveEntry()
    guard kind == .entry, admitted == 0, let use = owner.firstUse else { return }
    isUsedElsewhere = true
    firstUse = use
  }

  /// - Parameters:
  ///   - offsets: by which clocks it would have made the record that it was shown.
  ///   - owed: the provisional admission of which it was to tell.
  mutating func keep(
    _ lock: AttemptLock, _ span: ClosedRange<MonotonicTime>, _ standing: OpenAttempt.Standing,
    _ offsets: FreshOffsets? = nil, owed: AttemptID? = nil
  ) {
    let attempt = OpenAttempt(
      lock: lock, sentAt: span.lowerBound, endedAt: span.upperBound, standing: standing, owed: owed, offsets: offsets)
    if case .ahead = standing, let shown = open.firstIndex(where: { $0.standing == standing }) {
      return open[shown].join(attempt)
    }
    if attempt.isAnswered, open.count(where: \.isAnswered) >= Self.mostAnswered { return }
    open.append(attempt)
  }

  /// The code admits once, however often it is redeemed: no attempt of ours can have left a surplus record.
  mutating func proveEntry() {
    guard kind == .unknown || kind == .entry else { return }
    kind = .entry
    explain()
  }

  /// A record tells what became of the attempts that were open. By a wrong clock a sale's secret for one can look so, too: that the
  /// code is an entry's is not proven.
  mutating func explain() { open.removeAll { $0.standing != .interrupted } }

  mutating func note(
    _ entryID: String, _ origin: KnownEntry.Origin, _ lock: AttemptLock, _ book: inout SaleBook
  ) {
    if origin == .ours { book.own(entryID, key) }
    entries[entryID] = KnownEntry(origin: origin, isClaimed: false, claimUntil: nil, shownTo: lock)
  }

  mutating func learn(_ redemption: Redemption, _ book: inout SaleBook) {
    learn(redemption.quantity, redemption.details)
    guard let named = redemption.sale else { return }
    book.learn(named, quantity: redemption.saleQuantity)
    join(named, &book)
  }

  /// Counts in the sale what was counted before the ticket was known to belong to it.
  mutating func join(_ named: String, _ book: inout SaleBook) {
    guard sale != named else { return }
    // A list and the ticket system may call one sale by two names.
    book.move(admitted, interrupted: interrupted, owed: owedInside, from: sale, to: named, firstUse: firstUse)
    sale = named
  }

  mutating func learn(_ entitlement: Entitlement) {
    learn(entitlement.quantity, entitlement.details)
    ends = entitlement.ends
    if kind == .unknown, entries.isEmpty { kind = .book }
  }

  mutating func learn(_ quantity: Int, _ details: TicketDetails) {
    self.quantity = Swift.max(1, quantity)
    self.details = details
  }

  /// The ticket system now refuses the code: what waits to be claimed needs its word again.
  mutating func withdrawClaims() {
    for entryID in entries.keys { entries[entryID]?.claimUntil = nil }
    givenBack.until = nil
  }

  func decision(
    _ verdict: Verdict, note: AttemptDecision.Note? = nil, detail: String? = nil
  ) -> AttemptDecision {
    var decision = AttemptDecision(
      verdict: verdict, admitted: admitted, allowance: allowance, firstUse: firstUse, note: note, details: details,
      detail: detail)
    decision.mayBeForMore = kind == .unknown && admitted < quantity
    return decision
  }

  /// Nobody passes at the gate, whatever the ticket is for.
  func decision(_ bar: GateBar) -> AttemptDecision { decision(bar.verdict, detail: bar.detail) }

  /// From sending to answer; never before the attempt began and never backwards, whatever an adapter reports.
  static func span(of outcome: AttemptOutcome, _ lock: AttemptLock) -> ClosedRange<MonotonicTime> {
    let sent = Swift.max(outcome.sentAt ?? lock.began, lock.began)
    return sent...Swift.max(sent, outcome.endedAt)
  }
}

extension AttemptOutcome {
  /// A verdict needs a whole answer, whatever the adapter made of a part of one.
  var wholeAnswer: TicketAnswer {
    if fate == .answered { return answer }
    if case .undecided = answer { return answer }
    return .undecided(.badAnswer, detail: nil)
  }

  /// Whether the ticket system's word is in it.
  var saysSomething: Bool { if case .undecided = wholeAnswer { false } else { true } }
}
