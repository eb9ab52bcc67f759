import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// The organiser's desk as the fork really has it.
@Suite struct PlanifyDeskTests {
  // MARK: Events

  @Test func eventsAreListedAsTheForkTellsThem() async throws {
    try await withDesk(.planify) { venue in
      let reply = try await venue.ask(.GET, "/api/events")
      expectEqual(reply.status, 200)
      let names = ["An Evening of Strings", "Next Week's Play", "Hall A 17:00", "Hall A 20:00", "Hall B 20:00"]
      for (index, name) in names.enumerated() { try expectEqual(reply.string("data.\(index).name"), name) }
      let event = try await venue.event("Hall A 20:00")
      let id = try venue.eventID("Hall A 20:00")
      expectEqual(event.string("id"), PublicID.text(id))
      // UTC, though nothing says so; Berlin is an hour ahead.
      expectEqual(event.string("starts_at"), "2025-12-17 19:00:00")
      expectEqual(event.string("timezone"), "Europe/Berlin")
      expect(event["ends_at"] == nil && event["notification_settings"] == .array([]))
      expectEqual(event.integer("duration"), 3)
      expectEqual(event.string("tickets.0.type"), "Standard")
      expectEqual(event.string("tickets.1.price"), "25.000")
      expectEqual(event.integer("tickets.1.quantity"), 20)
      // Sold: one entry, and a sale of two.
      expectEqual(event.integer("tickets.0.sold.2025-12-17"), 3)
      expectEqual(event.string("venue.rooms.1.name"), "Balcony")
      expectEqual(event.string("schedules.0.subdomain"), "hall-a")
      // One who performs makes an object of what is a list elsewhere.
      expectEqual(event["members"]?.count, 1)
      try await expectEqual(venue.event("Hall A 17:00")["members"], .array([]))
    }
  }

  /// Its number is plain among venues, and in an event it is not.
  @Test func anEventsVenueIsNamedOtherwiseThanTheVenueNamesItself() async throws {
    try await withDesk(.planify) { venue in
      let event = try await venue.event("Hall A 20:00")
      let venues = try await venue.ask(.GET, "/api/venues")
      let id = try #require(try venues.integer("data.0.id"))
      try expectEqual(venues.string("data.0.name"), "Hall A")
      expectEqual(event.string("venue_id"), PublicID.text(Int64(id)))
    }
  }

  @Test func pagesAreAsLargeAsAskedUpToAThousand() async throws {
    try await withDesk(.planify) { venue in
      let first = try await venue.ask(.GET, "/api/events?per_page=2")
      try expectEqual(first.json["data"]?.count, 2)
      try expectEqual(first.integer("meta.last_page"), 3)
      try expectEqual(first.integer("meta.from"), 1)
      let last = try await venue.ask(.GET, "/api/events?per_page=2&page=3")
      try expectEqual(last.json["data"]?.count, 1)
      try expectEqual(last.integer("meta.to"), 5)
      let beyond = try await venue.ask(.GET, "/api/events?per_page=2&page=9223372036854775807")
      try expectEqual(beyond.json["data"], .array([]))
      for (asked, size) in [("5000", 1_000), ("0", 15), ("-3", 15), ("x", 15), ("", 100)] {
        try await expectEqual(
          venue.ask(.GET, "/api/events?per_page=\(asked)").integer("meta.per_page"), size, "\(asked)")
      }
    }
  }

