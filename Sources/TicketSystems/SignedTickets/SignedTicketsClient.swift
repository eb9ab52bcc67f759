internal import Calls
internal import ScanModel
internal import TicketTransport
internal import WireText

/// The verification API as gates use it, typed. One for each server and token: the gates that use both share its rate budget and its memory
/// of failed authentications.
struct SignedTicketsClient: Sendable {
  /// Requests a minute to redeem, for each organisation and user.
  static let rate = 10
  /// How long after sending an answer is still read.
  static let lateLimit = Duration.seconds(15)

  /// How the token is sent, and what an answer says of it and of the rate.
  static let policy = MeteredClient.Policy(header: "Authorization", prefix: "Bearer ") { answer in
    if answer.status == 429 { return .init(.limited) }
    if let problem = RedeemProblem(answer) {
      // Whoever is told of the ticket was let in.
      if problem.kind != nil || answer.status == 403 { return .init(.counted, key: .accepted) }
      return .init(.counted, key: answer.status == 401 ? .refused : .unknown)
    }
    if answer.status == 401, answer.isJSON { return .init(.counted, key: .refused) }
    return .init(.counted, key: answer.status == 200 && answer.isJSON ? .accepted : .unknown)
  }

  private let metered: MeteredClient
  private let organisation: CallHeader?
  let time: any TimeSource

  /// Makes a client; connects nowhere.
  /// - Parameter organisation: the organisation's id; without one that can be sent nothing is.
  init(transport: any HTTPCalling, token: Secret, organisation: String, budget: RateBudget, time: any TimeSource) {
    metered = MeteredClient(transport: transport, key: token, budget: budget, policy: Self.policy, time: time)
    self.organisation = try? CallHeader("X-Org-ID", organisation)
    self.time = time
  }

  /// The server, for messages.
  var host: String { metered.host }

  /// What is left of its budget.
  var left: RateBudget.Left { metered.left }

  /// How messages speak of it.
  var words: ServerWords { metered.words }

  /// What the server's text must not show: of a code neither the whole nor a part, for its signature alone is as good as all of it to
  /// whoever has seen the rest.
  func redactions(for code: Code? = nil) -> [Redaction] {
    metered.redactions
      + (code.map { [Redaction($0.text, shownAs: $0.shortened), Redaction(partsOf: $0.text, shownAs: $0.shortened)] }
        ?? [])
  }

  /// `POST /v1/verification/redeem`; redeems, and is sent at most once.
  /// - Parameter isBehind: whether nobody waits for it.
  func redeem(
    _ code: Code, deadline: MonotonicTime, isBehind: Bool = false,
    late: @escaping @Sendable (HTTPOutcome) -> Void = { _ in }
  ) async -> HTTPOutcome {
    let body = JSONText.object(("ticket_token", code.text)).bytes
    var call = HTTPCall(.post, path: "/v1/verification/redeem", body: body)
    guard let organisation, (try? call.add(organisation)) != nil else {
      let fault = TransportFault(.accessDenied, "org is no organisation's id that could be sent.")
      return HTTPOutcome(.notSent(fault), sentAt: nil, endedAt: time.now())
    }
    return await metered.perform(call, isBehind ? .background : .live, deadline: deadline, late: late)
  }
}
