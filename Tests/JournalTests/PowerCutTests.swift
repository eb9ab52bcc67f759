import GRDBSQLite
import LinuxIO
import PowerCut
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Journal

/// The power is cut after each thing that the journal did to its files: it opens, and what was promised is in it.
@Suite struct PowerCutTests {
  /// Tells the recorder of each sync of the log.
  private final class RecordedSync: WALSync {
    private let recorder: PowerCutRecorder
    private let file = FileSync()
    private let log = Mutex("")

    init(_ recorder: PowerCutRecorder) { self.recorder = recorder }

    func open(_ path: String) throws(SystemError) {
      log.withLock { $0 = path }
      try file.open(path)
    }

    func sync() throws(SystemError) {
      let sync = recorder.syncBegan(log.withLock { $0 })
      try file.sync()
      recorder.syncEnded(sync)
    }
  }

  private static let keys = (0..<7).map { LedgerKey(server: "venue", kind: .ticket, bytes: [UInt8($0)]) }

  private func batch(_ number: Int) -> JournalBatch {
    JournalBatch(
      facts: [.scan(sampleScan("code \(number)"))],
      memory: [Self.keys[number % 7]: [UInt8]("remembered by \(number)".utf8)])
  }

  /// Batches 1 to 200 in three lives of the journal, with the log moved into the file here and there.
  private func record(in folder: ImageFolder) async throws -> PowerCutLog {
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let path = "\(folder.path)/journal.sqlite"
    let time = SystemTime()
    for life in 0..<3 {
      let journal = try openJournal(path, sync: RecordedSync(recorder))
      for number in 1 + life * 67...67 + life * 67 {
        let mark = journal.enqueue(batch(number))
        if number % 3 == 0 { continue }
        if try await journal.durable(mark, until: time.now() + .seconds(60)) { recorder.promised(UInt64(number)) }
        let mode: Int32? =
          switch number % 20 {
          case 4: SQLITE_CHECKPOINT_PASSIVE
          case 13: SQLITE_CHECKPOINT_RESTART
          default: nil
          }
        if let mode { _ = try stranger(path).checkpoint(mode) }
      }
      await journal.close()
    }
    recorder.stop()
    return try recorder.log()
  }

  /// How many batches the journal holds; and what is wrong with them in words, none when they are all up to that one.
  private func count(in folder: ImageFolder) async throws -> (Int, String) {
    let path = "\(folder.path)/journal.sqlite"
    let journal = try openJournal(path)
    let memory = try await journal.recall(Self.keys)
    await journal.close()
    let found = try codes(path)
    let isPrefix = found == (0..<found.count).map { "code \($0 + 1)" }
    var expected: [LedgerKey: [UInt8]] = [:]
    for number in 0..<found.count { expected.merge(batch(number + 1).memory.compactMapValues { $0 }) { $1 } }
    let words = isPrefix && memory == expected ? "" : "codes \(isPrefix), memory \(memory == expected)"
    let integrity = try stranger(path).texts("PRAGMA integrity_check")
    return (found.count, words + (integrity == ["ok"] ? "" : "\(integrity)"))
  }

  @Test func nothingPromisedIsMissingAfterAnyCut() async throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let log = try await record(in: folder)
    let images = try ImageFolder()
    var made = 0
    var problems: [String] = []
    for image in CutPlanner(log).images(count: 10_500, seed: 1) {
      made += 1
      try images.lay(image)
      do {
        let (count, words) = try await count(in: images)
        let promised = Int(image.promised.max() ?? 0)
        if count < promised || !words.isEmpty {
          problems.append("\(image.label): \(promised) promised, \(count) there; \(words)")
        }
      } catch {
        problems.append("\(image.label): \(error)")
      }
    }
    #expect(made >= 10_000)
    #expect(problems.isEmpty, "\(problems.count) of \(made):\n\(problems.prefix(12).joined(separator: "\n"))")
  }
}
