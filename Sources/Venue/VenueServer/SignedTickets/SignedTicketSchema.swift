import SQLiteFile

/// The tables of signed tickets.
enum SignedTicketSchema {
  static func add(to db: Database) throws {
    try db.execute(
      """
      -- What signs; the private half lies here, for nothing is secured by it. The newest that is not withdrawn signs, and all of these are told.
      CREATE TABLE IF NOT EXISTS ticket_keys (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        kid TEXT NOT NULL UNIQUE,
        seed TEXT NOT NULL,
        is_withdrawn INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      -- Times are whole seconds since 1970.
      CREATE TABLE IF NOT EXISTS signed_tickets (
        jti TEXT PRIMARY KEY,
        tenant_id TEXT NOT NULL,
        order_id TEXT NOT NULL,
        performance_id TEXT NOT NULL,
        seat_id TEXT NOT NULL,
        issued_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        revoked INTEGER NOT NULL DEFAULT 0,
        redeemed_at INTEGER
      ) STRICT;

      -- A token itself is never stored. Scopes are words with blanks between them.
      CREATE TABLE IF NOT EXISTS ticket_tokens (sha256 TEXT PRIMARY KEY, scopes TEXT NOT NULL) STRICT;
      """)
  }
}
