import SQLiteFile
import ScanModel

/// A batch that waits for the disk.
struct PendingBatch: Sendable {
  let mark: UInt64
  var batch: JournalBatch
}

/// The open file, as the writer's thread has it: batches in, facts and memory out.
///
/// Used by one thread at a time: by the one that opens the journal, then by the writer's alone.
final class JournalStore {
  let path: String
  let seals: JournalSeals
  let frames: FrameCount
  let database: Database
  /// The row of this start of the gateway.
  private(set) var session: Int64 = 0
  /// Which journal it is.
  let identity: Int64
  /// Whether the start before this one ended as it should.
  private(set) var lastEndedWell = true
  /// How it began in this process.
  lazy var begun = Begun(durable: position)

  /// Whether commits are not synced by SQLite: while batches are written.
  private var isRelaxed = false
  var nextSeq: Int64 = 1
  private var turns: Int64 = 0
  private var nameIDs: [String: Int64] = [:]
  /// Where the attempts of this session stand, so that a late answer finds its own; the newest `recentLimit` at least.
  private var recent: [AttemptID: Int64] = [:]
  private var older: [AttemptID: Int64] = [:]
  private static let recentLimit = 10_000
  let sql: StoreStatements
  let outbox: OutboxStatements

  /// How a file begins that was opened.
  struct Begun {
    /// How far it surely was on the disk.
    var durable: JournalPosition
    /// What was set aside for it, and why, in words; `nil` where it is the file that was there.
    var replacing: String?
  }

  /// Takes over a file whose schema is the present one.
  init(_ database: Database, path: String, seals: JournalSeals, frames: FrameCount) throws(SQLiteError) {
    self.database = database
    self.path = path
    self.seals = seals
    self.frames = frames
    sql = try StoreStatements(database)
    outbox = try OutboxStatements(database)
    identity = try database.integer("SELECT id FROM origin") ?? 0
    try countOn()
    database.countFrames(in: frames)
  }

  /// The tables whose rows are facts.
  static let factTables = ["attempt", "conclusion", "scan", "owed", "told", "flood", "annulment", "staff_order"]

  /// A count that no journal comes to. Beyond it nothing could be counted on.
  static let mostFacts: Int64 = 1 << 62

  /// Counts facts on from the newest that the file has.
  func countOn() throws(SQLiteError) {
    let newest = max(lastSeq, try JournalPosition.facts(in: database))
    guard newest < Self.mostFacts else { throw .damage("it counts \(newest) facts") }
    nextSeq = newest + 1
    turns = try database.integer("SELECT checkpoints FROM retention") ?? 0
    guard turns < Self.mostFacts else { throw .damage("it counts \(turns) checkpoints") }
  }

  /// Goes on where another store of the same content was.
  func goOn(from old: JournalStore) {
    (session, lastEndedWell) = (old.session, old.lastEndedWell)
    (recent, older) = (old.recent, old.older)
    (nextSeq, turns) = (max(nextSeq, old.nextSeq), max(turns, old.turns))
    frames.set(0)
  }

  // MARK: Writing

  /// Writes batches in one transaction. When this returns the bytes are the kernel's; the disk has them when the
  /// write-ahead log was synced. To be followed by `rest` before anything else.
  func write(_ batches: [PendingBatch]) throws(SQLiteError) {
    let before = (nextSeq, turns)
    if database.isInTransaction { try database.execute("ROLLBACK") }
    if !isRelaxed {
      // The switch is refused within a transaction.
      try database.execute("PRAGMA synchronous = NORMAL")
      isRelaxed = true
    }
    do throws(SQLiteError) {
      try sql.begin.run()
      for pending in batches {
        for fact in pending.batch.facts { try write(fact) }
        for (key, state) in pending.batch.memory { try remember(key, state) }
      }
      // What is no fact must be missed all the same where it is lost.
      if nextSeq == before.0, batches.contains(where: { !$0.batch.memory.isEmpty }) { try turn() }
      try sql.commit.run()
    } catch {
      // Where SQLite has rolled back already, this is an error that says nothing.
      try? database.execute("ROLLBACK")
      // What was rolled back has no rows: not the names either.
      (nextSeq, turns) = before
      nameIDs = [:]
      throw error
    }
  }

