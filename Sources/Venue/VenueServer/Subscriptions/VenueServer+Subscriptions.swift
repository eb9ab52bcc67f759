import Foundation
import SQLiteFile

/// What is done at a venue about subscriptions besides what its service is asked: the shop's side, accounts, tokens.
extension VenueServer {
  /// The most rows that are listed.
  private static let mostListed = 10_000

  /// Makes an access token known and returns it: the given one, or a fresh one. Only its hash is stored. One that was revoked or
  /// had expired is good again.
  package func issueAccessToken(_ given: String? = nil) async throws -> String {
    if let given, !APIKeys.isUsable(given) {
      throw VenueError.unusable("the given access token must have 8 to 255 printable ASCII characters and no spaces")
    }
    var random = SystemRandomNumberGenerator()
    let token = given ?? Secret.apiKey(&random)
    try await store.write { try AccessTokens.store($0, token) }
    return token
  }

  /// Refuses all access tokens that were given, from the next request on.
  package func changeAccessTokens(_ change: AccessTokenChange) async throws {
    try await store.write { try AccessTokens.change($0, change) }
  }

  /// Sells a subscription.
  /// - Throws: `VenueError.unusable`, in words.
  package func sell(_ new: NewSubscription) async throws -> MadeSubscription {
    let (now, shape) = (Timestamp(configuration.now()), configuration.subscriptionShape ?? .document)
    return try await store.write { try SubscriptionSale(db: $0, now: now, shape: shape).sell(new) }
  }

  /// Has a subscription end, at the shop and in the service.
  /// - Parameters:
  ///   - time: when, see `VenueMoment`; a second ago where it is nil.
  ///   - isFinal: whether it is set to renew no more.
  package func expireSubscription(_ id: String, at time: String? = nil, isFinal: Bool = false) async throws {
    try await withSold(id) { shop, sold, desk in
      let end = try VenueMoment.read(time ?? "-1s", "the end", now: shop.now)
      try shop.end(sold, at: end, renews: sold.renews && !isFinal)
      if let changed = try shop.subscription(id) { try desk.learn(changed) }
    }
  }

  /// Has a subscription paid for again. The service learns of it when it asks the shop, unless that tells by itself.
  /// - Parameters:
  ///   - until: the new end, see `VenueMoment`; nil for one cycle more, or as many as lead past now.
  ///   - isTold: whether the shop tells by itself.
  /// - Throws: `VenueError.unusable`, in words, also where it has been paid for longer already.
  package func renewSubscription(_ id: String, until: String? = nil, isTold: Bool = false) async throws {
    try await withSold(id) { shop, sold, desk in
      let end = try until.map { try VenueMoment.read($0, "the new end", now: shop.now) }
      if let end, end.seconds <= sold.latest.expires.seconds {
        throw VenueError.unusable(
          "it is paid for until \(sold.latest.expires.utc) already, and a renewal ends later; an earlier end is set by expire --at"
        )
      }
      try shop.renew(sold, until: end)
      if isTold, let changed = try shop.subscription(id) { try desk.learn(changed) }
    }
  }

  /// Gives the last payment back: it renews no more, and its end stays.
  package func refundSubscription(_ id: String) async throws {
    try await withSold(id) { shop, sold, desk in
      try shop.refund(sold)
      if let changed = try shop.subscription(id) { try desk.learn(changed) }
    }
  }

