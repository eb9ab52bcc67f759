internal import SQLiteFile
package import ScanModel

/// A scan as reports and pages need it: nothing of it is sealed.
package struct JournalBrief: Sendable, Equatable {
  /// Its place in the order of facts.
  package var place: Int64
  /// The scan.
  package var id: ScanID?
  /// Where it was presented.
  package var gate: GateID
  /// The reader that read it.
  package var reader: ReaderID
  /// When it was decided.
  package var at: JournalTime
  /// From the last byte read to the verdict.
  package var decidedIn: Duration
  /// `admit`, `refuse` or `undecided`.
  package var verdict: String
  /// The reason's name; `nil` for an admission.
  package var reason: String?
  /// Who decided, by `Decider`'s names.
  package var decider: String
  /// What else staff should know, by its name in events.
  package var note: String?
  /// The event, as the ticket system or the presented code calls it.
  package var eventID: String?
  /// The event's name.
  package var event: String?
  /// Whether the admission was taken back because nobody passed.
  package var isAnnulled: Bool
  /// Why the gate did not open although the verdict is an admission.
  package var outputFault: String?

  init(_ row: Row) {
    place = row.integer(0) ?? 0
    id = row.blob(1).flatMap { ScanID(bytes: $0) }
    gate = GateID(row.text(2) ?? "")
    reader = ReaderID(row.text(3) ?? "")
    at = row.time(4)
    decidedIn = .nanoseconds(row.integer(7) ?? 0)
    verdict = row.text(8) ?? ""
    reason = row.text(9)
    decider = row.text(10) ?? ""
    note = row.text(11)
    outputFault = row.text(12)
    eventID = row.text(13)
    event = row.text(14)
    isAnnulled = row.integer(15) == 1
  }
}

extension Journal.Reader {
  private static let briefPiece = 2_000
  /// So many facts are looked at for a page: what is seldom is found in several looks.
  private static let pageLook: Int64 = 100_000

  private var briefColumns: String {
    """
    SELECT s.seq, s.id, gate.text, reader.text, s.wall, s.monotonic, s.trusted, s.decided_in, s.verdict, s.reason,
      s.decider, s.note, s.output_fault
    """
      + (hasEvents
        ? ", s.event_id, s.event, s.id IN (SELECT n.scan FROM annulment n WHERE n.scan = s.id)" : ", NULL, NULL, 0")
  }

  private static let briefSources = """
     FROM scan s LEFT JOIN name gate ON gate.id = s.gate LEFT JOIN name reader ON reader.id = s.reader
    WHERE s.seq BETWEEN ?1 AND ?2 AND (?3 IS NULL OR s.wall >= ?3) AND (?4 IS NULL OR s.wall < ?4)
      AND (?5 IS NULL OR gate.text = ?5) AND (?6 IS NULL OR s.verdict = ?6)
    """

  private func values(_ filter: Filter, _ first: Int64, _ last: Int64) -> [Value] {
    [
      .integer(first), .integer(last), Value(filter.from?.nanoseconds), Value(filter.until?.nanoseconds),
      Value(filter.gate?.name), Value(filter.verdict),
    ]
  }

  /// Calls `body` with each scan that passes `filter`, in the order in which they happened; codes and limits of the filter are not
  /// looked at.
  package func briefs(matching filter: Filter = Filter(), _ body: (JournalBrief) throws -> Void) throws {
    let (first, last) = try bounds(of: filter)
    var place = first
    while place <= last {
      // In pieces: a long look would keep the log from being moved into the file.
      let rows = try told { () throws(SQLiteError) in
        try database.prepare(briefColumns + Self.briefSources + " ORDER BY s.seq LIMIT \(Self.briefPiece)")
          .rows(values(filter, place, last)) { JournalBrief($0) }
      }
      for row in rows { try body(row) }
      // A damaged file may count to the end.
      guard rows.count == Self.briefPiece, let end = rows.last?.place, end < last else { return }
      place = end + 1
    }
  }

  /// A page of scans that pass `filter`, newest first.
  /// - Parameters:
  ///   - place: only those before it; from the newest where it is `nil`.
  ///   - limit: at most so many.
  /// - Returns: the scans, and before which place the next page goes on; `nil` where there is nothing more. A page may be short, and
  ///   empty, though there is more: a look is bounded.
  package func briefs(
    matching filter: Filter, before place: Int64?, limit: Int
  ) throws(JournalFault) -> (rows: [JournalBrief], next: Int64?) {
    let (first, newest) = try bounds(of: filter)
    let last = min(newest, place.map { saturatingDifference($0, 1) } ?? newest)
    guard first <= last, limit > 0 else { return ([], nil) }
    let lowest = max(first, saturatingDifference(last, Self.pageLook))
    let rows = try told { () throws(SQLiteError) in
      try database.prepare(briefColumns + Self.briefSources + " ORDER BY s.seq DESC LIMIT \(limit)")
        .rows(values(filter, lowest, last)) { JournalBrief($0) }
    }
    let end = rows.count == limit ? rows.last?.place ?? lowest : lowest
    return (rows, end > first ? end : nil)
  }

  /// The civil times between which scans lie, the last of them included; `nil` where there is none.
  package func extremes() throws(JournalFault) -> (first: WallTime, last: WallTime)? {
    try told { () throws(SQLiteError) in
      try database.prepare("SELECT min(wall), max(wall) FROM scan WHERE trusted IN (0, 1)").rows { row in
        row.integer(0).flatMap { first in
          row.integer(1).map { (WallTime(nanoseconds: first), WallTime(nanoseconds: $0)) }
        }
      }.first
    }
  }
}
