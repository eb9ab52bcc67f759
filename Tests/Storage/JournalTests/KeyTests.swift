import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// What is known at once of keys that were never stored.
@Suite struct KeyTests {
  private func key(_ number: Int, _ server: String = "server") -> LedgerKey {
    LedgerKey(
      server: server, kind: LedgerKey.Kind.allCases[number % 3], bytes: withUnsafeBytes(of: number) { [UInt8]($0) })
  }

  /// Returns once all keys of the file were read.
  private func wholly(_ journal: Journal) async -> Journal {
    await until { journal.knowsItsKeys }
    return journal
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func whatWasPutInIsNeverAStranger(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var filter = KeyFilter()
    var known: Set<LedgerKey> = []
    // Past the end of the first layers, with repeats.
    for _ in 0..<120_000 {
      let key = key(Int.random(in: 0..<(1 << 20), using: &generator), "s\(Int.random(in: 0..<3, using: &generator))")
      filter.insert(key)
      known.insert(key)
    }
    expect(known.allSatisfy { filter.mayContain($0) })
    let strangers = (0..<20_000).map { key($0 + 1 << 32) }
    expect(strangers.count { filter.mayContain($0) } < strangers.count / 33)
    expect(!KeyFilter().mayContain(key(0)))
  }

  @Test func aMillionKeysNeedTwoMegabytes() {
    var filter = KeyFilter()
    for number in 0..<1_000_000 { filter.insert(key(number)) }
    expect(filter.bytes <= 2_000_000)
    expect((0..<10_000).count { filter.mayContain(key($0 + 1 << 32)) } < 300)
  }

  @Test func onlyKeysThatWereNeverStoredAreKnownAtOnce() async throws {
    let folder = try Folders()
    var journal = try openJournal(folder.journal)
    let keys = (0..<5_000).map { key($0) }
    for start in stride(from: 0, to: keys.count, by: 500) {
      journal.enqueue(
        JournalBatch(memory: Dictionary(uniqueKeysWithValues: keys[start..<start + 500].map { ($0, .some([1])) })))
    }
    await journal.close()
    expect(journal.recallNow([key(1 << 40)]) == nil, "a journal that is closed says nothing")
    journal = await wholly(try openJournal(folder.journal))
    expect(keys.allSatisfy { journal.recallNow([$0]) == nil })
    let strangers = (0..<1_000).map { key($0 + 1 << 32) }
    expect(strangers.count { journal.recallNow([$0]) == [:] } > 900)
    let new = try #require(strangers.first { journal.recallNow([$0]) == [:] })
    expect(journal.recallNow([new, keys[7]]) == nil)
    // From the moment when it is queued; and what is forgotten goes the slow way.
    journal.enqueue(JournalBatch(memory: [new: .some([2])]))
    expect(journal.recallNow([new]) == nil)
    journal.enqueue(JournalBatch(memory: [new: nil]))
    expect(journal.recallNow([new]) == nil)
    try await expectEqual(journal.recall([new]), [:])
    await journal.close()
  }

  /// Whoever asks for it keeps its turn: no gate waits for another's first presentation.
  @Test func whatIsKnownAtOnceIsToldWithoutSuspending() async throws {
    let folder = try Folders()
    let journal = await wholly(try openJournal(folder.journal))
    let asker = Asker(book: journal)
    let looking = Task {
      var isSeen = false
      while !Task.isCancelled { isSeen = await asker.isAsking || isSeen }
      return isSeen
    }
    for number in 0..<2_000 { try await asker.ask(key(number)) }
    looking.cancel()
    await expectEqual(looking.value, false)
    await journal.close()
  }

  /// Before the file was read, nothing is taken for new.
  @Test func beforeAllKeysAreReadNothingIsKnown() throws {
    var known = KnownKeys()
    expect(!known.areNew([key(1)]))
    let file = known.file
    known.note(key(2))
    known.finish(file)
    expect(known.areNew([key(1)]) && known.areNew([]) && !known.areNew([key(1), key(2)]))
    // What was read of an earlier file says nothing of this one.
    known.begin()
    known.finish(file)
    expect(!known.areNew([key(1)]))
    known.finish(known.file)
    expect(known.areNew([key(1)]) && !known.areNew([key(2)]))
    known.close()
    expect(!known.areNew([key(1)]))
  }

  @Test func whatADamagedFileLeavesIsKnown() async throws {
    let folder = try Folders()
    var journal = try openJournal(folder.journal)
    journal.enqueue(JournalBatch(memory: [key(1): .some([1]), key(2): .some([2])]))
    await journal.close()
    let database = try stranger(folder.journal)
    try database.execute("DROP TABLE conclusion")
    database.close()
    journal = await wholly(try openJournal(folder.journal))
    expect(journal.recallNow([key(1)]) == nil && journal.recallNow([key(3)]) == [:])
    try await expectEqual(journal.recall([key(1), key(2), key(3)]), [key(1): [1], key(2): [2]])
    await journal.close()
  }

  /// Files that are put in the journal's place while it runs change nothing of what is known.
  @Test func aFileThatIsWrittenAnewIsReadAnew() async throws {
    let folder = try Folders()
    let journal = await wholly(try openJournal(folder.journal))
    try await journal.written(journal.enqueue(JournalBatch(memory: [key(1): .some([1])])))
    unlink(folder.journal)
    try await journal.written(journal.enqueue(JournalBatch(memory: [key(2): .some([2])])))
    _ = await wholly(journal)
    expect(journal.recallNow([key(1)]) == nil && journal.recallNow([key(2)]) == nil)
    expectEqual(journal.recallNow([key(3)]), [:])
    try await expectEqual(journal.recall([key(1), key(2)]), [key(1): [1], key(2): [2]])
    await journal.close()
  }

  /// Everybody who waits with an end is sent away, whatever others wait for.
  @Test func whoseTimeIsOverIsSentAway() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let time = SystemTime()
    let journal = try openJournal(folder.journal, sync: sync)
    sync.hold()
    let mark = journal.enqueue(JournalBatch(memory: [key(1): .some([1])], isUrgent: true))
    expect(try await journal.written(mark, until: time.now() + .seconds(60)))
    async let patient = journal.durable(mark, until: time.now() + .seconds(60))
    for _ in 0..<3 { expect(try await !journal.durable(mark, until: time.now() + .milliseconds(5))) }
    async let (one, other) = (
      journal.durable(mark, until: time.now() + .milliseconds(20)),
      journal.durable(mark, until: time.now() + .milliseconds(10))
    )
    expect(try await !one)
    expect(try await !other)
    sync.release()
    expect(try await patient)
    await journal.close()
  }
}

/// Asks a book on a turn of its own.
private actor Asker {
  let book: any AttemptBook
  private(set) var isAsking = false

  init(book: any AttemptBook) { self.book = book }

  func ask(_ key: LedgerKey) async throws {
    isAsking = true
    _ = try await book.recall([key], until: SystemTime().now() + .seconds(60))
    isAsking = false
  }
}
