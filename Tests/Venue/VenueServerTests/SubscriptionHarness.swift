import Foundation
import NIOCore
import NIOHTTP1

@testable import VenueServer

/// The account of these tests.
let ftcID = "748bc0c8-f778-4616-8dff-7f4a8f4dd411"
/// Another one.
let otherFtcID = "d815e143-053c-4460-bf2b-91a4854e59a3"

/// A subscription service of a shape, at noon of a certain day, by a clock that the test moves.
func withSubscriptions(
  _ shape: SubscriptionShape, at time: String = "2026-01-31T12:00:00Z", misbehaviours: [String] = [],
  change: (inout VenueConfiguration) -> Void = { _ in },
  _ body: (SubscriptionVenue, ManualClock) async throws -> Void
) async throws {
  let clock = try ManualClock(time)
  var configuration = VenueConfiguration(
    failureDelay: .zero, now: { clock.now }, misbehaviours: try misbehaviours.map { try Misbehaviour($0) },
    subscriptionShape: shape)
  change(&configuration)
  try await withVenue(configuration) { venue in
    let token = try await venue.server.issueAccessToken()
    try await body(SubscriptionVenue(venue: venue, token: token), clock)
  }
}

/// A venue whose subscription service is asked.
struct SubscriptionVenue {
  let venue: RunningVenue
  let token: String

  var server: VenueServer { venue.server }

  /// One request below the address of an environment.
  func ask(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, base: SubscriptionBase = .production,
    user: String? = nil
  ) async throws -> Reply {
    var headers = [("Authorization", "Bearer \(token)")]
    if let user { headers.append(("X-User-Id", user)) }
    if body != nil { headers.append(("Content-Type", "application/json")) }
    return try await venue.request(
      method, base.rawValue + path, headers: headers, body: body.map { [ByteBuffer(string: $0)] } ?? [])
  }

  func verify(
    _ receipt: String, at path: String = "/apple/verify-receipt", base: SubscriptionBase = .production
  ) async throws -> Reply {
    try await ask(.POST, path, #"{"receiptData":"\#(receipt)"}"#, base: base)
  }

  func link(_ ftcID: String, _ id: String, force: Bool? = nil) async throws -> Reply {
    let more = force.map { #","force":\#($0)"# } ?? ""
    return try await ask(.POST, "/apple/link", #"{"ftcId":"\#(ftcID)","originalTxId":"\#(id)"\#(more)}"#)
  }

  func unlink(_ ftcID: String, _ id: String) async throws -> Reply {
    try await ask(.POST, "/apple/unlink", #"{"ftcId":"\#(ftcID)","originalTxId":"\#(id)"}"#)
  }
}

/// The public example of a list.
enum PublicExample {
  static let id = "1000000619244062"

  /// Sold as it was.
  static func sale(isKnown: Bool = true) -> NewSubscription {
    NewSubscription(
      id: id, environment: .sandbox, tier: .standard, cycle: .month, purchased: "2020-01-25T00:19:53Z",
      expires: "2020-01-25T00:24:53Z", renews: false, isKnown: isKnown)
  }

  static let subscription: [String: JSON] = [
    "environment": .string("Sandbox"), "originalTransactionId": .string(id), "lastTransactionId": .string(id),
    "productId": .string("com.ft.ftchinese.mobile.subscription.member.monthly"),
    "purchaseDateUtc": .string("2020-01-25T00:19:53Z"), "expiresDateUtc": .string("2020-01-25T00:24:53Z"),
    "tier": .string("standard"), "cycle": .string("month"), "autoRenewal": .bool(false),
    "createdUtc": .string("2020-09-15T04:04:16Z"), "updatedUtc": .string("2020-09-18T01:20:06Z"),
  ]

  /// What the real server tells besides.
  static func real(_ ftcID: String?) -> [String: JSON] {
    subscription.merging(["ftcUserId": ftcID.map { .string($0) } ?? .null, "inUse": .bool(false)]) { $1 }
  }
}
