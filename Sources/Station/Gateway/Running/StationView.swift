internal import LinuxIO
package import StationProtocol
internal import StationSetUp
import ScanModel
import Synchronization

/// What a station has told last, and what it has counted, for whoever asks later. It is taken where events are handed over, so that
/// it misses nothing, however slow those are who read them; nothing in it waits, and nothing grows but by names of the configuration.
package final class StationView: Sendable {
  fileprivate struct ScanKind: Hashable {
    var gate: GateID
    var verdict: String
    var reason: String?
    var decider: Decider
  }

  fileprivate struct OrderKindCount: Hashable {
    var kind: OrderKind
    var outcome: String
  }

  fileprivate struct State {
    var gates: [GateID: (state: GateState, since: WallTime)] = [:]
    /// Those that count as offline.
    var offline: [TicketSystemID: (cause: OfflineCause, since: WallTime)] = [:]
    var readers: [ReaderID: (state: ReaderState, since: WallTime)] = [:]
    var lists: [TicketSystemID: ListEvent] = [:]
    var reload: (outcome: ReloadOutcome, at: WallTime)?
    var journal = JournalState.working
    var scans: [ScanKind: UInt64] = [:]
    var passed: [GateID: UInt64] = [:]
    var admissions: [GateID: (scan: ScanID, at: MonotonicTime)] = [:]
    var decisions: [GateID: StationCounters.Histogram] = [:]
    var requests: [TicketSystemID: StationCounters.Histogram] = [:]
    var repeats: [GateID: UInt64] = [:]
    var reads: [ReaderID: ReaderReads] = [:]
    var throughput = ThroughputBook()
    var open = OpenConflicts()
    var orders: [OrderKindCount: UInt64] = [:]
    var conflicts: UInt64 = 0
    var dropped: UInt64 = 0
    /// Who waits for the verdict of a scan.
    var awaited: [ScanID: OneAnswer<DecidedScan?>] = [:]
  }

  fileprivate struct ReaderReads {
    var last: WallTime
    var count: UInt64 = 0
    var refused: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Takes an event; from any thread, returns at once.
  func take(_ event: GatewayEvent) {
    let waiting = state.withLock { $0.take(event) }
    if let (waiting, decided) = waiting { waiting.give(decided) }
  }

  /// A ticket system was asked for so long, whatever came of it; likewise.
  func asked(_ system: TicketSystemID, took duration: Duration) {
    state.withLock { $0.requests[system, default: StationCounters.Histogram()].add(duration) }
  }

  /// An order has come to its end; likewise.
  func ordered(_ kind: OrderKind, _ outcome: String) {
    state.withLock { $0.orders[OrderKindCount(kind: kind, outcome: outcome), default: 0] &+= 1 }
  }

  /// The last admission at a gate that was told; `nil` where there was none.
  func lastAdmission(at gate: GateID) -> (scan: ScanID, at: MonotonicTime)? { state.withLock { $0.admissions[gate] } }

  /// Somebody has missed so many events; likewise.
  package func dropped(_ count: UInt64) { state.withLock { $0.dropped &+= count } }

  /// The verdict of a scan that is about to be presented, once it is told. To be given up by `forget`.
  func verdict(of scan: ScanID) -> OneAnswer<DecidedScan?> {
    let answer = OneAnswer<DecidedScan?>()
    state.withLock { $0.awaited[scan] = answer }
    return answer
  }

  /// Nobody waits for that verdict any more.
  func forget(_ scan: ScanID) { state.withLock { _ = $0.awaited.removeValue(forKey: scan) } }

  // MARK: Asked

  /// A gate, as far as events tell of it.
  func condition(
    of gate: GateID
  ) -> (condition: StationSnapshot.Condition, since: WallTime?, reason: UndecidedReason?, passed: UInt64) {
    state.withLock { state in
      let told = state.gates[gate]
      return (
        StationSnapshot.Condition(state: told?.state.name ?? "starting", detail: told?.state.detail), told?.since,
        told?.state.reason, state.passed[gate, default: 0]
      )
    }
  }

  /// Since when a ticket system counts as offline by that cause; `nil` where that was not told.
  func offlineSince(_ system: TicketSystemID, by cause: OfflineCause) -> WallTime? {
    state.withLock { state in
      state.offline[system].flatMap { ($0.cause == .rateLimited) == (cause == .rateLimited) ? $0.since : nil }
    }
  }

  func reader(_ id: ReaderID) -> StationSnapshot.Reader {
    let (told, reads) = state.withLock { ($0.readers[id], $0.reads[id]) }
    var reader = StationSnapshot.Reader(
      id: id, condition: StationSnapshot.Condition(state: told?.state.name ?? "starting", detail: told?.state.detail),
      since: told?.since)
    reader.lastRead = reads?.last
    reader.reads = reads?.count ?? 0
    reader.refusals = reads?.refused ?? 0
    return reader
  }

  func refresh(of system: TicketSystemID) -> StationSnapshot.Condition? {
    state.withLock { $0.lists[system] }.map { StationSnapshot.Condition(state: $0.state.rawValue, detail: $0.detail) }
  }

  /// How many scans gates decided in the last twelve hours before `now`.
  func throughput(at now: WallTime) -> StationThroughput { state.withLock { $0.throughput.told(at: now) } }

  /// Conflicts that nobody has acknowledged: how many, and the newest of them.
  var openConflicts: (count: UInt64, newest: [StationSnapshot.Conflict]) {
    state.withLock { (UInt64($0.open.count), $0.open.newest) }
  }

  /// Takes up a conflict of an earlier process.
  func recall(_ conflict: StationSnapshot.Conflict) { state.withLock { $0.open.add(conflict) } }

  /// Counts scans that an earlier process decided, some of them at a time; each is to be told once.
  package func recall(_ scans: [EarlierScan]) { state.withLock { for scan in scans { $0.throughput.add(scan) } } }

  /// A conflict is none any more: what was told once more was confirmed, or was taken back.
  func settle(_ admission: AttemptID) { state.withLock { _ = $0.open.remove(admission) } }

  /// Staff have seen a conflict.
  /// - Returns: whether it was open.
  func acknowledge(_ admission: AttemptID) -> Bool { state.withLock { $0.open.remove(admission) } }

  var journal: StationSnapshot.Condition {
    let told = state.withLock { $0.journal }
    return StationSnapshot.Condition(state: told.name, detail: told.detail)
  }

  var reload: StationSnapshot.Reload? {
    state.withLock { $0.reload }.map { outcome, at in
      StationSnapshot.Reload(
        outcome: StationSnapshot.Condition(state: outcome.name, detail: outcome.detail), at: at)
    }
  }

  /// All that was counted, in an order that does not change.
  package var counters: StationCounters {
    state.withLock { state in
      var counters = StationCounters()
      counters.scans = state.scans.map { kind, count in
        StationCounters.Scans(
          gate: kind.gate, verdict: kind.verdict, reason: kind.reason, decider: kind.decider, count: count)
      }.sorted { a, b in
        (a.gate.name, a.verdict, a.reason ?? "", a.decider.rawValue)
          < (b.gate.name, b.verdict, b.reason ?? "", b.decider.rawValue)
      }
      counters.decisions = state.decisions.map { StationCounters.GateTimes(gate: $0, times: $1) }
        .sorted { $0.gate.name < $1.gate.name }
      counters.requests = state.requests.map { StationCounters.SystemTimes(system: $0, times: $1) }
        .sorted { $0.system.name < $1.system.name }
      counters.repeats = state.repeats.map { StationCounters.GateCount(gate: $0, count: $1) }
        .sorted { $0.gate.name < $1.gate.name }
      counters.orders = state.orders.map { StationCounters.Orders(kind: $0.kind, outcome: $0.outcome, count: $1) }
        .sorted { ($0.kind.rawValue, $0.outcome) < ($1.kind.rawValue, $1.outcome) }
      counters.conflicts = state.conflicts
      counters.eventsDropped = state.dropped
      return counters
    }
  }
}

extension StationView.State {
  /// - Returns: who waits for the verdict that was told, and the verdict.
  fileprivate mutating func take(_ event: GatewayEvent) -> (OneAnswer<DecidedScan?>, DecidedScan)? {
    switch event {
    case .scan(let decided): return take(decided)
    case .repeat(let gate, _, _, _): repeats[gate, default: 0] &+= 1
    case .device(let reader, let state, let at): readers[reader] = (state, at)
    case .gate(let gate, let state, let at): gates[gate] = (state, at)
    case .ticketSystem(let system, let cause, _, _, let at): offline[system] = cause.map { begin(system, $0, at) }
    case .configuration(let outcome, let at): reload = (outcome, at)
    case .list(let event): lists[event.system] = event
    case .conflict(let conflict):
      conflicts &+= 1
      open.add(StationSnapshot.Conflict(conflict))
    // What happened on the way changes nothing of whether it keeps what it is given.
    case .journal(let new, _): if case .noticed = new {} else { journal = new }
    case .dropped(let count): dropped &+= UInt64(max(count, 0))
    case .attempt, .discarded, .identityChanged, .input, .clock, .mirror, .setUp, .control, .order, .fleet, .house:
      break
    }
    return nil
  }

  /// One that is away by another cause than before is away since then; whose rate was spent was there.
  private func begin(
    _ system: TicketSystemID, _ cause: OfflineCause, _ at: WallTime
  ) -> (cause: OfflineCause, since: WallTime) {
    guard let before = offline[system], (before.cause == .rateLimited) == (cause == .rateLimited) else {
      return (cause, at)
    }
    return (cause, before.since)
  }

  private mutating func take(_ decided: DecidedScan) -> (OneAnswer<DecidedScan?>, DecidedScan)? {
    let gate = decided.scan.gate
    let kind = StationView.ScanKind(
      gate: gate, verdict: decided.verdict.name, reason: decided.verdict.reason, decider: decided.decider)
    scans[kind, default: 0] &+= 1
    decisions[gate, default: StationCounters.Histogram()].add(decided.decidedIn)
    throughput.add(gate, decided.verdict, at: decided.readAt)
    var read = reads[decided.scan.reader] ?? StationView.ReaderReads(last: decided.readAt)
    read.last = decided.readAt
    read.count &+= 1
    if case .refuse = decided.verdict { read.refused &+= 1 }
    reads[decided.scan.reader] = read
    if decided.verdict == .admit {
      admissions[gate] = (decided.scan.id, decided.scan.readAt + decided.decidedIn)
      if decided.outputFault == nil { passed[gate, default: 0] &+= 1 }
    }
    return awaited.removeValue(forKey: decided.scan.id).map { ($0, decided) }
  }
}
