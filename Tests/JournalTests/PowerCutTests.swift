import LinuxIO
import PowerCut
import SQLiteFile
import ScanModel
import ScanTesting
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

  private func key(_ number: Int) -> LedgerKey {
    LedgerKey(server: "server", kind: .ticket, bytes: withUnsafeBytes(of: number) { [UInt8]($0) })
  }

  /// A day of the journal: admissions of four gates, checkpoints, retention, and a new start.
  private func log(_ folder: ImageFolder, isHonest: Bool = true) async throws -> PowerCutLog {
    let recorder = try PowerCutRecorder(folder: folder.path)
    let path = "\(folder.path)/journal"
    let time = SystemTime()
    try recorder.start()
    for start in 0..<3 {
      let journal = try openJournal(
        path, sync: RecordedSync(recorder: recorder, log: "\(path)-wal", isHonest: isHonest))
      for round in 0..<12 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for gate in 0..<4 {
            let number = (start * 12 + round) * 4 + gate + 1
            group.addTask {
              let asked = sampleAttempt("\(number)")
              journal.enqueue(JournalBatch(facts: [.asked(asked)]))
              let mark = journal.enqueue(
                JournalBatch(
                  facts: [.concluded(sampleConclusion(asked)), .scan(sampleScan("\(number)"))],
                  memory: [self.key(number): [1]]))
              if try await journal.durable(mark, until: time.now() + .seconds(60)) { recorder.promised(UInt64(number)) }
            }
          }
          try await group.waitForAll()
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
    for image in CutPlanner(log).images(count: 11_000, seed: 1) {
      try images.lay(image)
      count += 1
      let label = "\(image.label)"
      // Each as SQLite has it; every tenth by the journal itself.
      if count % 10 == 0 {
        let journal = try openJournal(path)
        let keys = image.promised.map { key(Int($0)) }
        #expect(try await journal.recall(keys).count == keys.count, "\(label)")
        await journal.close()
        #expect(!Folders.list(images.path).contains { $0.contains("damaged") }, "\(label)")
      }
      let missing = try missing(path, image.promised)
      if !missing.isEmpty { Issue.record("\(label): \(missing)") }
    }
    #expect(count >= 10_000)
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
    #expect(lost > 0)
    withExtendedLifetime(folder) {}
  }

  /// What is wrong with an image, in words.
  private func missing(_ path: String, _ promised: [UInt64]) throws -> [String] {
    let database = try Database(path, .write, busyMilliseconds: 0)
    defer { database.close() }
    var wrong = try database.texts("PRAGMA quick_check").filter { $0 != "ok" }
    guard try database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'memory'") == 1 else {
      return promised.isEmpty ? wrong : wrong + ["nothing is there of \(promised)"]
    }
    var remembered = Set<[UInt8]>()
    try database.prepare("SELECT key FROM memory").each { row throws(SQLiteError) in
      remembered.insert(row.blob(0) ?? [])
    }
    let lost = promised.filter { !remembered.contains(key(Int($0)).bytes) }
    if !lost.isEmpty { wrong.append("\(lost) were promised") }
    // Each batch wholly, and none without those before it.
    let scans = try database.integer("SELECT count(*) FROM scan") ?? 0
    if scans != remembered.count { wrong.append("\(scans) scans, \(remembered.count) remembered") }
    let orphans = try database.integer("SELECT count(*) FROM conclusion WHERE attempt NOT IN (SELECT seq FROM attempt)")
    if orphans != 0 { wrong.append("conclusions without their attempts") }
    return wrong
  }
}
