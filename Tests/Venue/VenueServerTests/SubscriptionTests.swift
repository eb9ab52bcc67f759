import Expectations
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import VenueServer

/// Reading, listing and refreshing subscriptions, in each shape.
@Suite struct SubscriptionTests {
  // MARK: One

  @Test func oneIsTold() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape, at: "2020-06-11T02:56:12Z") { service, _ in
        _ = try await service.server.sell(
          NewSubscription(
            id: "30000781417036", purchased: "2020-06-11T02:53:00Z", expires: "2020-07-11T02:53:00Z"))
        let reply = try await service.ask(.GET, "/apple/subs/30000781417036")
        expectEqual(reply.status, 200)
        let document =
          #"{"environment":"Production","originalTransactionId":"30000781417036","lastTransactionId":"30000781417036","#
          + #""productId":"com.ft.ftchinese.mobile.subscription.member.monthly","purchaseDateUtc":"2020-06-11T02:53:00Z","#
          + #""expiresDateUtc":"2020-07-11T02:53:00Z","tier":"standard","cycle":"month","autoRenewal":true,"#
          + #""createdUtc":"2020-06-11T02:56:12Z","updatedUtc":"2020-06-11T02:56:12Z"}"#
        if shape == .document {
          expectEqual(reply.text, document)
        } else {
          expect(reply.text.hasPrefix("{\n\t\"environment\": \"Production\",\n"))
          expect(reply.text.hasSuffix("\t\"ftcUserId\": null,\n\t\"inUse\": false\n}\n"))
        }
        // Two slashes are the document's slip; they lead to the same.
        try await expectEqual(service.ask(.GET, "/apple/subs//30000781417036").text, reply.text)
        try await expectEqual(service.ask(.GET, "/apple/subs/30000781417036", base: .sandbox).text, reply.text)
      }
    }
  }

  @Test func oneThatIsNotThere() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        // What the shop has sold and the service has not heard of.
        let sold = try await service.server.sell(NewSubscription(isKnown: false))
        let long = String(repeating: "7", count: 10_000)
        for id in [sold.id, "12345678", long, "a%2Fb", "..%2F..", "%00", "%F0%9F%8E%AB"] {
          let reply = try await service.ask(.GET, "/apple/subs/\(id)")
          expectEqual(reply.status, 404, "\(id.prefix(40))")
          try expectEqual(reply.json, .object(["message": .string("Not Found")]))
        }
      }
    }
  }

  // MARK: The list

  @Test func theDocumentsListIsOfAllByTheirChange() async throws {
    try await withSubscriptions(.document, at: "2020-09-15T04:04:16Z") { service, clock in
      _ = try await service.server.sell(PublicExample.sale())
      let other = try await service.server.sell(NewSubscription(expires: "2030-01-01T00:00:00Z"))
      clock.advance(seconds: 249_350)
      let refreshed = try await service.ask(.PATCH, "/apple/subs/\(PublicExample.id)", base: .sandbox)
      expectEqual(refreshed.status, 200)
      let reply = try await service.ask(.GET, "/apple/subs?page=1&per_page=20")
      try expectEqual(reply.json["data.0"], .object(PublicExample.subscription))
      try expectEqual(reply.string("data.1.originalTransactionId"), other.id)
      try expect(
        reply.integer("total") == 2 && reply.integer("page") == 1 && reply.integer("limit") == 20
          && reply.json["data"]?.count == 2)
      // A page beyond the last one is empty.
      let second = try await service.ask(.GET, "/apple/subs?page=3&per_page=1")
      try expectEqual(second.json["data"], .array([]))
      try expect(second.integer("total") == 2 && second.integer("page") == 3 && second.integer("limit") == 1)
    }
  }

  @Test func theRealListIsOneUsersByItsEnd() async throws {
    try await withSubscriptions(.real, at: "2020-09-15T04:04:16Z") { service, clock in
      _ = try await service.server.sell(PublicExample.sale())
      let later = try await service.server.sell(NewSubscription(tier: .premium, expires: "2021-01-01T00:00:00Z"))
      _ = try await service.server.sell(NewSubscription())
      try await service.server.addMembership(NewMembership(ftcID: ftcID))
      try await expectEqual(service.link(ftcID, later.id).status, 200)
      try await expectEqual(service.link(ftcID, PublicExample.id).status, 422)
      clock.advance(seconds: 249_350)
      _ = try await service.ask(.PATCH, "/apple/subs/\(PublicExample.id)", base: .sandbox)
      let reply = try await service.ask(.GET, "/apple/subs", user: " \(ftcID) ")
      try expect(reply.integer("total") == 2 && reply.json["data"]?.count == 2)
      try expectEqual(reply.string("data.0.originalTransactionId"), later.id)
      try expectEqual(reply.json["data.0.inUse"], .bool(true))
      // The refused link has claimed it all the same.
      try expectEqual(reply.json["data.1"], .object(PublicExample.real(ftcID)))
      try await expectEqual(
        service.ask(.GET, "/apple/subs", user: "nobody").json["data"], .array([]))
      let refusal = try await service.ask(.GET, "/apple/subs")
      expectEqual(refusal.status, 401)
      expectEqual(refusal.text, "{\n\t\"message\": \"Requires authorization.\"\n}\n")
      try await expectEqual(service.ask(.GET, "/apple/subs?per_page=-1", user: ftcID).status, 500)
      try await expectEqual(
        service.ask(.GET, "/apple/subs?per_page=x&page=-3", user: ftcID).integer("limit"), 20)
    }
  }

  @Test func pagesOfAnyNumberEndWell() async throws {
    try await withSubscriptions(.document) { service, _ in
      _ = try await service.server.sell(NewSubscription())
      for query in [
        "page=9223372036854775807&per_page=9223372036854775807", "page=0", "per_page=0", "page=x&per_page=",
      ] {
        try await expectEqual(service.ask(.GET, "/apple/subs?\(query)").status, 200, "\(query)")
      }
    }
  }

  // MARK: Refreshing

  /// Renewed at the shop; the service knows when it has asked.
  @Test func aRefreshBringsARenewalIntoTheRow() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, clock in
        let sold = try await service.server.sell(
          NewSubscription(tier: .premium, purchased: "2025-01-31T11:55:00Z", expires: "-5min"))
        try await service.server.renewSubscription(sold.id)
        let path = "/apple/subs/\(sold.id)"
        try await expectEqual(service.ask(.GET, path).string("expiresDateUtc"), "2026-01-31T11:55:00Z")
        clock.advance(seconds: 7)
        let refreshed = try await service.ask(.PATCH, path)
        expectEqual(refreshed.status, 200)
        let read = try await service.ask(.GET, path)
        try expectEqual(read.string("expiresDateUtc"), "2027-01-31T11:55:00Z")
        try expectEqual(read.string("purchaseDateUtc"), "2026-01-31T11:55:00Z")
        try expectEqual(read.string("createdUtc"), "2026-01-31T12:00:00Z")
        try expectEqual(read.string("updatedUtc"), "2026-01-31T12:00:07Z")
        try expect(read.string("lastTransactionId") != sold.id)
        if shape == .document {
          expectEqual(refreshed.text, read.text)
        } else {
          // Nobody's membership: nothing is told, although the row was updated.
          try expectEqual(refreshed.string("subscription.originalTransactionId"), "")
          try expectEqual(refreshed.json["subscription.expiresDateUtc"], .null)
          try expectEqual(refreshed.json["membership.ftcId"], .null)
          try expectEqual(refreshed.json["membership.vip"], .bool(false))
          try expectEqual(refreshed.integer("membership.premiumAddOn"), 0)
        }
      }
    }
  }

  @Test func aRefreshTellsTheMembershipThatItChanged() async throws {
    try await withSubscriptions(.real) { service, _ in
      let sold = try await service.server.sell(NewSubscription(expires: "2026-02-01T12:00:00Z"))
      try await service.server.addMembership(NewMembership(ftcID: ftcID))
      try await expectEqual(service.link(ftcID, sold.id).status, 200)
      try await service.server.renewSubscription(sold.id)
      let reply = try await service.ask(.PATCH, "/apple/subs/\(sold.id)")
      try expectEqual(reply.string("subscription.expiresDateUtc"), "2026-03-01T12:00:00Z")
      try expectEqual(reply.string("membership.expireDate"), "2026-03-01")
      try expectEqual(reply.string("membership.appleSubsId"), sold.id)
      try expectEqual(reply.json["membership.autoRenew"], .bool(true))
      // Shorter than what the membership has: nothing is told.
      try await service.server.expireSubscription(sold.id, at: "2026-02-10T00:00:00Z")
      let shorter = try await service.ask(.PATCH, "/apple/subs/\(sold.id)")
      try expectEqual(shorter.string("subscription.originalTransactionId"), "")
      try await expectEqual(
        service.ask(.GET, "/apple/subs/\(sold.id)").string("expiresDateUtc"), "2026-02-10T00:00:00Z")
    }
  }

  @Test func whatCannotBeRefreshed() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        try await expectEqual(service.ask(.PATCH, "/apple/subs/12345678").json["message"], .string("Not Found"))
        let lost = try await service.server.sell(NewSubscription(answer: .noReceipt))
        let reply = try await service.ask(.PATCH, "/apple/subs/\(lost.id)")
        expectEqual(reply.status, 404)
        try expectEqual(reply.string("message"), "Not found the Apple subscription to refresh")
        // A test account's is shown to the other shop.
        let sandbox = try await service.server.sell(NewSubscription(environment: .sandbox))
        try await expectEqual(service.ask(.PATCH, "/apple/subs/\(sandbox.id)").status, 422)
        try await expectEqual(service.ask(.PATCH, "/apple/subs/\(sandbox.id)", base: .sandbox).status, 200)
        let busy = try await service.server.sell(NewSubscription(answer: .status(21_005)))
        let code = try await service.ask(.PATCH, "/apple/subs/\(busy.id)").string("error.code")
        expectEqual(code, shape == .real ? "21005" : "invalid")
      }
    }
  }

  /// Given back: it renews no more, and its end stays.
  @Test func aRefundLeavesTheEnd() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription(expires: "20d"))
        try await service.server.refundSubscription(sold.id)
        let path = "/apple/subs/\(sold.id)"
        _ = try await service.ask(.PATCH, path)
        let read = try await service.ask(.GET, path)
        try expectEqual(read.string("expiresDateUtc"), "2026-02-20T12:00:00Z")
        try expectEqual(read.json["autoRenewal"], .bool(false))
      }
    }
  }

  // MARK: What the shop tells by itself

  @Test func theShopTellsByItself() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription(expires: "-1min"))
        try await service.server.renewSubscription(sold.id, until: "10d")
        let path = "/api/v1/webhook/apple"
        let body =
          #"{"notification_type":"DID_RENEW","unified_receipt":{"latest_receipt_info":[{"original_transaction_id":"\#(sold.id)"}]}}"#
        // No token is asked for.
        let told = try await service.venue.request(.POST, path, headers: [], body: [ByteBuffer(string: body)])
        expect(told.status == 200 && told.text.isEmpty)
        try await expectEqual(
          service.ask(.GET, "/apple/subs/\(sold.id)").string("expiresDateUtc"), "2026-02-10T12:00:00Z")
        for (body, status) in [("{", 400), ("{}", 422), (#"{"unified_receipt":{"latest_receipt_info":[]}}"#, 422)] {
          let reply = try await service.venue.request(.POST, path, headers: [], body: [ByteBuffer(string: body)])
          expectEqual(reply.status, status, "\(body)")
        }
      }
    }
  }
}
