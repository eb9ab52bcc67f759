internal import ScanModel
internal import TicketTransport
internal import WireText

/// What an answer to `GET /apple/subs` says of whether a pass would be checked. Pure.
///
/// ```
/// a list; the API misses the user whose list it is: a 401 in words that are not about the token ─▶ answers: the token is good
/// the API does not take the token; a page; a redirect; no such path ─▶ fault
/// 502, 503, 504 ─▶ offline          429, other 5xx, a 403 about something else, a 401 about nothing ─▶ unclear
/// ```
extension Reach {
  init(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) {
    if let cause = OfflineCause(status: answer.status), cause != .rateLimited {
      self = .offline(cause)
      return
    }
    if answer.missesUser {
      self = .answers(date: answer.serverDate)
      return
    }
    switch answer.status {
    case 200 where answer.isJSON && (try? JSONValue(answer.body))?["data"]?.array != nil:
      self = .answers(date: answer.serverDate)
    case 408, 429, 500...599:
      let what = answer.status == 429 ? "asked too often" : "out of order"
      self = .unclear(
        detail: "\(host) answers, but is \(what) (\(answer.status)): whether it would check a pass cannot be told.")
    case 401 where answer.message != nil && !answer.refusesToken,
      403 where answer.message != nil && !answer.refusesToken:
      let said = StaffText.clean(answer.message ?? "", hiding: secrets) ?? ""
      self = .unclear(
        detail:
          "\(host) does not tell its list (\(answer.status)): “\(said)”. Whether it takes our access token shows with the next pass."
      )
    default:
      let fault = SubscriptionAnswer.fault(answer, host: host, hiding: secrets, words: words)
      self = .fault(fault.reason, detail: fault.detail)
    }
  }
}

extension OfflineCause {
  /// What an answer's status says of the server.
  init?(status: Int) {
    switch status {
    case 502, 503, 504: self = .gatewayFault
    case 429: self = .rateLimited
    default: return nil
    }
  }
}
