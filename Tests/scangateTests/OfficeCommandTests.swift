import Expectations
import Foundation
import Testing
import VenueServer

/// `scangate membership verify|add|list|show|receipt|refresh|link|unlink`, against a service of each shape.
@Suite struct OfficeCommandTests {
  private func each(
    at time: String = "2026-01-31T12:00:00Z", _ body: (SubscriptionShape, OfficeVenue) async throws -> Void
  ) async throws {
    for shape in SubscriptionShape.allCases {
      try await OfficeVenue.with(shape, at: time) { try await body(shape, $0) }
    }
  }

  /// The public example, sold as it was.
  private static let example = NewSubscription(
    id: "1000000619244062", environment: .sandbox, purchased: "2020-01-25T00:19:53Z", expires: "2020-01-25T00:24:53Z",
    renews: false)

  // MARK: Reading

  @Test func oneIsShown() async throws {
    try await each(at: "2020-09-15T04:04:16Z") { shape, office in
      _ = try await office.server.sell(Self.example)
      let shown = try await office.run(["show", "1000000619244062"], base: "/api/sandbox")
      expectEqual(shown.status, 0, "\(shown.errors)")
      let lines = [
        "Id            1000000619244062", "Tier          standard", "Cycle         month",
        "Ends          2020-01-25T00:24:53Z", "Renews        no", "Paid          2020-01-25T00:19:53Z",
        "Product       com.ft.ftchinese.mobile.subscription.member.monthly", "Last payment  1000000619244062",
        "From          Sandbox", "Made          2020-09-15T04:04:16Z", "Changed       2020-09-15T04:04:16Z",
      ]
      expectEqual(shown.lines, shape == .real ? lines + ["Account       -", "In use        no"] : lines)
      let json = try await office.run(["show", "1000000619244062", "--json"])
      expectEqual(json.objects.first?["expiresDateUtc"] as? String, "2020-01-25T00:24:53Z")
      expectEqual(json.objects.first?["autoRenewal"] as? Bool, false)
    }
  }

  @Test func whatIsNotThereIsSaidWithTheServersMessage() async throws {
    try await each { _, office in
      for command in [["show"], ["receipt"], ["refresh"]] {
        let result = try await office.run(command + ["30000781417036"])
        expectEqual(result.status, 1, "\(command)")
        expect(result.errors.contains("(404): “Not Found”"), "\(result.errors)")
        expect(!result.errors.contains("30000781417036"), "\(result.errors)")
      }
    }
  }

  @Test(arguments: [
    "1234567", "123456789012345678901", "12345678x", "../../etc", "1234/5678", "1234.5678", "１２３４５６７８", "-12345678",
    String(repeating: "7", count: 10_000),
  ])
  func whatIsNoIDIsNotSent(_ id: String) async throws {
    try await OfficeVenue.with(.real) { office in
      for command in [["show", "--", id], ["receipt", "--", id], ["refresh", "--", id]] {
        // Options go before what `--` ends.
        let result = try await Program.run(
          [
            "membership", command[0], "--server", office.address + "/api/v1", "--token", "ftc", "--state",
            office.folder.path + "/state",
          ] + command.dropFirst())
        expectEqual(result.status, 64, "\(result.errors)")
        expect(result.errors.contains("8 to 20 digits"), "\(result.errors)")
        expect(!result.errors.contains(id), "\(result.errors)")
      }
    }
  }

  @Test func theListOfTheDocument() async throws {
    try await OfficeVenue.with(.document) { office in
      var ids: [String] = []
      for _ in 0..<5 { ids.append(try await office.server.sell(NewSubscription(expires: "5d")).id) }
      let list = try await office.run(["list", "--per-page", "2"])
      expectEqual(list.status, 0, "\(list.errors)")
      expectEqual(
        list.lines.first, "ID               TIER      CYCLE  ENDS                  RENEWS  FROM        CHANGED")
      expectEqual(
        Set(list.lines.dropFirst().compactMap { $0.split(separator: " ").first.map { String($0) } }), Set(ids))
      expect(list.errors.isEmpty, "\(list.errors)")
      let page = try await office.run(["list", "--per-page", "2", "--page", "3", "--json"])
      expectEqual(page.objects.count, 1)
      // Of one user is asked all the same; the document's server does not listen.
      let user = try await office.run(["list", "--user", OfficeVenue.account, "--json"])
      expectEqual(user.objects.count, 5)
    }
  }