  /// That an event is not listed says nothing: its tickets may be scanned all the same.
  @Test func onlyOwnEventsAreListedThoughOthersMayBeScanned() async throws {
    try await withDesk(.planify) { venue in
      let list = try await venue.ask(.GET, "/api/events")
      expect(!list.text.contains("guests") && !list.text.contains("Somebody Else"))
      let ticket = try venue.ticket("Hall B 22:00, guests", "VIP")
      try await expectEqual(venue.ask(.POST, "/api/tickets/scan", #"{"code":"\#(ticket.code)"}"#).status, 201)
      let found = try await venue.ask(.GET, "/api/tickets?query=\(ticket.code)")
      try expectEqual(found.string("data.0.event.name"), "Hall B 22:00, guests")
    }
  }

  @Test func thereIsNoCallForOneEvent() async throws {
    try await withDesk(.planify) { venue in
      let id = PublicID.text(try venue.eventID("Hall A 20:00"))
      for method in [HTTPMethod.GET, .PUT] {
        let reply = try await venue.ask(method, "/api/events/\(id)", method == .PUT ? "{}" : nil)
        expectEqual(reply.status, 405)
        expectEqual(reply.headers["Allow"], ["POST, PATCH, DELETE"])
      }
      try await expectEqual(venue.ask(.POST, "/api/events", "{}").status, 405)
    }
  }

  @Test func anEventIsMadeAtASchedule() async throws {
    try await withDesk(.planify) { venue in
      let made = try await venue.ask(
        .POST, "/api/events/hall-b",
        #"""
        {"name":"Late Show","starts_at":"2025-12-17 23:30:00","duration":1.5,"tickets_enabled":true,
        "tickets":[{"type":"Standard","price":12.5,"quantity":10},{"type":"VIP","price":"30"}]}
        """#)
      expectEqual(made.status, 201, "\(made.text)")
      try expectEqual(made.string("meta.message"), "Event created successfully")
      try expectEqual(made.string("data.starts_at"), "2025-12-17 22:30:00")
      try expectEqual(made.string("data.venue.name"), "Hall B")
      try expectEqual(made.string("data.tickets.0.price"), "12.500")
      try expectEqual(made.json["data.tickets.1.quantity"], .null)
      let refused = try await venue.ask(.POST, "/api/events/hall-b", #"{"starts_at":"tomorrow"}"#)
      expectEqual(refused.status, 422)
      try expectEqual(refused.string("message"), "The name field is required. (and 1 more error)")
      try expectEqual(refused.string("errors.starts_at.0"), "The starts at field must match the format Y-m-d H:i:s.")
      let nowhere = try await venue.ask(.POST, "/api/events/hall-c", #"{"name":"x"}"#)
      expectEqual(nowhere.status, 404)
    }
  }

  /// The ugliest of its truths: a rename alone loses the ticket types and moves the event.
  @Test func aRenameLosesTheTicketTypesAndMovesTheEvent() async throws {
    try await withDesk(.planify) { venue in
      let id = PublicID.text(try venue.eventID("Hall A 20:00"))
      let changed = try await venue.ask(.PATCH, "/api/events/\(id)", #"{"name":"Gala"}"#)
      expectEqual(changed.status, 200)
      try expectEqual(changed.string("data.name"), "Gala")
      try expectEqual(changed.string("data.starts_at"), "2025-12-17 18:00:00")
      try expectEqual(changed.json["data.tickets"], .array([]))
      try expectEqual(changed.string("meta.message"), "Event updated successfully")
      // And again, an hour earlier each time.
      let again = try await venue.ask(.PATCH, "/api/events/\(id)", "{}")
      try expectEqual(again.string("data.starts_at"), "2025-12-17 17:00:00")
    }
  }

  /// The way round it: wall time, and all types by their plain numbers.
  @Test func whoSendsAllKeepsAll() async throws {
    try await withDesk(.planify) { venue in
      let before = try await venue.event("Hall A 20:00")
      let types = try (0..<2).map { index in
        let id = try before.publicID("tickets.\(index).id")
        return """
          {"id":\(id),"type":"\(before.string("tickets.\(index).type") ?? "")",
          "price":"\(before.string("tickets.\(index).price") ?? "")",
          "quantity":\(before.integer("tickets.\(index).quantity") ?? 0)}
          """
      }
      let id = try #require(before.string("id"))
      let changed = try await venue.ask(
        .PATCH, "/api/events/\(id)",
        #"{"name":"Gala","starts_at":"2025-12-17 20:00:00","tickets":[\#(types.joined(separator: ","))]}"#)
      guard case .object(var wanted) = before else { throw VenueError.unusable("no event") }
      wanted["name"] = .string("Gala")
      expectEqual(try changed.json["data"], .object(wanted))
    }
  }

  @Test func aTypeByItsPublicIDIsAServerError() async throws {
    try await withDesk(.planify) { venue in
      let event = try await venue.event("Hall A 20:00")
      let (id, type) = (event.string("id") ?? "", event.string("tickets.0.id") ?? "")
      let reply = try await venue.ask(.PATCH, "/api/events/\(id)", #"{"name":"x","tickets":[{"id":"\#(type)"}]}"#)
      expectEqual(reply.status, 500)
      try await expectEqual(venue.event("Hall A 20:00"), event)
    }
  }

  @Test func anEventIsNotWithoutAPlace() async throws {
    try await withDesk(.planify) { venue in
      let id = PublicID.text(try venue.eventID("Hall A 20:00"))
      let reply = try await venue.ask(.PATCH, "/api/events/\(id)", #"{"venue_id":null}"#)
      expectEqual(reply.status, 422)
      try expectEqual(reply.string("error"), "Validation failed")
      let online = try await venue.ask(
        .PATCH, "/api/events/\(id)", #"{"venue_id":null,"event_url":"https://stream.example/"}"#)
      try expectEqual(online.json["data.venue"], .null)
      try expectEqual(online.string("data.event_url"), "https://stream.example/")
    }
  }

  @Test func aDeletedEventAdmitsNobody() async throws {
    try await withDesk(.planify) { venue in
      let ticket = try venue.ticket("Hall A 20:00", "Standard")
      let id = PublicID.text(ticket.eventID)
      let gone = try await venue.ask(.DELETE, "/api/events/\(id)")
      expect(try gone.status == 200 && gone.string("meta.message") == "Event deleted successfully")
      try await expectEqual(venue.scan(ticket.code).status, 404)
      try await expectEqual(venue.ask(.DELETE, "/api/events/\(id)").status, 404)
      try await expectEqual(venue.ask(.GET, "/api/tickets?query=\(ticket.code)").json["data"], .array([]))
      // By its number nothing is found either.
      let number = try await venue.ask(.DELETE, "/api/events/\(try venue.eventID("Hall B 20:00"))")
      expectEqual(number.status, 404)
    }
  }

  /// Who may not is told in one of three ways.
  @Test func refusalsAreInThreeWordings() async throws {
    try await withDesk(.planify) { venue in
      let guests = try venue.eventID("Hall B 22:00, guests")
      let foreign = try await venue.ask(.PATCH, "/api/events/\(PublicID.text(guests))", #"{"name":"Mine"}"#)
      expect(foreign.status == 403 && foreign.text == #"{"error":"Unauthorized"}"#)
      let log = try await venue.ask(.GET, "/api/checkins?event_id=\(guests)")
      expect(log.status == 403 && log.text == #"{"message":"Unauthorized"}"#)
      let viewer = try await venue.server.issueKey("viewer-key", ability: .view)
      let weak = try await venue.ask(.DELETE, "/api/events/\(PublicID.text(guests))", key: viewer)
      expect(weak.status == 403 && weak.text == #"{"message":"Access denied"}"#)
      try await expectEqual(venue.ask(.GET, "/api/events", key: viewer).status, 200)
    }
  }

  // MARK: Venues and talent

  @Test func venuesComeAndGo() async throws {
    try await withDesk(.planify) { venue in
      let made = try await venue.ask(
        .POST, "/api/venues", #"{"name":"Grand Café №1","email":"cafe@venue.example","geo_lat":52.5,"timezone":"UTC"}"#)
      expectEqual(made.status, 201)
      let id = try #require(try made.integer("id"))
      try expectEqual(made.string("subdomain"), "grand-caf-1")
      expect(try made.json["rooms"] == nil && made.json["geo_lon"] == .null)
      let shown = try await venue.ask(.GET, "/api/venues/\(id)")
      expectEqual(shown.text, "\(made.text)")
      let changed = try await venue.ask(.PUT, "/api/venues/\(id)", #"{"city":"Berlin"}"#)
      expect(try changed.string("city") == "Berlin" && changed.string("email") == "cafe@venue.example")
      let list = try await venue.ask(.GET, "/api/venues")
      expect(try list.json.names == ["data"] && list.json["data"]?.count == 3)
      let gone = try await venue.ask(.DELETE, "/api/venues/\(id)")
      expectEqual(gone.text, #"{"message":"Venue deleted successfully"}"#)
      try await expectEqual(venue.ask(.GET, "/api/venues/\(id)").status, 404)
      let wrong = try await venue.ask(.POST, "/api/venues", #"{"name":[],"email":"nobody","geo_lat":"north"}"#)
      expectEqual(wrong.status, 422)
      try expectEqual(wrong.json["errors"]?.names, ["email", "geo_lat", "name"])
    }
  }

  @Test func anEventOutlivesItsVenue() async throws {
    try await withDesk(.planify) { venue in
      let id = try #require(try await venue.ask(.GET, "/api/venues").integer("data.0.id"))
      try await expectEqual(venue.ask(.DELETE, "/api/venues/\(id)").status, 200)
      try await expectEqual(venue.event("Hall A 20:00")["venue"], .null)
    }
  }

  @Test func talentComesAndGoes() async throws {
    try await withDesk(.planify) { venue in
      try await expectEqual(venue.ask(.GET, "/api/talent").string("data.0.name"), "The Quartet")
      let made = try await venue.ask(.POST, "/api/talent", #"{"name":"A Trio"}"#)
      expect(try made.status == 201 && made.json["geo_lat"] == nil)
      let id = try #require(try made.integer("id"))
      try await expectEqual(venue.ask(.PUT, "/api/talent/\(id)", #"{"name":"A Duo"}"#).string("name"), "A Duo")
      // It is no venue.
      try await expectEqual(venue.ask(.GET, "/api/venues/\(id)").status, 404)
      let gone = try await venue.ask(.DELETE, "/api/talent/\(id)")
      expectEqual(gone.text, #"{"message":"Talent deleted successfully"}"#)
    }
  }

  // MARK: Sales

  @Test func ticketsAreFoundFiftyAPage() async throws {
    try await withDesk(.planify) { venue in
      let ticket = try venue.ticket("Hall A 20:00", "VIP")
      let found = try await venue.ask(.GET, "/api/tickets?query=\(ticket.code)")
      try expectEqual(found.integer("meta.total"), 1)
      try expectEqual(found.integer("meta.per_page"), 50)
      try expectEqual(found.integer("data.0.event_id"), Int(ticket.eventID))
      expect(!found.text.contains(ticket.code))
      let byEvent = try await venue.ask(.GET, "/api/tickets?event_id=\(ticket.eventID)&per_page=1")
      try expectEqual(byEvent.json["data"]?.count, 3)
      for event in ["999", PublicID.text(ticket.eventID)] {
        let refused = try await venue.ask(.GET, "/api/tickets?event_id=\(event)")
        expect(refused.status == 403 && refused.text == #"{"error":"Unauthorized"}"#)
      }
      try await expectEqual(venue.ask(.GET, "/api/sales").status, 404)
    }
  }

  /// Any state from any other.
  @Test func actionsChangeASaleWithoutGuards() async throws {
    try await withDesk(.planify) { venue in
      let code = try venue.code(.refunded)
      let sale = try await venue.sale(code)
      for (action, status) in [
        ("mark_paid", "paid"), ("mark_unpaid", "unpaid"), ("refund", "refunded"), ("cancel", "cancelled"),
        ("refund", "refunded"),
      ] {
        let reply = try await venue.ask(.PATCH, "/api/tickets/\(sale)", #"{"action":"\#(action)"}"#)
        expectEqual(reply.status, 200)
        try expectEqual(reply.string("data.status"), status)
      }
      try await expectEqual(venue.scan(code).text, #"{"error":"This ticket is refunded"}"#)
      let named = try await venue.ask(
        .PATCH, "/api/tickets/\(PublicID.text(sale))", #"{"name":"New Name","email":"new@guests.example"}"#)
      expect(try named.string("data.name") == "New Name" && named.string("data.email") == "new@guests.example")
      let wrong = try await venue.ask(.PATCH, "/api/tickets/\(sale)", #"{"action":"burn","email":"x"}"#)
      try expectEqual(wrong.json["errors"]?.names, ["action", "email"])
      try await expectEqual(venue.ask(.PATCH, "/api/tickets/\(sale)", #"{"action":"delete"}"#).status, 200)
      try await expectEqual(venue.ask(.GET, "/api/tickets?query=\(code)").integer("meta.total"), 0)
    }
  }

  @Test func usedAndUnusedAreEveryEntryOfTheSale() async throws {
    try await withDesk(.planify) { venue in
      let issued = try await venue.ask(
        .POST, "/api/events/event-\(try venue.eventID("Hall A 20:00"))/checkout",
        try await checkout(venue, "Hall A 20:00"))
      let sale = try issued.publicID("data.id")
      for (action, used) in [("mark_used", Int64(3)), ("mark_unused", 0)] {
        try await expectEqual(venue.ask(.PATCH, "/api/tickets/\(sale)", #"{"action":"\#(action)"}"#).status, 200)
        let scanned: Int64? = try await venue.server.store.read { db in
          try db.value(
            """
            SELECT COUNT(scanned_at) FROM entries JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
            WHERE sale_tickets.sale_id = ?
            """, sale)
        }
        expectEqual(scanned, used, "\(action)")
      }
    }
  }

  /// Two of Standard and one of VIP.
  private func checkout(_ venue: RunningVenue, _ name: String, _ more: String = "") async throws -> String {
    let event = try await venue.event(name)
    return """
      {"name":"Max Muster","email":"max@guests.example","event_date":"2025-12-17",\(more)
      "tickets":{"\(event.string("tickets.0.id") ?? "")":2,"\(event.string("tickets.1.id") ?? "")":1}}
      """
  }

  @Test func aCheckoutTellsNoCode() async throws {
    try await withDesk(.planify) { venue in
      let body = try await checkout(venue, "Hall A 20:00")
      let issued = try await venue.ask(.POST, "/api/events/event-\(try venue.eventID("Hall A 20:00"))/checkout", body)
      expectEqual(issued.status, 201)
      try expectEqual(issued.json["data"]?.names, ["id", "payment_method", "status"])
      let sale = try issued.publicID("data.id")
      let tickets = try await venue.server.tickets().filter { $0.saleID == sale }
      expectEqual(tickets.count, 3)
      expect(tickets.allSatisfy { $0.status == .unpaid && !$0.isSale && !issued.text.contains($0.code) })
      try await expectEqual(venue.scan(tickets[0].code).text, #"{"error":"This ticket is not paid"}"#)
      try await expectEqual(venue.ask(.PATCH, "/api/tickets/\(sale)", #"{"action":"mark_paid"}"#).status, 200)
      try await expectEqual(venue.scan(tickets[0].code).status, 201)
      // By a hall's subdomain it is the event there whose types are bought; of another hall's it is the first there is.
      for (hall, event) in [("hall-a", "Hall A 20:00"), ("hall-b", "Hall B 20:00")] {
        let bought = try await venue.ask(.POST, "/api/events/\(hall)/checkout", body)
        let number = try bought.publicID("data.id")
        let sold = try await venue.server.tickets().first { $0.saleID == number }
        expectEqual(sold?.event, event)
      }
    }
  }

  @Test func aCheckoutIsRefused() async throws {
    try await withDesk(.planify) { venue in
      let id = try venue.eventID("Hall A 20:00")
      let path = "/api/events/event-\(id)/checkout"
      let wrong = try await venue.ask(.POST, path, #"{"tickets":{"x":-1},"event_date":"17.12.2025"}"#)
      try expectEqual(wrong.json["errors"]?.names, ["email", "event_date", "name", "tickets.x"])
      let vip = try await venue.event("Hall A 20:00").string("tickets.1.id") ?? ""
      let many = #"{"name":"a","email":"a@b.example","event_date":"2025-12-17","tickets":{"\#(vip)":20}}"#
      let none = try await venue.ask(.POST, path, many)
      expect(none.status == 422 && none.text == #"{"error":"Tickets not available"}"#)
      try await expectEqual(venue.ask(.POST, "/api/events/nowhere/checkout", many).status, 404)
      let body = try await checkout(venue, "Hall A 20:00")
      let starts = #""starts_at":"2025-12-17 20:00:00","tickets":[]"#
      _ = try await venue.ask(.PATCH, "/api/events/\(PublicID.text(id))", #"{"event_password":"sesame",\#(starts)}"#)
      let closed = try await venue.ask(.POST, path, body)
      expect(closed.status == 403 && closed.text == #"{"error":"Invalid event password"}"#)
    }
  }

  /// The organiser is none.
  @Test func onlyTheBuyerReassignsAndNotes() async throws {
    try await withDesk(.planify) { venue in
      let holder = #"{"new_holder_name":"Eva","new_holder_email":"eva@guests.example"}"#
      let seeded = try await venue.sale(try venue.code(.entry))
      for (call, body) in [("reassign", holder), ("notes", #"{"note":"late"}"#)] {
        let refused = try await venue.ask(.POST, "/api/tickets/\(seeded)/\(call)", body)
        expect(refused.status == 403 && refused.text == #"{"error":"Unauthorized"}"#, "\(call)")
      }
      let body = try await checkout(venue, "Hall A 20:00")
      let issued = try await venue.ask(.POST, "/api/events/hall-a/checkout", body)
      let own = try #require(try issued.string("data.id"))
      let given = try await venue.ask(.POST, "/api/tickets/\(own)/reassign", holder)
      expect(try given.status == 200 && given.string("data.new_holder_name") == "Eva")
      let noted = try await venue.ask(.POST, "/api/tickets/\(own)/notes", #"{"note":"late"}"#)
      expect(try noted.status == 201 && noted.string("data.note") == "late")
      let long = try await venue.ask(
        .POST, "/api/tickets/\(own)/notes", #"{"note":"\#(String(repeating: "x", count: 1_001))"}"#)
      expectEqual(long.status, 422)
      // By number the same is true of a scan.
      let bySale = try await venue.ask(.POST, "/api/tickets/\(seeded)/scan", #"{"sale_ticket_id":1}"#)
      expectEqual(bySale.text, #"{"error":"Unauthorized"}"#)
      for call in ["refund", "void"] {
        try await expectEqual(venue.ask(.POST, "/api/tickets/\(seeded)/\(call)", "{}").status, 404)
      }
      try await expectEqual(venue.ask(.POST, "/api/tickets", "{}").status, 405)
    }
  }

  // MARK: Check-ins and scans

  @Test func checkInsAreALogOfNames() async throws {
    try await withDesk(.planify) { venue in
      let id = try venue.eventID("Hall A 20:00")
      let body = #"{"event_id":\#(id),"attendee_name":"Ada","notes":"gate=a","gate_id":"a","idempotency_key":"1"}"#
      let first = try await venue.ask(.POST, "/api/checkins", body)
      expectEqual(first.status, 201)
      try expectEqual(
        first.json.names, ["attendee_email", "attendee_name", "checked_in_at", "event_id", "id", "notes"])
      try expectEqual(first.string("checked_in_at"), "2025-12-17T14:30:00+00:00")
      // Said twice it is there twice.
      try await expectEqual(venue.ask(.POST, "/api/checkins", body).status, 201)
      let list = try await venue.ask(.GET, "/api/checkins?event_id=\(id)")
      expect(try list.json.names == ["data"] && list.json["data"]?.count == 2)
      try expectEqual(list.integer("data.0.id"), try #require(try first.integer("id")) + 1)
      for path in ["/api/checkins", "/api/checkins?event_id=999", "/api/checkins?event_id=\(PublicID.text(id))"] {
        try await expectEqual(venue.ask(.GET, path).status, 422, "\(path)")
      }
      expect(try await venue.server.book().isEmpty)
    }
  }

  @Test func onlyTheLaterNameOfACodeIsRead() async throws {
    try await withDesk(.planify) { venue in
      let code = try venue.ticket("Hall A 20:00", "VIP").code
      let former = try await venue.ask(.POST, "/api/tickets/scan", #"{"ticket_code":"\#(code)"}"#)
      expectEqual(former.status, 422)
      try expectEqual(former.string("message"), "The code field is required.")
      let both = try await venue.scan(code)
      try expectEqual(both.string("data.sale.event.name"), "Hall A 20:00")
    }
  }

  /// West of Greenwich a ticket is good on the day before.
  @Test func todayIsADayOffWestOfGreenwich() async throws {
    try await withDesk(.planify, zone: "America/New_York") { venue in
      let refused = try await venue.scan(try venue.ticket("Hall A 20:00", "VIP").code)
      expectEqual(refused.text, #"{"error":"This ticket is not valid for today"}"#)
    }
    try await withDesk(.document, zone: "America/New_York") { venue in
      try await expectEqual(venue.scan(try venue.ticket("Hall A 20:00", "VIP").code).status, 201)
    }
  }

  @Test func whoDoesNotSayJSONIsSentBack() async throws {
    try await withDesk(.planify) { venue in
      let reply = try await venue.ask(.POST, "/api/venues", "{}", accept: "*/*")
      expectEqual(reply.status, 302)
    }
  }
}
