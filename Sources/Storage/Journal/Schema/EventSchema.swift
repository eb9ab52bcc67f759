extension Schema {
  /// Leads from version 4 to 5: a scan names its event and its admission in the ledger; and admissions that were taken back because
  /// nobody passed, facts with the count that all share.
  static let events = """
    ALTER TABLE scan ADD COLUMN event_id TEXT;
    ALTER TABLE scan ADD COLUMN event TEXT;
    ALTER TABLE scan ADD COLUMN admission BLOB;

    CREATE TABLE annulment (
      seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), scan BLOB NOT NULL,
      admission BLOB NOT NULL, wall INTEGER NOT NULL, monotonic INTEGER NOT NULL, trusted INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX annulment_by_scan ON annulment (scan);

    CREATE TRIGGER event_stays BEFORE UPDATE OF event_id, event, admission ON scan
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER annulment_stays BEFORE UPDATE ON annulment
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    CREATE TRIGGER annulment_is_kept BEFORE DELETE ON annulment WHEN OLD.seq > (SELECT facts FROM retention)
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    """
}
