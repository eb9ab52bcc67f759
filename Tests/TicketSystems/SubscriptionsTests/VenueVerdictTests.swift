import Expectations
import ScanModel
import Testing
import TicketTransport
import VenueServer
import WireText

@testable import Subscriptions

/// The verdict, a test for each row of the table in docs/memberships.md, at a service of either shape with a shop behind it.
@Suite(.timeLimit(.minutes(1))) struct VenueVerdictTests {
  private static let shapes = SubscriptionShape.allCases
  private typealias Asked = MemberVenue.Asked

  // MARK: An end that is ahead

  @Test(arguments: shapes) func anEndThatIsAheadIsValidUntilThen(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let end = (venue.time.wall() + .seconds(86_400)).iso8601Seconds
      let door = try venue.door(tiers: [.premium])
      for renews in [false, true] {
        let id = try await venue.sell(ends: end, renews: renews)
        for code in [id, try signedPass(id, at: venue.time.wall())] {
          let outcome = await door.attempt(code)
          guard case .valid(let right) = outcome.answer else { return expect(false, "\(outcome)") }
          expectEqual(right.ends?.iso8601Seconds, end)
          expectEqual(right.details.kind, "premium")
          expect(!outcome.mayHaveRedeemed && outcome.serverDate != nil && outcome.offline == nil, "\(outcome)")
          expectEqual(door.board.kept[Code(id)]?.ends.iso8601Seconds, end)
        }
      }
      expectEqual(venue.asked, Asked(checks: 4))
      await door.close()
    }
  }

  /// The money went back, and the service still tells the end that was paid for.
  @Test(arguments: shapes) func aRefundLeavesTheEnd(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door(grace: .seconds(86_400))
      let id = try await venue.sell(ends: "1h", renews: true)
      try await venue.server.refundSubscription(id)
      await expectEqual(name(door.attempt(id).answer), "valid")
      venue.time.advance(by: .seconds(3_601))
      await expectEqual(name(door.attempt(id).answer), "refused expired")
      expectEqual(venue.asked, Asked(checks: 2), "nothing is left to be renewed")
      await door.close()
    }
  }

  // MARK: An end that is past

  @Test(arguments: shapes) func aRenewalIsFoundByOneRefresh(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let id = try await venue.sellRenewed()
      await expectEqual(name(door.attempt(id).answer), "valid")
      expectEqual(venue.asked, Asked(checks: 2, refreshes: 1))
      await expectEqual(name(door.attempt(id).answer), "valid")
      expectEqual(venue.asked, Asked(checks: 3, refreshes: 1))
      await door.close()
    }
  }

  /// Bare, nested, or all zero although it was renewed: none of them is the verdict.
  @Test(arguments: shapes) func aRenewalIsFoundWhateverTheRefreshAnswers(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let members = try await venue.server.seedMemberships(random: 1)
      let linked = try #require(members.sold.first { $0.ftcID != nil }).id
      let alone = try await venue.sell(renews: true)
      let door = try venue.door()
      for (id, isLinked) in [(linked, true), (alone, false)] {
        func renew(until end: String) async throws {
          try await venue.server.expireSubscription(id, at: "-5min")
          try await venue.server.renewSubscription(id, until: end)
        }
        try await renew(until: "300d")
        let outcome = await door.client.refresh(
          try #require(SubscriptionID(id)), deadline: venue.time.now() + .seconds(60)
        ) { _ in }
        guard case .answered(let answer) = outcome.result else { return expect(false, "\(outcome)") }
        let told = try JSONValue(answer.body)
        switch shape {
        case .document: expect(told["expiresDateUtc"]?.string != nil, "\(told)")
        case .real: expectEqual(told["subscription"]?["expiresDateUtc"]?.string != nil, isLinked, "\(told)")
        }
        try await renew(until: "350d")
        venue.behave()
        await expectEqual(name(door.attempt(id).answer), "valid")
        expectEqual(venue.asked, Asked(checks: 2, refreshes: 1))
      }
      await door.close()
    }
  }

  @Test(arguments: shapes) func whatWasNotRenewedIsExpiredAndRefreshedOnceInTenMinutes(
    shape: SubscriptionShape
  ) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let id = try await venue.sell(ends: "-5min", renews: true)
      for _ in 0..<3 { await expectEqual(name(door.attempt(id).answer), "refused expired") }
      expectEqual(venue.asked, Asked(checks: 4, refreshes: 1))
      venue.time.advance(by: .seconds(601))
      try await venue.server.renewSubscription(id, until: "30d")
      await expectEqual(name(door.attempt(id).answer), "valid")
      expectEqual(venue.asked, Asked(checks: 6, refreshes: 2))
      await door.close()
    }
  }

  @Test(arguments: shapes) func theGraceHoldsForWhatRenewsItself(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door(grace: .seconds(600))
      let id = try await venue.sell(ends: (venue.time.wall() - .seconds(300)).iso8601Seconds, renews: true)
      let outcome = await door.attempt(id)
      guard case .valid(let right) = outcome.answer else { return expect(false, "\(outcome)") }
      let left = try #require(right.ends) - venue.time.wall()
      expect(left > .seconds(200) && left <= .seconds(300), "\(left)")
      expectEqual(venue.asked, Asked(checks: 2, refreshes: 1), "it is looked whether it was renewed all the same")
      venue.time.advance(by: .seconds(300))
      await expectEqual(name(door.attempt(id).answer), "refused expired")
      await door.close()
    }
  }

  @Test(arguments: shapes) func whatDoesNotRenewItselfIsExpiredWhateverTheGrace(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door(grace: .seconds(16 * 86_400))
      let id = try await venue.sell(ends: "-5min")
      await expectEqual(name(door.attempt(id).answer), "refused expired")
      expectEqual(venue.asked, Asked(checks: 1))
      expectEqual(door.board.kept, [:])
      await door.close()
    }
  }

  // MARK: A refresh that finds nothing out

  /// The answer is lost, and the service has looked: asking once more finds it.
  @Test(arguments: shapes) func aRenewalIsFoundThoughTheRefreshIsLost(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      for end in ["close=after", "close=midway", "reset=after", "reset=midway"] {
        venue.behave()
        let door = try venue.door()
        let id = try await venue.sellRenewed()
        try venue.misbehave("\(end),on=refreshes,next=1")
        await expectEqual(name(door.attempt(id).answer), "valid", "\(end)")
        expectEqual(venue.asked, Asked(checks: 2, refreshes: 1), "\(end)")
        await door.close()
      }
    }
  }

  /// Nobody has looked: who may be valid is not refused, nor counted as offline.
  @Test(arguments: shapes) func aRefreshThatIsLostRefusesNobody(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      for end in ["close=before", "reset=before", "status=500", "status=503", "html", "redirect", "status=401"] {
        venue.behave()
        let door = try venue.door()
        let id = try await venue.sellRenewed()
        try venue.misbehave("\(end),on=refreshes,next=1")
        let outcome = await door.attempt(id)
        expectEqual(name(outcome.answer), "undecided unreachable", "\(end)")
        expect(outcome.fate == .answered && outcome.offline == nil, "\(end): \(outcome)")
        expectEqual(venue.asked, Asked(checks: 2, refreshes: 1), "\(end)")
        venue.time.advance(by: .seconds(601))
        await expectEqual(name(door.attempt(id).answer), "valid", "\(end)")
        expectEqual(venue.asked, Asked(checks: 4, refreshes: 2), "\(end)")
        await door.close()
      }
    }
  }

  /// A store that is away, or cannot be asked for want of a receipt, has told nothing of a renewal.
  @Test(arguments: shapes, [ShopAnswer.status(21_005), .status(21_009), .notJSON, .noReceipt])
  func aStoreThatCannotBeAskedRefusesNobody(shape: SubscriptionShape, answer: ShopAnswer) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let id = try await venue.sellRenewed(answer: answer)
      for _ in 0..<2 { await expectEqual(name(door.attempt(id).answer), "undecided unreachable") }
      expectEqual(venue.asked, Asked(checks: 3, refreshes: 1))
      await door.close()
    }
  }

  @Test(arguments: shapes, [ShopAnswer.otherApp, .empty])
  func aStoreThatKnowsNoneIsBelieved(shape: SubscriptionShape, answer: ShopAnswer) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let id = try await venue.sellRenewed(answer: answer)
      await expectEqual(name(door.attempt(id).answer), "refused expired")
      await door.close()
    }
  }

  /// It ends behind, and who presents the pass again is asked about first.
  @Test(arguments: shapes) func aRefreshThatTakesTooLongEndsBehind(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let id = try await venue.sellRenewed()
      try venue.misbehave("latency=3s,when=after,on=refreshes,next=1")
      let outcome = await door.attempt(id, within: .seconds(2)) { _ in expect(false, "nothing is late") }
      expectEqual(name(outcome.answer), "undecided unreachable")
      expect(outcome.fate == .answered && outcome.offline == nil && outcome.retryAfter == nil, "\(outcome)")
      await until { await name(door.attempt(id).answer) == "valid" }
      expectEqual(venue.asked.refreshes, 1)
      await door.close()
    }
  }

  // MARK: Others than the gate's

  @Test(arguments: shapes) func aTierThatTheGateDoesNotAdmitIsTheWrongKind(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door(tiers: [.premium])
      let id = try await venue.sell(.standard)
      let outcome = await door.attempt(id)
      expectEqual(outcome.answer, .refused(.wrongKind, detail: "It is a standard subscription."))
      await expectEqual(name(door.attempt(try await venue.sell(.premium)).answer), "valid")
      let both = try venue.door(tiers: [.standard, .premium])
      await expectEqual(name(both.attempt(id).answer), "valid")
      await door.close()
      await both.close()
    }
  }

  @Test(arguments: shapes) func anotherEnvironmentIsNotGenuineInWords(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let (customers, testers) = (try venue.door(), try venue.door("/api/sandbox", environment: .sandbox))
      let (customer, tester) = (try await venue.sell(), try await venue.sell(in: .sandbox))
      // One that has ended is not refreshed first.
      for id in [tester, try await venue.sellRenewed(in: .sandbox)] {
        let outcome = await customers.attempt(id)
        expectEqual(outcome.answer, .refused(.notGenuine, detail: "It is a test purchase, which costs nothing."))
      }
      let outcome = await testers.attempt(customer)
      expectEqual(
        outcome.answer,
        .refused(
          .notGenuine, detail: "It is a customer's subscription, and this gate admits test purchases alone."))
      expectEqual(venue.asked, Asked(checks: 3))
      await expectEqual(name(testers.attempt(tester).answer), "valid")
      await expectEqual(name(testers.attempt(try await venue.sellRenewed(in: .sandbox)).answer), "valid")
      await customers.close()
      await testers.close()
    }
  }

  @Test(arguments: shapes) func whatTheServiceDoesNotKnowIsNotFound(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let outcome = await door.attempt("99999999")
      expectEqual(outcome.answer, .refused(.notFound, detail: "Not Found"))
      await door.close()
    }
  }

  /// It is not the service that says so of a member.
  @Test(arguments: shapes) func anyOther404IsABadAnswer(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let id = try await venue.sell()
      for base in ["", "/api", "/api/v2"] {
        let door = try venue.door(base)
        await expectEqual(name(door.attempt(id).answer), "undecided badAnswer", "\(base)")
        await door.close()
      }
    }
  }

  // MARK: The token

  @Test(arguments: shapes, AccessTokenChange.allCases)
  func aTokenThatIsNotTakenIsNeverTheMembersFault(shape: SubscriptionShape, change: AccessTokenChange) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let ids = [try await venue.sell(), try await venue.sell(ends: "-5min"), "99999999"]
      try await venue.server.changeAccessTokens(change)
      for id in ids {
        let outcome = await door.attempt(id)
        guard case .undecided(.keyRefused, let detail?) = outcome.answer else { return expect(false, "\(outcome)") }
        expect(detail.contains("Mend accessToken.") && !detail.contains("test-token"), "\(detail)")
        expect(outcome.offline == nil, "\(outcome)")
      }
      _ = try await venue.server.issueAccessToken("test-token")
      await expectEqual(name(door.attempt(ids[0]).answer), "valid")
      await door.close()
    }
  }

  /// Between the question and the refresh: an alarm, and no refresh that would count once the token is good again.
  @Test(arguments: shapes, AccessTokenChange.allCases)
  func aTokenThatIsRevokedInMidScanIsNeverTheMembersFault(
    shape: SubscriptionShape, change: AccessTokenChange
  ) async throws {
    try await MemberVenue.run(shape) { venue in
      let door = try venue.door()
      let id = try await venue.sellRenewed()
      try venue.misbehave("latency=1s,on=refreshes,next=1")
      async let scan = door.attempt(id)
      await until { venue.asked.refreshes == 1 }
      try await venue.server.changeAccessTokens(change)
      let outcome = await scan
      expectEqual(name(outcome.answer), "undecided keyRefused")
      expect(outcome.offline == nil, "\(outcome)")
      _ = try await venue.server.issueAccessToken("test-token")
      await expectEqual(name(door.attempt(id).answer), "valid")
      expectEqual(venue.asked, Asked(checks: 4, refreshes: 2))
      await door.close()
    }
  }

  // MARK: A service that is away

  @Test(arguments: shapes) func aServiceThatIsAwayIsUnreachable(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let id = try await venue.sell()
      for (fault, fate, cause) in [
        ("status=500", AttemptOutcome.Fate.answered, OfflineCause?.none), ("status=502", .answered, .gatewayFault),
        ("status=503", .answered, .gatewayFault), ("status=504", .answered, .gatewayFault),
        ("close=before", .lost, .noConnection), ("close=after", .lost, .noConnection),
        ("reset=after", .lost, .noConnection), ("close=midway", .lost, nil),
      ] {
        let door = try venue.door()
        venue.behave()
        try venue.misbehave("\(fault),next=1")
        let outcome = await door.attempt(id)
        expectEqual(name(outcome.answer), "undecided unreachable", "\(fault)")
        expect(outcome.fate == fate && outcome.offline == cause && !outcome.mayHaveRedeemed, "\(fault): \(outcome)")
        expectEqual(venue.asked, Asked(checks: 1), "\(fault)")
        await door.close()
      }
    }
  }
}
