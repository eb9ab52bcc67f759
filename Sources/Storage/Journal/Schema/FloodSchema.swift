extension Schema {
  /// Leads from version 2 to 3: scans that were too many to be written down one by one, facts with the count that all share; and
  /// which journal it is, so that the note beside it can name it.
  static let floods = """
    CREATE TABLE flood (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id),
      gate INTEGER NOT NULL REFERENCES name (id), refused INTEGER NOT NULL, undecided INTEGER NOT NULL,
      began INTEGER NOT NULL, wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE origin (one INTEGER PRIMARY KEY CHECK (one = 1), id INTEGER NOT NULL) STRICT;
    INSERT INTO origin (one, id) VALUES (1, abs(random() / 2));

    CREATE TRIGGER origin_stays BEFORE UPDATE ON origin BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER flood_stays BEFORE UPDATE ON flood BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER flood_is_kept BEFORE DELETE ON flood WHEN OLD.seq > (SELECT facts FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    """
}
