import CSQLite
import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import ScanTesting
import Sealing
import Synchronization
import Testing

@testable import Journal

/// A folder that goes with its last user.
final class Folders: Sendable {
  let path: String
  var journal: String { "\(path)/journal.sqlite" }

  init() throws {
    var template = [CChar]("\(temporaryRoot)/scangate-journal-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in Self.list(path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names in the folder.
  var names: [String] { Self.list(path) }

  static func list(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

func readFile(_ path: String) throws -> [UInt8] {
  let file = try OwnedDescriptor.open(path, O_RDONLY)
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(file.number, &buffer, buffer.count)
    if count <= 0 { return bytes }
    bytes += buffer.prefix(count)
  }
}

func writeFile(_ path: String, _ bytes: [UInt8]) throws {
  let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  let file = OwnedDescriptor(owning: number)
  try #require(number >= 0 && write(file.number, bytes, bytes.count) == bytes.count)
}

let testKey = SealKey(bytes: [UInt8](repeating: 7, count: SealKey.length))
let testBoot = BootID("11111111-2222-3333-4444-555555555555")
let testTime = ManualTime()

func openJournal(
  _ path: String, time: any TimeSource = SystemTime(), sync: any WALSync = FileSync(), schema: Schema = .current,
  trust: JournalTrust? = nil, change: (inout Journal.Settings) -> Void = { _ in }
) throws -> Journal {
  var settings = Journal.Settings(path: path)
  change(&settings)
  return try Journal.open(
    settings, key: try #require(testKey), boot: testBoot, time: time, schema: schema, sync: sync, trust: trust)
}

/// Why the journal does not open.
func refusal(_ path: String, schema: Schema = .current) throws -> JournalFault {
  try #require(throws: JournalFault.self) { _ = try openJournal(path, schema: schema) }
}

/// What a new listener is told at once.
func told(_ journal: Journal, _ count: Int) async -> [JournalState] {
  var found: [JournalState] = []
  var states = journal.states.makeAsyncIterator()
  while found.count < count, let state = await states.next() { found.append(state) }
  return found
}

/// The next thing that the operator must know.
func notice(_ journal: Journal, of text: String = "") async -> String? {
  for await state in journal.states {
    if case .noticed(let words) = state, text.isEmpty || words.contains(text) { return words }
  }
  return nil
}

func sampleScan(
  _ code: String, gate: String = "north", verdict: Verdict = .admit, holder: String? = "Ada Lovelace",
  time: any TimeSource = SystemTime(), isTrusted: Bool = true
) -> JournaledScan {
  JournaledScan(
    scan: Scan(
      gate: GateID(gate), reader: ReaderID("left"), code: Code(code),
      symbology: AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "1")), readAt: time.now()),
    system: TicketSystemID("venue"), ticket: TicketKey([UInt8](repeating: 9, count: 16)),
    at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: isTrusted), decidedIn: .milliseconds(41),
    verdict: verdict, decider: .server, note: "surplus", detail: "Day ticket", entryID: "4711", eventID: "456",
    event: "Concert 2025",
    holder: holder,
    admitted: 1, allowance: 3,
    firstUse: FirstUse(gate: GateID("south"), at: WallTime(seconds: 1_766_000_000), request: AttemptID()),
    outputFault: "the relay did not move")
}

func sampleAttempt(_ code: String = "code") -> AskedAttempt {
  AskedAttempt(
    attempt: AttemptID(),
    scan: Scan(
      gate: GateID("north"), reader: ReaderID("left"), code: Code(code), readAt: MonotonicTime(nanoseconds: 5)),
    system: TicketSystemID("venue"), server: "eventSchedule https://localhost", ticket: TicketKey([1, 2, 3]),
    at: JournalTime(wall: WallTime(seconds: 1_766_000_000), monotonic: MonotonicTime(nanoseconds: 6), isTrusted: false),
    boot: testBoot)
}

func sampleConclusion(_ asked: AskedAttempt, _ fate: AttemptOutcome.Fate = .answered) -> ConcludedAttempt {
  ConcludedAttempt(
    attempt: asked.attempt, fate: fate, mayHaveRedeemed: true, verdict: .refuse(.wrongDay), entryID: "9",
    recordedAt: WallTime(seconds: 3), said: "Wrong day", at: asked.at)
}

/// All scans, in order.
func scans(_ path: String, _ filter: Journal.Reader.Filter = .init(), key: SealKey? = testKey) throws -> [JournalRow] {
  var rows: [JournalRow] = []
  try Journal.Reader(path: path, key: key).scans(matching: filter) { rows.append($0) }
  return rows
}

func codes(_ path: String, _ filter: Journal.Reader.Filter = .init()) throws -> [String] {
  try scans(path, filter).compactMap { $0.code?.text }
}

/// A connection of a stranger.
func stranger(_ path: String) throws -> Database { try Database(path, .write, busyMilliseconds: 1_000) }

/// A sync that a test holds up, and lets fail.
final class HeldSync: WALSync {
  private struct State {
    var isHeld = false
    var failures = 0
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let inner = FileSync()
  private let waker: ThreadWaker

  init() throws { waker = try ThreadWaker() }

  var count: Int { state.withLock { $0.count } }

  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    state.withLock { $0.isHeld = false }
    waker.wake()
  }

  func fail(_ times: Int) { state.withLock { $0.failures = times } }

  /// Returns when a sync has begun.
  func begun() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if state.count > 0 { continuation.resume() } else { state.waiting.append(continuation) }
      }
    }
  }

  func open(_ path: String) throws(SystemError) { try inner.open(path) }

  func close() { inner.close() }

  func sync() throws(SystemError) {
    let (waiting, fails) = state.withLock { state in
      state.count += 1
      defer { state.waiting = [] }
      let fails = state.failures > 0
      if fails { state.failures -= 1 }
      return (state.waiting, fails)
    }
    for one in waiting { one.resume() }
    while state.withLock({ $0.isHeld }) { waker.wait(atMost: .seconds(60)) }
    if fails { throw SystemError(errno: EIO, call: "fdatasync") }
    try inner.sync()
  }
}

func sampleOwed(_ code: String = "code", time: any TimeSource = SystemTime()) -> OwedAdmission {
  let asked = sampleAttempt(code)
  return OwedAdmission(
    attempt: asked.attempt, scan: asked.scan, system: asked.system, server: asked.server, ticket: asked.ticket,
    decider: .policy, mayBeTold: false,
    at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true), boot: testBoot)
}

func sampleTold(
  _ owed: OwedAdmission, _ ending: ToldAdmission.Ending, time: any TimeSource = SystemTime()
) -> ToldAdmission {
  ToldAdmission(
    attempt: owed.attempt, ending: ending, reason: .alreadyUsed, said: "Already used", entryID: "17",
    recordedAt: WallTime(seconds: 3), at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true))
}

extension JournalTrust {
  /// Begins with a journal in which nothing is.
  func begin(session: Int64, journal: Int64) throws(SystemError) {
    let position = JournalPosition(journal: journal, session: session, facts: 0, turns: 0)
    try begin(position, durable: position)
  }
}
