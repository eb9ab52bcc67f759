import CSQLite
import Glibc
import LinuxIO
import SQLiteFile
package import ScanModel
package import Sealing

extension Journal {
  /// Reads a journal, whether its gateway runs or not. Takes no lock, changes nothing, and holds the file for moments only.
  package final class Reader: @unchecked Sendable {
    // Never changed after it was made; the connection is in SQLite's serialised mode, and statements are made for each call.
    let database: Database
    let seals: JournalSeals?
    let path: String
    /// Whether the file's schema has an outbox.
    let hasOutbox: Bool
    /// Whether it counts floods.
    let hasFloods: Bool
    /// Whether a scan says when its ticket was first admitted.
    let hasFirstUses: Bool
    /// Whether a scan names its event, and may be annulled.
    let hasEvents: Bool
    /// Whether it has orders of staff.
    let hasOrders: Bool

    /// The oldest schema that is read: of files that were set aside or copied before they were brought forward.
    private static let oldest: Int64 = 1

    /// Which scans are told.
    package struct Filter: Sendable {
      /// Those decided at this time or later, by the civil clock of then.
      package var from: WallTime?
      /// Those decided before.
      package var until: WallTime?
      /// Those of one gate.
      package var gate: GateID?
      /// Those of one verdict: `admit`, `refuse` or `undecided`.
      package var verdict: String?
      /// At most so many: the newest.
      package var limit: Int?
      /// Those whose code is so. Codes lie sealed: each is opened to be looked at, and none passes without the station's key.
      package var code: (@Sendable (Code) -> Bool)?

      package init(
        from: WallTime? = nil, until: WallTime? = nil, gate: GateID? = nil, verdict: String? = nil, limit: Int? = nil,
        code: (@Sendable (Code) -> Bool)? = nil
      ) {
        self.code = code
        self.from = from
        self.until = until
        self.gate = gate
        self.verdict = verdict
        self.limit = limit
      }
    }

    /// How much the journal has.
    package struct Counts: Sendable, Equatable {
      /// Scans.
      package var scans: Int
      /// Requests that were asked.
      package var attempts: Int
      /// Those of them that were never concluded.
      package var openAttempts: Int
      /// Starts of the gateway.
      package var sessions: Int
      /// Keys that ledgers remember.
      package var remembered: Int
      /// The file's size in bytes, without its log.
      package var bytes: Int
    }

    /// Opens the journal at `path`.
    /// - Parameter key: the station's key; without it codes and holders are unknown.
    /// - Throws: why it cannot be read.
    package init(path: String, key: SealKey?) throws(JournalFault) {
      self.path = path
      seals = key.map { JournalSeals($0) }
      guard access(path, F_OK) == 0 else {
        throw JournalFault(
          .unavailable, "There is no journal \(path). Check the name; the gateway makes it at its first start.")
      }
      do throws(SQLiteError) {
        database = try Self.connect(path)
        guard try database.integer("PRAGMA application_id") == Schema.applicationID else {
          throw SQLiteError(code: SQLITE_NOTADB, errno: 0, message: "it is no journal")
        }
      } catch {
        throw JournalFault(error, at: path)
      }
      let version = (try? database.integer("PRAGMA user_version")) ?? 0
      guard (Self.oldest...Schema.current.version).contains(version) else {
        throw JournalFault(
          .unavailable,
          "The journal \(path) is of version \(version), and this program reads \(Self.oldest) to "
            + "\(Schema.current.version). Read it with the program that writes it.")
      }
      hasOutbox = version >= 2
      hasFloods = version >= 3
      hasFirstUses = version >= 4
      hasEvents = version >= 5
      hasOrders = version >= 6
    }

    private static func connect(_ path: String) throws(SQLiteError) -> Database {
      do throws(SQLiteError) {
        let database = try Database(path, .read, busyMilliseconds: 5_000)
        _ = try database.integer("SELECT count(*) FROM sqlite_master")
        return database
      } catch {
        // Without a log nobody writes, and all is in the file; who may not write beside it could not read it otherwise.
        let refused = [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.primary)
        guard refused, access("\(path)-wal", F_OK) != 0, errno == ENOENT else { throw error }
        let database = try Database(path, .frozen, busyMilliseconds: 0)
        _ = try database.integer("SELECT count(*) FROM sqlite_master")
        return database
      }
    }

    /// How much the journal has.
    package func counts() throws(JournalFault) -> Counts {
      try told { () throws(SQLiteError) in
        func count(_ table: String) throws(SQLiteError) -> Int {
          Int(try database.integer("SELECT count(*) FROM \(table)") ?? 0)
        }
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let size = try database.integer("PRAGMA page_size") ?? 0
        return Counts(
          scans: try count("scan"), attempts: try count("attempt"), openAttempts: try count("open_attempt"),
          sessions: try count("session"), remembered: try count("memory"),
          bytes: Int(clamping: pages.multipliedReportingOverflow(by: size).partialValue))
      }
    }

    /// Calls `body` with each scan that passes `filter`, in the order in which they happened.
    package func scans(
      matching filter: Filter = Filter(), _ body: (JournalRow) throws -> Void
    ) throws {
      let (first, last) = try bounds(of: filter)
      guard var seq = try start(of: filter, first: first, last: last) else { return }
      while seq <= last {
        // In pieces: a long look would keep the log from being moved into the file.
        let rows = try told { () throws(SQLiteError) in try page(filter, from: seq, to: last) }
        for row in rows where passes(row.row.code, filter) { try body(row.row) }
        // A damaged file may count to the end.
        guard rows.count == Self.page, let end = rows.last?.seq, end < last else { return }
        seq = end + 1
      }
    }

    private static let page = 500

    var columns: String {
      Self.columns + (hasFirstUses ? Self.firstUse : ", NULL, NULL, NULL")
        + (hasEvents ? Self.event : ", NULL, NULL, NULL")
    }

    private static let firstUse = """
      , s.first_used_at, (SELECT text FROM name WHERE name.id = s.first_used_gate), s.first_used_request
      """

    private static let event = """
      , s.event_id, s.event, (SELECT n.wall FROM annulment n WHERE n.scan = s.id ORDER BY n.seq LIMIT 1)
      """

    private static let columns = """
      SELECT s.seq, s.id, gate.text, reader.text, s.code, s.symbology, s.read_at, system.text, s.ticket,
        s.wall, s.monotonic, s.trusted, session.boot, s.decided_in, s.verdict, s.reason, s.decider, s.note, s.detail,
        s.entry, s.holder, s.admitted, s.allowance, s.output_fault
      """

    static let sources = """
       FROM scan s LEFT JOIN name gate ON gate.id = s.gate LEFT JOIN name reader ON reader.id = s.reader
      LEFT JOIN name system ON system.id = s.system LEFT JOIN session ON session.id = s.session
      """

    private static let condition = """
       WHERE s.seq BETWEEN ?1 AND ?2 AND (?3 IS NULL OR s.wall >= ?3) AND (?4 IS NULL OR s.wall < ?4)
      AND (?5 IS NULL OR gate.text = ?5) AND (?6 IS NULL OR s.verdict = ?6)
      """

    private func values(_ filter: Filter, from first: Int64, to last: Int64) -> [Value] {
      [
        .integer(first), .integer(last), Value(filter.from?.nanoseconds), Value(filter.until?.nanoseconds),
        Value(filter.gate?.name), Value(filter.verdict),
      ]
    }

    private func page(
      _ filter: Filter, from first: Int64, to last: Int64
    ) throws(SQLiteError) -> [(seq: Int64, row: JournalRow)] {
      try database.prepare(columns + Self.sources + Self.condition + " ORDER BY s.seq LIMIT \(Self.page)")
        .rows(values(filter, from: first, to: last)) { ($0.integer(0) ?? 0, JournalRow($0, seals: seals)) }
    }

    /// The facts between which the filter's times lie: found by the index, so that a day costs a day.
    func bounds(of filter: Filter) throws(JournalFault) -> (Int64, Int64) {
      try told { () throws(SQLiteError) in
        guard filter.from != nil || filter.until != nil else {
          return (0, try database.integer("SELECT max(seq) FROM scan") ?? -1)
        }
        return try database.prepare(
          "SELECT min(seq), max(seq) FROM scan WHERE trusted IN (0, 1) AND wall >= ?1 AND wall < ?2"
        ).rows([.integer(filter.from?.nanoseconds ?? .min), .integer(filter.until?.nanoseconds ?? .max)]) {
          ($0.integer(0) ?? 0, $0.integer(1) ?? -1)
        }.first ?? (0, -1)
      }
    }

    /// Where the newest `limit` scans begin; `nil` where there is none.
    private func start(of filter: Filter, first: Int64, last: Int64) throws(JournalFault) -> Int64? {
      guard let limit = filter.limit else { return first }
      if filter.code != nil { return try start(of: filter, first: first, last: last, newest: limit) }
      return try told { () throws(SQLiteError) in
        try database.prepare(
          "SELECT min(seq) FROM (SELECT s.seq" + Self.sources + Self.condition + " ORDER BY s.seq DESC LIMIT ?7)"
        ).rows(values(filter, from: first, to: last) + [.integer(Int64(max(0, limit)))]) { $0.integer(0) }.first
      }
    }

    /// The same where codes are looked at: from the newest back.
    private func start(
      of filter: Filter, first: Int64, last: Int64, newest limit: Int
    ) throws(JournalFault) -> Int64? {
      var (found, count, end): (Int64?, Int, Int64) = (nil, 0, last)
      while count < limit, end >= first {
        let rows = try told { () throws(SQLiteError) in try sealedCodes(filter, from: first, to: end) }
        for row in rows where count < limit && passes(row.code, filter) { (found, count) = (row.seq, count + 1) }
        guard rows.count == Self.page, let oldest = rows.last?.seq, oldest > first else { break }
        end = oldest - 1
      }
      return found
    }

    private func sealedCodes(
      _ filter: Filter, from first: Int64, to last: Int64
    ) throws(SQLiteError) -> [(seq: Int64, code: Code?)] {
      try database.prepare(
        "SELECT s.seq, s.id, s.code" + Self.sources + Self.condition + " ORDER BY s.seq DESC LIMIT \(Self.page)"
      ).rows(values(filter, from: first, to: last)) { row in
        let scan = ScanID(bytes: row.blob(1) ?? [])
        let code = scan.flatMap { scan in row.blob(2).flatMap { seals?.openCode($0, of: scan) } }
        return (row.integer(0) ?? 0, code)
      }
    }

    private func passes(_ code: Code?, _ filter: Filter) -> Bool {
      guard let wanted = filter.code else { return true }
      return code.map(wanted) == true
    }

    fileprivate func problems(_ reached: ReachRecord?) throws(JournalFault) -> [String] {
      do throws(SQLiteError) {
        let found = try database.texts("PRAGMA integrity_check").filter { $0 != "ok" }
        let orphans = try database.texts("PRAGMA foreign_key_check").map { "a row of \($0) points nowhere" }
        let loss = JournalLoss(JournalPosition(database), reached, in: .current())?.words(path)
        return found + orphans + (loss.map { [$0] } ?? [])
      } catch {
        if error.isDamage { return [error.message] }
        throw JournalFault(error, at: path)
      }
    }

    /// Puts what SQLite says into words.
    func told<Value>(_ body: () throws(SQLiteError) -> Value) throws(JournalFault) -> Value {
      do throws(SQLiteError) {
        return try body()
      } catch {
        throw JournalFault(error, at: path)
      }
    }
  }

  /// Looks through a whole journal for damage; its gateway may be running.
  /// - Returns: what is wrong, in words; empty when it is sound.
  /// - Throws: why it cannot be read.
  package static func verify(_ path: String) throws(JournalFault) -> [String] {
    // Before the journal, which may be in use.
    let reached = ReachRecord.read(beside: path)
    return try Reader(path: path, key: nil).problems(reached)
  }
}
