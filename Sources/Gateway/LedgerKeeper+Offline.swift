internal import LinuxIO
public import ScanModel
import ScanPipeline

/// Whether the ticket system answers, and what a gate's policy says while it does not.
///
/// ```
/// online ──an offline outcome, by ServerReach──▶ offline ──a probe is answered──▶ online
///    │ every scan asks                              │ gates with a policy decide at once, the others ask
/// ```
extension LedgerKeeper {
  /// How long a probe may take.
  private static let longestProbe: Duration = .seconds(3)

  /// Tells whenever the ticket system begins or ceases to be offline, and how it is now; `nil` to hear no more.
  public func watchReach(_ gate: GateID, _ told: (@Sendable (OfflineCause?) -> Void)?) {
    reachWatchers[gate] = told
    told?(reach.cause)
  }

  /// What a request would come to, where it need not be made to know that: the ticket system is offline, and the policy
  /// decides.
  func offlineOutcome(_ policy: OfflinePolicy, _ system: TicketSystemID) -> AttemptOutcome? {
    guard let cause = reach.cause, policy.applies(to: cause) else { return nil }
    let now = time.now()
    return AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: "\(system) is offline (\(cause.rawValue))."),
      mayHaveRedeemed: false, sentAt: nil, endedAt: now, offline: cause)
  }

  /// What the gate's policy says of a scan; `nil` where it has nothing to say.
  func word(
    of policy: OfflinePolicy, on scan: Scan, _ outcome: AttemptOutcome, _ system: any TicketSystem
  ) async -> OfflineWord? {
    guard let cause = outcome.offline, policy.applies(to: cause) else { return nil }
    if let keyFault {
      return .undecided(
        keyFault,
        detail:
          "\(system.id) does not answer, and its last answer was that our key may not scan. Nobody passes on that.")
    }
    switch policy.rule {
    case .refuse: return nil
    case .admitAndQueue(let most):
      guard owedAt[scan.gate, default: 0] < most else {
        return .undecided(
          .unreachable,
          detail:
            "\(system.id) does not answer, and \(most) admissions of gate \(scan.gate) wait to be told to it: no more.")
      }
      return .may(OfflineRight(), .policy)
    case .list(let maxAge):
      let judge = ListJudge(list: store.vault.list(system.id, store.server), system: system.id)
      return await judge.word(on: scan.code, policy, maxAge: maxAge, at: now)
    }
  }

  /// Takes what a request's end says of the ticket system and of our key.
  func learnReach(of outcome: AttemptOutcome, began: MonotonicTime) {
    switch outcome.answer {
    case .redeemed, .valid, .refused: if outcome.fate == .answered { keyFault = nil }
    case .undecided(let reason, _):
      switch reason {
      case .keyRefused, .accessDenied, .keyBlocked: keyFault = reason
      default: break
      }
    }
    // What was not sent for another reason says nothing of the server.
    if outcome.offline != nil || outcome.fate == .answered { take(outcome.offline, began: began) }
  }

  private func take(_ cause: OfflineCause?, began: MonotonicTime) {
    var random = SystemRandomNumberGenerator()
    let change = reach.take(cause, began: began, at: time.now(), using: &random)
    if change != nil {
      if let asker { events.emit(.ticketSystem(asker.id, offline: reach.cause, owed: owed.count, at: time.wall())) }
      for tell in reachWatchers.values { tell(reach.cause) }
      sendOwed()
    }
    if reach.nextProbe != nil, probing == nil, asker != nil { probing = Task { await probe() } }
  }

  /// Asks from time to time whether the ticket system answers again, so that nobody at a gate has to.
  private func probe() async {
    while let due = reach.nextProbe, let asker {
      let now = time.now()
      if now < due {
        try? await Task.sleep(for: due - now)
        // A scan's answer may have told meanwhile.
        continue
      }
      take(await asker.reach(deadline: now + Self.longestProbe), began: now)
    }
    probing = nil
  }
}

extension ServerReach {
  /// Why it is offline; `nil` where it is not.
  var cause: OfflineCause? { if case .offline(_, let cause) = state { cause } else { nil } }
}
