import SQLiteFile

/// The tables of the booking service, which came with the fifth version of the schema.
enum BookingSchema {
  /// By what depends on what.
  static let tables = [
    "theatre_seats", "theatre_checkouts", "theatre_bookings", "theatre_shows", "theatre_sections", "theatre_seat_maps",
    "theatre_sessions", "theatre_staff", "theatre_tokens", "theatre_users", "theatre_venues",
  ]

  static func add(to db: Database) throws {
    try db.execute(
      """
      -- The zone is the venue's own; the service tells it to nobody.
      CREATE TABLE theatre_venues (
        id TEXT PRIMARY KEY,
        slug TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        address TEXT NOT NULL,
        zone TEXT NOT NULL,
        seed TEXT UNIQUE
      ) STRICT;

      -- Passwords and sessions are stored by their hashes. All times here are whole seconds since 1970.
      CREATE TABLE theatre_staff (
        id TEXT PRIMARY KEY,
        venue_id TEXT NOT NULL REFERENCES theatre_venues (id),
        email TEXT NOT NULL,
        password TEXT NOT NULL,
        role TEXT NOT NULL,
        permissions TEXT NOT NULL,
        UNIQUE (email, venue_id)
      ) STRICT;
      CREATE TABLE theatre_sessions (
        sha256 TEXT PRIMARY KEY,
        staff_id TEXT NOT NULL REFERENCES theatre_staff (id),
        expires_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX theatre_sessions_by_staff ON theatre_sessions (staff_id);

      CREATE TABLE theatre_users (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        role TEXT NOT NULL,
        password TEXT NOT NULL,
        verified_at INTEGER,
        -- What a mail would have brought.
        verify_token TEXT,
        verify_until INTEGER,
        reset_token TEXT,
        reset_until INTEGER,
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE theatre_tokens (
        sha256 TEXT PRIMARY KEY,
        user_id TEXT NOT NULL REFERENCES theatre_users (id),
        expires_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE theatre_seat_maps (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        viewbox TEXT NOT NULL,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE TABLE theatre_sections (
        id TEXT PRIMARY KEY,
        seat_map_id TEXT NOT NULL REFERENCES theatre_seat_maps (id),
        name TEXT NOT NULL,
        color TEXT NOT NULL,
        price_pence INTEGER NOT NULL,
        is_accessible INTEGER NOT NULL,
        sort_order INTEGER NOT NULL,
        first_row TEXT NOT NULL,
        row_count INTEGER NOT NULL,
        row_length INTEGER NOT NULL
      ) STRICT;
      -- date and time are what clocks at the venue show, as the service tells them: whatever text they are.
      CREATE TABLE theatre_shows (
        id TEXT PRIMARY KEY,
        venue_id TEXT NOT NULL REFERENCES theatre_venues (id),
        seat_map_id TEXT REFERENCES theatre_seat_maps (id),
        title TEXT NOT NULL,
        description TEXT NOT NULL,
        date TEXT NOT NULL,
        time TEXT NOT NULL,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE INDEX theatre_shows_by_venue ON theatre_shows (venue_id, date, time);
      CREATE TABLE theatre_bookings (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        show_id TEXT NOT NULL REFERENCES theatre_shows (id),
        user_id TEXT REFERENCES theatre_users (id),
        -- Two bookings may have one, as no code is made by a secure generator.
        code TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'cancelled', 'expired')),
        customer_name TEXT NOT NULL,
        customer_email TEXT NOT NULL,
        seat_count INTEGER NOT NULL,
        total_pence INTEGER NOT NULL,
        session_id TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE INDEX theatre_bookings_by_show ON theatre_bookings (show_id, status, created_at, number);
      CREATE INDEX theatre_bookings_by_code ON theatre_bookings (code);
      CREATE INDEX theatre_bookings_by_email ON theatre_bookings (customer_email);
      CREATE INDEX theatre_bookings_by_user ON theatre_bookings (user_id);

      -- A checkout holds its seats until expires_at, and longer where nobody else wants them.
      CREATE TABLE theatre_checkouts (
        session_id TEXT PRIMARY KEY,
        reservation TEXT NOT NULL UNIQUE,
        show_id TEXT NOT NULL REFERENCES theatre_shows (id),
        state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'processing', 'failed')),
        customer_name TEXT,
        customer_email TEXT,
        asked INTEGER NOT NULL,
        amount_pence INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        booking_id TEXT REFERENCES theatre_bookings (id)
      ) STRICT;
      CREATE TABLE theatre_seats (
        id TEXT PRIMARY KEY,
        show_id TEXT NOT NULL REFERENCES theatre_shows (id),
        section_id TEXT NOT NULL REFERENCES theatre_sections (id),
        row_letter TEXT NOT NULL,
        seat_number INTEGER NOT NULL,
        price_pence INTEGER NOT NULL,
        status TEXT NOT NULL DEFAULT 'available' CHECK (status IN ('available', 'reserved', 'booked')),
        reservation TEXT,
        booking_id TEXT REFERENCES theatre_bookings (id),
        UNIQUE (show_id, row_letter, seat_number)
      ) STRICT;
      CREATE INDEX theatre_seats_by_booking ON theatre_seats (booking_id);
      CREATE INDEX theatre_seats_by_reservation ON theatre_seats (reservation);
      CREATE INDEX theatre_seats_by_section ON theatre_seats (section_id, show_id);
      """)
  }
}
