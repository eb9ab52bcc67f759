import CSQLite
import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

@Suite struct DamageTests {
  /// A journal with scans, memory and an open attempt.
  private func filled(_ path: String, count: Int = 200) async throws -> (keys: [LedgerKey], open: AskedAttempt) {
    let journal = try openJournal(path)
    let keys = (0..<count).map { LedgerKey(server: "s", kind: .ticket, bytes: [UInt8($0 / 256), UInt8($0 % 256)]) }
    for (number, key) in keys.enumerated() {
      journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(number)"))], memory: [key: [UInt8(number % 256)]]))
    }
    let open = sampleAttempt("open")
    journal.enqueue(JournalBatch(facts: [.asked(open)]))
    await journal.close()
    return (keys, open)
  }

  private func notices(_ journal: Journal) async -> [String] { await notice(journal).map { [$0] } ?? [] }

  @Test func aDestroyedJournalIsSetAside() async throws {
    let folder = try Folders()
    try await openJournal(folder.journal).close()
    try writeFile(folder.journal, [UInt8]("a letter to somebody, long enough to be a file of its own".utf8))
    let journal = try openJournal(folder.journal)
    let words = try #require(await notices(journal).first)
    let name = try #require(folder.names.first { $0.contains("damaged") })
    expect(words.contains(name))
    expect(try readFile("\(folder.path)/\(name)").starts(with: [UInt8]("a letter".utf8)))
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))])))
    await journal.close()
    try expectEqual(codes(folder.journal), ["a"])
  }

  @Test func aLogWithoutItsFileIsSetAside() async throws {
    let folder = try Folders()
    try writeFile("\(folder.journal)-wal", [0x37, 0x7F, 0x06, 0x82] + [UInt8](repeating: 1, count: 5_000))
    let journal = try openJournal(folder.journal)
    await expectEqual(notices(journal).first?.contains("missing"), true)
    await journal.close()
    expect(folder.names.contains { $0.contains("damaged") && $0.hasSuffix("-wal") })
  }

  @Test func anEmptyFileIsTold() async throws {
    let folder = try Folders()
    try writeFile(folder.journal, [])
    let journal = try openJournal(folder.journal)
    await expectEqual(notices(journal).first?.contains("was empty"), true)
    await journal.close()
  }

  @Test func whatTheLedgersRememberIsTakenOver() async throws {
    let folder = try Folders()
    let (keys, open) = try await filled(folder.journal)
    let database = try stranger(folder.journal)
    // A table that is gone is a file that is not what it should be.
    try database.execute("DROP TABLE conclusion")
    database.close()
    let journal = try openJournal(folder.journal)
    try await expectEqual(journal.recall(keys).count, keys.count)
    try await expectEqual(journal.unconcluded(), [open])
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  /// The damage is found while the journal is in use: by the check that follows an unclean stop.
  @Test func damageThatIsFoundLaterIsSetAsideAtRunTime() async throws {
    let folder = try Folders()
    _ = try await filled(folder.journal, count: 2_000)
    // As after a cut of power.
    let database = try stranger(folder.journal)
    try database.execute("DELETE FROM stop")
    let root = try database.integer("SELECT rootpage FROM sqlite_master WHERE name = 'scan_by_time'") ?? 0
    database.close()
    var bytes = try readFile(folder.journal)
    for index in 0..<200 { bytes[Int(root - 1) * 4_096 + 20 + index] ^= 0x55 }
    try writeFile(folder.journal, bytes)

    let journal = try openJournal(folder.journal)
    let words = try #require(await notices(journal).first)
    expect(words.contains("set aside"))
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("after"))])))
    await journal.close()
    try expectEqual(codes(folder.journal), ["after"])
    try expectEqual(Journal.verify(folder.journal), [])
  }

  /// What cannot be written for what it says takes no other batch with it.
  @Test func aBatchThatTheFileRefusesIsAlone() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    try stranger(folder.journal).execute(
      """
      CREATE TRIGGER stranger BEFORE INSERT ON scan WHEN NEW.verdict = 'refuse'
      BEGIN SELECT RAISE (ABORT, 'not this one'); END
      """)
    let marks = ["a", "b", "c", "d"].map { code in
      journal.enqueue(
        JournalBatch(facts: [.scan(sampleScan(code, verdict: code == "c" ? .refuse(.expired) : .admit))]))
    }
    for mark in [marks[0], marks[1], marks[3]] { try await journal.written(mark) }
    await #expect(throws: JournalFault.self) { try await journal.written(marks[2]) }
    await expectEqual(notices(journal).first?.contains("not this one"), true)
    await journal.close()
    try expectEqual(codes(folder.journal), ["a", "b", "d"])
  }

  @Test func verifyNamesDamage() async throws {
    let folder = try Folders()
    _ = try await filled(folder.journal, count: 2_000)
    var bytes = try readFile(folder.journal)
    for index in 0..<2_000 { bytes[bytes.count / 2 + index] = 0xFF }
    try writeFile(folder.journal, bytes)
    expect(try !Journal.verify(folder.journal).isEmpty)
  }

  /// Whatever is flipped or cut: the journal works afterwards, or refuses in words; and no reader ends the process.
  @Test(arguments: 0..<4) func damagedFilesNeverEndTheProcess(seed: UInt64) async throws {
    let folder = try Folders()
    _ = try await filled(folder.journal, count: 300)
    let sound = try readFile(folder.journal)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<15 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        // The first page holds the most that can be misunderstood.
        let range = generator.chance(50) ? 0..<min(4_096, bytes.count) : 0..<bytes.count
        bytes[Int.random(in: range, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      }
      if generator.chance(30) { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator)) }
      for name in folder.names where !name.hasSuffix(".lock") { unlink("\(folder.path)/\(name)") }
      try writeFile(folder.journal, bytes)
      _ = try? Journal.verify(folder.journal)
      _ = try? scans(folder.journal)
      _ = try? Journal.Reader(path: folder.journal, key: testKey).attempts(open: false)
      do throws(any Error) {
        let journal = try openJournal(folder.journal)
        try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("after"))])))
        _ = try? await journal.unconcluded()
        await journal.tidy()
        await journal.close()
      } catch let fault as JournalFault {
        expect(!fault.description.isEmpty, "seed \(seed), round \(round)")
      }
    }
  }
}
