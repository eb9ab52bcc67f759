import Expectations
import Foundation
import ScanModel
import Testing
import VenueServer

@testable import Subscriptions

/// A subscription service over real sockets, with the shop behind it, by a clock that the test moves.
struct MemberVenue: Sendable {
  /// What gates have asked it so far, answered or not.
  struct Asked: Equatable {
    /// About a subscription.
    var checks = 0
    /// To have one refreshed.
    var refreshes = 0
  }

  let server: VenueServer
  let address: VenueAddress
  let time: MovableTime

  /// Runs one for as long as `body` takes. It takes the token that gates show.
  static func run(_ shape: SubscriptionShape, _ body: (MemberVenue) async throws -> Void) async throws {
    let time = MovableTime()
    let server = try VenueServer(
      VenueConfiguration(
        noLimits: true, failureDelay: .zero,
        now: { Date(timeIntervalSince1970: Double(time.wall().nanoseconds) / 1e9) }, subscriptionShape: shape))
    _ = try await server.issueAccessToken("test-token")
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let running = Task {
      defer { tell.finish() }
      try await server.run { tell.yield($0) }
    }
    guard let address = await ready.first(where: { _ in true }) else {
      try await running.value
      Issue.record("the venue ended before it was ready")
      return
    }
    let venue = MemberVenue(server: server, address: address, time: time)
    venue.behave()
    var outcome = Result<Void, any Error>.success(())
    do { try await body(venue) } catch { outcome = .failure(error) }
    running.cancel()
    _ = await running.result
    try outcome.get()
  }

  // MARK: What gates ask

  /// Where gates ask it.
  func url(_ base: String = "/api/v1") -> String { address.url + base }

  /// A gate without a ledger, by the same clock.
  func door(
    _ base: String = "/api/v1", tiers: [SubscriptionTier] = [], environment: SubscriptionEnvironment = .production,
    grace: Duration = .zero, recheck: Duration = .zero
  ) throws -> Door {
    try Door(
      asking: url(base), gate: .init(tiers: tiers), environment: environment, grace: grace, recheck: recheck, time: time
    )
  }

  /// What it was asked since it began to behave last.
  var asked: Asked {
    let counts = server.misbehaviours.prefix(2).map(\.hits)
    return Asked(checks: counts.first ?? 0, refreshes: counts.last ?? 0)
  }

  /// Is as good as can be, and counts anew.
  func behave() {
    // A pause of nothing is no misbehaviour, and is counted as one.
    let counted: [Misbehaviour.Scope] = [.checks, .refreshes]
    server.misbehave(counted.map { Misbehaviour(.latency(0...0, .before), scope: $0) }, clearing: true)
  }

  /// Misbehaves so as well, see `Misbehaviour.init(_:)`.
  func misbehave(_ text: String...) throws { server.misbehave(try text.map { try Misbehaviour($0) }) }

  // MARK: What its shop does

  /// Sells a subscription that the service knows.
  /// - Parameter ends: a time, or one from now on such as `-5min`.
  func sell(
    _ tier: MemberTier = .premium, ends: String = "30d", renews: Bool = false,
    in environment: ShopEnvironment = .production, answer: ShopAnswer = .valid
  ) async throws -> String {
    try await server.sell(
      NewSubscription(environment: environment, tier: tier, expires: ends, renews: renews, answer: answer)
    ).id
  }

  /// Sells one that has ended five minutes ago as the service knows it, and was paid for again since.
  func sellRenewed(in environment: ShopEnvironment = .production, answer: ShopAnswer = .valid) async throws -> String {
    let id = try await sell(ends: "-5min", renews: true, in: environment, answer: answer)
    try await server.renewSubscription(id, until: "30d")
    return id
  }
}
