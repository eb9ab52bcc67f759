import Glibc
import Journal
import LinuxIO
import ScanModel
import Sealing
import Synchronization

// A process that keeps a journal, so that tests can kill it, take its disk away, and measure.
//
//   journal-child write FILE        writes scans one after the other and prints each one's number once it is written
//                                   ... COUNT: so many, then waits to be killed
//                                   ... noted: with the note beside it, as write, too
//   journal-child hold FILE         opens the journal, says so, and waits to be killed
//   journal-child limit FILE BYTES  writes scans until that fails, in a process whose files may not grow beyond BYTES (0: any
//                                   size), then until it works again; prints states
//   journal-child fill FILE COUNT   fills a journal with COUNT scans
//   journal-child open FILE         opens the journal, and prints how long that took
//   journal-child offline FILE      measures admissions without the ticket system's word, each durable
//   journal-child steps FILE        measures what a scan waits for, step by step
//   journal-child measure FILE [US] measures, on this disk or on one whose sync takes so many microseconds
//
// Built without words on its own: it is for tests alone.

@Sendable func say(_ line: String) { _ = write(1, line + "\n", line.utf8.count + 1) }
let words = CommandLine.arguments
// A test that fails must not leave it behind, nor wait for it.
if ["write", "hold", "limit"].contains(words.dropFirst().first) { alarm(120) }
guard words.count >= 3, let key = SealKey(bytes: [UInt8](repeating: 7, count: SealKey.length)) else { exit(2) }
let time = SystemTime()

func scan(_ number: Int, gate: String = "gate") -> JournaledScan {
  let now = time.now()
  return JournaledScan(
    scan: Scan(gate: GateID(gate), reader: ReaderID("reader"), code: Code("code \(number)"), readAt: now),
    system: TicketSystemID("system"),
    ticket: TicketKey([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)),
    at: JournalTime(wall: time.wall(), monotonic: now, isTrusted: true), decidedIn: .milliseconds(30), verdict: .admit,
    decider: .server, detail: "Day ticket", entryID: "\(number)", holder: "Holder \(number)", admitted: 1)
}

/// The row of the scan that an attempt was made for.
func scan(_ number: Int, of asked: AskedAttempt) -> JournaledScan {
  var journaled = scan(number)
  journaled.scan = asked.scan
  return journaled
}

func open() throws -> Journal {
  let trust = words.last == "noted" ? JournalTrust(of: words[2]) : nil
  return try Journal.open(Journal.Settings(path: words[2]), key: key, boot: BootID("boot"), time: time, trust: trust)
}

/// A disk that takes a given time for each sync.
struct SlowSync: WALSync {
  let microseconds: UInt32
  func open(_ path: String) throws(SystemError) {}
  func sync() throws(SystemError) { usleep(microseconds) }
  func close() {}
}

func asked(_ number: Int) -> AskedAttempt {
  AskedAttempt(
    attempt: AttemptID(), scan: scan(number).scan, system: TicketSystemID("system"),
    server: "eventSchedule https://localhost", ticket: TicketKey([UInt8](repeating: 1, count: 16)),
    at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true), boot: BootID("boot"))
}

func concluded(_ asked: AskedAttempt) -> ConcludedAttempt {
  ConcludedAttempt(
    attempt: asked.attempt, fate: .answered, mayHaveRedeemed: true, verdict: .admit, entryID: "17",
    recordedAt: time.wall(),
    said: nil, at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true))
}

func memory(_ number: Int) -> [LedgerKey: [UInt8]?] {
  let bytes = withUnsafeBytes(of: number) { [UInt8]($0) }
  return [LedgerKey(server: "server", kind: .ticket, bytes: bytes): bytes]
}

func percentile(_ sorted: [Duration], _ share: Double) -> Double {
  guard !sorted.isEmpty else { return 0 }
  return Double(sorted[Int(Double(sorted.count - 1) * share)].saturatedNanoseconds) / 1e6
}

