import SQLiteFile
import ScanModel

/// A round of retention under way: up to where names and facts go, and what is still to be done.
struct Tidying {
  var names: Int64
  var facts: Int64
  /// Up to where conflicts go: by their age alone.
  var aged: Int64 = 0
  /// How many rows the next slice takes; found by how long the last one took.
  var rows: Int64 = 50
  var step = Step.names

  enum Step { case names, conflicts, facts, size, shrink }
}

extension JournalStore {
  /// The newest facts, which stay however big the file is: what ledgers remember may fill it alone.
  private static let least: Int64 = 5_000

  /// The time that a slice may keep the writer from its batches.
  private static let slice = Duration.milliseconds(5)

  /// Finds what is old. The order of the facts is sure, the clock is not: what lies before a fact of a trusted time is
  /// older than that, and no clock of today reaches further than the newest trusted fact.
  func planTidying(
    _ settings: Journal.Settings, wall: WallTime, monotonic: MonotonicTime
  ) throws(SQLiteError) -> Tidying {
    var plan = Tidying(
      names: try database.integer("SELECT names FROM retention") ?? 0,
      facts: try database.integer("SELECT facts FROM retention") ?? 0)
    let newest = try database.integer("SELECT max(wall) FROM scan WHERE trusted = 1")
    if let newest {
      let old = min(wall, WallTime(nanoseconds: newest)) - settings.keepScans
      // Where the size has taken all old scans, a conflict's own time tells.
      for query in [
        "SELECT seq FROM scan WHERE trusted = 1 AND wall < ? ORDER BY wall DESC LIMIT 1",
        """
        SELECT max(a.seq) FROM outbox o JOIN owed a ON a.seq = o.owed
        WHERE o.told IS NOT NULL AND a.trusted = 1 AND a.wall < ?
        """,
      ] {
        let found = try database.prepare(query).rows([.integer(old.nanoseconds)]) { $0.integer(0) }
        plan.aged = max(plan.aged, found.first ?? 0)
      }
      plan.facts = max(plan.facts, plan.aged)
    }
    // Names rather go too early than too late: today's clock is believed, and so is the monotonic one of this boot.
    try database.prepare(
      """
      SELECT max(seq) FROM scan WHERE holder IS NOT NULL
        AND ((trusted = 1 OR session <> ?1) AND wall < ?2 OR session = ?1 AND monotonic < ?3)
      """
    ).each([
      .integer(session), .integer((wall - settings.keepNames).nanoseconds),
      .integer((monotonic - settings.keepNames).nanoseconds),
    ]) { row throws(SQLiteError) in plan.names = max(plan.names, row.integer(0) ?? 0) }
    plan.names = max(plan.names, plan.facts)
    // By such an index everything would go.
    guard plan.names <= lastSeq else { throw .damage("fact \(plan.names) is not among \(lastSeq)") }
    return plan
  }

  /// Does one slice of the plan.
  func tidy(_ plan: Tidying, keepBytes: Int64) throws(SQLiteError) -> (isDone: Bool, next: Tidying) {
    var next = plan
    let began = ContinuousClock.now
    // Not synced: what a cut of power brings back goes with the next round, and no batch waits for the disk.
    try database.execute("PRAGMA synchronous = NORMAL")
    defer { try? database.execute("PRAGMA synchronous = FULL") }
    var isDone = false
    switch plan.step {
    case .names:
      let changed = try change(
        plan,
        """
        UPDATE scan SET holder = NULL
        WHERE seq IN (SELECT seq FROM scan WHERE holder IS NOT NULL AND seq <= ?1 ORDER BY seq LIMIT ?2)
        """, upTo: plan.names)
      if changed == 0 { next.step = .conflicts }
    case .conflicts:
      if try release(upTo: plan.aged, rows: plan.rows) == 0 { next.step = .facts }
    case .facts:
      var changed: Int64 = 0
      for table in ["scan", "flood", "annulment", "staff_order", "conclusion", "told", "owed", "attempt"] {
        var spared = "SELECT fact FROM held"
        if table == "attempt" { spared += " UNION ALL SELECT attempt FROM open_attempt" }
        if table == "staff_order" { spared += " UNION ALL SELECT seq FROM (\(Self.standingOrders)) WHERE seq NOT NULL" }
        changed += try change(
          plan,
          "DELETE FROM \(table) WHERE seq IN "
            + "(SELECT seq FROM \(table) WHERE seq <= ?1 AND seq NOT IN (\(spared)) ORDER BY seq LIMIT ?2)",
          upTo: plan.facts)
      }
      if changed == 0 { next.step = .size }
    case .size:
      let pages = try database.integer("PRAGMA page_count") ?? 0
      let free = try database.integer("PRAGMA freelist_count") ?? 0
      let size = try database.integer("PRAGMA page_size") ?? 4_096
      let last = lastSeq - Self.least
      if (pages - free) * size > keepBytes, plan.facts < last {
        let first = try firstSeq(after: plan.facts) ?? last
        // In this order: a damaged table may count to the ends.
        next.facts = min(last - 500, max(plan.facts, max(first, 1) - 1)) + 500
        next.names = max(next.names, next.facts)
        next.step = .facts
      } else {
        next.step = .shrink
      }
    case .shrink:
      // A megabyte stays, to be filled again.
      let free = try database.integer("PRAGMA freelist_count") ?? 0
      if free > 256 { try database.execute("PRAGMA incremental_vacuum(\(min(plan.rows, free - 256)))") }
      isDone = free <= 256
    }
    let took = ContinuousClock.now - began
    next.rows = took > Self.slice ? max(5, plan.rows / 2) : min(500, plan.rows + 10)
    return (isDone, next)
  }

  /// Raises the file's own limit, then changes some rows.
  /// - Returns: how many.
  private func change(_ plan: Tidying, _ sql: String, upTo seq: Int64) throws(SQLiteError) -> Int64 {
    var changed: Int64 = 0
    try database.transaction { () throws(SQLiteError) in
      try database.prepare("UPDATE retention SET facts = ?1, names = ?2 WHERE facts < ?1 OR names < ?2")
        .run(.integer(plan.facts), .integer(plan.names))
      try database.prepare(sql).run(.integer(seq), .integer(plan.rows))
      changed = try database.integer("SELECT changes()") ?? 0
    }
    return changed
  }

  /// Holds the oldest conflicts no longer. What waits stays whatever its age.
  /// - Returns: how many.
  private func release(upTo seq: Int64, rows: Int64) throws(SQLiteError) -> Int64 {
    let found = try database.prepare(
      "SELECT owed, told FROM outbox WHERE told IS NOT NULL AND owed <= ?1 ORDER BY owed LIMIT ?2"
    ).rows([.integer(seq), .integer(rows)]) { (owed: $0.integer(0) ?? 0, told: $0.integer(1) ?? 0) }
    try database.transaction { () throws(SQLiteError) in
      for conflict in found {
        try outbox.leave.run(.integer(conflict.owed))
        for fact in [conflict.owed, conflict.told] { try outbox.release.run(.integer(fact)) }
      }
    }
    return Int64(found.count)
  }

  private func firstSeq(after seq: Int64) throws(SQLiteError) -> Int64? {
    let tables = Self.factTables.map { "SELECT min(seq) AS seq FROM \($0) WHERE seq > \(seq)" }
    return try database.integer("SELECT min(seq) FROM (\(tables.joined(separator: " UNION ALL ")))")
  }
}
