import Foundation
import SQLiteFile

/// One seeded show.
package struct SeededShow: Sendable, Equatable {
  /// When it is.
  package enum Kind: String, Sendable, CaseIterable {
    /// Today at 14:30.
    case matinee
    /// Today at 19:30.
    case night
    /// Tomorrow at 19:30.
    case tomorrow
    /// In a week, and without seats.
    case unseated
    /// Today at 20:00, at another venue.
    case elsewhere
  }

  /// The kind.
  package let kind: Kind
  /// Its id.
  package let id: String
  /// Its title.
  package let title: String
  /// Its day, as clocks at the venue have it: `2026-01-31`.
  package let date: String
  /// Its time, likewise: `19:30:00`.
  package let time: String
}

/// One seeded booking, to try at a door.
package struct SeededBooking: Sendable, Equatable {
  /// What showing it is to come to.
  package enum Kind: String, Sendable, CaseIterable {
    /// Four, of the night, in F12 to F15.
    case party
    /// One, of the night, in G1.
    case single
    /// Two, of the matinee.
    case matinee
    /// Of the night, and cancelled.
    case cancelled
    /// Of the night, and not paid.
    case pending
    /// Of the night, and expired before it was paid.
    case expired
    /// Two, of tomorrow.
    case tomorrow
    /// One, at another venue.
    case elsewhere
  }

  /// The kind.
  package let kind: Kind
  /// Its id.
  package let id: String
  /// Its code, which admits.
  package let code: String
  /// Its show.
  package let showID: String
  /// Who has booked.
  package let customer: String
  /// How many it admits.
  package let count: Int
}

/// What seeding a theatre gave.
package struct SeededTheatre: Sendable {
  /// The venue's id.
  package let venueID: String
  /// The venue's name in addresses.
  package let slug: String
  /// Its zone.
  package let zone: String
  /// Who signs in at the door.
  package let staffEmail: String
  /// With what: told here, and never again.
  package let staffPassword: String
  /// Somebody with an account, whose the party is, and the password, likewise.
  package let buyerEmail: String
  /// With what.
  package let buyerPassword: String
  /// The shows.
  package let shows: [SeededShow]
  /// The bookings, those that admit first.
  package let bookings: [SeededBooking]

  /// The show of a kind.
  package func show(_ kind: SeededShow.Kind) -> SeededShow? { shows.first { $0.kind == kind } }
  /// The booking of a kind.
  package func booking(_ kind: SeededBooking.Kind) -> SeededBooking? { bookings.first { $0.kind == kind } }
}

extension VenueServer {
  /// Makes a theatre with a house of 300, staff, a buyer, shows (`SeededShow.Kind`) and bookings (`SeededBooking.Kind`).
  ///
  /// A database that was seeded before keeps ids and codes; its shows are moved to where they were seen from today. The passwords are
  /// new ones each time unless one is given.
  /// - Parameters:
  ///   - random: as `Seed.random`.
  ///   - zone: the IANA zone of the venue; this machine's when nil.
  ///   - staffPassword: the staff's; a fresh one when nil.
  package func seedTheatre(
    random: UInt64? = nil, zone: String? = nil, staffPassword: String? = nil
  ) async throws -> SeededTheatre {
    let zoneName = zone ?? TicketBook.localZone
    guard let zone = TimeZone.named(zoneName) else {
      throw VenueError.unusable("\"\(zoneName)\" is no time zone; give an IANA name such as Europe/London")
    }
    let now = Timestamp(configuration.now())
    return try await store.write { db in
      var source = SecretSource(number: random)
      let password = staffPassword ?? Secret.password(&source)
      return try TheatreSeeding(db: db, now: now, zoneName: zoneName, today: now.day(in: zone), password: password)
        .run(&source)
    }
  }
}

/// Seeding, inside its transaction.
struct TheatreSeeding {
  static let ownLabel = "own"
  static let otherLabel = "other"
  static let staff = "door@theatre.example"
  static let buyer = "ada@guests.example"

  let db: Database
  let now: Timestamp
  let zoneName: String
  let today: CalendarDay
  let password: String

  private struct Section {
    let name, color, row: String
    let rows, length, pence: Int64
    var isAccessible = false
  }

  private static let sections = [
    Section(name: "Premium Stalls", color: "#B91C1C", row: "A", rows: 5, length: 20, pence: 7_500),
    Section(name: "Stalls", color: "#1D4ED8", row: "F", rows: 6, length: 20, pence: 4_550),
    Section(name: "Circle", color: "#047857", row: "L", rows: 5, length: 16, pence: 2_500, isAccessible: true),
  ]

  private static let bookings: [(kind: SeededBooking.Kind, customer: String, seats: [String], status: BookingStatus)] =
    [
      (.party, "Ada Brandt", ["F12", "F13", "F14", "F15"], .confirmed), (.single, "Jürgen Groß", ["G1"], .confirmed),
      (.matinee, "Zoë O'Neill", ["H3", "H4"], .confirmed), (.cancelled, "Mina Okafor", [], .cancelled),
      (.pending, "Tomás Ruiz", ["K9"], .pending), (.expired, "Ines Keller", [], .expired),
      (.tomorrow, "Noor Haddad", ["L1", "L2"], .confirmed), (.elsewhere, "Pia Lund", ["A1"], .confirmed),
    ]

