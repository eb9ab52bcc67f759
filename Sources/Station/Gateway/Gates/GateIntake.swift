internal import Admission
internal import Reading
internal import ScanModel
internal import SetUpCodes
internal import Synchronization

/// What a gate's readers bring, up to the scans that it decides: on the thread that brings it, under one lock, with no hop.
///
/// ```
/// raw read ─▶ normalise ─▶ accept ─▶ hold-off ──new──▶ queue ─▶ next
///                │           │          │                └full─▶ undecided(busy)
///                └─unreadable┘        repeat: shown again what it was told
/// ```
/// It goes on while a scan is being decided, so that a repeat or noise never waits for the network and never delays a
/// different code.
final class GateIntake: Sendable {
  private struct State {
    var holdOff: HoldOff
    var sleep: SleepWatch
    /// Scans to be decided, oldest first.
    var queue: [Scan] = []
    /// Who waits for the next of them.
    var waiting: CheckedContinuation<Scan?, Never>?
    var isEnded = false
    /// What is being decided: its verdict has the lamps.
    var deciding: Code?
    /// Whether the gate is in service.
    var isReady = true
  }

  private let settings: GateSettings
  private let system: any TicketSystem
  private let signals: any SignalOutput
  private let events: any EventSink
  private let reports: ScanReports
  private let time: any TimeSource
  private let state: Mutex<State>

  init(
    settings: GateSettings, system: any TicketSystem, signals: any SignalOutput, events: any EventSink,
    reports: ScanReports, time: any TimeSource
  ) {
    self.settings = settings
    self.system = system
    self.signals = signals
    self.events = events
    self.reports = reports
    self.time = time
    state = Mutex(
      State(
        holdOff: HoldOff(duration: settings.holdOff, folding: { system.foldedKey(of: $0) }),
        sleep: SleepWatch(asleep: time.asleep())))
  }

  // MARK: Readers

  /// Takes a raw read; from any thread, returns at once.
  /// - Parameter id: the scan's, if it becomes one.
  @discardableResult func take(_ read: RawRead, as id: ScanID = ScanID()) -> Presented {
    guard let whole = Normaliser.normalise(read.bytes) else {
      return refuseUnreadable(Code(bytes: read.bytes), read, as: id)
    }
    let recognised = system.recognise(whole)
    let code = recognised.code
    // A code that sets stations up is no ticket, and its secret is not for the ticket system.
    guard settings.accept.accepts(code), !SetUpReader.isSetUpCode(whole) else {
      return refuseUnreadable(code, read, as: id)
    }
    let scan = Scan(
      id: id, gate: settings.gate, reader: read.reader, code: code, symbology: read.symbology, readAt: read.readAt,
      event: recognised.event)
    switch sight(scan) {
    case .ended: return .ended
    case .taken(by: nil): break
    case .taken(let waiting?): waiting.resume(returning: scan)
    case .repeated(let verdict):
      events.emit(.repeat(gate: settings.gate, reader: read.reader, code: code, at: time.wall()))
      replay(verdict)
      return .repeated
    case .full:
      signals.play(.undecided(.busy))
      let detail = "\(settings.queue) scans were waiting already."
      reports.add(
        scan, KeptDecision(AttemptDecision(undecided: .busy, detail: detail), decider: .station), outputFault: nil)
    }
    return .taken
  }

  /// What becomes of a read, for who waits for its verdict.
  enum Presented: Sendable {
    /// A verdict will be told of the scan.
    case taken
    /// It was seen a moment ago: none will.
    case repeated
    /// Nothing is taken any more.
    case ended
  }

  /// What becomes of a code that may be a scan.
  private enum Sighting {
    case taken(by: CheckedContinuation<Scan?, Never>?)
    /// It was seen a moment ago; what it was told, where that may be shown again.
    case repeated(Verdict?)
    case full
    /// Nothing is taken any more.
    case ended
  }

