import Admission
import Calls
import Expectations
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

/// A ticket system's log of who came and went, told from the journal behind everybody else.
@Suite(.timeLimit(.minutes(1))) struct MirrorSenderTests {
  // MARK: Which passages

  @Test func whoCameAndWentIsToldInOrderWithWhatTheLogWants() async throws {
    let bench = try MirrorBench()
    bench.write(bench.scan(at: "old"))
    let run = try await bench.run()
    let (came, left) = (bench.scan(holder: "Ada"), bench.scan(at: "out", note: "left", holder: "Ada"))
    bench.write(came, bench.scan(.refuse(.notFound)), bench.scan(of: "other"), left)
    let told = await bench.mirror.next(2)
    expectEqual(
      told,
      [
        MirroredPassage(
          station: "door", gate: GateID("north"), scan: came.scan.id, event: "456", holder: "Ada", at: came.at.wall),
        MirroredPassage(
          station: "door", gate: GateID("out"), scan: left.scan.id, isExit: true, event: "456", holder: "Ada",
          at: left.at.wall),
      ])
    await bench.end(run)
    try await expectEqual(bench.counts(), ["sent": 2])
  }

  @Test func whatWasTakenBackIsOldOrHasNoEventIsCountedOnly() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    let annulled = bench.scan()
    let day = MirrorSender.recent + .seconds(60)
    bench.journal.setWriting(false)
    bench.write(
      annulled, bench.scan(event: nil), bench.scan(event: "a name"), bench.scan(ago: day), bench.scan(holder: "last"))
    bench.journal.enqueue(
      JournalBatch(facts: [
        .annulled(AnnulledAdmission(scan: annulled.scan.id, admission: AttemptID(), at: annulled.at))
      ]))
    bench.journal.setWriting(true)
    bench.keeper.passages.wake()
    await expectEqual(bench.mirror.next(1).map(\.holder), ["last"])
    await bench.end(run)
    try await expectEqual(bench.counts(), ["sent": 1, "annulled": 1, "withoutEvent": 2, "tooOld": 1])
    // Each cause is told once.
    let events = await bench.events()
    expectEqual(events.filter { $0.state == .leftOut }.count, 2)
    expectEqual(events.last?.counts.all, 5)
  }

  /// Somebody leaves with a bare code: who came in on it is known.
  @Test func whoLeavesIsNamedByTheirAdmission() async throws {
    let bench = try MirrorBench()
    bench.write(bench.scan(ticket: 1, event: "8", holder: "Ada"), bench.scan(ticket: 2, event: nil))
    let run = try await bench.run()
    bench.write(
      bench.scan(at: "out", ticket: 1, decider: .ledger, note: "left", event: nil),
      // Whatever the presented code says.
      bench.scan(at: "out", ticket: 1, decider: .ledger, note: "left", event: "9"),
      bench.scan(at: "out", ticket: 2, decider: .ledger, note: "left", event: nil),
      bench.scan(at: "out", ticket: 3, decider: .ledger, note: "notInside", event: "7"))
    let told = await bench.mirror.next(3)
    expectEqual(told.map(\.event), ["8", "8", "7"])
    expectEqual(told.map(\.holder), ["Ada", "Ada", nil])
    await bench.end(run)
    try await expectEqual(bench.counts(), ["sent": 3, "withoutEvent": 1])
  }

  /// Admitted without the ticket system's word, and told to it since: its answer names event and holder.
  @Test func whoWasAdmittedOfflineIsNamedOnceTheTicketSystemWasTold() async throws {
    let process = try LedgerProcess()
    let code = LedgerProcess.code
    process.system.script(code, .answer(process.redeemed("1", event: "77")))
    let scan = Scan(gate: GateID("north"), reader: ReaderID("left"), code: code, readAt: process.time.now())
    let kept = await process.keeper.decide(
      scan, key: TicketKey(code.bytes), system: process.system, deadline: process.time.now() + .seconds(20),
      mayAsk: true)
    expectEqual(kept.decision.verdict, .admit)
    let bench = MirrorBench(journal: process.journal, keeper: process.keeper, hub: process.hub)
    let run = try await bench.run()
    // As the scan was written: nobody had told anything by then.
    bench.write(bench.scan(key: kept.ticket, decider: .policy, event: nil))
    let told = await bench.mirror.next(1)
    expectEqual(told.map(\.holder), ["Ada Lovelace"])
    expectEqual(told.map(\.event), ["77"])
    expectEqual(told.map(\.isProvisional), [true])
    await bench.end(run)
  }

  // MARK: Once at most

  @Test func nothingIsSentBeforeTheDiskKnows() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    bench.journal.setSyncing(false)
    let before = bench.journal.awaited.count
    bench.write(bench.scan())
    await until { bench.journal.awaited.count > before }
    expectEqual(bench.mirror.told.count, 0)
    // Who ends now has sent nothing, and the next one knows.
    run.cancel()
    await run.value
    try await expectEqual(bench.counts(), [:])
    bench.journal.setSyncing(true)
    let second = try await bench.run()
    expectEqual(await bench.mirror.next(1).count, 1)
    await bench.end(second)
    try await expectEqual(bench.counts(), ["sent": 1])
  }

  @Test func aLostAnswerIsCountedAndNotRepeated() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    bench.mirror.answer(.lost("tickets.example gave no answer."), .lost("tickets.example gave no answer."), .taken)
    let scans = (0..<3).map { bench.scan(holder: "\($0)") }
    for scan in scans { bench.write(scan) }
    await expectEqual(bench.mirror.next(3).map(\.scan), scans.map(\.scan.id))
    await bench.end(run)
    try await expectEqual(bench.counts(), ["lost": 2, "sent": 1])
    // The trouble is told once, and its end.
    await expectEqual(bench.events().map(\.state), [.telling, .failed, .telling])
  }

  @Test func whatHasNotLeftIsToldOfAgain() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    bench.mirror.answer(
      .unsent(nil, retryAfter: .milliseconds(1)), .unsent("no route", retryAfter: nil),
      .unsent("no route", retryAfter: .milliseconds(2)), .taken)
    let scan = bench.scan()
    bench.write(scan)
    await expectEqual(bench.mirror.next(4).map(\.scan), Array(repeating: scan.scan.id, count: 4))
    await bench.end(run)
    try await expectEqual(bench.counts(), ["sent": 1])
    await expectEqual(bench.events().map(\.state), [.telling, .failed, .telling])
  }

  /// The process is killed while a request is under way: the next one does not know what became of it, and does not repeat it.
  @Test func whatWasUnderWayAtAKillIsLost() async throws {
    let bench = try MirrorBench()
    let killed = try await bench.run()
    let release = OneAnswer<Void>()
    bench.mirror.hold(until: release)
    let (first, second) = (bench.scan(holder: "first"), bench.scan(holder: "second"))
    bench.write(first)
    await expectEqual(bench.mirror.next(1).map(\.scan), [first.scan.id])

    let successor = MirrorBench(after: bench)
    let run = try await successor.run()
    successor.write(second)
    await expectEqual(successor.mirror.next(1).map(\.scan), [second.scan.id])
    await successor.end(run)
    try await expectEqual(successor.counts(), ["lost": 1, "sent": 1])
    killed.cancel()
    release.give(())
    await killed.value
  }

  /// A reload that cannot wait for the disk: who ends late writes nothing over what its follower has come to, and says nothing.
  @Test func whoWasGivenUpComesNotOverItsFollower() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    let release = OneAnswer<Void>()
    bench.mirror.hold(until: release)
    bench.write(bench.scan(holder: "first"))
    expectEqual(await bench.mirror.next(1).count, 1)
    run.cancel()
    bench.fence.close()

    let follower = MirrorBench(after: bench)
    let next = try await follower.run()
    follower.write(follower.scan(holder: "second"))
    await expectEqual(follower.mirror.next(1).map(\.holder), ["second"])
    await follower.end(next)
    let written = bench.journal.batches.count
    release.give(())
    await run.value
    expectEqual(bench.journal.batches.count, written)
    try await expectEqual(follower.counts(), ["lost": 1, "sent": 1])
    await expectEqual(bench.events().map(\.state), [.telling])
  }

  @Test func theFirstOneBeginsNowAndTheNextWhereItEnded() async throws {
    let bench = try MirrorBench()
    bench.write(bench.scan(holder: "before"))
    let first = try await bench.run()
    await bench.end(first)
    bench.write(bench.scan(holder: "meanwhile"))
    let second = try await bench.run()
    await expectEqual(bench.mirror.next(1).map(\.holder), ["meanwhile"])
    await bench.end(second)
    try await expectEqual(bench.counts(), ["sent": 1])
  }

  /// A journal that was brought back may be older than what was told.
  @Test func aJournalThatIsNotReliedOnBeginsAtWhatComesNow() async throws {
    let isAccepted = Mutex(true)
    let bench = try MirrorBench(isAccepted: { isAccepted.withLock { $0 } })
    let first = try await bench.run()
    await bench.end(first)
    bench.write(bench.scan(holder: "perhaps told"))
    isAccepted.withLock { $0 = false }
    let second = try await bench.run()
    bench.write(bench.scan(holder: "since"))
    expectEqual(bench.mirror.told.count, 0)
    isAccepted.withLock { $0 = true }
    await expectEqual(bench.mirror.next(1).map(\.holder), ["since"])
    await bench.end(second)
    let third = try await bench.run()
    bench.write(bench.scan(holder: "later"))
    await expectEqual(bench.mirror.next(1).map(\.holder), ["later"])
    await bench.end(third)
    try await expectEqual(bench.counts(), ["sent": 2])
  }

  /// What a damaged journal had is not in the one that follows it: its count begins anew.
  @Test func aJournalThatBeganAnewIsToldFromItsEnd() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    for number in 0..<5 { bench.write(bench.scan(holder: "\(number)")) }
    expectEqual(await bench.mirror.next(5).count, 5)
    await bench.end(run)
    bench.journal.lose()
    bench.write(bench.scan(holder: "unknown whether"))
    let second = try await bench.run()
    bench.write(bench.scan(holder: "after"))
    await expectEqual(bench.mirror.next(1).map(\.holder), ["after"])
    await bench.end(second)
  }

  @Test func anotherServerUnderTheNameIsNotToldWhatHappenedAtTheFirst() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    await bench.end(run)
    let dependencies = bench.keeper.store.dependencies
    // The station runs with another server under the name, and without the log, and then as before.
    await MirrorStore.forget(bench.system, at: [bench.keeper.store.server, "elsewhere"], dependencies)
    bench.write(bench.scan(holder: "at the other"))
    let second = try await bench.run()
    bench.write(bench.scan(holder: "here again"))
    await expectEqual(bench.mirror.next(1).map(\.holder), ["here again"])
    await bench.end(second)
  }

  // MARK: Off

  @Test(arguments: [true, false]) func aServerWithoutTheLogIsToldNothingMoreUntilAReload(isRefusal: Bool) async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    bench.mirror.answer(.off("tickets.example has no such log (404).", isRefusal: isRefusal))
    let scans = [bench.scan(holder: "a"), bench.scan(holder: "b")]
    bench.write(scans[0], scans[1])
    // It ends by itself.
    await run.value
    expectEqual(bench.mirror.told.count, 1)
    let events = await bench.events()
    expectEqual(events.map(\.state), [.telling, .off])
    expectEqual(events.last?.detail, "tickets.example has no such log (404).")
    _ = await bench.mirror.next(1)
    // The configuration is loaded again. What was refused is not in the log; of the other one nobody knows.
    let second = try await bench.run()
    let again = isRefusal ? scans : [scans[1]]
    await expectEqual(bench.mirror.next(again.count).map(\.scan), again.map(\.scan.id))
    await bench.end(second)
    try await expectEqual(bench.counts(), isRefusal ? ["sent": 2] : ["lost": 1, "sent": 1])
  }

  /// Whoever prints a code with the number of somebody else's event does not end the log for all.
  @Test func anEventThatOnlyACodeNamesEndsNothing() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    bench.mirror.answer(.off("not yours (403)", isRefusal: true), .off("not yours (403)", isRefusal: true), .taken)
    bench.write(
      bench.scan(ticket: 1, decider: .policy, event: "999"),
      bench.scan(at: "out", ticket: 2, decider: .ledger, note: "notInside", event: "999"), bench.scan(holder: "Ada"))
    await expectEqual(bench.mirror.next(3).last?.holder, "Ada")
    await bench.end(run)
    try await expectEqual(bench.counts(), ["refused": 2, "sent": 1])
    await expectEqual(bench.events().map(\.state), [.telling, .leftOut, .telling])
  }

  // MARK: Others first

  @Test func aScanUnderWayComesFirst() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    await bench.keeper.turn { $0.sender.scanBegan(at: SystemTime().now()) }
    let began = SystemTime().now()
    bench.write(bench.scan())
    Task {
      try await Task.sleep(for: .milliseconds(300))
      await bench.keeper.turn { $0.sender.scanEnded() }
    }
    expectEqual(await bench.mirror.next(1).count, 1)
    expect(SystemTime().now() - began >= .milliseconds(300))
    await bench.end(run)
  }

  /// It takes its place in the budget when there is one, and writes nothing for nothing.
  @Test func whatTheBudgetWithholdsIsNotEvenAskedFor() async throws {
    let bench = try MirrorBench()
    let run = try await bench.run()
    bench.mirror.setWait(.milliseconds(50))
    let marks = bench.journal.batches.count
    bench.write(bench.scan())
    while bench.mirror.waits < 3 { try await Task.sleep(for: .milliseconds(5)) }
    expectEqual(bench.journal.batches.count, marks + 1)
    expectEqual(bench.mirror.told.count, 0)
    bench.mirror.setWait(nil)
    expectEqual(await bench.mirror.next(1).count, 1)
    await bench.end(run)
  }

  @Test func aJournalThatCannotBeReadIsReadLater() async throws {
    let bench = try MirrorBench()
    let fault = JournalFault(.disk, "no")
    bench.journal.setRecallFault(fault)
    let run = bench.start()
    let events = Task { await bench.events(until: .telling) }
    bench.journal.setRecallFault(nil)
    _ = await events.value
    bench.journal.setRecallFault(fault)
    bench.write(bench.scan())
    bench.journal.setRecallFault(nil)
    bench.keeper.passages.wake()
    expectEqual(await bench.mirror.next(1).count, 1)
    await bench.end(run)
  }
}

