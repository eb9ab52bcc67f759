internal import Calls
internal import LinuxIO
import ScanModel
internal import Admission

/// Tells the ticket system of provisional admissions, once it answers again and nobody waits for it.
///
/// ```
/// owed ──its turn──▶ beginTelling ─┬─ ask ──▶ request ──▶ told ─┬─ confirmed, contradicted ──▶ told fact
///   ▲                              ├─ lookUp ─▶ look-up ────────┤
///   │                              └─ locked, notYet            ├─ again, doubtful
///   └───────────────────── later, by OutboxOrder ◀──────────────┘
/// day over, given up by OutboxOrder, gate did not open ──▶ told fact (tooLate, unsettled, withdrawn)
/// ```
extension LedgerKeeper {
  /// How long a request may take for which nobody waits.
  private static let longestTelling: Duration = .seconds(10)
  /// How long the sender waits at most before it looks again, at the clock above all.
  private static let longestPause: Duration = .seconds(30)

  /// Returns when everything that is owed was told, or has ended otherwise; while it is held, it does not.
  func allTold() async { await sending?.value }

  /// Puts an admission into the outbox.
  func owe(_ new: OwedAdmission, isByHand: Bool = false) {
    outbox.add(new, isByHand: isByHand)
    sendOwed()
  }

  /// Takes what an earlier process had still to tell.
  func takeUp(_ earlier: [OwedAdmission]) {
    overdueDay = nil
    for earlier in earlier { owe(earlier) }
    sendOwed()
  }

  /// Stops sending, or goes on.
  func hold(_ isHeld: Bool) {
    guard outbox.isHeld != isHeld else { return }
    outbox.isHeld = isHeld
    sendOwed()
  }

  /// Sends without waiting any longer, and by hand what was too late or unsettled.
  func retry(_ again: [OwedAdmission]) {
    for again in again { owe(again, isByHand: true) }
    outbox.retry()
    sendOwed()
  }

  /// What is to be written when an admission was taken back before it was told.
  func withdrawn(_ attempt: AttemptID) -> [JournalFact] {
    outbox.remove(attempt)
    return [.told(ToldAdmission(attempt: attempt, ending: .withdrawn, at: now))]
  }

  // MARK: The sender

  /// Lets the sender look at what there is to do.
  func sendOwed() {
    if sending != nil { return wakeSender() }
    guard outbox.count > 0, asker != nil else { return }
    sending = Task(executorPreference: loop.tasks) { await self.send() }
  }

  private func send() async {
    while outbox.count > 0, let asker {
      endOverdue()
      guard !reach.isOffline else {
        await senderPause(until: nil)
        continue
      }
      switch outbox.next(at: time.now()) {
      case .send(let next):
        let result = await tell(next, asker)
        var random = SystemRandomNumberGenerator()
        if let givenUp = outbox.finish(next.attempt, result, at: time.now(), using: &random) {
          end(next, .unsettled, said: givenUp.words)
        }
      case .wait(let until): await senderPause(until: until)
      case .idle: await senderPause(until: nil)
      }
    }
    sending = nil
    tellReach()
  }

  /// Ends what was not told before the venue's day changed: today it would be refused, or noted on the wrong day.
  private func endOverdue() {
    let now = now
    guard now.isTrusted else { return }
    let today = store.day(of: now.wall, scope)
    guard today != overdueDay else { return }
    overdueDay = today
    let (store, scope) = (store, scope)
    for late in outbox.overdue(today: today, day: { $0.at.isTrusted ? store.day(of: $0.at.wall, scope) : nil }) {
      end(late, .tooLate, said: "It was not told to the ticket system before the venue's day changed.")
    }
  }

  /// Waits until something has changed, until `end` at the latest.
  private func senderPause(until end: MonotonicTime?) async {
    // A day is for ever here, and the clock is looked at now and then all the same.
    let pause = end.map { max(.zero, min($0 - time.now(), Self.longestPause)) } ?? Self.longestPause
    let alarm = Task {
      try await Task.sleep(for: pause)
      wakeSender()
    }
    await withCheckedContinuation { senderWaiting = $0 }
    alarm.cancel()
  }

