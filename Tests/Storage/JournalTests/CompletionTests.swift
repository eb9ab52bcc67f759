import Expectations
import SQLiteFile
import ScanModel
import Testing

@testable import Journal

/// What was decided, and perhaps seen, when the process was killed.
@Suite struct CompletionTests {
  /// Writes facts, and leaves the journal as a kill does.
  private func killed(_ folder: Folders, _ facts: [JournalFact]) async throws {
    let journal = try openJournal(folder.journal)
    journal.enqueue(JournalBatch(facts: facts))
    await journal.close()
    try stranger(folder.journal).execute("DELETE FROM stop")
  }

  private func start(_ folder: Folders) async throws { try await openJournal(folder.journal).close() }

  private func admitted(_ asked: AskedAttempt) -> ConcludedAttempt {
    var concluded = sampleConclusion(asked)
    concluded.verdict = .admit
    concluded.at.monotonic = asked.scan.readAt + .milliseconds(70)
    return concluded
  }

  @Test func aDecisionWithoutItsScanGetsOne() async throws {
    let folder = try Folders()
    let (admission, refusal, open, whole) = (
      sampleAttempt("admission"), sampleAttempt("refusal"), sampleAttempt("open"), sampleAttempt("whole")
    )
    var scan = sampleScan("whole")
    scan.scan = whole.scan
    var cutOff = sampleConclusion(open, .lost)
    cutOff.verdict = nil
    try await killed(
      folder,
      [
        .asked(whole), .concluded(admitted(whole)), .scan(scan), .asked(admission), .asked(refusal), .asked(open),
        .concluded(admitted(admission)), .concluded(sampleConclusion(refusal)), .concluded(cutOff),
        .late(admitted(open)),
      ])
    for _ in 0..<2 {
      try await start(folder)
      let rows = try scans(folder.journal)
      expectEqual(rows.compactMap { $0.code?.text }, ["whole", "admission", "refusal"])
      let (first, second) = (rows[1], rows[2])
      expect(first.id == admission.scan.id && first.verdict == "admit" && first.decider == "server")
      expect(first.decidedIn == .milliseconds(70) && first.at.wall == admission.at.wall && first.admitted == 1)
      expectEqual(first.outputFault?.contains("whether the gate opened"), true)
      expectEqual(first.boot, testBoot)
      let named = "SELECT count(*) FROM scan WHERE id = x'\(admission.scan.id)' AND admission = x'\(admission.attempt)'"
      try expectEqual(stranger(folder.journal).integer(named), 1)
      expect(second.verdict == "refuse" && second.reason == "wrongDay" && second.outputFault == nil)
      // As if it had been killed once more.
      try stranger(folder.journal).execute("DELETE FROM stop")
    }
  }

  @Test func soDoesAnAdmissionWithoutTheTicketSystem() async throws {
    let folder = try Folders()
    let (owed, withdrawn, asked) = (sampleOwed("owed"), sampleOwed("withdrawn"), sampleAttempt("asked"))
    var after = sampleOwed("after")
    after.attempt = asked.attempt
    after.scan = asked.scan
    try await killed(
      folder,
      [
        .owed(owed), .owed(withdrawn), .told(sampleTold(withdrawn, .withdrawn)), .asked(asked),
        .concluded(admitted(asked)), .owed(after),
      ])
    try await start(folder)
    let rows = try scans(folder.journal)
    expectEqual(rows.compactMap { $0.code?.text }, ["owed", "asked"])
    expect(rows.allSatisfy { $0.verdict == "admit" && $0.decider == "policy" && $0.outputFault != nil })
  }

  /// After an orderly end everything was written that there was.
  @Test func anOrderlyEndIsNotLookedInto() async throws {
    let folder = try Folders()
    let attempt = sampleAttempt("admission")
    let journal = try openJournal(folder.journal)
    journal.enqueue(JournalBatch(facts: [.asked(attempt), .concluded(admitted(attempt))]))
    await journal.close()
    try await start(folder)
    try expectEqual(scans(folder.journal).count, 0)
  }

  @Test func floodsAreKeptAndTold() async throws {
    let folder = try Folders()
    let at = JournalTime(wall: WallTime(seconds: 200), monotonic: MonotonicTime(nanoseconds: 5), isTrusted: true)
    let floods = (1...3).map { number in
      ScanFlood(
        gate: GateID("gate \(number % 2)"), refused: number, undecided: 10 * number, began: WallTime(seconds: 100),
        at: JournalTime(wall: at.wall + .seconds(Int64(number)), monotonic: at.monotonic, isTrusted: true))
    }
    let journal = try openJournal(folder.journal)
    journal.enqueue(JournalBatch(facts: floods.map { .flood($0) }))
    await journal.close()
    let reader = try Journal.Reader(path: folder.journal, key: nil)
    try expectEqual(reader.floods().map(\.flood), floods)
    try expectEqual(reader.floods(matching: .init(gate: GateID("gate 1"))).map(\.flood), [floods[0], floods[2]])
    try expectEqual(reader.floods(matching: .init(from: WallTime(seconds: 203))).map(\.flood), [floods[2]])
    try expectEqual(reader.floods().first?.boot, testBoot)
    let error = #expect(throws: SQLiteError.self) { try stranger(folder.journal).execute("DELETE FROM flood") }
    expectEqual(error?.message.contains("append-only"), true)
  }
}
