import Foundation
import NIOHTTP1

/// Subscriptions over the control socket.
extension VenueControlClient {
  /// What was sold, a line of JSON each; see `VenueServer.soldSubscriptions`.
  /// - Throws: `VenueError.noControl`.
  package func soldSubscriptions() async throws -> [String] { try await lines("subscriptions") }

  /// Sells a subscription; see `VenueServer.sell`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where it was not sold.
  package func sell(_ new: NewSubscription) async throws -> MadeSubscription {
    try read(
      try await tell(
        .POST, "subscriptions",
        [
          ("id", new.id), ("environment", new.environment.rawValue), ("tier", new.tier.rawValue),
          ("cycle", new.cycle?.rawValue), ("purchased", new.purchased), ("expires", new.expires),
          ("renews", new.renews ? "yes" : "no"), ("answer", new.answer.text), ("known", new.isKnown ? "yes" : "no"),
        ]))
  }

  /// Has a subscription end; see `VenueServer.expireSubscription`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where nothing was changed.
  package func expireSubscription(_ id: String, at time: String? = nil, isFinal: Bool = false) async throws {
    try await change(id, "expire", [("at", time), ("final", isFinal ? "yes" : nil)])
  }

  /// Has a subscription paid for again; see `VenueServer.renewSubscription`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where nothing was changed.
  package func renewSubscription(_ id: String, until: String? = nil, isTold: Bool = false) async throws {
    try await change(id, "renew", [("until", until), ("told", isTold ? "yes" : nil)])
  }

  /// Gives the last payment back; see `VenueServer.refundSubscription`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where nothing was changed.
  package func refundSubscription(_ id: String) async throws { try await change(id, "refund", []) }

  private func change(_ id: String, _ what: String, _ values: [(String, String?)]) async throws {
    _ = try await tell(.PUT, "subscription", [("id", id), ("do", what)] + values)
  }

  /// Makes an account known; see `VenueServer.addMembership`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where nothing was changed.
  package func addMembership(_ new: NewMembership) async throws {
    _ = try await tell(
      .POST, "memberships",
      [
        ("id", new.ftcID), ("tier", new.tier?.rawValue), ("cycle", new.cycle.rawValue), ("expires", new.expires),
        ("paid", new.payMethod?.rawValue), ("renews", new.renews ? "yes" : nil), ("vip", new.isVIP ? "yes" : nil),
        ("standard", "\(new.standardAddOn)"), ("premium", "\(new.premiumAddOn)"),
      ])
  }

  /// Makes an access token known; see `VenueServer.issueAccessToken`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where it is none.
  package func issueAccessToken(_ given: String? = nil) async throws -> String {
    struct Told: Decodable { let token: String }
    let told: Told = try read(try await tell(.POST, "access-tokens", [("token", given)]))
    return told.token
  }

  /// Refuses all access tokens that were given.
  /// - Throws: `VenueError.noControl`.
  package func changeAccessTokens(_ change: AccessTokenChange) async throws {
    _ = try await tell(.PUT, "access-tokens", [("state", change.rawValue)])
  }
}
