import SQLiteFile

/// What the service knows of a subscription.
struct StoredSubscription: Sendable, Equatable {
  let id: String
  let environment: ShopEnvironment
  let lastID: String
  let product: ShopProduct
  let purchased, expires: Timestamp
  let renews: Bool
  var created, updated: Timestamp
  /// The account that has claimed it.
  var ftcID: String?

  /// As a verified receipt has it, now.
  init(_ sold: ShopSubscription, at now: Timestamp) {
    id = sold.id
    environment = sold.environment
    lastID = sold.latest.id
    product = sold.latest.product
    purchased = sold.latest.purchased
    expires = sold.latest.expires
    renews = sold.autoRenewal
    created = now
    updated = now
  }

  init(_ row: StoredRow) throws {
    id = try row["original_id"]
    environment = ShopEnvironment(rawValue: try row["environment"]) ?? .production
    lastID = try row["last_id"]
    product = ShopProduct(rawValue: try row["product"]) ?? .standardMonth
    purchased = Timestamp(clamping: try row["purchased_at"])
    expires = Timestamp(clamping: try row["expires_at"])
    renews = try row["renews"]
    created = Timestamp(clamping: try row["created_at"])
    updated = Timestamp(clamping: try row["updated_at"])
    ftcID = try row["ftc_id"]
  }

  /// The real server's rule: what renews never ends.
  func isExpired(at now: Timestamp) -> Bool { !renews && expires.seconds < now.seconds }
}

extension StoredSubscription {
  /// As the shape tells it.
  /// - Parameter inUse: whether it is somebody's membership, where that is told.
  func text(_ shape: SubscriptionShape, inUse: Bool = false) -> [(key: String, value: JSONText)] {
    var members: [(key: String, value: JSONText)] = [
      ("environment", .string(environment.rawValue)), ("originalTransactionId", .string(id)),
      ("lastTransactionId", .string(lastID)), ("productId", .string(product.rawValue)),
      ("purchaseDateUtc", .string(purchased.utc)), ("expiresDateUtc", .string(expires.utc)),
      ("tier", .string(product.tier.rawValue)), ("cycle", .string(product.cycle.rawValue)),
      ("autoRenewal", .bool(renews)), ("createdUtc", .string(created.utc)), ("updatedUtc", .string(updated.utc)),
    ]
    if shape == .real { members += [("ftcUserId", .optional(ftcID)), ("inUse", .bool(inUse))] }
    return members
  }

  /// What the real server tells where it has nothing to tell.
  static let nothing: JSONText = [
    "environment": nil, "originalTransactionId": "", "lastTransactionId": "", "productId": "", "purchaseDateUtc": nil,
    "expiresDateUtc": nil, "tier": nil, "cycle": nil, "autoRenewal": false, "createdUtc": nil, "updatedUtc": nil,
    "ftcUserId": nil, "inUse": false,
  ]
}

/// The service's subscriptions, inside a transaction.
struct SubscriptionBook {
  let db: Database

  func find(_ id: String) throws -> StoredSubscription? {
    try db.row("SELECT * FROM subscriptions WHERE original_id = ?", id).map { try StoredSubscription($0) }
  }

  /// Writes down what a receipt has told; whose it is stays.
  func save(_ subscription: StoredSubscription) throws {
    try db.run(
      """
      INSERT INTO subscriptions (original_id, environment, last_id, product, purchased_at, expires_at, renews, created_at,
        updated_at, ftc_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (original_id) DO UPDATE SET environment = excluded.environment, last_id = excluded.last_id,
        product = excluded.product, purchased_at = excluded.purchased_at, expires_at = excluded.expires_at,
        renews = excluded.renews, updated_at = excluded.updated_at
      """, subscription.id, subscription.environment.rawValue, subscription.lastID, subscription.product.rawValue,
      subscription.purchased.seconds, subscription.expires.seconds, subscription.renews, subscription.created.seconds,
      subscription.updated.seconds, subscription.ftcID)
  }

  /// Writes down which account has claimed it; nil for none.
  func claim(_ id: String, for ftcID: String?) throws {
    try db.run("UPDATE subscriptions SET ftc_id = ? WHERE original_id = ?", ftcID, id)
  }

  /// All of them, the one that was changed last first.
  func all(_ page: SubscriptionPage) throws -> [StoredSubscription] {
    try db.rows(
      "SELECT * FROM subscriptions ORDER BY updated_at DESC, original_id LIMIT ? OFFSET ?", page.limit, page.offset
    ).map { try StoredSubscription($0) }
  }

  /// An account's, the one that ends last first, and whether each is its membership.
  func all(of ftcID: String, _ page: SubscriptionPage) throws -> [(subscription: StoredSubscription, inUse: Bool)] {
    try db.rows(
      """
      SELECT subscriptions.*, memberships.apple_id IS NOT NULL AS in_use FROM subscriptions
      LEFT JOIN memberships ON memberships.apple_id = subscriptions.original_id
      WHERE subscriptions.ftc_id = ? ORDER BY subscriptions.expires_at DESC, original_id LIMIT ? OFFSET ?
      """, ftcID, page.limit, page.offset
    ).map { try (StoredSubscription($0), $0["in_use"]) }
  }

  func count(of ftcID: String? = nil) throws -> Int64 {
    try db.value("SELECT COUNT(*) FROM subscriptions WHERE ?1 IS NULL OR ftc_id = ?1", ftcID) ?? 0
  }
}

/// Which part of a list is asked for.
struct SubscriptionPage: Sendable {
  let number, limit: Int64

  /// Of `LIMIT ? OFFSET ?`; clamped before it can overflow.
  var offset: Int64 { min(number - 1, 1 << 40) * min(limit, 1 << 20) }

  init(_ query: [String: String]) {
    number = max(1, query["page"].flatMap { Int64($0) } ?? 1)
    limit = query["per_page"].flatMap { Int64($0) } ?? 20
  }
}
