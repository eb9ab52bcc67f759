import Expectations
import LinuxIO
import PowerCut
import SQLiteFile
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Journal

/// What the disk may hold after the power was cut anywhere: the journal opens, is whole, and has what it promised.
@Suite(.serialized) struct PowerCutTests {
  /// Tells the recorder of the syncs that SQLite does not do.
  private struct RecordedSync: WALSync {
    let recorder: PowerCutRecorder
    let log: String
    let isHonest: Bool
    let file = FileSync()

    func open(_ path: String) throws(SystemError) { try file.open(path) }

    func sync() throws(SystemError) {
      guard isHonest else { return }
      let sync = recorder.syncBegan(log)
      try file.sync()
      recorder.syncEnded(sync)
    }

    func close() { file.close() }
  }

  /// What the ticket system has still to be told.
  private final class Outbox: Sendable {
    let admissions = Mutex<[OwedAdmission]>([])
  }

  private func key(_ number: Int) -> LedgerKey {
    LedgerKey(server: "server", kind: .ticket, bytes: withUnsafeBytes(of: number) { [UInt8]($0) })
  }

  /// An admission without the ticket system's word; its ticket is the number.
  private func owed(_ number: Int) -> OwedAdmission {
    var owed = sampleOwed("\(number)")
    owed.ticket = TicketKey(key(number).bytes)
    return owed
  }

  /// From here on numbers stand for the facts of which the word beside the journal said that they are durable.
  private static let reached: UInt64 = 1 << 32

  private func promised(_ number: Int, _ path: String, _ recorder: PowerCutRecorder) {
    recorder.promised(UInt64(number))
    if let durable = ReachRecord.read(beside: path)?.durable {
      recorder.promised(Self.reached + UInt64(durable.facts))
    }
  }

  /// Whether a number stands for an admission without the ticket system's word: those of every other gate.
  private func isOwed(_ number: Int) -> Bool { number % 2 == 0 }

