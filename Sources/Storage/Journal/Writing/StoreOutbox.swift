import SQLiteFile
import ScanModel

/// What the writer says to SQLite about the outbox, compiled once.
struct OutboxStatements {
  let addOwed: Statement
  let addTold: Statement
  let findOwed: Statement
  let begin: Statement
  let end: Statement
  let leave: Statement
  let hold: Statement
  let release: Statement
  let releaseTold: Statement
  let purge: Statement
  let waiting: Statement
  let retriable: Statement

  init(_ database: Database) throws(SQLiteError) {
    func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
    addOwed = try database.prepare(
      """
      INSERT INTO owed (
        seq, session, id, boot, scan, gate, reader, code, symbology, read_at, system, server, ticket, decider, may_be_told,
        wall, monotonic, trusted) VALUES (\(places(18)))
      """)
    addTold = try database.prepare(
      """
      INSERT INTO told (seq, session, id, ending, reason, said, entry, recorded_at, wall, monotonic, trusted)
      VALUES (\(places(11)))
      """)
    findOwed = try database.prepare("SELECT seq FROM owed WHERE id = ?")
    begin = try database.prepare("INSERT INTO outbox (owed) VALUES (?)")
    end = try database.prepare(
      "INSERT INTO outbox (owed, told) VALUES (?, ?) ON CONFLICT (owed) DO UPDATE SET told = excluded.told")
    leave = try database.prepare("DELETE FROM outbox WHERE owed = ?")
    hold = try database.prepare("INSERT OR IGNORE INTO held (fact) VALUES (?)")
    release = try database.prepare("DELETE FROM held WHERE fact = ?")
    releaseTold = try database.prepare("DELETE FROM held WHERE fact IN (SELECT told FROM outbox WHERE owed = ?)")
    purge = try database.prepare("UPDATE owed SET code = NULL WHERE seq = ? AND code IS NOT NULL")
    waiting = try database.prepare(Self.columns() + Self.sources + " WHERE o.told IS NULL ORDER BY o.owed")
    retriable = try database.prepare(
      Self.columns() + Self.sources
        + """
         JOIN told t ON t.seq = o.told
        WHERE o.told IS NOT NULL AND t.ending IN ('tooLate', 'unsettled') AND a.code IS NOT NULL ORDER BY o.owed
        """)
  }

  /// Admissions of the outbox; `JournalStore.owed(_:)` reads the columns.
  static func columns(code: String = "a.code") -> String {
    """
    SELECT a.id, boot.text, a.scan, gate.text, reader.text, \(code), a.symbology, a.read_at, system.text, server.text,
      a.ticket, a.wall, a.monotonic, a.trusted, a.decider, a.may_be_told
    """
  }

  static let sources = """
     FROM outbox o JOIN owed a ON a.seq = o.owed
    LEFT JOIN name boot ON boot.id = a.boot LEFT JOIN name gate ON gate.id = a.gate
    LEFT JOIN name reader ON reader.id = a.reader LEFT JOIN name system ON system.id = a.system
    LEFT JOIN name server ON server.id = a.server
    """

  /// How they ended, in columns from 16.
  static let endings = ", t.ending, t.reason, t.said, t.entry, t.recorded_at, t.wall, t.monotonic, t.trusted"

  static let ending = " LEFT JOIN told t ON t.seq = o.told"
}

extension JournalStore {
  func write(_ owed: OwedAdmission) throws(SQLiteError) {
    let seq = next()
    let scan = owed.scan
    try outbox.addOwed.run(
      .integer(seq), .integer(session), .blob(owed.attempt.bytes), try name(owed.boot.description),
      .blob(scan.id.bytes),
      try name(scan.gate.name), try name(scan.reader.name),
      // One that was saved from a damaged file may have no code any more.
      scan.code.bytes.isEmpty ? .null : .blob(seals.code(scan.code, of: scan.id)), Value(scan.symbology?.description),
      .integer(scan.readAt.nanoseconds), try name(owed.system.name), try name(owed.server), .blob(owed.ticket.bytes),
      .text(owed.decider.rawValue), Value(owed.mayBeTold), .integer(owed.at.wall.nanoseconds),
      .integer(owed.at.monotonic.nanoseconds), Value(owed.at.isTrusted))
    try outbox.begin.run(.integer(seq))
    try outbox.hold.run(.integer(seq))
  }

  func write(_ told: ToldAdmission) throws(SQLiteError) {
    let seq = next()
    let id = Value.blob(told.attempt.bytes)
    try outbox.addTold.run(
      .integer(seq), .integer(session), id, .text(told.ending.rawValue), Value(told.reason?.rawValue), Value(told.said),
      Value(told.entryID), Value(told.recordedAt?.nanoseconds), .integer(told.at.wall.nanoseconds),
      .integer(told.at.monotonic.nanoseconds), Value(told.at.isTrusted))
    for owed in try outbox.findOwed.rows([id], { $0.integer(0) }) {
      try outbox.releaseTold.run(.integer(owed))
      if told.ending.isConflict {
        try outbox.end.run(.integer(owed), .integer(seq))
        for fact in [owed, seq] { try outbox.hold.run(.integer(fact)) }
      } else {
        try outbox.leave.run(.integer(owed))
        try outbox.release.run(.integer(owed))
      }
      if !told.ending.keepsCode { try outbox.purge.run(.integer(owed)) }
    }
  }

  /// Admissions that wait, or those that ended without being told and can be sent by hand; oldest first.
  func owed(retriable: Bool) throws(SQLiteError) -> [OwedAdmission] {
    try (retriable ? outbox.retriable : outbox.waiting).rows { owed($0) }
  }

  /// A row of `OutboxStatements.columns`. A code that does not open is empty.
  func owed(_ row: Row) -> OwedAdmission? {
    guard let asked = asked(row), let decider = Decider(rawValue: row.text(14) ?? "") else { return nil }
    return OwedAdmission(
      attempt: asked.attempt, scan: asked.scan, system: asked.system, server: asked.server, ticket: asked.ticket,
      decider: decider, mayBeTold: row.integer(15) == 1, at: asked.at, boot: asked.boot)
  }
}

/// The outbox as facts change it that are not written yet.
struct PendingOutbox {
  private(set) var entries: [(admission: OwedAdmission, isWaiting: Bool)]

  init(waiting: [OwedAdmission], retriable: [OwedAdmission]) {
    entries = retriable.map { ($0, false) } + waiting.map { ($0, true) }
  }

  mutating func take(_ fact: JournalFact) {
    switch fact {
    case .owed(let admission): entries.append((admission, true))
    case .told(let told) where told.ending.keepsCode:
      for index in entries.indices where entries[index].admission.attempt == told.attempt {
        entries[index].isWaiting = false
      }
    case .told(let told): entries.removeAll { $0.admission.attempt == told.attempt }
    case .asked, .concluded, .late, .scan, .flood, .annulled, .order: break
    }
  }

  func admissions(waiting: Bool) -> [OwedAdmission] { entries.filter { $0.isWaiting == waiting }.map(\.admission) }
}
