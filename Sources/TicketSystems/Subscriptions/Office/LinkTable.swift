/// What one side of a link has. The raw values are words on the command line.
enum LinkSide: String, CaseIterable, Sendable {
  /// No membership.
  case none
  /// A membership that has not ended.
  case active
  /// One that has.
  case expired
}

/// The service's table of links: which are allowed, by the membership that the account has and the one that the subscription is
/// already. Pure; what the server says counts.
struct LinkTable: Equatable {
  /// The account's.
  let account: LinkSide
  /// The subscription's: where there is one, it is linked to an account.
  let subscription: LinkSide

  /// All nine.
  static let rows = LinkSide.allCases.flatMap { account in
    LinkSide.allCases.map { LinkTable(account: account, subscription: $0) }
  }

  var isAllowed: Bool { subscription == .none && account != .active }

  /// Why, in words.
  var reason: String {
    switch (account, subscription) {
    case (.none, .none): "Neither has a membership: the link makes one."
    case (.expired, .none): "The account's membership has ended: the subscription takes its place."
    case (.active, .none): "The account has a membership that has not ended: the link would end it."
    case (_, .active): "The subscription is an account's already: unlink it there first."
    case (_, .expired):
      "The subscription is an account's already, though that membership has ended: unlink it there first."
    }
  }
}
