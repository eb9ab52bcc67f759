import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization
import Testing

@testable import Journal

/// A journal that has lost something while nobody wrote it, or was damaged: the next start relies on nothing of it.
@Suite(.serialized) struct LostLogTests {
  /// Leaves what a gateway leaves that was killed after so many scans.
  /// - Parameter isStill: whether it did nothing any more then, so that the log ends with what somebody was told; else it is killed in
  ///   the midst of the next one.
  private func killed(_ journal: String, after count: Int = 40, isStill: Bool = true) throws {
    let child = try isStill ? Child("write", journal, "\(count)", "noted") : Child("write", journal, "noted")
    while try #require(Int(child.next("written ").dropFirst(8))) < count {}
    child.killAndWait()
  }

  private func isSound(_ journal: String) throws -> Bool { try Journal.verify(journal).isEmpty }

  @Test func aKillLosesNothing() throws {
    let folder = try Folders()
    for _ in 0..<5 {
      try killed(folder.journal, isStill: false)
      let trust = JournalTrust(of: folder.journal)
      expect(!trust.isForeign && trust.doubt == nil && trust.generation == 1, "\(trust.doubt ?? "")")
      expect(try isSound(folder.journal))
    }
  }

  /// SQLite takes the first frame that does not hold for the end of the log, and says nothing.
  @Test(arguments: [0.3, 0.6, 0.9, 1]) func aFlippedBitInTheLogIsNoticed(at place: Double) throws {
    let folder = try Folders()
    try killed(folder.journal)
    var log = try readFile("\(folder.journal)-wal")
    log[Int(Double(log.count - 200) * place)] ^= 0x10
    try writeFile("\(folder.journal)-wal", log)
    expect(try !isSound(folder.journal))
    let trust = JournalTrust(of: folder.journal)
    expect(trust.isForeign && !trust.isAccepted && trust.generation == 2, "\(trust.doubt ?? "no doubt")")
    expectEqual(trust.doubt?.contains("has lost what was written last"), true)
  }

  /// A journal's first start has everything in its log, even that it began.
  @Test(arguments: [5, 20, 40, 132]) func theHeadOfTheFirstLogIsMissed(at place: Int) throws {
    let folder = try Folders()
    try killed(folder.journal)
    var log = try readFile("\(folder.journal)-wal")
    log[place] ^= 0x10
    try writeFile("\(folder.journal)-wal", log)
    let trust = JournalTrust(of: folder.journal)
    expect(trust.isForeign && !trust.isAccepted && trust.generation == 2, "\(trust.doubt ?? "no doubt")")
  }

  @Test(arguments: [0, 20, 32, 5_000, -4_096, -1]) func aLogThatIsCutOffIsNoticed(at length: Int) async throws {
    let folder = try Folders()
    try await openJournal(folder.journal, trust: JournalTrust(of: folder.journal)).close()
    try killed(folder.journal)
    let size = try readFile("\(folder.journal)-wal").count
    expect(truncate("\(folder.journal)-wal", off_t(length < 0 ? size + length : length)) == 0)
    let trust = JournalTrust(of: folder.journal)
    expect(trust.isForeign && trust.generation == 2, "\(length): \(trust.doubt ?? "no doubt")")
  }

  /// The start that notices it writes on, and forgets nothing of the doubt.
  @Test func itStaysDoubtedUntilSomebodyAcceptsIt() async throws {
    let folder = try Folders()
    try killed(folder.journal)
    expect(truncate("\(folder.journal)-wal", 100_000) == 0)
    for round in 0..<3 {
      let trust = JournalTrust(of: folder.journal)
      expect(trust.isForeign && trust.generation == 2, "\(round): \(trust.doubt ?? "no doubt")")
      let journal = try openJournal(folder.journal, trust: trust)
      await expectEqual(told(journal, 2).last, trust.doubt.map { .doubted($0) })
      try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(round)"))])))
      if round == 2 {
        var states = journal.states.makeAsyncIterator()
        await expectEqual(states.next(), .working)
        trust.accept()
        await expectEqual(states.next(), .accepted)
      }
      await journal.close()
    }
    let trust = JournalTrust(of: folder.journal)
    expect(!trust.isForeign && trust.doubt == nil && trust.generation == 2, "\(trust.doubt ?? "")")
    expect(try isSound(folder.journal))
  }

