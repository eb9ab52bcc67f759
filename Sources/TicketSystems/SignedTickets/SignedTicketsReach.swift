package import ScanModel
internal import TicketTransport

/// Whether a ticket would be redeemed: asked with no ticket, on the way of every scan, with our token. And whether one could be verified.
///
/// ```
/// our token may redeem, and nothing could be read of nothing ─┬─ keys are on board, and the clocks agree ─▶ answers
///                                                             └─ not ─▶ fault: nobody can be admitted
/// it does not answer ─┬─ keys are on board ─▶ offline: the gates' policies decide
///                     └─ none ─▶ fault
/// ```
extension SignedTicketsTicketSystem {
  /// How far a clock that nobody vouches for may be from the server's: what the station itself takes for agreement.
  private static let agreement = Duration.seconds(5)

  package func reach(deadline: MonotonicTime) async -> Reach {
    let found = await asked(deadline: deadline)
    // At the start they are on their way.
    await keys.first(until: deadline)
    switch found {
    case .answers(let date):
      if let fault = keys.fault { return .fault(fault.reason, detail: fault.detail) }
      return clockFault(date) ?? found
    case .offline, .unclear, .unknown:
      return keys.fault.map { .fault($0.reason, detail: $0.detail) } ?? found
    case .fault: return found
    }
  }

  /// That no ticket's times can be told. Where the server's clock agrees, that is what makes ours trusted.
  private func clockFault(_ date: WallTime?) -> Reach? {
    let now = now
    if now.isTrusted || date.map({ (.zero - Self.agreement...Self.agreement).contains(now.wall - $0) }) == true {
      return nil
    }
    return .fault(
      .clockWrong,
      detail:
        "Nothing keeps this machine's clock right, and \(client.host)'s is another. Whether tickets are still good cannot be told. Set the clock."
    )
  }

  private func asked(deadline: MonotonicTime) async -> Reach {
    let nothing = Code("")
    let outcome = await client.redeem(nothing, deadline: deadline, isBehind: true)
    switch outcome.result {
    case .notSent(let fault) where fault.reason == .rateLimited: return .unknown
    // Too many requests without an answer are on their way already.
    case .notSent(let fault) where fault.reason == .unreachable && fault.offline == nil: return .unknown
    case .notSent(let fault), .lost(let fault):
      if let cause = fault.offline { return .offline(cause) }
      return fault.reason.isFault ? .fault(fault.reason, detail: fault.detail) : .unclear(detail: fault.detail)
    case .pending: return .offline(.timeOut)
    case .answered(let answer): return judged(answer)
    }
  }

  private func judged(_ answer: HTTPAnswer) -> Reach {
    if let cause = OfflineCause(status: answer.status), cause != .rateLimited { return .offline(cause) }
    // It has looked for a ticket, and found none.
    if RedeemProblem(answer)?.isOfTicket == true, answer.status != 429 { return .answers(date: answer.serverDate) }
    let judged = RedeemAnswer(
      answer, of: nil, at: now.wall, host: client.host, hiding: client.redactions(), words: client.words)
    guard case .undecided(let reason, let detail) = judged.answer else { return .unknown }
    if reason.isFault { return .fault(reason, detail: detail ?? reason.rawValue) }
    let what = answer.status == 429 ? "asked too often" : "out of order"
    return .unclear(
      detail:
        "\(client.host) answers, but is \(what) (\(answer.status)): whether it would redeem a ticket cannot be told.")
  }
}
