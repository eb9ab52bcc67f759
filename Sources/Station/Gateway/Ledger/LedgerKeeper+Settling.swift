internal import Admission
internal import LinuxIO
import ScanModel

extension AttemptOutcome {
  /// Whether an answer came that says nothing, after a request that may have redeemed.
  var isNoAnswer: Bool { if case .undecided = answer { fate == .answered && mayHaveRedeemed } else { false } }
}

/// What becomes of attempts that were not answered: late answers, look-ups, and what an earlier process left open.
extension LedgerKeeper {
  /// Takes up the attempts that an earlier process asked and never concluded.
  /// - Parameters:
  ///   - asker: whom to ask what became of them.
  ///   - faces: the same with what each gate adds to its requests, to tell of what happened there.
  ///   - owed: the admissions of which it has still to be told.
  /// - Returns: what is to be told of them.
  func takeUp(
    _ attempts: [AskedAttempt], asker: (any TicketSystem)?, faces: [GateID: any TicketSystem] = [:],
    owed: [OwedAdmission] = []
  ) async -> [GatewayEvent] {
    await health.recallNotes()
    if !store.dependencies.isAccepted() { await mayBeTold(owed, to: asker) }
    defer { sender.takeUp(owed) }
    let tellings = Set(owed.map(\.scan.id))
    health.asker = asker
    sender.faces = faces
    await recallWords()
    var taken: [GatewayEvent] = []
    for asked in attempts {
      do throws(JournalFault) {
        try await stored.remember(asked.ticket)
      } catch {
        return taken
      }
      let isSameBoot = asked.boot == store.dependencies.boot
      let isTelling = tellings.contains(asked.scan.id)
      // What only read has left nothing, where it is sure besides that nobody has passed on it, or that counts for an interval alone.
      let isHarmless = !mayRedeem && (isSameBoot || isTelling || stored.policy.interval != nil)
      stored.ledger.interrupt(
        asked.ticket, folded: asker.flatMap { stored.folded(of: asked.scan.code, $0) }, attempt: asked.attempt,
        gate: asked.scan.gate, began: asked.at.monotonic, wall: asked.at.wall,
        at: time.now(), isSameBoot: isSameBoot, isTrusted: asked.at.isTrusted, mayRedeem: mayRedeem)
      // Together or not at all: what is not concluded on the disk is taken up again.
      stored.write([.concluded(store.concluded(asked.attempt, .lost, mayHaveRedeemed: !isHarmless))], isUrgent: true)
      guard !isHarmless else { continue }
      // Where it only told of an admission, nobody stood at the gate.
      let isLost = isSameBoot || isTelling
      taken.append(told(asked.attempt, asked.scan, isLost ? .lost : .interrupted))
      open(asked.ticket, asked.attempt, asked.scan)
    }
    return taken
  }

  /// So many pieces of the journal are read before people come; older ones while they do, and so many in all.
  private static let (piecesAhead, mostPieces) = (20, 400)

  /// Takes up what the ticket system said of tickets before this process: a refund that it told of outlives a restart in an outage, for
  /// the list on board may be older.
  private func recallWords() async {
    // What this process has heard stays known over reloads.
    guard stored.lastWords.beginRecalling() else { return }
    var end: Int64?
    for _ in 0..<Self.piecesAhead {
      guard let next = await recallWords(before: end) else { return stored.lastWords.endRecalling() }
      end = next
    }
    Task { [end] in
      var end = end
      for _ in Self.piecesAhead..<Self.mostPieces {
        guard let next = await recallWords(before: end) else { break }
        end = next
      }
      stored.lastWords.endRecalling()
    }
  }

  /// Takes one piece.
  /// - Returns: where the next one ends; `nil` where there is none, or no more is taken.
  private func recallWords(before fact: Int64?) async -> Int64? {
    // A journal that cannot be read is told of by whoever needs it.
    guard let (words, next) = try? await store.dependencies.journal.words(before: fact) else { return nil }
    for word in words where !stored.lastWords.recall(word) { return nil }
    return next
  }

