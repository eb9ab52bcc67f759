extension Schema {
  /// Leads from version 5 to 6: orders of staff, facts with the count that all share. One row before anything is done, and one with what
  /// became of it.
  static let orders = """
    CREATE TABLE staff_order (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id BLOB NOT NULL, kind TEXT NOT NULL,
      gate INTEGER REFERENCES name (id), subject TEXT, who TEXT NOT NULL, user INTEGER NOT NULL, why TEXT NOT NULL,
      outcome TEXT, reason TEXT, detail TEXT, scan BLOB,
      wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;

    CREATE TRIGGER staff_order_stays BEFORE UPDATE ON staff_order
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER staff_order_is_kept BEFORE DELETE ON staff_order WHEN OLD.seq > (SELECT facts FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    """
}
