import Expectations
import SQLiteFile
import ScanModel
import Testing

@testable import Journal

/// Who came and went, as it is told elsewhere.
@Suite struct PassageTests {
  /// What cannot be read is nobody's passage, and hides none behind it.
  @Test(arguments: [1, 5, 32, 33]) func aDamagedRowHidesNoOther(row: Int64) async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    for number in 1...100 { journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(number)"))])) }
    await journal.close()
    do {
      let stranger = try stranger(folder.journal)
      let trigger = try #require(try stranger.texts("SELECT sql FROM sqlite_schema WHERE name = 'scan_stays'").first)
      try stranger.execute("DROP TRIGGER scan_stays")
      try stranger.prepare("UPDATE scan SET id = x'01' WHERE seq = ?1").run(.integer(row))
      try stranger.execute(trigger)
    }
    let again = try openJournal(folder.journal)
    let end = try await again.end()
    var (found, place): ([Int64], JournalPlace) = ([], JournalPlace(journal: end.journal, fact: 0))
    while let page = try await again.passages(of: TicketSystemID("venue"), after: place) {
      found += page.passages.map(\.fact)
      place = page.end
      if page.isEnd { break }
    }
    await again.close()
    expectEqual(found, (1...100).filter { $0 != row })
  }
}
