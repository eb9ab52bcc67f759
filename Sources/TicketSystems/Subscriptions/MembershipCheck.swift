internal import ScanModel
internal import TicketTransport

/// One presentation of a pass, from the first question to the outcome.
///
/// ```
/// GET ─▶ past, and renews itself ─▶ time left, not refreshed lately ─▶ PATCH ─┬─ ended ─▶ GET ─▶ judged
///  │                                    └─ no ─▶ judged                       └─ not in time ─▶ undecided; it ends behind
///  └─ anything else ─▶ judged
/// ```
struct MembershipCheck {
  let presented: PassReader.Presented
  let deadline: MonotonicTime
  /// Whether nobody waits.
  let isOwed: Bool
  /// How long ago somebody was admitted.
  let ago: Duration
  let system: SubscriptionsTicketSystem
  /// When the first question was sent.
  private var sentAt: MonotonicTime?

  private var client: SubscriptionsClient { system.client }
  private var id: SubscriptionID { presented.id }

  init(
    presented: PassReader.Presented, deadline: MonotonicTime, isOwed: Bool, ago: Duration,
    system: SubscriptionsTicketSystem
  ) {
    self.presented = presented
    self.deadline = deadline
    self.isOwed = isOwed
    self.ago = ago
    self.system = system
  }

  /// The outcome by what was said a short while ago, where that admits; asks again behind it.
  func remembered(at began: MonotonicTime) -> AttemptOutcome? {
    guard let (check, now) = client.check(of: id) else { return nil }
    let verdict = system.judge.judge(
      .told(check.subscription, at: now), of: presented.pass, at: .init(trusted: nil), refresh: .underWay)
    // Whom it does not admit is asked about.
    guard case .valid(let subscription, let until) = verdict else { return nil }
    Task { [system, id] in
      let outcome = await system.client.subscription(
        id, deadline: system.client.time.now() + SubscriptionsClient.longestRefresh, isBehind: true)
      if case .answered(let answer) = outcome.result {
        system.learn(system.read(answer, of: id), of: id, at: outcome.endedAt)
      }
    }
    return AttemptOutcome(
      fate: .answered, answer: .valid(Entitlement(subscription, until: until)), mayHaveRedeemed: false, sentAt: began,
      endedAt: client.time.now(), isRemembered: true)
  }

  /// Asks, and once more where the server had to look whether it was renewed.
  mutating func ask(late: @escaping @Sendable (AttemptOutcome) -> Void) async -> AttemptOutcome {
    var outcome = await get(late)
    guard case .answered(let answer) = outcome.result else { return unanswered(outcome) }
    var read = taken(answer, outcome)
    var verdict = judged(read, client.refreshState(of: id))
    guard verdict == .refresh else { return judged(verdict, answer, outcome) }
    guard deadline - client.time.now() >= RefreshBook.least else {
      refreshBehind()
      return judged(judged(read, .underWay), answer, outcome)
    }
    guard client.beginRefresh(of: id) else { return judged(judged(read, .underWay), answer, outcome) }
    let refreshed = await client.refresh(id, deadline: deadline) { [system, id] end in
      system.client.endRefresh(of: id, end)
    }
    if refreshed.result == .pending || client.time.now() >= deadline {
      // Whoever presents the pass again is asked about first.
      return judged(judged(read, .underWay), answer, outcome)
    }
    if case .notSent(let fault) = refreshed.result {
      verdict = judged(read, .unanswered)
      if case .undecided(.unreachable, _) = verdict { verdict = .undecided(fault.reason, fault.detail) }
      return judged(verdict, answer, outcome)
    }
    outcome = await get(late)
    guard case .answered(let second) = outcome.result else { return unanswered(outcome) }
    read = taken(second, outcome)
    verdict = judged(read, client.refreshState(of: id))
    return judged(verdict == .refresh ? judged(read, .unanswered) : verdict, second, outcome)
  }

