import Hummingbird

/// What the control socket does about bookings. Bodies are lines of `name=value`, answers lines of JSON.
///
/// `POST /bookings` makes one (`show`, `seats` with commas between, `count`, `customer`, `email`, `code`, `status`), `PUT /booking`
/// gives one another status (`id`, `status`), `POST /shows` puts one on (`title`, `date`, `time`, `starts`, `pence`, `seated`,
/// `elsewhere`), `PUT /checkout` has somebody pay (`session`, `state`, `customer`, `email`), `DELETE /booking-sessions` ends all
/// sessions, `POST /booking-mail` tells what a mail would have brought (`email`), `GET /theatre/LIST` lists.
extension VenueControl {
  func addBookings(to router: Router<BasicRequestContext>) {
    router.get("/theatre/:list") { _, context in
      await Self.lines {
        let name = context.parameters.get("list") ?? ""
        guard let list = VenueServer.TheatreList(rawValue: name) else {
          throw VenueError.unusable("listed are bookings, shows and checkouts")
        }
        return try await venue.theatre(list)
      }
    }
    router.post("/bookings") { request, _ in
      try await answer(request) { lines in try await venue.addBooking(try Self.booking(lines)).line() }
    }
    router.put("/booking") { request, _ in
      try await answer(request) { lines in
        let status: BookingStatus = try Self.word("status", lines) ?? .cancelled
        try await venue.setBooking(lines.value("id") ?? "", to: status)
        return nil
      }
    }
    router.post("/shows") { request, _ in
      try await answer(request) { lines in
        let made: JSONText = ["id": .string(try await venue.addShow(try Self.show(lines)))]
        return made.text()
      }
    }
    router.put("/checkout") { request, _ in
      try await answer(request) { lines in
        try await venue.pay(
          session: lines.value("session") ?? "", try Self.word("state", lines) ?? .paid,
          customer: lines.value("customer") ?? "A Guest", email: lines.value("email"))
        return nil
      }
    }
    router.delete("/booking-sessions") { request, _ in
      try await answer(request) { _ in
        try await venue.endBookingSessions()
        return nil
      }
    }
    router.post("/booking-mail") { request, _ in
      try await answer(request) { lines in
        let mail = try await venue.bookingMail(to: lines.value("email") ?? "")
        let told: JSONText = ["verify": .optional(mail.verify), "reset": .optional(mail.reset)]
        return told.text()
      }
    }
  }

  private static func booking(_ lines: Lines) throws -> NewBooking {
    var new = NewBooking()
    if let show = lines.value("show") { new.show = show }
    new.seats = lines.value("seats")?.split(separator: ",").map { String($0) } ?? []
    new.count = try lines.number("count")
    if let customer = lines.value("customer") { new.customer = customer }
    (new.email, new.code) = (lines.value("email"), lines.value("code"))
    if let status: BookingStatus = try word("status", lines) { new.status = status }
    return new
  }

  private static func show(_ lines: Lines) throws -> NewShow {
    var new = NewShow(title: lines.value("title") ?? "")
    (new.date, new.time) = (lines.value("date"), lines.value("time"))
    if let starts = lines.value("starts") { new.starts = starts }
    new.pence = try lines.number("pence")
    new.hasSeatMap = lines.value("seated") != "no"
    new.isElsewhere = lines.value("elsewhere") == "yes"
    return new
  }
}
