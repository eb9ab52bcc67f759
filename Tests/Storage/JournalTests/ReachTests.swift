import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// The word beside a journal on how far that has come.
@Suite struct ReachTests {
  private let time = SystemTime()

  private func start(_ folder: Folders, sync: any WALSync = FileSync()) throws -> Journal {
    try openJournal(folder.journal, sync: sync, trust: JournalTrust(of: folder.journal))
  }

  private func record(_ folder: Folders) throws -> ReachRecord {
    try #require(ReachRecord.read(beside: folder.journal))
  }

  private func scan(_ code: String) -> JournalBatch { JournalBatch(facts: [.scan(sampleScan(code))]) }

  @Test func whatIsWrittenIsToldAtOnceAndWhatIsDurableAfterItsSync() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try start(folder, sync: sync)
    let first = try record(folder)
    expectEqual(first.written, first.durable)
    sync.hold()
    let mark = journal.enqueue(scan("a"))
    try await journal.written(mark)
    async let isDurable = journal.durable(mark, until: time.now() + .seconds(60))
    await sync.begun()
    // Written while it is synced: not covered by that.
    try await journal.written(journal.enqueue(scan("b")))
    let held = try record(folder)
    expectEqual(held.written.facts, first.written.facts + 2)
    expectEqual(held.durable, first.durable)
    sync.fail(0)
    sync.release()
    expect(try await isDurable)
    // The waiter is answered after it.
    expect(try record(folder).durable.facts > first.durable.facts)
    await journal.close()
  }

  @Test func aSyncThatFailsIsNoWord() async throws {
    let folder = try Folders()
    let sync = try HeldSync()
    let journal = try start(folder, sync: sync)
    let before = try record(folder).durable
    // What keeps the log from being taken in, which would be as good.
    let reader = try stranger(folder.journal)
    try reader.execute("BEGIN; SELECT count(*) FROM scan")
    sync.fail(1)
    let mark = journal.enqueue(scan("a"))
    await #expect(throws: JournalFault.self) { _ = try await journal.durable(mark, until: time.now() + .seconds(60)) }
    try expectEqual(record(folder).durable, before)
    try reader.execute("COMMIT")
    await journal.close()
  }

  @Test func whatIsNoFactCountsToo() async throws {
    let folder = try Folders()
    let journal = try start(folder)
    let before = try record(folder).written
    let key = LedgerKey(server: "s", kind: .ticket, bytes: [1])
    try await journal.written(journal.enqueue(JournalBatch(memory: [key: [1]])))
    let after = try record(folder).written
    expect(before.isBehind(after) && !after.isBehind(before))
    // Nothing is nothing.
    try await journal.written(journal.enqueue(JournalBatch()))
    try expectEqual(record(folder).written, after)
    await journal.close()
    try expectEqual(JournalPosition(stranger(folder.journal))?.isBehind(after), false)
  }

  /// Whatever the journal does to itself, it never falls behind its own word.
  @Test func upkeepTakesNothingBack() async throws {
    let folder = try Folders()
    let path = folder.journal
    for round in 0..<4 {
      let journal = try openJournal(path, trust: JournalTrust(of: path)) {
        $0.keepBytes = 1
        $0.keepScans = .seconds(1)
        $0.keepNames = .seconds(1)
      }
      for number in 0..<200 {
        journal.enqueue(
          JournalBatch(facts: [.scan(sampleScan("\(number)", time: ManualTime()))], memory: [key(number): [1]]))
      }
      try await journal.written(journal.enqueue(JournalBatch(memory: [key(1): nil])))
      await journal.tidy()
      _ = try await journal.checkpoint()
      if round == 2 {
        // Deleted while it is in use, and written anew.
        unlink(path)
        try await journal.written(journal.enqueue(scan("a")))
      }
      await journal.close()
      let reached = try record(folder)
      expectEqual(JournalLoss(JournalPosition(try stranger(path)), reached, in: .current()), .nothing, "\(round)")
      let trust = JournalTrust(of: path)
      expect(!trust.isForeign && trust.doubt == nil, "\(round): \(trust.doubt ?? "")")
    }
  }

  private func key(_ number: Int) -> LedgerKey {
    LedgerKey(server: "s", kind: .ticket, bytes: withUnsafeBytes(of: number) { [UInt8]($0) })
  }

  /// After a cut of power the end of what was written may be gone, but nothing that was durable.
  @Test func anotherStartOfTheMachineAsksForWhatWasDurable() throws {
    let folder = try Folders()
    let child = try Child("write", folder.journal, "noted")
    while try #require(Int(child.next("written ").dropFirst(8))) < 40 {}
    child.killAndWait()
    let machine = MachineIdentity(board: nil, system: nil, disk: nil)
    func doubt(_ boot: BootID) -> String? { JournalTrust(of: folder.journal, on: machine, boot: boot).doubt }
    let other = BootID("99999999-2222-3333-4444-555555555555")
    expect(doubt(.current()) == nil && doubt(other) == nil)
    let whole = try record(folder)
    expect(truncate("\(folder.journal)-wal", 200_000) == 0)
    let left = try #require(JournalPosition(Database(folder.journal, .read, busyMilliseconds: 0)))
    expect(left.isBehind(whole.written) && left.facts > 0)
    for (durable, isDoubted) in [(left, false), (whole.written, true)] {
      var new = whole
      new.durable = durable
      new.count += 10
      try writeFile(JournalReach.path(of: folder.journal), new.bytes)
      expect((doubt(other) != nil) == isDoubted, "\(durable): \(doubt(other) ?? "no doubt")")
      expect(doubt(.current()) != nil)
    }
    // An empty log can be all that was synced; none at all cannot.
    var new = whole
    expect(truncate("\(folder.journal)-wal", 0) == 0)
    new.durable = try #require(JournalPosition(Database(folder.journal, .frozen, busyMilliseconds: 0)))
    try writeFile(JournalReach.path(of: folder.journal), new.bytes)
    expect(doubt(.current()) != nil)
    if new.durable.session == whole.written.session { expectEqual(doubt(other), nil) }
    unlink("\(folder.journal)-wal")
    expect(doubt(other) != nil)
  }

  @Test func theNewerOfTwoRecordsHolds() throws {
    let folder = try Folders()
    let position = JournalPosition(journal: 7, session: 1, facts: 2, turns: 3)
    let reach = JournalReach(of: folder.journal, boot: testBoot)
    reach.begin(written: position, durable: position)
    var next = position
    for facts in 3..<20 {
      next.facts = Int64(facts)
      reach.wrote(next)
      expectEqual(try record(folder).written, next)
    }
    reach.synced(next)
    expect(try record(folder).durable == next && record(folder).boot == testBoot)
    // Of another journal, which was set aside.
    var other = next
    other.journal = 8
    other.facts = 99
    reach.synced(other)
    expectEqual(try record(folder).durable, next)
    reach.end()
    // One that is damaged leaves the other; whatever lies there ends nothing.
    let file = JournalReach.path(of: folder.journal)
    let sound = try readFile(file)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      }
      try writeFile(file, Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
      if let found = ReachRecord.read(beside: folder.journal) { expect(found.written.facts <= 19) }
    }
    unlink(file)
    expectEqual(ReachRecord.read(beside: folder.journal), nil)
    // Nowhere to write: nothing is said, and nothing fails.
    let nowhere = JournalReach(of: "/nonexistent/journal", boot: testBoot)
    nowhere.begin(written: position, durable: position)
    nowhere.wrote(next)
    expectEqual(nowhere.written, nil)
  }
}
