internal import ScanConfiguration
package import ScanModel
package import Admission
internal import Calls

/// From the outcome of a request to the gate: what it comes to, written down before anybody passes on it.
extension LedgerKeeper {
  /// How long an admission waits for the sync of its attempt: a request's own time hides most of it.
  private static let longestSync: Duration = .milliseconds(50)
  /// How long an admission without a request waits until it is durable: nothing else tells of it.
  static let durableWithin: Duration = .milliseconds(300)

  /// Decides by the outcome of a request, or by the gate's policy where the outcome says that the ticket system is offline.
  /// - Parameter asked: the request's own entry in the journal; `nil` where nothing was asked.
  func conclude(_ deciding: Deciding, _ outcome: AttemptOutcome, asked: AskedMark?) async -> KeptDecision {
    var outcome = outcome
    let (key, attempt) = (deciding.key, deciding.attempt)
    health.compareClock(outcome, deciding.system.id)
    var word = await word(of: deciding, outcome)
    var right: OfflineRight?
    if case .may(let may, _) = word { right = may }
    do throws(JournalFault) {
      try await stored.remember(for: outcome, offline: right)
    } catch {
      // Whether the record is known for another code cannot be told: it stays open until the journal can be read.
      outcome.fate = asked == nil ? .notSent : .lost
      outcome.answer = .undecided(.outOfService, detail: error.description)
      (word, right) = (nil, nil)
    }
    var decision = stored.ledger.conclude(
      key, attempt: attempt, outcome: outcome, wall: time.wall(), isTrusted: stored.isTrusted,
      wasUnused: deciding.found == .unused, offline: right, rule: deciding.rule)
    health.tellRecordClock(deciding.system.id)
    decision = health.worded(decision, deciding.system.id)
    defer { stored.wake(key) }
    if decision.isProvisional, case .may(_, let decider) = word {
      decision.detail = "\(deciding.system.id) is offline (\(outcome.offline?.rawValue ?? ""))."
      return await admitProvisionally(deciding, decision, decider, outcome, asked)
    }
    var decider = Decider.server
    if case .undecided = decision.verdict, let word { decider = decision.take(word) ?? decider }
    if case .refuse = decision.verdict, outcome.fate != .answered, decider == .server {
      // By what was known before.
      decider = .ledger
      decision.detail = nil
    }
    // The list says how many, and the ledger that they are in.
    if decision.verdict == .refuse(.alreadyUsed), case .valid = outcome.answer, deciding.system.onBoard != nil {
      decider = .ledger
    }
    let isAdmission = decision.verdict == .admit
    // What waits for another gate must not be left to staff there because the power went a moment later.
    let isBarred = if case .redeemed(let redemption) = outcome.answer { redemption.bar != nil } else { false }
    let concluded = asked.map { _ in JournalFact.concluded(store.concluded(attempt, outcome, decision)) }
    // Where the fleet's conclusion follows at once, one sync serves both: the disk begins none that this one would wait for.
    let isUrgent = isBarred || isAdmission && !deciding.isClaimed
    let mark = stored.write([concluded].compactMap(\.self), isUrgent: isUrgent)
    guard isAdmission else { return KeptDecision(decision, asked: outcome, ticket: key, decider: decider) }
    guard let asked else {
      // An earlier request's answer came while this scan was on its way.
      let sure = await secured(decision, key, mark, within: Self.durableWithin, isTraced: true)
      return KeptDecision(sure, asked: outcome, ticket: key, decider: .ledger)
    }
    // Nobody passes whose claim is not concluded on the disk, which has this one by then.
    if deciding.isClaimed { return KeptDecision(decision, asked: outcome, ticket: key, decider: decider) }
    let sure = await secured(decision, key, mark, within: nil, isTraced: asked.mayBeWritten)
    // What no ticket system has recorded is durable itself, as a provisional admission is.
    // Nor does it tell of one on a record that waited since another gate has asked.
    let isNowhere = if case .valid = outcome.answer { true } else { decision.isOfAnotherGate }
    let isOurs = isNowhere && sure.verdict == .admit
    let (last, wait) = isOurs ? (mark, deciding.policy.durableWithin) : (asked.mark, Self.longestSync)
    let isDurable = (try? await store.dependencies.book.durable(last, until: time.now() + wait)) ?? false
    guard isOurs, !isDurable, whenFailing == .stop else {
      return KeptDecision(sure, asked: outcome, ticket: key, decider: decider)
    }
    await giveBack(decision, ledgerKey: key)
    return tooSlow(deciding, outcome)
  }

