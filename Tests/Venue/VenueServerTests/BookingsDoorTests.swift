import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// The door of a theatre, with every trap of the real one.
@Suite struct BookingsDoorTests {
  // MARK: Sign-in

  @Test func theCookieIsForAPlaceWhereTheDoorIsNot() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await service.signIn()
        expectEqual(reply.status, 200)
        let json = try reply.json
        expect(json["success"] == .bool(true) && json.string("venueId") == service.theatre.venueID)
        expectEqual(json["permissions"], .array([.string("view_door_list"), .string("validate_tickets")]))
        let set = try #require(reply.headers["Set-Cookie"].first)
        expect(set.hasPrefix("venue-session=") && set.hasSuffix("HttpOnly; SameSite=lax"), "\(shape)")
        expect(set.contains("; Path=\(shape == .real ? "/venue" : "/");"), "\(shape)")
        expect(set.contains("; Max-Age=28800;") && !set.contains("Secure"))
      }
    }
  }

  @Test func whoIsNotStaffIsNotLetIn() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        for reply in [
          try await service.signIn(password: "wrong"), try await service.signIn("nobody@else.example"),
          try await service.signIn(slug: "palace"),
        ] {
          expectEqual(reply.status, 401)
          let error = JSON.string("Invalid credentials or no venue access")
          try expectEqual(reply.json, .object(["success": .bool(false), "error": error]))
          expect(reply.headers["Set-Cookie"].isEmpty)
        }
        let empty = try await service.ask(.POST, "/api/venue-auth-new", #"{"action":"login"}"#)
        try expect(empty.status == 400 && empty.string("error") == "Email and password are required")
        let other = try await service.ask(.POST, "/api/venue-auth-new", #"{"action":"dance"}"#)
        try expect(other.status == 400 && other.string("error") == "Invalid action")
        let none = try await service.ask(.POST, "/api/venue-auth-new", "no JSON")
        try expect(none.status == 500 && none.string("error") == "Authentication failed")
      }
    }
  }

  @Test func withoutASessionNobodySeesAnything() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        let code = try service.booking(.party).code
        for cookie in [[], [("Cookie", "venue-session=stolen")], [("Cookie", "venue-session=")], [("Cookie", ";;=;")]] {
          let headers = [BookingVenue.origin] + cookie
          for reply in [try await service.list(headers), try await service.validate(code, headers)] {
            expectEqual(reply.status, shape == .real ? 403 : 401, "\(shape) \(cookie)")
            try expectEqual(reply.json, .object(["error": .string("Not authenticated")]))
          }
        }
      }
    }
  }

  @Test func aSessionEndsAfterEightHours() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, clock in
        let headers = [BookingVenue.origin, try await service.session()]
        clock.advance(seconds: 8 * 3_600 - 1)
        try await expectEqual(service.list(headers).status, 200)
        clock.advance(seconds: 1)
        try await expectEqual(service.list(headers).status, shape == .real ? 403 : 401)
      }
    }
  }

  @Test func theRealOneHasOneSessionForAnAccount() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let first = [BookingVenue.origin, try await service.session()]
        try await expectEqual(service.list(first).status, 200)
        let second = [BookingVenue.origin, try await service.session()]
        try await expectEqual(service.list(second).status, 200)
        // Whoever came first is out.
        try await expectEqual(service.list(first).status, shape == .real ? 403 : 200)
      }
    }
  }

  @Test func aSessionThatIsSignedOutIsOver() async throws {
    try await withBookings(.real) { service, _ in
      let cookie = try await service.session()
      let who = try await service.ask(.GET, "/api/venue-auth-new", headers: [cookie])
      try expect(who.json["authenticated"] == .bool(true) && who.string("expiresAt") == "2026-02-01T02:40:00.000Z")
      let out = try await service.ask(.POST, "/api/venue-auth-new", #"{"action":"logout"}"#, headers: [cookie])
      expect(out.status == 200 && out.headers["Set-Cookie"].first?.hasPrefix("venue-session=;") == true)
      try await expectEqual(
        service.ask(.GET, "/api/venue-auth-new", headers: [cookie]).json["authenticated"], .bool(false))
      try await expectEqual(service.list([BookingVenue.origin, cookie]).status, 403)
    }
  }

  @Test func eachMayDoItsOwn() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        let code = try service.booking(.party).code
        let office = [BookingVenue.origin, try await service.session("office@theatre.example")]
        try await expectEqual(service.list(office).status, 200)
        let refused = try await service.validate(code, office)
        expectEqual(refused.status, 403)
        try expectEqual(refused.string("error"), "Insufficient permissions to validate tickets")
        let nobody = [BookingVenue.origin, try await service.session("nobody@theatre.example")]
        let list = try await service.list(nobody)
        try expect(
          list.status == 403 && list.string("error") == "Insufficient permissions to view venue bookings")
        let palace = [BookingVenue.origin, try await service.session("door@palace.example", slug: "palace")]
        let other = try await service.list(palace)
        try expect(
          other.status == 403 && other.string("error") == "Access denied. You can only access palace, not hamilton")
      }
    }
  }

  // MARK: Guards

  @Test func theRealOneKnowsAddresses() async throws {
    try await withBookings(.real, change: { $0.noLimits = true }) { service, _ in
      let cookie = try await service.session()
      let wanted: [([(String, String)], Int)] = [
        ([], 403), ([("Origin", "https://evil.example")], 403), ([("Origin", "")], 403),
        ([("Referer", "https://evil.example/https://lastminutelive.com")], 403),
        ([("Origin", "https://lastminutelive.com")], 200),
        ([("Referer", "https://lastminutelive.com/venue/hamilton")], 200),
        ([("Origin", "https://evil.example"), ("Referer", "https://lastminutelive.com/")], 200),
        ([("Origin", service.venue.address.url)], 200), ([("Origin", "https://then-production.up.railway.app")], 200),
      ]
      for (headers, status) in wanted {
        let reply = try await service.list(headers + [cookie])
        expectEqual(reply.status, status, "\(headers)")
        if status == 403 { try expect(reply.string("error")?.hasPrefix("Origin validation failed") == true) }
        expect(reply.headers["Retry-After"].isEmpty)
      }
    }
  }

  @Test func theRealOneTakesNoTelephones() async throws {
    try await withBookings(.real, change: { $0.noLimits = true }) { service, _ in
      let good = [BookingVenue.origin, try await service.session()]
      for header in [
        ("User-Agent", "LastMinuteLive-Mobile-App/1.0"), ("User-Agent", "Mozilla/5.0 (Linux; Android 14)"),
        ("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0)"), ("x-mobile-app", "true"), ("x-platform", "iOS"),
      ] {
        let reply = try await service.list(good + [header])
        try expect(
          reply.status == 403 && reply.string("error")?.hasPrefix("Mobile access blocked") == true, "\(header)")
        try await expectEqual(service.validate("X", good + [header]).status, 403, "\(header)")
      }
      for header in [("User-Agent", "scangate/1.0"), ("x-mobile-app", "false"), ("x-platform", "linux")] {
        try await expectEqual(service.list(good + [header]).status, 200, "\(header)")
      }
    }
  }

  @Test func fiveCallsInAQuarterOfAnHour() async throws {
    try await withBookings(.real) { service, clock in
      let headers = [BookingVenue.origin, try await service.session()]
      let code = try service.booking(.party).code
      // List and check share them, and what is refused behind the guards counts as well.
      try await expectEqual(service.list(headers).status, 200)
      clock.advance(seconds: 60)
      try await expectEqual(service.validate(code, headers).status, 200)
      try await expectEqual(service.validate("NOBODYS", headers).status, 404)
      try await expectEqual(service.list([BookingVenue.origin]).status, 403)
      try await expectEqual(service.list(headers, venue: "nowhere").status, 404)
      for reply in [try await service.list(headers), try await service.validate(code, headers)] {
        expectEqual(reply.status, 403)
        try expectEqual(reply.json, .object(["error": .string("Too many auth attempts. Try again later.")]))
        expectEqual(reply.headers["Retry-After"], ["840"])
      }
      // A sign-in neither counts nor helps.
      let again = [BookingVenue.origin, try await service.session()]
      clock.advance(seconds: 839)
      let last = try await service.list(again)
      expect(last.status == 403 && last.headers["Retry-After"] == ["1"])
      clock.advance(seconds: 1)
      try await expectEqual(service.list(again).status, 200)
    }
  }

  /// What the guards have sent away has spent nothing.
  @Test func whatIsSentAwayIsNotCounted() async throws {
    try await withBookings(.real) { service, _ in
      let cookie = try await service.session()
      for _ in 0..<6 {
        try await expectEqual(service.list([cookie]).status, 403)
        try await expectEqual(service.list([BookingVenue.origin, cookie, ("x-mobile-app", "true")]).status, 403)
      }
      for _ in 0..<5 { try await expectEqual(service.list([BookingVenue.origin, cookie]).status, 200) }
      try await expectEqual(service.list([BookingVenue.origin, cookie]).status, 403)
    }
  }

  @Test func theDocumentsDoorIsPlain() async throws {
    try await withBookings(.document) { service, _ in
      let headers = [try await service.session(), ("User-Agent", "iPhone"), ("x-mobile-app", "true")]
      for _ in 0..<12 { try await expectEqual(service.list(headers).status, 200) }
      try await expectEqual(service.validate(try service.booking(.party).code, headers).status, 200)
    }
  }

  // MARK: The list

  @Test func theListIsOfConfirmedBookingsOfTheDay() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await service.list([BookingVenue.origin, try await service.session()])
        expectEqual(reply.status, 200)
        // The night's before the matinee's, the latest first.
        try expectEqual(
          reply.codes,
          [try service.booking(.single).code, try service.booking(.party).code, try service.booking(.matinee).code])
        let party = try #require(try reply.json["1"])
        expectEqual(party.string("booking.id"), try service.booking(.party).id)
        expectEqual(party.string("booking.customerName"), "Ada Brandt")
        expect(party.string("booking.status") == "confirmed" && party.integer("booking.totalAmountPence") == 4 * 4_550)
        expectEqual(party.string("booking.createdAt"), "2026-01-31T18:40:00.000Z")
        expectEqual(party.string("show.id"), try service.show(.night).id)
        expect(party.string("show.date") == "2026-01-31" && party.string("show.time") == "19:30:00")
        expect(party.integer("seatCount") == 4 && party["seats"] == nil && party["booking.seats"] == nil)
        expectEqual(try reply.json["0.booking.customerName"], .string("Jürgen Groß"))
      }
    }
  }

  /// Half past midnight in summer in London is half past eleven of the day before in UTC.
  @Test func todayIsTheDayOfUTC() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, at: "2026-07-10T23:30:00Z") { service, clock in
        let headers = [BookingVenue.origin, try await service.session()]
        try expectEqual(service.show(.night).date, "2026-07-11")
        let before = try await service.list(headers)
        // At the real one other days' stand in for a day without any.
        try expectEqual(before.json["0.show.date"], shape == .real ? .string("2026-07-12") : nil)
        clock.advance(seconds: 1_800)
        try await expectEqual(service.list(headers).json["0.show.date"], .string("2026-07-11"))
      }
    }
  }

  @Test func anEmptyDayIsFilledWithTwentyOfOthers() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, clock in
        _ = try await service.server.addBookings((0..<30).map { _ in NewBooking(show: "tomorrow") })
        clock.advance(seconds: 5 * 86_400)
        let reply = try await service.list([BookingVenue.origin, try await service.session()])
        expectEqual(reply.status, 200)
        try expectEqual(reply.codes.count, shape == .real ? 20 : 0)
        guard shape == .real else { return }
        try expectEqual(reply.json["19.show.date"], .string("2026-02-01"))
      }
    }
  }

  @Test func aHouseOf140IsToldByAHundred() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, clock in
        var made: [MadeBooking] = []
        for _ in 0..<140 {
          clock.advance(seconds: 1)
          made.append(try await service.server.addBooking(NewBooking(count: 2)))
        }
        let reply = try await service.list([BookingVenue.origin, try await service.session()])
        let codes = try reply.codes
        expectEqual(codes.count, shape == .real ? 100 : 143)
        // The newest; who has booked first is not on it, nor is anybody of the matinee.
        expectEqual(Array(codes.prefix(100)), made.suffix(100).reversed().map(\.code))
        expectEqual(codes.contains(try service.booking(.matinee).code), shape == .document)
      }
    }
  }

  @Test func fiftyThousandBookings() async throws {
    let count = extent(landing: 1_000, release: 50_000)
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let made = try await service.server.addBookings(
          (0..<count).map { _ in NewBooking(customer: "Zoë \"O'Neill\"") })
        let headers = [BookingVenue.origin, try await service.session()]
        let reply = try await service.list(headers)
        // Three objects a row: so much text is counted, not read.
        expectEqual(reply.text.utf8.count { $0 == UInt8(ascii: "{") }, 3 * (shape == .real ? 100 : count + 3))
        let first = try #require(made.first)
        try await expectEqual(service.validate(first.code, headers).string("booking.id"), first.id)
      }
    }
  }

  // MARK: One code

  @Test func aCodeIsTrimmedAndInCapitalsAndNothingElse() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        let headers = [BookingVenue.origin, try await service.session()]
        let party = try service.booking(.party)
        for code in [party.code, party.code.lowercased(), "  \(party.code)\\t\\n"] {
          let reply = try await service.validate(code, headers)
          expectEqual(reply.status, 200, "\(code)")
          try expectEqual(reply.string("booking.id"), party.id)
          try expect(reply.integer("seats") == 4 && reply.string("show.venueName") == "The Hamilton Theatre")
        }
        let stays = try await service.validate("LML-\(party.code)", headers)
        expectEqual(stays.status, 404)
        try expectEqual(stays.string("error"), "Invalid verification code or ticket not found")
      }
    }
  }

  @Test func checkingMarksNothingAndLooksAtNoDate() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, clock in
        let code = try service.booking(.single).code
        let first = try await service.validate(code, [BookingVenue.origin, try await service.session()])
        clock.advance(seconds: 40 * 86_400)
        let headers = [BookingVenue.origin, try await service.session()]
        let second = try await service.validate(code, headers)
        try expect(first.status == 200 && second.json == first.json)
        try await expectEqual(service.validate(try service.booking(.tomorrow).code, headers).status, 200)
      }
    }
  }

  @Test func whatIsNoCodeIsToldApart() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        let headers = [BookingVenue.origin, try await service.session()]
        let place = "/api/venues/\(service.theatre.venueID)/validate"
        for body in ["{}", #"{"validationCode":""}"#, #"{"validationCode":7}"#, #"{"validationCode":null}"#] {
          let reply = try await service.ask(.POST, place, body, headers: headers)
          try expect(reply.status == 400 && reply.string("error") == "Validation code is required", "\(body)")
        }
        let none = try await service.ask(.POST, place, "<code>", headers: headers)
        try expect(none.status == 500 && none.string("error") == "Failed to validate ticket")
        for venue in ["nowhere", "%2e%2e", "a%00b"] {
          let reply = try await service.validate("X", headers, venue: venue)
          try expect(reply.status == 404 && reply.string("error") == "Venue not found", "\(venue)")
        }
        // Another venue's.
        try await expectEqual(service.validate(try service.booking(.elsewhere).code, headers).status, 404)
      }
    }
  }

  @Test func theRealOneKnowsConfirmedBookingsAlone() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        let headers = [BookingVenue.origin, try await service.session()]
        for kind in [SeededBooking.Kind.cancelled, .pending, .expired] {
          let reply = try await service.validate(try service.booking(kind).code, headers)
          expectEqual(reply.status, shape == .real ? 404 : 200, "\(kind)")
          if shape == .document { try expectEqual(reply.string("booking.status"), kind.rawValue) }
        }
      }
    }
  }

  @Test func ofTwoBookingsWithOneCodeTheFirstIsTold() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let first = try await service.server.addBooking(NewBooking(count: 2, code: "TWICE123"))
        let second = try await service.server.addBooking(NewBooking(show: "matinee", code: "TWICE123"))
        let headers = [BookingVenue.origin, try await service.session()]
        try await expectEqual(service.validate("twice123", headers).string("booking.id"), first.id)
        try await expectEqual(service.list(headers).codes.filter { $0 == "TWICE123" }.count, 2)
        try await service.server.setBooking(first.id)
        try await expectEqual(
          service.validate("twice123", headers).string("booking.id"), shape == .real ? second.id : first.id)
      }
    }
  }

  @Test func timesAreAsTheyWereWritten() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let show = try await service.server.addShow(NewShow(title: "Late", date: "2026-01-31", time: "22:15"))
        let made = try await service.server.addBooking(NewBooking(show: show))
        let headers = [BookingVenue.origin, try await service.session()]
        let time = shape == .real ? "22:15" : "22:15:00"
        try await expectEqual(service.list(headers).string("0.show.time"), time)
        try await expectEqual(service.validate(made.code, headers).string("show.time"), time)
      }
    }
  }
}
