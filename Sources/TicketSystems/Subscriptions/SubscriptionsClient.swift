internal import Calls
internal import ScanModel
internal import Synchronization
internal import TicketTransport

/// The subscription API as gates use it, typed. One for each server and token: the gates that use both share its rate budget, its
/// memory of failed authentications, of refreshes and of checks.
final class SubscriptionsClient: Sendable {
  /// Requests a minute: the server has no limit of its own.
  static let rate = 120
  /// How long a refresh may take behind the gate.
  static let longestRefresh = Duration.seconds(15)

  /// How the token is sent, and what an answer says of it and of the rate; gates and the office's commands alike.
  static let policy = MeteredClient.Policy(header: "Authorization", prefix: "Bearer ") { answer in
    if answer.refusesToken { return .init(.counted, key: .refused) }
    if answer.status == 429 { return .init(.limited) }
    let isProof = answer.isJSON && [200, 404, 422].contains(answer.status) || answer.missesUser
    return .init(.counted, key: isProof ? .accepted : .unknown)
  }

  private let metered: MeteredClient
  private let refreshes = Mutex(RefreshBook())
  private let checks: Mutex<CheckMemory>
  let time: any TimeSource

  /// Makes a client; connects nowhere.
  init(transport: any HTTPCalling, token: Secret, budget: RateBudget, recheck: Duration, time: any TimeSource) {
    metered = MeteredClient(transport: transport, key: token, budget: budget, policy: Self.policy, time: time)
    checks = Mutex(CheckMemory(recheck: recheck))
    self.time = time
  }

  /// The server, for messages.
  var host: String { metered.host }

  /// What is left of its budget.
  var left: RateBudget.Left { metered.left }

  /// How messages speak of it.
  var words: ServerWords { metered.words }

  /// What the server's text must not show.
  func redactions(for id: SubscriptionID? = nil) -> [Redaction] {
    metered.redactions + (id.map { [Redaction($0.text, shownAs: "\($0)")] } ?? [])
  }

  // MARK: Calls

  /// `GET /apple/subs/ID`.
  /// - Parameter isBehind: whether nobody waits for it.
  func subscription(
    _ id: SubscriptionID, deadline: MonotonicTime, isBehind: Bool,
    late: @escaping @Sendable (HTTPOutcome) -> Void = { _ in }
  ) async -> HTTPOutcome {
    await metered.perform(
      call(.get, "/apple/subs/\(id.text)"), isBehind ? .background : .live, deadline: deadline, late: late)
  }

  /// `PATCH /apple/subs/ID`: has the server ask the store. Sent at most once; `end` is told its end whenever that is.
  func refresh(
    _ id: SubscriptionID, deadline: MonotonicTime, end: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    let outcome = await metered.perform(call(.patch, "/apple/subs/\(id.text)"), deadline: deadline, late: end)
    if outcome.result != .pending { end(outcome) }
    return outcome
  }

  /// `GET /apple/subs`: whether the API is there and takes our token.
  func list(deadline: MonotonicTime) async -> HTTPOutcome {
    await metered.perform(
      call(.get, "/apple/subs", query: [("page", "1"), ("per_page", "1")]), deadline: deadline)
  }

  /// A page of the list; 429, 5xx and network errors are repeated.
  /// - Parameter user: whose; `nil` for all that the service tells.
  /// - Throws: why there is none.
  func page(
    _ number: Int, size: Int, of user: SubscriptionUser?, deadline: MonotonicTime
  ) async throws(TransportFault) -> HTTPAnswer {
    let secrets = redactions() + [user?.redaction].compactMap(\.self)
    var call = call(.get, "/apple/subs", query: [("page", String(number)), ("per_page", String(size))])
    if let user {
      do throws(CallHeader.Fault) { try call.add(user.header) } catch {
        throw TransportFault(.accessDenied, error.description)
      }
    }
    return try await metered.read(call, RetryPolicy.wholeList, deadline: deadline, waitsForBudget: true) { answer in
      if let words = answer.cacheWords(host: host) { return .fault(TransportFault(.badAnswer, words)) }
      if answer.status == 200, answer.isJSON { return .value(answer) }
      if answer.missesUser {
        let said = answer.message.flatMap { StaffText.clean($0, hiding: secrets) }.map { ": “\($0)”" } ?? ""
        let cure =
          user == nil
          ? "\(host) tells each user's own subscriptions, and not all (\(answer.status))\(said). Say whose by --user FTCID, once for "
            + "each user, or import a file: scangate tickets import FILE"
          : "\(host) tells no subscriptions of the user that --user names (\(answer.status))\(said). Is it the account's id, as "
            + "the service writes it?"
        return .fault(TransportFault(.accessDenied, cure))
      }
      let fault = SubscriptionAnswer.fault(answer, host: host, hiding: secrets, words: words)
      return .fault(TransportFault(fault.reason, fault.detail))
    }
  }

  private func call(
    _ method: HTTPCall.Method, _ path: String, query: [(name: String, value: String)] = []
  ) -> HTTPCall {
    var call = HTTPCall(method, path: path, query: query)
    call.skipsCaches = true
    return call
  }

  // MARK: What is remembered

  /// What has become of refreshing a subscription.
  func refreshState(of id: SubscriptionID) -> SubscriptionJudge.Refresh {
    let now = time.now()
    return refreshes.withLock { $0.state(of: id, at: now) }
  }

  /// Begins to refresh it.
  /// - Returns: false where that was, or is being, done.
  func beginRefresh(of id: SubscriptionID) -> Bool {
    let now = time.now()
    return refreshes.withLock { $0.begin(id, at: now) }
  }

  /// Takes what became of a refresh: a server that fails has not looked.
  func endRefresh(of id: SubscriptionID, _ outcome: HTTPOutcome) {
    let isAnswered: Bool? =
      switch outcome.result {
      case .notSent: nil
      case .pending, .lost: false
      // Nobody was let in to look: it is asked again when the token is good.
      case .answered(let answer) where answer.refusesToken: nil
      case .answered(let answer): answer.hasLooked
      }
    refreshes.withLock { $0.end(id, isAnswered: isAnswered) }
  }

  /// The last good answer on a subscription, where it still counts, and what time it is by the server's clock.
  func check(of id: SubscriptionID) -> (check: CheckMemory.Check, now: WallTime)? {
    let now = time.now()
    return checks.withLock { $0.check(of: id, at: now) }
  }

  /// Takes a good answer, or forgets it.
  func remember(_ check: CheckMemory.Check?, of id: SubscriptionID) { checks.withLock { $0.take(check, of: id) } }

  /// Nobody vouches for anything any more.
  func forgetChecks() { checks.withLock { $0.forgetAll() } }
}
