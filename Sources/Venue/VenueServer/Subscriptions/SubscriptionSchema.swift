import SQLiteFile

/// The tables of subscriptions and memberships, which came with the fourth version of the schema.
enum SubscriptionSchema {
  /// By what depends on what.
  static let tables = [
    "memberships", "accounts", "subscriptions", "shop_transactions", "shop_subscriptions", "access_tokens",
  ]

  static func add(to db: Database) throws {
    try db.execute(
      """
      -- What the shop has sold, and what it says of a receipt. The service learns of it by receipts and by what the shop tells.
      -- All times here are whole seconds since 1970.
      CREATE TABLE shop_subscriptions (
        original_id TEXT PRIMARY KEY,
        environment TEXT NOT NULL CHECK (environment IN ('Production', 'Sandbox')),
        receipt TEXT NOT NULL UNIQUE,
        answer TEXT NOT NULL,
        renews INTEGER NOT NULL,
        seed TEXT UNIQUE
      ) STRICT;
      CREATE TABLE shop_transactions (
        id TEXT PRIMARY KEY,
        original_id TEXT NOT NULL REFERENCES shop_subscriptions (original_id),
        product TEXT NOT NULL,
        purchased_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        cancelled_at INTEGER
      ) STRICT;
      CREATE INDEX shop_transactions_by_subscription ON shop_transactions (original_id, expires_at);

      -- What the service knows. ftc_id is the account that has claimed the subscription.
      CREATE TABLE subscriptions (
        original_id TEXT PRIMARY KEY REFERENCES shop_subscriptions (original_id),
        environment TEXT NOT NULL,
        last_id TEXT NOT NULL,
        product TEXT NOT NULL,
        purchased_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        renews INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        ftc_id TEXT
      ) STRICT;
      CREATE INDEX subscriptions_by_update ON subscriptions (updated_at);
      CREATE INDEX subscriptions_by_account ON subscriptions (ftc_id, expires_at);

      CREATE TABLE accounts (ftc_id TEXT PRIMARY KEY) STRICT;
      -- expires_on counts days since 1970-01-01; a membership is good through the whole of it, in UTC.
      CREATE TABLE memberships (
        ftc_id TEXT PRIMARY KEY REFERENCES accounts (ftc_id),
        tier TEXT,
        cycle TEXT,
        expires_on INTEGER,
        pay_method TEXT,
        renews INTEGER NOT NULL,
        apple_id TEXT UNIQUE,
        vip INTEGER NOT NULL,
        standard_add_on INTEGER NOT NULL,
        premium_add_on INTEGER NOT NULL
      ) STRICT;

      -- A token itself is never stored.
      CREATE TABLE access_tokens (sha256 TEXT PRIMARY KEY, is_active INTEGER NOT NULL) STRICT;
      """)
  }
}