  func wakeSender() {
    senderWaiting?.resume()
    senderWaiting = nil
  }

  // MARK: One admission

  /// Tells the ticket system of one admission, or settles it without.
  private func tell(_ owed: OwedAdmission, _ asker: any TicketSystem) async -> OutboxOrder.Result {
    guard !owed.scan.code.bytes.isEmpty else {
      end(owed, .unsettled, said: "Its code in the journal cannot be opened: another key has sealed it.")
      return .endedUnasked
    }
    guard (try? await remember(owed.ticket)) != nil else { return .again(retryAfter: nil) }
    let attempt = AttemptID()
    defer { wake(owed.ticket) }
    switch ledger.beginTelling(
      owed.ticket, owed: owed.attempt, attempt: attempt, gate: owed.scan.gate, at: time.now(), wall: time.wall())
    {
    case .ask: return await ask(owed, as: attempt, faces[owed.scan.gate] ?? asker)
    case .lookUp: return await lookUp(owed, asker)
    case .locked: return .locked
    case .notYet: return .notYet
    case .settled(let told): return finish(owed, told)
    case .unknown:
      end(owed, .unsettled, said: "What was known of the ticket is lost, for the journal was begun anew.")
      return .endedUnasked
    }
  }

  private func ask(
    _ owed: OwedAdmission, as attempt: AttemptID, _ system: any TicketSystem
  ) async -> OutboxOrder.Result {
    let (key, scan) = (owed.ticket, owed.scan)
    let asked = write([.asked(store.asked(attempt, scan, system.id, key))], isUrgent: true)
    guard await written(asked) == nil else {
      ledger.abandon(key, attempt: attempt)
      write([.concluded(store.notSent(attempt))])
      return .again(retryAfter: nil)
    }
    let began = time.now()
    let request = AttemptRequest(
      attempt: attempt, scan: scan.id, code: scan.code, deadline: began + Self.longestTelling, isOwed: true)
    var outcome = await system.attempt(request) { late in
      Task(executorPreference: self.loop.tasks) {
        await self.settle(late, of: attempt, scan: scan, key: key, system: system.id)
      }
    }
    learn(outcome, of: key, from: system.id, at: scan.gate)
    learnReach(of: outcome, began: began)
    compareClock(outcome, system.id)
    if (try? await remember(for: outcome)) == nil {
      outcome.fate = .lost
      outcome.answer = .undecided(.outOfService, detail: nil)
    }
    let told = ledger.told(key, owed: owed.attempt, attempt: attempt, outcome: outcome, wall: time.wall())
    tellRecordClock(system.id)
    return finish(owed, told, outcome, with: [.concluded(store.concluded(attempt, outcome, nil))])
  }

  /// Looks up what an unanswered request has done, where another could make a second record.
  private func lookUp(_ owed: OwedAdmission, _ asker: any TicketSystem) async -> OutboxOrder.Result {
    let asked = time.now()
    let found = await asker.lookUp(owed.scan.code, deadline: asked + Self.longestTelling)
    guard (try? await remember(owed.ticket)) != nil else { return .again(retryAfter: nil) }
    guard let told = ledger.lookedUp(owed.ticket, owed: owed.attempt, found: found, before: asked) else {
      return found == .unanswered ? .unheard(retryAfter: nil) : .unknown
    }
    // It can be told now, and at once.
    if told == .again {
      write([])
      return .locked
    }
    return finish(owed, told)
  }

  // MARK: Ends

  /// Takes what telling came to, and writes it down with `facts`.
  private func finish(
    _ owed: OwedAdmission, _ told: ToldRecord, _ outcome: AttemptOutcome? = nil, with facts: [JournalFact] = []
  ) -> OutboxOrder.Result {
    write(facts + end(owed.attempt, told, outcome), isUrgent: told.isEnd)
    return OutboxOrder.Result(told, outcome)
  }

