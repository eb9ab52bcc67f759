package import ScanModel

/// Keeps a wrong or blocked key from being tried until the server blocks it. Pure: time is an argument.
///
/// The server blocks a key for 15 min after 10 failed authentications; this stops after 5 with no
/// 15 min between them, until 15 min after the last of them or until the key changes. After each failure the next request waits 250 ms (the document).
package struct AuthenticationGuard: Sendable {
  /// Whether a request may be sent.
  package enum Decision: Sendable, Equatable {
    /// It may be sent now.
    case granted
    /// A short pause after a failed authentication; wait until then.
    case wait(until: MonotonicTime)
    /// The key is new and several requests with it are on their way: their answers come first.
    case crowded
    /// Too many failures: nothing is sent before then.
    case stopped(until: MonotonicTime)
    /// The server said that it blocks the key (423): nothing is sent before then.
    case blocked(until: MonotonicTime)
  }

  /// Failed authentications after which nothing more is sent; half of what the server allows.
  package static let mostFailures = 5
  /// The gap after which failures are forgotten, and the length of the stop that follows.
  package static let period = Duration.seconds(15 * 60)
  /// The pause after each failed authentication.
  package static let pause = Duration.milliseconds(250)

  private var failures = 0
  private var lastFailure: MonotonicTime?
  private var blockedUntil: MonotonicTime?
  private var isProven = false
  private var onTheirWay = 0

  package init() {}

  /// Asks whether a request may be sent now; one that is granted is reported by exactly one of `failed`, `blocked`,
  /// `succeeded` and `unknown`.
  ///
  /// A key that was not accepted yet is not sent by many gates at once, or they would all fail before the first is known.
  package mutating func begin(at now: MonotonicTime) -> Decision {
    if let until = blockedUntil, now < until { return .blocked(until: until) }
    if let last = lastFailure {
      if now - last >= Self.period { failures = 0 }
      if failures >= Self.mostFailures { return .stopped(until: last + Self.period) }
      if now < last + Self.pause { return .wait(until: last + Self.pause) }
    }
    if !isProven, failures + onTheirWay >= Self.mostFailures { return .crowded }
    onTheirWay += 1
    return .granted
  }

  /// The server does not know the key (401).
  package mutating func failed(at now: MonotonicTime) {
    unknown()
    isProven = false
    // The server's count lives until 15 min after the last failure, so only such a gap forgets the earlier ones.
    if let last = lastFailure, now - last >= Self.period { failures = 0 }
    failures = min(failures + 1, Self.mostFailures)
    lastFailure = max(lastFailure ?? now, now)
  }

  /// The server blocks the key (423).
  /// - Parameter retryAfter: for how long, where it said so; from a second to `RateBudget.longestRetryAfter` of it is obeyed.
  package mutating func blocked(at now: MonotonicTime, retryAfter: Duration? = nil) {
    unknown()
    let wait = min(max(retryAfter ?? Self.period, .seconds(1)), RateBudget.longestRetryAfter)
    blockedUntil = now + wait
  }

  /// The server knew the key: earlier failures are mended.
  package mutating func succeeded() {
    unknown()
    isProven = true
    failures = 0
    lastFailure = nil
    blockedUntil = nil
  }

  /// The request ended, and told nothing about the key.
  package mutating func unknown() { onTheirWay = max(onTheirWay - 1, 0) }
}