  /// Makes an account known, with its membership in the place of one that it had.
  /// - Throws: `VenueError.unusable`, in words.
  package func addMembership(_ new: NewMembership) async throws {
    let now = Timestamp(configuration.now())
    guard (1...64).contains(new.ftcID.utf8.count), new.ftcID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw VenueError.unusable("an account's id must have 1 to 64 printable ASCII characters and no spaces")
    }
    var made: StoredMembership?
    if let tier = new.tier {
      var membership = StoredMembership(ftcID: new.ftcID)
      membership.tier = tier
      membership.cycle = new.cycle
      membership.expires = ShopBook.end(after: now, new.cycle, past: now).day
      if let text = new.expires {
        guard let day = CalendarDay(text) else {
          throw VenueError.unusable("the last day wants a day such as 2026-01-31; it got \(quoted(text))")
        }
        membership.expires = day
      }
      (membership.payMethod, membership.renews, membership.isVIP) = (new.payMethod, new.renews, new.isVIP)
      (membership.standardAddOn, membership.premiumAddOn) = (Int64(new.standardAddOn), Int64(new.premiumAddOn))
      made = membership
    }
    let membership = made
    try await store.write { db in
      let book = MembershipBook(db: db)
      try book.addAccount(new.ftcID)
      if let membership { try book.save(membership) } else { try book.remove(new.ftcID) }
    }
  }

  /// What was sold, a line of JSON each, by id: `id`, `environment`, `tier`, `expires` and `renews` as the service knows it (null
  /// where it does not), `shop_expires` and `shop_renews`, `ftc_id` that claims it, `member`, whose membership it is, `answer`, what
  /// the shop says of the receipt, and `seeded`.
  package func soldSubscriptions() async throws -> [String] {
    let now = Timestamp(configuration.now())
    return try await store.read { db in
      let (shop, book, memberships) = (
        ShopBook(db: db, now: now), SubscriptionBook(db: db), MembershipBook(db: db)
      )
      let rows = try db.rows(
        "SELECT original_id, seed FROM shop_subscriptions ORDER BY original_id LIMIT \(Self.mostListed)")
      return try rows.compactMap { row in
        guard let sold = try shop.subscription(try row["original_id"]) else { return nil }
        let known = try book.find(sold.id)
        let line: JSONText = [
          "id": .string(sold.id), "environment": .string(sold.environment.rawValue),
          "tier": .string(sold.latest.product.tier.rawValue), "expires": .optional(known?.expires.utc),
          "renews": known.map { .bool($0.renews) } ?? .null, "shop_expires": .string(sold.latest.expires.utc),
          "shop_renews": .bool(sold.autoRenewal), "ftc_id": .optional(known?.ftcID),
          "member": .optional(try memberships.membership(ofSubscription: sold.id)?.ftcID),
          "answer": .string(sold.answer.text), "seeded": .optional(try row["seed"]),
        ]
        return line.text()
      }
    }
  }

  private func withSold(
    _ id: String, _ work: @escaping @Sendable (ShopBook, ShopSubscription, SubscriptionDesk) throws -> Void
  ) async throws {
    let (now, shape) = (Timestamp(configuration.now()), configuration.subscriptionShape ?? .document)
    try await store.write { db in
      let shop = ShopBook(db: db, now: now)
      guard let sold = try shop.subscription(id) else {
        throw VenueError.unusable("no subscription has this id; scangate venue subscription list tells which there are")
      }
      try work(shop, sold, SubscriptionDesk(db: db, shape: shape, base: .production, now: now))
    }
  }
}

/// Selling, inside its transaction.
struct SubscriptionSale {
  let db: Database
  let now: Timestamp
  let shape: SubscriptionShape

  func sell(_ new: NewSubscription) throws -> MadeSubscription {
    var random = SystemRandomNumberGenerator()
    return try sell(new, &random)
  }

  func sell(_ new: NewSubscription, _ random: inout some RandomNumberGenerator) throws -> MadeSubscription {
    let cycle = new.cycle ?? (new.tier == .premium ? .year : .month)
    guard let product = ShopProduct(new.tier, cycle) else {
      throw VenueError.unusable("the shop sells standard by the month and the year, and premium by the year alone")
    }
    let shop = ShopBook(db: db, now: now)
    let id = try new.id ?? shop.freshID(new.environment, &random)
    guard (8...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw VenueError.unusable("a subscription's id has 8 to 20 digits")
    }
    guard try shop.subscription(id) == nil, try !shop.exists(transaction: id) else {
      throw VenueError.unusable("there is a subscription of this id; its end is moved by expire and renew")
    }
    let given = try new.expires.map { try VenueMoment.read($0, "the end", now: now) }
    let purchased =
      try new.purchased.map { try VenueMoment.read($0, "the purchase", now: now) }
      ?? Timestamp(clamping: given.map { $0.seconds - (cycle == .month ? 30 : 365) * 86_400 } ?? now.seconds)
    let expires = given ?? ShopBook.end(after: purchased, cycle, past: purchased)
    try shop.add(new, id: id, product: product, purchased: purchased, expires: expires)
    guard let sold = try shop.subscription(id) else { throw SQLiteError.damage("what was sold is not there") }
    if new.isKnown { try SubscriptionDesk(db: db, shape: shape, base: .production, now: now).learn(sold) }
    return MadeSubscription(id: id, receipt: sold.receipt)
  }
}
