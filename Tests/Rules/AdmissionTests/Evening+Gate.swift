import ScanModel
import Admission
import ScanTesting

/// A gate that decides a visit, as `LedgerKeeper.decide` does it.
extension Evening {
  private static let patience = 5 * second / 2

  func present(_ visit: EveningVisit) {
    let person = visit.person
    guard !visit.isOver, !person.isIn, visit.isOfCalm == isCalm || visit.began != nil else { return }
    guard isUp else { return schedule(.present(visit), at: now + Self.second, dies: false) }
    if visit.began == nil {
      visit.began = now
      visits.append(visit)
    }
    let code = visit.code
    prepare(code)
    let attempt = AttemptID()
    let beginning = ledger.begin(
      keys[code], folded: foldedKeys[code], attempt: attempt, gate: visit.gate, at: mono(now), wall: wall,
      ignoringPending: visit.ignoringPending, rule: rule(of: visit.gate))
    let left = (visit.began ?? now) + Self.patience - now
    switch beginning {
    case .known(let decision):
      let durableAt = store([], isUrgent: true)
      finish(visit, decision, nil, opens: durableAt)
    case .locked:
      guard left > 0 else { return finish(visit, AttemptDecision(verdict: .undecided(.busy)), nil, opens: now) }
      schedule(.present(visit), at: now + Self.second / 20)
    case .pending:
      guard left > 0 else { return finish(visit, AttemptDecision(verdict: .undecided(.unreachable)), nil, opens: now) }
      visit.ignoringPending = true
      schedule(.present(visit), at: now + left * 2 / 5)
    case .ask:
      let exchange = EveningExchange(
        attempt: attempt, code: code, visit: visit, owed: nil, gate: visit.gate, asked: now)
      visit.exchange = exchange
      exchanges.append(exchange)
      decide(exchange, visit)
    }
  }

  private func decide(_ exchange: EveningExchange, _ visit: EveningVisit) {
    if plan.mayAdmitOffline, isKnownOffline, visit.dice.chance(80) { return concludeUnasked(exchange) }
    guard ledger.wantsProof(keys[exchange.code], at: mono(now), wall: wall) else { return ask(exchange, visit) }
    count("clock doubts")
    schedule(.lookedUp(exchange), at: now + Int64.random(in: 10_000_000...600_000_000, using: &visit.dice))
  }

  func lookedUp(_ exchange: EveningExchange) {
    guard let visit = exchange.visit else { return }
    let found = lookUp(exchange.code, &visit.dice)
    (exchange.found, exchange.foundAt) = (found, now)
    say("looked up: \(found)")
    if found == .unused || ledger.clock.mayProbe(keys[exchange.code], at: mono(now)) { return ask(exchange, visit) }
    if plan.mayAdmitOffline, found != .used, !isReachable {
      isKnownOffline = true
      return concludeUnasked(exchange)
    }
    ledger.abandon(keys[exchange.code], attempt: exchange.attempt)
    exchange.path = .notSent
    finish(visit, AttemptDecision(verdict: .undecided(.clockWrong)), nil, opens: now)
  }

  private func ask(_ exchange: EveningExchange, _ visit: EveningVisit) {
    let asked = EveningJournal.Asked(
      attempt: exchange.attempt, code: exchange.code, gate: visit.gate, began: mono(now), wall: wall, boot: journal.boot
    )
    exchange.askedDurableAt = store([.asked(asked)], isUrgent: true)
    exchange.isWritten = true
    send(exchange, patience: plan.mayAdmitOffline ? Self.second : Self.patience, &visit.dice)
    say("\(visit.gate) asks for code \(exchange.code), \(exchange.path)")
    guard !isCalm, plan.cuts > 0, visit.dice.chance(plan.cuts) else { return }
    // At any moment of the request, or just when it is over.
    let over = exchange.ended + 60_000_000
    let cut = visit.dice.chance(60) ? Int64.random(in: now...over, using: &visit.dice) : exchange.ended + 1
    let isReboot = plan.canReboot && visit.dice.chance(60)
    let away = Int64.random(in: Self.second...20 * Self.second, using: &visit.dice)
    schedule(.incident(.end(isReboot: isReboot, away: away)), at: cut)
    count("ends in mid-request")
  }

  /// The policy decides at once.
  private func concludeUnasked(_ exchange: EveningExchange) {
    exchange.path = .notSent
    (exchange.sent, exchange.ended) = (now, now)
    conclude(exchange)
  }

