package import StationSetUp
package import ScanModel
internal import Admission
internal import Calls
internal import Reading
internal import SetUpCodes
import Synchronization

/// One gate: takes raw reads of its readers, decides one scan at a time, and signals the verdict.
///
/// ```
/// raw read ─▶ inlet ─▶ normalise ─▶ accept ─▶ hold-off ──new──▶ queue ─▶ decide ─▶ relay, lamps, sound
///                          │           │          │              │full, or waited too long
///                          └─unreadable┘        repeat           └─▶ undecided(busy | stale)
/// ```
/// Everything up to the queue runs while a scan is being decided, so that a repeat or noise never waits for the network
/// and never delays a different code.
package actor GateController {
  let settings: GateSettings
  let system: any TicketSystem
  private let ledger: LedgerKeeper
  let signals: any SignalOutput
  let events: any EventSink
  let time: any TimeSource

  private let inlet: AsyncStream<Sight>
  private let inletEnd: AsyncStream<Sight>.Continuation
  private let queue: AsyncStream<Scan>
  private let queueEnd: AsyncStream<Scan>.Continuation

  private var holdOff: HoldOff
  private var sleep: SleepWatch
  private var cap: ReaderCap
  private var reports: ScanReports
  var deciding: Code?
  var state = GateState.ready
  /// Whether anything was told of it.
  var isTold = false
  /// Whether `run` has begun; before it there is nothing to show.
  var hasBegun = false
  /// Whether everything is decided and nothing more is taken; outputs that are let go of then are no fault.
  var isOver = false
  /// What the ticket system's answers to its own scans say of the gate, apart from its outputs.
  var systemFault: GateState?
  /// When the answer came that it is of.
  var faultBegan: MonotonicTime?
  /// When the ticket system was asked last, without a ticket, and answered as it should.
  var proven: MonotonicTime?
  /// What keeps all gates of the ticket system from admitting, as its ledger told.
  var toldFault: SystemCheck.Fault?
  /// Whether the ticket system is being asked that: until it is known, the gate is not ready.
  var isBeingAsked = false
  /// Why the gate's policy decides now; `nil` while the ticket system does.
  var offline: OfflineCause?
  /// What keeps the ticket system from being asked whether it would decide, where nobody passes without it.
  var reservation: String?
  /// The reservation that `ready` was told with last.
  var toldReservation: String?
  /// Why fresh tickets cannot be told from used ones, as the ledger said last.
  var clockFault: String?
  /// What it was told to show last while nobody stands at it.
  var shownResting = Signal.idle
  /// Whether staff have taken the gate out of service; told from any thread, and the last word counts.
  let maintenance = Mutex(false)
  /// What keeps it out of service from outside; likewise.
  let withholding = Mutex<GateWithholding?>(nil)
  /// Takes what the gate does; called on the gate's own task, and to return at once.
  let watch: @Sendable (GateID, GateActivity) -> Void
  /// Whether scans that wait are no longer decided.
  private let hurry = Mutex(false)
  /// When the relay can pulse again.
  private var freeAt: MonotonicTime?

  /// When what is being decided is overdue; `nil` while nothing is decided.
  private var overdue: MonotonicTime?
  /// Who waits for a decision that is overdue.
  private var stuck: [CheckedContinuation<Void, Never>] = []
  /// By how much a decision outlasts the deadline when something is stuck: ledger, journal and outputs have bounds of their own,
  /// which together are well below it.
  static let stuckAfter = Duration.seconds(30)

  /// By how much a decision may outlast the deadline: what the journal may take.
  private static let longestFreeze = Duration.seconds(3)

  private static let sleepWords =
    "This machine slept after the code was read. Please scan again. Keep it awake: docs/installation.md."

  /// Time after which a person is shown that the code was read and is being asked about; quicker answers need no lamp.
  private static let busyAfter = Duration.milliseconds(200)

  /// Makes a gate; it does nothing until `run`.
  /// - Parameter watch: called with what the gate does, at each change; on its task, and to return at once.
  package init(
    settings: GateSettings, system: any TicketSystem, ledger: LedgerKeeper, signals: any SignalOutput,
    events: any EventSink, time: any TimeSource,
    watch: @escaping @Sendable (GateID, GateActivity) -> Void = { _, _ in }
  ) {
    self.watch = watch
    self.settings = settings
    // A gate keeps its own deadline.
    self.system = PunctualTicketSystem(system, time: time)
    self.ledger = ledger
    self.signals = signals
    self.events = events
    self.time = time
    holdOff = HoldOff(duration: settings.holdOff, folding: { system.foldedKey(of: $0) })
    sleep = SleepWatch(asleep: time.asleep())
    cap = ReaderCap(limit: settings.floodLimit)
    reports = ScanReports(system: system.id, ledger: ledger, events: events)
    (inlet, inletEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
    (queue, queueEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(max(1, settings.queue)))
  }

  /// What a reader of this gate saw.
  private enum Sight: Sendable {
    case read(RawRead)
    case inView(RawRead)
    case left(RawRead)
    case several
  }

  /// Takes a raw read; from any thread, returns at once. A gate whose inlet is full is being flooded: the read is dropped,
  /// and the person scans again.
  package nonisolated func deliver(_ read: RawRead) {
    guard case .dropped(.read(let lost)) = inletEnd.yield(.read(read)) else { return }
    events.emit(
      .discarded(reader: lost.reader, reason: .busy, characters: lost.bytes.count, at: time.wall()))
  }

  /// Told that a code which was read is still in its reader's view; from any thread, returns at once. What is lost of it
  /// where the inlet is full only makes the hold-off end sooner.
  package nonisolated func stillInView(_ read: RawRead) { inletEnd.yield(.inView(read)) }

  /// Told that a code which was read has left its reader's view; likewise.
  package nonisolated func leftView(_ read: RawRead) { inletEnd.yield(.left(read)) }

  /// Told that several codes were shown where one is to be shown at a time; likewise.
  package nonisolated func severalInView() { inletEnd.yield(.several) }

  /// Decides until `finish` is called and what was read before is decided.
  package func run() async {
    let news = await ledger.news(of: system.id)
    learn(await ledger.newest(of: system.id))
    hasBegun = true
    shownResting = resting
    signals.play(resting)
    reviewOutputs()
    await withTaskGroup(of: Void.self) { group in
      let listening = Task { for await news in news { self.take(news) } }
      let telling = Task { [teller = reports.teller] in await teller.run() }
      group.addTask { await self.takeReads() }
      group.addTask { await self.decideScans() }
      await group.waitForAll()
      listening.cancel()
      reports.teller.finish()
      await telling.value
    }
    isOver = true
  }

  /// Returns once the gate has come to it, and not while what it decides is overdue: a gate that only answers is stuck.
  package func heartbeat() async {
    heartbeats &+= 1
    lookForSleep()
    guard let overdue, time.now() > overdue else { return }
    await withCheckedContinuation { stuck.append($0) }
  }

  /// So that a turn is work of this actor, which a compiler cannot leave out.
  private(set) var heartbeats: UInt64 = 0

  /// Takes nothing more. `run` returns when what was taken is decided.
  /// - Parameter isHurried: whether scans that wait are closed unasked; the one in hand is decided all the same.
  package nonisolated func finish(isHurried: Bool = false) {
    if isHurried { hurry.withLock { $0 = true } }
    inletEnd.finish()
  }

  private func takeReads() async {
    for await sight in inlet {
      switch sight {
      case .read(let read): take(read)
      case .inView(let read):
        if let code = code(of: read) { holdOff.inView(code, at: time.now()) }
      case .left(let read):
        if let code = code(of: read) { holdOff.left(code, viewOf: read.reader) }
      case .several:
        // A verdict in flight has the lamps.
        if deciding == nil, state == .ready { signals.play(.refuse(.unreadable)) }
      }
    }
    queueEnd.finish()
  }

  private func decideScans() async {
    for await scan in queue {
      if hurry.withLock({ $0 }) {
        close(scan, AttemptDecision(undecided: .busy, detail: "The service is being restarted or reloaded."))
      } else {
        await decide(scan)
        // The ticket system may have been asked again before the scan was over.
        if takeProof() { reviewOutputs() }
        rest()
      }
    }
  }

  /// Looks whether the machine slept; often, so that little of what came after it counts as before.
  private func lookForSleep() {
    if sleep.look(asleep: time.asleep(), at: time.now()) != nil { holdOff.slept() }
  }

  // MARK: From raw read to scan

  private func code(of read: RawRead) -> Code? { Normaliser.normalise(read.bytes).map(system.recognise) }

  private func take(_ read: RawRead) {
    lookForSleep()
    guard let whole = Normaliser.normalise(read.bytes) else { return refuseUnreadable(Code(bytes: read.bytes), read) }
    let code = system.recognise(whole)
    // A code that sets stations up is no ticket, and its secret is not for the ticket system.
    guard settings.accept.accepts(code), !SetUpReader.isSetUpCode(whole) else {
      return refuseUnreadable(code, read)
    }

    let now = time.now()
    switch holdOff.sighting(of: code, by: read.reader, at: now) {
    case .repeat(let inFlight):
      events.emit(.repeat(gate: settings.gate, reader: read.reader, code: code, at: time.wall()))
      if !inFlight, deciding == nil { replay(holdOff.lastVerdict(of: code)) }
    case .new:
      let scan = Scan(
        gate: settings.gate, reader: read.reader, code: code, symbology: read.symbology, readAt: read.readAt)
      if case .dropped = queueEnd.yield(scan) {
        close(scan, AttemptDecision(undecided: .busy, detail: "\(settings.queue) scans were waiting already."))
      }
    }
  }

  private func refuseUnreadable(_ code: Code, _ read: RawRead) {
    let scan = Scan(
      gate: settings.gate, reader: read.reader, code: code, symbology: read.symbology, readAt: read.readAt)
    // A verdict in flight has the lamps; the refusal is on record all the same.
    if deciding == nil { signals.play(.refuse(.unreadable)) }
    reports.add(scan, KeptDecision(AttemptDecision(refused: .unreadable), decider: .station), outputFault: nil)
  }

  /// Shows a repeat what it was told before. An admission is not shown again: at a gate without a relay the lamp is the
  /// permission, and the second person with the same code would walk through on it.
  private func replay(_ verdict: Verdict?) {
    switch verdict {
    case .refuse(let reason): signals.play(.refuse(reason))
    case .undecided(let reason): signals.play(.undecided(reason))
    case .admit, nil: break
    }
  }

  // MARK: From scan to verdict

  private func decide(_ scan: Scan) async {
    let started = time.now()
    deciding = scan.code
    overdue = started + settings.deadline + Self.stuckAfter
    if state == .ready { watch(settings.gate, .deciding) }
    defer {
      deciding = nil
      overdue = nil
      for waiting in stuck { waiting.resume() }
      stuck = []
      watch(settings.gate, state == .ready ? .open : .outOfService)
    }
    lookForSleep()
    if sleep.hasSlept(since: scan.readAt) {
      // Whoever presented it may have gone home.
      return close(scan, AttemptDecision(undecided: .stale, detail: Self.sleepWords))
    }
    // Counted to the moment when the gate could open: what is redeemed must not open for whoever stands there later.
    if max(started, freeAt ?? started) - scan.readAt > settings.stale {
      let detail = "It waited longer than \(settings.stale.milliseconds) ms for the scans before it."
      return close(scan, AttemptDecision(undecided: .stale, detail: detail))
    }
    let key: TicketKey
    switch system.examine(scan.code, at: time.wall()) {
    case .refuse(let reason): return close(scan, AttemptDecision(refused: reason))
    case .proceed(let found): key = found
    }
    if isInMaintenance {
      let detail = "Staff have taken gate \(settings.gate) out of service by its maintenance input."
      return close(scan, AttemptDecision(undecided: .outOfService, detail: detail))
    }
    if let withheld { return close(scan, AttemptDecision(undecided: .outOfService, detail: withheld.detail)) }
    if let fault = signals.admissionFault {
      // Asking would redeem a ticket for a person who cannot pass.
      return close(scan, AttemptDecision(undecided: .outOfService, detail: fault))
    }

    let busy = Task {
      try await Task.sleep(for: Self.busyAfter)
      // Back on the actor: either the verdict is still out, or this was cancelled before.
      if !Task.isCancelled { self.signals.play(.busy) }
    }
    let kept =
      settings.isExit
      ? await ledger.leave(scan, key: key)
      : await ledger.decide(
        scan, key: key, system: system, deadline: started + settings.deadline,
        mayAsk: cap.mayAsk(scan.reader, at: started), offline: settings.offline)
    busy.cancel()

    if kept.wasInVain { cap.countVain(scan.reader, at: time.now()) }
    guard case .admit = kept.decision.verdict else { return close(scan, kept) }
    let late = time.now() - started - settings.deadline
    lookForSleep()
    let hasSlept = sleep.hasSlept(since: started)
    if hasSlept || late > Self.longestFreeze {
      // The machine slept, or the process was halted: whoever stands there now need not be who presented the code.
      if let ticket = kept.ticket { await ledger.giveBack(kept.decision, ledgerKey: ticket) }
      let detail =
        hasSlept
        ? Self.sleepWords
        : "This machine stood still for \(late.milliseconds) ms while the ticket was decided. Please scan again."
      return close(scan, KeptDecision(AttemptDecision(undecided: .stale, detail: detail), decider: .station))
    }
    if !kept.decision.isProvisional { disproveFault() }
    reviewOutputs()
    var outputFault: String?
    switch await signals.admit(isProvisional: kept.decision.isProvisional) {
    case .started(_, let end): freeAt = end + settings.gap
    case .noRelay: break
    case .failed(let what):
      outputFault = what
      // Nobody passed on it: once the relay works again, the same code opens without another request.
      if let ticket = kept.ticket { await ledger.giveBack(kept.decision, ledgerKey: ticket) }
    case .unanswered(let what):
      // It may have opened: giving it back could let two people in on it.
      freeAt = time.now() + settings.pulse + settings.gap
      outputFault = what
    }
    reviewOutputs()
    holdOff.decided(scan.code, outputFault == nil ? kept.decision.verdict : .undecided(.outOfService))
    reports.add(scan, kept, outputFault: outputFault)
  }

  /// Ends a scan that does not open the gate.
  private func close(_ scan: Scan, _ kept: KeptDecision) {
    let decision = kept.decision
    holdOff.decided(scan.code, decision.verdict)
    switch decision.verdict {
    case .refuse(let reason):
      if kept.asked?.fate == .answered { disproveFault() }
      reviewOutputs()
      signals.play(.refuse(reason))
    case .undecided(let reason):
      if reason.isFault, reason != .outOfService {
        systemFault = .fault(reason, decision.detail ?? reason.rawValue)
        faultBegan = kept.asked?.endedAt ?? time.now()
      }
      reviewOutputs()
      signals.play(.undecided(reason))
    case .admit:
      break
    }
    reports.add(scan, kept, outputFault: nil)
  }

  /// Ends a scan that the station itself has decided.
  private func close(_ scan: Scan, _ decision: AttemptDecision) {
    close(scan, KeptDecision(decision, decider: .station))
  }
}
