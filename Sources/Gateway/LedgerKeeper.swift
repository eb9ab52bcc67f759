internal import LinuxIO
public import ScanModel
public import ScanPipeline

/// Keeps the attempt ledger of one ticket system for all gates of the station: does the waiting that the pure ledger cannot,
/// and writes down what must outlive the process.
///
/// ```
/// remember ─▶ begin ─ask─▶ asked: written ─▶ request ─▶ conclude ─▶ concluded: written ─▶ asked: durable, 50 ms at most ─▶ the gate
///                              └── its sync runs beside the request ───────────────────────────┘
/// ```
/// A conclusion is written before the gate opens. So whatever is asked and not concluded in the same boot has opened nothing;
/// where it cannot be written, that is confessed first, and the next process does not rely on it.
public actor LedgerKeeper {
  /// The share of a scan's time that is spent waiting for the late answer to our own earlier request.
  private static let patience = 0.4
  /// How long an admission waits for the sync of its attempt: a request's own time hides most of it.
  private static let longestSync: Duration = .milliseconds(50)
  /// How long an admission without a request waits until it is durable: nothing else tells of it.
  private static let durableWithin: Duration = .milliseconds(300)
  /// How long the journal may take to write or recall something before it counts as failing. It takes some 0.1 ms.
  private static let longestWrite: Duration = .seconds(1)
  /// How many tickets are held in memory; the others are recalled when they are presented.
  private static let mostTickets = 20_000

  private let policy: AttemptPolicy
  private var ledger: AttemptLedger
  private let scope: LedgerScope
  /// What the scope adds to keys now: another day or event has another ledger.
  private var part: [UInt8]
  private let store: LedgerStore
  private let whenFailing: JournalFailurePolicy
  /// Codes that the system does not know, for all gates; other refusals may depend on what a gate adds to its request.
  private var unknown = NegativeCache()
  private var refused: [GateID: NegativeCache] = [:]
  private var cap: StationCap
  private var waiters = TicketWaiters()
  private var lastForgotten: MonotonicTime
  private var lastDecided: MonotonicTime
  private var openCases: OpenCases
  private var settling: Task<Void, Never>?
  private let lookUps: LookUpPolicy
  /// Whom look-ups ask.
  private var asker: (any TicketSystem)?
  private let time: any TimeSource
  private let events: any EventSink

  /// Makes the keeper of a ledger that remembers what the journal does.
  /// - Parameters:
  ///   - server: the ticket system's server, by type and address: to it belongs what is remembered.
  ///   - floodLimit: how many unknown codes a minute all readers together may bring before those that bring them are no
  ///     longer asked for.
  public init(
    server: String, vault: LedgerVault, scope: LedgerScope = .once, policy: AttemptPolicy = AttemptPolicy(),
    whenFailing: JournalFailurePolicy = .continue, lookUps: LookUpPolicy = LookUpPolicy(), floodLimit: Int = 20,
    time: any TimeSource, events: any EventSink
  ) {
    self.policy = policy
    ledger = AttemptLedger(policy)
    store = LedgerStore(vault: vault, server: server)
    self.scope = scope
    part = store.part(of: scope, at: time.wall())
    self.whenFailing = whenFailing
    cap = StationCap(limit: floodLimit)
    self.time = time
    self.events = events
    lastForgotten = time.now()
    lastDecided = time.now()
    self.lookUps = lookUps
    openCases = OpenCases(grace: policy.lateGrace)
  }

  /// Sets how many unknown codes a minute all readers together may bring; what they have brought counts on.
  public func setFloodLimit(_ limit: Int) { cap.limit = max(1, limit) }

  /// Attempts that may have redeemed and were not settled, and entries that may be surplus at the server, as far as they
  /// are held in memory: for staff.
  public var unsettled: [UnsettledAttempt] { ledger.unsettled }

  /// Now, by every clock.
  public nonisolated var now: JournalTime { store.vault.clock.now() }

  /// Writes down a scan that is over; from any thread, returns at once.
  public nonisolated func record(_ scan: JournaledScan) {
    store.vault.journal.enqueue(JournalBatch(facts: [.scan(scan)]))
  }

  // MARK: Deciding

  /// Decides one scan: by what is known, or by one request to `system`. An admission is written down when it returns.
  /// - Parameter mayAsk: false where the reader floods the gate: then only what is known is answered.
  public func decide(
    _ scan: Scan, key: TicketKey, system: any TicketSystem, deadline: MonotonicTime, mayAsk: Bool
  ) async -> KeptDecision {
    forgetOldTraces()
    lastDecided = time.now()
    let key = self.key(key)
    let now = time.now()
    if let reason = unknown.reason(for: scan.code, at: now) ?? refused[scan.gate]?.reason(for: scan.code, at: now) {
      return KeptDecision(AttemptDecision(refused: reason), ticket: key, decider: .ledger)
    }
    let attempt = AttemptID()
    if let known = await begin(key, attempt, scan.gate, deadline: deadline) {
      return KeptDecision(known.decision, ticket: key, decider: known.decider)
    }
    guard mayAsk, cap.mayAsk(scan.reader, at: time.now()) else {
      abandon(key, attempt)
      let detail = "Reader \(scan.reader) has brought too many unknown codes; it may ask again within a minute."
      return KeptDecision(AttemptDecision(undecided: .rateLimited, detail: detail), ticket: key, decider: .station)
    }
    let asked = store.vault.journal.enqueue(
      JournalBatch(facts: [.asked(store.asked(attempt, scan, system.id, key))], isUrgent: true))
    let unasked = await written(asked)
    if let fault = unasked, whenFailing == .stop {
      abandon(key, attempt)
      // Should it be written after all, it is not taken for a request that may have redeemed.
      write([.concluded(store.notSent(attempt))])
      return KeptDecision(
        AttemptDecision(undecided: .outOfService, detail: fault.description), ticket: key, decider: .station)
    }
    let request = AttemptRequest(attempt: attempt, scan: scan.id, code: scan.code, deadline: deadline)
    var outcome = await system.attempt(request) { late in
      Task { await self.settle(late, of: attempt, scan: scan, key: key) }
    }
    let decision = await conclude(
      key, attempt, &outcome, asked: asked, mayBeAsked: unasked == nil || unasked?.kind == .unavailable)
    learn(decision, scan)
    switch outcome.fate {
    case .pending:
      report(attempt, scan, .pending)
      open(key, attempt, scan)
    case .lost:
      report(attempt, scan, .lost)
      open(key, attempt, scan)
    case .notSent, .answered: break
    }
    ledger.letGo(beyond: Self.mostTickets)
    return KeptDecision(decision, asked: outcome, ticket: key, decider: .server)
  }

  /// Somebody leaves with this code: nobody is asked, nobody is kept in, and the ticket admits again.
  public func leave(_ scan: Scan, key: TicketKey) async -> KeptDecision {
    let key = self.key(key)
    var decision = AttemptDecision(verdict: .admit, note: .notInside)
    do throws(JournalFault) {
      try await remember(key)
      if ledger.leave(key) {
        decision.note = .left
        write([])
        wake(key)
      }
    } catch {
      decision.detail = error.description
    }
    return KeptDecision(decision, ticket: key, decider: .ledger)
  }

  /// Takes the ticket's lock, or decides without a request; `nil` when the lock is ours.
  private func begin(
    _ key: TicketKey, _ attempt: AttemptID, _ gate: GateID, deadline: MonotonicTime
  ) async -> (decision: AttemptDecision, decider: Decider)? {
    var ignoringPending = false
    while true {
      do throws(JournalFault) {
        try await remember(key)
      } catch {
        return (AttemptDecision(undecided: .outOfService, detail: error.description), .station)
      }
      let beginning = ledger.begin(
        key, attempt: attempt, gate: gate, at: time.now(), wall: time.wall(), ignoringPending: ignoringPending)
      switch beginning {
      case .known(let decision):
        guard case .admit = decision.verdict else { return (decision, .ledger) }
        return (await secured(decision, key, write([]), within: Self.durableWithin, isTraced: true), .ledger)
      case .ask:
        return nil
      case .locked:
        guard time.now() < deadline else {
          return (
            AttemptDecision(undecided: .busy, detail: "The same code is being decided at another gate."), .station
          )
        }
        await change(of: key, until: deadline)
      case .pending:
        let left = deadline - time.now()
        guard left > .zero else {
          let detail = "Our own earlier request is not answered yet."
          return (AttemptDecision(undecided: .unreachable, detail: detail), .station)
        }
        await change(of: key, until: time.now() + left * Self.patience)
        ignoringPending = true
      }
    }
  }

  private func abandon(_ key: TicketKey, _ attempt: AttemptID) {
    ledger.abandon(key, attempt: attempt)
    wake(key)
  }

  private func conclude(
    _ key: TicketKey, _ attempt: AttemptID, _ outcome: inout AttemptOutcome, asked: JournalMark, mayBeAsked: Bool
  ) async -> AttemptDecision {
    if let date = outcome.serverDate { store.vault.clock.compare(date) }
    do throws(JournalFault) {
      try await remember(for: outcome)
    } catch {
      // Whether the record is known for another code cannot be told: it stays open until the journal can be read.
      outcome.fate = .lost
      outcome.answer = .undecided(.outOfService, detail: error.description)
    }
    let decision = ledger.conclude(key, attempt: attempt, outcome: outcome, wall: time.wall())
    let isAdmission = decision.verdict == .admit
    let mark = write([.concluded(store.concluded(attempt, outcome, decision))], isUrgent: isAdmission)
    defer { wake(key) }
    guard isAdmission else { return decision }
    let sure = await secured(decision, key, mark, within: nil, isTraced: mayBeAsked)
    _ = try? await store.vault.journal.durable(asked, until: time.now() + Self.longestSync)
    return sure
  }

  /// An admission once it is written, and durable in time where `within` is given. One that cannot be kept goes on or is
  /// taken back, as the station is told.
  /// - Parameter isTraced: whether the journal may hold something that will look as if nobody had passed. Then it goes on
  ///   only if it can be noted that this is not to be trusted.
  private func secured(
    _ decision: AttemptDecision, _ key: TicketKey, _ mark: JournalMark, within: Duration?, isTraced: Bool
  ) async -> AttemptDecision {
    var fault = await written(mark)
    if fault == nil, let within {
      do throws(JournalFault) {
        _ = try await store.vault.journal.durable(mark, until: time.now() + within)
      } catch {
        fault = error
      }
    }
    guard let fault else { return decision }
    if whenFailing == .continue {
      if !isTraced { return decision }
      if await store.vault.confess() { return decision }
    }
    giveBack(decision, ledgerKey: key)
    return AttemptDecision(undecided: .outOfService, detail: fault.description)
  }

  private func learn(_ decision: AttemptDecision, _ scan: Scan) {
    guard case .refuse(let reason) = decision.verdict else { return }
    let now = time.now()
    if reason == .notFound {
      unknown.remember(scan.code, reason, at: now)
      cap.countUnknown(scan.code, by: scan.reader, at: now)
    } else {
      refused[scan.gate, default: NegativeCache()].remember(scan.code, reason, at: now)
    }
  }

  /// Takes an admission back because the gate did not open: presenting the code again admits without a request.
  /// - Parameter ledgerKey: `KeptDecision.ticket`.
  public func giveBack(_ decision: AttemptDecision, ledgerKey: TicketKey) {
    guard let admission = decision.admission else { return }
    if ledger.giveBack(ledgerKey, admission: admission, at: time.now()) { write([]) }
  }

  /// Records the final outcome of a request that the gate had stopped waiting for.
  private func settle(_ outcome: AttemptOutcome, of attempt: AttemptID, scan: Scan, key: TicketKey) async {
    do throws(JournalFault) {
      try await remember(key)
      try await remember(for: outcome)
    } catch {
      // As if it had not come: the next presentation is judged by the ticket system's word.
      return report(attempt, scan, .lost)
    }
    let record = ledger.late(key, attempt: attempt, outcome: outcome, wall: time.wall())
    write([.late(store.concluded(attempt, outcome, nil))])
    wake(key)
    switch record {
    case .claimable: report(attempt, scan, .redeemedLate)
    case .surplus: report(attempt, scan, .surplus)
    case .lost: report(attempt, scan, .lost)
    // It overtook the conclusion, which reports it, or it changes nothing.
    case .overtaking, .ignored: break
    case .settled, .usedElsewhere, .confirms, .contradicts, .unsettles: report(attempt, scan, .settled)
    }
  }

  /// Once in an hour, what was never answered a day ago is dropped: it admits and refuses nobody any more.
  private func forgetOldTraces() {
    let now = time.now()
    guard now - lastForgotten > .seconds(3_600) else { return }
    lastForgotten = now
    ledger.forget(endedBefore: now - .seconds(86_400))
    write([])
  }

  private func report(_ attempt: AttemptID, _ scan: Scan, _ state: UnansweredAttempt.State) {
    events.emit(told(attempt, scan, state))
  }

  private func told(_ attempt: AttemptID, _ scan: Scan, _ state: UnansweredAttempt.State) -> GatewayEvent {
    .attempt(
      UnansweredAttempt(
        attempt: attempt, scan: scan.id, gate: scan.gate, code: scan.code, state: state, at: time.wall()))
  }

  /// The ticket's key as of now.
  private func key(_ key: TicketKey) -> TicketKey {
    let now = store.part(of: scope, at: time.wall())
    // What is being decided is decided by the ledger in which it began.
    if now != part, !ledger.isDeciding {
      write([])
      ledger = AttemptLedger(policy)
      part = now
    }
    return store.key(key, in: part)
  }

  // MARK: What outlives the process

  /// Takes up the attempts that an earlier process asked and never concluded.
  /// - Parameter asker: whom to ask what became of them.
  /// - Returns: what is to be told of them.
  func takeUp(_ attempts: [AskedAttempt], asker: (any TicketSystem)?) async -> [GatewayEvent] {
    self.asker = asker
    var taken: [GatewayEvent] = []
    for asked in attempts {
      do throws(JournalFault) {
        try await remember(asked.ticket)
      } catch {
        return taken
      }
      let isSameBoot = asked.boot == store.vault.boot
      ledger.interrupt(
        asked.ticket, attempt: asked.attempt, gate: asked.scan.gate, began: asked.at.monotonic, wall: asked.at.wall,
        at: time.now(), isSameBoot: isSameBoot)
      // Together or not at all: what is not concluded on the disk is taken up again.
      write([.concluded(store.cutOff(asked.attempt))], isUrgent: true)
      taken.append(told(asked.attempt, asked.scan, isSameBoot ? .lost : .interrupted))
      open(asked.ticket, asked.attempt, asked.scan)
    }
    return taken
  }

  /// Writes everything again that is held in memory, because the journal has lost it.
  func writeAnew() {
    ledger.markAllChanged()
    write([], isUrgent: true)
  }

  /// Has in the ledger what is stored of a ticket and its sale.
  private func remember(_ key: TicketKey) async throws(JournalFault) {
    var known: Set<LedgerPlace> = []
    while true {
      let places = ledger.missing(key).filter { !known.contains($0) }
      if places.isEmpty { return }
      try await recall(places)
      known.formUnion(places)
    }
  }

  /// Has in the ledger what is stored of the record and the sale that an answer names.
  private func remember(for outcome: AttemptOutcome) async throws(JournalFault) {
    let places = ledger.missing(for: outcome)
    if !places.isEmpty { try await recall(places) }
  }

  private func recall(_ places: [LedgerPlace]) async throws(JournalFault) {
    while true {
      let age = ledger.age
      let (store, part) = (store, part)
      let found = try await bounded { () throws(JournalFault) in try await store.recall(places, in: part) }
      // What was let go of meanwhile may have changed before.
      guard ledger.age == age else { continue }
      for found in found {
        _ = ledger.restore(found.place, found.memory, age: age, isSameBoot: found.isSameBoot)
      }
      return
    }
  }

  /// Queues what has happened together with what it has changed.
  @discardableResult private func write(_ facts: [JournalFact], isUrgent: Bool = false) -> JournalMark {
    store.vault.journal.enqueue(
      JournalBatch(facts: facts, memory: store.memory(of: ledger.takeChanges(), in: part), isUrgent: isUrgent))
  }

  /// Why it is not written; `nil` when it is.
  private func written(_ mark: JournalMark) async -> JournalFault? {
    let journal = store.vault.journal
    do throws(JournalFault) {
      try await bounded { () throws(JournalFault) in try await journal.written(mark) }
      return nil
    } catch {
      return error
    }
  }

  /// What the journal answers in time. A disk on its last legs can hold a system call for minutes.
  private func bounded<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(JournalFault) -> Value
  ) async throws(JournalFault) -> Value {
    let work = Task { () -> Result<Value, JournalFault> in
      do throws(JournalFault) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    let alarm = Task {
      try await Task.sleep(for: Self.longestWrite)
      work.cancel()
    }
    defer { alarm.cancel() }
    return try await work.value.get()
  }

  // MARK: Settling

  private func open(_ key: TicketKey, _ attempt: AttemptID, _ scan: Scan) {
    openCases.add(key, attempt: attempt, scan: scan, at: time.now())
    guard settling == nil, asker != nil else { return }
    settling = Task { await settleOpenCases() }
  }

  /// Returns when no look-up is to be made any more.
  func settled() async { await settling?.value }

  /// Asks what became of attempts without an answer, while nobody stands at a gate.
  private func settleOpenCases() async {
    while let due = openCases.due {
      try? await Task.sleep(for: max(lookUps.interval, due - time.now()))
      guard time.now() - lastDecided >= lookUps.quiet, let asker, let open = openCases.next(at: time.now()) else {
        continue
      }
      let asked = time.now()
      switch await asker.lookUp(open.scan.code, deadline: asked + .seconds(5)) {
      case .unknown: continue
      case .used: openCases.remove(open.key)
      case .unused:
        guard (try? await remember(open.key)) != nil else { continue }
        ledger.noneRedeemed(open.key, before: asked)
        write([])
        openCases.remove(open.key)
        report(open.attempt, open.scan, .settled)
      }
    }
    settling = nil
  }

  // MARK: Waiting

  /// Returns when something about `key` has changed, at `end` at the latest.
  private func change(of key: TicketKey, until end: MonotonicTime) async {
    let id = waiters.newID()
    let alarm = Task {
      try? await Task.sleep(for: max(.zero, end - time.now()))
      waiters.giveUp(id, key)
    }
    await withCheckedContinuation { waiters.add($0, id, key) }
    alarm.cancel()
  }

  private func wake(_ key: TicketKey) { waiters.wake(key) }
}
