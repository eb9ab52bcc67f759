import Foundation
import Journal
import LinuxIO
import ReportClient
import ReportProtocol
import ReportWorker
import ScanModel
import Sealing
import Synchronization

/// A journal, and who makes reports of it, on a real socket.
final class ReportBench: Sendable {
  let folder: URL
  var path: String { folder.path + "/journal.sqlite" }
  var socket: String { folder.path + "/report.sock" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Has facts in the journal, and closes it.
  func write(_ facts: [JournalFact]) async throws {
    let key = try SealKeySource(state: folder.path, given: nil).open().key
    let journal = try Journal.open(Journal.Settings(path: path), key: key, boot: BootID("boot"), time: SystemTime())
    var rest = facts[...]
    while !rest.isEmpty {
      try await journal.written(journal.enqueue(JournalBatch(facts: Array(rest.prefix(1_000)))))
      rest = rest.dropFirst(1_000)
    }
    await journal.close()
  }

  /// Serves on a thread of its own until nobody has come for a minute.
  func serve(users: Set<UInt32> = [getuid()]) throws {
    let listener = try PacketListener(path: socket, mode: 0o600)
    let settings = ReportServer.Settings(journal: path, users: users, idle: .seconds(60))
    try SystemThread.start("reports") {
      guard let server = try? ReportServer(listener: listener, settings: settings, log: { _ in }) else { return }
      server.run()
    }
  }

  var client: ReportClient { ReportClient(path: socket, program: "test") }
}

/// A scan that is over.
func journaled(_ number: Int, at seconds: Int64, verdict: Verdict, decider: Decider = .server) -> JournalFact {
  .scan(
    JournaledScan(
      scan: Scan(
        id: ScanID(), gate: GateID(number.isMultiple(of: 3) ? "south" : "north"), reader: ReaderID("left"),
        code: Code("SECRET-CODE-\(number)"), readAt: MonotonicTime(nanoseconds: 5)),
      system: TicketSystemID("venue"), ticket: TicketKey([UInt8]("\(number)".utf8)),
      at: JournalTime(wall: WallTime(seconds: seconds), monotonic: MonotonicTime(nanoseconds: 9), isTrusted: true),
      decidedIn: .milliseconds(50), verdict: verdict, decider: decider,
      event: number.isMultiple(of: 2) ? "Gala" : nil, holder: "Jürgen Groß"))
}
