import CSQLite
import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

@Suite struct DurabilityTests {
  private let time = SystemTime()

  private func batch(_ code: String) -> JournalBatch { JournalBatch(facts: [.scan(sampleScan(code))]) }

  @Test func aSlowSyncHoldsUpNoBatch() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    sync.hold()
    let first = journal.enqueue(batch("a"))
    try await journal.written(first)
    // Its time is over at once, and the sync is under way all the same.
    expect(try await !journal.durable(first, until: time.now()))
    await sync.begun()
    for code in ["b", "c", "d"] { try await journal.written(journal.enqueue(batch(code))) }
    try expectEqual(codes(folder.journal), ["a", "b", "c", "d"])
    expect(try await !journal.durable(first, until: time.now() + .milliseconds(20)))
    sync.release()
    expect(try await journal.durable(first, until: time.now() + .seconds(60)))
    await journal.close()
  }

  /// What is written while a sync runs is not promised by it.
  @Test func aSyncPromisesOnlyWhatWasWrittenBeforeIt() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    sync.hold()
    let first = journal.enqueue(batch("a"))
    async let isFirstDurable = journal.durable(first, until: time.now() + .seconds(60))
    await sync.begun()
    let second = journal.enqueue(batch("b"))
    try await journal.written(second)
    let before = sync.count
    sync.release()
    expect(try await isFirstDurable)
    expect(try await journal.durable(second, until: time.now() + .seconds(60)))
    expect(sync.count > before)
    await journal.close()
  }

  /// A disk on its last legs can hold the writer in a system call for minutes.
  @Test(.timeLimit(.minutes(1))) func nobodyWaitsTooLongForAWriterThatHangs() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal, sync: try HeldSync())
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    let (hung, hangs) = AsyncStream.makeStream(of: Void.self)
    let hanging = Task {
      try await journal.core.onWriter { _ in
        hangs.yield()
        var byte: UInt8 = 0
        return .success(read(reading, &byte, 1))
      }
    }
    for await _ in hung { break }
    let recall = Task { try await journal.recall([LedgerKey(server: "s", kind: .ticket, bytes: [1])]) }
    recall.cancel()
    await #expect(throws: JournalFault.self) { try await recall.value }
    // Nor does anybody whose time is over; the key is queued, so that only the writer can tell.
    let key = LedgerKey(server: "s", kind: .ticket, bytes: [2])
    journal.enqueue(JournalBatch(memory: [key: .some([1])]))
    let soon = SystemTime().now() + .milliseconds(10)
    await #expect(throws: JournalFault.self) { _ = try await journal.recall([key], until: soon) }
    var byte: UInt8 = 1
    expectEqual(write(writing, &byte, 1), 1)
    try await expectEqual(hanging.value, 1)
    try await expectEqual(journal.recall([]), [:])
    await journal.close()
    for end in ends { close(end) }
  }

  @Test func whatNobodyAsksForIsSyncedToo() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    journal.enqueue(batch("a"))
    await sync.begun()
    await journal.close()
  }

  @Test func aGroupIsOneTransactionAndOneSync() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    sync.hold()
    let first = journal.enqueue(batch("0"))
    async let waiting = journal.durable(first, until: time.now() + .seconds(60))
    await sync.begun()
    let marks = (1..<50).map { journal.enqueue(batch("\($0)")) }
    try await journal.written(marks[48])
    let before = sync.count
    let journalTime = time
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for mark in marks {
        group.addTask { try await journal.durable(mark, until: journalTime.now() + .seconds(60)) }
      }
      sync.release()
      for try await isDurable in group { expect(isDurable) }
    }
    expect(try await waiting)
    expect(sync.count - before <= 2)
    await journal.close()
  }

  @Test func aFailedSyncIsToldAndMadeGood() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    var states = journal.states.makeAsyncIterator()
    await expectEqual(states.next(), .working)
    sync.fail(1)
    sync.hold()
    let first = journal.enqueue(batch("a"))
    try await journal.written(first)
    let journalTime = time
    // Somebody who reads keeps the log from being thrown away, and the fault from being cured.
    let reader = try stranger(folder.journal)
    try reader.execute("BEGIN; SELECT count(*) FROM scan")
    let answer = Task { try await journal.durable(first, until: journalTime.now() + .seconds(60)) }
    await sync.begun()
    sync.release()
    let result = await answer.result
    let fault = try #require(throws: JournalFault.self) { try result.get() }
    expect(fault.kind == .disk && fault.description.contains("does not confirm"))
    guard case .failing(let told) = await states.next() else {
      Issue.record("nobody was told")
      return
    }
    expectEqual(told, fault)
    // What survives the process is written on.
    let second = journal.enqueue(batch("b"))
    try await journal.written(second)
    await #expect(throws: fault) { _ = try await journal.durable(second, until: journalTime.now() + .seconds(60)) }
    try reader.execute("COMMIT")
    await expectEqual(states.next(), .working)
    // A checkpoint has brought it into the file itself.
    expect(try await journal.durable(second, until: time.now() + .seconds(60)))
    try expectEqual(codes(folder.journal), ["a", "b"])
    await journal.close()
    try expectEqual(codes(folder.journal), ["a", "b"])
  }

  @Test func theEndMakesEverythingDurable() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    let mark = journal.enqueue(batch("a"))
    await journal.close()
    expect(try await journal.durable(mark, until: time.now()))
    let late = journal.enqueue(batch("b"))
    await #expect(throws: JournalFault.self) { try await journal.written(late) }
    await #expect(throws: JournalFault.self) { _ = try await journal.recall([]) }
    try expectEqual(codes(folder.journal), ["a"])
    // Its states end.
    for await state in journal.states { expectEqual(state, .working) }
  }

  @Test func whoGivesUpWaitsNoLonger() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try openJournal(folder.journal, sync: sync)
    sync.hold()
    let mark = journal.enqueue(batch("a"))
    let journalTime = time
    let waiting = Task {
      try await journal.durable(mark, until: journalTime.now() + .seconds(3_600))
    }
    await sync.begun()
    waiting.cancel()
    await #expect(throws: JournalFault.self) { try await waiting.value }
    sync.release()
    await journal.close()
  }

  /// The log begins anew while nobody waits, and its head is synced then.
  @Test func theLogIsMovedIntoTheFile() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    var mark = JournalMark(number: 0)
    for number in 0..<3_000 {
      mark = journal.enqueue(batch("\(number)"))
      if number % 5 == 0 { try await journal.written(mark) }
    }
    try await journal.written(mark)
    // The housekeeper tells nobody: what it moved is seen by what the file alone holds.
    while try readFile(folder.journal).count < 400_000 { try await Task.sleep(for: .milliseconds(50)) }
    try expectEqual(codes(folder.journal).count, 3_000)
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }
}
