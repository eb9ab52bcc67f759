import Expectations
import NIOHTTP1
import Testing

@testable import VenueServer

/// The organiser's desk as the document of the app has it.
@Suite struct DocumentDeskTests {
  @Test func eventsAreListedWithPaginationAndShownBare() async throws {
    try await withDesk(.document) { venue in
      let list = try await venue.ask(.GET, "/api/events?per_page=2&page=2")
      try expectEqual(
        list.json["meta.pagination"]?.names, ["count", "current_page", "per_page", "total", "total_pages"])
      try expectEqual(list.integer("meta.pagination.total_pages"), 3)
      try expectEqual(list.json["data"]?.count, 2)
      let id = try venue.eventID("Hall A 20:00")
      let shown = try await venue.ask(.GET, "/api/events/\(id)")
      try expectEqual(shown.string("id"), "\(id)")
      try expectEqual(shown.string("starts_at"), "2025-12-17T19:00:00Z")
      try expectEqual(shown.string("ends_at"), "2025-12-17T22:00:00Z")
      try expectEqual(shown.string("venue.rooms.0.name"), "Stalls")
      try expectEqual(shown.integer("tickets.1.price"), 25)
      // Both names of an event are one.
      try await expectEqual(venue.ask(.GET, "/api/events/\(PublicID.text(id))").text, shown.text)
      let none = try await venue.ask(.GET, "/api/events/999")
      expect(none.status == 404 && none.text == #"{"error":"Event not found"}"#)
    }
  }

  @Test func anEventIsMadeChangedAndDeleted() async throws {
    try await withDesk(.document) { venue in
      let made = try await venue.ask(
        .POST, "/api/events",
        #"""
        {"name":"Late Show","starts_at":"2025-12-17T23:30:00+01:00","ends_at":"2025-12-18T00:30:00Z",
        "timezone":"Europe/Berlin","tickets":[{"type":"Standard","price":12.5}]}
        """#)
      expectEqual(made.status, 201, "\(made.text)")
      try expectEqual(made.string("starts_at"), "2025-12-17T22:30:00Z")
      try expectEqual(made.string("ends_at"), "2025-12-18T00:30:00Z")
      let id = try #require(try made.string("id"))
      // What is not sent stays.
      let changed = try await venue.ask(.PUT, "/api/events/\(id)", #"{"name":"Later Show"}"#)
      guard case .object(var wanted) = try made.json else { throw VenueError.unusable("no event") }
      wanted["name"] = .string("Later Show")
      expect(try changed.status == 200 && changed.json == .object(wanted))
      let moved = try await venue.ask(.PUT, "/api/events/\(id)", #"{"starts_at":"2025-07-17 20:00:00"}"#)
      try expectEqual(moved.string("starts_at"), "2025-07-17T18:00:00Z")
      let gone = try await venue.ask(.DELETE, "/api/events/\(id)")
      expect(gone.status == 204 && gone.text.isEmpty)
      try await expectEqual(venue.ask(.GET, "/api/events/\(id)").status, 404)
      let wrong = try await venue.ask(
        .POST, "/api/events", #"{"starts_at":"soon","timezone":"Mars/Olympus","duration":"long","venue_id":"999"}"#)
      try expectEqual(wrong.json["errors"]?.names, ["duration", "name", "timezone", "venue_id"])
    }
  }

  @Test func venuesAndTalentComeAndGo() async throws {
    try await withDesk(.document) { venue in
      for (path, name, count) in [("/api/venues", "Hall A", 2), ("/api/talent", "The Quartet", 1)] {
        let list = try await venue.ask(.GET, "\(path)")
        try expectEqual(list.string("data.0.name"), "\(name)")
        try expectEqual(list.integer("meta.pagination.total"), count)
        let made = try await venue.ask(.POST, path, #"{"name":"New one"}"#)
        let id = try #require(try made.string("id"))
        expectEqual(made.status, 201)
        try await expectEqual(venue.ask(.GET, "\(path)/\(id)").text, "\(made.text)")
        try await expectEqual(venue.ask(.PUT, "\(path)/\(id)", #"{"phone":"1"}"#).string("phone"), "1")
        try await expectEqual(venue.ask(.DELETE, "\(path)/\(id)").status, 204)
        try await expectEqual(venue.ask(.GET, "\(path)/\(id)").status, 404)
      }
      try await expectEqual(venue.ask(.GET, "/api/venues").string("data.0.rooms.1.name"), "Balcony")
    }
  }

  /// Where there is no content there is no byte of any: it would be taken for the next answer.
  @Test func whatIsDeletedLeavesNothingOnTheConnection() async throws {
    try await withDesk(.document) { venue in
      for path in ["/api/venues/1", "/api/events/4"] {
        let gone = await venue.kiosk("DELETE \(path)", more: "X-API-Key: \(try venue.key())\r\n")
        expect(gone.head.hasPrefix("HTTP/1.1 204") && gone.body.isEmpty, "\(gone.text)")
      }
    }
  }

  @Test func ticketsAreIssuedRefundedVoidedAndReassigned() async throws {
    try await withDesk(.document) { venue in
      let id = try venue.eventID("Hall A 20:00")
      let issued = try await venue.ask(
        .POST, "/api/tickets",
        #"{"event_id":"\#(id)","ticket_id":"VIP","quantity":2,"name":"Max","email":"max@guests.example"}"#)
      expectEqual(issued.status, 201, "\(issued.text)")
      let (sale, code) = (try #require(try issued.integer("id")), try #require(try issued.string("ticket_code")))
      try await expectEqual(venue.scan(code).status, 201)
      let list = try await venue.ask(.GET, "/api/tickets?query=max@guests.example")
      try expectEqual(list.integer("meta.pagination.total"), 1)
      let given = try await venue.ask(
        .POST, "/api/tickets/\(sale)/reassign", #"{"new_holder_name":"Eva","new_holder_email":"eva@guests.example"}"#)
      expect(try given.status == 200 && given.string("name") == "Eva")
      for (call, status) in [("refund", "refunded"), ("void", "cancelled")] {
        let reply = try await venue.ask(.POST, "/api/tickets/\(sale)/\(call)")
        expect(try reply.status == 200 && reply.string("status") == status)
        try await expectEqual(venue.scan(code).text, #"{"error":"This ticket is \#(status)"}"#)
      }
      try await expectEqual(venue.ask(.POST, "/api/tickets/999/refund").status, 404)
      let foreign = try await venue.sale(try venue.code(.otherOrganiser))
      try await expectEqual(venue.ask(.POST, "/api/tickets/\(foreign)/refund").text, #"{"error":"Unauthorized"}"#)
      let wrong = try await venue.ask(.POST, "/api/tickets", #"{"event_id":999,"quantity":0}"#)
      try expectEqual(wrong.json["errors"]?.names, ["email", "event_id", "name", "quantity"])
    }
  }

  @Test func checkInsKeepWhatTheyAreTold() async throws {
    try await withDesk(.document) { venue in
      let id = try venue.eventID("Hall A 20:00")
      let body = #"""
        {"event_id":"\#(id)","attendee_name":"Ada","gate_id":"a","device_id":"s1","action":"checkout",
        "ts":"2025-12-17T14:30:00Z","idempotency_key":"k1"}
        """#
      let made = try await venue.ask(.POST, "/api/checkins", body)
      expect(try made.status == 201 && made.string("action") == "checkout" && made.string("idempotency_key") == "k1")
      let list = try await venue.ask(.GET, "/api/checkins?event_id=\(id)")
      try expectEqual(list.json["data.0"], made.json)
      try expectEqual(list.integer("meta.pagination.total"), 1)
      let wrong = try await venue.ask(
        .POST, "/api/checkins", #"{"event_id":\#(id),"attendee_name":"A","action":"jump"}"#)
      try expectEqual(wrong.json["errors"]?.names, ["action"])
    }
  }

  /// As the document of the scanning API has an event, and the venue's own list of sales besides.
  @Test func aScanTellsItsEventByNumber() async throws {
    try await withDesk(.document) { venue in
      let ticket = try venue.ticket("Hall A 20:00", "VIP")
      let reply = try await venue.scan(ticket.code)
      try expectEqual(reply.json["data.sale.event"]?.names, ["ends_at", "id", "name", "starts_at"])
      try expectEqual(reply.integer("data.sale.event.id"), Int(ticket.eventID))
      let list = try await venue.ask(.GET, "/api/sales?event_id=\(ticket.eventID)")
      expect(list.text.contains(ticket.code))
    }
  }
}