  private func sight(_ scan: Scan) -> Sighting {
    state.withLock { state in
      if state.isEnded { return .ended }
      let now = time.now()
      look(&state, at: now)
      if case .repeat(let inFlight) = state.holdOff.sighting(of: scan.code, by: scan.reader, at: now) {
        return .repeated(inFlight || state.deciding != nil ? nil : state.holdOff.lastVerdict(of: scan.code))
      }
      if let waiting = state.waiting {
        state.waiting = nil
        return .taken(by: waiting)
      }
      guard state.queue.count < max(1, settings.queue) else {
        state.holdOff.decided(scan.code, .undecided(.busy))
        return .full
      }
      state.queue.append(scan)
      return .taken(by: nil)
    }
  }

  /// Told that a code which was read is still in its reader's view; from any thread, returns at once.
  func stillInView(_ read: RawRead) {
    guard let code = code(of: read) else { return }
    state.withLock { $0.holdOff.inView(code, at: time.now()) }
  }

  /// Told that a code which was read has left its reader's view; likewise.
  func leftView(_ read: RawRead) {
    guard let code = code(of: read) else { return }
    state.withLock { $0.holdOff.left(code, viewOf: read.reader) }
  }

  /// Told that several codes were shown where one is to be shown at a time; likewise.
  func severalInView() {
    // A verdict in flight has the lamps.
    if state.withLock({ $0.deciding == nil && $0.isReady && !$0.isEnded }) { signals.play(.refuse(.unreadable)) }
  }

  private func code(of read: RawRead) -> Code? { Normaliser.normalise(read.bytes).map { system.recognise($0).code } }

  private func refuseUnreadable(_ code: Code, _ read: RawRead, as id: ScanID) -> Presented {
    let (isEnded, isDeciding) = state.withLock { state in
      look(&state, at: time.now())
      return (state.isEnded, state.deciding != nil)
    }
    if isEnded { return .ended }
    let scan = Scan(
      id: id, gate: settings.gate, reader: read.reader, code: code, symbology: read.symbology, readAt: read.readAt)
    // A verdict in flight has the lamps; the refusal is on record all the same.
    if !isDeciding { signals.play(.refuse(.unreadable)) }
    reports.add(scan, KeptDecision(AttemptDecision(refused: .unreadable), decider: .station), outputFault: nil)
    return .taken
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

  // MARK: The gate

  /// The next scan to be decided, once there is one; `nil` when all that was taken before `finish` is decided. To be asked by one.
  func next() async -> Scan? {
    await withCheckedContinuation { continuation in
      let next = state.withLock { state -> Scan?? in
        if !state.queue.isEmpty { return .some(state.queue.removeFirst()) }
        if state.isEnded { return .some(nil) }
        state.waiting = continuation
        return nil
      }
      if let next { continuation.resume(returning: next) }
    }
  }

  /// Takes nothing more; from any thread.
  func finish() {
    let waiting = state.withLock { state in
      state.isEnded = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// Told what the gate decides now; `nil` when that is over.
  func decides(_ code: Code?) { state.withLock { $0.deciding = code } }

  /// Takes the verdict of a scan.
  func decided(_ code: Code, _ verdict: Verdict) { state.withLock { $0.holdOff.decided(code, verdict) } }

  /// Told whether the gate is in service.
  func setReady(_ isReady: Bool) { state.withLock { $0.isReady = isReady } }

  // MARK: Sleep

  /// Looks whether the machine slept; often, so that little of what came after it counts as before.
  func lookForSleep() { state.withLock { look(&$0, at: time.now()) } }

  /// Whether it may have slept since `moment`, now that it is looked.
  func hasSlept(since moment: MonotonicTime) -> Bool {
    state.withLock { state in
      look(&state, at: time.now())
      return state.sleep.hasSlept(since: moment)
    }
  }

  private func look(_ state: inout State, at now: MonotonicTime) {
    if state.sleep.look(asleep: time.asleep(), at: now) != nil { state.holdOff.slept() }
  }
}
