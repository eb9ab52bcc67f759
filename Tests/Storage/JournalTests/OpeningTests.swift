import CSQLite
import Expectations
import Glibc
import SQLiteFile
import ScanModel
import Sealing
import Testing

@testable import Journal

@Suite struct OpeningTests {
  @Test func whatIsWrittenIsReadAgain() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    let scan = sampleScan("wk8wfyzjrbrdv5rx")
    let asked = [sampleAttempt("first"), sampleAttempt("second")]
    journal.enqueue(JournalBatch(facts: [.asked(asked[0]), .asked(asked[1]), .concluded(sampleConclusion(asked[0]))]))
    journal.enqueue(JournalBatch(facts: [.scan(scan), .late(sampleConclusion(asked[0], .lost))]))
    await journal.close()
    expectEqual(folder.names, ["journal.sqlite", "journal.sqlite.lock"])

    let row = try #require(try scans(folder.journal).first)
    expectEqual(row.id, scan.scan.id)
    expect(row.code == scan.scan.code && row.symbology == scan.scan.symbology && row.readAt == scan.scan.readAt)
    expect(row.gate == scan.scan.gate && row.reader == scan.scan.reader && row.system == scan.system)
    expect(row.ticket == scan.ticket && row.at == scan.at && row.boot == testBoot && row.decidedIn == scan.decidedIn)
    expect(row.verdict == "admit" && row.reason == nil && row.decider == "server" && row.note == scan.note)
    expect(row.detail == scan.detail && row.entryID == scan.entryID && row.holder == scan.holder)
    expect(row.admitted == 1 && row.allowance == 3 && row.outputFault == scan.outputFault)
    expect(row.firstUse == scan.firstUse && row.firstUse?.request != nil)
    expect(row.eventID == "456" && row.event == "Concert 2025")

    let reader = try Journal.Reader(path: folder.journal, key: testKey)
    let attempts = try reader.attempts(open: false)
    expectEqual(attempts.map(\.id), asked.map(\.attempt))
    expectEqual(attempts.map { $0.conclusions.map(\.fate) }, [["answered", "lost"], []])
    expect(attempts[0].conclusions[0].reason == "wrongDay" && attempts[0].conclusions[1].isLate)
    try expectEqual(reader.attempts(open: true).map(\.code), [Code("second")])

    let again = try openJournal(folder.journal)
    try await expectEqual(again.unconcluded(), [asked[1]])
    await again.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test func withoutTheKeyCodesAndNamesAreUnknown() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    journal.enqueue(
      JournalBatch(facts: [.scan(sampleScan("wk8wfyzjrbrdv5rx")), .asked(sampleAttempt("hvmwz2kd6yq8"))]))
    journal.enqueue(
      JournalBatch(memory: [LedgerKey(server: "s", kind: .ticket, bytes: [1]): [UInt8]("wk8wfyzjrbrdv5rx".utf8)]))
    await journal.close()
    let row = try #require(try scans(folder.journal, key: nil).first)
    expect(row.code == nil && row.holder == nil && row.gate == GateID("north"))
    let text = String(decoding: try readFile(folder.journal), as: UTF8.self)
    for secret in ["wk8wfyzjrbrdv5rx", "hvmwz2kd6yq8", "Lovelace"] { expect(!text.contains(secret)) }
    expect(text.contains("north"))