  /// A day of the journal: admissions of four gates, at two of them offline, of which the ticket system is told later;
  /// checkpoints, retention, and a new start.
  private func log(_ folder: ImageFolder, isHonest: Bool = true) async throws -> PowerCutLog {
    let recorder = try PowerCutRecorder(folder: folder.path)
    let path = "\(folder.path)/journal"
    let time = SystemTime()
    try recorder.start()
    let outbox = Outbox()
    for start in 0..<3 {
      let journal = try openJournal(
        path, sync: RecordedSync(recorder: recorder, log: "\(path)-wal", isHonest: isHonest),
        trust: JournalTrust(of: path))
      for round in 0..<12 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for gate in 0..<4 {
            let number = (start * 12 + round) * 4 + gate + 1
            group.addTask {
              guard !self.isOwed(number) else {
                let owed = self.owed(number)
                let mark = journal.enqueue(
                  JournalBatch(facts: [.owed(owed)], memory: [self.key(number): [1]], isUrgent: true))
                if try await journal.durable(mark, until: time.now() + .seconds(60)) {
                  self.promised(number, path, recorder)
                }
                return outbox.admissions.withLock { $0.append(owed) }
              }
              let asked = sampleAttempt("\(number)")
              journal.enqueue(JournalBatch(facts: [.asked(asked)]))
              var scan = sampleScan("\(number)")
              scan.scan = asked.scan
              let mark = journal.enqueue(
                JournalBatch(
                  facts: [.concluded(sampleConclusion(asked)), .scan(scan)],
                  memory: [self.key(number): [1]]))
              if try await journal.durable(mark, until: time.now() + .seconds(60)) {
                self.promised(number, path, recorder)
              }
            }
          }
          try await group.waitForAll()
        }
        // What nobody waits for: it may be lost, but never without what it is about.
        if round % 3 == 2 {
          let told = outbox.admissions.withLock { outbox in
            defer { outbox.removeFirst(min(5, outbox.count)) }
            return Array(outbox.prefix(5))
          }
          for (owed, ending) in zip(told, ToldAdmission.Ending.allCases) {
            journal.enqueue(JournalBatch(facts: [.told(sampleTold(owed, ending))]))
          }
        }
        switch round {
        case 3: _ = try await journal.checkpoint()
        case 7: await journal.tidy()
        default: break
        }
      }
      await journal.close()
    }
    recorder.stop()
    return try recorder.log()
  }

  @Test func noPromiseIsBroken() async throws {
    let folder = try ImageFolder()
    let log = try await log(folder)
    let images = try ImageFolder()
    let path = "\(images.path)/journal"
    var count = 0
    let wanted = extent(landing: 1_000, release: 11_000)
    for image in CutPlanner(log).images(count: wanted, seed: 1) {
      try images.lay(image)
      count += 1
      let label = "\(image.label)"
      // Each as SQLite has it; every tenth by the journal itself.
      if count % 10 == 0 {
        let journal = try openJournal(path)
        let keys = image.promised.filter { $0 < Self.reached }.map { key(Int($0)) }
        try await expectEqual(journal.recall(keys).count, keys.count, "\(label)")
        expect(try await journal.owed().allSatisfy { !$0.scan.code.bytes.isEmpty }, "\(label)")
        await journal.close()
        expect(!Folders.list(images.path).contains { $0.contains("damaged") }, "\(label)")
      }
      let missing = try missing(path, image.promised)
      if !missing.isEmpty { Issue.record("\(label): \(missing)") }
    }
    expect(count >= wanted * 9 / 10)
    withExtendedLifetime(folder) {}
  }

  /// A sync that only says so is found out: these images can break a promise.
  @Test func aSyncThatLiesIsFoundOut() async throws {
    let folder = try ImageFolder()
    let log = try await log(folder, isHonest: false)
    let images = try ImageFolder()
    var lost = 0
    for image in CutPlanner(log).images(count: 400, seed: 2) {
      try images.lay(image)
      if try missing("\(images.path)/journal", image.promised).contains(where: { $0.contains("promised") }) {
        lost += 1
      }
    }
    expect(lost > 0)
    withExtendedLifetime(folder) {}
  }

  /// What is wrong with an image, in words.
  private func missing(_ path: String, _ all: [UInt64]) throws -> [String] {
    let promised = all.filter { $0 < Self.reached }
    let database = try Database(path, .write, busyMilliseconds: 0)
    defer { database.close() }
    var wrong = try database.texts("PRAGMA quick_check").filter { $0 != "ok" }
    guard try database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'memory'") == 1 else {
      return promised.isEmpty ? wrong : wrong + ["nothing is there of \(promised)"]
    }
    // What is said to be durable is a lower bound of what is there, wherever the power goes.
    let facts = try JournalPosition.facts(in: database)
    if let bound = all.max(), bound > Self.reached + UInt64(facts) {
      wrong.append("\(facts) facts, and \(bound - Self.reached) were promised to be durable")
    }
    var remembered = Set<[UInt8]>()
    try database.prepare("SELECT key FROM memory").each { row throws(SQLiteError) in
      remembered.insert(row.blob(0) ?? [])
    }
    let lost = promised.filter { !remembered.contains(key(Int($0)).bytes) }
    if !lost.isEmpty { wrong.append("\(lost) were promised") }
    // Each batch wholly, and none without those before it.
    let scans = try database.integer("SELECT count(*) FROM scan WHERE id NOT IN (SELECT scan FROM owed)") ?? 0
    let owed = try database.integer("SELECT count(*) FROM owed") ?? 0
    if scans + owed != remembered.count {
      wrong.append("\(scans) scans, \(owed) owed, \(remembered.count) remembered")
    }
    var tickets = Set<[UInt8]>()
    try database.prepare("SELECT ticket FROM owed").each { row throws(SQLiteError) in
      tickets.insert(row.blob(0) ?? [])
    }
    let unpaid = promised.filter { isOwed(Int($0)) && !tickets.contains(key(Int($0)).bytes) }
    if !unpaid.isEmpty { wrong.append("\(unpaid) were promised as owed") }
    for (rule, count) in [
      ("told without what it is about", "told WHERE id NOT IN (SELECT id FROM owed)"),
      (
        "owed, and in no outbox",
        "owed WHERE seq NOT IN (SELECT owed FROM outbox) AND id NOT IN (SELECT id FROM told)"
      ),
      ("owed, and its code is gone", "owed WHERE code IS NULL AND id NOT IN (SELECT id FROM told)"),
      ("owed, and not held", "outbox WHERE owed NOT IN (SELECT fact FROM held)"),
    ] where try database.integer("SELECT count(*) FROM \(count)") != 0 { wrong.append(rule) }
    let orphans = try database.integer("SELECT count(*) FROM conclusion WHERE attempt NOT IN (SELECT seq FROM attempt)")
    if orphans != 0 { wrong.append("conclusions without their attempts") }
    return wrong
  }
}
