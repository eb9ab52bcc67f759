internal import FleetKeeping
package import ScanConfiguration
internal import LinuxIO
package import ScanModel
package import Admission
package import Calls
internal import TicketSystemKit

/// Keeps the attempt ledger of one ticket system for all gates of the station: does the waiting that the pure ledger cannot,
/// and writes down what must outlive the process.
///
/// ```
/// remember ─▶ begin ─ask─▶ asked: written ─▶ request ─▶ conclude ─▶ concluded: written ─▶ asked: durable, 50 ms at most ─▶ the gate
///                              └── its sync runs beside the request ───────────────────────────┘
/// ```
/// A conclusion is written before the gate opens. So whatever is asked and not concluded in the same boot has opened nothing;
/// where it cannot be written, the journal is marked incomplete first, and the next process does not rely on it. From the answer on:
/// `LedgerKeeper+Concluding.swift`.
///
/// It decides. What it decides by and writes is in `stored`; how the server is, `health` finds out; what is owed to it, `sender` tells.
/// These are parts of one actor, so that between what is known and what is done about it nobody comes in but where `await` is written.
package actor LedgerKeeper {
  /// The share of a scan's time that is spent waiting for the late answer to our own earlier request.
  private static let patience = 0.4
  /// How many tickets are held in memory; the others are recalled when they are presented.
  private static let mostTickets = 2_000

  nonisolated let store: LedgerStore
  /// Wakes who tells of passages elsewhere.
  nonisolated let passages = PassageWaker()
  /// The ledger, with what outlives the process of it.
  let stored: StoredLedger
  let whenFailing: JournalFailurePolicy
  private let checkWaits: SystemCheck.Waits
  /// Tells the ticket system of what was decided without it; made with what is known of the server, which it waits for.
  private(set) lazy var sender = OutboxSender(
    ServerHealth(stored, checkWaits: checkWaits, time: time, events: events, keeper: self), keeper: self)
  /// How the ticket system is.
  var health: ServerHealth { sender.health }
  /// Codes that the system does not know, for all gates; other refusals may depend on what a gate adds to its request.
  var unknown = NegativeCache()
  var refused: [GateID: NegativeCache] = [:]
  var cap: StationCap
  var lastForgotten: MonotonicTime
  var lastDecided: MonotonicTime
  var openCases: OpenCases
  var settling: Task<Void, Never>?
  let lookUps: LookUpPolicy
  let time: any TimeSource
  let events: any EventSink
  /// Tickets of which the ticket system has shown, since the start, that nobody had been admitted on them before.
  var vouched: Set<TicketKey> = []

  /// The thread on which gates and ledgers live.
  nonisolated var loop: DeviceLoop { store.dependencies.loop }

  /// What all stations of the fleet were ordered at once; `nil` where there is no fleet.
  nonisolated var fleetOrders: FleetOrderKeeper? { store.dependencies.fleetOrders }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes the keeper of a ledger that remembers what the journal does.
  /// - Parameters:
  ///   - server: the ticket system's server, by type and address: to it belongs what is remembered.
  ///   - floodLimit: how many requests a minute that admit nobody all readers together may bring before those that bring
  ///     them are no longer asked for.
  ///   - checkWaits: how long it is waited before a ticket system that cannot decide is asked again.
  package init(
    server: String, dependencies: LedgerDependencies, scope: TicketScope = .once,
    policy: AttemptPolicy = AttemptPolicy(),
    whenFailing: JournalFailurePolicy = .continue, lookUps: LookUpPolicy = LookUpPolicy(), floodLimit: Int = 20,
    checkWaits: SystemCheck.Waits = SystemCheck.Waits(), time: any TimeSource, events: any EventSink
  ) {
    store = LedgerStore(dependencies: dependencies, server: server)
    stored = StoredLedger(store: store, scope: scope, policy: policy, time: time)
    self.whenFailing = whenFailing
    cap = StationCap(limit: floodLimit)
    self.time = time
    self.events = events
    lastForgotten = time.now()
    lastDecided = time.now()
    self.lookUps = lookUps
    self.checkWaits = checkWaits
    openCases = OpenCases(grace: policy.lateGrace)
  }

  /// Sets how many requests a minute that admit nobody all readers together may bring; what they have brought counts on.
  package func setFloodLimit(_ limit: Int) { cap.limit = max(1, limit) }

  /// Attempts that may have redeemed and were not settled, and entries that may be surplus at the server, as far as they
  /// are held in memory: for staff.
  package var unsettled: [UnsettledAttempt] { stored.ledger.unsettled }

  /// Now, by every clock.
  package nonisolated var now: JournalTime { store.dependencies.clock.now() }

  /// Writes down a scan that is over, or how many were; from any thread, returns at once.
  @discardableResult nonisolated func record(_ fact: JournalFact) -> JournalMark {
    store.dependencies.journal.enqueue(JournalBatch(facts: [fact]))
  }

  /// Whether the journal has written that down, asked until `end`: then the end of the process does not lose it.
  nonisolated func isWritten(_ mark: JournalMark, until end: MonotonicTime) async -> Bool {
    (try? await store.dependencies.journal.written(mark, until: end)) ?? false
  }

  // MARK: Deciding

  /// Decides one scan: by what is known, by one request to `system`, or by the gate's policy where `system` is offline. An
  /// admission is written down when it returns.
  /// - Parameter mayAsk: false where the reader floods the gate: then only what is known is answered.
  package func decide(
    _ scan: Scan, key: TicketKey, system: any TicketSystem, deadline: MonotonicTime, mayAsk: Bool,
    offline policy: OfflinePolicy = OfflinePolicy()
  ) async -> KeptDecision {
    forgetOldTraces()
    lastDecided = time.now()
    let presented = key
    let key = stored.key(key)
    let rule = system.rule
    if let bar = rule?.bar(nil) ?? rule?.bar(named: scan.event) {
      return KeptDecision(bar, ticket: key, decider: .station)
    }
    let now = time.now()
    if let said = unknown.refusal(of: scan.code, at: now) ?? refused[scan.gate]?.refusal(of: scan.code, at: now) {
      return KeptDecision(AttemptDecision(remembered: said), ticket: key, decider: .ledger)
    }
    let attempt = AttemptID()
    let folded = stored.folded(of: scan.code, system)
    var deciding = Deciding(
      scan: scan, attempt: attempt, presented: presented, key: key, system: system, policy: policy, rule: rule)
    var beginning = await begin(key, folded, attempt, scan, system, rule, deadline: deadline)
    if beginning?.decision.verdict == .refuse(.alreadyUsed), await takeExits(deciding, deadline: deadline) {
      beginning = await begin(key, folded, attempt, scan, system, rule, deadline: deadline)
    }
    if let known = beginning {
      let kept = KeptDecision(health.worded(known.decision, system.id), ticket: key, decider: known.decider)
      guard case .admit = kept.decision.verdict else { return kept }
      return await onClaim(deciding, known: kept.decision, deadline: deadline) { _ in kept }
    }
    defer { stored.ledger.letGo(beyond: Self.mostTickets) }
    if let rule, let barred = await barred(&deciding, by: rule) {
      abandon(key, attempt)
      return barred
    }
    let isHeld = !mayAsk || !cap.mayAsk(scan.reader, at: time.now())
    // In a fleet it is wanted before the claim: how often the ticket admits.
    let told = isHeld || store.dependencies.fleet != nil ? await onBoard(deciding, deadline: deadline) : nil
    deciding.entitlement = told?.entitlement
    if isHeld, told == nil {
      abandon(key, attempt)
      let detail =
        "Reader \(scan.reader) has brought too many codes that admit nobody; it may ask again within a minute."
      return KeptDecision(AttemptDecision(undecided: .rateLimited, detail: detail), ticket: key, decider: .station)
    }
    if let obstacle = await unvouched(key, scan, system, deadline: deadline) {
      abandon(key, attempt)
      return KeptDecision(obstacle, ticket: key, decider: .station)
    }
    let policy = store.dependencies.isAccepted() ? policy : OfflinePolicy()
    deciding.policy = policy
    if let unasked = offlineOutcome(policy, system.id) {
      return await onClaim(deciding, deadline: deadline) { await conclude($0, unasked, asked: nil) }
    }
    guard await mayBeAsked(&deciding, deadline: deadline) else {
      // What cannot be looked up may be away altogether.
      if deciding.found != .used, await isAway(deciding, deadline: deadline),
        let unasked = offlineOutcome(policy, system.id)
      {
        return await onClaim(deciding, deadline: deadline) { await conclude($0, unasked, asked: nil) }
      }
      abandon(key, attempt)
      let undecided = AttemptDecision(undecided: .clockWrong, detail: nil)
      return KeptDecision(health.worded(undecided, system.id), ticket: key, decider: .station)
    }
    if let rule, let barred = await inspected(&deciding, by: rule, deadline: deadline) {
      abandon(key, attempt)
      return barred
    }
    return await onClaim(deciding, asks: true, deadline: deadline) {
      await ask($0, deadline: deadline, told: told)
    }
  }

  /// The outcome of a request that need not be sent, for the answer is on board; `nil` where it has to be.
  private func onBoard(_ deciding: Deciding, deadline: MonotonicTime) async -> AttemptOutcome? {
    guard let system = deciding.system.onBoard else { return nil }
    let request = AttemptRequest(
      attempt: deciding.attempt, scan: deciding.scan.id, code: deciding.scan.code, deadline: deadline,
      event: deciding.scan.event, listed: deciding.listed, line: deciding.line)
    return await system.outcomeOnBoard(of: request)
  }

  /// - Parameter told: the outcome, where that is known and no request has to be sent for it.
  private func ask(_ deciding: Deciding, deadline: MonotonicTime, told: AttemptOutcome?) async -> KeptDecision {
    let (scan, attempt, key, system) = (deciding.scan, deciding.attempt, deciding.key, deciding.system)
    let asked = store.dependencies.book.enqueue(
      JournalBatch(facts: [.asked(store.asked(attempt, scan, system.id, key))], isUrgent: true))
    let unasked = await stored.written(asked)
    if let fault = unasked, whenFailing == .stop {
      abandon(key, attempt)
      // Should it be written after all, it is not taken for a request that may have redeemed.
      stored.write([.concluded(store.concluded(attempt, .notSent, mayHaveRedeemed: false))])
      return KeptDecision(
        AttemptDecision(undecided: .outOfService, detail: fault.description), ticket: key, decider: .station)
    }
    let patience = deciding.policy.mayAdmit ? min(deadline, time.now() + deciding.policy.after) : deadline
    let request = AttemptRequest(
      attempt: attempt, scan: scan.id, code: scan.code, deadline: patience, event: scan.event, listed: deciding.listed,
      line: deciding.line)
    let began = time.now()
    health.learnWait(patience - began)
    sender.scanBegan(at: began)
    var outcome: AttemptOutcome
    var known = told
    if known == nil { known = await onBoard(deciding, deadline: patience) }
    if let known {
      outcome = known
    } else {
      outcome = await system.attempt(request) { late in
        Task(executorPreference: self.loop.tasks) {
          await self.settle(late, of: attempt, scan: scan, key: key, system: system.id)
        }
      }
    }
    sender.scanEnded()
    if known == nil, outcome.fate != .notSent { events.asked(system.id, took: time.now() - began) }
    if known?.isDoubt != true { health.learn(outcome, of: key, from: system.id, at: scan.gate) }
    health.learnReach(of: outcome, began: began)
    if await !isConfirmed(outcome, deciding, deadline: deadline) { outcome.offline = nil }
    var kept = await conclude(
      deciding, outcome,
      asked: AskedMark(mark: asked, mayBeWritten: unasked == nil || unasked?.kind == .unavailable))
    kept.isUnasked = known != nil
    if kept.decider == .server, known == nil { learn(kept.decision, scan) }
    if kept.wasInVain { cap.countVain(scan.reader, at: time.now()) }
    switch outcome.fate {
    // What only read has left nothing to find out.
    case .pending where !outcome.mayHaveRedeemed, .lost where !outcome.mayHaveRedeemed: return kept
    case .pending: report(attempt, scan, .pending)
    case .lost: report(attempt, scan, .lost)
    case .answered where outcome.isNoAnswer: report(attempt, scan, .lost)
    case .notSent, .answered: return kept
    }
    // What is owed is settled by telling it.
    if !kept.decision.isProvisional { open(key, attempt, scan) }
    return kept
  }

  /// Somebody leaves with this code: nobody is asked, nobody is kept in, and the ticket admits again.
  /// - Parameter system: the gate's, where stations share a book.
  package func leave(_ scan: Scan, key: TicketKey, system: (any TicketSystem)? = nil) async -> KeptDecision {
    let presented = key
    let key = stored.key(key)
    var decision = AttemptDecision(verdict: .admit, note: .notInside)
    do throws(JournalFault) {
      try await stored.remember(key)
      let shared = try await beginExit(scan, presented, system)
      if stored.ledger.leave(key) {
        decision.note = .left
        stored.write([], also: shared?.memory ?? [:])
        stored.wake(key)
      }
      await shared?.tell()
    } catch {
      decision.detail = error.description
    }
    return KeptDecision(decision, ticket: key, decider: .ledger)
  }

  /// Takes the ticket's lock, or decides without a request; `nil` when the lock is ours.
  private func begin(
    _ key: TicketKey, _ folded: TicketKey?, _ attempt: AttemptID, _ scan: Scan, _ system: any TicketSystem,
    _ rule: GateRule?, deadline: MonotonicTime
  ) async -> (decision: AttemptDecision, decider: Decider)? {
    var ignoringPending = false
    var isDistinct: Bool?
    let isOnBoard = system.onBoard != nil
    while true {
      do throws(JournalFault) {
        try await stored.remember(key, folded: folded)
      } catch {
        return (AttemptDecision(undecided: .outOfService, detail: error.description), .station)
      }
      if isDistinct == nil, stored.ledger.isSpelledOtherwise(key, folded: folded) {
        // What is remembered may be let go of meanwhile.
        isDistinct = await namesOtherSpelling(scan.code, system.id)
        continue
      }
      let beginning = stored.ledger.begin(
        key, folded: folded, isDistinct: isDistinct ?? false, attempt: attempt, gate: scan.gate, at: time.now(),
        wall: time.wall(), isTrusted: stored.isTrusted, ignoringPending: ignoringPending,
        redeemsOnce: system.redeemsOnce, isOnBoard: isOnBoard, rule: rule)
      switch beginning {
      case .known(let decision):
        guard case .admit = decision.verdict else { return (decision, .ledger) }
        return (await secured(decision, key, stored.write([]), within: Self.durableWithin, isTraced: true), .ledger)
      case .ask:
        return nil
      case .locked:
        guard time.now() < deadline else {
          return (
            AttemptDecision(
              undecided: .busy, detail: "The same code is being decided at another gate, or told to the ticket system."),
            .station
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

  func abandon(_ key: TicketKey, _ attempt: AttemptID) {
    stored.ledger.abandon(key, attempt: attempt)
    stored.wake(key)
  }

  // MARK: Waiting

  /// Returns when something about `key` has changed, at `end` at the latest.
  private func change(of key: TicketKey, until end: MonotonicTime) async {
    let id = stored.waiters.newID()
    let alarm = Task {
      try? await Task.sleep(for: max(.zero, end - time.now()))
      stored.waiters.giveUp(id, key)
    }
    await withCheckedContinuation { stored.waiters.add($0, id, key) }
    alarm.cancel()
  }
}