  /// Admits without the ticket system's word: once the admission is durable, and with it that it has to be told.
  private func admitProvisionally(
    _ deciding: Deciding, _ decision: AttemptDecision, _ decider: Decider, _ outcome: AttemptOutcome,
    _ asked: AskedMark?
  ) async -> KeptDecision {
    let owed = OwedAdmission(
      attempt: deciding.attempt, scan: deciding.scan, system: deciding.system.id, server: store.server,
      ticket: deciding.key, decider: decider, mayBeTold: outcome.mayHaveRedeemed, at: now, boot: store.dependencies.boot
    )
    var facts: [JournalFact] = [.owed(owed)]
    if asked != nil { facts.insert(.concluded(store.concluded(deciding.attempt, outcome, decision)), at: 0) }
    let mark = stored.write(facts, isUrgent: true)
    sender.owe(owed)
    let (fault, isDurable) = await kept(mark, within: deciding.policy.durableWithin)
    // Nobody else knows of it: what is not even written would be lost with the process.
    if fault == nil, isDurable || whenFailing == .continue {
      return KeptDecision(decision, asked: outcome, ticket: deciding.key, decider: decider)
    }
    await giveBack(decision, ledgerKey: deciding.key)
    return tooSlow(deciding, outcome, fault)
  }

  /// Nobody passes on what cannot be kept.
  private func tooSlow(_ deciding: Deciding, _ outcome: AttemptOutcome, _ fault: JournalFault? = nil) -> KeptDecision {
    let detail =
      fault?.description
      ?? "The disk takes longer than \(deciding.policy.durableWithin.milliseconds) ms to keep an admission that nobody else knows of."
    return KeptDecision(
      AttemptDecision(undecided: .outOfService, detail: detail), asked: outcome, ticket: deciding.key, decider: .station
    )
  }

  /// An admission once it is written, and durable in time where `within` is given. One that cannot be kept goes on or is
  /// taken back, as the station is told.
  /// - Parameter isTraced: whether the journal may hold something that will look as if nobody had passed. Then it goes on
  ///   only if it can be noted that this is not to be trusted.
  func secured(
    _ decision: AttemptDecision, _ key: TicketKey, _ mark: JournalMark, within: Duration?, isTraced: Bool
  ) async -> AttemptDecision {
    guard let fault = await kept(mark, within: within).fault else { return decision }
    if whenFailing == .continue {
      // What is not even written is lost with the process: the next one has to know.
      let isNoted = await store.dependencies.markIncomplete()
      if isNoted || !isTraced { return decision }
    }
    await giveBack(decision, ledgerKey: key)
    return AttemptDecision(undecided: .outOfService, detail: fault.description)
  }

  /// Whether it is durable in time, where `within` is given; or why it is not even written.
  private func kept(_ mark: JournalMark, within: Duration?) async -> (fault: JournalFault?, isDurable: Bool) {
    if let fault = await stored.written(mark) { return (fault, false) }
    guard let within else { return (nil, false) }
    do throws(JournalFault) {
      return (nil, try await store.dependencies.book.durable(mark, until: time.now() + within))
    } catch {
      return (error, false)
    }
  }

  func learn(_ decision: AttemptDecision, _ scan: Scan) {
    guard case .refuse(let reason) = decision.verdict else { return }
    let now = time.now()
    let said = NegativeCache.Refusal(
      reason, admitted: decision.admitted, allowance: decision.allowance, detail: decision.detail,
      details: decision.details)
    if reason == .notFound {
      unknown.remember(scan.code, said, at: now)
    } else {
      refused[scan.gate, default: NegativeCache()].remember(scan.code, said, at: now)
    }
  }

  /// Takes back the admission that a scan of this station was, because nobody passed on it.
  /// - Throws: that the journal cannot tell of the scan, and nothing is done; or that what was done is not durable, and holds as long
  ///   as this process.
  package func annul(_ scan: ScanID) async throws(JournalFault) -> Annulment {
    guard let found = try await store.dependencies.journal.admission(of: scan) else { return .unknown }
    if found.isAnnulled { return .already }
    // The ledger of another day is closed.
    guard stored.isOfNow(found.at.wall) else { return .tooLate }
    try await stored.remember(found.ticket)
    let isOwed = stored.ledger.owes(found.ticket, found.admission)
    let annulment = stored.ledger.annul(found.ticket, admission: found.admission, at: time.now())
    guard annulment == .takenBack else { return annulment }
    var facts: [JournalFact] = [.annulled(AnnulledAdmission(scan: scan, admission: found.admission, at: now))]
    if isOwed, !stored.ledger.owes(found.ticket, found.admission) { facts += sender.withdrawn(found.admission) }
    let mark = stored.write(facts, isUrgent: true)
    stored.wake(found.ticket)
    await takeBackClaim(of: scan)
    guard try await store.dependencies.book.durable(mark, until: time.now() + .seconds(1)) else {
      throw JournalFault(.unavailable, "The disk takes longer than 1 s to keep that an admission was taken back.")
    }
    return annulment
  }

  /// Takes an admission back because the gate did not open: presenting the code again admits without a request.
  /// - Parameter ledgerKey: `KeptDecision.ticket`.
  package func giveBack(_ decision: AttemptDecision, ledgerKey: TicketKey) async {
    guard let admission = decision.admission else { return }
    try? await stored.remember(ledgerKey)
    // It may have been told meanwhile.
    let isOwed = stored.ledger.owes(ledgerKey, admission)
    guard stored.ledger.giveBack(ledgerKey, admission: admission, at: time.now()) else { return }
    stored.write(isOwed && !stored.ledger.owes(ledgerKey, admission) ? sender.withdrawn(admission) : [])
  }
}
