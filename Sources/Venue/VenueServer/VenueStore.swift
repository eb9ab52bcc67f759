import CSQLite
import SQLiteFile

/// The SQLite database of a venue: opening it, its schema, and the mapping of its errors.
struct VenueStore: Sendable {
  /// "SGvn": marks a file as ours, so that no other program's database is ever written to.
  private static let applicationID: Int64 = 0x5347_766E
  private static let schemaVersion: Int64 = 6
  /// For how long another process that holds the file is waited for.
  private static let busyMilliseconds: Int32 = 5_000

  /// One writer at a time: each request's transaction sees all those before it.
  private let queue: VenueQueue
  let path: String
  /// The file, where this made it.
  private let made: VenueFile?
  private let isFile: Bool

  init(_ storage: VenueConfiguration.Storage) throws(VenueError) {
    let path = Self.name(of: storage)
    self.path = path
    let file: VenueFile? = if case .file(let name) = storage { VenueFile(name) } else { nil }
    made = file?.make() == true ? file : nil
    isFile = file != nil
    do {
      let database = try Database(path, .write, busyMilliseconds: Self.busyMilliseconds)
      try database.execute("PRAGMA foreign_keys = ON")
      if case .file = storage {
        // Looked at before the journal mode is changed: another program's file stays untouched.
        _ = try Self.check(database, path: path)
        try file?.tighten()
        guard try database.texts("PRAGMA journal_mode = WAL") == ["wal"] else {
          throw SQLiteError(code: SQLITE_ERROR, message: "it cannot be written ahead")
        }
      }
      // An answered scan must outlive a power cut.
      try database.execute("PRAGMA synchronous = FULL")
      try database.transaction("BEGIN IMMEDIATE") {
        let version = try Self.version(database, path: path)
        if version == 0 { try Self.create(database) }
        if version < 2 { try KioskSchema.add(to: database) }
        if version < 3 { try DeskSchema.add(to: database) }
        if version < 4 { try SubscriptionSchema.add(to: database) }
        if version < 5 { try BookingSchema.add(to: database) }
        if version < 6 { try SignedTicketSchema.add(to: database) }
        try database.execute("PRAGMA user_version = \(Self.schemaVersion)")
      }
      queue = VenueQueue(database)
    } catch let error as VenueError {
      throw error
    } catch {
      throw Self.explain(error, path: path)
    }
  }

  /// Opens a file that a venue has written, to read only; a venue may be serving from it.
  init(reading file: String) throws(VenueError) {
    path = file
    made = nil
    isFile = true
    do {
      let database = try Database(file, .read, busyMilliseconds: Self.busyMilliseconds)
      guard try Self.check(database, path: file) > 0 else { throw VenueError.notAVenue(path: file) }
      queue = VenueQueue(database)
    } catch let error as VenueError {
      throw error
    } catch {
      throw Self.explain(error, path: file)
    }
  }

  /// One transaction that may write.
  func write<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do { return try await queue.write(work) } catch { throw explained(error) }
  }

  /// One transaction that only reads.
  func read<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do { return try await queue.read(work) } catch { throw explained(error) }
  }

  /// Closes the file, and removes it where this made it. Nothing may be asked of it any more.
  /// - Returns: whether nothing is left of it.
  func abandon() -> Bool {
    queue.close()
    made?.remove()
    return made != nil || !isFile
  }

  /// Puts what SQLite says into words that name the file.
  private func explained(_ error: any Error) -> any Error {
    error is SQLiteError ? Self.explain(error, path: path) : error
  }

  private static func name(of storage: VenueConfiguration.Storage) -> String {
    switch storage {
    case .memory: ":memory:"
    case .file(let file): file
    }
  }

  private static func explain(_ error: any Error, path: String) -> VenueError {
    guard let error = error as? SQLiteError else {
      return .database(path: path, reason: "cannot be used: \(error)")
    }
    let advice =
      switch error.primary {
      case SQLITE_CANTOPEN: "; check that its directory exists and may be written to"
      case SQLITE_NOTADB: "; name another file"
      case SQLITE_FULL: "; free some space on its disk"
      case SQLITE_BUSY: "; another process holds it"
      case SQLITE_READONLY: "; check its permissions"
      default: ""
      }
    return .database(path: path, reason: error.message + advice)
  }

  /// The schema version of a database that is ours, 0 for an empty one; changes nothing.
  private static func check(_ db: Database, path: String) throws -> Int64 {
    try db.transaction("BEGIN DEFERRED") { try version(db, path: path) }
  }

  private static func version(_ db: Database, path: String) throws -> Int64 {
    let application = try db.integer("PRAGMA application_id") ?? 0
    let version = try db.integer("PRAGMA user_version") ?? 0
    let tables = try db.integer("SELECT COUNT(*) FROM sqlite_master") ?? 0
    if application == 0, version == 0, tables == 0 { return 0 }
    guard application == applicationID, version > 0 else { throw VenueError.notAVenue(path: path) }
    guard version <= schemaVersion else { throw VenueError.tooNew(path: path, version: Int(clamping: version)) }
    return version
  }

  private static func create(_ db: Database) throws {
    try db.execute(
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
      INSERT INTO users (id, name) VALUES (\(Organiser.own), 'The venue'), (\(Organiser.other), 'Another organiser');

      -- A key itself is never stored.
      CREATE TABLE api_keys (
        id INTEGER PRIMARY KEY,
        sha256 TEXT NOT NULL UNIQUE,
        user_id INTEGER NOT NULL REFERENCES users (id),
        ability TEXT NOT NULL CHECK (ability IN ('none', 'view', 'manage'))
      ) STRICT;

      -- date is a day of the calendar in the event's zone; starts_at is UTC, "YYYY-MM-DD HH:MM:SS"; duration is in hours.
      CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users (id),
        name TEXT NOT NULL,
        timezone TEXT NOT NULL,
        date TEXT NOT NULL,
        starts_at TEXT,
        duration REAL,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE INDEX events_by_user ON events (user_id, name, date);
      CREATE TABLE tickets (
        id INTEGER PRIMARY KEY,
        event_id INTEGER NOT NULL REFERENCES events (id),
        type TEXT
      ) STRICT;
      CREATE INDEX tickets_by_event ON tickets (event_id);

      CREATE TABLE sales (
        id INTEGER PRIMARY KEY,
        event_id INTEGER NOT NULL REFERENCES events (id),
        secret TEXT NOT NULL UNIQUE,
        status TEXT NOT NULL,
        name TEXT NOT NULL,
        email TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE INDEX sales_by_event ON sales (event_id);
      CREATE TABLE sale_tickets (
        id INTEGER PRIMARY KEY,
        sale_id INTEGER NOT NULL REFERENCES sales (id),
        ticket_id INTEGER NOT NULL REFERENCES tickets (id),
        quantity INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX sale_tickets_by_sale ON sale_tickets (sale_id);

      -- A printed entry waits with scanned_at NULL. One that a scan of the sale made has made_by_scan = 1.
      -- scanned_at is in whole seconds since 1970. AUTOINCREMENT: an id is never given twice, even after deletion.
      CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sale_ticket_id INTEGER NOT NULL REFERENCES sale_tickets (id),
        secret TEXT NOT NULL UNIQUE,
        scanned_at INTEGER,
        seat_number TEXT,
        made_by_scan INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX entries_by_sale_ticket ON entries (sale_ticket_id);

      PRAGMA application_id = \(applicationID);
      """)
  }
}

/// The two organisers that every venue has: the one whose keys are issued, and one whose tickets are foreign to them.
enum Organiser {
  static let own: Int64 = 1
  static let other: Int64 = 2
}
