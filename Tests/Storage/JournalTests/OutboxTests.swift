import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// What was admitted without the ticket system's word, until the ticket system was told.
@Suite struct OutboxTests {
  private func rows(_ path: String, _ part: Journal.Reader.OutboxPart = .all) throws -> [JournalOwed] {
    try Journal.Reader(path: path, key: testKey).outbox(part)
  }

  private func codes(_ rows: [JournalOwed]) -> [String?] { rows.map { $0.code?.text } }

  @Test func whatIsOwedOutlivesTheProcess() async throws {
    let folder = try Folders()
    let owed = ["a", "b", "c"].map { sampleOwed($0) }
    var journal = try openJournal(folder.journal)
    journal.enqueue(JournalBatch(facts: owed.map { .owed($0) }))
    await journal.close()
    journal = try openJournal(folder.journal)
    try await expectEqual(journal.owed(), owed)
    journal.enqueue(
      JournalBatch(facts: [.told(sampleTold(owed[0], .tooLate)), .told(sampleTold(owed[1], .confirmed))]))
    try await expectEqual(journal.owed(), [owed[2]])
    await journal.close()
    journal = try openJournal(folder.journal)
    try await expectEqual(journal.owed(), [owed[2]])
    try await expectEqual(journal.retriable(), [owed[0]])
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test(arguments: ToldAdmission.Ending.allCases) func codesGoOnceNothingIsLeftToTell(ending: ToldAdmission.Ending)
    async throws
  {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    let (owed, other) = (sampleOwed("secret-code"), sampleOwed("other"))
    journal.enqueue(JournalBatch(facts: [.owed(owed), .owed(other)]))
    try await journal.written(journal.enqueue(JournalBatch(facts: [.told(sampleTold(owed, ending))])))
    let database = try stranger(folder.journal)
    try expectEqual(database.integer("SELECT count(*) FROM owed WHERE code IS NOT NULL"), (ending.keepsCode ? 2 : 1))
    database.close()
    let conflicts = try rows(folder.journal, .conflicts)
    expectEqual(conflicts.map(\.attempt), (ending.isConflict ? [owed.attempt] : []))
    expectEqual(codes(conflicts), (ending.isConflict ? [ending.keepsCode ? "secret-code" : nil] : []))
    if let conflict = conflicts.first {
      expect(conflict.ending?.name == ending.rawValue && conflict.ending?.reason == "alreadyUsed")
      expect(conflict.ending?.said == "Already used" && conflict.ending?.entryID == "17")
      expect(conflict.gate == GateID("north") && conflict.decider == "policy" && conflict.at == owed.at)
    }
    expectEqual(codes(try rows(folder.journal, .waiting)), ["other"])
    await journal.close()
  }

  @Test func theFactsRefuseToBeChanged() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    let (waiting, late, done) = (sampleOwed("waiting"), sampleOwed("late"), sampleOwed("done"))
    journal.enqueue(JournalBatch(facts: [.owed(waiting), .owed(late), .owed(done)]))
    journal.enqueue(JournalBatch(facts: [.told(sampleTold(late, .tooLate)), .told(sampleTold(done, .confirmed))]))
    await journal.close()
    let database = try stranger(folder.journal)
    for change in [
      "UPDATE owed SET wall = 1", "UPDATE owed SET code = x'00'", "UPDATE owed SET code = NULL WHERE seq = 1",
      "UPDATE owed SET code = NULL WHERE seq = 2", "UPDATE told SET ending = 'confirmed'", "DELETE FROM owed",
      "DELETE FROM told", "DELETE FROM outbox WHERE told IS NULL",
      // Not even where age would let them go.
      "UPDATE retention SET facts = 99; DELETE FROM owed WHERE seq = 1",
      "UPDATE retention SET facts = 99; DELETE FROM told WHERE seq = 4",
    ] {
      #expect(throws: SQLiteError.self, "\(change)") {
        try database.execute("BEGIN")
        defer { try? database.execute("ROLLBACK") }
        try database.execute(change)
      }
    }
    try database.execute("UPDATE owed SET code = NULL WHERE seq = 3")
  }

  @Test func whatWaitsStaysAndConflictsGoByTheirAgeAlone() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time) {
      $0.keepScans = .seconds(10 * 86_400)
      $0.keepBytes = 1
    }
    let owed = ToldAdmission.Ending.allCases.map { sampleOwed($0.rawValue, time: time) }
    let waiting = sampleOwed("waiting", time: time)
    journal.enqueue(JournalBatch(facts: (owed + [waiting]).map { .owed($0) }))
    journal.enqueue(
      JournalBatch(
        facts: zip(owed, ToldAdmission.Ending.allCases).map { .told(sampleTold($0, $1, time: time)) }))
    // Nothing is too much for the size: only the newest facts stay.
    for number in 0..<5_100 {
      journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(number)", time: time))]))
    }
    await journal.tidy()
    func left() throws -> Int64? {
      let database = try stranger(folder.journal)
      defer { database.close() }
      return try database.integer("SELECT (SELECT count(*) FROM owed) * 100 + (SELECT count(*) FROM told)")
    }
    try expectEqual(rows(folder.journal).map(\.attempt), owed[1...3].map(\.attempt) + [waiting.attempt])
    try expectEqual(left(), 403)
    time.advance(by: .seconds(11 * 86_400))
    journal.enqueue(JournalBatch(facts: [.scan(sampleScan("today", time: time))]))
    try await journal.written(journal.enqueue(JournalBatch()))
    await journal.tidy()
    try expectEqual(rows(folder.journal).map(\.attempt), [waiting.attempt])
    try expectEqual(left(), 100)
    try await expectEqual(journal.owed(), [waiting])
    // What is told at last goes as all that is old.
    journal.enqueue(JournalBatch(facts: [.told(sampleTold(waiting, .confirmed, time: time))]))
    await journal.tidy()
    try expectEqual(left(), 1)
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test func whatIsOwedIsTakenOverFromADamagedFile() async throws {
    let folder = try Folders()
    var journal = try openJournal(folder.journal)
    let (waiting, late, refused) = (sampleOwed("waiting"), sampleOwed("late"), sampleOwed("refused"))
    journal.enqueue(JournalBatch(facts: [.owed(waiting), .owed(late), .owed(refused), .owed(sampleOwed("done"))]))
    journal.enqueue(
      JournalBatch(facts: [.told(sampleTold(late, .tooLate)), .told(sampleTold(refused, .contradicted))]))
    await journal.close()
    let before = try rows(folder.journal)
    let database = try stranger(folder.journal)
    try database.execute("DROP TABLE conclusion")
    database.close()
    journal = try openJournal(folder.journal)
    await expectEqual(notice(journal)?.contains("4 admissions"), true)
    try await expectEqual(journal.owed().map(\.attempt), before.filter { $0.ending == nil }.map(\.attempt))
    try await expectEqual(journal.retriable(), [late])
    await journal.close()
    try expectEqual(rows(folder.journal), before)
    try expectEqual(Journal.verify(folder.journal), [])
  }

  /// A file of the first version, as it is on stations.
  @Test func aFileWithoutOutboxIsBroughtForward() async throws {
    let folder = try Folders()
    let first = Schema(steps: Array(Schema.current.steps.prefix(1)))
    let path = folder.journal
    let (asked, key) = (sampleAttempt("asked"), LedgerKey(server: "s", kind: .ticket, bytes: [1]))
    var journal = try openJournal(path)
    journal.enqueue(
      JournalBatch(facts: [.scan(sampleScan("old")), .asked(asked)], memory: [key: .some([7])]))
    await journal.close()
    let database = try stranger(path)
    try database.execute(
      """
      DROP TABLE staff_order; DROP TABLE annulment; DROP TRIGGER event_stays; ALTER TABLE scan DROP COLUMN event_id;
      ALTER TABLE scan DROP COLUMN event; ALTER TABLE scan DROP COLUMN admission;
      DROP TRIGGER first_use_stays; ALTER TABLE scan DROP COLUMN first_used_at; ALTER TABLE scan DROP COLUMN first_used_gate;
      ALTER TABLE scan DROP COLUMN first_used_request;
      DROP TABLE origin; DROP TABLE flood; DROP TABLE outbox; DROP TABLE told; DROP TABLE owed; PRAGMA user_version = 1
      """
    )
    try expectEqual(
      database.texts("SELECT name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"), first.names(),
      "it is as that version made it")
    database.close()
    try expectEqual(rows(path), [])
    journal = try openJournal(path)
    let owed = sampleOwed("new")
    journal.enqueue(JournalBatch(facts: [.owed(owed)]))
    try await expectEqual(journal.owed(), [owed])
    try await expectEqual(journal.unconcluded(), [asked])
    try await expectEqual(journal.recall([key]), [key: [7]])
    await journal.close()
    try expectEqual(scans(path).compactMap { $0.code?.text }, ["old"])
    try expectEqual(scans("\(path).v1.backup").compactMap { $0.code?.text }, ["old"])
    try expectEqual(rows("\(path).v1.backup"), [])
    let copied = try scans("\(path).v1.backup")
    expect(copied.allSatisfy { $0.firstUse == nil && $0.event == nil && $0.eventID == nil }, "it had none")
    try expectEqual(Journal.verify(path), [])
  }

  /// Whatever is on top of it: what waits costs what it is, not what the journal is long.
  @Test func theOutboxIsFoundWithoutALookThroughAll() async throws {
    let folder = try Folders()
    try await openJournal(folder.journal).close()
    let database = try stranger(folder.journal)
    for statement in [
      OutboxStatements.columns() + OutboxStatements.sources + " WHERE o.told IS NULL ORDER BY o.owed",
      OutboxStatements.columns() + OutboxStatements.sources + OutboxStatements.ending + " WHERE o.told IS NOT NULL",
    ] {
      var plan: [String] = []
      try database.prepare("EXPLAIN QUERY PLAN " + statement).each { row throws(SQLiteError) in
        plan.append(row.text(3) ?? "")
      }
      expect(!plan.contains { $0.hasPrefix("SCAN a") || $0.hasPrefix("SCAN t") }, "\(plan)")
    }
  }

  /// A journal that takes nothing drops scans, and what was asked at last; never who was let in on its own word.
  @Test func whatIsOwedIsNeverDropped() {
    var queue = JournalQueue()
    let now = MonotonicTime(nanoseconds: 0)
    let owed = (0..<100).map { sampleOwed("\($0)") }
    for (number, admission) in owed.enumerated() {
      _ = queue.add(JournalBatch(facts: [.owed(admission)]), at: now)
      if number == 50 {
        for _ in 0..<(2 * JournalQueue.limit + 5_000) {
          _ = queue.add(JournalBatch(facts: [.asked(sampleAttempt())]), at: now)
        }
      }
    }
    _ = queue.add(JournalBatch(facts: [.told(sampleTold(owed[0], .tooLate))]), at: now)
    expect(queue.pending.count <= 2 * JournalQueue.limit + JournalQueue.limit / 50)
    expectEqual(
      queue.pending.flatMap(\.batch.facts).compactMap { if case .owed(let owed) = $0 { owed } else { nil } }, owed)
    expectEqual(queue.pending.last?.batch.facts.count, 1)
    expectEqual(queue.pending.map(\.mark), queue.pending.map(\.mark).sorted())
  }
}

extension Schema {
  /// The names of what it makes.
  fileprivate func names() throws -> [String] {
    let database = try Database(":memory:", .write, busyMilliseconds: 0)
    for step in steps { try database.execute(step) }
    return try database.texts("SELECT name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
  }
}
