import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// Receipts: `verify-receipt`, `subs` and `receipt`, in each shape.
@Suite struct SubscriptionReceiptTests {
  /// The newest purchase of the public example of a shop's answer.
  @Test func theShopsAnswerIsHandedOnAsItIs() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape, at: "2020-09-15T04:04:16Z") { service, _ in
        let sold = try await service.server.sell(PublicExample.sale(isKnown: false))
        let reply = try await service.verify(" \(sold.receipt)\\n", base: .sandbox)
        expectEqual(reply.status, 200)
        try expect(reply.string("environment") == "Sandbox" && reply.integer("status") == 0)
        try expectEqual(reply.string("latest_receipt"), sold.receipt)
        try expectEqual(reply.string("latest_receipt_info.0.expires_date_ms"), "1579911893000")
        try expectEqual(reply.string("latest_receipt_info.0.purchase_date_ms"), "1579911593000")
        try expectEqual(reply.string("latest_receipt_info.0.expires_date"), "2020-01-25 00:24:53 Etc/GMT")
        try expectEqual(reply.string("pending_renewal_info.0.auto_renew_status"), "0")
        try expectEqual(reply.string("pending_renewal_info.0.expiration_intent"), "1")
        try expectEqual(reply.string("receipt.bundle_id"), "com.ft.ftchinese.mobile")
        // It is in the book from then on.
        try await expectEqual(
          service.ask(.GET, "/apple/subs/\(PublicExample.id)").string("expiresDateUtc"), "2020-01-25T00:24:53Z")
      }
    }
  }

  @Test func aReceiptBecomesASubscription() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape, at: "2020-09-15T04:04:16Z") { service, clock in
        let sold = try await service.server.sell(PublicExample.sale(isKnown: false))
        let first = try await service.verify(sold.receipt, at: "/apple/subs", base: .sandbox)
        expectEqual(first.status, 200)
        clock.advance(seconds: 249_350)
        let reply = try await service.verify(sold.receipt, at: "/apple/subs", base: .sandbox)
        guard shape == .real else { return try expectEqual(reply.json, .object(PublicExample.subscription)) }
        // The real one tells what it has just read: made now, and nobody's.
        let now = JSON.string("2020-09-18T01:20:06Z")
        try expectEqual(reply.json, .object(PublicExample.real(nil).merging(["createdUtc": now]) { $1 }))
        try await expectEqual(
          service.ask(.GET, "/apple/subs/\(PublicExample.id)").json, .object(PublicExample.real(nil)))
      }
    }
  }

  @Test func theReceiptIsToldWithTheSubscription() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        let sold = try await service.server.sell(NewSubscription())
        let reply = try await service.ask(.GET, "/apple/receipt/\(sold.id)?fs=true")
        try expectEqual(reply.string("receipt"), sold.receipt)
        try expectEqual(reply.string("originalTransactionId"), sold.id)
        try await expectEqual(service.ask(.GET, "/apple/receipt/12345678").string("message"), "Not Found")
        let lost = try await service.server.sell(NewSubscription(answer: .noReceipt))
        try await expectEqual(
          service.ask(.GET, "/apple/receipt/\(lost.id)").string("message"), "Apple subscription not found")
      }
    }
  }

  // MARK: What is refused

  private struct Refusal {
    let answer: ShopAnswer
    let document, real: (status: Int, field: String?, code: String?, message: String)
  }

  private static let malformed = "The data in the receipt-data property was malformed or missing"

  private static let refusals = [
    Refusal(
      answer: .status(21_005), document: (422, "status", "invalid", malformed),
      real: (422, "status", "21005", "The receipt server is not currently available.")),
    Refusal(
      answer: .otherApp, document: (422, "bundle_id", "invalid", malformed),
      real: (422, "bundle_id", "invalid", "Bundle id mismatched")),
    Refusal(
      answer: .empty,
      document: (422, "latest_receipt_info", "missing_field", "Latest receipt info should not be empty"),
      real: (422, "latest_receipt_info", "missing_field", "No subscription found")),
    Refusal(
      answer: .notJSON, document: (500, nil, nil, "invalid character '<' looking for beginning of value"),
      real: (400, nil, nil, "invalid character '<' looking for beginning of value")),
  ]

  @Test func whatTheShopRefuses() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        for refusal in Self.refusals {
          let wanted = shape == .real ? refusal.real : refusal.document
          let sold = try await service.server.sell(NewSubscription(answer: refusal.answer, isKnown: false))
          for path in ["/apple/verify-receipt", "/apple/subs"] {
            let reply = try await service.verify(sold.receipt, at: path)
            expectEqual(reply.status, wanted.status, "\(shape) \(refusal.answer)")
            try expectEqual(reply.string("message"), wanted.message)
            try expectEqual(reply.string("error.field"), wanted.field)
            try expectEqual(reply.string("error.code"), wanted.code)
          }
          try await expectEqual(service.ask(.GET, "/apple/subs/\(sold.id)").status, 404)
        }
      }
    }
  }

  @Test func receiptsThatTheShopHasNotGiven() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        for (receipt, real) in [("no receipt!", "21002"), ("bm90IGl0", "21003")] {
          let reply = try await service.verify(receipt)
          expectEqual(reply.status, 422)
          try expectEqual(reply.string("error.field"), "status")
          try expectEqual(reply.string("error.code"), shape == .real ? real : "invalid")
        }
        // Shown to the wrong one of two shops.
        let production = try await service.server.sell(NewSubscription())
        let sandbox = try await service.server.sell(NewSubscription(environment: .sandbox))
        let (one, two) = (
          try await service.verify(production.receipt, base: .sandbox), try await service.verify(sandbox.receipt)
        )
        try expectEqual(one.string("error.code"), shape == .real ? "21008" : "invalid")
        try expectEqual(two.string("error.code"), shape == .real ? "21007" : "invalid")
      }
    }
  }

  @Test func bodiesThatAreNone() async throws {
    let deep = String(repeating: "[", count: 20_000)
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, _ in
        for path in ["/apple/verify-receipt", "/apple/subs", "/apple/link", "/apple/unlink"] {
          for body in ["", "{", "[]", "17", deep, #"{"receiptData":"x""#] {
            let reply = try await service.ask(.POST, path, body)
            expectEqual(reply.status, 400, "\(shape) \(path) \(body.prefix(20))")
            try expect(reply.string("message") != nil && reply.json["error"] == nil)
          }
          let first = path.hasSuffix("link") ? "ftcId" : "receiptData"
          for body in ["{}", #"{"\#(first)":null}"#, #"{"\#(first)":" \t"}"#] {
            let reply = try await service.ask(.POST, path, body)
            expectEqual(reply.status, 422, "\(shape) \(path) \(body)")
            expect(reply.text.contains("missing_field") && reply.text.contains(first))
          }
          let wrong = try await service.ask(.POST, path, #"{"\#(first)":17}"#)
          expectEqual(wrong.status, shape == .real ? 400 : 422)
        }
        let null = try await service.ask(.POST, "/apple/subs", "null")
        expectEqual(null.status, shape == .real ? 422 : 400)
      }
    }
  }
}
