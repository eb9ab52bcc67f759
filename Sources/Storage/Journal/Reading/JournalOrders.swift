import SQLiteFile
package import ScanModel

/// Orders of staff: so that none is done twice, and what they took out of service, or held, stays so over restarts.
extension Journal {
  package func orders() async throws(JournalFault) -> [JournaledOrder] {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in try store.orders() }.map { written in
        written
          + writer.pending.flatMap(\.batch.facts).compactMap { fact in
            if case .order(let order) = fact { order } else { nil }
          }
      }
    }
  }
}

extension Journal.Reader {
  /// The newest orders of staff, oldest first, each with what became of it; without an outcome where the process ended in between. None
  /// before version 6.
  /// - Parameters:
  ///   - since: only those of then or later, by the civil clock of then.
  ///   - limit: at most so many.
  package func orders(since: WallTime? = nil, limit: Int) throws(JournalFault) -> [JournaledOrder] {
    guard hasOrders, limit > 0 else { return [] }
    return try told { () throws(SQLiteError) in
      // A row before each was done, and one with what became of it.
      try database.prepare(
        """
        \(JournalStore.orderColumns)
        WHERE o.seq IN (
          SELECT max(seq) FROM staff_order WHERE ?1 IS NULL OR wall >= ?1 GROUP BY id ORDER BY max(seq) DESC LIMIT ?2
        ) ORDER BY o.seq
        """
      ).rows([Value(since?.nanoseconds), .integer(Int64(limit))]) { JournaledOrder($0) }
    }
  }
}

extension Journal.Reader {
  /// Whether staff hold the outbox: nothing is told to ticket systems.
  package func isOutboxHeld() throws(JournalFault) -> Bool {
    guard hasOrders else { return false }
    return try told { () throws(SQLiteError) in
      try database.prepare(
        "\(JournalStore.orderColumns) WHERE o.seq = (SELECT max(seq) FROM staff_order WHERE \(JournalStore.ofOutbox))"
      ).rows { JournaledOrder($0) }
    }.holdsOutbox
  }
}

extension JournalStore {
  /// So many of the newest rows are remembered: more than can be given while any of them may be given again.
  private static let newest = 1_024

  fileprivate static let orderColumns = """
    SELECT o.id, o.kind, gate.text, o.subject, o.who, o.user, o.why, o.outcome, o.reason, o.detail, o.scan,
      o.wall, o.monotonic, o.trusted
    FROM staff_order o LEFT JOIN name gate ON gate.id = o.gate
    """

  /// Orders by which the outbox is held, or is not.
  fileprivate static let ofOutbox = "kind IN ('outboxHold', 'outboxRetry') AND outcome = 'done'"

  /// What is kept however old it is: the newest order of each gate's maintenance, and of the outbox, and who
  /// acknowledged a conflict that is still there.
  static let standingOrders = """
    SELECT max(seq) AS seq FROM staff_order WHERE kind = 'maintenance' AND outcome = 'done' GROUP BY gate
    UNION ALL SELECT max(seq) AS seq FROM staff_order WHERE \(ofOutbox)
    UNION ALL SELECT max(seq) AS seq FROM staff_order WHERE kind = 'acknowledge' AND outcome = 'done' AND subject IN (
      SELECT lower(hex(w.id)) FROM outbox JOIN owed w ON w.seq = outbox.owed WHERE outbox.told IS NOT NULL
    ) GROUP BY subject
    """

  func write(_ order: JournaledOrder) throws(SQLiteError) {
    try sql.addOrder.run(
      .integer(next()), .integer(session), .blob(order.id.bytes), .text(order.kind),
      try order.gate.map { gate throws(SQLiteError) in try name(gate.name) } ?? .null, Value(order.subject),
      .text(order.who), .integer(Int64(order.user)), .text(order.why), Value(order.outcome), Value(order.reason),
      Value(order.detail), order.scan.map { .blob($0.bytes) } ?? .null, .integer(order.at.wall.nanoseconds),
      .integer(order.at.monotonic.nanoseconds), Value(order.at.isTrusted))
  }

  func orders() throws(SQLiteError) -> [JournaledOrder] {
    try database.prepare(
      """
      \(Self.orderColumns)
      WHERE o.seq IN (SELECT seq FROM staff_order ORDER BY seq DESC LIMIT ?1)
        OR o.seq IN (\(Self.standingOrders))
      ORDER BY o.seq
      """
    ).rows([.integer(Int64(Self.newest))]) { JournaledOrder($0) }
  }
}

extension JournaledOrder {
  /// A row of `JournalStore.orderColumns`; `nil` where it has no number.
  fileprivate init?(_ row: Row) {
    guard let id = OrderID(bytes: row.blob(0) ?? []) else { return nil }
    self.init(
      id: id, kind: row.text(1) ?? "", gate: row.text(2).map { GateID($0) }, subject: row.text(3),
      who: row.text(4) ?? "", user: UInt32(clamping: row.integer(5) ?? 0), why: row.text(6) ?? "",
      outcome: row.text(7), reason: row.text(8), detail: row.text(9), scan: row.blob(10).flatMap { ScanID(bytes: $0) },
      at: row.time(11))
  }
}

extension Sequence<JournaledOrder> {
  /// Whether nothing is to be told to ticket systems, by the last of them that says so or otherwise.
  package var holdsOutbox: Bool {
    var isHeld = false
    for order in self where order.outcome == "done" {
      switch order.kind {
      case "outboxHold": isHeld = order.subject == "on"
      case "outboxRetry": isHeld = false
      default: break
      }
    }
    return isHeld
  }
}
