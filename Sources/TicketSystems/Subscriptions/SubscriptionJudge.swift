internal import ScanModel

/// What an answer means at one gate. Pure: the answer, the time, the gate and the settings are all that it goes by.
///
/// ```
/// told, of our environment ─┬─ its end is ahead ─┬─ a tier of the gate ─▶ valid until then
///                           │                    └─ another ─▶ wrongKind
///                           ├─ past, renews itself ─┬─ not refreshed yet ─▶ refresh, then asked again
///                           │                       ├─ within the grace ─▶ as ahead
///                           │                       ├─ the refresh was answered ─▶ expired
///                           │                       └─ it was not ─▶ undecided: who is valid is not refused
///                           └─ past ─▶ expired
/// ```
struct SubscriptionJudge: Sendable {
  /// What has become of asking the server to renew what it knows of a subscription.
  enum Refresh: Sendable, Equatable {
    /// It may be asked.
    case possible
    /// It was, a short while ago, and answered.
    case done
    /// It was, and did not answer, or could not look.
    case unanswered
    /// It is being asked, or there is no time left to.
    case underWay
  }

  /// The judgement.
  enum Verdict: Sendable, Equatable {
    /// It admits, until then.
    case valid(Subscription, until: WallTime)
    /// It does not.
    case refused(RefuseReason, detail: String?)
    /// The server is to look whether it was renewed, then it is to be asked again.
    case refresh
    /// Nothing that could be believed.
    case undecided(UndecidedReason, String)
  }

  /// The moment that is judged.
  struct Moment: Sendable, Equatable {
    /// Now, by our own clock, where that is trusted: for an answer that does not tell it.
    var trusted: WallTime?
    /// How long before now somebody was admitted; zero for who stands at the gate.
    var ago = Duration.zero

    init(trusted: WallTime?, ago: Duration = .zero) {
      self.trusted = trusted
      self.ago = ago
    }
  }

  /// Whose subscriptions admit.
  var environment: SubscriptionEnvironment
  /// For how long after its end one admits that renews itself.
  var grace: Duration
  /// The tiers of the gate; `nil` for all.
  var tiers: Set<SubscriptionTier>?
  /// The server, for messages.
  var host: String

  /// The time by which an answer is judged; `nil` where no clock tells it.
  static func now(_ told: WallTime?, _ moment: Moment) -> WallTime? { told ?? moment.trusted }

  /// Judges an answer.
  /// - Parameter pass: the signed pass that was shown, if it was one: its own times count, too.
  func judge(_ answer: SubscriptionAnswer, of pass: SignedPass?, at moment: Moment, refresh: Refresh) -> Verdict {
    switch answer {
    case .undecided(let reason, let detail): return .undecided(reason, detail)
    case .broken(let detail): return .undecided(.badAnswer, detail)
    case .unknown(let said): return .refused(.notFound, detail: said)
    case .told(let subscription, let date):
      guard let now = Self.now(date, moment) else {
        return .undecided(
          .clockWrong,
          "\(host) does not say what time it is, and nothing keeps this machine's clock right. Set the clock.")
      }
      let then = now - moment.ago
      if let refusal = pass?.refusal(at: then) {
        return .refused(
          refusal, detail: refusal == .tooEarly ? "The pass is not good yet." : "The pass itself has ended.")
      }
      guard subscription.environment == environment else {
        return .refused(.notGenuine, detail: Self.foreign(subscription.environment))
      }
      return judge(subscription, at: then, refresh)
    }
  }

  private func judge(_ subscription: Subscription, at then: WallTime, _ refresh: Refresh) -> Verdict {
    let until: WallTime
    if then < subscription.ends {
      until = subscription.ends
    } else {
      let ended = "The subscription ended at \(subscription.ends.iso8601Seconds)"
      guard subscription.isAutoRenewing else { return .refused(.expired, detail: ended + ".") }
      if refresh == .possible { return .refresh }
      until = subscription.ends + grace
      guard then < until else {
        switch refresh {
        case .done: return .refused(.expired, detail: ended + ", and was not renewed.")
        case .underWay:
          return .undecided(
            .unreachable,
            "\(ended) and renews itself; \(host) is looking whether it was. Please present the pass again.")
        case .possible, .unanswered:
          return .undecided(
            .unreachable,
            "\(ended) and renews itself, and \(host) has not told whether it was. Please present the pass again in some minutes."
          )
        }
      }
    }
    guard tiers?.contains(subscription.tier) != false else {
      return .refused(.wrongKind, detail: "It is a \(subscription.tier.rawValue) subscription.")
    }
    return .valid(subscription, until: until)
  }

  private static func foreign(_ environment: SubscriptionEnvironment) -> String {
    switch environment {
    case .production: "It is a customer's subscription, and this gate admits test purchases alone."
    case .sandbox: "It is a test purchase, which costs nothing."
    }
  }

  /// What is to be kept of an answer for outages: what it vouches for, or that it vouches for nothing any more; `nil` where it says nothing.
  func kept(_ answer: SubscriptionAnswer, at moment: Moment) -> CheckedTicket?? {
    switch answer {
    case .unknown, .broken: return .some(nil)
    case .undecided: return nil
    case .told(let subscription, let date):
      guard let now = Self.now(date, moment) else { return nil }
      let ends = subscription.ends + (subscription.isAutoRenewing && now >= subscription.ends ? grace : .zero)
      guard subscription.environment == environment, now < ends else { return .some(nil) }
      return CheckedTicket(ends: ends, kind: subscription.tier.rawValue, at: now)
    }
  }
}
