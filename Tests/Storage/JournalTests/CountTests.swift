import Expectations
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// Numbers that only a damaged file has.
@Suite struct CountTests {
  /// Takes away what keeps a journal's rows from being changed.
  private func unlocked(_ path: String) throws -> Database {
    let database = try stranger(path)
    for name in try database.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
      try database.execute("DROP TRIGGER \(name)")
    }
    return database
  }

  private func filled(_ path: String, scans: Int) async throws {
    let journal = try openJournal(path)
    for number in 0..<scans { journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(number)"))])) }
    let attempts = (0..<3).map { sampleAttempt("attempt \($0)") }
    let owed = (0..<3).map { sampleOwed("owed \($0)") }
    var batch = JournalBatch(facts: attempts.map { .asked($0) } + owed.map { .owed($0) })
    batch.facts += [.concluded(sampleConclusion(attempts[0])), .late(sampleConclusion(attempts[0]))]
    batch.facts += [.told(sampleTold(owed[0], .contradicted)), .told(sampleTold(owed[1], .tooLate))]
    journal.enqueue(batch)
    await journal.close()
  }

  /// Reads all that a reader can tell.
  private func read(_ path: String) throws {
    let reader = try Journal.Reader(path: path, key: testKey)
    let time = WallTime(seconds: 1_766_000_000)
    for filter in [
      Journal.Reader.Filter(), .init(limit: 7), .init(gate: GateID("none"), limit: 7), .init(from: time),
      .init(until: time, limit: 1), .init(verdict: "none", limit: 0),
    ] {
      _ = try? reader.scans(matching: filter) { _ in }
    }
    for part in Journal.Reader.OutboxPart.allCases { _ = try? reader.outbox(part, since: time) }
    _ = try? reader.attempts(open: false)
    _ = try? reader.attempts(open: true)
    _ = try? reader.unsettled(since: time, now: time)
    _ = try? reader.counts()
    _ = try? reader.standing()
    _ = try? Journal.verify(path)
  }

  @Test func aReaderComesToTheEndOfTheCount() async throws {
    let folder = try Folders()
    try await filled(folder.journal, scans: 500)
    let database = try unlocked(folder.journal)
    let last = try #require(try database.integer("SELECT max(seq) FROM scan"))
    // A whole page of them, and the last count that there is.
    try database.execute("UPDATE scan SET seq = seq + \(Int64.max - last)")
    database.close()
    try expectEqual(scans(folder.journal).count, 500)
    try expectEqual(scans(folder.journal, .init(limit: 3)).count, 3)
    try expectEqual(scans(folder.journal, .init(gate: GateID("none"), limit: 3)).count, 0)
  }

  /// Nothing could be written behind the last count: such a file is damaged.
  @Test func aJournalThatCannotCountOnIsSetAside() async throws {
    let folder = try Folders()
    try await filled(folder.journal, scans: 10)
    let database = try unlocked(folder.journal)
    try database.execute("UPDATE scan SET seq = \(Int64.max) WHERE seq = 1")
    database.close()
    let journal = try openJournal(folder.journal)
    let words = try #require(await notice(journal))
    expect(words.contains("set aside"))
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("after"))])))
    try await expectEqual(journal.owed().count, 1)
    await journal.close()
    try expectEqual(codes(folder.journal), ["after"])
  }

  @Test(arguments: 0..<extent(landing: 10, release: 300)) func numbersOfAnySizeEndNoProcess(seed: Int) async throws {
    let folder = try Folders()
    try await filled(folder.journal, scans: 12)
    var random = SeededGenerator(seed: UInt64(seed))
    let extremes: [Int64] = [
      .min, .min + 1, -1, 0, 1, 6_000, 1 << 40, (1 << 62) - 1, 1 << 62, .max - 501, .max - 500, .max - 499, .max - 1,
      .max,
    ]
    let database = try unlocked(folder.journal)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let columns = try database.texts(
        """
        SELECT 'UPDATE OR IGNORE "' || t.name || '" SET "' || c.name || '" = ' FROM sqlite_master t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND c.type = 'INTEGER'
        """)
      let picked = columns.randomElement(using: &random)
      let change = try #require(picked)
      let value = extremes.randomElement(using: &random) ?? 0
      let table = change.split(separator: "\"")[1]
      let rows = random.chance(50) ? "" : " WHERE rowid = (SELECT max(rowid) FROM \(table))"
      // Tables without rowid are changed wholly.
      for condition in [rows, ""] {
        if (try? database.execute("\(change)\(value)\(condition)")) != nil { break }
      }
    }
    database.close()
    try read(folder.journal)
    do throws(any Error) {
      let journal = try openJournal(folder.journal) {
        $0.keepBytes = Int64(seed % 2) * 1_000_000
        $0.keepScans = .seconds(1)
      }
      try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("after"))])))
      expect(try codes(folder.journal).contains("after"), "seed \(seed)")
      _ = try? await journal.unconcluded()
      _ = try? await journal.owed()
      await journal.tidy()
      await journal.close()
    } catch let fault as JournalFault {
      expect(!fault.description.isEmpty, "seed \(seed)")
    }
    try read(folder.journal)
  }
}
