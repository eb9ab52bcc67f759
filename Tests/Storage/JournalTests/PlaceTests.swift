import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import Testing

@testable import Journal

/// Somebody deletes or replaces the files while the journal has them open.
@Suite struct PlaceTests {
  private let keys = (0..<300).map { LedgerKey(server: "s", kind: .ticket, bytes: [UInt8($0 / 256), UInt8($0 % 256)]) }

  /// A journal that remembers all keys but the last: some in its file, some in its log.
  private func filled(_ path: String) async throws -> Journal {
    let journal = try openJournal(path)
    for (number, key) in keys.dropLast().enumerated() {
      let mark = journal.enqueue(
        JournalBatch(facts: [.scan(sampleScan("\(number)"))], memory: [key: [UInt8(number % 256)]]))
      if number == 200 {
        try await journal.written(mark)
        _ = try await journal.checkpoint()
      }
    }
    try await journal.written(journal.enqueue(JournalBatch()))
    return journal
  }

  private func addLast(_ journal: Journal) async throws {
    let mark = journal.enqueue(JournalBatch(facts: [.scan(sampleScan("299"))], memory: [keys[299]: [1]]))
    try await journal.written(mark)
    expect(try await journal.durable(mark, until: SystemTime().now() + .seconds(60)))
  }

  private func expectAll(_ path: String) async throws {
    try expectEqual(codes(path), keys.indices.map { "\($0)" })
    let again = try openJournal(path)
    try await expectEqual(again.recall(keys).count, keys.count)
    await again.close()
    try expectEqual(Journal.verify(path), [])
  }

  private static let deleted = [["", "-wal", "-shm"], [""], ["-wal"], ["-shm"], ["", "-wal", "-shm", ".lock"]]

  @Test(arguments: deleted) func whatIsDeletedIsWrittenAnew(suffixes: [String]) async throws {
    let folder = try Folders()
    let journal = try await filled(folder.journal)
    for suffix in suffixes { unlink(folder.journal + suffix) }
    // Nothing comes any more: it is noticed all the same.
    let words = try #require(await notice(journal, of: "written anew"))
    expect(words.contains("was deleted"))
    try expectEqual(scans(folder.journal).count, 299)
    try await addLast(journal)
    expect(try refusal(folder.journal).description.contains("in use by process \(getpid())"))
    await journal.close()
    expectEqual(folder.names, ["journal.sqlite", "journal.sqlite.lock"])
    try await expectAll(folder.journal)
  }

  /// No batch is told to be written that no name leads to.
  @Test(arguments: deleted) func whatIsWrittenAfterwardsIsFound(suffixes: [String]) async throws {
    let folder = try Folders()
    let journal = try await filled(folder.journal)
    for suffix in suffixes { unlink(folder.journal + suffix) }
    try await addLast(journal)
    try expectEqual(codes(folder.journal).count, 300)
    await journal.close()
    try await expectAll(folder.journal)
  }

  @Test func whatIsDeletedBeforeTheEndIsWrittenAnew() async throws {
    let folder = try Folders()
    let journal = try await filled(folder.journal)
    try await addLast(journal)
    for name in folder.names { unlink("\(folder.path)/\(name)") }
    await journal.close()
    try await expectAll(folder.journal)
  }

  @Test func aFileInItsPlaceIsSetAside() async throws {
    let folder = try Folders()
    let journal = try await filled(folder.journal)
    try writeFile(folder.journal + ".new", [UInt8]("a letter".utf8))
    try #require(rename(folder.journal + ".new", folder.journal) == 0)
    let words = try #require(await notice(journal))
    let name = try #require(folder.names.first { $0.contains("replaced") })
    expect(words.contains("was replaced") && words.contains(name))
    try expectEqual(readFile("\(folder.path)/\(name)"), [UInt8]("a letter".utf8))
    try await addLast(journal)
    await journal.close()
    try await expectAll(folder.journal)
  }

