import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// What a box office asks of a theatre, in each shape.
@Suite struct BookingsOfficeTests {
  // MARK: Shows

  @Test func showsAreTold() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await service.ask(.GET, "/api/shows")
        expectEqual(reply.status, 200)
        let json = try reply.json
        expectEqual(json.count, 5)
        let night = try #require((0..<5).compactMap { json["\($0)"] }.first { $0.string("title") == "The Tempest" })
        expectEqual(night.string("id"), try service.show(.night).id)
        expect(night.string("date") == "2026-01-31" && night.string("time") == "19:30:00")
        expect(night.string("venue_name") == "The Hamilton Theatre" && night.string("location")?.isEmpty == false)
        // Pounds, rounded at the real one; the night has sold 5 seats of the stalls, and one is held for who has not paid.
        guard shape == .real else {
          expect(night["min_price"] == .number(25) && night["max_price"] == .number(75))
          expectEqual(
            night["seat_pricing.1"], .object(["section": .string("Stalls"), "price": .number(45.5)]))
          return
        }
        expect(night.integer("min_price") == 25 && night.integer("max_price") == 75)
        let stalls = try #require(night["seat_pricing.1"])
        expect(stalls.string("section_name") == "Stalls" && stalls.integer("price") == 46)
        expect(stalls.integer("total_seats") == 120 && stalls.integer("available_seats") == 114)
        expectEqual(night.integer("total_available_seats"), 294)
        expectEqual(reply.headers["Cache-Control"].first, "public, max-age=60")
      }
    }
  }

  @Test func oneShowIsTheDocumentsAlone() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await service.ask(.GET, "/api/shows/\(service.show(.night).id)")
        expectEqual(reply.status, shape == .real ? 404 : 200)
        guard shape == .document else {
          expect(reply.text.hasPrefix("<!DOCTYPE html>"))
          return
        }
        try expectEqual(reply.string("title"), "The Tempest")
        let none = try await service.ask(.GET, "/api/shows/none")
        try expect(none.status == 404 && none.string("error") == "Show not found")
      }
    }
  }

  // MARK: Seats

  @Test func seatsAreToldInEachShapesWords() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await service.ask(.GET, "/api/shows/\(service.show(.night).id)/seats")
        expectEqual(reply.status, 200)
        let json = try reply.json
        expectEqual(json.count, 300)
        let f12 = try await service.seatID("F", 12)
        let seat = try #require((0..<300).compactMap { json["\($0)"] }.first { $0.string("id") == f12 })
        guard shape == .real else {
          expect(seat.string("number") == "12" && seat.string("section") == "Stalls" && seat.string("status") == "sold")
          expect(seat["price"] == .number(45.5) && seat.string("seatMapId") != nil)
          return
        }
        expect(seat.integer("seat_number") == 12 && seat.string("row_letter") == "F")
        expect(seat.integer("price_pence") == 4_550 && seat.string("status") == "booked")
        expect(seat.string("display_name") == "Stalls" && seat.string("color_hex") == "#1D4ED8")
        expect(seat.integer("position.x") != nil && seat.integer("position.y") != nil)
      }
    }
  }

  @Test func theRealOneTellsNoSeatsOfNoShow() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let none = try await service.ask(.GET, "/api/shows/none/seats")
        expectEqual(none.status, shape == .real ? 200 : 404)
        if shape == .real { expectEqual(none.text, "[]") }
        try await expectEqual(service.ask(.GET, "/api/shows/\(service.show(.unseated).id)/seats").text, "[]")
      }
    }
  }

  @Test func theMapIsWrappedAtTheRealOne() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await service.ask(.GET, "/api/shows/\(service.show(.night).id)/seatmap")
        expectEqual(reply.status, 200)
        let map = shape == .real ? try #require(try reply.json["seatMap"]) : try reply.json
        if shape == .real { try expectEqual(reply.json["success"], .bool(true)) }
        expect(map.integer("totalCapacity") == 300 && map.string("svgViewbox") == "0 0 520 600")
        expect(map["layoutConfig.sections"]?.count == 3 && map.string("layoutConfig.sections.0.firstRow") == "A")
        for id in ["none", try service.show(.unseated).id] {
          let none = try await service.ask(.GET, "/api/shows/\(id)/seatmap")
          try expect(none.status == 404 && none.string("error") == "Show or seatmap not found")
        }
      }
    }
  }

  // MARK: Reserving

  @Test func seatsAreReservedWithoutAnAccount() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let seats = [try await service.seatID("A", 1), try await service.seatID("A", 2)]
        let reply = try await service.reserve(try service.show(.night).id, seats)
        expectEqual(reply.status, 200)
        let url = try #require(try reply.string("url"))
        expect(url.hasPrefix("https://checkout.stripe.com/c/pay/cs_test_"))
        let again = try await service.ask(.GET, "/api/shows/\(service.show(.night).id)/seats").json
        expectEqual((0..<300).filter { again.string("\($0).status") == "reserved" }.count, 2)
        guard shape == .real else {
          try expectEqual(reply.json.count, 1)
          return
        }
        let session = try #require(try reply.string("sessionId"))
        expect(url.hasSuffix("/" + session))
        try expectEqual(reply.string("expiresAt"), "2026-01-31T18:55:00.000Z")
        // The least price of the house for each that was asked for, whatever the seats cost.
        try expect(reply.integer("totalAmount") == 5_000 && reply.integer("reservedSeats") == 2)
      }
    }
  }

  @Test func theNumberIsWhatWasAsked() async throws {
    try await withBookings(.real) { service, _ in
      let (sold, free, other) = (
        try await service.seatID("F", 12), try await service.seatID("A", 1),
        try await service.seatID("B", 1, of: .matinee)
      )
      let reply = try await service.reserve(try service.show(.night).id, [sold, free, free, other, "no-such-seat"])
      try expect(reply.status == 200 && reply.integer("reservedSeats") == 5 && reply.integer("totalAmount") == 12_500)
      let checkouts = try await service.server.theatre(.checkouts)
      let told = try JSON.read(try #require(checkouts.first))
      expect(told.integer("asked") == 5 && told.integer("held") == 1)
    }
  }

  @Test func whatCannotBeReserved() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let night = try service.show(.night).id
        let wanted: [(String, Int, String)] = [
          ("{}", 400, "Missing show ID"), (#"{"showId":"\#(night)"}"#, 400, "No specific seat IDs provided"),
          (#"{"showId":"\#(night)","specificSeatIds":[]}"#, 400, "No specific seat IDs provided"),
          (#"{"showId":"\#(night)","specificSeatIds":"F12"}"#, 400, "No specific seat IDs provided"),
          (#"{"showId":"none","specificSeatIds":["x"]}"#, 404, "Show not found"),
          (#"{"showId":"\#(night)","specificSeatIds":["x",7,null]}"#, 400, "Invalid seat selection"),
          ("<xml>", 500, "Internal server error"),
        ]
        for (body, status, error) in wanted {
          let reply = try await service.ask(.POST, "/api/seat-checkout", body)
          try expect(reply.status == status && reply.string("error") == error, "\(body)")
        }
        let taken = try await service.reserve(night, [try await service.seatID("F", 12)])
        try expect(taken.status == 400 && taken.string("error") == "Failed to reserve seats")
      }
    }
  }

  @Test func aHoldThatIsOverIsSomebodyElses() async throws {
    try await withBookings(.real) { service, clock in
      let (night, seat) = (try service.show(.night).id, [try await service.seatID("A", 1)])
      let first = try #require(try await service.reserve(night, seat).string("sessionId"))
      clock.advance(seconds: 900)
      try await expectEqual(service.reserve(night, seat).status, 400)
      clock.advance(seconds: 1)
      try await expectEqual(service.reserve(night, seat).status, 200)
      // Who pays now has paid for nothing: it is processed for ever.
      try await service.server.pay(session: first)
      let reply = try await service.ask(.GET, "/api/checkout/success?session_id=\(first)")
      try expect(reply.status == 200 && reply.string("verification_code") == "PROCESSING")
      try expectEqual(reply.string("payment_status"), "paid")
    }
  }

  // MARK: Paying

  @Test func whatIsNotPaidIsNoBooking() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let session = try await open(service)
        let before = try await service.server.theatre(.bookings).count
        let reply = try await service.ask(.GET, "/api/checkout/success?session_id=\(session)")
        expectEqual(reply.status, shape == .real ? 400 : 200)
        try expectEqual(reply.string("payment_status"), "unpaid")
        try expectEqual(reply.string("verification_code"), shape == .real ? "ERROR" : "PROCESSING")
        try expectEqual(reply.json["show_details"], .null)
        try await expectEqual(service.server.theatre(.bookings).count, before)
        let none = try await service.ask(.GET, "/api/checkout/success?session_id=cs_test_none")
        try expect(none.status == (shape == .real ? 500 : 404) && none.string("verification_code") == "ERROR")
        let empty = try await service.ask(.GET, "/api/checkout/success")
        try expect(empty.status == 400 && empty.string("error") == "Session ID is required")
      }
    }
  }

  @Test func whoAsksAboutAPaidSessionMakesTheBooking() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let session = try await open(service)
        let before = try await service.server.theatre(.bookings).count
        try await service.server.pay(session: session, customer: "Ann Gray", email: "Ann@guests.example")
        try await expectEqual(service.server.theatre(.bookings).count, before)
        let reply = try await service.ask(.GET, "/api/checkout/success?session_id=\(session)")
        let json = try reply.json
        expectEqual(reply.status, 200)
        let code = try #require(json.string("verification_code"))
        expect(code.wholeMatch(of: /[0-9A-Z]{10,12}/) != nil)
        expect(json.string("payment_status") == "paid" && json.integer("amount_total") == 15_000)
        expect(json.string("show_details.start_time") == "2026-01-31T19:30:00")
        expectEqual(json.string("show_details.booking.validation_code"), code)
        expect(json.integer("show_details.booking.total_amount") == 150)
        expect(json.string("show_details.seats.1.row") == "A" && json.integer("show_details.seats.1.number") == 2)
        expectEqual(json["show_details.seats.0.price_paid"], .number(75))
        // Once, however often it is asked for.
        let again = try await service.ask(.GET, "/api/checkout/success?session_id=\(session)")
        try expectEqual(again.json, json)
        try await expectEqual(service.server.theatre(.bookings).count, before + 1)
        let headers = [BookingVenue.origin, try await service.session()]
        let checked = try await service.validate(code, headers)
        try expect(checked.integer("seats") == 2 && checked.string("booking.customerName") == "Ann Gray")
        try expectEqual(checked.string("booking.stripeCheckoutSessionId"), session)
      }
    }
  }

  @Test func wordsInPlaceOfCodes() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let session = try await open(service)
        for (state, status, code) in [(CheckoutState.processing, 200, "PROCESSING"), (.failed, 400, "ERROR")] {
          try await service.server.pay(session: session, state)
          let reply = try await service.ask(.GET, "/api/checkout/success?session_id=\(session)")
          try expect(reply.status == status && reply.string("verification_code") == code)
          try expectEqual(reply.string("payment_status"), "paid")
        }
        await #expect(throws: VenueError.self) { try await service.server.pay(session: "cs_test_none") }
      }
    }
  }

  private func open(_ service: BookingVenue) async throws -> String {
    let seats = [try await service.seatID("A", 1), try await service.seatID("A", 2)]
    let reply = try await service.reserve(try service.show(.night).id, seats)
    return try #require(try reply.string("url")?.split(separator: "/").last.map { String($0) })
  }

  // MARK: A buyer's bookings

  @Test func aBuyersBookingsAreFlatInTheDocument() async throws {
    try await withBookings(.document) { service, _ in
      let reply = try await service.ask(.GET, "/api/user/bookings", headers: [try await service.bearer()])
      expectEqual(reply.status, 200)
      let party = try service.booking(.party)
      let told = try #require(try reply.json["0"])
      try expect(reply.json.count == 1 && told.string("id") == party.id && told.string("qrCode") == party.code)
      expect(told.string("showTitle") == "The Tempest" && told.string("showTime") == "19:30:00")
      expect(told.string("venue") == "The Hamilton Theatre" && told.integer("totalAmount") == 182)
      expect(told["seats"]?.count == 4 && told.string("seats.0.number") == "12")
      try await service.server.setBooking(party.code)
      let after = try await service.ask(.GET, "/api/user/bookings", headers: [try await service.bearer()])
      try expect(after.string("0.status") == "cancelled" && after.string("0.qrCode") == nil)
      // An address alone opens nothing.
      for headers in [[], [("Authorization", "Bearer wrong")], [("x-user-email", service.theatre.buyerEmail)]] {
        let refused = try await service.ask(.GET, "/api/user/bookings?email=a@b.c", headers: headers)
        expectEqual(refused.status, 401)
      }
    }
  }

  @Test func theRealOneTellsRowsAndThoseOfOwnAddressTwice() async throws {
    try await withBookings(.real) { service, _ in
      let reply = try await service.ask(.GET, "/api/user/bookings", headers: [try await service.bearer()])
      let json = try reply.json
      expect(reply.status == 200 && json.count == 2 && json["0"] == json["1"])
      expectEqual(json.string("0.validationCode"), try service.booking(.party).code)
      expect(json.integer("0.totalAmountPence") == 18_200 && json.string("0.show.time") == "19:30:00")
      expect(json.string("0.venue.name") == "The Hamilton Theatre" && json["0.seats"] == nil)
      let refused = try await service.ask(
        .GET, "/api/user/bookings", headers: [("Authorization", "Bearer a.b.c")])
      try expect(refused.status == 401 && refused.string("error") == "Invalid or expired token")
    }
  }

  @Test func theRealOneTellsWhoeverKnowsAnAddress() async throws {
    try await withBookings(.real) { service, _ in
      let email = service.theatre.buyerEmail
      let byQuery = try await service.ask(.GET, "/api/user/bookings?email=\(email)")
      let byHeader = try await service.ask(.GET, "/api/user/bookings", headers: [("x-user-email", email)])
      let json = try byQuery.json
      try expect(byQuery.status == 200 && byHeader.json == json)
      expect(json["success"] == .bool(true) && json.string("userEmail") == email)
      expectEqual(json.string("bookings.0.qrCode"), try service.booking(.party).code)
      expectEqual(json["bookings.0.seats"], .array(["F-12", "F-13", "F-14", "F-15"].map { .string($0) }))
      expect(
        json.integer("bookings.0.pricing.totalPence") == 18_200
          && json.string("bookings.0.pricing.totalDisplay") == "£182.00")
      expect(json.integer("summary.totalBookings") == 1 && json.integer("summary.totalSpent") == 18_200)
      let nobody = try await service.ask(.GET, "/api/user/bookings?email=x@y.example")
      try expect(nobody.status == 200 && nobody.json["bookings"] == .array([]))
      let empty = try await service.ask(.GET, "/api/user/bookings")
      try expect(empty.status == 400 && empty.string("error") == "User email required")
    }
  }
}
