internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// What an answer to a scan of nothing means. Pure.
///
/// ```
/// a refusal of the API, about the missing code or ticket ─▶ answers
/// a refusal of our key; a page; a redirect; an admission on nothing ─▶ fault
/// 502, 503, 504 ─▶ offline          429, other 5xx ─▶ unclear
/// ```
extension Reach {
  init(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) {
    if let cause = OfflineCause(status: answer.status), cause != .rateLimited {
      self = .offline(cause)
      return
    }
    switch answer.status {
    case 511:
      self = .fault(
        .badAnswer,
        detail: "A network on the way to \(host) wants somebody to log in first (511). Let the station through.")
    // A server that fails may stumble over a request without a code alone: that proves nothing of others.
    case 408, 429, 500...599:
      let what = answer.status == 429 ? "asked too often" : "out of order"
      self = .unclear(
        detail: "\(host) answers, but is \(what) (\(answer.status)): whether it would decide a scan cannot be told.")
    case 200...299:
      self = .fault(
        .badAnswer,
        detail:
          "\(host) answered \(answer.status) to a scan of nothing, which no ticket system does"
          + answer.placeDoubt
          + words.addressCure)
    default:
      switch ScanAnswer(answer, host: host, saleTicketID: nil, hiding: secrets, words: words).answer {
      case .undecided(.badAnswer, _) where answer.isRefusal && (answer.status == 400 || answer.status == 422):
        self = .answers(date: answer.serverDate)
      case .undecided(let reason, let detail): self = .fault(reason, detail: detail ?? reason.rawValue)
      // Where there is no ticket, it is the key that may not scan.
      case .refused(.notAuthorised, let said):
        let quoted = said.map { ": “\($0)”" } ?? ""
        self = .fault(.accessDenied, detail: "Our API key may not scan at \(host) (403)\(quoted). \(words.keyCure)")
      case .refused, .redeemed, .valid: self = .answers(date: answer.serverDate)
      }
    }
  }
}

extension OfflineCause {
  /// What an answer's status says; 500 is a fault of the program behind it, which may have redeemed and may be anything.
  init?(status: Int) {
    switch status {
    case 502, 503, 504: self = .gatewayFault
    case 429: self = .rateLimited
    default: return nil
    }
  }
}