  /// Has everything but batches synced by SQLite again; to be called before anything else is done, so that one batch after the
  /// other need not switch to and fro.
  func rest() {
    guard isRelaxed, (try? database.execute("PRAGMA synchronous = FULL")) != nil else { return }
    isRelaxed = false
  }

  private func write(_ fact: JournalFact) throws(SQLiteError) {
    switch fact {
    case .asked(let asked): try write(asked)
    case .concluded(let concluded): try write(concluded, isLate: false)
    case .late(let concluded): try write(concluded, isLate: true)
    case .scan(let scan): try write(scan)
    case .flood(let flood): try write(flood)
    case .owed(let owed): try write(owed)
    case .told(let told): try write(told)
    case .annulled(let annulled):
      try sql.addAnnulment.run(
        .integer(next()), .integer(session), .blob(annulled.scan.bytes), .blob(annulled.admission.bytes),
        .integer(annulled.at.wall.nanoseconds), .integer(annulled.at.monotonic.nanoseconds),
        Value(annulled.at.isTrusted))
    case .order(let order): try write(order)
    }
  }

  private func write(_ asked: AskedAttempt) throws(SQLiteError) {
    let seq = next()
    let scan = asked.scan
    try sql.addAttempt.run(
      .integer(seq), .integer(session), .blob(asked.attempt.bytes), try name(asked.boot.description),
      .blob(scan.id.bytes), try name(scan.gate.name), try name(scan.reader.name),
      .blob(seals.code(scan.code, of: scan.id)),
      Value(scan.symbology?.description), .integer(scan.readAt.nanoseconds), try name(asked.system.name),
      try name(asked.server), .blob(asked.ticket.bytes), .integer(asked.at.wall.nanoseconds),
      .integer(asked.at.monotonic.nanoseconds), Value(asked.at.isTrusted))
    try sql.openAttempt.run(.blob(asked.attempt.bytes), .integer(seq))
    if recent.count >= Self.recentLimit { (older, recent) = (recent, [:]) }
    recent[asked.attempt] = seq
  }

  private func write(_ concluded: ConcludedAttempt, isLate: Bool) throws(SQLiteError) {
    let id = Value.blob(concluded.attempt.bytes)
    var attempt = recent[concluded.attempt] ?? older[concluded.attempt]
    if attempt == nil {
      try sql.findOpen.each([id]) { row throws(SQLiteError) in attempt = row.integer(0) }
    }
    try sql.addConclusion.run(
      .integer(next()), .integer(session), id, Value(attempt), Value(isLate), .text(concluded.fate.name),
      Value(concluded.mayHaveRedeemed), Value(concluded.verdict?.name), Value(concluded.verdict?.reason),
      Value(concluded.entryID), Value(concluded.recordedAt?.nanoseconds), Value(concluded.said),
      .integer(concluded.at.wall.nanoseconds), .integer(concluded.at.monotonic.nanoseconds),
      Value(concluded.at.isTrusted))
    if !isLate { try sql.closeAttempt.run(id) }
  }

  private func write(_ journaled: JournaledScan) throws(SQLiteError) {
    let scan = journaled.scan
    try sql.addScan.run(
      .integer(next()), .integer(session), .blob(scan.id.bytes), try name(scan.gate.name), try name(scan.reader.name),
      .blob(seals.code(scan.code, of: scan.id)), Value(scan.symbology?.description), .integer(scan.readAt.nanoseconds),
      try name(journaled.system.name), journaled.ticket.map { .blob($0.bytes) } ?? .null,
      .integer(journaled.at.wall.nanoseconds), .integer(journaled.at.monotonic.nanoseconds),
      Value(journaled.at.isTrusted), .integer(journaled.decidedIn.saturatedNanoseconds),
      .text(journaled.verdict.name), Value(journaled.verdict.reason), .text(journaled.decider.rawValue),
      Value(journaled.note), Value(journaled.detail), Value(journaled.entryID),
      journaled.holder.map { .blob(seals.holder($0, of: scan.id)) } ?? .null, .integer(Int64(journaled.admitted)),
      .integer(Int64(journaled.allowance)), Value(journaled.outputFault), Value(journaled.firstUse?.at.nanoseconds),
      try journaled.firstUse?.gate.map { gate throws(SQLiteError) in try name(gate.name) } ?? .null,
      journaled.firstUse?.request.map { .blob($0.bytes) } ?? .null, Value(journaled.eventID), Value(journaled.event),
      journaled.admission.map { .blob($0.bytes) } ?? .null)
  }

