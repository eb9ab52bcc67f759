import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// Linking and unlinking, in each shape.
@Suite struct LinkTests {
  /// What a side of a link has.
  private enum Side: CaseIterable { case none, running, over }

  @Test func aLinkIsAMembership() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription(expires: "2026-02-20T18:00:00Z"))
        try await service.server.addMembership(NewMembership(ftcID: ftcID))
        let reply = try await service.link(ftcID, sold.id)
        expectEqual(reply.status, 200)
        var members: [String: JSON] = [
          "ftcId": .string(ftcID), "unionId": .null, "tier": .string("standard"), "cycle": .string("month"),
          "expireDate": .string("2026-02-20"), "payMethod": .string("apple"), "ftcPlanId": .null, "stripeSubsId": .null,
          "autoRenew": .bool(true), "status": .null, "appleSubsId": .string(sold.id), "b2bLicenceId": .null,
        ]
        if shape == .real {
          members.merge(
            ["stripePlanId": .null, "standardAddOn": .number(0), "premiumAddOn": .number(0), "vip": .bool(false)]
          ) { $1 }
        }
        try expectEqual(reply.json, .object(members))
        // Once more: the real one answers as before, the document has a rule against it.
        let again = try await service.link(ftcID, sold.id)
        guard shape == .document else { return expect(again.status == 200 && again.text == reply.text) }
        expectEqual(again.status, 422)
        try expectEqual(again.string("field"), "iap_membership")
      }
    }
  }

  @Test func whoOrWhatIsNotThere() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription())
        try await service.server.addMembership(NewMembership(ftcID: ftcID))
        for (account, id) in [(otherFtcID, sold.id), (ftcID, "12345678")] {
          let reply = try await service.link(account, id)
          // The document calls it `400 Not Found`.
          expectEqual(reply.status, 404)
          try expectEqual(reply.json, .object(["message": .string("Not Found")]))
        }
        for body in [#"{"ftcId":"\#(ftcID)"}"#, #"{"originalTxId":"\#(sold.id)"}"#] {
          let reply = try await service.ask(.POST, "/apple/link", body)
          expectEqual(reply.status, 422)
          try expectEqual(reply.string("error.code"), "missing_field")
          try expectEqual(reply.string("message"), "Missing required field")
        }
      }
    }
  }

  /// The nine rows of the table.
  @Test func theTableOfLinks() async throws {
    for shape in SubscriptionShape.allCases {
      for account in Side.allCases {
        for linked in Side.allCases {
          try await withSubscriptions(shape) { service, clock in
            let sold = try await service.server.sell(NewSubscription(expires: "30d", renews: false))
            if linked != .none {
              try await service.server.addMembership(NewMembership(ftcID: otherFtcID))
              try await expectEqual(service.link(otherFtcID, sold.id).status, 200)
            }
            if linked == .over { clock.advance(seconds: 40 * 86_400) }
            let day = account == .over ? "2026-01-30" : "2027-01-01"
            try await service.server.addMembership(
              NewMembership(
                ftcID: ftcID, tier: account == .none ? nil : .premium, expires: day, payMethod: .alipay))
            let reply = try await service.link(ftcID, sold.id)
            let isLinked = linked == .none && account != .running
            expectEqual(reply.status, isLinked ? 200 : 422, "\(shape): \(account), \(linked)")
            guard !isLinked else { return }
            let wanted =
              switch (shape, linked) {
              case (.document, .none): ("ftc_membership", "valid_non_iap")
              case (.document, _): ("iap_membership", "already_linked")
              case (.real, .none): ("ftcId", "has_valid_non_iap")
              case (.real, _): ("originalTxId", "linked_to_other_ftc")
              }
            // The document's are not nested.
            let place = shape == .real ? "error." : ""
            try expectEqual(reply.string(place + "field"), wanted.0)
            try expectEqual(reply.string(place + "code"), wanted.1)
            try expect(reply.string("message") != nil)
            try expectEqual(reply.json["error"] == nil, shape == .document)
          }
        }
      }
    }
  }

  @Test func anotherSubscriptionOfTheSameAccount() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let first = try await service.server.sell(NewSubscription())
        let second = try await service.server.sell(NewSubscription(tier: .premium))
        try await service.server.addMembership(NewMembership(ftcID: ftcID))
        _ = try await service.link(ftcID, first.id)
        let reply = try await service.link(ftcID, second.id)
        expectEqual(reply.status, 422)
        guard shape == .real else {
          try expectEqual(reply.string("field"), "ftc_membership")
          try expectEqual(reply.string("code"), "already_linked")
          return try await expectEqual(service.link(ftcID, second.id, force: true).status, 422)
        }
        try expectEqual(reply.string("error.code"), "linked_to_other_iap")
        let forced = try await service.link(ftcID, second.id, force: true)
        try expectEqual(forced.string("appleSubsId"), second.id)
        try expectEqual(forced.string("tier"), "premium")
      }
    }
  }

  /// Read in the real server's code: rows of the table that have exceptions.
  @Test func theRealServersExceptions() async throws {
    try await withSubscriptions(.real) { service, _ in
      // Written by hand, and ending before the subscription does: it may have been that one.
      let sold = try await service.server.sell(NewSubscription(expires: "2027-01-31T12:00:00Z"))
      try await service.server.addMembership(
        NewMembership(ftcID: ftcID, tier: .standard, expires: "2026-01-31", payMethod: nil, premiumAddOn: 3))
      let byHand = try await service.link(ftcID, sold.id)
      expectEqual(byHand.status, 200)
      try expectEqual(byHand.integer("premiumAddOn"), 3)
      // Both are over.
      let over = try await service.server.sell(NewSubscription(expires: "-1d", renews: false))
      try await service.server.addMembership(
        NewMembership(ftcID: otherFtcID, tier: .standard, expires: "2026-01-30", payMethod: .wechat))
      try await expectEqual(service.link(otherFtcID, over.id).string("error.code"), "already_expired")
      // What renews is never over there, whatever its end says.
      let late = try await service.server.sell(NewSubscription(expires: "-1d"))
      try await expectEqual(service.link(otherFtcID, late.id).status, 200)
    }
  }

  @Test func unlinking() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription())
        for account in [ftcID, otherFtcID] {
          try await service.server.addMembership(NewMembership(ftcID: account))
        }
        _ = try await service.link(ftcID, sold.id)
        let wrong = try await service.unlink(otherFtcID, sold.id)
        expectEqual(wrong.status, 422)
        try expectEqual(wrong.string("error.field"), "ftcId")
        try expectEqual(wrong.string("message"), "IAP is not linked to the ftc account")
        let done = try await service.unlink(ftcID, sold.id)
        expect(done.status == 204 && done.text.isEmpty)
        try await expectEqual(service.unlink(ftcID, sold.id).status, 422)
        try await expectEqual(service.unlink(ftcID, "12345678").status, 404)
        // It is free for another one.
        try await expectEqual(service.link(otherFtcID, sold.id).status, 200)
      }
    }
  }

  /// The real handler goes on after it has refused.
  @Test func oneRefusalOfUnlinkIsTwoTexts() async throws {
    try await withSubscriptions(.real) { service, _ in
      let reply = try await service.ask(.POST, "/apple/unlink", #"{"ftcId":"\#(ftcID)"}"#)
      expectEqual(reply.status, 422)
      let texts = reply.text.components(separatedBy: "}\n{")
      expectEqual(texts.count, 2)
      expect(texts[0].contains("originalTxId") && texts[1].contains("Not Found"))
    }
    try await withSubscriptions(.document) { service, _ in
      let reply = try await service.ask(.POST, "/apple/unlink", #"{"ftcId":"\#(ftcID)"}"#)
      try expectEqual(reply.string("error.field"), "originalTxId")
    }
  }

  /// Whatever two accounts, three subscriptions and time do: nobody has another's, and nobody has two.
  @Test(arguments: 0..<UInt64(extent(landing: 4, release: 12))) func nobodyHasWhatAnotherHas(seed: UInt64) async throws
  {
    var random = SecretSource(number: seed)
    let shape = SubscriptionShape.allCases[Int(seed % 2)]
    try await withSubscriptions(shape) { service, clock in
      var ids: [String] = []
      for index in 0..<3 {
        let ends = Int.random(in: -40...40, using: &random)
        let new = NewSubscription(expires: "\(ends)d", renews: index == 0)
        ids.append(try await service.server.sell(new).id)
      }
      for account in [ftcID, otherFtcID] { try await service.server.addMembership(NewMembership(ftcID: account)) }
      for step in 0..<40 {
        let (account, id) = (
          [ftcID, otherFtcID].randomElement(using: &random) ?? ftcID, ids[Int.random(in: 0..<3, using: &random)]
        )
        let reply: Reply
        switch Int.random(in: 0..<6, using: &random) {
        case 0: reply = try await service.unlink(account, id)
        case 1:
          clock.advance(seconds: Double.random(in: 0...20 * 86_400, using: &random))
          reply = try await service.ask(.PATCH, "/apple/subs/\(id)")
        case 2:
          try await service.server.renewSubscription(id)
          reply = try await service.ask(.PATCH, "/apple/subs/\(id)")
        default: reply = try await service.link(account, id, force: Bool.random(using: &random))
        }
        expect([200, 204, 422].contains(reply.status), "seed \(seed), step \(step): \(reply.status)")
        let members = try await service.server.soldSubscriptions().compactMap { line in
          try JSONDecoder().decode(JSON.self, from: Data(line.utf8)).string("member")
        }
        expectEqual(Set(members).count, members.count, "seed \(seed), step \(step)")
      }
    }
  }
}
