import Expectations
import ScanModel
import Testing

@testable import Journal

/// Requests that cannot have redeemed are nobody's conflict.
@Suite struct ChecksTests {
  @Test(arguments: [AttemptOutcome.Fate.lost, .pending]) func aCheckWithoutAnAnswerIsSettled(
    fate: AttemptOutcome.Fate
  ) async throws {
    let folder = try Folders()
    let journal = try openJournal(folder.journal)
    for mayHaveRedeemed in [true, false] {
      let asked = sampleAttempt("code \(mayHaveRedeemed)")
      var concluded = sampleConclusion(asked, fate)
      concluded.verdict = .undecided(.unreachable)
      concluded.mayHaveRedeemed = mayHaveRedeemed
      journal.enqueue(JournalBatch(facts: [.asked(asked), .concluded(concluded)]))
    }
    await journal.close()
    let reader = try Journal.Reader(path: folder.journal, key: testKey)
    let time = WallTime(seconds: 1_766_000_000)
    let found = try reader.unsettled(since: time, now: time + .seconds(600))
    expectEqual(found.map(\.attempt.code), [Code("code true")])
  }
}