  private func write(_ flood: ScanFlood) throws(SQLiteError) {
    try sql.addFlood.run(
      .integer(next()), .integer(session), try name(flood.gate.name), .integer(Int64(flood.refused)),
      .integer(Int64(flood.undecided)), .integer(flood.began.nanoseconds), .integer(flood.at.wall.nanoseconds),
      .integer(flood.at.monotonic.nanoseconds), Value(flood.at.isTrusted))
  }

  private func remember(_ key: LedgerKey, _ state: [UInt8]?) throws(SQLiteError) {
    let server = try name(key.server)
    if let state {
      try sql.remember.run(
        server, .integer(Int64(key.kind.rawValue)), .blob(key.bytes), .blob(seals.memory(state, of: key)))
    } else {
      try sql.forget.run(server, .integer(Int64(key.kind.rawValue)), .blob(key.bytes))
    }
  }

  /// The newest fact.
  var lastSeq: Int64 { nextSeq &- 1 }

  /// How far it has come.
  var position: JournalPosition {
    JournalPosition(journal: identity, session: session, facts: lastSeq, turns: turns)
  }

  private func turn() throws(SQLiteError) {
    try sql.turn.run()
    turns &+= 1
  }

  func next() -> Int64 {
    defer { nextSeq &+= 1 }
    return nextSeq
  }

  /// The row of a name, made when it is new.
  func name(_ text: String) throws(SQLiteError) -> Value {
    if let known = nameIDs[text] { return .integer(known) }
    try sql.addName.run(.text(text))
    let found = try sql.findName.rows([.text(text)]) { $0.integer(0) }.first ?? 0
    // Names come from the configuration: a bound all the same, should a caller think otherwise.
    if nameIDs.count >= 10_000 { nameIDs = [:] }
    nameIDs[text] = found
    return .integer(found)
  }

  // MARK: Sessions and upkeep

  /// Notes a start of the gateway.
  func beginSession(boot: BootID, wall: WallTime, monotonic: MonotonicTime) throws(SQLiteError) {
    let last = try database.integer("SELECT max(id) FROM session")
    let stopped = try database.integer("SELECT max(session) FROM stop")
    try database.transaction { () throws(SQLiteError) in
      try database.prepare("INSERT INTO session (boot, wall, monotonic) VALUES (?, ?, ?)")
        .run(.text(boot.description), .integer(wall.nanoseconds), .integer(monotonic.nanoseconds))
    }
    session = try database.integer("SELECT max(id) FROM session") ?? 0
    // That was synced, and with it all that the log had.
    begun = Begun(durable: position)
    lastEndedWell = last == stopped
  }

  /// Notes that the gateway stops as it should; durable.
  func endSession(wall: WallTime, monotonic: MonotonicTime) throws(SQLiteError) {
    try database.transaction { () throws(SQLiteError) in
      try database.prepare("INSERT INTO stop (session, wall, monotonic) VALUES (?, ?, ?)")
        .run(.integer(session), .integer(wall.nanoseconds), .integer(monotonic.nanoseconds))
    }
  }

  /// Starts the write-ahead log anew, which syncs its head, so that no batch has to.
  func beginLog() throws(SQLiteError) {
    try database.transaction { () throws(SQLiteError) in try sql.turn.run() }
    turns &+= 1
  }