func measure(_ journal: Journal) async throws {
  var times: [Duration] = []
  for number in 0..<2_000 {
    let began = time.now()
    try await journal.written(journal.enqueue(JournalBatch(facts: [.asked(asked(number))], memory: memory(number))))
    times.append(time.now() - began)
  }
  times.sort()
  say("written p50 \(percentile(times, 0.5)) ms, p99 \(percentile(times, 0.99)) ms, most \(percentile(times, 1)) ms")
  for gates in [1, 8] {
    let began = time.now()
    let each = 4_000 / gates
    try await withThrowingTaskGroup(of: Void.self) { group in
      for gate in 0..<gates {
        group.addTask {
          for number in 0..<each {
            let batch = JournalBatch(
              facts: [.scan(scan(number, gate: "gate \(gate)"))], memory: memory(gate * 100_000 + number))
            _ = try await journal.durable(journal.enqueue(batch), until: time.now() + .seconds(60))
          }
        }
      }
      try await group.waitForAll()
    }
    let seconds = Double((time.now() - began).saturatedNanoseconds) / 1e9
    say("durable with \(gates) at once: \(Int(Double(each * gates) / seconds)) a second")
  }
}

/// Returns once all keys of the file are known.
func knowKeys(_ journal: Journal) async {
  while !journal.knowsItsKeys { usleep(1_000) }
}

func owed(_ number: Int, gate: Int) -> OwedAdmission {
  let asked = asked(number)
  return OwedAdmission(
    attempt: asked.attempt, scan: scan(number, gate: "gate \(gate)").scan, system: asked.system, server: asked.server,
    ticket: asked.ticket, decider: .policy, mayBeTold: false, at: asked.at, boot: asked.boot)
}

/// Admissions a second that are durable before the gate opens, at so many gates at once.
func offline(_ journal: Journal, gates: Int, seconds: Double) async throws -> Double {
  let began = time.now()
  let end = began + .milliseconds(Int64(seconds * 1_000))
  let count = try await withThrowingTaskGroup(of: Int.self) { group in
    for gate in 0..<gates {
      group.addTask {
        var count = 0
        while time.now() < end {
          let batch = JournalBatch(
            facts: [.owed(owed(count, gate: gate))], memory: memory(gate * 1_000_000 + count), isUrgent: true)
          _ = try await journal.durable(journal.enqueue(batch), until: time.now() + .seconds(60))
          count += 1
        }
        return count
      }
    }
    return try await group.reduce(0, +)
  }
  return Double(count) / (Double((time.now() - began).saturatedNanoseconds) / 1e9)
}

/// The disk's own sync, with the time that it takes.
final class TimedSync: WALSync {
  private let file = FileSync()
  private let taken = Mutex<(count: Int, time: Duration)>((0, .zero))

  func open(_ path: String) throws(SystemError) { try file.open(path) }
  func close() { file.close() }

  func sync() throws(SystemError) {
    let began = time.now()
    try file.sync()
    let end = time.now()
    taken.withLock { $0 = ($0.count + 1, $0.time + (end - began)) }
  }

  /// How many there were, and the milliseconds that one took, since the last call.
  func take() -> (count: Int, milliseconds: Double) {
    taken.withLock { taken in
      defer { taken = (0, .zero) }
      return (taken.count, Double(taken.time.saturatedNanoseconds) / 1e6 / Double(max(1, taken.count)))
    }
  }
}

/// What a scan waits for, step by step, as the gate's decision path asks for it.
func steps(_ journal: Journal) async throws {
  let names = ["recall ticket", "write asked", "recall entry", "write concluded", "asked durable", "all but that"]
  var times = [[Duration]](repeating: [], count: names.count)
  func step(_ index: Int, _ began: MonotonicTime) { times[index].append(time.now() - began) }
  func recall(_ number: Int, _ kinds: LedgerKey.Kind...) async throws {
    let bytes = withUnsafeBytes(of: number) { [UInt8]($0) }
    let keys = kinds.map { LedgerKey(server: "server", kind: $0, bytes: bytes) }
    if let found = journal.recallNow(keys), found.isEmpty { return }
    _ = try await journal.recall(keys)
  }
  await knowKeys(journal)
  for number in 0..<3_000 {
    usleep(1_000)
    let asked = asked(number)
    let started = time.now()
    try await recall(number, .ticket, .sale)
    step(0, started)
    var began = time.now()
    let mark = journal.enqueue(JournalBatch(facts: [.asked(asked)], isUrgent: true))
    try await journal.written(mark)
    step(1, began)
    began = time.now()
    try await recall(number, .entry, .sale)
    step(2, began)
    began = time.now()
    try await journal.written(
      journal.enqueue(JournalBatch(facts: [.concluded(concluded(asked))], memory: memory(number), isUrgent: true)))
    step(3, began)
    step(5, started)
    began = time.now()
    _ = try await journal.durable(mark, until: time.now() + .milliseconds(50))
    step(4, began)
  }
  for (name, times) in zip(names, times.map { $0.sorted() }) {
    say("\(name): p50 \(Int(percentile(times, 0.5) * 1e3)) µs, p99 \(Int(percentile(times, 0.99) * 1e3)) µs")
  }
}