  /// The real one sorts by the end, and tells nobody's but a user's.
  @Test func theListOfTheRealOneIsOneUsers() async throws {
    try await OfficeVenue.with(.real) { office in
      let refused = try await office.run(["list"])
      expectEqual(refused.status, 1)
      expect(refused.errors.contains("(401): “Requires authorization.”. Say it with --user."), "\(refused.errors)")
      let first = try await office.server.sell(NewSubscription(expires: "20d"))
      let second = try await office.server.sell(NewSubscription(expires: "5d"))
      try await office.server.addMembership(NewMembership(ftcID: OfficeVenue.account))
      for id in [first.id, second.id] { _ = try await office.run(["link", OfficeVenue.account, id]) }
      let list = try await office.run(["list", "--user", OfficeVenue.account, "--json"])
      expectEqual(list.status, 0, "\(list.errors)")
      expectEqual(Set(list.objects.compactMap { $0["originalTransactionId"] as? String }), [first.id, second.id])
      let wrong = try await office.run(["list", "--user", "a\nb"])
      expectEqual(wrong.status, 64)
    }
  }

  @Test func listsThatLieAreReadToTheirEnd() async throws {
    for (misbehaviour, words) in [
      ("json=total,on=desk", "tells of 1; 5 came"), ("json=pages,on=desk", "told a page a second time"),
    ] {
      try await OfficeVenue.with(.document, misbehaviours: [misbehaviour]) { office in
        for _ in 0..<5 { _ = try await office.server.sell(NewSubscription()) }
        let list = try await office.run(["list", "--per-page", "5", "--json"])
        expectEqual(list.status, 0, "\(list.errors)")
        expectEqual(list.objects.count, 5)
        expect(list.errors.contains(words), "\(list.errors)")
      }
    }
  }

  // MARK: Receipts

  @Test func aReceiptIsLookedAtByTheStore() async throws {
    try await each(at: "2020-09-15T04:04:16Z") { _, office in
      var new = Self.example
      new.isKnown = false
      let sold = try await office.server.sell(new)
      let file = try office.file(sold.receipt)
      let verified = try await office.run(["verify", "--receipt", file], base: "/api/sandbox")
      expectEqual(verified.status, 0, "\(verified.errors)")
      expectEqual(
        verified.lines,
        [
          "From    Sandbox", "Status  0", "App     com.ft.ftchinese.mobile", "Renews  no",
          "ID                PAID                  ENDS                  GIVEN BACK  PRODUCT",
          "1000000619244062  2020-01-25T00:19:53Z  2020-01-25T00:24:53Z  -           com.ft.ftchinese.mobile.subscription.member.monthly",
        ])
      let body = office.folder.path + "/body.json"
      let json = try await office.run(["verify", "--receipt", file, "--json", "--body", body], base: "/api/sandbox")
      expectEqual(json.objects.first?["latest_receipt"] as? String, "(a receipt)")
      expect(!(json.output + json.errors).contains(sold.receipt.prefix(40)))
      expect(try String(contentsOfFile: body, encoding: .utf8).contains(sold.receipt))
      let piped = try await office.run(["verify", "--receipt", "-"], base: "/api/sandbox", input: sold.receipt)
      expectEqual(piped.status, 0, "\(piped.errors)")
    }
  }

  @Test func aReceiptBringsItsSubscription() async throws {
    try await each { _, office in
      let sold = try await office.server.sell(NewSubscription(tier: .premium, isKnown: false))
      try await expectEqual(office.run(["show", sold.id]).status, 1)
      let added = try await office.run(["add", "--receipt", try office.file(sold.receipt)])
      expectEqual(added.status, 0, "\(added.errors)")
      expect(added.lines.contains("Tier          premium"), "\(added.output)")
      try await expectEqual(office.run(["show", sold.id]).status, 0)
    }
  }