  func conclude(_ exchange: EveningExchange) {
    if exchange.owed != nil { return told(exchange) }
    guard let visit = exchange.visit else { return }
    let code = exchange.code
    var outcome = outcome(of: exchange)
    learn(outcome, of: code)
    if outcome.offline != nil, !isConfirmed(visit) { outcome.offline = nil }
    let word = word(on: code, outcome)
    let right: OfflineRight? = if case .may? = word { OfflineRight() } else { nil }
    recall(ledger.missing(for: outcome, offline: right))
    var decision = ledger.conclude(
      keys[code], attempt: exchange.attempt, outcome: outcome, wall: wall, wasUnused: exchange.found == .unused,
      offline: right, rule: rule(of: visit.gate))
    noteClock()
    if ledger.isLocked(keys[code]) { fail("code \(code) is locked after its conclusion") }
    if case .undecided = decision.verdict, let word { decision.take(word) }
    exchange.decision = decision
    var facts: [EveningJournal.Fact] = exchange.isWritten ? [.concluded(exchange.attempt)] : []
    if decision.isProvisional {
      facts.append(.owed(EveningJournal.Owed(attempt: exchange.attempt, code: code, gate: visit.gate)))
    }
    let isBarred = if case .redeemed(let redemption) = outcome.answer { redemption.bar != nil } else { false }
    let durableAt = store(facts, isUrgent: decision.verdict == .admit || isBarred)
    let isAlone = decision.isProvisional || decision.isOfAnotherGate
    let opens =
      isAlone || !exchange.isWritten ? durableAt : min(exchange.askedDurableAt, now + 50_000_000)
    let isOpenCase =
      outcome.fate == .pending || outcome.fate == .lost
      || outcome.fate == .answered && outcome.mayHaveRedeemed && outcome.isNoAnswer
    if isOpenCase, !decision.isProvisional { schedule(.settle(code: code, tries: 0), at: now + 31 * Self.second) }
    finish(visit, decision, exchange, opens: opens)
  }

  /// The verdict is there. Where it admits, the gate opens in a moment.
  private func finish(
    _ visit: EveningVisit, _ decision: AttemptDecision, _ exchange: EveningExchange?, opens: Int64
  ) {
    let person = visit.person
    visit.isOver = true
    person.last = decision.verdict
    say(
      "person \(person.plan.id), code \(visit.code): \(decision.verdict) \(decision.note.map { "\($0)" } ?? "")"
        + (decision.isProvisional ? " provisionally" : ""))
    note(decision, exchange)
    guard decision.verdict == .admit else {
      judge(decision, visit, exchange)
      return comeAgain(person, visit)
    }
    // A policy without a list does not know of events.
    if isBarred(visit.code, visit.gate), !decision.isProvisional {
      fail("person \(person.plan.id) is admitted by a gate of another event")
    }
    if decision.isOfAnotherGate { count("admitted at the right gate afterwards") }
    guard let attempt = decision.admission else { return fail("an admission without a name") }
    let admission = EveningAdmission(person, decision, attempt: attempt, at: now, exchange ?? visit.exchange)
    admissions.append(admission)
    person.isIn = true
    if decision.isProvisional {
      schedule(.tell(attempt), at: now + Int64.random(in: 1...20 * Self.second, using: &visit.dice))
    }
    schedule(.open(admission), at: max(now, opens) + 5_000_000)
  }

  private func comeAgain(_ person: EveningPerson, _ visit: EveningVisit) {
    guard !visit.isOfCalm, person.visits < person.plan.visits else { return }
    come(person, at: now + Int64.random(in: 2 * Self.second...40 * Self.second, using: &visit.dice))
  }

  /// The relay moves, or cannot be driven.
  func open(_ admission: EveningAdmission) {
    admission.isOpen = true
    guard !isCalm else { return }
    if dice.chance(4) {
      // Nobody passes, which staff notice some time later.
      return schedule(
        .annul(admission), at: now + Int64.random(in: Self.second...100 * Self.second, using: &dice), dies: false)
    }
    guard dice.chance(4) else { return }
    let code = admission.code
    prepare(code)
    let isOwed = ledger.owes(keys[code], admission.attempt)
    guard ledger.giveBack(keys[code], admission: admission.attempt, at: mono(now)) else { return }
    count("given back")
    say("the gate did not open for \(admission.person.plan.id)")
    takenBack(admission, wasOwed: isOwed)
  }

  /// As `LedgerKeeper.annul` does it.
  func annul(_ admission: EveningAdmission) {
    guard isUp else { return schedule(.annul(admission), at: now + Self.second, dies: false) }
    let code = admission.code
    prepare(code)
    let isOwed = ledger.owes(keys[code], admission.attempt)
    let annulment = ledger.annul(keys[code], admission: admission.attempt, at: mono(now))
    say("nobody passed for \(admission.person.plan.id): \(annulment)")
    guard annulment == .takenBack else {
      // Staff let them in. Somebody is in on it since, or the power took the admission along.
      let isLater = admissions.contains { $0 !== admission && $0.code == code && $0.decided >= admission.decided }
      let isForgotten = ends.contains { $0.isReboot && $0.at > admission.decided }
      if !isLater, !isForgotten { fail("an admission is not taken back: \(annulment)") }
      return count("not annulled")
    }
    if ledger.annul(keys[code], admission: admission.attempt, at: mono(now)) == .takenBack {
      fail("one admission was taken back twice")
    }
    count("annulled")
    takenBack(admission, wasOwed: isOwed)
  }

  private func takenBack(_ admission: EveningAdmission, wasOwed isOwed: Bool) {
    let code = admission.code
    admission.isOpen = false
    (admission.isGivenBack, admission.givenBackAt) = (true, now)
    var facts: [EveningJournal.Fact] = []
    if isOwed, !ledger.owes(keys[code], admission.attempt) {
      end(admission, .withdrawn)
      facts.append(.told(admission.attempt))
    }
    store(facts)
    admission.person.isIn = false
    come(admission.person, at: now + 3 * Self.second)
  }
}

extension AttemptOutcome {
  /// Whether what came says nothing.
  fileprivate var isNoAnswer: Bool { if case .undecided = answer { true } else { false } }
}
