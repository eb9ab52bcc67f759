import Hummingbird

/// What the control socket does about subscriptions. Bodies are lines of `name=value`, answers lines of JSON.
///
/// `GET /subscriptions` lists, `POST /subscriptions` sells one (`id`, `environment`, `tier`, `cycle`, `purchased`, `expires`,
/// `renews`, `answer`, `known`), `PUT /subscription` changes one (`id`, `do`: `expire` with `at` and `final`, `renew` with `until` and
/// `told`, or `refund`), `POST /memberships` makes an account known (`id`, `tier`, `cycle`, `expires`, `paid`, `renews`, `vip`,
/// `standard`, `premium`), `POST /access-tokens` a token (`token`), `PUT /access-tokens` changes all (`state`).
extension VenueControl {
  func addSubscriptions(to router: Router<BasicRequestContext>) {
    router.get("/subscriptions") { _, _ in await Self.lines { try await venue.soldSubscriptions() } }
    router.post("/subscriptions") { request, _ in
      try await answer(request) { lines in try await venue.sell(try Self.sale(lines)).line() }
    }
    router.put("/subscription") { request, _ in
      try await answer(request) { lines in
        let id = lines.value("id") ?? ""
        switch lines.value("do") {
        case "expire":
          try await venue.expireSubscription(id, at: lines.value("at"), isFinal: lines.flag("final"))
        case "renew":
          try await venue.renewSubscription(id, until: lines.value("until"), isTold: lines.flag("told"))
        case "refund": try await venue.refundSubscription(id)
        default: throw VenueError.unusable("a subscription can expire, renew or be refunded")
        }
        return nil
      }
    }
    router.post("/memberships") { request, _ in
      try await answer(request) { lines in
        try await venue.addMembership(try Self.membership(lines))
        return nil
      }
    }
    router.post("/access-tokens") { request, _ in
      try await answer(request) { lines in
        let token: JSONText = ["token": .string(try await venue.issueAccessToken(lines.value("token")))]
        return token.text()
      }
    }
    router.put("/access-tokens") { request, _ in
      try await answer(request) { lines in
        try await venue.changeAccessTokens(try Self.word("state", lines) ?? .revoked)
        return nil
      }
    }
  }

  private static func sale(_ lines: Lines) throws -> NewSubscription {
    var new = NewSubscription()
    new.id = lines.value("id")
    if let environment: ShopEnvironment = try word("environment", lines) { new.environment = environment }
    if let tier: MemberTier = try word("tier", lines) { new.tier = tier }
    new.cycle = try word("cycle", lines)
    (new.purchased, new.expires) = (lines.value("purchased"), lines.value("expires"))
    new.renews = lines.flag("renews", else: true)
    new.isKnown = lines.flag("known", else: true)
    if let text = lines.value("answer") {
      guard let answer = ShopAnswer(text) else {
        throw VenueError.unusable(
          "the shop's answer is valid, other-app, empty, not-json, no-receipt, or a status from 21000 to 21199")
      }
      new.answer = answer
    }
    return new
  }

  private static func membership(_ lines: Lines) throws -> NewMembership {
    var new = NewMembership(ftcID: lines.value("id") ?? "")
    new.tier = try word("tier", lines)
    if let cycle: MemberCycle = try word("cycle", lines) { new.cycle = cycle }
    new.expires = lines.value("expires")
    new.payMethod = try word("paid", lines)
    (new.renews, new.isVIP) = (lines.flag("renews"), lines.flag("vip"))
    (new.standardAddOn, new.premiumAddOn) = (try days("standard", lines), try days("premium", lines))
    return new
  }

  private static func days(_ name: String, _ lines: Lines) throws -> Int {
    let days = try lines.number(name, else: 0)
    guard (0...100_000).contains(days) else { throw VenueError.unusable("\(name) wants 0 to 100000 days") }
    return days
  }

  /// One of a few words; nil where none is given.
  static func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ lines: Lines
  ) throws -> Word? where Word.RawValue == String {
    guard let text = lines.value(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw VenueError.unusable("\(name) is one of \(known); it got \(quoted(text))")
    }
    return word
  }
}

extension VenueControl.Lines {
  fileprivate func flag(_ name: String, else usual: Bool = false) -> Bool { value(name).map { $0 == "yes" } ?? usual }
}