  /// What the store refuses, with the server's field and code, in each shape.
  @Test func whatTheStoreRefuses() async throws {
    let wanted: [(ShopAnswer, document: String, real: String)] = [
      (.status(21_005), "status/invalid", "“The receipt server is not currently available.”, status/21005"),
      (.otherApp, "bundle_id/invalid", "“Bundle id mismatched”, bundle_id/invalid"),
      (.empty, "latest_receipt_info/missing_field", "“No subscription found”, latest_receipt_info/missing_field"),
    ]
    try await each { shape, office in
      for (answer, document, real) in wanted {
        let sold = try await office.server.sell(NewSubscription(answer: answer, isKnown: false))
        let file = try office.file(sold.receipt)
        for command in ["verify", "add"] {
          let result = try await office.run([command, "--receipt", file])
          expectEqual(result.status, 1, "\(result.errors)")
          expect(result.errors.contains("(422)"), "\(result.errors)")
          expect(result.errors.contains(shape == .real ? real : document), "\(result.errors)")
        }
      }
      // Shown to the wrong store.
      let sandbox = try await office.server.sell(NewSubscription(environment: .sandbox, isKnown: false))
      let wrong = try await office.run(["add", "--receipt", try office.file(sandbox.receipt)])
      expectEqual(wrong.status, 1)
      if shape == .real { expect(wrong.errors.contains("/api/sandbox"), "\(wrong.errors)") }
      // The store's answer was none: 400 there, 500 here, and nobody knows what was done then.
      let spoilt = try await office.server.sell(NewSubscription(answer: .notJSON, isKnown: false))
      let result = try await office.run(["verify", "--receipt", try office.file(spoilt.receipt)])
      expectEqual(result.status, shape == .real ? 1 : 76, "\(result.errors)")
      expect(result.errors.contains("invalid character '<'"), "\(result.errors)")
    }
  }

  @Test func aReceiptIsWrittenToAFileAlone() async throws {
    try await each { _, office in
      let sold = try await office.server.sell(NewSubscription())
      let path = office.folder.path + "/kept.receipt"
      let result = try await office.run(["receipt", sold.id, "--file", path])
      expectEqual(result.status, 0, "\(result.errors)")
      expect(!(result.output + result.errors).contains(sold.receipt.prefix(40)))
      let kept = try String(contentsOfFile: path, encoding: .utf8)
      expectEqual(kept.trimmingCharacters(in: .newlines), sold.receipt)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      expectEqual(mode, 0o600)
      let again = try await office.run(["receipt", sold.id, "--file", path])
      expectEqual(again.status, 74, "\(again.errors)")
      let json = try await office.run(["receipt", sold.id, "--json"])
      expectEqual(json.objects.first?["receipt"] as? String, "(a receipt)")
    }
  }

  @Test func filesThatAreNoReceipts() async throws {
    try await OfficeVenue.with(.real) { office in
      for (text, words) in [("", "is empty"), (" \n", "is empty"), ("{\"a\":1}", "something else than base 64")] {
        let path = office.folder.path + "/none"
        try Data(text.utf8).write(to: URL(filePath: path))
        let result = try await office.run(["verify", "--receipt", path])
        expectEqual(result.status, 65, "\(result.errors)")
        expect(result.errors.contains(words), "\(result.errors)")
      }
      let absent = try await office.run(["add", "--receipt", office.folder.path + "/absent"])
      expectEqual(absent.status, 65, "\(absent.errors)")
      let long = try await office.run(["add", "--receipt", "-"], input: String(repeating: "A", count: (1 << 20) + 1))
      expect(long.status == 65 && long.errors.contains("too long"), "\(long.errors)")
    }
  }

  // MARK: Refreshing

  @Test func aRefreshShowsWhatIsKnownThen() async throws {
    try await each { shape, office in
      let sold = try await office.server.sell(NewSubscription(tier: .premium, expires: "-5min"))
      try await office.server.renewSubscription(sold.id)
      let result = try await office.run(["refresh", sold.id])
      expectEqual(result.status, 0, "\(result.errors)")
      expect(result.lines.contains("Ends          2027-01-31T11:55:00Z"), "\(result.output)")
      expect(result.errors.isEmpty, "\(result.errors)")
      // Somebody's membership: the real one tells it.
      try await office.link(OfficeVenue.account, sold.id)
      try await office.server.renewSubscription(sold.id, until: "2028-02-29T00:00:01Z")
      let member = try await office.run(["refresh", sold.id])
      expect(member.lines.contains("Ends          2028-02-29T00:00:01Z"), "\(member.output)")
      expectEqual(member.errors.contains("It changed a membership: premium until 2028-02-29."), shape == .real)
    }
  }

