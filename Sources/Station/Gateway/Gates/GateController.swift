internal import FleetBook
internal import FleetKeeping
package import StationSetUp
package import ScanModel
internal import Admission
internal import Calls
internal import LinuxIO
import Synchronization

/// One gate: takes raw reads of its readers, decides one scan at a time, and signals the verdict.
///
/// ```
/// raw read ─▶ GateIntake ─▶ scan ─▶ decide ─▶ relay, lamps, sound
///                              └ waited too long ─▶ undecided(stale)
/// ```
/// All gates of a station and their ledgers live on one thread: from a scan to its request, and from the answer to the relay, nobody
/// is woken but whom the work is for.
package actor GateController {
  let settings: GateSettings
  let system: any TicketSystem
  /// Which tickets it takes; `nil` where it takes all, and where people leave.
  private let rule: GateRule?
  private let ledger: LedgerKeeper
  let signals: any SignalOutput
  let events: any EventSink
  let time: any TimeSource

  nonisolated let intake: GateIntake
  nonisolated let loop: DeviceLoop
  private var cap: ReaderCap
  private let reports: ScanReports
  var deciding: Code? { didSet { intake.decides(deciding) } }
  var state = GateState.ready { didSet { intake.setReady(state == .ready) } }
  /// Whether anything was told of it.
  var isTold = false
  /// Whether `run` has begun; before it there is nothing to show.
  var hasBegun = false
  /// The last step of setting the station up that came before.
  var early: SetUpSignal?
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
  /// Whether its rule could let anybody pass.
  var standing: GateStanding { rule?.standing ?? .open }
  /// The reservation that `ready` was told with last.
  var toldReservation: String?
  /// Why fresh tickets cannot be told from used ones, as the ledger said last.
  var clockFault: String?
  /// What it was told to show last while nobody stands at it.
  var shownResting = Signal.idle
  /// Whether staff have taken the gate out of service; told from any thread, and the last word counts.
  let maintenance = Mutex(false)
  /// Whether an order has taken it out of service; likewise.
  let orderedMaintenance = Mutex(false)
  /// What all gates of the fleet were ordered; `nil` where the station has no fleet.
  let fleetOrders: FleetOrderKeeper?
  /// What keeps it out of service from outside; told from any thread.
  let withholding = Mutex<GateWithholding?>(nil)
  /// Takes what the gate does; called on the gate's own task, and to return at once.
  let watch: @Sendable (GateID, GateActivity) -> Void
  /// Whether scans that wait are no longer decided.
  private let hurry = Mutex(false)
  /// When the relay can pulse again.
  private(set) var freeAt: MonotonicTime?
  /// Whether it is being opened by hand.
  var isOpening = false

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

  /// The thread of all gates.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

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
    self.system = PunctualTicketSystem(system, time: time, loop: ledger.loop)
    rule = settings.isExit ? nil : system.rule
    loop = ledger.loop
    self.ledger = ledger
    fleetOrders = ledger.fleetOrders
    self.signals = signals
    self.events = events
    self.time = time
    cap = ReaderCap(limit: settings.floodLimit)
    reports = ScanReports(system: system.id, ledger: ledger, events: events)
    intake = GateIntake(
      settings: settings, system: system, signals: signals, events: events, reports: reports, time: time)
  }

  /// Takes a raw read; from any thread, returns at once. A gate whose queue is full is being flooded: the person scans again.
  package nonisolated func deliver(_ read: RawRead) { intake.take(read) }

  /// Told that a code which was read is still in its reader's view; likewise.
  package nonisolated func stillInView(_ read: RawRead) { intake.stillInView(read) }

  /// Told that a code which was read has left its reader's view; likewise.
  package nonisolated func leftView(_ read: RawRead) { intake.leftView(read) }

  /// Told that several codes were shown where one is to be shown at a time; likewise.
  package nonisolated func severalInView() { intake.severalInView() }

  /// Decides until `finish` is called and what was read before is decided.
  package func run() async {
    let news = await ledger.news(of: system.id)
    learn(await ledger.newest(of: system.id))
    hasBegun = true
    rule?.watch { [weak self] in self?.outputsChanged() }
    fleetOrders?.follow(while: { [weak self] in self != nil }, changed: { [weak self] in self?.outputsChanged() })
    shownResting = resting
    signals.play(resting)
    reviewOutputs()
    if let early { play(early) }
    let listening = Task(executorPreference: loop.tasks) { for await news in news { await self.take(news) } }
    let telling = Task(executorPreference: loop.tasks) { [teller = reports.teller] in await teller.run() }
    // What a ticket system's adapter does between its waits is done on this thread, too.
    await Task(executorPreference: loop.tasks) { await self.decideScans() }.value
    listening.cancel()
    reports.teller.finish()
    await telling.value
    isOver = true
  }

  /// Returns once the gate has come to it, and not while what it decides is overdue: a gate that only answers is stuck.
  package func heartbeat() async {
    heartbeats &+= 1
    intake.lookForSleep()
    guard let overdue, time.now() > overdue else { return }
    // The decision may be over by now.
    await withCheckedContinuation { if self.overdue == nil { $0.resume() } else { stuck.append($0) } }
  }

  /// So that a heartbeat is work of this actor, which a compiler cannot leave out.
  private(set) var heartbeats: UInt64 = 0

  /// Takes nothing more. `run` returns when what was taken is decided.
  /// - Parameter isHurried: whether scans that wait are closed unasked; the one in hand is decided all the same.
  package nonisolated func finish(isHurried: Bool = false) {
    if isHurried { hurry.withLock { $0 = true } }
    intake.finish()
  }

  /// The relay cannot pulse again before that.
  func keepClosed(until end: MonotonicTime) { freeAt = max(freeAt ?? end, end) }

  private func decideScans() async {
    while let scan = await intake.next() {
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
    if intake.hasSlept(since: scan.readAt) {
      // Whoever presented it may have gone home.
      return close(scan, AttemptDecision(undecided: .stale, detail: Self.sleepWords))
    }
    // Counted to the moment when the gate could open: what is redeemed must not open for whoever stands there later.
    if max(started, freeAt ?? started) - scan.readAt > settings.stale {
      let detail = "It waited longer than \(settings.stale.milliseconds) ms for the scans before it."
      return close(scan, AttemptDecision(undecided: .stale, detail: detail))
    }
    let key: TicketKey?
    switch system.examine(scan.code, at: time.wall()) {
    case .proceed(let found): key = found
    // Nobody is kept in: not by an hour, nor by what is missing to judge a code. It lets nobody out of the book either.
    case .refuse(.expired) where settings.isExit, .undecided where settings.isExit: key = nil
    case .refuse(let reason):
      return close(
        scan,
        AttemptDecision(
          refused: reason, details: system.refusalDetails(for: scan.code), detail: system.refusalWords(for: scan.code)))
    case .undecided(let reason, let detail): return close(scan, AttemptDecision(undecided: reason, detail: detail))
    }
    if let maintenanceWords {
      return close(scan, AttemptDecision(undecided: .outOfService, detail: maintenanceWords))
    }
    if let withheld { return close(scan, AttemptDecision(undecided: .outOfService, detail: withheld.detail)) }
    if let fault = signals.admissionFault {
      // Asking would redeem a ticket for a person who cannot pass.
      return close(scan, AttemptDecision(undecided: .outOfService, detail: fault))
    }

    let busy = loop.at(SystemTime().now() + Self.busyAfter) { self.assumeIsolated { $0.signals.play(.busy) } }
    let kept: KeptDecision
    if let key, !settings.isExit {
      kept = await ledger.decide(
        scan, key: key, system: system, deadline: started + settings.deadline,
        mayAsk: cap.mayAsk(scan.reader, at: started), offline: settings.offline)
    } else if let key {
      kept = await ledger.leave(scan, key: key, system: system)
    } else {
      kept = KeptDecision(AttemptDecision(verdict: .admit, note: .notInside), decider: .station)
    }
    loop.cancel(busy)

    if kept.wasInVain { cap.countVain(scan.reader, at: time.now()) }
    guard case .admit = kept.decision.verdict else { return close(scan, kept) }
    let late = time.now() - started - settings.deadline
    let hasSlept = intake.hasSlept(since: started)
    if hasSlept || late > Self.longestFreeze {
      // The machine slept, or the process was halted: whoever stands there now need not be who presented the code.
      if let ticket = kept.ticket { await ledger.giveBack(kept.decision, ledgerKey: ticket) }
      await ledger.hasNotOpened(scan, kept)
      let detail =
        hasSlept
        ? Self.sleepWords
        : "This machine stood still for \(late.milliseconds) ms while the ticket was decided. Please scan again."
      return close(scan, KeptDecision(AttemptDecision(undecided: .stale, detail: detail), decider: .station))
    }
    if let opening = kept.opening, BootTime(of: time) > opening.until {
      // Another station may decide the ticket by now.
      if let ticket = kept.ticket { await ledger.giveBack(kept.decision, ledgerKey: ticket) }
      await ledger.hasNotOpened(scan, kept)
      let detail =
        "The gate was not ready to open before the fleet could take the ticket for another one. Please scan again."
      return close(scan, KeptDecision(AttemptDecision(undecided: .stale, detail: detail), decider: .station))
    }
    if !kept.decision.isProvisional, kept.asked?.isRemembered != true { disproveFault() }
    reviewOutputs()
    var outputFault: String?
    switch await signals.admit(isProvisional: kept.isProvisional) {
    case .started(_, let end):
      keepClosed(until: end + settings.gap)
      await ledger.hasOpened(scan, kept)
    case .noRelay: await ledger.hasOpened(scan, kept)
    case .failed(let what):
      outputFault = what
      // Nobody passed on it: once the relay works again, the same code opens without another request.
      if let ticket = kept.ticket { await ledger.giveBack(kept.decision, ledgerKey: ticket) }
      await ledger.hasNotOpened(scan, kept)
    case .unanswered(let what):
      // It may have opened: giving it back could let two people in on it.
      keepClosed(until: time.now() + settings.pulse + settings.gap)
      await ledger.hasOpened(scan, kept)
      outputFault = what
    }
    reviewOutputs()
    intake.decided(scan.code, outputFault == nil ? kept.decision.verdict : .undecided(.outOfService))
    reports.add(scan, kept, outputFault: outputFault)
  }

  /// Ends a scan that does not open the gate.
  private func close(_ scan: Scan, _ kept: KeptDecision) {
    let decision = kept.decision
    intake.decided(scan.code, decision.verdict)
    switch decision.verdict {
    case .refuse(let reason):
      if kept.asked?.fate == .answered { disproveFault() }
      reviewOutputs()
      signals.play(.refuse(reason))
    case .undecided(let reason):
      // What is doubted on board is one ticket of a list that is good otherwise.
      let isOfTicket = reason == .badAnswer && kept.isUnasked
      if reason.isFault, reason != .outOfService, !isOfTicket {
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
