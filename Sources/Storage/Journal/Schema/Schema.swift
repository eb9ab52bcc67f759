/// What the journal's file looks like, as steps from each version to the next. A step that was released is never changed.
struct Schema: Sendable {
  /// "SGjl": marks a file as a journal, so that no other program's database is ever written to.
  static let applicationID: Int64 = 0x5347_6A6C

  /// The version of a file that went through `steps`.
  var version: Int64 { Int64(steps.count) }

  /// SQL that leads from version `index` to the next.
  let steps: [String]

  /// The one that this program writes.
  static let current = Schema(steps: [first, outbox, floods, firstUses, events, orders])

  /// Facts (attempts, conclusions, scans, floods, annulments, orders of staff, and those of the outbox) share one count, `seq`: it is the order in which they happened, whatever the
  /// clocks said. They refuse to be changed; `retention` says how far they may go, and only names go before that.
  /// Times are in nanoseconds, `wall` since 1970, `monotonic` within the boot. Codes, names and what the ledger remembers
  /// are sealed.
  private static let first = """
    -- One row: how far facts may be deleted. `key` proves that the station's key is the one that sealed the file.
    CREATE TABLE retention (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      facts INTEGER NOT NULL, names INTEGER NOT NULL, checkpoints INTEGER NOT NULL, key BLOB NOT NULL
    ) STRICT;

    -- A start of the gateway; without a row in `stop` it was killed, or the power went.
    CREATE TABLE session (
      id INTEGER PRIMARY KEY, boot TEXT NOT NULL, wall INTEGER NOT NULL, monotonic INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE stop (
      session INTEGER PRIMARY KEY REFERENCES session (id), wall INTEGER NOT NULL, monotonic INTEGER NOT NULL
    ) STRICT;

    -- Names of gates, readers, ticket systems, servers and boots, each once.
    CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

    CREATE TABLE attempt (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id BLOB NOT NULL,
      boot INTEGER NOT NULL REFERENCES name (id), scan BLOB NOT NULL,
      gate INTEGER NOT NULL REFERENCES name (id), reader INTEGER NOT NULL REFERENCES name (id),
      code BLOB NOT NULL, symbology TEXT, read_at INTEGER NOT NULL,
      system INTEGER NOT NULL REFERENCES name (id), server INTEGER NOT NULL REFERENCES name (id),
      ticket BLOB NOT NULL, wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;
    -- Attempts without conclusion: a handful, so that no start looks through all attempts for them.
    CREATE TABLE open_attempt (
      id BLOB NOT NULL, attempt INTEGER NOT NULL, PRIMARY KEY (id, attempt)
    ) STRICT, WITHOUT ROWID;

    -- `attempt` is NULL where it was not known any more.
    CREATE TABLE conclusion (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id BLOB NOT NULL, attempt INTEGER,
      late INTEGER NOT NULL, fate TEXT NOT NULL, may_have_redeemed INTEGER NOT NULL, verdict TEXT, reason TEXT,
      entry TEXT, recorded_at INTEGER, said TEXT,
      wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX conclusion_by_attempt ON conclusion (attempt);

    CREATE TABLE scan (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id BLOB NOT NULL,
      gate INTEGER NOT NULL REFERENCES name (id), reader INTEGER NOT NULL REFERENCES name (id),
      code BLOB NOT NULL, symbology TEXT, read_at INTEGER NOT NULL,
      system INTEGER NOT NULL REFERENCES name (id), ticket BLOB,
      wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL, decided_in INTEGER NOT NULL,
      verdict TEXT NOT NULL, reason TEXT, decider TEXT NOT NULL, note TEXT, detail TEXT, entry TEXT, holder BLOB,
      admitted INTEGER NOT NULL, allowance INTEGER NOT NULL, output_fault TEXT
    ) STRICT;
    CREATE INDEX scan_by_time ON scan (trusted, wall);
    CREATE INDEX scan_with_holder ON scan (seq) WHERE holder IS NOT NULL;

    -- Facts that retention leaves alone, whatever their age: for what has still to be told to somebody.
    CREATE TABLE held (fact INTEGER PRIMARY KEY) STRICT;

    -- The last state of each key of a ledger.
    CREATE TABLE memory (
      server INTEGER NOT NULL REFERENCES name (id), kind INTEGER NOT NULL, key BLOB NOT NULL, state BLOB NOT NULL,
      PRIMARY KEY (server, kind, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TRIGGER attempt_stays BEFORE UPDATE ON attempt BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER conclusion_stays BEFORE UPDATE ON conclusion
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER scan_stays BEFORE UPDATE OF
      seq, session, id, gate, reader, code, symbology, read_at, system, ticket, wall, monotonic, trusted, decided_in,
      verdict, reason, decider, note, detail, entry, admitted, allowance, output_fault ON scan
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER scan_names_only_go BEFORE UPDATE OF holder ON scan
      WHEN NEW.holder IS NOT NULL OR OLD.seq > (SELECT names FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER attempt_is_kept BEFORE DELETE ON attempt WHEN OLD.seq > (SELECT facts FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER conclusion_is_kept BEFORE DELETE ON conclusion WHEN OLD.seq > (SELECT facts FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER scan_is_kept BEFORE DELETE ON scan WHEN OLD.seq > (SELECT facts FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER retention_only_rises BEFORE UPDATE ON retention
      WHEN NEW.facts < OLD.facts OR NEW.names < OLD.names OR NEW.key <> OLD.key
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    """
}
