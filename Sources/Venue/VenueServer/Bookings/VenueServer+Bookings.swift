import Foundation
import SQLiteFile

/// What is done at a venue about bookings besides what its service is asked.
extension VenueServer {
  /// The most rows that are listed.
  private static let mostListed = 100_000

  /// Makes bookings, all or none.
  /// - Throws: `VenueError.unusable`, in words.
  package func addBookings(_ all: [NewBooking]) async throws -> [MadeBooking] {
    let now = Timestamp(configuration.now())
    return try await store.write { try BookingMaking(db: $0, now: now).add(all) }
  }

  /// Makes a booking.
  /// - Throws: `VenueError.unusable`, in words.
  @discardableResult package func addBooking(_ new: NewBooking) async throws -> MadeBooking {
    guard let made = try await addBookings([new]).first else { throw VenueError.unusable("nothing was booked") }
    return made
  }

  /// Gives a booking another status. Seats of one that is over are for sale again.
  /// - Parameter name: its id, or its code where it alone has it.
  /// - Throws: `VenueError.unusable`, in words.
  package func setBooking(_ name: String, to status: BookingStatus = .cancelled) async throws {
    let now = Timestamp(configuration.now())
    try await store.write { db in
      let book = TheatreBook(db: db, now: now)
      let found = try book.booking(name).map { [$0] } ?? book.bookings(ofCode: name)
      guard let booking = found.first else {
        throw VenueError.unusable("no booking has this id or code; scangate venue booking show tells which there are")
      }
      guard found.count == 1 else {
        throw VenueError.unusable("\(found.count) bookings have this code; name the one by its id")
      }
      try book.set(status, of: booking)
    }
  }

  /// Puts a show on and returns its id.
  /// - Throws: `VenueError.unusable`, in words.
  package func addShow(_ new: NewShow) async throws -> String {
    let now = Timestamp(configuration.now())
    return try await store.write { db in
      var random = SystemRandomNumberGenerator()
      return try BookingMaking(db: db, now: now).add(new, &random)
    }
  }

  /// Has somebody pay at a checkout page, or not quite. The service makes the booking when it is asked.
  /// - Throws: `VenueError.unusable` where no such session is open.
  package func pay(
    session: String, _ state: CheckoutState = .paid, customer: String = "A Guest", email: String? = nil
  ) async throws {
    try await store.write { db in
      let mail = email?.lowercased() ?? "guest@guests.example"
      guard try db.value("SELECT 1 FROM theatre_checkouts WHERE session_id = ?", session) as Int64? != nil else {
        throw VenueError.unusable("there is no such checkout session; its id begins with cs_test_")
      }
      try db.run(
        "UPDATE theatre_checkouts SET state = ?, customer_name = ?, customer_email = ? WHERE session_id = ?",
        state.rawValue, customer, mail, session)
    }
  }

  /// Has all sessions of the door and all tokens of buyers end, from the next request on. The real shape's tokens carry their end
  /// themselves: they stay.
  package func endBookingSessions() async throws {
    try await store.write { db in
      try db.run("DELETE FROM theatre_sessions")
      try db.run("DELETE FROM theatre_tokens")
    }
  }

  /// What a mail to an account would have brought last: nil where none was sent, or it was used.
  package func bookingMail(to email: String) async throws -> (verify: String?, reset: String?) {
    try await store.read { db in
      let row = try db.row("SELECT verify_token, reset_token FROM theatre_users WHERE email = ?", email.lowercased())
      guard let row else { throw VenueError.unusable("no account has this address") }
      return (try row["verify_token"], try row["reset_token"])
    }
  }

  /// What is listed of a theatre.
  package enum TheatreList: String, Sendable, CaseIterable {
    case bookings, shows, checkouts

    /// Where nobody says which.
    package static let usual = TheatreList.bookings
  }

  /// The theatre's bookings, shows or checkouts, a line of JSON each, whole codes included.
  package func theatre(_ list: TheatreList) async throws -> [String] {
    try await store.read { db in
      let sql =
        switch list {
        case .bookings:
          """
          SELECT json_object('id', theatre_bookings.id, 'code', code, 'status', status, 'show', title, 'date', date, 'time', time,
            'seats', (SELECT json_group_array(row_letter || seat_number) FROM theatre_seats WHERE booking_id = theatre_bookings.id),
            'count', seat_count, 'customer', customer_name, 'email', customer_email, 'seeded', theatre_bookings.seed) AS told
          FROM theatre_bookings JOIN theatre_shows ON theatre_shows.id = show_id ORDER BY number
          """
        case .shows:
          """
          SELECT json_object('id', theatre_shows.id, 'title', title, 'date', date, 'time', time, 'venue', theatre_venues.id,
            'slug', slug, 'zone', zone, 'bookings', (SELECT count(*) FROM theatre_bookings WHERE show_id = theatre_shows.id),
            'seeded', theatre_shows.seed) AS told
          FROM theatre_shows JOIN theatre_venues ON theatre_venues.id = venue_id ORDER BY date, time, theatre_shows.id
          """
        case .checkouts:
          """
          SELECT json_object('session', session_id, 'show', show_id, 'state', state, 'asked', asked,
            'held', (SELECT count(*) FROM theatre_seats WHERE theatre_seats.reservation = theatre_checkouts.reservation),
            'pence', amount_pence, 'booking', booking_id) AS told
          FROM theatre_checkouts ORDER BY rowid
          """
        }
      return try db.rows(sql + " LIMIT \(Self.mostListed)").map { try $0["told"] }
    }
  }
}
