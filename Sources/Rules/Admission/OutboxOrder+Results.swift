package import ScanModel

extension OutboxOrder.Result {
  /// How long nothing is told after the ticket system has refused our key: a few refused keys, and it blocks them for a
  /// quarter of an hour.
  package static let pauseOfRefusedKey: Duration = .seconds(300)

  /// What telling came to, for the order of what is to be told next.
  /// - Parameter outcome: the request's; `nil` where none was made.
  package init(_ told: ToldRecord, _ outcome: AttemptOutcome?) {
    switch told {
    case .confirmed, .contradicted, .unsettled: self = outcome?.fate == .answered ? .ended : .endedUnasked
    case .gone: self = .endedUnasked
    case .doubtful: self = .doubtful(retryAfter: outcome?.retryAfter)
    case .again:
      let wait = outcome?.retryAfter
      switch outcome?.keyFault {
      case .keyBlocked?: self = .again(retryAfter: wait ?? Self.pauseOfRefusedKey)
      case _?: self = .again(retryAfter: max(wait ?? .zero, Self.pauseOfRefusedKey))
      case nil where outcome?.fate == .answered && outcome?.offline == nil: self = .unheard(retryAfter: wait)
      case nil: self = .again(retryAfter: wait)
      }
    }
  }
}

extension AttemptOutcome {
  /// Why our key may not scan, if that is what was answered.
  package var keyFault: UndecidedReason? {
    if case .undecided(let reason, _) = answer, reason.isOfKey { reason } else { nil }
  }
}
