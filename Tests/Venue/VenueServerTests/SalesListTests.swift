import Expectations
import Testing

@testable import VenueServer

/// `GET /api/sales`: what a station takes on board.
@Suite struct SalesListTests {
  @Test func allStatesAndSecretsOfOnesOwnEventsAreTold() async throws {
    try await withVenue { venue in
      let reply = try await venue.get("/api/sales?per_page=500")
      expectEqual(reply.status, 200)
      for ticket in venue.seeded.tickets {
        expectEqual(reply.text.contains("\"\(ticket.code)\""), (ticket.kind != .otherOrganiser), "\(ticket.kind)")
      }
      for status in ["paid", "unpaid", "cancelled", "refunded", "expired", "deleted"] {
        expect(reply.text.contains(#""status":"\#(status)""#), "\(status)")
      }
      // A scan is told; the entry that it made of a sale's code is no printed ticket.
      try await expectEqual(venue.scan(venue.code(.sale)).status, 201)
      let after = try await venue.get("/api/sales?status=paid")
      expect(after.text.contains(#""usage_status":"used""#) && !reply.text.contains(#""usage_status":"used""#))
      expect(!after.text.contains(#""status":"refunded""#))
    }
  }

  @Test func itIsPagedAndBounded() async throws {
    try await withVenue { venue in
      let total = try #require(try await venue.get("/api/sales").integer("meta.total"))
      let first = try await venue.get("/api/sales?per_page=2")
      expect(try first.integer("meta.last_page") == (total + 1) / 2 && first.json["data.2"] == nil)
      let most = try await venue.get("/api/sales?per_page=100000&page=9223372036854775807")
      expect(try most.integer("meta.per_page") == 500 && most.json["data.0"] == nil)
      try await expectEqual(venue.get("/api/sales?page=-1&per_page=x").status, 200)
      try await expectEqual(venue.get("/api/sales?event_date=1999-01-01").integer("meta.total"), 0)
    }
  }

  @Test func theKeysRightsHold() async throws {
    try await withVenue { venue in
      let viewer = try await venue.server.issueKey("viewer-key", ability: .view)
      let nobody = try await venue.server.issueKey(ability: .none)
      try await expectEqual(venue.get("/api/sales", key: viewer).status, 200)
      try await expectEqual(venue.get("/api/sales", key: nobody).status, 403)
      try await expectEqual(venue.get("/api/sales", key: "no-such-key").status, 401)
    }
  }
}
