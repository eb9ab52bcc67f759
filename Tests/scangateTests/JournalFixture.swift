import Expectations
import Foundation
import Journal
import ScanModel
import ScanTesting
import Sealing
import Testing

/// A state folder with a real journal and its key.
final class JournalFixture: Sendable {
  let folder: URL
  let key: SealKey
  var path: String { folder.path + "/journal.sqlite" }

  init() throws {
    folder = try temporaryFolder()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    key = try SealKeySource(state: folder.path, given: nil).open().key
  }

  deinit {
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Opens the journal as the service does.
  func open(boot: String = "boot 1", time: any TimeSource = SystemTime()) throws -> Journal {
    try Journal.open(Journal.Settings(path: path), key: key, boot: BootID(boot), time: time)
  }

  /// Has facts in the journal, and closes it.
  func write(_ facts: [JournalFact], boot: String = "boot 1") async throws {
    let journal = try open(boot: boot)
    var rest = facts[...]
    while !rest.isEmpty {
      try await journal.written(journal.enqueue(JournalBatch(facts: Array(rest.prefix(1_000)))))
      rest = rest.dropFirst(1_000)
    }
    await journal.close()
  }

  /// Runs `scangate journal` on this folder, in a zone that is an hour from UTC.
  func run(_ arguments: [String], launcher: [String] = []) async throws -> Program.Result {
    try await Program.run(
      ["journal"] + arguments + ["--state", folder.path], environment: ["TZ": "UTC-1"], launcher: launcher)
  }

  /// The lines of JSON that a command prints.
  func objects(_ arguments: [String]) async throws -> [[String: Any]] {
    let result = try await run(arguments)
    expectEqual(result.status, 0, "\(result.errors)")
    return try result.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }
}

/// A scan that is over, at a time in seconds since 1970.
func journaled(
  _ code: String, id: ScanID = ScanID(), gate: String = "north", at seconds: Int64 = 1_766_000_000,
  verdict: Verdict = .admit, isTrusted: Bool = true, change: (inout JournaledScan) -> Void = { _ in }
) -> JournaledScan {
  let monotonic = MonotonicTime(nanoseconds: 90_000_000_000)
  var scan = JournaledScan(
    scan: Scan(
      id: id, gate: GateID(gate), reader: ReaderID("left"), code: Code(code), readAt: monotonic - .milliseconds(50)),
    system: TicketSystemID("venue"), ticket: TicketKey([UInt8](code.utf8)),
    at: JournalTime(wall: WallTime(seconds: seconds), monotonic: monotonic, isTrusted: isTrusted),
    decidedIn: .milliseconds(50), verdict: verdict, decider: .server, admitted: verdict == .admit ? 1 : 0)
  change(&scan)
  return scan
}

/// A request for a scan.
func asked(
  _ code: String, scan: ScanID = ScanID(), at wall: WallTime = SystemTime().wall(), boot: String = "boot 1"
) -> AskedAttempt {
  AskedAttempt(
    attempt: AttemptID(),
    scan: Scan(
      id: scan, gate: GateID("north"), reader: ReaderID("left"), code: Code(code), readAt: MonotonicTime(nanoseconds: 5)
    ),
    system: TicketSystemID("venue"), server: "eventSchedule https://venue.example",
    ticket: TicketKey([UInt8](code.utf8)),
    at: JournalTime(wall: wall, monotonic: MonotonicTime(nanoseconds: 6), isTrusted: true), boot: BootID(boot))
}

/// What became of a request, a second later.
func conclusion(_ asked: AskedAttempt, _ fate: AttemptOutcome.Fate, _ verdict: Verdict?) -> ConcludedAttempt {
  var at = asked.at
  at.wall = at.wall + .seconds(1)
  return ConcludedAttempt(
    attempt: asked.attempt, fate: fate, mayHaveRedeemed: fate != .notSent, verdict: verdict,
    entryID: fate == .answered ? "4711" : nil, recordedAt: nil, said: nil, at: at)
}

/// An identifier that begins so.
func scanID(_ first: UInt8...) throws -> ScanID {
  try #require(ScanID(bytes: first + [UInt8](repeating: 0x0E, count: 16 - first.count)))
}
