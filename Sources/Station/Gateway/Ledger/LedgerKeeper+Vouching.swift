import ScanModel
internal import Admission

/// What a station does whose journal is not known to be its own and newest: it was brought back from a copy, or came from another
/// machine. Whom it does not name may be in all the same, so it admits on the ticket system's word alone, until somebody accepts
/// the journal.
///
/// ```
/// scan ─▶ known used ─▶ refused            a journal that is old is not wrong
///   └──▶ look-up ─┬─ unused ─▶ asked as ever: whoever is admitted now is in this journal
///                 ├─ used ───▶ undecided: by us or elsewhere, on one of several or the last
///                 └─ unknown, unanswered ─▶ undecided
/// ```
/// An answer alone would not do: a sale secret is redeemed again and again, and each answer looks like the first.
extension LedgerKeeper {
  /// More are not held: they are looked up again, and are for staff then.
  private static let mostVouched = 50_000

  /// Why a scan cannot be decided as long as the journal is not accepted; `nil` where it can.
  func unvouched(
    _ key: TicketKey, _ scan: Scan, _ system: any TicketSystem, deadline: MonotonicTime
  ) async -> AttemptDecision? {
    if store.dependencies.isAccepted() || vouched.contains(key) { return nil }
    let now = time.now()
    // Half of the time is for the request.
    let found = await system.lookUp(scan.code, deadline: now + max(.zero, deadline - now) / 2)
    let reason: UndecidedReason
    var detail: String
    switch found {
    case .unused:
      if vouched.count < Self.mostVouched { vouched.insert(key) }
      return nil
    case .used:
      reason = .interrupted
      detail = "\(system.id) has an admission on this ticket"
    case .unknown:
      reason = .interrupted
      detail = "\(system.id) cannot tell whether this ticket was used"
    case .unanswered:
      reason = .unreachable
      detail = "\(system.id) did not tell whether this ticket was used"
    }
    detail += ", and this station's journal may be too old to know. Let staff decide. See: scangate journal accept"
    return AttemptDecision(undecided: reason, detail: detail)
  }

  /// Takes admissions that a journal names which may be older than what was told: each is looked up before it is told, unless
  /// telling it again changes nothing.
  func mayBeTold(_ owed: [OwedAdmission], to asker: (any TicketSystem)?) async {
    sender.outbox.isHeld = true
    for owed in owed where asker?.mayRedeem ?? true {
      guard (try? await stored.remember(owed.ticket)) != nil else { continue }
      stored.ledger.mayBeTold(owed.ticket, owed: owed.attempt, at: time.now())
    }
    stored.write([])
  }
}

/// The ticket system's own clocks: what is done while its records cannot be told fresh from old by their times.
///
/// ```
/// doubted ─▶ look the ticket up ─┬─ unused ─▶ ask: the record that comes is of this request, whatever its time
///                                └─ used, or nobody knows ─▶ undecided(clockWrong): no ticket is spent
/// ```
extension LedgerKeeper {
  /// Whether the ticket may be asked for; looks it up where no record's time can be believed.
  func mayBeAsked(_ deciding: inout Deciding, deadline: MonotonicTime) async -> Bool {
    guard stored.ledger.wantsProof(deciding.key, at: time.now(), wall: time.wall()) else { return true }
    let began = time.now()
    // The other half is the request's.
    let found = await deciding.system.lookUp(deciding.scan.code, deadline: began + (deadline - began) / 2)
    deciding.found = found
    return found == .unused || stored.ledger.clock.mayProbe(deciding.key, at: time.now())
  }
}
