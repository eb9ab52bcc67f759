public import ScanModel
public import ScanPipeline

/// Keeps the attempt ledger of one ticket system for all gates of the station, and does the waiting that the pure ledger
/// cannot: one code is decided at one gate at a time, and an answer of ours that may still come is awaited for a moment
/// before anything is sent again.
public actor LedgerKeeper {
  /// The share of a scan's time that is spent waiting for the late answer to our own earlier request.
  private static let patience = 0.4

  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Void, Never>
  }

  private var ledger: AttemptLedger
  /// Codes that the system does not know, for all gates; other refusals may depend on what a gate adds to its request.
  private var unknown = NegativeCache()
  private var refused: [GateID: NegativeCache] = [:]
  private var cap: StationCap
  private var waiters: [TicketKey: [Waiter]] = [:]
  private var nextWaiter: UInt64 = 0
  private var lastForgotten: MonotonicTime
  private let time: any TimeSource
  private let events: any EventSink

  /// Makes the keeper of an empty ledger.
  /// - Parameter floodLimit: how many unknown codes a minute all readers together may bring before those that bring them are
  ///   no longer asked for.
  public init(
    policy: AttemptPolicy = AttemptPolicy(), floodLimit: Int = 20, time: any TimeSource, events: any EventSink
  ) {
    ledger = AttemptLedger(policy)
    cap = StationCap(limit: floodLimit)
    self.time = time
    self.events = events
    lastForgotten = time.now()
  }

  /// Sets how many unknown codes a minute all readers together may bring; what they have brought counts on.
  public func setFloodLimit(_ limit: Int) { cap.limit = max(1, limit) }

  /// Attempts that may have redeemed and were not settled, and entries that may be surplus at the server: for staff.
  public var unsettled: [UnsettledAttempt] { ledger.unsettled }

  /// Decides one scan: by what is known, or by one request to `system`.
  /// - Parameter mayAsk: false where the reader floods the gate: then only what is known is answered.
  public func decide(
    _ scan: Scan, key: TicketKey, system: any TicketSystem, deadline: MonotonicTime, mayAsk: Bool
  ) async -> (decision: AttemptDecision, asked: AttemptOutcome?) {
    forgetOldTraces()
    let now = time.now()
    if let reason = unknown.reason(for: scan.code, at: now) ?? refused[scan.gate]?.reason(for: scan.code, at: now) {
      return (AttemptDecision(refused: reason), nil)
    }
    let attempt = AttemptID()
    var ignoringPending = false
    asking: while true {
      let beginning = ledger.begin(
        key, attempt: attempt, gate: scan.gate, at: time.now(), wall: time.wall(), ignoringPending: ignoringPending)
      switch beginning {
      case .known(let decision):
        return (decision, nil)
      case .ask:
        break asking
      case .locked:
        guard time.now() < deadline else {
          return (AttemptDecision(undecided: .busy, detail: "The same code is being decided at another gate."), nil)
        }
        await change(of: key, until: deadline)
      case .pending:
        let left = deadline - time.now()
        guard left > .zero else {
          return (AttemptDecision(undecided: .unreachable, detail: "Our own earlier request is not answered yet."), nil)
        }
        await change(of: key, until: time.now() + left * Self.patience)
        ignoringPending = true
      }
    }
    guard mayAsk, cap.mayAsk(scan.reader, at: time.now()) else {
      ledger.abandon(key, attempt: attempt)
      wake(key)
      let detail = "Reader \(scan.reader) has brought too many unknown codes; it may ask again within a minute."
      return (AttemptDecision(undecided: .rateLimited, detail: detail), nil)
    }
    let request = AttemptRequest(attempt: attempt, scan: scan.id, code: scan.code, deadline: deadline)
    let outcome = await system.attempt(request) { late in
      Task { await self.settle(late, of: attempt, scan: scan, key: key) }
    }
    let decision = ledger.conclude(key, attempt: attempt, outcome: outcome, wall: time.wall())
    wake(key)
    if case .refuse(let reason) = decision.verdict {
      let now = time.now()
      if reason == .notFound {
        unknown.remember(scan.code, reason, at: now)
        cap.countUnknown(scan.code, by: scan.reader, at: now)
      } else {
        refused[scan.gate, default: NegativeCache()].remember(scan.code, reason, at: now)
      }
    }
    switch outcome.fate {
    case .pending: report(attempt, scan, .pending)
    case .lost: report(attempt, scan, .lost)
    case .notSent, .answered: break
    }
    return (decision, outcome)
  }

  /// Takes an admission back because the gate did not open: presenting the code again admits without a request.
  public func giveBack(_ decision: AttemptDecision, key: TicketKey) {
    guard let admission = decision.admission else { return }
    ledger.giveBack(key, admission: admission, at: time.now())
  }

  /// Records the final outcome of a request that the gate had stopped waiting for.
  private func settle(_ outcome: AttemptOutcome, of attempt: AttemptID, scan: Scan, key: TicketKey) {
    let record = ledger.late(key, attempt: attempt, outcome: outcome, wall: time.wall())
    wake(key)
    switch record {
    case .claimable: report(attempt, scan, .redeemedLate)
    case .surplus: report(attempt, scan, .surplus)
    case .lost: report(attempt, scan, .lost)
    // It overtook the conclusion, which reports it, or it changes nothing.
    case .overtaking, .ignored: break
    case .settled, .usedElsewhere: report(attempt, scan, .settled)
    }
  }

  /// Once in an hour, what was never answered a day ago is dropped: it admits and refuses nobody any more.
  private func forgetOldTraces() {
    let now = time.now()
    guard now - lastForgotten > .seconds(3_600) else { return }
    lastForgotten = now
    ledger.forget(endedBefore: now - .seconds(86_400))
  }

  private func report(_ attempt: AttemptID, _ scan: Scan, _ state: UnansweredAttempt.State) {
    events.emit(
      .attempt(
        UnansweredAttempt(
          attempt: attempt, scan: scan.id, gate: scan.gate, code: scan.code, state: state, at: time.wall())))
  }

  // MARK: Waiting

  /// Returns when something about `key` has changed, at `end` at the latest.
  private func change(of key: TicketKey, until end: MonotonicTime) async {
    let id = nextWaiter
    nextWaiter += 1
    let alarm = Task {
      try? await Task.sleep(for: max(.zero, end - time.now()))
      giveUp(id, key)
    }
    await withCheckedContinuation { waiters[key, default: []].append(Waiter(id: id, continuation: $0)) }
    alarm.cancel()
  }

  private func giveUp(_ id: UInt64, _ key: TicketKey) {
    guard let index = waiters[key]?.firstIndex(where: { $0.id == id }) else { return }
    let waiter = waiters[key]?.remove(at: index)
    if waiters[key]?.isEmpty == true { waiters[key] = nil }
    waiter?.continuation.resume()
  }

  private func wake(_ key: TicketKey) {
    for waiter in waiters.removeValue(forKey: key) ?? [] { waiter.continuation.resume() }
  }
}

extension AttemptDecision {
  /// A scan that nobody could decide.
  init(undecided reason: UndecidedReason, detail: String?) {
    self.init(verdict: .undecided(reason), allowance: 0, detail: detail)
  }

  /// A scan that is refused without the ledger.
  init(refused reason: RefuseReason) { self.init(verdict: .refuse(reason), allowance: 0) }
}