  /// The answer is lost: it is not sent again, and what is known then is shown.
  @Test func aRefreshThatIsLostIsNotSentAgain() async throws {
    for shape in SubscriptionShape.allCases {
      try await OfficeVenue.with(shape, misbehaviours: ["close=after,on=refreshes"]) { office in
        let sold = try await office.server.sell(NewSubscription(expires: "-5min"))
        try await office.server.renewSubscription(sold.id, until: "10d")
        let result = try await office.run(["refresh", sold.id])
        expectEqual(result.status, 76, "\(result.errors)")
        expect(result.output.contains("2026-02-10T12:00:00Z"), "\(result.output)")
        expect(result.errors.contains("was not sent again"), "\(result.errors)")
        expect(!result.errors.contains(sold.id), "\(result.errors)")
        expect(office.server.misbehaviours.map(\.hits) == [1])
      }
    }
  }

  // MARK: Links

  @Test func linkedAndUnlinked() async throws {
    try await each { shape, office in
      let sold = try await office.server.sell(NewSubscription(expires: "2026-02-20T18:00:00Z"))
      try await office.server.addMembership(NewMembership(ftcID: OfficeVenue.account, premiumAddOn: 3))
      let linked = try await office.run(["link", OfficeVenue.account, sold.id])
      expectEqual(linked.status, 0, "\(linked.errors)")
      expectEqual(
        linked.lines,
        [
          "Account       \(OfficeVenue.account)", "Tier          standard", "Cycle         month",
          "Last day      2026-02-20", "Renews        yes", "Paid by       apple", "Subscription  \(sold.id)",
        ])
      expect(linked.errors.contains("…\(sold.id.suffix(4)): standard until 2026-02-20T18:00:00Z, renewing."))
      expect(!linked.errors.contains(sold.id) && !linked.errors.contains(OfficeVenue.account), "\(linked.errors)")
      // Once more: unchanged, or refused.
      let again = try await office.run(["link", OfficeVenue.account, sold.id])
      expectEqual(again.status, shape == .real ? 0 : 1, "\(again.errors)")
      let wrong = try await office.run(["unlink", OfficeVenue.other, sold.id, "--yes"])
      expectEqual(wrong.status, 1)
      expect(wrong.errors.contains("“IAP is not linked to the ftc account”, ftcId/invalid."), "\(wrong.errors)")
      // Nobody is here to say yes.
      let asked = try await office.run(["unlink", OfficeVenue.account, sold.id])
      expect(asked.status != 0 && asked.errors.contains("--yes"), "\(asked.errors)")
      let done = try await office.run(["unlink", OfficeVenue.account, sold.id, "--yes", "--json"])
      expectEqual(done.status, 0, "\(done.errors)")
      expectEqual(done.objects.first?["linked"] as? Bool, false)
      try await expectEqual(office.run(["unlink", OfficeVenue.account, "30000781417036", "--yes"]).status, 1)
    }
  }

