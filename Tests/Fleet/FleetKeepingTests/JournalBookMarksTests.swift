import Expectations
import FleetBook
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// What a station remembers of its fleet's book.
@Suite struct JournalBookMarksTests {
  private var soon: MonotonicTime { SystemTime().now() + .seconds(5) }

  @Test func whatIsNotedIsRecalled() async throws {
    let journal = MemoryJournal()
    let marks = JournalBookMarks(journal, fleet: "summer")
    expectEqual(try await marks.recall(until: soon), nil)
    let key = try #require(ClaimKey(.ticket, digest: ScanID().bytes))
    for mark in [
      BookMark(made: "2026-11-27T13:14:31.273186572Z", accepted: 0),
      BookMark(made: "", accepted: .max, key: key, revision: ClaimRevision(.max)),
    ] {
      marks.note(mark)
      expectEqual(try await marks.recall(until: soon), mark)
    }
    // Another event's book is another one.
    expectEqual(try await JournalBookMarks(journal, fleet: "winter").recall(until: soon), nil)
  }

  @Test func whatCannotBeReadIsNotNothing() async throws {
    let journal = MemoryJournal()
    let key = LedgerKey(server: ClaimRows.server(of: "summer"), kind: .entry, bytes: [0] + Array("book".utf8))
    for bytes: [UInt8] in [[], [2], [1], [1, 0, 0, 0, 9, 1], [UInt8](repeating: 1, count: 40)] {
      journal.enqueue(JournalBatch(memory: [key: bytes]))
      var fault: JournalFault?
      do throws(JournalFault) {
        _ = try await JournalBookMarks(journal, fleet: "summer").recall(until: soon)
      } catch { fault = error }
      expect(fault != nil, "\(bytes)")
    }
  }
}
