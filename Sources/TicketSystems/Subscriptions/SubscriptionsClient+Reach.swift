internal import ScanModel
internal import TicketTransport

extension SubscriptionsClient {
  /// Whether the API is there and takes our token.
  func reach(deadline: MonotonicTime) async -> Reach {
    let outcome = await list(deadline: deadline)
    switch outcome.result {
    case .notSent(let fault) where fault.reason == .rateLimited: return .unknown
    // Too many requests without an answer are on their way already.
    case .notSent(let fault) where fault.reason == .unreachable && fault.offline == nil: return .unknown
    case .notSent(let fault), .lost(let fault):
      if let cause = fault.offline { return .offline(cause) }
      return fault.reason.isFault ? .fault(fault.reason, detail: fault.detail) : .unclear(detail: fault.detail)
    case .pending: return .offline(.timeOut)
    case .answered(let answer):
      return Reach(answer, host: host, hiding: redactions(), words: words)
    }
  }
}