/// Notes what it is told, and answers as a test wants.
final class ScriptedMirror: PassageMirror {
  private struct State {
    var told: [MirroredPassage] = []
    var answers: [MirrorAnswer] = []
    var held: OneAnswer<Void>?
    var wait: Duration?
    var waits = 0
  }

  private let state = Mutex(State())
  private let stream: AsyncStream<MirroredPassage>
  private let feed: AsyncStream<MirroredPassage>.Continuation

  init() { (stream, feed) = AsyncStream.makeStream() }

  var told: [MirroredPassage] { state.withLock { $0.told } }
  var waits: Int { state.withLock { $0.waits } }
  func answer(_ answers: MirrorAnswer...) { state.withLock { $0.answers += answers } }
  func hold(until release: OneAnswer<Void>) { state.withLock { $0.held = release } }
  func setWait(_ wait: Duration?) { state.withLock { $0.wait = wait } }

  /// The next that it is told.
  func next(_ count: Int) async -> [MirroredPassage] {
    var found: [MirroredPassage] = []
    for await passage in stream {
      found.append(passage)
      if found.count == count { break }
    }
    return found
  }

  func takes(_ passage: MirroredPassage) -> Bool { passage.event.flatMap { Int($0) } != nil }

  func wait() -> Duration? {
    state.withLock { state in
      state.waits += 1
      return state.wait
    }
  }