  private mutating func get(_ late: @escaping @Sendable (AttemptOutcome) -> Void) async -> HTTPOutcome {
    let first = sentAt
    let outcome = await client.subscription(id, deadline: deadline, isBehind: isOwed) { [self] outcome in
      var check = self
      check.sentAt = first ?? outcome.sentAt
      guard case .answered(let answer) = outcome.result else { return late(check.unanswered(outcome)) }
      let read = check.taken(answer, outcome)
      let verdict = check.judged(read, system.client.refreshState(of: id))
      late(check.judged(verdict == .refresh ? check.judged(read, .underWay) : verdict, answer, outcome))
    }
    sentAt = first ?? outcome.sentAt
    return outcome
  }

  /// Has the server look while nobody waits.
  private func refreshBehind() {
    guard client.beginRefresh(of: id) else { return }
    Task { [client, id] in
      _ = await client.refresh(id, deadline: client.time.now() + SubscriptionsClient.longestRefresh) {
        client.endRefresh(of: id, $0)
      }
    }
  }

  // MARK: Parts

  private func taken(_ answer: HTTPAnswer, _ outcome: HTTPOutcome) -> SubscriptionAnswer {
    let read = system.read(answer, of: id)
    system.learn(read, of: id, at: outcome.endedAt)
    return read
  }

  private func judged(
    _ answer: SubscriptionAnswer, _ refresh: SubscriptionJudge.Refresh
  ) -> SubscriptionJudge.Verdict {
    system.judge.judge(
      answer, of: presented.pass, at: .init(trusted: system.trustedNow, ago: ago), refresh: refresh)
  }

  private func judged(
    _ verdict: SubscriptionJudge.Verdict, _ answer: HTTPAnswer, _ outcome: HTTPOutcome
  ) -> AttemptOutcome {
    let said: TicketAnswer
    // What is about the subscription is no outage, whatever became of asking the store.
    var offline: OfflineCause?
    switch verdict {
    case .valid(let subscription, let until): said = .valid(Entitlement(subscription, until: until))
    case .refused(let reason, let detail): said = .refused(reason, detail: detail)
    case .undecided(let reason, let detail):
      said = .undecided(reason, detail: detail)
      offline = OfflineCause(status: answer.status)
    case .refresh: said = .undecided(.unreachable, detail: nil)
    }
    return AttemptOutcome(
      fate: .answered, answer: said, mayHaveRedeemed: false, sentAt: sentAt ?? outcome.sentAt ?? outcome.endedAt,
      endedAt: max(outcome.endedAt, client.time.now()), serverDate: answer.serverDate, offline: offline,
      retryAfter: answer.retryAfter)
  }

  private func unanswered(_ outcome: HTTPOutcome) -> AttemptOutcome {
    var result = AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: false,
      sentAt: sentAt ?? outcome.sentAt, endedAt: outcome.endedAt)
    switch outcome.result {
    case .notSent(let fault), .lost(let fault):
      // A second question that was not sent does not undo the first.
      if case .lost = outcome.result { result.fate = .lost } else if sentAt != nil { result.fate = .lost }
      result.answer = .undecided(fault.reason, detail: fault.detail)
      result.offline = fault.offline
      result.retryAfter = fault.retryAfter
    case .pending:
      result.fate = .pending
      result.offline = .timeOut
      result.answer = .undecided(
        .unreachable, detail: "\(client.host) did not answer in time. Please present the pass again.")
    case .answered: break
    }
    return result
  }
}

extension SubscriptionsTicketSystem {
  /// What an answer says of a subscription.
  func read(_ answer: HTTPAnswer, of id: SubscriptionID) -> SubscriptionAnswer {
    SubscriptionAnswer(answer, of: id, host: client.host, hiding: client.redactions(for: id), words: client.words)
  }
}

extension Entitlement {
  /// The right that a subscription gives: as often as it is shown, until then.
  init(_ subscription: Subscription, until: WallTime) {
    self.init(
      quantity: 1, ends: until,
      details: TicketDetails(kind: subscription.tier.rawValue, ends: until))
  }
}
