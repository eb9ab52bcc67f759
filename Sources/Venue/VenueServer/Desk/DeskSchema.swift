import SQLiteFile

/// What the organiser's desk keeps, which came with the third version of the schema.
enum DeskSchema {
  /// Columns that earlier tables got.
  static let columns = [
    ("events", "venue_id INTEGER"), ("events", "editor_id INTEGER"),
    ("events", "details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details))"),
    ("events", "is_deleted INTEGER NOT NULL DEFAULT 0"), ("tickets", "price TEXT DEFAULT '10.000'"),
    ("tickets", "quantity INTEGER"), ("tickets", "description TEXT"),
    ("tickets", "is_deleted INTEGER NOT NULL DEFAULT 0"), ("sales", "event_date TEXT"), ("sales", "buyer_id INTEGER"),
  ]

  static func add(to db: Database) throws {
    // editor_id is a user who may scan and change tickets of an event that is another's; buyer_id is the user who bought,
    // where one did; event_date is the day that was bought, where it is not the event's.
    for (table, column) in columns { try db.execute("ALTER TABLE \(table) ADD COLUMN \(column)") }
    try db.execute(
      """
      -- A venue or somebody who performs, with an address of its own. Times here and below are whole seconds since 1970.
      CREATE TABLE schedules (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id INTEGER NOT NULL REFERENCES users (id),
        type TEXT NOT NULL CHECK (type IN ('venue', 'talent')),
        subdomain TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details)),
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE TABLE rooms (
        id INTEGER PRIMARY KEY,
        schedule_id INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
        name TEXT NOT NULL
      ) STRICT;
      CREATE TABLE event_members (
        event_id INTEGER NOT NULL REFERENCES events (id),
        schedule_id INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
        PRIMARY KEY (event_id, schedule_id)
      ) STRICT;
      CREATE TABLE sale_notes (
        id INTEGER PRIMARY KEY,
        sale_id INTEGER NOT NULL REFERENCES sales (id),
        note TEXT NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT;
      -- details is what a check-in told besides, in the document's shape.
      CREATE TABLE checkins (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        event_id INTEGER NOT NULL REFERENCES events (id),
        attendee_name TEXT NOT NULL,
        attendee_email TEXT,
        notes TEXT,
        checked_in_at INTEGER NOT NULL,
        details TEXT NOT NULL CHECK (json_valid(details))
      ) STRICT;
      CREATE INDEX checkins_by_event ON checkins (event_id, checked_in_at);
      """)
  }
}