  @Test func aFileInThePlaceOfTheLockIsSetAside() async throws {
    let folder = try Folders()
    let journal = try await filled(folder.journal)
    try writeFile(folder.journal + ".new", [UInt8]("a letter".utf8))
    try #require(rename(folder.journal + ".new", folder.journal + ".lock") == 0)
    await expectEqual(notice(journal)?.contains("lock"), true)
    let name = try #require(folder.names.first { $0.contains("replaced") })
    try expectEqual(readFile("\(folder.path)/\(name)"), [UInt8]("a letter".utf8))
    expect(try refusal(folder.journal).description.contains("in use by process \(getpid())"))
    await journal.close()
  }

  /// Who begins a journal where one was deleted is not written over while it runs.
  @Test func anotherProcessThatWasFasterIsLeftAlone() async throws {
    let folder = try Folders()
    let journal = try await filled(folder.journal)
    var states = journal.states.makeAsyncIterator()
    for name in ["", ".lock"] { try writeFile(folder.journal + name + ".new", [UInt8]("4711\n".utf8)) }
    do {
      let other = try OwnedDescriptor.open(folder.journal + ".lock.new", O_RDWR)
      try #require(flock(other.number, LOCK_EX | LOCK_NB) == 0)
      for name in [".lock", ""] { rename(folder.journal + name + ".new", folder.journal + name) }
      var words = ""
      while words.isEmpty, let next = await states.next() { if case .failing(let fault) = next { words = "\(fault)" } }
      expect(words.contains("in use by process 4711"))
      await #expect(throws: JournalFault.self) { try await journal.written(journal.enqueue(JournalBatch())) }
      try expectEqual(readFile(folder.journal), [UInt8]("4711\n".utf8))
      flock(other.number, LOCK_UN)
    }
    _ = try #require(await notice(journal, of: "written anew"))
    try await addLast(journal)
    await journal.close()
    try await expectAll(folder.journal)
  }

  /// Late answers still find their requests, and the start is no second one.
  @Test func whatWasAskedBeforeIsConcludedAfterwards() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    let asked = sampleAttempt()
    journal.enqueue(JournalBatch(facts: [.asked(asked), .concluded(sampleConclusion(asked))]))
    try await journal.written(journal.enqueue(JournalBatch()))
    unlink(folder.journal)
    journal.enqueue(JournalBatch(facts: [.late(sampleConclusion(asked))]))
    await journal.close()
    let reader = try Journal.Reader(path: folder.journal, key: testKey)
    try expectEqual(reader.attempts(open: false).map { $0.conclusions.map(\.isLate) }, [[false, true]])
    try expectEqual(stranger(folder.journal).integer("SELECT count(*) FROM session"), 1)
  }

  /// As long as it cannot be written anew, that is told, nothing is told to be written, and nothing is lost.
  @Test func whatCannotBeWrittenAnewIsKeptAndTriedAgain() async throws {
    let folder = try Folders()
    let state = "\(folder.path)/state"
    let journal = try await filled("\(state)/journal.sqlite")
    for name in Folders.list(state) { unlink("\(state)/\(name)") }
    rmdir(state)
    try writeFile(state, [])
    var states = journal.states.makeAsyncIterator()
    while let next = await states.next() { if case .failing = next { break } }
    let mark = journal.enqueue(JournalBatch(facts: [.scan(sampleScan("299"))], memory: [keys[299]: [1]]))
    await #expect(throws: JournalFault.self) { try await journal.written(mark) }
    try await expectEqual(journal.recall(keys).count, keys.count)
    unlink(state)
    while let next = await states.next() { if case .working = next { break } }
    try await addLast(journal)
    await journal.close()
    try expectEqual(codes("\(state)/journal.sqlite").count, 301)
    for name in Folders.list(state) { unlink("\(state)/\(name)") }
    rmdir(state)
  }
}
