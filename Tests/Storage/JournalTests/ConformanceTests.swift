import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Journal

@Suite struct ConformanceTests {
  @Test func theJournalConforms() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    try await expectEqual(ScanJournalConformance(journal: journal).failures(), [])
    await journal.close()
  }

  @Test func theJournalInMemoryConforms() async throws {
    try await expectEqual(ScanJournalConformance(journal: MemoryJournal()).failures(), [])
  }

  @Test func theJournalInMemoryCanBeSlowAndFail() async throws {
    let journal = MemoryJournal()
    journal.setSyncing(false)
    let mark = journal.enqueue(JournalBatch())
    try await journal.written(mark)
    expect(try await !journal.durable(mark, until: SystemTime().now() + .milliseconds(1)))
    journal.setSyncing(true)
    expect(try await journal.durable(mark, until: SystemTime().now() + .seconds(60)))
    let fault = JournalFault(.full, "full")
    journal.setFault(fault)
    await #expect(throws: fault) { try await journal.written(journal.enqueue(JournalBatch())) }
    journal.setFault(nil)
    try await journal.written(journal.enqueue(JournalBatch()))
  }
}
