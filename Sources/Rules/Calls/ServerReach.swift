package import ScanModel

/// Whether one server of a ticket system can be reached: with hysteresis, so that it does not flap. Pure: time and chance
/// are arguments.
///
///     online ── time-out, 502…504 ──▶ suspect ── a second one in a row ──▶ offline
///        │ ◀──────── reachable ───────── │                                   │ ▲
///        ├── no address, no connection, or offline within the last 60 s ─────┼─┘
///        └◀── reachable, and offline for the least stay ─────────────────────┘
///
/// That there is no address and no connection is sure: connects are tried again until a scan's deadline. A time-out may be
/// one slow answer. The least stay is 2 s, and twice the last one, up to 30 s, when it fell back within 60 s.
///
/// A probe may fail where a scan would not. So one scan in `trialInterval` asks all the same while it is offline (`takeTrial`).
///
/// 429 is not the server's reachability: it changes nothing here.
package struct ServerReach: Sendable {
  /// What is known.
  package enum State: Sendable, Equatable {
    /// It answers, as far as is known.
    case online
    /// It did not answer the last request.
    case suspect
    /// It cannot be reached.
    case offline(since: MonotonicTime, cause: OfflineCause)
  }

  /// A change that people are told of.
  package enum Change: Sendable, Equatable {
    /// It went offline.
    case offline(OfflineCause)
    /// It is back after this time.
    case online(after: Duration)
  }

  /// The least time that it stays offline, at first.
  package static let leastStay = Duration.seconds(2)
  /// The longest least stay.
  package static let longestLeastStay = Duration.seconds(30)
  /// Within this time of being offline, one outcome suffices and the least stay doubles.
  package static let relapse = Duration.seconds(60)
  /// While it is offline, one scan in this time asks all the same.
  package static let trialInterval = Duration.seconds(15)
  /// When probes are due: 1 s after a failure at first, at most every 15 s.
  private static let probes = RetryPolicy(first: .seconds(1), longest: .seconds(15), mostTries: .max)

  /// What is known now.
  package private(set) var state = State.online
  /// When a probe is due that nobody waits for; `nil` while it is online. The caller makes one at a time.
  package private(set) var nextProbe: MonotonicTime?
  /// The least time that it stays offline, as of now.
  package private(set) var stay = ServerReach.leastStay

  private var failedProbes = 0
  private var lastReached: MonotonicTime?
  private var lastOffline: MonotonicTime?
  /// From when a scan asks although it is offline.
  private var nextTrial: MonotonicTime?

  /// Makes the state of a server of which nothing is known: online.
  package init() {}

  /// Whether it is offline: a gate with an offline policy decides at once, without a request.
  package var isOffline: Bool { if case .offline = state { true } else { false } }

  /// Whether a scan is to ask although it is offline: then it does, and its outcome is taken. It comes when an answer can end
  /// the outage, after the least stay.
  package mutating func takeTrial(at time: MonotonicTime) -> Bool {
    guard isOffline, let due = nextTrial, due <= time else { return false }
    nextTrial = time + Self.trialInterval
    return true
  }

  /// Takes the outcome of a request or a probe.
  /// - Parameters:
  ///   - cause: `AttemptOutcome.offline`, or what `TicketSystem.reach` returned; `nil` where the server answered.
  ///   - began: when the request began. What began before the last answer says nothing of now.
  ///   - time: when it ended.
  ///   - random: the source of chance.
  /// - Returns: what people are to be told.
  @discardableResult
  package mutating func take(
    _ cause: OfflineCause?, began: MonotonicTime, at time: MonotonicTime,
    using random: inout some RandomNumberGenerator
  ) -> Change? {
    guard let cause else { return reached(at: time) }
    guard cause != .rateLimited else {
      // It was a probe, perhaps: then another one is due.
      if let due = nextProbe, due <= time { nextProbe = time + wait(using: &random, at: time) }
      return nil
    }
    if let lastReached, began < lastReached { return nil }
    switch state {
    case .offline:
      failed(at: time, using: &random)
      return nil
    case .online where !isSure(cause, at: time):
      state = .suspect
      failed(at: time, using: &random)
      return nil
    case .online, .suspect:
      stay = isRelapse(at: time) ? min(stay * 2, Self.longestLeastStay) : Self.leastStay
      state = .offline(since: time, cause: cause)
      nextProbe = nil
      nextTrial = time + max(stay, Self.trialInterval)
      failedProbes = 0
      failed(at: time, using: &random)
      return .offline(cause)
    }
  }

  private mutating func reached(at time: MonotonicTime) -> Change? {
    lastReached = max(lastReached ?? time, time)
    failedProbes = 0
    guard case .offline(let since, _) = state else {
      state = .online
      nextProbe = nil
      return nil
    }
    guard time - since >= stay else {
      nextProbe = since + stay
      return nil
    }
    state = .online
    nextProbe = nil
    lastOffline = time
    return .online(after: time - since)
  }

  /// A request of a scan that fails says nothing new before a probe is due.
  private mutating func failed(at time: MonotonicTime, using random: inout some RandomNumberGenerator) {
    if let due = nextProbe, time < due { return }
    failedProbes = min(failedProbes + 1, 30)
    nextProbe = time + wait(using: &random, at: time)
  }

  private func wait(using random: inout some RandomNumberGenerator, at time: MonotonicTime) -> Duration {
    let never = MonotonicTime(nanoseconds: .max)
    return Self.probes.wait(afterTries: max(1, failedProbes), at: time, deadline: never, using: &random) ?? .seconds(15)
  }

  private func isSure(_ cause: OfflineCause, at time: MonotonicTime) -> Bool {
    switch cause {
    case .noAddress, .noConnection: true
    case .timeOut, .gatewayFault, .rateLimited: isRelapse(at: time)
    }
  }

  private func isRelapse(at time: MonotonicTime) -> Bool { lastOffline.map { time - $0 <= Self.relapse } ?? false }
}