  /// Ends an admission as the ledger has judged it; nothing where it has ended before.
  /// - Returns: what is to be written.
  func end(_ attempt: AttemptID, _ told: ToldRecord, _ outcome: AttemptOutcome?) -> [JournalFact] {
    var end = ToldAdmission(attempt: attempt, ending: .confirmed, at: now)
    if case .redeemed(let redemption)? = outcome?.answer {
      end.recordedAt = redemption.scannedAt
      end.entryID = redemption.entryID
    }
    if case .refused(_, let detail)? = outcome?.answer { end.said = detail }
    switch told {
    case .confirmed(let entryID): end.entryID = entryID
    case .contradicted(let reason, let note):
      end.ending = .contradicted
      end.reason = reason
      end.said = end.said ?? note?.words
    case .unsettled:
      end.ending = .unsettled
      end.said = "The ticket system has an admission on the ticket; whether it is this one cannot be told."
    case .again, .doubtful, .gone: return []
    }
    return outbox.remove(attempt).map { ended($0, end) } ?? []
  }

  /// Ends an admission without the ledger's word on it.
  private func end(_ owed: OwedAdmission, _ ending: ToldAdmission.Ending, said: String) {
    outbox.remove(owed.attempt)
    write(ended(owed, ToldAdmission(attempt: owed.attempt, ending: ending, said: said, at: now)), isUrgent: true)
  }

  private func ended(_ owed: OwedAdmission, _ end: ToldAdmission) -> [JournalFact] {
    if let reason = end.reason, reason != .alreadyUsed {
      lastWords.remember(owed.ticket, folded: ledger.folded(of: owed.ticket), reason, at: end.at.wall)
    }
    if end.ending.isConflict { events.emit(.conflict(OutboxConflict(owed: owed, told: end))) }
    return [.told(end)]
  }
}

extension OutboxOrder.Result {
  /// How long nothing is told after the ticket system has refused our key: a few refused keys, and it blocks them for a
  /// quarter of an hour.
  static let pauseOfRefusedKey: Duration = .seconds(300)

  /// What telling came to, for the order of what is to be told next.
  /// - Parameter outcome: the request's; `nil` where none was made.
  init(_ told: ToldRecord, _ outcome: AttemptOutcome?) {
    switch told {
    case .confirmed, .contradicted, .unsettled: self = outcome?.fate == .answered ? .ended : .endedUnasked
    case .gone: self = .endedUnasked
    case .doubtful: self = .doubtful(retryAfter: outcome?.retryAfter)
    case .again:
      let wait = outcome?.retryAfter
      switch outcome?.keyFault {
      case .keyBlocked?: self = .again(retryAfter: wait ?? Self.pauseOfRefusedKey)
      case _?: self = .again(retryAfter: max(wait ?? .zero, Self.pauseOfRefusedKey))
      case nil where outcome?.fate == .answered && outcome?.offline == nil: self = .unheard(retryAfter: wait)
      case nil: self = .again(retryAfter: wait)
      }
    }
  }
}

extension OutboxOrder.GivenUp {
  /// What staff read of it.
  fileprivate var words: String {
    switch self {
    case .unknown: "Whether the ticket system has the admission could not be found out."
    case .unheard:
      "Told \(OutboxOrder.mostTries + 1) times or more, the ticket system answered of other admissions and never of this one. "
        + "Look the ticket up there."
    }
  }
}

extension ToldRecord {
  /// Whether it ends the admission's stay in the outbox.
  fileprivate var isEnd: Bool {
    switch self {
    case .confirmed, .contradicted, .unsettled: true
    case .again, .doubtful, .gone: false
    }
  }
}

extension AttemptDecision.Note {
  /// What it means for an admission that is contradicted.
  fileprivate var words: String? {
    switch self {
    case .usedElsewhere: "It was used at another station before."
    case .otherCode: "Somebody was admitted on another code of the same ticket."
    case .saleUsedUp: "As many as were paid for were admitted on other codes of the sale."
    default: nil
    }
  }
}