    let other = SealKey.random().key
    let fault = try #require(throws: JournalFault.self) {
      _ = try Journal.open(
        Journal.Settings(path: folder.journal), key: other, boot: testBoot, time: SystemTime(), sync: FileSync())
    }
    expect(fault.kind == .unavailable && fault.description.contains("another key"))
    try expectEqual(codes(folder.journal), ["wk8wfyzjrbrdv5rx"])
  }

  @Test func aSecondJournalOnOneFileIsRefusedInWords() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    let fault = try refusal(folder.journal)
    expect(fault.kind == .unavailable && fault.description.contains("process \(getpid())"))
    await journal.close()
    try await openJournal(folder.journal).close()
  }

  @Test func theFileIsForItsOwnerAlone() async throws {
    let folder = try Folders()
    let path = "\(folder.path)/a"
    let journal = try openJournal("\(path)/journal")
    journal.enqueue(JournalBatch())
    for name in ["", "/journal", "/journal-wal", "/journal-shm", "/journal.lock"] {
      var entry = stat()
      try #require(lstat(path + name, &entry) == 0)
      expectEqual(entry.st_mode & 0o077, 0, "\(name)")
    }
    await journal.close()
    unlink("\(path)/journal")
    unlink("\(path)/journal.lock")
    rmdir(path)
  }

  @Test func everythingButBatchesIsSyncedFully() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    try await expectEqual(journal.pragma("synchronous"), 2)
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))])))
    await journal.tidy()
    try await expectEqual(journal.pragma("synchronous"), 2)
    try await expectEqual(journal.pragma("wal_autocheckpoint"), 0)
    try await expectEqual(journal.pragma("auto_vacuum"), 2)
    await journal.close()
  }

  @Test func factsRefuseToBeChanged() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    let asked = sampleAttempt()
    journal.enqueue(
      JournalBatch(facts: [.asked(asked), .concluded(sampleConclusion(asked)), .scan(sampleScan("a"))]))
    await journal.close()
    let database = try stranger(folder.journal)
    try database.execute("PRAGMA recursive_triggers = ON")
    for sql in [
      "UPDATE scan SET event = ''", "UPDATE scan SET event_id = NULL", "UPDATE scan SET first_used_at = 0",
      "UPDATE scan SET first_used_request = NULL",
      "DELETE FROM scan", "DELETE FROM attempt", "DELETE FROM conclusion", "UPDATE scan SET verdict = 'refuse'",
      "UPDATE scan SET holder = NULL", "UPDATE scan SET holder = x'00'", "UPDATE attempt SET wall = 0",
      "UPDATE conclusion SET fate = 'lost'", "REPLACE INTO scan SELECT * FROM scan",
      "UPDATE retention SET facts = -1", "UPDATE retention SET key = x''",
    ] {
      let error = try #require(throws: SQLiteError.self) { try database.execute(sql) }
      expect(error.message.contains("append-only"), "\(sql)")
    }
  }

  // MARK: What is no journal of ours

  @Test func anotherProgramsFileIsLeftAlone() async throws {
    let folder = try Folders()
    let other = try stranger(folder.journal)
    try other.execute("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
    other.close()
    let before = try readFile(folder.journal)
    expect(try refusal(folder.journal).description.contains("belongs to another program"))
    try expectEqual(readFile(folder.journal), before)
    expectEqual(folder.names, ["journal.sqlite"])
    #expect(throws: JournalFault.self) { _ = try Journal.Reader(path: folder.journal, key: nil) }
  }

  @Test func aNewerFileIsRefused() async throws {
    let folder = try Folders()
    let newer = Schema(steps: Schema.current.steps + ["CREATE TABLE later (a) "])
    try await openJournal(folder.journal, schema: newer).close()
    let fault = try refusal(folder.journal)
    expect(fault.kind == .newer && fault.description.contains("newer version"), "\(fault)")
  }

  @Test func anOlderFileIsCopiedAndBroughtForward() async throws {
    let folder = try Folders()
    let older = try openJournal(folder.journal)
    older.enqueue(JournalBatch(facts: [.scan(sampleScan("old"))]))
    await older.close()
    let schema = Schema(
      steps: Schema.current.steps + [
        "ALTER TABLE scan ADD COLUMN passed INTEGER; CREATE INDEX passed ON scan (passed);"
      ])
    let newer = try openJournal(folder.journal, schema: schema)
    newer.enqueue(JournalBatch(facts: [.scan(sampleScan("new"))]))
    try await expectEqual(newer.pragma("user_version"), Schema.current.version + 1)
    let copy = "\(folder.journal).v\(Schema.current.version).backup"
    await expectEqual(notice(newer)?.contains("A copy of what it was is \(copy)"), true)
    await newer.close()
    try expectEqual(codes(copy), ["old"])
    var entry = stat()
    expect(stat(copy, &entry) == 0 && entry.st_mode & 0o777 == 0o600)
    let database = try stranger(folder.journal)
    try expectEqual(database.integer("SELECT count(*) FROM scan WHERE passed IS NULL"), 2)
  }

  /// The way back was gone by the copy, and a second update comes.
  @Test func aCopyThatIsThereStays() async throws {
    let folder = try Folders()
    let older = try openJournal(folder.journal)
    older.enqueue(JournalBatch(facts: [.scan(sampleScan("now"))]))
    await older.close()
    let copy = "\(folder.journal).v\(Schema.current.version)"
    try writeFile("\(copy).backup", [UInt8]("then".utf8))
    try await openJournal(folder.journal, schema: Schema(steps: Schema.current.steps + ["CREATE TABLE later (a)"]))
      .close()
    try expectEqual(readFile("\(copy).backup"), [UInt8]("then".utf8))
    try expectEqual(codes("\(copy)-2.backup"), ["now"])
  }

  @Test func aMigrationThatFailsChangesNothing() async throws {
    let folder = try Folders()
    let older = try openJournal(folder.journal)
    older.enqueue(JournalBatch(facts: [.scan(sampleScan("old"))]))
    await older.close()
    let schema = Schema(steps: Schema.current.steps + ["CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);"])
    let fault = try refusal(folder.journal, schema: schema)
    expect(fault.description.contains("It is as it was"))
    try expectEqual(codes(folder.journal), ["old"])
    expect(!folder.names.contains { $0.contains("damaged") || $0.contains("backup") })
    try await openJournal(folder.journal).close()
  }

  @Test func aFolderInItsPlaceIsRefused() async throws {
    let folder = try Folders()
    mkdir(folder.journal, 0o700)
    expect(try refusal(folder.journal).description.contains("is no file"))
    expectEqual(folder.names, ["journal.sqlite"])
    rmdir(folder.journal)
  }

  @Test func aDeviceIsRefused() throws {
    expect(try refusal("/dev/null").description.contains("is no file"))
    expect(access("/dev/null.lock", F_OK) != 0)
  }

  /// A wrong word in the configuration costs nobody a file.
  @Test(arguments: [
    "a letter to somebody, long enough to be more than a head: root:x:0:0:root:/root:/bin/bash", "x",
    "SQLite format 3\0 cut off",
  ]) func aFileThatIsNoJournalIsNeverTouched(text: String) throws {
    let folder = try Folders()
    try writeFile(folder.journal, [UInt8](text.utf8))
    let words = try refusal(folder.journal).description
    expect(words.contains("is no journal") && words.contains("name another"))
    expectEqual(folder.names, ["journal.sqlite"])
    try expectEqual(readFile(folder.journal), [UInt8](text.utf8))
  }

  @Test func aFileInThePlaceOfTheLockIsNeverTouched() throws {
    let folder = try Folders()
    try writeFile(folder.journal + ".lock", [UInt8]("a letter".utf8))
    expect(try refusal(folder.journal).description.contains("is no claim"))
    expectEqual(folder.names, ["journal.sqlite.lock"])
    try expectEqual(readFile(folder.journal + ".lock"), [UInt8]("a letter".utf8))
  }

  @Test func aLogThatIsNoneOfOursIsNeverTouched() throws {
    let folder = try Folders()
    try writeFile(folder.journal + "-wal", [UInt8]("a letter".utf8))
    expect(try refusal(folder.journal).description.contains("is no log"))
    expectEqual(folder.names, ["journal.sqlite-wal"])
  }

  @Test func foldersAboveTheLastAreNotMade() async throws {
    let folder = try Folders()
    expect(try refusal("\(folder.path)/a/b/journal").description.contains("no folder \(folder.path)/a "))
    expectEqual(folder.names, [])
  }
}
