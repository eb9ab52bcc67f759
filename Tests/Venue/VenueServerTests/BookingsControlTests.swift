import Expectations
import Foundation
import NIOHTTP1
import SQLiteFile
import Testing

@testable import VenueServer

/// What is done at a theatre by its control socket; how it misbehaves; its seeds; older files.
@Suite struct BookingsControlTests {
  private func withControl(
    _ shape: BookingShape = .real, _ body: (BookingVenue, VenueControlClient, ManualClock) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/control.sock"
      let change: (inout VenueConfiguration) -> Void = { ($0.controlSocket, $0.noLimits) = (path, true) }
      try await withBookings(shape, change: change) { service, clock in
        try await body(service, VenueControlClient(path: path), clock)
      }
    }
  }

  @Test func bookedAndCancelled() async throws {
    try await withControl { service, control, _ in
      let headers = [BookingVenue.origin, try await service.session()]
      let made = try await control.addBooking(
        NewBooking(seats: ["A1", "a-2"], customer: "Ruth Vidal", email: "Ruth@guests.example"))
      try await expectEqual(service.validate(made.code, headers).integer("seats"), 2)
      try await expectEqual(service.list(headers).codes.first, made.code)
      let line = try #require(try await control.theatre(.bookings).last)
      let told = try JSON.read(line)
      expect(told.string("code") == made.code && told.string("email") == "ruth@guests.example")
      expectEqual(told["seats"], .array([.string("A1"), .string("A2")]))
      try await control.setBooking(made.code)
      try await expectEqual(service.validate(made.code, headers).status, 404)
      // Its seats are for sale again.
      let again = try await control.addBooking(NewBooking(seats: ["A1"]))
      try await control.setBooking(again.id, to: .pending)
      try await expectEqual(service.validate(again.code, headers).status, 404)
      try await control.setBooking(again.id, to: .confirmed)
      try await expectEqual(service.validate(again.code, headers).status, 200)
      let plain = try await control.addBooking(NewBooking(show: "matinee", count: 9, code: "PROCESSING"))
      expectEqual(plain.code, "PROCESSING")
      try await expectEqual(service.validate("processing", headers).integer("seats"), 9)
    }
  }

  @Test func whatCannotBeBookedIsExplained() async throws {
    try await withControl { service, control, _ in
      _ = try await control.addBooking(NewBooking(code: "TWICE123"))
      _ = try await control.addBooking(NewBooking(code: "TWICE123"))
      let wrong: [(NewBooking, String)] = [
        (NewBooking(show: "nowhere"), "no show has the id"), (NewBooking(seats: ["Z99"]), "no seat \"Z99\""),
        (NewBooking(seats: ["F12"]), "is booked"), (NewBooking(seats: ["A1", "A-1"]), "named twice"),
        (NewBooking(show: "unseated", seats: ["A1"]), "no seat"), (NewBooking(seats: ["A1"], count: 2), "as many"),
        (NewBooking(count: 0), "1 to 100000"), (NewBooking(count: -1), "1 to 100000"),
        (NewBooking(code: "a b"), "no spaces"), (NewBooking(customer: ""), "a customer must have"),
      ]
      for (new, words) in wrong {
        let error = try await #require(throws: VenueError.self) { try await control.addBooking(new) }
        expect(error.description.contains(words), "\(error)")
      }
      for (name, words) in [("none", "no booking has this id or code"), ("TWICE123", "2 bookings have this code")] {
        let error = try await #require(throws: VenueError.self) { try await control.setBooking(name) }
        expect(error.description.contains(words), "\(error)")
      }
      let word = try await #require(throws: VenueError.self) {
        try await control.ask(.POST, "bookings", "status=paid")
      }
      expect(word.description.contains("status is one of pending, confirmed, cancelled, expired"))
      let session = try await #require(throws: VenueError.self) { try await control.pay(session: "x") }
      expect(session.description.contains("no such checkout session"))
      let list = try await #require(throws: VenueError.self) { try await control.ask(.GET, "theatre/money") }
      expect(list.description.contains("bookings, shows and checkouts"))
    }
  }

  /// All or none.
  @Test func manyAreBookedTogether() async throws {
    try await withBookings(.real) { service, _ in
      let before = try await service.server.theatre(.bookings).count
      await #expect(throws: VenueError.self) {
        try await service.server.addBookings([NewBooking(seats: ["A1"]), NewBooking(seats: ["A1"])])
      }
      try await expectEqual(service.server.theatre(.bookings).count, before)
    }
  }

  @Test func showsAreWhateverTheyAre() async throws {
    try await withControl { service, control, _ in
      let soon = try await control.addShow(NewShow(title: "Soon"))
      let odd = try await control.addShow(
        NewShow(title: "Odd", date: "0000-00-00", time: "24:00:00", pence: -500, hasSeatMap: true))
      let bare = try await control.addShow(NewShow(title: "Bare", starts: "2026-07-01T18:00:00Z", hasSeatMap: false))
      let json = try await service.ask(.GET, "/api/shows").json
      let shows = (0..<(json.count ?? 0)).compactMap { json["\($0)"] }
      func show(_ id: String) throws -> JSON { try #require(shows.first { $0.string("id") == id }) }
      try expect(show(soon).string("date") == "2026-01-31" && show(soon).string("time") == "19:10:00")
      try expect(show(odd).string("date") == "0000-00-00" && show(odd).string("time") == "24:00:00")
      try expectEqual(show(odd).integer("seat_pricing.0.price"), -5)
      // By the clocks of the venue, which is in summer then.
      try expect(show(bare).string("time") == "19:00:00" && show(bare)["seatMapId"] == .null)
      let made = try await control.addBooking(NewBooking(show: odd, seats: ["A1"]))
      let headers = [BookingVenue.origin, try await service.session()]
      try await expectEqual(service.validate(made.code, headers).integer("booking.totalAmountPence"), -500)
      await #expect(throws: VenueError.self) { try await control.addShow(NewShow(title: "")) }
      await #expect(throws: VenueError.self) { try await control.addShow(NewShow(title: "x", starts: "soon")) }
    }
  }

  @Test func somebodyPays() async throws {
    try await withControl { service, control, _ in
      let reserved = try await service.reserve(try service.show(.night).id, [try await service.seatID("A", 1)])
      let session = try #require(try reserved.string("sessionId"))
      let place = "/api/checkout/success?session_id=\(session)"
      try await control.pay(session: session, .processing)
      try await expectEqual(service.ask(.GET, place).string("verification_code"), "PROCESSING")
      try await control.pay(session: session, customer: "Ann Gray", email: "ann@guests.example")
      let paid = try await service.ask(.GET, place)
      try expectEqual(paid.string("customer_details.name"), "Ann Gray")
      let line = try #require(try await control.theatre(.checkouts).first)
      try expectEqual(JSON.read(line).string("booking"), paid.string("show_details.booking.id"))
    }
  }

  @Test func sessionsEndBetweenTwoCalls() async throws {
    for shape in BookingShape.allCases {
      try await withControl(shape) { service, control, _ in
        let headers = [BookingVenue.origin, try await service.session()]
        let bearer = try await service.bearer()
        try await expectEqual(service.list(headers).status, 200)
        try await control.endBookingSessions()
        try await expectEqual(service.list(headers).status, shape == .real ? 403 : 401)
        let bookings = try await service.ask(.GET, "/api/user/bookings", headers: [bearer])
        expectEqual(bookings.status, shape == .real ? 200 : 401)
        try await expectEqual(service.list([BookingVenue.origin, try await service.session()]).status, 200)
      }
    }
  }

  @Test func mailIsTold() async throws {
    try await withControl { service, control, _ in
      let email = service.theatre.buyerEmail
      try await expectEqual(control.bookingMail(to: email), #"{"verify":null,"reset":null}"#)
      _ = try await service.ask(.POST, "/api/auth/password-reset", #"{"email":"\#(email)"}"#)
      let told = try JSON.read(try await control.bookingMail(to: email))
      expectEqual(told.string("reset")?.count, 64)
      await #expect(throws: VenueError.self) { try await control.bookingMail(to: "x@y.example") }
    }
  }

  // MARK: Bad days

  @Test func onlyWhatItIsForIsHit() async throws {
    let (signIn, list, check, shows) = ("sign-in", "list", "check", "shows")
    for (scope, hit) in [
      ("", [check]), (",on=checks", [check]), (",on=lists", [list]), (",on=sign-ins", [signIn]),
      (",on=desk", [signIn, list, shows]), (",on=kiosk", []), (",on=all", [signIn, list, check, shows]),
    ] {
      try await withBookings(.real) { service, _ in
        let headers = [BookingVenue.origin, try await service.session()]
        service.server.misbehave([try Misbehaviour("status=503" + scope)])
        var seen: [String] = []
        // The sign-in last: it ends the session.
        for (name, status) in [
          (list, try await service.list(headers).status), (check, try await service.validate("X", headers).status),
          (shows, try await service.ask(.GET, "/api/shows").status), (signIn, try await service.signIn().status),
        ] where status == 503 { seen.append(name) }
        expectEqual(seen.sorted(), hit.sorted(), "\(scope)")
      }
    }
  }

  @Test func statusesHaveTheServicesWords() async throws {
    for (scope, status, text) in [
      ("checks", 403, #"{"error":"Not authenticated"}"#), ("checks", 404, #"{"error":"Venue not found"}"#),
      ("lists", 500, #"{"error":"Internal server error"}"#),
      ("sign-ins", 401, #"{"success":false,"error":"Invalid email or password"}"#),
    ] {
      try await withBookings(.real) { service, _ in
        let headers = [BookingVenue.origin, try await service.session()]
        service.server.misbehave([try Misbehaviour("status=\(status),on=\(scope)")])
        let reply =
          switch scope {
          case "checks": try await service.validate("X", headers)
          case "lists": try await service.list(headers)
          default: try await service.signIn()
          }
        expect(reply.status == status && reply.text == text, "\(reply.text)")
      }
    }
  }

  @Test func badDaysOfAList() async throws {
    try await withBookings(.real) { service, _ in
      let headers = [BookingVenue.origin, try await service.session()]
      func on(_ text: String) async throws -> Reply {
        service.server.misbehave([try Misbehaviour(text + ",on=lists")], clearing: true)
        return try await service.list(headers)
      }
      let page = try await on("html")
      expect(page.status == 200 && page.text.hasPrefix("<!DOCTYPE html>"))
      let cut = try await on("json=cut")
      expect(cut.status == 200 && (try? cut.json) == nil)
      let failure = try await on("json=failure")
      try expect(failure.status == 200 && failure.json["success"] == .bool(false))
      let odd = try await on("json=odd")
      try expect(odd.string("0.show.date") == "0000-00-00" && odd.string("0.show.time") == "24:00:00")
      try expect(odd.string("0.booking.validationCode") == "PROCESSING")
      try expectEqual(odd.integer("1.booking.totalAmountPence"), -18_200)
      let types = try await on("json=types")
      try expect(types.string("0.seatCount") == "1" && types.json["0.booking.id"] == .null)
    }
  }

  @Test func withoutAShapeThereIsNoService() async throws {
    try await withVenue { venue in
      for path in ["/api/shows", "/api/venues/x/bookings/today"] {
        let reply = try await venue.get(path)
        expectEqual(reply.status, 404)
        try expect(reply.string("message") == "The route \(path.dropFirst()) could not be found.")
      }
    }
  }

  /// Each of the venue's services stays where another is.
  @Test func theOthersStay() async throws {
    let change: (inout VenueConfiguration) -> Void = { ($0.subscriptionShape, $0.serverShape) = (.real, .document) }
    try await withBookings(.real, change: change) { service, _ in
      try await expectEqual(service.venue.scan(try service.venue.code(.entry)).status, 201)
      try await expectEqual(service.venue.get("/api/venues").status, 200)
      try await expectEqual(service.ask(.GET, "/api/v1/apple/subs").status, 403)
      try await expectEqual(service.ask(.GET, "/api/shows").status, 200)
      try await expectEqual(service.list([BookingVenue.origin, try await service.session()]).status, 200)
    }
  }

  // MARK: Seeds

  @Test func aTheatreIsSeededAgain() async throws {
    try await withBookings(.document) { service, clock in
      expectEqual(service.theatre.shows.map(\.kind), SeededShow.Kind.allCases)
      expectEqual(service.theatre.bookings.map(\.kind), SeededBooking.Kind.allCases)
      clock.advance(seconds: 3 * 86_400)
      let again = try await service.server.seedTheatre(zone: "Europe/London", staffPassword: "the-same-again")
      expectEqual(again.bookings, service.theatre.bookings)
      expectEqual(again.shows.map(\.id), service.theatre.shows.map(\.id))
      expect(again.show(.night)?.date == "2026-02-03" && again.venueID == service.theatre.venueID)
      try await expectEqual(service.signIn(password: "the-same-again").status, 200)
      try await expectEqual(service.signIn().status, 401)
      await #expect(throws: VenueError.self) { try await service.server.seedTheatre(zone: "Nowhere/Land") }
    }
  }

  /// The same number makes the same theatre.
  @Test func aNumberMakesTheSameTheatre() async throws {
    var made: [SeededTheatre] = []
    for _ in 0..<2 {
      try await withBookings(.real) { service, _ in made.append(service.theatre) }
    }
    expect(made.count == 2 && made[0].bookings == made[1].bookings && made[0].shows == made[1].shows)
  }

  /// A file of before there were bookings is brought up to date.
  @Test func anOlderFileIsBroughtUpToDate() async throws {
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(storage: .file(directory + "/venue.sqlite"), failureDelay: .zero)
      var tickets: [BookedTicket] = []
      do {
        let server = try VenueServer(configuration)
        _ = try await server.seed(Seed(zone: "UTC"))
        tickets = try await server.tickets()
        try await server.store.write { db in
          for table in BookingSchema.tables { try db.execute("DROP TABLE \(table)") }
          try db.execute("PRAGMA user_version = 4")
        }
      }
      let server = try VenueServer(configuration)
      try await expectEqual(server.tickets(), tickets)
      await #expect(throws: VenueError.self) { try await server.addShow(NewShow(title: "Too early")) }
      _ = try await server.seedTheatre(zone: "UTC")
      try await expectEqual(server.theatre(.bookings).count, SeededBooking.Kind.allCases.count)
    }
  }
}

extension JSON {
  /// One line of JSON.
  static func read(_ line: String) throws -> JSON { try JSONDecoder().decode(JSON.self, from: Data(line.utf8)) }
}
