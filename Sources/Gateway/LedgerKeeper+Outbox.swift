internal import LinuxIO
import ScanModel
import ScanPipeline

/// Tells the ticket system of provisional admissions, once it answers again and nobody waits for it.
///
/// ```
/// owed ──its turn──▶ beginTelling ─┬─ ask ──▶ request ──▶ told ─┬─ confirmed, contradicted ──▶ told fact
///   ▲                              ├─ lookUp ─▶ look-up ────────┤
///   │                              └─ locked, notYet            ├─ again, doubtful
///   └───────────────────── later, by OutboxOrder ◀──────────────┘
/// day over, too many look-ups in vain, gate did not open ──▶ told fact (tooLate, unsettled, withdrawn)
/// ```
extension LedgerKeeper {
  /// How long a request may take for which nobody waits.
  private static let longestTelling: Duration = .seconds(10)

  /// How many admissions the ticket system has still to be told of.
  public var owedCount: Int { outbox.count }

  /// Puts an admission into the outbox.
  func owe(_ owed: OwedAdmission) {
    outbox.add(owed, at: time.now(), day: store.day(of: owed.at.wall, scope))
    sendOwed()
  }

  /// Takes what an earlier process had still to tell.
  func takeUp(_ owed: [OwedAdmission]) { for owed in owed { owe(owed) } }

  /// Stops sending, or goes on.
  func hold(_ isHeld: Bool) {
    outbox.hold(isHeld)
    sendOwed()
  }

  /// Sends without waiting any longer; what was too late or unsettled is given anew.
  func retry(_ again: [OwedAdmission]) {
    for owed in again where !outbox.contains(owed.attempt) { outbox.add(owed, at: time.now(), day: nil) }
    outbox.retry(at: time.now())
    sendOwed()
  }

  /// What is to be written when an admission was taken back before it was told.
  func withdrawn(_ attempt: AttemptID) -> [JournalFact] {
    outbox.remove(attempt)
    return [.told(ToldAdmission(attempt: attempt, ending: .withdrawn, at: now))]
  }

  /// Lets the sender look at what there is to do.
  func sendOwed() {
    guard sending == nil else { return wakeSender() }
    guard !outbox.isEmpty, asker != nil else { return }
    sending = Task { await send() }
  }

  private func send() async {
    while !Task.isCancelled {
      let now = now
      let day = now.isTrusted ? store.day(of: now.wall, scope) : nil
      for owed in outbox.tooLate(on: day) {
        end(owed, .tooLate, said: "It was not told to the ticket system before the venue's day changed.")
      }
      guard !outbox.isEmpty, let asker else { break }
      let isBusy = liveRequests > 0 || time.now() - lastDecided < .milliseconds(250)
      switch outbox.next(at: time.now(), isOnline: reach.cause == nil, isBusy: isBusy) {
      case .send(let owed): await tell(owed, asker)
      case .wait(let until): await senderPause(until: until)
      }
    }
    sending = nil
    if let asker { events.emit(.ticketSystem(asker.id, offline: reach.cause, owed: outbox.count, at: time.wall())) }
  }
}

extension LedgerKeeper {
  /// Tells the ticket system of one admission, or settles it without.
  private func tell(_ owed: OwedAdmission, _ asker: any TicketSystem) async {
    guard (try? await remember(owed.ticket)) != nil else { return outbox.later(owed.attempt, .journal, at: time.now()) }
    let attempt = AttemptID()
    switch ledger.beginTelling(
      owed.ticket, owed: owed.attempt, attempt: attempt, gate: owed.scan.gate, at: time.now(), wall: time.wall())
    {
    case .ask: await ask(owed, as: attempt, faces[owed.scan.gate] ?? asker)
    case .lookUp: await lookUp(owed, asker)
    case .locked: outbox.later(owed.attempt, .locked, at: time.now())
    case .notYet: outbox.later(owed.attempt, .notYet, at: time.now())
    case .settled(let told): write([finish(owed, told)].compactMap(\.self))
    case .unknown: end(owed, .unsettled, said: "What was known of the ticket is lost, the journal was begun anew.")
    }
    wake(owed.ticket)
  }

  private func ask(_ owed: OwedAdmission, as attempt: AttemptID, _ system: any TicketSystem) async {
    let (key, scan) = (owed.ticket, owed.scan)
    let asked = write([.asked(store.asked(attempt, scan, system.id, key))], isUrgent: true)
    guard await written(asked) == nil else {
      ledger.abandon(key, attempt: attempt)
      write([.concluded(store.notSent(attempt))])
      return outbox.later(owed.attempt, .journal, at: time.now())
    }
    let request = AttemptRequest(
      attempt: attempt, scan: scan.id, code: scan.code, deadline: time.now() + Self.longestTelling, isOwed: true)
    var outcome = await system.attempt(request) { late in
      Task { await self.settle(late, of: attempt, scan: scan, key: key) }
    }
    learnReach(of: outcome)
    if let date = outcome.serverDate { store.vault.clock.compare(date) }
    if (try? await remember(for: outcome)) == nil {
      outcome.fate = .lost
      outcome.answer = .undecided(.outOfService, detail: nil)
    }
    let told = ledger.told(key, owed: owed.attempt, attempt: attempt, outcome: outcome, wall: time.wall())
    write([.concluded(store.concluded(attempt, outcome, nil)), finish(owed, told, outcome)].compactMap(\.self))
  }

  /// Looks up what an unanswered request has done, where another could make a second record.
  private func lookUp(_ owed: OwedAdmission, _ asker: any TicketSystem) async {
    write([])
    let asked = time.now()
    let found = await asker.lookUp(owed.scan.code, deadline: asked + Self.longestTelling)
    guard (try? await remember(owed.ticket)) != nil else { return outbox.later(owed.attempt, .journal, at: time.now()) }
    guard let told = ledger.lookedUp(owed.ticket, owed: owed.attempt, found: found, before: asked) else {
      return outbox.later(owed.attempt, .notYet, at: time.now())
    }
    write([finish(owed, told)].compactMap(\.self))
  }

  /// Takes what telling came to.
  /// - Returns: the end, to be written, if it is one.
  func finish(_ owed: OwedAdmission, _ told: ToldRecord, _ outcome: AttemptOutcome? = nil) -> JournalFact? {
    var end = ToldAdmission(attempt: owed.attempt, ending: .confirmed, at: now)
    if case .redeemed(let redemption)? = outcome?.answer { end.recordedAt = redemption.scannedAt }
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
    case .again:
      outbox.later(owed.attempt, .again(outcome?.retryAfter), at: time.now())
      return nil
    case .doubtful:
      outbox.later(owed.attempt, .notYet, at: time.now())
      return nil
    case .gone:
      outbox.remove(owed.attempt)
      return nil
    }
    return ended(owed, end)
  }

  /// The same by the admission's name; nothing where it has ended before.
  func finish(_ attempt: AttemptID, _ told: ToldRecord, _ outcome: AttemptOutcome) -> [JournalFact] {
    guard let owed = outbox[attempt] else { return [] }
    return [finish(owed, told, outcome)].compactMap(\.self)
  }

  private func end(_ owed: OwedAdmission, _ ending: ToldAdmission.Ending, said: String) {
    write([ended(owed, ToldAdmission(attempt: owed.attempt, ending: ending, said: said, at: now))])
  }

  private func ended(_ owed: OwedAdmission, _ end: ToldAdmission) -> JournalFact {
    outbox.remove(owed.attempt)
    if end.ending.isConflict { events.emit(.conflict(OutboxConflict(owed: owed, told: end))) }
    return .told(end)
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
