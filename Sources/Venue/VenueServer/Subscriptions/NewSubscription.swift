import Foundation

/// A subscription that is to be sold.
package struct NewSubscription: Sendable {
  /// Its id, 8 to 20 digits; a fresh one where it is nil.
  package var id: String?
  /// Where it is bought.
  package var environment: ShopEnvironment
  /// What it entitles to. The shop sells standard by the month and the year, premium by the year.
  package var tier: MemberTier
  /// How long one payment lasts; nil for a year of premium, and else a month.
  package var cycle: MemberCycle?
  /// When it was paid for; see `VenueMoment`. Nil for one cycle before its end, or now where no end is given.
  package var purchased: String?
  /// When it ends, likewise; nil for one cycle later.
  package var expires: String?
  /// Whether it is set to renew.
  package var renews: Bool
  /// What the shop says of its receipt.
  package var answer: ShopAnswer
  /// Whether the service knows it already; else it learns of it by the receipt alone.
  package var isKnown: Bool
  /// What it was seeded for.
  var label: String?

  /// A standard subscription by the month that begins now and renews, and which the service knows, unless told otherwise.
  package init(
    id: String? = nil, environment: ShopEnvironment = .production, tier: MemberTier = .standard,
    cycle: MemberCycle? = nil, purchased: String? = nil, expires: String? = nil, renews: Bool = true,
    answer: ShopAnswer = .valid, isKnown: Bool = true
  ) {
    self.id = id
    self.environment = environment
    self.tier = tier
    self.cycle = cycle
    self.purchased = purchased
    self.expires = expires
    self.renews = renews
    self.answer = answer
    self.isKnown = isKnown
  }
}

/// What was sold.
package struct MadeSubscription: Sendable, Equatable, Codable {
  /// Its original transaction id.
  package let id: String
  /// Its receipt, in base 64: whoever has it may say that the subscription is theirs. Not for logs.
  package let receipt: String
}

/// An account that is to be known, and its membership.
package struct NewMembership: Sendable {
  /// The account.
  package var ftcID: String
  /// What the membership entitles to; nil for an account without one.
  package var tier: MemberTier?
  /// How long one payment lasts.
  package var cycle: MemberCycle
  /// The last day of it, `YYYY-MM-DD`; nil for one cycle from today.
  package var expires: String?
  /// How it was paid for; nil where somebody has written it by hand.
  package var payMethod: PayMethod?
  /// Whether it is set to renew.
  package var renews: Bool
  /// Whether it is for life.
  package var isVIP: Bool
  /// Days of each tier that follow when it has ended.
  package var standardAddOn, premiumAddOn: Int

  /// An account without a membership, unless told otherwise.
  package init(
    ftcID: String, tier: MemberTier? = nil, cycle: MemberCycle = .year, expires: String? = nil,
    payMethod: PayMethod? = .alipay, renews: Bool = false, isVIP: Bool = false, standardAddOn: Int = 0,
    premiumAddOn: Int = 0
  ) {
    self.ftcID = ftcID
    self.tier = tier
    self.cycle = cycle
    self.expires = expires
    self.payMethod = payMethod
    self.renews = renews
    self.isVIP = isVIP
    self.standardAddOn = standardAddOn
    self.premiumAddOn = premiumAddOn
  }
}

/// A time as it is typed: `2026-01-31T18:00:00Z`, or from now on: `30d`, `-5min`.
enum VenueMoment {
  /// - Throws: `VenueError.unusable` for anything else.
  static func read(_ text: String, _ what: String, now: Timestamp) throws(VenueError) -> Timestamp {
    if let instant = try? Timestamp(Date(text, strategy: .iso8601)), instant.utc == text { return instant }
    let isBack = text.hasPrefix("-")
    let amount = isBack || text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard let off = milliseconds(amount), off % 1_000 == 0, off / 1_000 <= 400 * 366 * 86_400 else {
      throw .unusable(
        "\(what) wants a time such as 2026-01-31T18:00:00Z, or one from now on such as 30d or -5min; it got "
          + quoted(text))
    }
    return Timestamp(clamping: now.seconds + Int64(isBack ? -(off / 1_000) : off / 1_000))
  }
}
