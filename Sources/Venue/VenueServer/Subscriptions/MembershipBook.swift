import SQLiteFile

/// How a membership was paid for.
package enum PayMethod: String, Sendable, CaseIterable, Codable {
  case apple, alipay, wechat, stripe, b2b
}

/// An account's membership.
struct StoredMembership: Sendable, Equatable {
  let ftcID: String
  var tier: MemberTier?
  var cycle: MemberCycle?
  /// The last day of it, whole, in UTC.
  var expires: CalendarDay?
  /// Nil where somebody has written it by hand.
  var payMethod: PayMethod?
  var renews = false
  /// The subscription that it is of.
  var appleID: String?
  var isVIP = false
  /// Days that follow when it has ended.
  var standardAddOn: Int64 = 0
  var premiumAddOn: Int64 = 0

  init(ftcID: String) { self.ftcID = ftcID }

  /// What a subscription makes of an account; its added days stay.
  init(_ subscription: StoredSubscription, of ftcID: String, after former: StoredMembership?) {
    self.ftcID = ftcID
    tier = subscription.product.tier
    cycle = subscription.product.cycle
    expires = subscription.expires.day
    payMethod = .apple
    renews = subscription.renews
    appleID = subscription.id
    isVIP = former?.isVIP ?? false
    standardAddOn = former?.standardAddOn ?? 0
    premiumAddOn = former?.premiumAddOn ?? 0
  }

  init(_ row: StoredRow) throws {
    ftcID = try row["ftc_id"]
    tier = (try row["tier"] as String?).flatMap { MemberTier(rawValue: $0) }
    cycle = (try row["cycle"] as String?).flatMap { MemberCycle(rawValue: $0) }
    expires = (try row["expires_on"] as Int64?).map { CalendarDay(number: Int(clamping: $0)) }
    payMethod = (try row["pay_method"] as String?).flatMap { PayMethod(rawValue: $0) }
    renews = try row["renews"]
    appleID = try row["apple_id"]
    isVIP = try row["vip"]
    standardAddOn = try row["standard_add_on"]
    premiumAddOn = try row["premium_add_on"]
  }

  /// The real server's rule: over when its day is, unless it renews.
  func isExpired(at now: Timestamp) -> Bool { !renews && (expires ?? CalendarDay(number: .min)) < now.day }

  /// Whether a subscription ends after this does: after the beginning of its last day, as the real server compares.
  func ends(before subscription: StoredSubscription, byDays days: Int = 0) -> Bool {
    guard let expires else { return true }
    return Int64(expires.number - days) * 86_400 < subscription.expires.seconds
  }

  /// As the shape tells it.
  func text(_ shape: SubscriptionShape) -> JSONText { Self.text(self, shape) }

  /// - Parameter membership: nil where there is none, which the real server tells as one without anything.
  static func text(_ membership: StoredMembership?, _ shape: SubscriptionShape) -> JSONText {
    var members: [(key: String, value: JSONText)] = [
      ("ftcId", .optional(membership?.ftcID)), ("unionId", nil), ("tier", .optional(membership?.tier?.rawValue)),
      ("cycle", .optional(membership?.cycle?.rawValue)),
      ("expireDate", .optional(membership?.expires.map { "\($0)" })),
      ("payMethod", .optional(membership?.payMethod?.rawValue)), ("ftcPlanId", nil), ("stripeSubsId", nil),
    ]
    if shape == .real { members.append(("stripePlanId", nil)) }
    members += [
      ("autoRenew", .bool(membership?.renews ?? false)), ("status", nil),
      ("appleSubsId", .optional(membership?.appleID)),
      ("b2bLicenceId", nil),
    ]
    if shape == .real {
      members += [
        ("standardAddOn", .integer(membership?.standardAddOn ?? 0)),
        ("premiumAddOn", .integer(membership?.premiumAddOn ?? 0)), ("vip", .bool(membership?.isVIP ?? false)),
      ]
    }
    return .object(members)
  }
}

/// Accounts and their memberships, inside a transaction.
struct MembershipBook {
  let db: Database

  func hasAccount(_ ftcID: String) throws -> Bool {
    try db.value("SELECT 1 FROM accounts WHERE ftc_id = ?", ftcID) as Int64? != nil
  }

  func addAccount(_ ftcID: String) throws {
    try db.run("INSERT INTO accounts (ftc_id) VALUES (?) ON CONFLICT DO NOTHING", ftcID)
  }

  func membership(of ftcID: String) throws -> StoredMembership? {
    try db.row("SELECT * FROM memberships WHERE ftc_id = ?", ftcID).map { try StoredMembership($0) }
  }

  /// The one that a subscription is.
  func membership(ofSubscription id: String) throws -> StoredMembership? {
    try db.row("SELECT * FROM memberships WHERE apple_id = ?", id).map { try StoredMembership($0) }
  }

  /// Writes an account's membership, in the place of the one that it had.
  func save(_ membership: StoredMembership) throws {
    try remove(membership.ftcID)
    try db.run(
      """
      INSERT INTO memberships (ftc_id, tier, cycle, expires_on, pay_method, renews, apple_id, vip, standard_add_on,
        premium_add_on) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, membership.ftcID, membership.tier?.rawValue, membership.cycle?.rawValue,
      membership.expires.map { Int64($0.number) }, membership.payMethod?.rawValue, membership.renews,
      membership.appleID,
      membership.isVIP, membership.standardAddOn, membership.premiumAddOn)
  }

  func remove(_ ftcID: String) throws { try db.run("DELETE FROM memberships WHERE ftc_id = ?", ftcID) }
}
