import SQLiteFile

/// The tables of kiosks and enrolment, which came with the second version of the schema.
enum KioskSchema {
  static func add(to db: Database) throws {
    try db.execute(
      """
      CREATE TABLE venue_secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

      -- All times here are whole seconds since 1970, except status_time, which is a kiosk's own text.
      CREATE TABLE kiosks (
        id TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        seen_at INTEGER NOT NULL,
        activated_at INTEGER,
        generation INTEGER NOT NULL DEFAULT 1,
        status TEXT,
        status_time TEXT,
        status_at INTEGER,
        manual_override INTEGER
      ) STRICT;
      CREATE TABLE kiosk_configurations (
        kiosk_id TEXT NOT NULL REFERENCES kiosks (id),
        family TEXT NOT NULL,
        document TEXT NOT NULL CHECK (json_valid(document)),
        PRIMARY KEY (kiosk_id, family)
      ) STRICT;

      -- A code itself is never stored.
      CREATE TABLE activation_codes (
        sha256 TEXT PRIMARY KEY,
        kiosk_id TEXT,
        expires_at INTEGER NOT NULL,
        used_by TEXT,
        used_at INTEGER
      ) STRICT;

      -- Nor is a secret, or the API key that was given for it.
      CREATE TABLE enrolments (
        sha256 TEXT PRIMARY KEY,
        gate TEXT NOT NULL,
        sale_ticket INTEGER,
        seat TEXT,
        station_id TEXT,
        expires_at INTEGER NOT NULL,
        used_by TEXT,
        used_at INTEGER,
        url TEXT
      ) STRICT;
      """)
    try VenueSecret.make(db)
  }
}
