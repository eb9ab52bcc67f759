extension Schema {
  /// Leads from version 1 to 2: admissions that were given without the ticket system's word, and how each ended.
  ///
  /// Both are facts, with the count that all facts share. A code goes once the ticket system was told; where that did not
  /// come about (`tooLate`, `unsettled`) it stays, to be sent by hand.
  static let outbox = """
    CREATE TABLE owed (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id BLOB NOT NULL,
      boot INTEGER NOT NULL REFERENCES name (id), scan BLOB NOT NULL,
      gate INTEGER NOT NULL REFERENCES name (id), reader INTEGER NOT NULL REFERENCES name (id),
      code BLOB, symbology TEXT, read_at INTEGER NOT NULL,
      system INTEGER NOT NULL REFERENCES name (id), server INTEGER NOT NULL REFERENCES name (id),
      ticket BLOB NOT NULL, decider TEXT NOT NULL, may_be_told INTEGER NOT NULL,
      wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX owed_by_id ON owed (id);

    -- Of several for one admission the last counts.
    CREATE TABLE told (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id BLOB NOT NULL,
      ending TEXT NOT NULL, reason TEXT, said TEXT, entry TEXT, recorded_at INTEGER,
      wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX told_by_id ON told (id);

    -- What waits (`told` is NULL), and what ended as a conflict, by the fact that says so: a handful beside all that ever
    -- was owed, so that nobody looks through that.
    CREATE TABLE outbox (
      owed INTEGER PRIMARY KEY REFERENCES owed (seq), told INTEGER REFERENCES told (seq)
    ) STRICT;
    CREATE INDEX outbox_by_told ON outbox (told);

    CREATE TRIGGER owed_stays BEFORE UPDATE OF
      seq, session, id, boot, scan, gate, reader, symbology, read_at, system, server, ticket, decider, may_be_told, wall,
      monotonic, trusted ON owed
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER owed_codes_only_go BEFORE UPDATE OF code ON owed
      WHEN NEW.code IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM told WHERE told.id = OLD.id AND told.ending IN ('confirmed', 'contradicted', 'withdrawn'))
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER owed_is_kept BEFORE DELETE ON owed
      WHEN OLD.seq > (SELECT facts FROM retention) OR EXISTS (SELECT 1 FROM outbox WHERE outbox.owed = OLD.seq)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER told_stays BEFORE UPDATE ON told BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER told_is_kept BEFORE DELETE ON told
      WHEN OLD.seq > (SELECT facts FROM retention) OR EXISTS (SELECT 1 FROM outbox WHERE outbox.told = OLD.seq)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER outbox_is_kept BEFORE DELETE ON outbox
      WHEN NOT EXISTS (SELECT 1 FROM told JOIN owed ON owed.id = told.id WHERE owed.seq = OLD.owed)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    """
}
