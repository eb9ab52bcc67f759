import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// Random batches against a model in memory, the journal closed and opened again at random.
@Suite struct PropertyTests {
  @Test(arguments: 0..<6) func theJournalIsItsModel(seed: UInt64) async throws {
    let folder = try Folders()
    var generator = SeededGenerator(seed: seed)
    var memory: [LedgerKey: [UInt8]] = [:]
    var open: [AskedAttempt] = []
    var told: [ScanID] = []
    var owed: [OwedAdmission] = []
    var retriable: [OwedAdmission] = []
    let keys = (0..<30).map { number in
      LedgerKey(
        server: "s\(number % 3)", kind: LedgerKey.Kind.allCases[number % LedgerKey.Kind.allCases.count],
        bytes: [UInt8](repeating: UInt8(number), count: number % 4))
    }
    var journal = try openJournal(folder.journal)
    for step in 0..<150 {
      var batch = JournalBatch()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
          let asked = sampleAttempt("code \(step)")
          batch.facts.append(.asked(asked))
          open.append(asked)
        case 1:
          guard let index = open.indices.randomElement(using: &generator) else { continue }
          batch.facts.append(.concluded(sampleConclusion(open.remove(at: index))))
        case 2:
          guard let asked = open.randomElement(using: &generator) else { continue }
          batch.facts.append(.late(sampleConclusion(asked, .lost)))
        case 3:
          let admission = sampleOwed("code \(step)")
          batch.facts.append(.owed(admission))
          owed.append(admission)
        case 4:
          guard let index = owed.indices.randomElement(using: &generator),
            let ending = ToldAdmission.Ending.allCases.randomElement(using: &generator)
          else { continue }
          let admission = owed.remove(at: index)
          batch.facts.append(.told(sampleTold(admission, ending)))
          if ending.keepsCode { retriable.append(admission) }
        case 5:
          guard generator.chance(30), let index = retriable.indices.randomElement(using: &generator) else { continue }
          batch.facts.append(.told(sampleTold(retriable.remove(at: index), .confirmed)))
        default:
          let scan = sampleScan("code \(step)", holder: generator.chance(50) ? "" : nil)
          batch.facts.append(.scan(scan))
          told.append(scan.scan.id)
        }
      }
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        guard let key = keys.randomElement(using: &generator) else { continue }
        let state =
          generator.chance(25) ? nil : [UInt8](repeating: UInt8(step), count: Int.random(in: 0...9, using: &generator))
        batch.memory[key] = .some(state)
        memory[key] = state
      }
      let mark = journal.enqueue(batch)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0:
        await journal.close()
        journal = try openJournal(folder.journal)
      case 1: try await journal.written(mark)
      case 2: expect(try await journal.durable(mark, until: SystemTime().now() + .seconds(60)))
      case 3: await journal.tidy()
      case 4, 5:
        for key in keys {
          expect(
            journal.recallNow([key]).map { $0.isEmpty && memory[key] == nil } ?? true, "seed \(seed), step \(step)")
        }
        try await expectEqual(journal.recall(keys), memory, "seed \(seed), step \(step)")
        try await expectEqual(journal.unconcluded(), open, "seed \(seed), step \(step)")
        try await expectEqual(journal.owed(), owed, "seed \(seed), step \(step)")
        let left = try await journal.retriable().map(\.attempt)
        expect(
          Set(left) == Set(retriable.map(\.attempt)) && left.count == retriable.count, "seed \(seed), step \(step)")
      default: break
      }
    }
    try await expectEqual(journal.recall(keys), memory)
    await journal.close()
    try expectEqual(scans(folder.journal).map(\.id), told)
    try expectEqual(Journal.Reader(path: folder.journal, key: nil).counts().remembered, memory.count)
    try expectEqual(Journal.verify(folder.journal), [])
  }
}
