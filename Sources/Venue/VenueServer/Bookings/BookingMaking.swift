import Foundation
import SQLiteFile

/// Making shows and bookings, inside a transaction.
struct BookingMaking {
  let db: Database
  let now: Timestamp

  private var book: TheatreBook { TheatreBook(db: db, now: now) }

  // MARK: Bookings

  /// Makes many.
  func add(_ all: [NewBooking]) throws -> [MadeBooking] {
    var random = SystemRandomNumberGenerator()
    var shows: [String: Priced] = [:]
    return try all.map { new in
      let show = try shows[new.show] ?? priced(new.show)
      shows[new.show] = show
      return try add(new, to: show, session: nil, &random)
    }
  }

  /// A show, and what one pays who has no seat of his own.
  private typealias Priced = (show: TheatreBook.Show, pence: Int64)

  private func priced(_ name: String) throws -> Priced {
    let show = try show(name)
    return (show, try book.pricing(of: show).map(\.pence).max() ?? 2_000)
  }

  /// Makes one.
  /// - Parameter session: the checkout that it comes from, which may hold its seats.
  func add(
    _ new: NewBooking, session: String? = nil, _ random: inout some RandomNumberGenerator
  ) throws -> MadeBooking { try add(new, to: try priced(new.show), session: session, &random) }

  private func show(_ name: String) throws -> TheatreBook.Show {
    guard let show = try book.show(named: name) else {
      throw VenueError.unusable(
        "no show has the id \(quoted(name)), and none was seeded as that; scangate venue booking show shows tells which there are"
      )
    }
    return show
  }

  private func add(
    _ new: NewBooking, to priced: Priced, session: String?, _ random: inout some RandomNumberGenerator
  ) throws -> MadeBooking {
    let show = priced.show
    let count = new.count ?? max(1, new.seats.count)
    guard (1...100_000).contains(count), new.seats.isEmpty || count == new.seats.count else {
      throw VenueError.unusable("a booking is for 1 to 100000, or for as many as it has seats; it got \(count)")
    }
    let code = new.code ?? Secret.bookingCode(&random)
    guard (1...64).contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw VenueError.unusable("a code must have 1 to 64 printable ASCII characters and no spaces")
    }
    try check(new.customer, "a customer")
    let id = Secret.uuid(&random)
    let email = new.email?.lowercased() ?? "\(id.prefix(8))@guests.example"
    try check(email, "an address")
    let seats = try seats(new, of: show, session)
    let pence = seats.isEmpty ? Int64(count) * priced.pence : seats.reduce(0) { $0 + $1.pence }
    try db.run(
      """
      INSERT INTO theatre_bookings (id, show_id, user_id, code, status, customer_name, customer_email, seat_count, total_pence,
        session_id, created_at, updated_at, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, id, show.id, try BookingUsers(db: db, now: now).find(email)?.id, code, new.status.rawValue, new.customer,
      email,
      Int64(count), pence, session, now.seconds, now.seconds, new.label)
    for seat in seats {
      try db.run(
        "UPDATE theatre_seats SET status = 'booked', reservation = NULL, booking_id = ? WHERE id = ?", id, seat.id)
    }
    return MadeBooking(id: id, code: code)
  }

  private func seats(
    _ new: NewBooking, of show: TheatreBook.Show, _ session: String?
  ) throws -> [TheatreBook.Seat] {
    guard !new.seats.isEmpty else { return [] }
    let held: String? = try db.value("SELECT reservation FROM theatre_checkouts WHERE session_id = ?", session)
    var seats: [TheatreBook.Seat] = []
    for text in new.seats {
      guard let seat = try book.seat(text, ofShow: show.id), !seats.contains(where: { $0.id == seat.id }) else {
        throw VenueError.unusable("the show has no seat \(quoted(text)), or it was named twice; seats are such as F12")
      }
      let holder: String? = try db.value("SELECT reservation FROM theatre_seats WHERE id = ?", seat.id)
      guard seat.status == "available" || seat.status == "reserved" && holder == held && held != nil else {
        throw VenueError.unusable("the seat \(quoted(text)) is \(seat.status)")
      }
      seats.append(seat)
    }
    return seats
  }

  private func check(_ text: String, _ what: String) throws {
    guard (1...100).contains(text.utf8.count),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { throw VenueError.unusable("\(what) must have 1 to 100 bytes and nothing that steers terminals") }
  }

  // MARK: Shows

  /// Puts a show on.
  /// - Returns: its id.
  func add(_ new: NewShow, label: String? = nil, _ random: inout some RandomNumberGenerator) throws -> String {
    try check(new.title, "a title")
    let slug = new.isElsewhere ? TheatreSeeding.otherLabel : TheatreSeeding.ownLabel
    guard let venue = try db.row("SELECT id, zone FROM theatre_venues WHERE seed = ?", slug) else {
      throw VenueError.unusable("there is no theatre yet; start the venue with --seed first")
    }
    let zone = TimeZone.named(try venue["zone"]) ?? .gmt
    let starts = try VenueMoment.read(new.starts, "the beginning", now: now)
    let wall = Timestamp(
      clamping: starts.seconds
        + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(starts.seconds)))))
    let (date, time) = (new.date ?? "\(wall.day)", new.time ?? wall.clock)
    try check(date, "a date")
    try check(time, "a time")
    let map: String? =
      new.hasSeatMap ? try db.value("SELECT id FROM theatre_seat_maps ORDER BY id LIMIT 1") : nil
    let id = Secret.uuid(&random)
    try db.run(
      """
      INSERT INTO theatre_shows (id, venue_id, seat_map_id, title, description, date, time, seed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, id, try venue["id"] as String, map, new.title, "\(new.title), at the theatre.", date, time, label)
    if let map { try addSeats(to: id, of: map, pence: new.pence.map { Int64($0) }, &random) }
    return id
  }

  private func addSeats(
    to show: String, of map: String, pence: Int64?, _ random: inout some RandomNumberGenerator
  ) throws {
    for section in try db.rows("SELECT * FROM theatre_sections WHERE seat_map_id = ? ORDER BY sort_order", map) {
      let first: String = try section["first_row"]
      let (rows, length): (Int64, Int64) = (try section["row_count"], try section["row_length"])
      let letter = first.unicodeScalars.first?.value ?? 65
      for row in 0..<UInt32(clamping: rows) {
        guard let scalar = Unicode.Scalar(letter + row) else { continue }
        for number in 1...max(1, length) {
          try db.run(
            """
            INSERT INTO theatre_seats (id, show_id, section_id, row_letter, seat_number, price_pence)
            VALUES (?, ?, ?, ?, ?, ?)
            """, Secret.uuid(&random), show, try section["id"] as String, String(Character(scalar)), number,
            try pence ?? section["price_pence"])
        }
      }
    }
  }
}

extension Timestamp {
  /// `19:30:00`, of the day that it is in.
  var clock: String { String(utc.dropLast().suffix(8)) }
}
