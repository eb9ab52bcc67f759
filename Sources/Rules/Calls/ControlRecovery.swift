package import ScanModel

/// What is done about the faults of a control service: the recovery of its document. Pure: faults and chance go in, what to do
/// comes out.
///
/// A *sync* tells how the station is and fetches what it is to be. In one sync:
///
/// | fault | what is done |
/// |---|---|
/// | network | the same again after 2, 4, 8 s; then the next sync after 5 s |
/// | server | the same, and before each the service is asked for its health; then the next sync at its time |
/// | configuration | the configuration is refreshed once, at once; then the next sync at its time |
/// | authentication | never the same again: the token is validated after 30 s, then after twice that, up to 30 min |
/// | unknown | nothing: the next sync at its time |
///
/// Each wait varies by ±20 %, so that stations that lost the same server do not come back in step. A wait that the service asks
/// for (`Retry-After`) is kept where it is the longer one, up to 15 min; one of more than 30 s ends the sync.
package struct ControlRecovery: Sendable {
  /// What to do next.
  package enum Step: Sendable, Equatable {
    /// Make the call that failed again; where `askingHealth`, ask for the health before it (what that says is told, and changes
    /// nothing).
    case retry(after: Duration, askingHealth: Bool)
    /// Fetch the configuration past all caches, now.
    case refresh
    /// Ask whether the token is valid. Where it is, sync.
    case validate(after: Duration)
    /// End this sync and begin the next one.
    case nextSync(after: Duration)
  }

  /// How often a station syncs where all is well.
  package static let period = Duration.seconds(120)
  /// The waits before the retries of one sync.
  package static let retries: [Duration] = [.seconds(2), .seconds(4), .seconds(8)]
  /// The wait before the next sync after the network failed.
  package static let afterNetworkFault = Duration.seconds(5)
  /// The first wait before the token is validated.
  package static let firstValidation = Duration.seconds(30)
  /// The longest of these.
  package static let longestValidation = Duration.seconds(1_800)
  /// The longest that a service can ask to be left alone.
  package static let longestRetryAfter = Duration.seconds(900)

  /// The longest that a sync itself waits.
  package static let longestPause = Duration.seconds(30)

  private var retriesMade = 0
  private var hasRefreshed = false
  private var refusals = 0

  /// Makes the state of a station that has not asked yet.
  package init() {}

  /// A new sync begins: its retries are all there again.
  package mutating func began() {
    retriesMade = 0
    hasRefreshed = false
  }

  /// A call was answered as it should be. One that showed the token, and validating it among them, proves that it is accepted.
  /// - Parameter showedToken: whether it did.
  package mutating func succeeded(showedToken: Bool) { if showedToken { refusals = 0 } }

  /// A call failed.
  /// - Parameter random: the source of chance.
  /// - Returns: what to do.
  package mutating func failed(_ fault: ControlFault, using random: inout some RandomNumberGenerator) -> Step {
    switch fault.kind {
    case .network, .server:
      let isServer = fault.kind == .server
      guard retriesMade < Self.retries.count, (fault.retryAfter ?? .zero) <= Self.longestPause else {
        return .nextSync(
          after: Self.wait(isServer ? Self.period : Self.afterNetworkFault, fault.retryAfter, using: &random))
      }
      retriesMade += 1
      return .retry(
        after: Self.wait(Self.retries[retriesMade - 1], fault.retryAfter, using: &random), askingHealth: isServer)
    case .authentication:
      let doublings = min(refusals, 16)
      refusals = min(refusals + 1, 16)
      let step = min(Self.firstValidation * (1 << doublings), Self.longestValidation)
      return .validate(after: Self.wait(step, fault.retryAfter, using: &random))
    case .configuration where !hasRefreshed:
      hasRefreshed = true
      return .refresh
    case .configuration, .unknown:
      return .nextSync(after: Self.wait(Self.period, fault.retryAfter, using: &random))
    }
  }

  /// The wait until the next sync where all went well.
  package static func untilNextSync(using random: inout some RandomNumberGenerator) -> Duration {
    varied(period, using: &random)
  }

  private static func wait(
    _ own: Duration, _ asked: Duration?, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let own = varied(own, using: &random)
    // Asked for, a wait is never cut by chance; the longest validation is not made longer either.
    return max(own, min(asked ?? .zero, longestRetryAfter))
  }

  private static func varied(_ duration: Duration, using random: inout some RandomNumberGenerator) -> Duration {
    duration * Int.random(in: 800...1_200, using: &random) / 1_000
  }
}
