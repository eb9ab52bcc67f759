import ScanModel
internal import Admission

/// The ticket system's own clocks: what is done while its records cannot be told fresh from old by their times.
///
/// ```
/// doubted ─▶ look the ticket up ─┬─ unused ─▶ ask: the record that comes is of this request, whatever its time
///                                └─ used, or nobody knows ─▶ undecided(clockWrong): no ticket is spent
/// ```
extension LedgerKeeper {
  /// Whether the ticket may be asked for; looks it up where no record's time can be believed.
  func mayBeAsked(_ deciding: inout Deciding, deadline: MonotonicTime) async -> Bool {
    guard ledger.wantsProof(deciding.key, at: time.now(), wall: time.wall()) else { return true }
    let began = time.now()
    // The other half is the request's.
    let found = await deciding.system.lookUp(deciding.scan.code, deadline: began + (deadline - began) / 2)
    deciding.found = found
    return found == .unused || ledger.clock.mayProbe(deciding.key, at: time.now())
  }

  /// The decision, with what is wrong with the ticket system's clocks where that is its reason.
  func worded(_ decision: AttemptDecision, _ system: TicketSystemID) -> AttemptDecision {
    guard decision.verdict == .undecided(.clockWrong), decision.detail == nil else { return decision }
    var decision = decision
    decision.detail =
      recordFault(of: system)
      ?? "The clocks of \(system) contradicted one another, and were put right since. Please scan again."
    return decision
  }

  /// Why gates cannot tell a fresh ticket from a used one; `nil` where they can, or may after the next look-up.
  func recordFault(of system: TicketSystemID) -> String? {
    let distance: Duration
    switch ledger.clock.doubt {
    case nil, .unconfirmed: return nil
    case .ahead(let ahead): distance = ahead
    case .behind(let behind): distance = .zero - behind
    }
    return
      "The clock by which \(system) dates its records is some \(distance.asDistance) the one of its answers, so that fresh "
      + "tickets cannot be told from used ones. Tickets are looked up before they are asked for, and no other is spent. Put its "
      + "clocks right, or write recordOffset."
  }

  /// Tells what has changed in what is known of the ticket system's clocks, and keeps what was learnt of them.
  func tellRecordClock(_ system: TicketSystemID) {
    let clock = ledger.clock
    note { notes in
      // What waits to be confirmed is kept as it is.
      if clock.doubt == nil {
        notes.recordOffset = clock.learnt.map {
          LearntOffset(configured: clock.configured.saturatedNanoseconds, learnt: $0.saturatedNanoseconds)
        }
      }
      notes.suspicions = clock.suspicions.isEmpty ? nil : clock.suspicions
    }
    let fault = recordFault(of: system)
    let told = ToldClock(isDoubted: fault != nil, offset: clock.offset)
    guard told.isDoubted != toldClock.isDoubted || !told.isDoubted && told.offset != toldClock.offset else { return }
    toldClock = told
    var event = ClockEvent(
      system: system, state: told.isDoubted ? .recordsDoubted : .recordsTrusted, ahead: clock.offset, detail: fault,
      at: time.wall())
    switch clock.doubt {
    case .ahead(let ahead): event.ahead = clock.offset + ahead
    case .behind(let behind): event.ahead = clock.offset - behind
    case nil where clock.offset != clock.configured:
      event.detail =
        "The clock by which \(system) dates its records is some \(clock.offset.asDistance) the one of its answers. That is taken "
        + "into account."
    case nil, .unconfirmed: break
    }
    events.emit(.clock(event))
    tellNews()
  }

  /// Takes what an earlier process has learnt of the ticket system's clocks.
  func recallRecordClock() {
    ledger.clock.recall(notes.suspicions ?? [])
    guard let kept = notes.recordOffset, kept.configured == ledger.clock.configured.saturatedNanoseconds else { return }
    ledger.clock.recall(learnt: .nanoseconds(kept.learnt))
    toldClock.offset = ledger.clock.offset
  }

  /// Sets how far the clock that dates records is known to be ahead of `Date`; nothing changes where it is so already.
  package func setRecordOffset(_ offset: Duration) {
    guard offset != ledger.clock.configured else { return }
    policy.recordOffset = offset
    ledger.clock = ledger.clock.configured(anew: offset, tolerated: policy.recordAhead, wall: time.wall())
    if let asker { tellRecordClock(asker.id) }
  }
}

/// What was told last of a ticket system's clocks.
struct ToldClock {
  var isDoubted = false
  var offset: Duration
}

/// How far the clock that dates records was found to be ahead of `Date`, in nanoseconds; and what was configured then.
struct LearntOffset: Codable, Equatable {
  var configured: Int64
  var learnt: Int64
}
