extension Schema {
  /// Leads from version 3 to 4: a scan says when, where and by which request its ticket was first admitted, as it was known
  /// when the scan was decided.
  static let firstUses = """
    ALTER TABLE scan ADD COLUMN first_used_at INTEGER;
    ALTER TABLE scan ADD COLUMN first_used_gate INTEGER REFERENCES name (id);
    ALTER TABLE scan ADD COLUMN first_used_request BLOB;

    CREATE TRIGGER first_use_stays BEFORE UPDATE OF first_used_at, first_used_gate, first_used_request ON scan
      BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
    """
}