  func tell(_ passage: MirroredPassage) async -> MirrorAnswer {
    let (answer, held) = state.withLock { state in
      state.told.append(passage)
      return (state.answers.isEmpty ? .taken : state.answers.removeFirst(), state.held)
    }
    feed.yield(passage)
    await held?.first()
    return answer
  }
}

/// A sender over a journal in memory.
struct MirrorBench {
  let journal: MemoryJournal
  let keeper: LedgerKeeper
  let hub: EventHub
  let mirror = ScriptedMirror()
  let fence = MirrorFence()
  let system = TicketSystemID("main")
  private let stream: AsyncStream<GatewayEvent>
  private let time = SystemTime()

  init(isAccepted: @escaping @Sendable () -> Bool = { true }) throws {
    let (journal, hub) = (MemoryJournal(), EventHub())
    self.init(
      journal: journal,
      keeper: LedgerKeeper(
        server: "server", dependencies: try .inMemory(journal, isAccepted: isAccepted), time: SystemTime(), events: hub),
      hub: hub)
  }

  init(journal: MemoryJournal, keeper: LedgerKeeper, hub: EventHub) {
    self.journal = journal
    self.keeper = keeper
    self.hub = hub
    stream = hub.subscribe()
  }

  /// Another process over the same journal.
  init(after other: MirrorBench) { self.init(journal: other.journal, keeper: other.keeper, hub: EventHub()) }