switch words[1] {
case "write":
  let journal = try open()
  for number in 1... {
    let attempt = asked(number)
    try await journal.written(
      journal.enqueue(
        JournalBatch(
          facts: [.asked(attempt), .concluded(concluded(attempt)), .scan(scan(number, of: attempt))],
          memory: memory(number))))
    say("written \(number)")
    if words.count > 3, Int(words[3]) == number { while getchar() != EOF {} }
  }
case "hold":
  let journal = try open()
  say("open \(getpid())")
  while getchar() != EOF {}
  await journal.close()
case "limit":
  signal(SIGXFSZ, SIG_IGN)
  let journal = try open()
  let states = journal.states
  // Not on the main thread, which waits for the test's word below.
  Task.detached {
    for await state in states {
      switch state {
      case .working: say("state working")
      case .failing(let fault): say("state failing \(fault.kind): \(fault)")
      case .noticed(let notice): say("state noticed: \(notice)")
      case .doubted(let doubt): say("state doubted: \(doubt)")
      case .accepted: say("state accepted")
      }
    }
  }
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  if let bytes = UInt(words[3]), bytes > 0 {
    limit.rlim_cur = bytes
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
  var last = 0
  for number in 1... {
    do {
      try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(scan(number))], memory: memory(number))))
    } catch {
      say("refused \(number)")
      last = number
      break
    }
    say("written \(number)")
  }
  // Still at hand, although nothing takes it.
  let kept = try await journal.recall(Array(memory(last).keys))
  say("recalled \(kept.count)")
  _ = getchar()
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  while true {
    let mark = journal.enqueue(JournalBatch(facts: [.scan(scan(last + 1))]))
    do {
      try await journal.written(mark)
      break
    } catch {
      // The next try is at most a second away.
      try await Task.sleep(for: .milliseconds(100))
    }
  }
  say("cured")
  await journal.close()
case "fill":
  let journal = try open()
  let count = Int(words[3]) ?? 0
  var mark = JournalMark(number: 0)
  for number in 0..<count {
    let attempt = asked(number)
    mark = journal.enqueue(
      JournalBatch(
        facts: [.asked(attempt), .concluded(concluded(attempt)), .scan(scan(number, of: attempt))],
        memory: memory(number)))
    if number % 5_000 == 0 { try await journal.written(mark) }
  }
  try await journal.written(mark)
  if words.count > 4 { kill(getpid(), SIGKILL) }
  await journal.close()
case "open":
  let began = time.now()
  let journal = try open()
  let opened = time.now()
  let open = try await journal.unconcluded()
  try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(scan(0))])))
  say(
    "opened in \((opened - began).milliseconds) ms, \(open.count) open, first written after \((time.now() - began).milliseconds) ms"
  )
  await knowKeys(journal)
  say("keys known after \((time.now() - began).milliseconds) ms")
  await journal.close()
case "offline":
  for gates in [1, 8] {
    let sync = TimedSync()
    let journal = try Journal.open(
      Journal.Settings(path: words[2]), key: key, boot: BootID("boot"), time: time, sync: sync)
    _ = sync.take()
    let rate = try await offline(journal, gates: gates, seconds: 3)
    let (count, milliseconds) = sync.take()
    say("offline \(gates) gates: \(rate) a second, \(count) syncs of \(milliseconds) ms")
    await journal.close()
  }
  let journal = try Journal.open(
    Journal.Settings(path: words[2]), key: key, boot: BootID("boot"), time: time, sync: SlowSync(microseconds: 1_000))
  say("offline 8 gates on a disk of 1 ms: \(try await offline(journal, gates: 8, seconds: 3)) a second")
  await journal.close()
case "steps":
  let journal = try open()
  try await steps(journal)
  await journal.close()
case "measure":
  let journal: Journal
  if words.count > 3, let microseconds = UInt32(words[3]) {
    journal = try Journal.open(
      Journal.Settings(path: words[2]), key: key, boot: BootID("boot"), time: time,
      sync: SlowSync(microseconds: microseconds))
  } else {
    journal = try open()
  }
  try await measure(journal)
  await journal.close()
default: exit(2)
}