  /// Every refusal of a link, nested or not.
  @Test func refusalsOfALinkNameFieldAndCode() async throws {
    try await each { shape, office in
      func refused(_ arguments: [String], _ document: String, _ real: String) async throws {
        let result = try await office.run(["link"] + arguments)
        expectEqual(result.status, 1, "\(result.errors)")
        expect(result.errors.contains("(422): “"), "\(result.errors)")
        expect(result.errors.contains(shape == .real ? real : document), "\(shape): \(result.errors)")
      }
      let first = try await office.server.sell(NewSubscription())
      let second = try await office.server.sell(NewSubscription(tier: .premium))
      let third = try await office.server.sell(NewSubscription())
      try await office.server.addMembership(NewMembership(ftcID: OfficeVenue.other))
      try await office.link(OfficeVenue.account, first.id)
      try await refused(
        [OfficeVenue.other, first.id], "iap_membership/already_linked", "originalTxId/linked_to_other_ftc")
      try await refused(
        [OfficeVenue.account, second.id], "ftc_membership/already_linked", "ftcId/linked_to_other_iap")
      let forced = try await office.run(["link", OfficeVenue.account, second.id, "--force"])
      expectEqual(forced.status, shape == .real ? 0 : 1, "\(forced.errors)")
      try await office.server.addMembership(
        NewMembership(ftcID: OfficeVenue.other, tier: .premium, expires: "2027-01-01", payMethod: .alipay))
      try await refused([OfficeVenue.other, third.id], "ftc_membership/valid_non_iap", "ftcId/has_valid_non_iap")
      guard shape == .real else { return }
      let over = try await office.server.sell(NewSubscription(expires: "-1d", renews: false))
      try await office.server.addMembership(
        NewMembership(ftcID: OfficeVenue.other, tier: .premium, expires: "2026-01-01", payMethod: .alipay))
      try await refused([OfficeVenue.other, over.id], "", "originalTxId/already_expired")
    }
  }

  @Test func whoIsNotThereIsNotLinked() async throws {
    try await each { _, office in
      let sold = try await office.server.sell(NewSubscription())
      let result = try await office.run(["link", OfficeVenue.other, sold.id])
      expectEqual(result.status, 1)
      expect(result.errors.contains("(404): “Not Found”"), "\(result.errors)")
    }
  }

  @Test func aLinkWhoseAnswerIsLostIsNotSentAgain() async throws {
    for shape in SubscriptionShape.allCases {
      try await OfficeVenue.with(shape, misbehaviours: ["close=after,on=desk"]) { office in
        let sold = try await office.server.sell(NewSubscription())
        try await office.server.addMembership(NewMembership(ftcID: OfficeVenue.account))
        let result = try await office.run(["link", OfficeVenue.account, sold.id])
        expectEqual(result.status, 76, "\(result.errors)")
        expect(result.errors.contains("was not sent again"), "\(result.errors)")
        expect(office.server.misbehaviours.map(\.hits) == [1])
        let line = try #require(try await office.server.soldSubscriptions().first { $0.contains(sold.id) })
        expect(line.contains(#""member":"\#(OfficeVenue.account)""#), "\(line)")
      }
    }
  }

  // MARK: Tokens and addresses

  @Test func aTokenThatIsNotTakenIsSaid() async throws {
    try await each { shape, office in
      for (change, words) in [
        (AccessTokenChange.expired, "The access token is expired or no longer active"),
        (.revoked, "Invalid access token"),
      ] {
        try await office.server.changeAccessTokens(change)
        let result = try await office.run(["show", "30000781417036"])
        expectEqual(result.status, 1)
        expect(result.errors.contains("does not take our access token (\(shape == .real ? 403 : 401)): “\(words)”"))
        expect(result.errors.contains("scangate credential set ftc"), "\(result.errors)")
      }
    }
  }

  @Test func aWrongAddressIsNoAnswerAboutAMember() async throws {
    try await each { _, office in
      for base in ["", "/api", "/api/v2"] {
        let result = try await office.run(["show", "30000781417036"], base: base)
        expectEqual(result.status, 69, "\(result.errors)")
        expect(result.errors.contains("/api/v1"), "\(result.errors)")
      }
    }
  }

  // MARK: The table

  @Test func theTableOfLinksIsExplained() async throws {
    let table = try await Program.run(["membership", "explain"])
    expectEqual(table.lines.count, 10, "\(table.errors)")
    expectEqual(table.lines.first, "FTC      IAP      LINK  WHY")
    let json = try await Program.run(["membership", "explain", "--json"])
    let allowed = json.objects.filter { $0["allowed"] as? Bool == true }
      .map { "\($0["ftc"] as? String ?? "") \($0["iap"] as? String ?? "")" }
    expectEqual(allowed, ["none none", "expired none"])
    let one = try await Program.run(["membership", "explain", "--ftc", "active", "--iap", "none"])
    expectEqual(
      one.lines.last, "active  none  no    The account has a membership that has not ended: the link would end it.")
    try await expectEqual(Program.run(["membership", "explain", "--ftc", "gold"]).status, 64)
  }
}