  @Test func aLogThatIsGoneIsDoubted() throws {
    let folder = try Folders()
    try killed(folder.journal)
    for suffix in ["-wal", "-shm"] { unlink(folder.journal + suffix) }
    let trust = JournalTrust(of: folder.journal)
    expect(trust.isForeign && !trust.isAccepted, "\(trust.doubt ?? "no doubt")")
    expectEqual(trust.doubt?.contains("is gone: what was written last is lost"), true)
  }

  /// What another program has moved into the file is there.
  @Test func aLogThatAnotherProgramTookInIsNotMissed() throws {
    let folder = try Folders()
    try killed(folder.journal)
    let database = try stranger(folder.journal)
    expect(try database.integer("SELECT count(*) FROM scan") ?? 0 >= 40)
    database.close()
    expect(!folder.names.contains("journal.sqlite-wal"))
    expectEqual(JournalTrust(of: folder.journal).doubt, nil)
  }

  /// A start without room leaves the log to the next one; SQLite would have taken it in, and away.
  @Test(.enabled(if: Disk.canMount), arguments: [1, 40]) func aStartWithoutRoomLosesNothing(count: Int) async throws {
    let folder = try Folders()
    let disk = try Disk(folder.path + "/disk", size: "4m")
    let path = disk.path + "/journal.sqlite"
    // Few of them fit into the main file as it is.
    try killed(path, after: count)
    let filler = disk.path + "/filler"
    let file = OwnedDescriptor(owning: open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    while write(file.number, [UInt8](repeating: 1, count: 4_096), 4_096) > 0 {}
    for _ in 0..<3 {
      let trust = JournalTrust(of: path)
      expectEqual(trust.doubt, nil)
      let fault = #expect(throws: JournalFault.self) { _ = try openJournal(path, trust: trust) }
      expect(fault?.kind == .full, "\(fault?.description ?? "it opened")")
      expect(access(path + "-wal", F_OK) == 0)
    }
    unlink(filler)
    ftruncate(file.number, 0)
    let trust = JournalTrust(of: path)
    expect(!trust.isForeign && trust.doubt == nil, "\(trust.doubt ?? "")")
    let journal = try openJournal(path, trust: trust)
    await journal.close()
    expectEqual(JournalTrust(of: path).doubt, nil)
    expect(try codes(path).count >= count)
  }

  // MARK: Damage

  private func start(_ folder: Folders) throws -> (JournalTrust, Journal) {
    let trust = JournalTrust(of: folder.journal)
    return (trust, try openJournal(folder.journal, trust: trust))
  }

  @Test func aJournalThatWasSetAsideIsDoubted() async throws {
    let folder = try Folders()
    let (_, first) = try start(folder)
    first.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))]))
    await first.close()
    try writeFile(folder.journal, [UInt8](repeating: 0x55, count: 50_000))
    let (trust, second) = try start(folder)
    expect(!trust.isAccepted && trust.generation == 2, "\(trust.doubt ?? "no doubt")")
    expectEqual(trust.doubt?.contains("set aside"), true)
    await second.close()
    let (later, third) = try start(folder)
    expect(later.isForeign && !later.isAccepted && later.generation == 2)
    later.accept()
    await third.close()
    expectEqual(JournalTrust(of: folder.journal).doubt, nil)
  }

  @Test func aJournalThatIsSetAsideAtRunTimeIsDoubted() async throws {
    let folder = try Folders()
    let (trust, journal) = try start(folder)
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))])))
    journal.core.orders.withLock { $0.damage = "a test says so" }
    journal.core.writerWaker.wake()
    for await case .doubted(let words) in journal.states {
      expect(words.contains("set aside"))
      break
    }
    expect(!trust.isAccepted && trust.generation == 1)
    await journal.close()
    // What was remembered until then is of another generation now.
    let later = JournalTrust(of: folder.journal)
    expect(later.isForeign && later.generation == 2, "\(later.doubt ?? "no doubt")")
  }

  @Test func aJournalThatWasEmptiedIsDoubted() async throws {
    let folder = try Folders()
    let (_, first) = try start(folder)
    first.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))]))
    await first.close()
    try writeFile(folder.journal, [])
    let trust = JournalTrust(of: folder.journal)
    expect(trust.isForeign && !trust.isAccepted, "\(trust.doubt ?? "no doubt")")
  }

  /// A new installation whose power is cut at its first moment has nothing to lose.
  @Test func aJournalThatNeverBeganIsNotDoubted() async throws {
    let folder = try Folders()
    try writeFile(folder.journal, [])
    let (trust, journal) = try start(folder)
    expect(!trust.isForeign && trust.doubt == nil, "\(trust.doubt ?? "")")
    await journal.close()
  }
}
