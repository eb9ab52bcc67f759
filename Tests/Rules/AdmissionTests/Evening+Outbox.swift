import ScanModel
import Admission
import ScanTesting

/// What happens without the ticket system, and how it is told afterwards: as `LedgerKeeper+Offline` and `+Outbox` do it.
extension Evening {
  /// What the gate's policy says.
  enum Word {
    case may
    case refuse(RefuseReason)
    /// Of another spelling the ticket system's last word was a refusal.
    case undecided
  }

  func word(on code: Int, _ outcome: AttemptOutcome) -> Word? {
    guard outcome.offline != nil, plan.mayAdmitOffline else { return nil }
    if let reason = lastWords[keys[code]] { return .refuse(reason) }
    if let folded = foldedKeys[code], lastWords[folded] != nil { return .undecided }
    return .may
  }

  /// Whether the ticket system is away, and not only this request: asked by a probe.
  func isConfirmed(_ visit: EveningVisit) -> Bool {
    guard !isKnownOffline, plan.mayAdmitOffline else { return true }
    if isReachable, !(plan.loss > 0 && visit.dice.chance(25)) { return false }
    if !isReachable { isKnownOffline = true }
    return true
  }

  func learn(_ outcome: AttemptOutcome, of code: Int) {
    guard outcome.fate == .answered else { return }
    if outcome.offline == nil { isKnownOffline = false }
    switch outcome.answer {
    case .redeemed, .valid:
      lastWords[keys[code]] = nil
      if let folded = foldedKeys[code] { lastWords[folded] = nil }
    case .refused(let reason, _)
    where reason != .alreadyUsed && (reason != .unpaid || !ledger.mayBeSpentByUs(keys[code])):
      lastWords[keys[code]] = reason
      if let folded = foldedKeys[code], reason != .notFound { lastWords[folded] = reason }
    case .refused, .undecided: break
    }
  }

  // MARK: Telling

  /// The sender's turn: of each ticket the first that is owed.
  func tell(_ attempt: AttemptID) {
    guard isUp, let owed = journal.written.owed.first(where: { $0.attempt == attempt }) else { return }
    let admission = admissions.first { $0.attempt == attempt }
    let first = journal.written.owed.first { $0.code == owed.code }
    guard first?.attempt == attempt, isReachable || dice.chance(10) else {
      return schedule(.tell(attempt), at: now + 5 * Self.second)
    }
    prepare(owed.code)
    let telling = AttemptID()
    let result = ledger.beginTelling(
      keys[owed.code], owed: attempt, attempt: telling, gate: owed.gate, at: mono(now), wall: wall)
    say("to be told, code \(owed.code): \(result)")
    switch result {
    case .ask:
      let exchange = EveningExchange(
        attempt: telling, code: owed.code, visit: nil, owed: attempt, gate: owed.gate, asked: now)
      exchanges.append(exchange)
      let asked = EveningJournal.Asked(
        attempt: telling, code: owed.code, gate: owed.gate, began: mono(now), wall: wall, boot: journal.boot)
      exchange.askedDurableAt = store([.asked(asked)], isUrgent: true)
      exchange.isWritten = true
      send(exchange, patience: 10 * Self.second, &dice)
    case .settled(let told): store(ended(attempt, told))
    case .locked: schedule(.tell(attempt), at: now + Self.second)
    case .notYet: schedule(.tell(attempt), at: now + 30 * Self.second)
    case .lookUp: lookUpOwed(owed, admission)
    case .unknown:
      fail("what is owed is forgotten")
    }
  }

  private func lookUpOwed(_ owed: EveningJournal.Owed, _ admission: EveningAdmission?) {
    let found = lookUp(owed.code, &dice)
    let told = ledger.lookedUp(keys[owed.code], owed: owed.attempt, found: found, before: mono(now))
    if told == .again {
      store([])
      return schedule(.tell(owed.attempt), at: now + Self.second)
    }
    if let told { store(ended(owed.attempt, told)); return }
    let tries = admission?.tries ?? 0
    if found != .unanswered { admission?.tries += 1 }
    if tries >= 5 {
      store(ended(owed.attempt, .unsettled))
    } else {
      schedule(.tell(owed.attempt), at: now + 30 * Self.second << tries)
    }
  }

  /// A request that told of an admission is over.
  func told(_ exchange: EveningExchange) {
    guard let owed = exchange.owed else { return }
    let outcome = outcome(of: exchange)
    learn(outcome, of: exchange.code)
    recall(ledger.missing(for: outcome))
    let told = ledger.told(
      keys[exchange.code], owed: owed, attempt: exchange.attempt, outcome: outcome, wall: wall)
    exchange.decision = AttemptDecision(verdict: .undecided(.busy))
    noteClock()
    say("told of code \(exchange.code), \(exchange.path): \(outcome.answer.short): \(told)")
    store([.concluded(exchange.attempt)] + ended(owed, told), isUrgent: true)
  }

  private func ended(_ owed: AttemptID, _ told: ToldRecord) -> [EveningJournal.Fact] {
    switch told {
    case .confirmed(let entryID): return end(owed, .confirmed(entryID))
    case .contradicted: return end(owed, .contradicted)
    case .unsettled: return end(owed, .unsettled)
    case .again: schedule(.tell(owed), at: now + 5 * Self.second)
    case .doubtful: schedule(.tell(owed), at: now + 31 * Self.second)
    case .gone: break
    }
    return []
  }

  func end(_ owed: AttemptID, _ ending: EveningAdmission.Ending) -> [EveningJournal.Fact] {
    guard let admission = admissions.first(where: { $0.attempt == owed }) else { return [.told(owed)] }
    end(admission, ending)
    return [.told(owed)]
  }

  /// Staff are told, or need not be. What is not durable may be told twice.
  func end(_ admission: EveningAdmission, _ ending: EveningAdmission.Ending) {
    if let known = admission.ending, known != .unsettled, ends.isEmpty {
      fail("an admission ended twice: \(known), \(ending)")
    }
    admission.ending = ending
    switch ending {
    case .confirmed: count("confirmed")
    case .contradicted: count("contradicted")
    case .unsettled: count("unsettled")
    case .withdrawn: count("withdrawn")
    }
  }
}

extension AttemptDecision {
  /// Takes the policy's word where the ledger leaves the scan undecided.
  mutating func take(_ word: Evening.Word) {
    switch word {
    case .may: break
    case .refuse(let reason): verdict = .refuse(reason)
    case .undecided:
      verdict =
        admitted > 0 && admitted >= allowance && !mayBeForMore ? .refuse(.alreadyUsed) : .undecided(.unreachable)
    }
  }
}
