import Expectations
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

@Suite struct RetentionTests {
  private let day = Duration.seconds(86_400)

  private func add(_ journal: Journal, _ code: String, _ time: ManualTime, isTrusted: Bool = true) async throws {
    let facts = [JournalFact.scan(sampleScan(code, time: time, isTrusted: isTrusted))]
    try await journal.written(journal.enqueue(JournalBatch(facts: facts)))
  }

  @Test func namesGoAfterTheirTime() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time)
    try await add(journal, "old", time)
    time.advance(by: .seconds(80_000))
    try await add(journal, "new", time)
    time.advance(by: .seconds(10_000))
    await journal.tidy()
    try expectEqual(scans(folder.journal).map(\.holder), [nil, "Ada Lovelace"])
    try expectEqual(codes(folder.journal), ["old", "new"])
    time.advance(by: day)
    await journal.tidy()
    try expectEqual(scans(folder.journal).map(\.holder), [nil, nil])
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test func scansGoByAgeAndWithThemWhatWasAsked() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time) { $0.keepScans = .seconds(10 * 86_400) }
    let (open, done) = (sampleAttempt("open"), sampleAttempt("done"))
    let key = LedgerKey(server: "s", kind: .ticket, bytes: [1])
    journal.enqueue(
      JournalBatch(facts: [.asked(open), .asked(done), .concluded(sampleConclusion(done))], memory: [key: [1]]))
    for number in 0..<20 {
      try await add(journal, "\(number)", time)
      time.advance(by: day)
    }
    await journal.tidy()
    try expectEqual(codes(folder.journal), (9..<20).map { "\($0)" })
    // What is open, and what the ledger remembers, stays whatever its age.
    let reader = try Journal.Reader(path: folder.journal, key: testKey)
    try expectEqual(reader.attempts(open: false).map(\.id), [open.attempt])
    try await expectEqual(journal.recall([key]), [key: [1]])
    try await journal.written(journal.enqueue(JournalBatch(facts: [.concluded(sampleConclusion(open))])))
    await journal.tidy()
    expect(try reader.attempts(open: false).isEmpty)
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  /// A clock that was never set, or runs into the future, deletes nothing.
  @Test func onlyTrustedTimesAreOld() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let early = ManualTime(wall: WallTime(seconds: 0))
    let journal = try openJournal(folder.journal, time: time)
    try await add(journal, "trusted", time)
    try await add(journal, "untrusted", early, isTrusted: false)
    time.advance(by: day * 10_000)
    await journal.tidy()
    try expectEqual(codes(folder.journal), ["trusted", "untrusted"])
    try await add(journal, "today", time)
    await journal.tidy()
    // The untrusted one came after the last that is surely old.
    try expectEqual(codes(folder.journal), ["untrusted", "today"])
    await journal.close()
  }

  @Test func theOldestGoWhenTheFileIsTooBig() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time) { $0.keepBytes = 2_000_000 }
    var mark = JournalMark(number: 0)
    for number in 0..<8_000 {
      mark = journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(number)", time: time))]))
    }
    try await journal.written(mark)
    await journal.tidy()
    let left = try codes(folder.journal)
    expect(left.last == "7999" && left.count > 5_000 && left.count < 7_500, "\(left.count)")
    expectEqual(left, (8_000 - left.count..<8_000).map { "\($0)" })
    expect(try Journal.Reader(path: folder.journal, key: nil).counts().bytes < 3_500_000)
    await journal.close()
    // The newest stay, whatever fills the file.
    let small = try openJournal(folder.journal, time: time) { $0.keepBytes = 1 }
    await small.tidy()
    try expectEqual(codes(folder.journal).count, 5_000)
    await small.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  /// It goes with its scan, not before.
  @Test func whatWasAnnulledIsSaidAsLongAsItsScan() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time) { $0.keepScans = .seconds(10 * 86_400) }
    var annulled: [ScanID] = []
    for number in 0..<20 {
      let scan = sampleScan("\(number)", time: time)
      var facts = [JournalFact.scan(scan)]
      if number % 2 == 0 {
        facts.append(.annulled(AnnulledAdmission(scan: scan.scan.id, admission: AttemptID(), at: scan.at)))
        annulled.append(scan.scan.id)
      }
      try await journal.written(journal.enqueue(JournalBatch(facts: facts)))
      time.advance(by: day)
    }
    await journal.tidy()
    await journal.close()
    let rows = try scans(folder.journal)
    expectEqual(rows.count, 11)
    for row in rows { expectEqual(row.annulledAt != nil, row.id.map(annulled.contains)) }
    let database = try stranger(folder.journal)
    // The last scan that went left its own, which comes after it.
    try expectEqual(database.integer("SELECT count(*) FROM annulment"), 6)
    #expect(throws: SQLiteError.self) { try database.execute("DELETE FROM annulment") }
    #expect(throws: SQLiteError.self) { try database.execute("UPDATE annulment SET wall = 0") }
    database.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test func whatIsHeldStays() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time)
    for code in ["told", "untold", "told too"] { try await add(journal, code, time) }
    try stranger(folder.journal).execute("INSERT INTO held SELECT seq FROM scan ORDER BY seq LIMIT 1 OFFSET 1")
    time.advance(by: day * 500)
    try await add(journal, "today", time)
    await journal.tidy()
    try expectEqual(codes(folder.journal), ["untold", "today"])
    await journal.close()
  }

  @Test func theReaderFilters() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let start = time.wall()
    let journal = try openJournal(folder.journal, time: time)
    for number in 0..<1_200 {
      let scan = sampleScan(
        "\(number)", gate: number % 2 == 0 ? "north" : "south",
        verdict: number % 3 == 0 ? .refuse(.expired) : .admit, time: time, isTrusted: number % 5 != 0)
      journal.enqueue(JournalBatch(facts: [.scan(scan)]))
      time.advance(by: .seconds(1))
    }
    try await journal.written(journal.enqueue(JournalBatch()))
    func found(_ filter: Journal.Reader.Filter) throws -> [Int] {
      try codes(folder.journal, filter).compactMap { Int($0) }
    }
    try expectEqual(found(.init()), Array(0..<1_200))
    try expectEqual(found(.init(limit: 3)), [1_197, 1_198, 1_199])
    try expectEqual(found(.init(limit: 0)), [])
    try expectEqual(
      found(.init(from: start + .seconds(10), until: start + .seconds(20), gate: GateID("south"))),
      [11, 13, 15, 17, 19])
    try expectEqual(found(.init(verdict: "refuse")), (0..<1_200).filter { $0 % 3 == 0 })
    try expectEqual(
      found(.init(from: start + .seconds(600), gate: GateID("north"), verdict: "admit", limit: 2)),
      [
        1_196, 1_198,
      ])
    try expectEqual(found(.init(until: start)), [])
    await journal.close()
    try expectEqual(found(.init(limit: 1)), [1_199])
    #expect(throws: JournalFault.self) { _ = try Journal.Reader(path: "\(folder.path)/none", key: nil) }
  }
}