  // MARK: Reading

  /// What is remembered under these keys. A state that does not open is no absent one: it would admit again.
  func recall(_ keys: [LedgerKey]) throws(JournalFault) -> [LedgerKey: [UInt8]] {
    var found: [LedgerKey: [UInt8]] = [:]
    for key in keys {
      var sealed: [UInt8]?
      do throws(SQLiteError) {
        try sql.recall.each([.text(key.server), .integer(Int64(key.kind.rawValue)), .blob(key.bytes)]) {
          row throws(SQLiteError) in sealed = row.blob(0)
        }
      } catch {
        throw JournalFault(error, at: path)
      }
      guard let sealed else { continue }
      guard let state = seals.openMemory(sealed, of: key) else {
        throw JournalFault(
          .damaged, "What the journal \(path) remembers of one ticket was changed since, or sealed with another key.")
      }
      found[key] = state
    }
    return found
  }

  /// So many of the newest facts are looked at for a scan by its identifier, of which there is no index.
  private static let looked: Int64 = 20_000

  /// The admission that a scan was; `nil` where none is found.
  func admission(of scan: ScanID) throws(SQLiteError) -> JournaledAdmission? {
    try database.prepare(
      """
      SELECT s.admission, s.ticket, s.wall, s.monotonic, s.trusted, EXISTS (SELECT 1 FROM annulment n WHERE n.scan = s.id)
      FROM scan s WHERE s.seq > ?1 AND s.id = ?2 AND s.ticket IS NOT NULL ORDER BY s.seq DESC LIMIT 1
      """
    ).rows([.integer(lastSeq - Self.looked), .blob(scan.bytes)]) { row in
      AttemptID(bytes: row.blob(0) ?? []).map {
        JournaledAdmission(
          admission: $0, ticket: TicketKey(row.blob(1) ?? []), at: row.time(2), isAnnulled: row.integer(5) == 1)
      }
    }.first
  }

  /// Attempts without conclusion, oldest first.
  func unconcluded() throws(SQLiteError) -> [AskedAttempt] { try sql.unconcluded.rows { asked($0) } }

  /// A row of `StoreStatements.unconcludedSQL`. A code that does not open is empty.
  func asked(_ row: Row) -> AskedAttempt? {
    guard let attempt = AttemptID(bytes: row.blob(0) ?? []), let scan = ScanID(bytes: row.blob(2) ?? []) else {
      return nil
    }
    return AskedAttempt(
      attempt: attempt,
      scan: Scan(
        id: scan, gate: GateID(row.text(3) ?? ""), reader: ReaderID(row.text(4) ?? ""),
        code: row.blob(5).flatMap { seals.openCode($0, of: scan) } ?? Code(bytes: []),
        symbology: row.text(6).flatMap { AIMIdentifier(journaled: $0) },
        readAt: MonotonicTime(nanoseconds: row.integer(7) ?? 0)),
      system: TicketSystemID(row.text(8) ?? ""), server: row.text(9) ?? "", ticket: TicketKey(row.blob(10) ?? []),
      at: row.time(11), boot: BootID(row.text(1) ?? ""))
  }
}

extension Row {
  /// Three columns: civil time, monotonic time, whether the civil clock was trusted.
  func time(_ column: Int32) -> JournalTime {
    JournalTime(
      wall: WallTime(nanoseconds: integer(column) ?? 0),
      monotonic: MonotonicTime(nanoseconds: integer(column + 1) ?? 0), isTrusted: integer(column + 2) == 1)
  }
}

extension AIMIdentifier {
  init?(journaled text: String) {
    let bytes = [UInt8](text.utf8)
    guard bytes.count == 3 else { return nil }
    self.init(letter: bytes[1], modifier: bytes[2])
  }
}

extension AttemptOutcome.Fate {
  /// The name in the journal.
  var name: String {
    switch self {
    case .notSent: "notSent"
    case .answered: "answered"
    case .pending: "pending"
    case .lost: "lost"
    }
  }
}
