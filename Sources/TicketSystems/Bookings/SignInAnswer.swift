internal import ScanModel
internal import TicketTransport
internal import WireText

/// What an answer to a sign-in says. Pure.
enum SignInAnswer {
  /// What the service calls the session.
  static let cookie = "venue-session"

  /// The session, or why there is none.
  static func session(
    _ outcome: HTTPOutcome, _ calls: BookingCalls, hiding secrets: [Redaction]
  ) -> Result<SignInState.Session, TransportFault> {
    switch outcome.result {
    case .notSent(let fault), .lost(let fault): return .failure(fault)
    case .pending: return .failure(TransportFault(.unreachable, "\(calls.host) did not answer a sign-in in time."))
    case .answered(let answer):
      return session(answer, host: calls.host, words: calls.words, hiding: secrets, at: outcome.endedAt)
    }
  }

  static func session(
    _ answer: HTTPAnswer, host: String, words: ServerWords, hiding secrets: [Redaction], at now: MonotonicTime
  ) -> Result<SignInState.Session, TransportFault> {
    let said = answer.said.flatMap { StaffText.clean($0, hiding: secrets) }.map { ": “\($0)”" } ?? ""
    func refused(_ what: String) -> TransportFault {
      TransportFault(.keyRefused, "\(host) \(what)\(said). \(words.keyCure)")
    }
    switch answer.status {
    case 200...299 where answer.isJSON:
      guard let document = try? JSONValue(answer.body), case .object = document else {
        return .failure(
          TransportFault(.badAnswer, "\(host) answered a sign-in, but its JSON cannot be read. \(words.addressCure)"))
      }
      if document["success"] == .bool(false) { return .failure(refused("does not sign us in (\(answer.status))")) }
      guard let cookie = answer.cookies[Self.cookie], cookie.life ?? .seconds(1) > .zero else {
        return .failure(
          TransportFault(
            .badAnswer,
            "\(host) signed us in, but gave no session that can be sent back (cookie \(Self.cookie)). \(words.addressCure)"
          ))
      }
      let life = min(cookie.life ?? SignInState.usualLife, SignInState.longestLife)
      return .success(SignInState.Session(cookie: cookie.value, for: life, at: now))
    case 400 where answer.isJSON, 401 where answer.isJSON, 422 where answer.isJSON:
      return .failure(refused("does not sign us in (\(answer.status))"))
    default:
      return .failure(DoorFault.fault(answer, host: host, hiding: secrets, words: words, asking: "a sign-in"))
    }
  }
}
