import ScanModel
internal import Admission
internal import LinuxIO
internal import TicketSystemKit

/// One admission: told, or settled without, and what is written of its end.
extension OutboxSender {
  /// How long a request may take for which nobody waits.
  private static let longestTelling: Duration = .seconds(10)

  /// Tells the ticket system of one admission, or settles it without.
  nonisolated(nonsending) func tell(_ owed: OwedAdmission, _ asker: any TicketSystem) async -> OutboxOrder.Result {
    guard !owed.scan.code.bytes.isEmpty else {
      end(owed, .unsettled, said: "Its code in the journal cannot be opened: another key has sealed it.")
      return .endedUnasked
    }
    guard (try? await stored.remember(owed.ticket)) != nil else { return .again(retryAfter: nil) }
    let attempt = AttemptID()
    defer { stored.wake(owed.ticket) }
    switch stored.ledger.beginTelling(
      owed.ticket, owed: owed.attempt, attempt: attempt, gate: owed.scan.gate, at: time.now(), wall: time.wall(),
      redeemsOnce: asker.redeemsOnce)
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

  private nonisolated(nonsending) func ask(
    _ owed: OwedAdmission, as attempt: AttemptID, _ system: any TicketSystem
  ) async -> OutboxOrder.Result {
    let (key, scan) = (owed.ticket, owed.scan)
    let asked = stored.write([.asked(store.asked(attempt, scan, system.id, key))], isUrgent: true)
    guard await stored.written(asked) == nil else {
      stored.ledger.abandon(key, attempt: attempt)
      stored.write([.concluded(store.concluded(attempt, .notSent, mayHaveRedeemed: false))])
      return .again(retryAfter: nil)
    }
    let listed = await listed(scan.code, system)
    let began = time.now()
    let request = AttemptRequest(
      attempt: attempt, scan: scan.id, code: scan.code, deadline: began + Self.longestTelling, isOwed: true,
      owedFor: age(of: owed), event: scan.event, listed: listed)
    var outcome = await system.attempt(request) { [keeper, loop] late in
      Task(executorPreference: loop.tasks) {
        await keeper.settle(late, of: attempt, scan: scan, key: key, system: system.id)
      }
    }
    health.learn(outcome, of: key, from: system.id, at: scan.gate)
    health.learnReach(of: outcome, began: began)
    health.compareClock(outcome, system.id)
    if (try? await stored.remember(for: outcome)) == nil {
      outcome.fate = .lost
      outcome.answer = .undecided(.outOfService, detail: nil)
    }
    let told = stored.ledger.told(key, owed: owed.attempt, attempt: attempt, outcome: outcome, wall: time.wall())
    health.tellRecordClock(system.id)
    return finish(owed, told, outcome, with: [.concluded(store.concluded(attempt, outcome, nil))])
  }

  /// What the list on board says of a ticket, where the gate has a rule: by that somebody was let in, however old it is by now.
  private nonisolated(nonsending) func listed(_ code: Code, _ system: any TicketSystem) async -> TicketDetails? {
    guard system.rule != nil else { return nil }
    let ever = Duration.seconds(366 * 86_400)
    let list = store.dependencies.listOnBoard(of: system.id, store.server, maxAge: ever, freshFor: ever)
    return try? await list.find(system.listedCode(code), ignoresDay: true, at: stored.now).ticket?.details
  }

  /// How long ago somebody was admitted; `nil` where no clock tells.
  private func age(of owed: OwedAdmission) -> Duration? {
    let now = stored.now
    if owed.boot == store.dependencies.boot { return max(.zero, now.monotonic - owed.at.monotonic) }
    return owed.at.isTrusted && now.isTrusted && owed.at.wall <= now.wall ? now.wall - owed.at.wall : nil
  }

  /// Looks up what an unanswered request has done, where another could make a second record.
  private nonisolated(nonsending) func lookUp(_ owed: OwedAdmission, _ asker: any TicketSystem) async
    -> OutboxOrder.Result
  {
    let asked = time.now()
    let found = await asker.lookUp(owed.scan.code, deadline: asked + Self.longestTelling)
    guard (try? await stored.remember(owed.ticket)) != nil else { return .again(retryAfter: nil) }
    guard let told = stored.ledger.lookedUp(owed.ticket, owed: owed.attempt, found: found, before: asked) else {
      return found == .unanswered ? .unheard(retryAfter: nil) : .unknown
    }
    // It can be told now, and at once.
    if told == .again {
      stored.write([])
      return .locked
    }
    return finish(owed, told)
  }

  // MARK: Ends

  /// Takes what telling came to, and writes it down with `facts`.
  private func finish(
    _ owed: OwedAdmission, _ told: ToldRecord, _ outcome: AttemptOutcome? = nil, with facts: [JournalFact] = []
  ) -> OutboxOrder.Result {
    stored.write(facts + end(owed.attempt, told, outcome), isUrgent: told.isEnd)
    return OutboxOrder.Result(told, outcome)
  }

  /// Ends an admission as the ledger has judged it; nothing where it has ended before.
  /// - Returns: what is to be written.
  func end(_ attempt: AttemptID, _ told: ToldRecord, _ outcome: AttemptOutcome?) -> [JournalFact] {
    var end = ToldAdmission(attempt: attempt, ending: .confirmed, at: stored.now)
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
  func end(_ owed: OwedAdmission, _ ending: ToldAdmission.Ending, said: String) {
    outbox.remove(owed.attempt)
    stored.write(
      ended(owed, ToldAdmission(attempt: owed.attempt, ending: ending, said: said, at: stored.now)), isUrgent: true)
  }

  private func ended(_ owed: OwedAdmission, _ end: ToldAdmission) -> [JournalFact] {
    if let reason = end.reason, reason != .alreadyUsed {
      stored.lastWords.remember(owed.ticket, folded: stored.ledger.folded(of: owed.ticket), reason, at: end.at.wall)
    }
    if end.ending.isConflict {
      events.emit(.conflict(OutboxConflict(owed: owed, told: end)))
    } else {
      // By hand it may have been told once more.
      events.settled(owed.attempt)
    }
    return [.told(end)]
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