  func run(_ random: inout SecretSource) throws -> SeededTheatre {
    let own = try venue(Self.ownLabel, "hamilton", "The Hamilton Theatre", &random)
    let other = try venue(Self.otherLabel, "palace", "The Palace", &random)
    try addHouse(&random)
    try addStaff(at: own, other, &random)
    let buyerPassword = Secret.password(&random)
    let users = BookingUsers(db: db, now: now)
    if try users.find(Self.buyer) == nil {
      _ = try users.add(Self.buyer, name: "Ada Brandt", password: buyerPassword, verified: true, &random)
    }
    try users.setPassword(buyerPassword, of: Self.buyer)
    var shows: [SeededShow] = []
    for kind in SeededShow.Kind.allCases { shows.append(try show(kind, &random)) }
    var bookings: [SeededBooking] = []
    for plan in Self.bookings {
      if let made = try booking(plan.kind, plan.customer, plan.seats, plan.status, &random) { bookings.append(made) }
    }
    return SeededTheatre(
      venueID: own, slug: "hamilton", zone: zoneName, staffEmail: Self.staff, staffPassword: password,
      buyerEmail: Self.buyer, buyerPassword: buyerPassword, shows: shows, bookings: bookings)
  }

  private func venue(
    _ label: String, _ slug: String, _ name: String, _ random: inout SecretSource
  ) throws -> String {
    if let id: String = try db.value("SELECT id FROM theatre_venues WHERE seed = ?", label) {
      try db.run("UPDATE theatre_venues SET zone = ? WHERE id = ?", zoneName, id)
      return id
    }
    let id = Secret.uuid(&random)
    try db.run(
      "INSERT INTO theatre_venues (id, slug, name, address, zone, seed) VALUES (?, ?, ?, ?, ?, ?)", id, slug, name,
      "1 Stage Street, London", zoneName, label)
    return id
  }

  private func addHouse(_ random: inout SecretSource) throws {
    guard try db.value("SELECT 1 FROM theatre_seat_maps WHERE seed = 'house'") as Int64? == nil else { return }
    let id = Secret.uuid(&random)
    try db.run(
      "INSERT INTO theatre_seat_maps (id, name, viewbox, seed) VALUES (?, 'Main House', '0 0 520 600', 'house')", id)
    for (index, section) in Self.sections.enumerated() {
      try db.run(
        """
        INSERT INTO theatre_sections (id, seat_map_id, name, color, price_pence, is_accessible, sort_order, first_row, row_count,
          row_length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, Secret.uuid(&random), id, section.name, section.color, section.pence, section.isAccessible, Int64(index),
        section.row, section.rows, section.length)
    }
  }

  /// One for the door, one who may see the list alone, and one of another venue.
  private func addStaff(at own: String, _ other: String, _ random: inout SecretSource) throws {
    let all = [
      (Self.staff, own, "view_door_list,validate_tickets"), ("office@theatre.example", own, "view_door_list"),
      ("nobody@theatre.example", own, "manage_shows"),
      ("door@palace.example", other, "view_door_list,validate_tickets"),
    ]
    for (email, venue, permissions) in all {
      try db.run(
        """
        INSERT INTO theatre_staff (id, venue_id, email, password, role, permissions) VALUES (?, ?, ?, ?, 'manager', ?)
        ON CONFLICT (email, venue_id) DO UPDATE SET password = excluded.password
        """, Secret.uuid(&random), venue, email, try BookingUsers.hash(db, password, of: email), permissions)
    }
  }

  private func show(_ kind: SeededShow.Kind, _ random: inout SecretSource) throws -> SeededShow {
    let (title, days, time) =
      switch kind {
      case .matinee: ("The Tempest, matinee", 0, "14:30:00")
      case .night: ("The Tempest", 0, "19:30:00")
      case .tomorrow: ("Twelfth Night", 1, "19:30:00")
      case .unseated: ("A Reading", 7, "18:00:00")
      case .elsewhere: ("Cabaret", 0, "20:00:00")
      }
    let date = "\(today.adding(days: days))"
    if let id: String = try db.value("SELECT id FROM theatre_shows WHERE seed = ?", kind.rawValue) {
      try db.run("UPDATE theatre_shows SET date = ?, time = ? WHERE id = ?", date, time, id)
      return SeededShow(kind: kind, id: id, title: title, date: date, time: time)
    }
    let new = NewShow(
      title: title, date: date, time: time, hasSeatMap: kind != .unseated, isElsewhere: kind == .elsewhere)
    let id = try BookingMaking(db: db, now: now).add(new, label: kind.rawValue, &random)
    return SeededShow(kind: kind, id: id, title: title, date: date, time: time)
  }

  private func booking(
    _ kind: SeededBooking.Kind, _ customer: String, _ seats: [String], _ status: BookingStatus,
    _ random: inout SecretSource
  ) throws -> SeededBooking? {
    var row = try db.row("SELECT * FROM theatre_bookings WHERE seed = ?", kind.rawValue)
    if row == nil {
      let show =
        switch kind {
        case .matinee, .tomorrow, .elsewhere: kind.rawValue
        default: SeededShow.Kind.night.rawValue
        }
      var new = NewBooking(
        show: show, seats: seats, customer: customer,
        email: kind == .party ? Self.buyer : "\(kind.rawValue)@guests.example",
        status: status)
      new.label = kind.rawValue
      _ = try BookingMaking(db: db, now: now).add(new, &random)
      row = try db.row("SELECT * FROM theatre_bookings WHERE seed = ?", kind.rawValue)
    }
    guard let booking = try row.map({ try TheatreBook.Booking($0) }) else { return nil }
    return SeededBooking(
      kind: kind, id: booking.id, code: booking.code, showID: booking.showID, customer: booking.customerName,
      count: Int(clamping: booking.seatCount))
  }
}
