import ScanModel
internal import Admission

/// The ticket system's own clocks: whether its records can be told fresh from old by their times.
extension ServerHealth {
  /// How long a start waits for what an earlier process has noted: nobody stands at a gate yet.
  private static let longestRecall: Duration = .seconds(60)

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
    switch stored.ledger.clock.doubt {
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
    let clock = stored.ledger.clock
    stored.note { notes in
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

  /// Takes what an earlier process has noted.
  nonisolated(nonsending) func recallNotes() async {
    let end = time.now() + Self.longestRecall
    guard let earlier = try? await stored.store.recallNotes(until: end), stored.notes == KeeperNotes() else { return }
    stored.notes = earlier
    recallRecordClock()
    await recallClock()
  }

  /// Takes what an earlier process has learnt of the ticket system's clocks.
  private func recallRecordClock() {
    stored.ledger.clock.recall(stored.notes.suspicions ?? [])
    guard let kept = stored.notes.recordOffset, kept.configured == stored.ledger.clock.configured.saturatedNanoseconds
    else { return }
    stored.ledger.clock.recall(learnt: .nanoseconds(kept.learnt))
    toldClock.offset = stored.ledger.clock.offset
  }

  func setRecordOffset(_ offset: Duration) {
    guard offset != stored.ledger.clock.configured else { return }
    stored.setRecordOffset(offset)
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
