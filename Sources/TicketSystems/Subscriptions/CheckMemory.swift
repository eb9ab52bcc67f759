internal import ScanModel

/// What was said of passes a short while ago, so that the same pass opens at once and is asked about behind it. Pure: time is an argument.
struct CheckMemory: Sendable {
  /// So many are remembered: some hours at one gate.
  static let most = 4_096

  /// A good answer.
  struct Check: Sendable, Equatable {
    /// What it told.
    var subscription: Subscription
    /// Until when it admits.
    var until: WallTime
    /// When it was given, by the server's clock and by ours.
    var now: WallTime
    var at: MonotonicTime
  }

  /// For how long one counts; zero for never.
  let recheck: Duration
  private var checks: [SubscriptionID: Check] = [:]

  init(recheck: Duration) { self.recheck = recheck }

  /// The last good answer on a subscription, where it still counts, and what time it is by the server's clock.
  func check(of id: SubscriptionID, at time: MonotonicTime) -> (check: Check, now: WallTime)? {
    guard recheck > .zero, let check = checks[id], time >= check.at, time - check.at < recheck else { return nil }
    let now = check.now + (time - check.at)
    return now < check.until ? (check, now) : nil
  }

  /// Takes a good answer, or forgets it.
  mutating func take(_ check: Check?, of id: SubscriptionID) {
    guard recheck > .zero else { return }
    if let check, checks[id] == nil, checks.count >= Self.most {
      // What is over counts no more; else any may go, for it is asked about again.
      checks = checks.filter { check.at - $0.value.at < recheck }
      if checks.count >= Self.most, let any = checks.keys.first { checks[any] = nil }
    }
    checks[id] = check
  }

  /// Our key is no longer taken: nobody vouches for anything.
  mutating func forgetAll() { checks = [:] }
}
