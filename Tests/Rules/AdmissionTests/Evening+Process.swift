import ScanModel
import Admission
import ScanTesting

/// The station's process: what it remembers, how it ends at any moment, and how it begins again.
extension Evening {
  // MARK: Between ledger and journal

  func recall(_ places: [LedgerPlace]) {
    for place in places {
      guard let kept = journal.written.memory[place] else { continue }
      let isSameBoot = kept.boot == journal.boot
      if !ledger.restore(place, kept.memory, age: ledger.age, isSameBoot: isSameBoot) { fail("too old a memory") }
    }
  }

  /// Has in the ledger what is stored of a ticket, of its sale, and of its other spellings.
  func prepare(_ code: Int) {
    var known: Set<LedgerPlace> = []
    while true {
      let places = ledger.missing(keys[code], folded: foldedKeys[code]).filter { !known.contains($0) }
      if places.isEmpty { return }
      recall(places)
      known.formUnion(places)
    }
  }

  /// Writes what has happened and what it has changed.
  /// - Returns: when that is durable.
  @discardableResult func store(_ facts: [EveningJournal.Fact], isUrgent: Bool = false) -> Int64 {
    let longest = isUrgent ? (plan.isDiskSlow ? 280_000_000 : 40_000_000) : Self.second
    let durableAt = now + Int64.random(in: 0...longest, using: &dice)
    journal.write(ledger.takeChanges(), facts, durableAt: durableAt)
    if dice.chance(10) { ledger.letGo(beyond: 0) }
    return durableAt
  }

  /// Keeps what was learnt of the clocks, and what was suspected of them.
  func noteClock() {
    let clock = ledger.clock
    if clock.suspicions != suspicionsWritten {
      suspicionsWritten = clock.suspicions
      say("suspected: \(clock.suspicions.count) distances")
      journal.write([:], [.suspected(clock.suspicions)], durableAt: now + Self.second / 20)
    }
    guard clock.doubt == nil, clock.learnt != learntWritten else { return }
    learntWritten = clock.learnt
    if clock.learnt != nil { count("offsets learnt") }
    say("learnt: \(clock.learnt.map { "\($0)" } ?? "nothing")")
    journal.write([:], [.learnt(clock.learnt)], durableAt: now + Self.second / 20)
  }

  // MARK: Ends

  func end(isReboot: Bool, away: Int64) {
    guard isUp else { return }
    say(isReboot ? "the power goes" : "the process is killed")
    count(isReboot ? "power cuts" : "kills")
    process += 1
    isUp = false
    ends.append((now, isReboot))
    for exchange in exchanges where exchange.decision == nil && exchange.cutAt == nil && exchange.isWritten {
      exchange.cutAt = now
      exchange.isReboot = isReboot
    }
    // Who heard of a pending request hears no more of it.
    for admission in admissions where !admission.isOpen && !admission.isGivenBack && !admission.wasCut {
      admission.wasCut = true
      admission.person.isIn = false
      come(admission.person, at: now + away + Int64.random(in: 3 * Self.second...20 * Self.second, using: &dice))
    }
    for visit in visits where !visit.isOver {
      visit.isOver = true
      guard !visit.isOfCalm else { continue }
      come(visit.person, at: now + away + Int64.random(in: 3 * Self.second...20 * Self.second, using: &dice))
    }
    visits.removeAll()
    if isReboot {
      journal.reboot(at: now, lucky: Int.random(in: 0...3, using: &dice))
      for exchange in exchanges where exchange.isWritten && exchange.askedDurableAt > now {
        exchange.isForgotten = true
      }
      // That it was given back may be lost.
      for admission in admissions where admission.isGivenBack && admission.givenBackAt > now - Self.second {
        (admission.isGivenBack, admission.wasCut) = (false, true)
      }
    }
    schedule(.start, at: now + away)
  }

  func start() {
    say("the process begins")
    isUp = true
    if ends.last?.isReboot == true { bootOffset = now - 7 * Self.second }
    isKnownOffline = false
    lastWords = [:]
    ledger = AttemptLedger()
    let kept = journal.written
    learntWritten = kept.learnt
    suspicionsWritten = kept.suspicions
    ledger.clock.recall(kept.suspicions)
    if let learnt = kept.learnt { ledger.clock.recall(learnt: learnt) }
    for asked in kept.unconcluded {
      prepare(asked.code)
      let isSameBoot = asked.boot == journal.boot
      ledger.interrupt(
        keys[asked.code], folded: foldedKeys[asked.code], attempt: asked.attempt, gate: asked.gate, began: asked.began,
        wall: asked.wall, at: mono(now), isSameBoot: isSameBoot)
      if let exchange = exchanges.first(where: { $0.attempt == asked.attempt }) {
        exchange.takenUpAt = now
        exchange.wasInterrupted = exchange.wasInterrupted || !isSameBoot
        exchange.isForgotten = false
      }
      count(isSameBoot ? "taken up as lost" : "taken up as interrupted")
      store([.concluded(asked.attempt)], isUrgent: true)
      schedule(.settle(code: asked.code, tries: 0), at: now + 31 * Self.second)
    }
    for owed in kept.owed { schedule(.tell(owed.attempt), at: now + 3 * Self.second) }
  }

  // MARK: Afterwards

  func late(_ exchange: EveningExchange) {
    let outcome = lateOutcome(of: exchange)
    let code = exchange.code
    learn(outcome, of: code)
    prepare(code)
    recall(ledger.missing(for: outcome))
    let record = ledger.late(keys[code], attempt: exchange.attempt, outcome: outcome, wall: wall)
    exchange.late = record
    noteClock()
    say("late, for code \(code): \(outcome.answer.short): \(record)")
    var facts: [EveningJournal.Fact] = []
    switch record {
    case .confirms(let owed, let entryID): facts = end(owed, .confirmed(entryID))
    case .contradicts(let owed, _, _): facts = end(owed, .contradicted)
    case .unsettles(let owed): facts = end(owed, .unsettled)
    default: break
    }
    store(facts)
  }

  /// Looks a ticket up because of what was lost, while nobody stands at a gate.
  func settle(_ code: Int, tries: Int) {
    guard tries < 6 else { return }
    visits.removeAll { $0.isOver }
    guard visits.isEmpty else { return schedule(.settle(code: code, tries: tries), at: now + 5 * Self.second) }
    switch lookUp(code, &dice) {
    case .unknown, .unanswered: schedule(.settle(code: code, tries: tries + 1), at: now + 60 * Self.second << tries)
    case .used: break
    case .unused:
      prepare(code)
      ledger.noneRedeemed(keys[code], before: mono(now))
      count("settled by look-ups")
      say("a look-up shows code \(code) unused")
      store([])
    }
  }
}
