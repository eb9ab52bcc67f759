public import ScanModel

/// The once-rule: who has been admitted on which ticket of one ticket system, over all gates of the station.
///
/// It makes "once" of an API that has no "already used" and no idempotency. For each ticket:
///
///     begin ─┬─▶ known      a late record is waiting (admit), or nothing is left (alreadyUsed): no request
///            ├─▶ pending    our earlier request is open: wait a moment, then begin(ignoringPending: true)
///            ├─▶ locked     another gate decides this ticket: wait for it
///            └─▶ ask ══ locked by this attempt ══▶ abandon    never sent; unlocked, no trace
///                                             └══▶ conclude   unlocked
///                                                   ├─ refused, undecided and not sent ─▶ no trace
///                                                   ├─ refused and may have redeemed ─▶ unsettled, without end
///                                                   ├─ redeemed, valid ─▶ TicketRecord judges, counts
///                                                   └─ may have redeemed ─▶ unsettled: pending ── late ─▶ settled,
///                                                                                        └─ lost    claimable, lost
///
/// Two promises, in this order, in any interleaving: nobody is admitted beyond the ticket's allowance, nor beyond what its
/// sale paid for over all its codes; nobody whose ticket was never admitted is refused because of an answer that we lost.
/// A record admits for the code that it was first seen for, so that another spelling of the code opens nothing.
///
/// Memory: only tickets with an admission, a known record, an unsettled attempt or a lock are kept; unknown codes leave no
/// trace. `forget` drops what only ever was unsettled.
public struct AttemptLedger: Sendable {
  private let policy: AttemptPolicy
  private var records: [TicketKey: TicketRecord] = [:]
  private var book = SaleBook()

  /// Makes an empty ledger.
  public init(_ policy: AttemptPolicy = .init()) { self.policy = policy }

  /// How many tickets it remembers.
  public var count: Int { records.count }

  /// Whether an attempt on this ticket is under way.
  public func isLocked(_ key: TicketKey) -> Bool { records[key]?.lock != nil }

  /// Asks what to do with one presentation of a ticket.
  /// - Parameter ignoringPending: the caller has waited for the open request long enough.
  public mutating func begin(
    _ key: TicketKey, attempt: AttemptID, gate: GateID, at time: MonotonicTime, wall: WallTime,
    ignoringPending: Bool = false
  ) -> Beginning {
    var record = records[key] ?? TicketRecord(key: key)
    if let lock = record.lock { return .locked(by: lock.attempt) }
    let presented = AttemptLock(attempt: attempt, gate: gate, began: time, wall: wall)
    if let decision = record.claim(presented, at: time, wall: wall, &book) ?? record.knownUsed(book) {
      records[key] = record
      return .known(decision)
    }
    if !ignoringPending, let open = record.awaited(at: time, policy) { return .pending(open) }
    record.lock = presented
    records[key] = record
    return .ask
  }

  /// Takes the outcome of the attempt that holds the ticket's lock, releases the lock and decides.
  ///
  /// An attempt that does not hold the lock changes nothing and is `undecided(badAnswer)`.
  /// - Parameter wall: our civil clock when the answer was there.
  public mutating func conclude(
    _ key: TicketKey, attempt: AttemptID, outcome: AttemptOutcome, wall: WallTime
  ) -> AttemptDecision {
    guard var record = records[key], let lock = record.lock, lock.attempt == attempt else {
      return AttemptDecision(verdict: .undecided(.badAnswer), note: .unknownAttempt)
    }
    let decision = record.conclude(lock, outcome, wall: wall, policy, &book)
    keep(record, key)
    return decision
  }

  /// Takes the final outcome of an attempt that was pending.
  ///
  /// It may overtake `conclude`, since they come from different threads: then it is kept until that, and counts in it.
  /// A ticket's lock, if another attempt holds it, stays: what is claimable now serves that attempt's conclusion too.
  public mutating func late(
    _ key: TicketKey, attempt: AttemptID, outcome: AttemptOutcome, wall: WallTime
  ) -> LateRecord {
    guard var record = records[key] else { return .ignored }
    let result = record.late(attempt, outcome, wall: wall, policy, &book)
    keep(record, key)
    return result
  }

  /// Releases the lock of an attempt of which nothing was sent.
  public mutating func abandon(_ key: TicketKey, attempt: AttemptID) {
    guard var record = records[key], record.lock?.attempt == attempt else { return }
    record.lock = nil
    keep(record, key)
  }

  /// Takes back an admission because the gate did not open: the next presentation of this code within
  /// `AttemptPolicy.claimFor` is admitted without a request, if its sale still has room.
  ///
  /// - Parameter admission: `AttemptDecision.admission` of the decision that could not be carried out.
  /// - Returns: false, and nothing changed, unless it is the last admission on the ticket and was not given back yet.
  @discardableResult
  public mutating func giveBack(_ key: TicketKey, admission: AttemptID, at time: MonotonicTime) -> Bool {
    records[key]?.giveBack(admission, until: time + policy.claimFor, &book) ?? false
  }

  /// Attempts whose fate is open and records on which nobody passed, oldest first.
  public var unsettled: [UnsettledAttempt] {
    records.values.flatMap(\.unsettled).sorted { $0.askedAt < $1.askedAt }
  }

  /// Drops tickets of which nothing is known but attempts that ended before `time` without an answer. Attempts that were
  /// refused and yet may have redeemed stay: the person may pay and come back on another day.
  ///
  /// Call it rarely and with a time long past (a day): an answer that was lost before it is not recognised any more.
  public mutating func forget(endedBefore time: MonotonicTime) {
    records = records.filter { !$1.isOnlyUnsettled(endedBefore: time) }
  }

  private mutating func keep(_ record: TicketRecord, _ key: TicketKey) {
    records[key] = record.leavesTrace ? record : nil
  }
}
