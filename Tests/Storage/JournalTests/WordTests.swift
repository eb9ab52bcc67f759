import Expectations
import ScanModel
import Testing

@testable import Journal

/// What ticket systems said of tickets, for the next process.
@Suite struct WordTests {
  @Test func theTicketSystemsOwnWordsAreToldNewestFirst() async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    func write(_ number: Int, _ verdict: Verdict, by decider: Decider = .server) {
      var scan = sampleScan("\(number)", verdict: verdict)
      scan.ticket = TicketKey([UInt8(number % 250), UInt8(number / 250)])
      scan.decider = decider
      journal.enqueue(JournalBatch(facts: [.scan(scan)]))
    }
    // More than two pieces.
    for number in 1...1_200 { write(number, number % 3 == 0 ? .refuse(.refunded) : .admit) }
    for decider in Decider.allCases where decider != .server { write(2_000, .refuse(.refunded), by: decider) }
    write(2_001, .undecided(.unreachable))
    await journal.close()
    let again = try openJournal(folder.journal)
    var (found, end): ([JournaledWord], Int64?) = ([], nil)
    var pieces = 0
    repeat {
      let piece = try await again.words(before: end)
      found += piece.words
      end = piece.next
      pieces += 1
    } while end != nil && pieces < 10
    await again.close()
    expectEqual(pieces, 3)
    expectEqual(found.map { Int($0.ticket.bytes[0]) + 250 * Int($0.ticket.bytes[1]) }, Array((1...1_200).reversed()))
    expect(
      found.allSatisfy { word in
        let number = Int(word.ticket.bytes[0]) + 250 * Int(word.ticket.bytes[1])
        return word.refusal == (number % 3 == 0 ? .refunded : nil)
      })
  }
}