  /// Records the final outcome of a request that the gate had stopped waiting for.
  func settle(
    _ outcome: AttemptOutcome, of attempt: AttemptID, scan: Scan, key: TicketKey, system: TicketSystemID
  ) async {
    health.learn(outcome, of: key, from: system, at: scan.gate)
    do throws(JournalFault) {
      try await stored.remember(key)
      try await stored.remember(for: outcome)
    } catch {
      // As if it had not come: the next presentation is judged by the ticket system's word.
      return mayRedeem ? report(attempt, scan, .lost) : ()
    }
    health.compareClock(outcome, system)
    let record = stored.ledger.late(key, attempt: attempt, outcome: outcome, wall: time.wall())
    health.tellRecordClock(system)
    var facts: [JournalFact] = [.late(store.concluded(attempt, outcome, nil))]
    switch record {
    case .claimable: report(attempt, scan, .redeemedLate)
    case .surplus: report(attempt, scan, .surplus)
    case .lost: report(attempt, scan, .lost)
    // It overtook the conclusion, which reports it, or it changes nothing.
    case .overtaking, .ignored: break
    case .settled, .usedElsewhere: report(attempt, scan, .settled)
    case .confirms(let owed, let entryID): facts += sender.end(owed, .confirmed(entryID: entryID), outcome)
    case .contradicts(let owed, let reason, let note): facts += sender.end(owed, .contradicted(reason, note), outcome)
    case .unsettles(let owed): facts += sender.end(owed, .unsettled, outcome)
    }
    stored.write(facts)
    stored.wake(key)
  }

  /// Once in an hour, what was never answered a day ago is dropped: it admits and refuses nobody any more.
  func forgetOldTraces() {
    let now = time.now()
    guard now - lastForgotten > .seconds(3_600) else { return }
    lastForgotten = now
    stored.ledger.forget(endedBefore: now - .seconds(86_400))
    stored.write([])
  }

  func report(_ attempt: AttemptID, _ scan: Scan, _ state: UnansweredAttempt.State) {
    events.emit(told(attempt, scan, state))
  }

  func told(_ attempt: AttemptID, _ scan: Scan, _ state: UnansweredAttempt.State) -> GatewayEvent {
    .attempt(
      UnansweredAttempt(
        attempt: attempt, scan: scan.id, gate: scan.gate, code: scan.code, state: state, at: time.wall()))
  }

  // MARK: Looking up

  /// Whether requests to the ticket systems of this server may redeem.
  private var mayRedeem: Bool { health.asker?.mayRedeem ?? true }

  func open(_ key: TicketKey, _ attempt: AttemptID, _ scan: Scan) {
    guard mayRedeem else { return }
    openCases.add(key, attempt: attempt, scan: scan, at: time.now())
    guard settling == nil, health.asker != nil else { return }
    settling = Task(executorPreference: loop.tasks) { await self.settleOpenCases() }
  }

  /// Returns when no look-up is to be made any more.
  func settled() async { await settling?.value }

  /// Asks what became of attempts without an answer, while nobody stands at a gate.
  private func settleOpenCases() async {
    while let due = openCases.due {
      try? await Task.sleep(for: max(lookUps.interval, due - time.now()))
      guard time.now() - lastDecided >= lookUps.quiet, let asker = health.asker,
        let open = openCases.next(at: time.now())
      else {
        continue
      }
      let asked = time.now()
      switch await asker.lookUp(open.scan.code, deadline: asked + .seconds(5)) {
      case .unknown, .unanswered: continue
      case .used: openCases.remove(open.key)
      case .unused:
        guard (try? await stored.remember(open.key)) != nil else { continue }
        stored.ledger.noneRedeemed(open.key, before: asked)
        stored.write([])
        openCases.remove(open.key)
        report(open.attempt, open.scan, .settled)
      }
    }
    settling = nil
  }
}
