import Foundation
import SQLiteFile

/// One seeded subscription, to try at a gate.
package struct SeededSubscription: Sendable, Equatable {
  /// What showing it is to come to.
  package enum Kind: String, Sendable, CaseIterable {
    /// Premium, and running.
    case premium
    /// Standard, and running.
    case standard
    /// Premium, ended five minutes ago as the service knows it; renewed at the shop.
    case renewed
    /// Premium, ended yesterday, and not set to renew.
    case ended
    /// Premium and running, though the money was given back.
    case refunded
    /// Premium and running, of a test account.
    case sandbox
  }

  /// The kind.
  package let kind: Kind
  /// Its original transaction id.
  package let id: String
  /// What it entitles to.
  package let tier: MemberTier
  /// When it ends as the service knows it, such as `2026-01-31T18:00:00Z`.
  package let expires: String
  /// The account whose membership it is; nil for none.
  package let ftcID: String?
}

/// What seeding memberships gave.
package struct SeededMemberships: Sendable {
  /// Its subscriptions, those that admit first.
  package let sold: [SeededSubscription]
  /// An account without a membership, to link one to.
  package let freeAccount: String
}

extension VenueServer {
  /// Makes a subscription of each kind, an account whose membership the first one is, and one without.
  ///
  /// A database that was seeded before keeps their ids; their ends are moved to where they were seen from now.
  /// - Parameter random: as `Seed.random`.
  package func seedMemberships(random: UInt64? = nil) async throws -> SeededMemberships {
    let (now, shape) = (Timestamp(configuration.now()), configuration.subscriptionShape ?? .document)
    return try await store.write { db in
      var source = SecretSource(number: random)
      return try MembershipSeeding(db: db, now: now, shape: shape).run(&source)
    }
  }
}

/// Seeding, inside its transaction.
private struct MembershipSeeding {
  let db: Database
  let now: Timestamp
  let shape: SubscriptionShape

  private static let day: Int64 = 86_400
  private static let member = "748bc0c8-f778-4616-8dff-7f4a8f4dd411"
  private static let free = "d815e143-053c-4460-bf2b-91a4854e59a3"

  func run(_ random: inout SecretSource) throws -> SeededMemberships {
    let memberships = MembershipBook(db: db)
    for account in [Self.member, Self.free] { try memberships.addAccount(account) }
    var seeded: [SeededSubscription] = []
    for kind in SeededSubscription.Kind.allCases {
      let id = try make(kind, &random)
      guard let known = try SubscriptionBook(db: db).find(id) else { continue }
      if kind == .premium, try memberships.membership(of: Self.member) == nil {
        try memberships.save(StoredMembership(known, of: Self.member, after: nil))
        try SubscriptionBook(db: db).claim(id, for: Self.member)
      }
      seeded.append(
        SeededSubscription(
          kind: kind, id: id, tier: known.product.tier, expires: known.expires.utc,
          ftcID: try memberships.membership(ofSubscription: id)?.ftcID))
    }
    return SeededMemberships(sold: seeded, freeAccount: Self.free)
  }

  private func make(_ kind: SeededSubscription.Kind, _ random: inout SecretSource) throws -> String {
    let shop = ShopBook(db: db, now: now)
    let id: String
    if let made = try shop.id(seeded: kind.rawValue) {
      id = made
    } else {
      var new = NewSubscription(
        environment: kind == .sandbox ? .sandbox : .production, tier: kind == .standard ? .standard : .premium)
      new.label = kind.rawValue
      id = try SubscriptionSale(db: db, now: now, shape: shape).sell(new, &random).id
    }
    guard let sold = try shop.subscription(id) else { throw SQLiteError.damage("what was seeded is not there") }
    let end =
      switch kind {
      case .renewed: now.seconds - 300
      case .ended: now.seconds - Self.day
      case .standard: now.seconds + 20 * Self.day
      case .premium, .refunded, .sandbox: now.seconds + 200 * Self.day
      }
    try shop.end(sold, at: Timestamp(clamping: end), renews: kind != .ended)
    if kind == .refunded { try shop.refund(sold) }
    guard let ended = try shop.subscription(id) else { return id }
    try SubscriptionDesk(db: db, shape: shape, base: .production, now: now).learn(ended)
    if kind == .renewed { try shop.renew(ended, until: nil) }
    return id
  }
}
