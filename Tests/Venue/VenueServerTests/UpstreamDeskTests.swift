import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// The organiser's desk as the original project has it.
@Suite struct UpstreamDeskTests {
  @Test func nobodyScansThere() async throws {
    try await withDesk(.upstream) { venue in
      let code = try venue.code(.entry)
      for path in ["/api/tickets/scan", "/api/tickets", "/api/checkins", "/api/venues", "/api/talent"] {
        let reply = try await venue.ask(.POST, path, #"{"code":"\#(code)"}"#)
        expectEqual(reply.status, 404, "\(path)")
        try expectEqual(reply.string("message"), "The route \(path.dropFirst()) could not be found.")
      }
      expect(try await venue.server.book().isEmpty)
    }
  }

  @Test func idsSayNothing() throws {
    var seen: Set<String> = []
    for id in [1, 2, 3, 8, 456, 99_999, 4_294_967_295] as [Int64] {
      let text = OpaqueID.text(id)
      expectEqual(OpaqueID.number(text), id)
      expect(text.utf8.count == 6 && Int64(text) == nil && PublicID.number(text) == nil && seen.insert(text).inserted)
    }
    for text in ["", "k", "0", "kkkkkkkkkkkkkkkkkkkkkkkk", "é", "456"] {
      expect(OpaqueID.number(text) == nil, "\(text)")
    }
  }

  @Test func eventsAreListedShownMadeChangedAndDeleted() async throws {
    try await withDesk(.upstream) { venue in
      let event = try await venue.event("Hall A 20:00")
      let id = try #require(event.string("id"))
      expectEqual(id, OpaqueID.text(try venue.eventID("Hall A 20:00")))
      // UTC without its zone, and no word of what was sold.
      expectEqual(event.string("starts_at"), "2025-12-17 19:00:00")
      expect(
        event["timezone"] == nil && event["tickets.0.sold"] == nil && event["venue_subdomain"] == .string("hall-a"))
      expectEqual(event.string("schedules.0.subdomain"), "hall-a")
      expectEqual(event.string("schedules.1.type"), "talent")
      let shown = try await venue.ask(.GET, "/api/events/\(id)")
      try expectEqual(shown.json["data"], event)
      // By the older kind of id as well.
      let older = PublicID.text(try venue.eventID("Hall A 20:00"))
      try await expectEqual(venue.ask(.GET, "/api/events/\(older)").text, shown.text)
      // Types stay where none is sent; the time moves all the same.
      let changed = try await venue.ask(.PUT, "/api/events/\(id)", #"{"name":"Gala"}"#)
      try expectEqual(changed.json["data.tickets"], event["tickets"])
      try expectEqual(changed.string("data.starts_at"), "2025-12-17 18:00:00")
      // Wall time by the schedule's clocks, whatever zone is named.
      let wall = #"{"timezone":"Asia/Tokyo","starts_at":"2025-12-17 20:00:00"}"#
      let moved = try await venue.ask(.PUT, "/api/events/\(id)", wall)
      try expectEqual(moved.string("data.starts_at"), "2025-12-17 19:00:00")
      try await expectEqual(venue.ask(.PATCH, "/api/events/\(id)", "{}").status, 405)
      let made = try await venue.ask(
        .POST, "/api/events/hall-b",
        #"{"name":"New","starts_at":"2025-12-18 20:00:00","tickets_enabled":true,"tickets":[{"type":"Free"}]}"#)
      expectEqual(made.status, 201)
      let gone = try await venue.ask(.DELETE, "/api/events/\(try #require(try made.string("data.id")))")
      try expectEqual(gone.string("meta.message"), "Event deleted successfully")
      let none = try await venue.ask(.GET, "/api/events/\(try #require(try made.string("data.id")))")
      expect(none.status == 404 && none.text == #"{"error":"Event not found"}"#)
      // Whatever is accepted, this is told in JSON.
      let wrong = try await venue.ask(.POST, "/api/events/hall-b", "{}", accept: "*/*")
      expect(try wrong.status == 422 && wrong.string("error") == "Validation failed")
      try expectEqual(wrong.json["errors"]?.names, ["name", "starts_at"])
      try await expectEqual(venue.ask(.POST, "/api/events/hall-c", "{}").text, #"{"error":"Schedule not found"}"#)
    }
  }

  @Test func schedulesAreNamedByTheirSubdomains() async throws {
    try await withDesk(.upstream) { venue in
      let list = try await venue.ask(.GET, "/api/schedules")
      try expectEqual(list.integer("meta.total"), 3)
      try expectEqual(list.string("data.2.type"), "talent")
      let made = try await venue.ask(.POST, "/api/schedules", #"{"name":"Hall C","type":"venue"}"#)
      expect(try made.status == 201 && made.string("data.subdomain") == "hall-c")
      let changed = try await venue.ask(.PUT, "/api/schedules/hall-c", #"{"city":"Berlin"}"#)
      try expectEqual(changed.string("data.city"), "Berlin")
      try await expectEqual(venue.ask(.DELETE, "/api/schedules/hall-c").status, 200)
      try await expectEqual(venue.ask(.GET, "/api/schedules/hall-c").text, #"{"error":"Schedule not found"}"#)
      let wrong = try await venue.ask(.POST, "/api/schedules", #"{"name":"x","type":"cinema"}"#)
      try expectEqual(wrong.json["errors"]?.names, ["type"])
    }
  }

  @Test func salesAreTheOneListOfCodes() async throws {
    try await withDesk(.upstream) { venue in
      let event = OpaqueID.text(try venue.eventID("Hall A 20:00"))
      let list = try await venue.ask(.GET, "/api/sales?event_id=\(event)&event_date=2025-12-17&status=paid&per_page=2")
      expectEqual(list.status, 200, "\(list.text)")
      try expectEqual(list.integer("meta.total"), 3)
      try expectEqual(list.string("data.0.name"), "Ruth Vidal")
      try expectEqual(list.string("data.0.event_id"), event)
      try expectEqual(list.integer("data.0.total_quantity"), 3)
      try expectEqual(list.string("data.0.tickets.1.type"), "VIP")
      try expectEqual(list.integer("data.0.payment_amount"), 45)
      let sale = try #require(venue.tickets(of: "Hall A 20:00").first { $0.kind == .sale })
      try expectEqual(list.string("data.0.secret"), sale.code)
      // Printed entries are not told, nor are codes of events that are another's.
      let all = try await venue.ask(.GET, "/api/sales?per_page=500")
      expect(!all.text.contains(try venue.code(.entry)) && !all.text.contains("deleted"))
      guard case .array(let sales)? = try all.json["data"] else { throw VenueError.unusable("no list") }
      let guests = sales.filter { $0.string("event_name") == "Hall B 22:00, guests" }
      expect(guests.count == 2 && guests.allSatisfy { $0["secret"] == nil })
      for query in ["per_page=501", "per_page=0", "status=lost", "event_date=today"] {
        let wrong = try await venue.ask(.GET, "/api/sales?\(query)")
        expect(try wrong.status == 422 && wrong.string("error") == "Validation failed", "\(query)")
      }
      try await expectEqual(venue.ask(.GET, "/api/sales?event_id=nothing").integer("meta.total"), 0)
    }
  }

  @Test func aSaleIsChangedByItsState() async throws {
    try await withDesk(.upstream) { venue in
      let event = OpaqueID.text(try venue.eventID("Hall A 20:00"))
      let made = try await venue.ask(
        .POST, "/api/sales",
        #"{"event_id":"\#(event)","name":"Max","email":"max@guests.example","tickets":{"VIP":2}}"#)
      expect(try made.status == 201 && made.string("data.status") == "unpaid", "\(made.text)")
      let path = "/api/sales/\(try #require(try made.string("data.id")))"
      for (action, status) in [("refund", "unpaid"), ("mark_paid", nil), ("mark_paid", "paid"), ("refund", nil)] {
        let reply = try await venue.ask(.PUT, path, #"{"action":"\#(action)"}"#)
        guard let status else {
          try expectEqual(reply.string("meta.message"), "Sale updated successfully")
          continue
        }
        expectEqual(reply.status, 422)
        try expectEqual(
          reply.string("error"), "Action \"\(action)\" cannot be performed on a sale with status \"\(status)\"")
      }
      try await expectEqual(venue.ask(.GET, path).string("data.status"), "refunded")
      try await expectEqual(venue.ask(.DELETE, path).string("data.message"), "Sale deleted successfully")
      try await expectEqual(venue.ask(.GET, path).text, #"{"error":"Sale not found"}"#)
      let many = #"{"event_id":"\#(event)","name":"Max","email":"max@guests.example","tickets":{"VIP":200}}"#
      try await expectEqual(venue.ask(.POST, "/api/sales", many).text, #"{"error":"Tickets not available"}"#)
      let none = many.replacing("VIP", with: "Box")
      try await expectEqual(venue.ask(.POST, "/api/sales", none).text, #"{"error":"Ticket not found"}"#)
    }
  }

  /// Another key than in the header it does not take, and there is a word of its own for an account that does not pay.
  @Test func itsKeysAndRefusalsAreItsOwn() async throws {
    try await withDesk(.upstream) { venue in
      let bearer = try await venue.request(
        .GET, "/api/events", headers: [("Authorization", "Bearer \(try venue.key())"), ("Accept", "application/json")])
      expect(bearer.status == 401 && bearer.text == #"{"error":"API key is required"}"#)
      let poor = try await venue.server.issueKey(ability: .none)
      let reply = try await venue.ask(.GET, "/api/sales", key: poor)
      expect(reply.status == 403 && reply.text == #"{"error":"API usage is limited to Pro accounts"}"#)
      let guests = OpaqueID.text(try venue.eventID("Hall B 22:00, guests"))
      try await expectEqual(venue.ask(.DELETE, "/api/events/\(guests)").text, #"{"error":"Unauthorized"}"#)
    }
  }

  @Test func writesAndReadsAreCountedApart() async throws {
    try await withVenue(VenueConfiguration(failureDelay: .zero, serverShape: .upstream)) { venue in
      for _ in 0..<30 { try await expectEqual(venue.ask(.DELETE, "/api/events/x").status, 404) }
      let spent = try await venue.ask(.DELETE, "/api/events/x")
      expect(spent.status == 429 && spent.text == #"{"error":"Rate limit exceeded"}"#)
      for _ in 0..<300 { try await expectEqual(venue.ask(.GET, "/api/events").status, 200) }
      try await expectEqual(venue.ask(.GET, "/api/events").status, 429)
    }
  }
}