  func start() -> Task<Void, Never> {
    let sender = MirrorSender(
      of: system, mirror, station: "door", keeper: keeper,
      backOff: RetryPolicy(first: .milliseconds(2), longest: .milliseconds(20), mostTries: .max), fence: fence,
      events: hub)
    return Task { await sender.run() }
  }

  /// Begins, and returns when it knows from where on it tells.
  func run() async throws -> Task<Void, Never> {
    let before = journal.batches.count
    let task = start()
    // Its cursor is its first word.
    await until { journal.batches.count > before }
    return task
  }

  func end(_ run: Task<Void, Never>) async {
    run.cancel()
    await run.value
  }

  private var store: MirrorStore {
    MirrorStore(dependencies: keeper.store.dependencies, server: keeper.store.server, system: system)
  }

  /// What was counted, and is not 0.
  func counts() async throws -> [String: Int64] {
    guard let counts = try await store.recall()?.counts else { return ["none": 0] }
    return [
      "sent": counts.sent, "lost": counts.lost, "refused": counts.refused, "withoutEvent": counts.withoutEvent,
      "tooOld": counts.tooOld, "annulled": counts.annulled,
    ].filter { $0.value != 0 }
  }

  /// What was told of the mirror so far, once the hub ended.
  func events() async -> [MirrorEvent] {
    hub.finish()
    var found: [MirrorEvent] = []
    for await case .mirror(let event) in stream { found.append(event) }
    return found
  }

  /// Returns at the first event of that state.
  func events(until state: MirrorEvent.State) async {
    for await case .mirror(let event) in stream where event.state == state { return }
  }

  func write(_ scans: JournaledScan...) {
    journal.enqueue(JournalBatch(facts: scans.map { .scan($0) }))
    keeper.passages.wake()
  }

  func scan(
    _ verdict: Verdict = .admit, of system: String = "main", at gate: String = "north", ticket: UInt8 = 1,
    key: TicketKey? = nil, decider: Decider = .server, note: String? = nil, event: String? = "456",
    holder: String? = nil, ago: Duration = .zero
  ) -> JournaledScan {
    JournaledScan(
      scan: Scan(gate: GateID(gate), reader: ReaderID("left"), code: Code("a-secret-code"), readAt: time.now()),
      system: TicketSystemID(system), ticket: key ?? TicketKey([ticket]),
      at: JournalTime(wall: time.wall() - ago, monotonic: time.now() - ago, isTrusted: true), decidedIn: .zero,
      verdict: verdict, decider: decider, note: note, eventID: event, holder: holder)
  }
}
