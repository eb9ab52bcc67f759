import Expectations
import Foundation
import NIOHTTP1
import SQLiteFile
import Testing

@testable import VenueServer

/// What is done at a venue about subscriptions by its control socket; its seeds; older files.
@Suite struct SubscriptionControlTests {
  private func withControl(
    _ shape: SubscriptionShape = .real,
    _ body: (SubscriptionVenue, VenueControlClient, ManualClock) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/control.sock"
      try await withSubscriptions(shape, change: { $0.controlSocket = path }) { service, clock in
        try await body(service, VenueControlClient(path: path), clock)
      }
    }
  }

  @Test func soldEndedRenewedAndGivenBack() async throws {
    try await withControl { service, control, _ in
      let sold = try await control.sell(
        NewSubscription(id: "30000781417036", tier: .premium, expires: "10d", renews: true))
      expectEqual(sold.id, "30000781417036")
      func told() async throws -> JSON {
        let line = try #require(try await control.soldSubscriptions().first { $0.contains("30000781417036") })
        return try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
      }
      var row = try await told()
      expectEqual(row.string("expires"), "2026-02-10T12:00:00Z")
      expectEqual(row.string("answer"), "valid")
      try await control.expireSubscription(sold.id)
      row = try await told()
      expect(row.string("expires") == "2026-01-31T11:59:59Z" && row["renews"] == .bool(true))
      try await control.renewSubscription(sold.id)
      row = try await told()
      // The shop alone knows.
      expectEqual(row.string("expires"), "2026-01-31T11:59:59Z")
      expectEqual(row.string("shop_expires"), "2027-01-31T11:59:59Z")
      try await control.renewSubscription(sold.id, until: "2028-01-01T00:00:00Z", isTold: true)
      try await expectEqual(told().string("expires"), "2028-01-01T00:00:00Z")
      try await control.refundSubscription(sold.id)
      row = try await told()
      expect(row["renews"] == .bool(false) && row.string("expires") == "2028-01-01T00:00:00Z")
      try await control.expireSubscription(sold.id, at: "2026-01-01T00:00:00Z", isFinal: true)
      try await expectEqual(told().string("shop_expires"), "2026-01-01T00:00:00Z")
      try await expectEqual(
        service.verify(sold.receipt).string("latest_receipt_info.0.transaction_id") == sold.id, false)
    }
  }

  @Test func whatCannotBeSoldIsExplained() async throws {
    try await withControl { _, control, _ in
      _ = try await control.sell(NewSubscription(id: "30000781417036"))
      let wrong: [(NewSubscription, String)] = [
        (NewSubscription(id: "30000781417036"), "there is a subscription of this id"),
        (NewSubscription(id: "1234567"), "8 to 20 digits"), (NewSubscription(id: "1234567x"), "8 to 20 digits"),
        (NewSubscription(tier: .premium, cycle: .month), "premium by the year alone"),
        (NewSubscription(expires: "soon"), "such as 30d or -5min"),
        (NewSubscription(purchased: "2026-02-30T00:00:00Z"), "the purchase wants a time"),
        (NewSubscription(expires: "1ms"), "the end wants a time"),
      ]
      for (new, words) in wrong {
        let error = try await #require(throws: VenueError.self) { try await control.sell(new) }
        expect(error.description.contains(words), "\(error)")
      }
      for work in [
        { try await control.expireSubscription("12345678") }, { try await control.renewSubscription("12345678") },
        { try await control.refundSubscription("12345678") },
      ] as [() async throws -> Void] {
        let error = try await #require(throws: VenueError.self) { try await work() }
        expect(error.description.contains("no subscription has this id"))
      }
      let answer = try await #require(throws: VenueError.self) {
        try await control.ask(.POST, "subscriptions", "answer=20999")
      }
      expect(answer.description.contains("a status from 21000 to 21199"))
      let tier = try await #require(throws: VenueError.self) {
        try await control.ask(.POST, "memberships", "id=x\ntier=gold")
      }
      expect(tier.description.contains("tier is one of standard, premium"))
    }
  }

  @Test func accountsAndTheirMemberships() async throws {
    try await withControl { service, control, _ in
      let sold = try await control.sell(NewSubscription())
      try await control.addMembership(
        NewMembership(
          ftcID: ftcID, tier: .premium, expires: "2026-01-30", payMethod: .stripe, isVIP: true, standardAddOn: 7,
          premiumAddOn: 9))
      let linked = try await service.link(ftcID, sold.id)
      try expect(linked.integer("standardAddOn") == 7 && linked.integer("premiumAddOn") == 9)
      try expectEqual(linked.json["vip"], .bool(true))
      // Without a tier it has none any more.
      try await control.addMembership(NewMembership(ftcID: ftcID))
      try await expectEqual(service.link(ftcID, sold.id).integer("standardAddOn"), 0)
      for new in [
        NewMembership(ftcID: ""), NewMembership(ftcID: "a b"),
        NewMembership(ftcID: "x", tier: .premium, expires: "soon"),
      ] {
        await #expect(throws: VenueError.self) { try await control.addMembership(new) }
      }
    }
  }

  @Test func tokens() async throws {
    try await withControl { service, control, _ in
      let token = try await control.issueAccessToken()
      expectEqual(token.count, 40)
      let path = "/api/v1/apple/subs/12345678"
      func status() async throws -> Int {
        try await service.venue.request(.GET, path, headers: [("Authorization", "Bearer \(token)")]).status
      }
      try await expectEqual(status(), 404)
      try await control.changeAccessTokens(.revoked)
      try await expectEqual(status(), 403)
      try await expectEqual(control.issueAccessToken(token), token)
      try await expectEqual(status(), 404)
    }
  }

  // MARK: Times

  /// Months are the calendar's, and lead past now however long ago the end was.
  @Test func cyclesFollowTheCalendar() throws {
    func time(_ text: String) throws -> Timestamp { Timestamp(try Date(text, strategy: .iso8601)) }
    let wanted: [(String, MemberCycle, String, String)] = [
      ("2026-01-31T12:00:00Z", .month, "2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z"),
      ("2024-02-29T12:00:00Z", .year, "2024-03-01T00:00:00Z", "2025-02-28T12:00:00Z"),
      ("2020-01-25T00:24:53Z", .month, "2026-01-25T00:24:53Z", "2026-02-25T00:24:53Z"),
    ]
    for (start, cycle, now, end) in wanted {
      try expectEqual(ShopBook.end(after: time(start), cycle, past: time(now)), time(end), "\(start)")
    }
  }

  // MARK: Seeds

  @Test func oneOfEachKindIsSeeded() async throws {
    for shape in SubscriptionShape.allCases {
      try await withSubscriptions(shape) { service, clock in
        let seeded = try await service.server.seedMemberships(random: 7)
        expectEqual(seeded.sold.map(\.kind), SeededSubscription.Kind.allCases)
        for one in seeded.sold {
          let base: SubscriptionBase = one.kind == .sandbox ? .sandbox : .production
          let read = try await service.ask(.GET, "/apple/subs/\(one.id)")
          try expectEqual(read.string("expiresDateUtc"), one.expires)
          let isOver = try #require(try read.string("expiresDateUtc")) <= "2026-01-31T12:00:00Z"
          expectEqual(isOver, one.kind == .renewed || one.kind == .ended)
          _ = try await service.ask(.PATCH, "/apple/subs/\(one.id)", base: base)
          let refreshed = try await service.ask(.GET, "/apple/subs/\(one.id)")
          let stays = try #require(try refreshed.string("expiresDateUtc")) <= "2026-01-31T12:00:00Z"
          expectEqual(stays, one.kind == .ended)
          try expectEqual(refreshed.string("tier"), one.kind == .standard ? "standard" : "premium")
        }
        // Later it is as it was, with the same ids.
        clock.advance(seconds: 30 * 86_400)
        let again = try await service.server.seedMemberships()
        expectEqual(again.sold.map(\.id), seeded.sold.map(\.id))
        let renewed = try #require(again.sold.first { $0.kind == .renewed })
        expectEqual(renewed.expires, "2026-03-02T11:55:00Z")
        try await expectEqual(
          service.link(seeded.freeAccount, try #require(again.sold.first { $0.kind == .standard }).id).status,
          200)
      }
    }
  }

  /// A file of before there were subscriptions is brought up to date.
  @Test func anOlderFileIsBroughtUpToDate() async throws {
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(storage: .file(directory + "/venue.sqlite"), failureDelay: .zero)
      var tickets: [BookedTicket] = []
      do {
        let server = try VenueServer(configuration)
        _ = try await server.seed(Seed(zone: "UTC"))
        tickets = try await server.tickets()
        try await server.store.write { db in
          for table in BookingSchema.tables + SubscriptionSchema.tables { try db.execute("DROP TABLE \(table)") }
          try db.execute("PRAGMA user_version = 3")
        }
      }
      let server = try VenueServer(configuration)
      try await expectEqual(server.tickets(), tickets)
      _ = try await server.sell(NewSubscription())
      try await expectEqual(server.soldSubscriptions().count, 1)
    }
  }
}
