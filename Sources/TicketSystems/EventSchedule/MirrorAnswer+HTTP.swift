internal import Calls
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

extension MirrorAnswer {
  /// What an answer to a check-in means. Pure.
  ///
  /// ```
  /// 2xx with JSON ─▶ taken             401, 423 in the API's form ─▶ unsent, for a quarter of an hour; 429 ─▶ unsent
  /// 403, 404, 405 ─▶ off               another 4xx in the API's form ─▶ refused
  /// everything else ─▶ lost: whatever stands between can answer while the request arrives
  /// ```
  init(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) {
    let said = ServerText(answer.body, hiding: secrets)
    func doubt(_ text: String) -> String { "\(text) The check-in may be in its log." }
    switch answer.status {
    case 204,
      200...299 where answer.isJSON && (try? JSONValue(answer.body)) != nil:
      self = .taken
    case 200...299:
      self = .lost(
        doubt(
          "\(host) answered \(answer.status) to a check-in, but not as JSON that can be read\(answer.placeDoubt)"
            + words.addressCure))
    case 404, 405:
      self = .off(
        "\(host) has no log of check-ins at this address (\(answer.status)\(said.quoted)). Remove mirror.checkins, or see what "
          + "server it is.", isRefusal: answer.isRefusal)
    case 403 where answer.isRefusal:
      self = .off(
        "Our API key may not write check-ins at \(host) (403)\(said.quoted). Servers let the owner of the event alone: use a "
          + "key of theirs, or remove mirror.checkins.", isRefusal: true)
    case 401 where answer.isRefusal:
      self = .unsent(
        "\(host) does not know our API key (401)\(said.quoted). \(words.keyCure)",
        retryAfter: AuthenticationGuard.period)
    case 423 where answer.isRefusal:
      self = .unsent(
        "\(host) blocks our API key after too many failures (423). \(words.keyCure)",
        retryAfter: answer.retryAfter ?? AuthenticationGuard.period)
    case 429 where answer.isRefusal: self = .unsent(nil, retryAfter: answer.retryAfter)
    case 400...499 where answer.isRefusal:
      self = .refused("\(host) does not take a check-in (\(answer.status))\(said.quoted).")
    case 300...399:
      self = .lost(
        doubt(
          "\(host) wants to send us elsewhere (\(answer.status)): the address must be the final one. "
            + words.addressCure))
    case 400...499:
      self = .lost(
        doubt(
          "\(host) answered \(answer.status) to a check-in, but not as the API does: a firewall, proxy or portal may have "
            + "answered in its place. \(words.addressCure)"))
    default: self = .lost(doubt("\(host) is out of order (\(answer.status)\(said.quoted))."))
    }
  }
}
