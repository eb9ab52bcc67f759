import SQLiteFile

/// What a booking is worth.
package enum BookingStatus: String, Sendable, CaseIterable, Codable {
  case pending, confirmed, cancelled, expired
}

/// Shows, seats and bookings, inside a transaction.
struct TheatreBook {
  let db: Database
  let now: Timestamp

  // MARK: Shows

  struct Show: Sendable {
    let id, venueID, venueName, venueAddress, title, description, date, time: String
    let seatMapID: String?

    init(_ row: StoredRow) throws {
      (id, venueID, venueName) = (try row["id"], try row["venue_id"], try row["venue_name"])
      (venueAddress, title, description) = (try row["venue_address"], try row["title"], try row["description"])
      (date, time, seatMapID) = (try row["date"], try row["time"], try row["seat_map_id"])
    }

    /// `HH:MM:SS`, which the document always has.
    var longTime: String { time.utf8.count == 5 ? time + ":00" : time }
  }

  private static let shows = """
    SELECT theatre_shows.*, theatre_venues.name AS venue_name, theatre_venues.address AS venue_address
    FROM theatre_shows JOIN theatre_venues ON theatre_venues.id = venue_id
    """

  func shows() throws -> [Show] {
    try db.rows(Self.shows + " ORDER BY date, time, theatre_shows.id").map { try Show($0) }
  }

  func show(_ id: String) throws -> Show? {
    try db.row(Self.shows + " WHERE theatre_shows.id = ?", id).map { try Show($0) }
  }

  /// A show by its id, by what it was seeded as, or by its title where one alone has it.
  func show(named name: String) throws -> Show? {
    if let show = try show(name) { return show }
    if let row = try db.row(Self.shows + " WHERE theatre_shows.seed = ?", name) { return try Show(row) }
    let titled = try db.rows(Self.shows + " WHERE title = ? LIMIT 2", name)
    return titled.count == 1 ? try titled.first.map { try Show($0) } : nil
  }

  /// A part of a house, and how many of its seats a show has.
  struct Pricing: Sendable {
    let sectionID, name, color: String
    let pence, free, all: Int64
    let isAccessible: Bool
  }

  func pricing(of show: Show) throws -> [Pricing] {
    try db.rows(
      """
      SELECT theatre_sections.id, name, color, is_accessible, max(theatre_seats.price_pence) AS pence, count(*) AS seats,
        sum(theatre_seats.status = 'available') AS free
      FROM theatre_seats JOIN theatre_sections ON theatre_sections.id = section_id
      WHERE show_id = ? GROUP BY theatre_sections.id ORDER BY sort_order
      """, show.id
    ).map { row in
      try Pricing(
        sectionID: row["id"], name: row["name"], color: row["color"], pence: row["pence"], free: row["free"],
        all: row["seats"], isAccessible: row["is_accessible"])
    }
  }

  // MARK: Seats

  struct Seat: Sendable {
    let id, sectionID, section, color, row, status: String
    let number, pence: Int64
    let isAccessible: Bool

    init(_ row: StoredRow) throws {
      (id, sectionID, section) = (try row["id"], try row["section_id"], try row["section_name"])
      (color, self.row, status) = (try row["color"], try row["row_letter"], try row["status"])
      (number, pence, isAccessible) = (try row["seat_number"], try row["price_pence"], try row["is_accessible"])
    }
  }

  private static let seats = """
    SELECT theatre_seats.*, theatre_sections.name AS section_name, color, is_accessible
    FROM theatre_seats JOIN theatre_sections ON theatre_sections.id = section_id
    """
  private static let inOrder = " ORDER BY sort_order, row_letter, seat_number"

  func seats(ofShow id: String) throws -> [Seat] {
    try db.rows(Self.seats + " WHERE show_id = ?" + Self.inOrder, id).map { try Seat($0) }
  }

  func seats(ofBooking id: String) throws -> [Seat] {
    try db.rows(Self.seats + " WHERE booking_id = ?" + Self.inOrder, id).map { try Seat($0) }
  }

  func seats(ofReservation token: String) throws -> [Seat] {
    try db.rows(Self.seats + " WHERE reservation = ?" + Self.inOrder, token).map { try Seat($0) }
  }

  /// A show's seat by what is printed on it: `F12`, `F-12`.
  func seat(_ text: String, ofShow id: String) throws -> Seat? {
    let row = text.prefix { !$0.isNumber && $0 != "-" }
    guard let number = Int64(text.dropFirst(row.count).drop { $0 == "-" }) else { return nil }
    return try db.row(
      Self.seats + " WHERE show_id = ? AND row_letter = ? AND seat_number = ?", id, row.uppercased(), number
    ).map { try Seat($0) }
  }

  // MARK: Bookings

  struct Booking: Sendable {
    let id, showID, code, status, customerName, customerEmail: String
    let userID, sessionID: String?
    let seatCount, pence: Int64
    let created, updated: Timestamp

    init(_ row: StoredRow) throws {
      (id, showID, code) = (try row["id"], try row["show_id"], try row["code"])
      (status, customerName, customerEmail) = (try row["status"], try row["customer_name"], try row["customer_email"])
      (userID, sessionID) = (try row["user_id"], try row["session_id"])
      (seatCount, pence) = (try row["seat_count"], try row["total_pence"])
      created = Timestamp(clamping: try row["created_at"])
      updated = Timestamp(clamping: try row["updated_at"])
    }

    /// All columns, as the real server gives them.
    var columns: [(key: String, value: JSONText)] {
      [
        ("id", .string(id)), ("showId", .string(showID)), ("userId", .optional(userID)),
        ("customerName", .string(customerName)), ("customerEmail", .string(customerEmail)), ("customerPhone", nil),
        ("status", .string(status)), ("totalAmountPence", .integer(pence)), ("validationCode", .string(code)),
        ("stripePaymentIntentId", .optional(sessionID.map { "pi_" + $0.suffix(24) })),
        ("stripeCheckoutSessionId", .optional(sessionID)), ("notes", nil), ("createdAt", .string(created.javaScript)),
        ("updatedAt", .string(updated.javaScript)),
      ]
    }
  }

  func booking(_ id: String) throws -> Booking? {
    try db.row("SELECT * FROM theatre_bookings WHERE id = ?", id).map { try Booking($0) }
  }

  /// All with a code; it may be several.
  func bookings(ofCode code: String) throws -> [Booking] {
    try db.rows("SELECT * FROM theatre_bookings WHERE code = ? ORDER BY number", code).map { try Booking($0) }
  }

  /// A buyer's by the account, the latest first.
  func bookings(ofUser id: String) throws -> [Booking] {
    try db.rows("SELECT * FROM theatre_bookings WHERE user_id = ? ORDER BY created_at DESC, number DESC", id)
      .map { try Booking($0) }
  }

  /// A buyer's by the address, the latest first.
  func bookings(ofEmail email: String) throws -> [Booking] {
    try db.rows("SELECT * FROM theatre_bookings WHERE customer_email = ? ORDER BY created_at DESC, number DESC", email)
      .map { try Booking($0) }
  }

  /// Gives a booking another status; seats of one that is over are for sale again.
  func set(_ status: BookingStatus, of booking: Booking) throws {
    try db.run(
      "UPDATE theatre_bookings SET status = ?, updated_at = ? WHERE id = ?", status.rawValue, now.seconds, booking.id)
    guard status == .cancelled || status == .expired else { return }
    try db.run(
      "UPDATE theatre_seats SET status = 'available', booking_id = NULL, reservation = NULL WHERE booking_id = ?",
      booking.id)
  }
}
