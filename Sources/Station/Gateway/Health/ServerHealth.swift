internal import Admission
internal import LinuxIO
import ScanModel
internal import Calls

/// How one server is: whether it answers, whether its ticket systems would decide scans, and what its clocks and ours are worth.
/// Gates listen to it; it decides nobody's scan.
///
/// ```
/// online ──an offline outcome, by ServerReach──▶ offline ──a probe or a scan is answered──▶ online
///    │ every scan asks                              │ gates with a policy decide at once, but for one scan now and then;
///                                                   │ the others ask
/// ```
/// A part of its keeper, on the keeper's thread.
final class ServerHealth {
  /// How long a probe may take where no scan has waited so far, and at most: the longest that a gate may wait for its policy.
  private static let longestProbe: Duration = .milliseconds(2_500)
  /// How long it may take at least: the shortest that a gate may wait.
  private static let shortestProbe: Duration = .milliseconds(300)

  let stored: StoredLedger
  let time: any TimeSource
  let events: any EventSink
  let checkWaits: SystemCheck.Waits
  /// Whom probes and look-ups ask; `nil` where nobody can be asked.
  var asker: (any TicketSystem)?
  /// Told when it goes offline or comes back; it has to tell the gates.
  var reachChanged: () -> Void = {}
  /// Whether it answers.
  var reach = ServerReach()
  private var probing: Task<Void, Never>?
  var listeners: [UInt64: (system: TicketSystemID, feed: AsyncStream<TicketSystemNews>.Continuation)] = [:]
  private var lastListener: UInt64 = 0
  /// The longest that a scan has waited for an answer, or was ready to.
  private var longestWait: Duration?
  /// Whether its ticket systems would decide scans, who is asked that, and who asks.
  var checks: [TicketSystemID: SystemCheck] = [:]
  var checked: [TicketSystemID: any TicketSystem] = [:]
  var checking: [TicketSystemID: Task<Void, Never>] = [:]
  /// When the last question to each began that was answered as it should be.
  var proven: [TicketSystemID: MonotonicTime] = [:]
  /// Whether this machine's clock was too far off the server's when it answered last.
  var isStationClockOff = false
  /// How far it was ahead then; `nil` where no answer has told.
  var stationAhead: Duration?
  /// Notes that this machine's clock is right.
  var notingClock: Task<Void, Never>?
  var toldClock: ToldClock
  /// On whose thread it lives.
  unowned let keeper: LedgerKeeper

  var loop: DeviceLoop { stored.store.dependencies.loop }

  init(
    _ stored: StoredLedger, checkWaits: SystemCheck.Waits, time: any TimeSource, events: any EventSink,
    keeper: LedgerKeeper
  ) {
    self.stored = stored
    self.checkWaits = checkWaits
    self.time = time
    self.events = events
    self.keeper = keeper
    toldClock = ToldClock(offset: stored.policy.recordOffset)
  }

  // MARK: News

  func news(of system: TicketSystemID) -> AsyncStream<TicketSystemNews> {
    let (stream, feed) = AsyncStream.makeStream(of: TicketSystemNews.self, bufferingPolicy: .bufferingNewest(1))
    lastListener += 1
    let listener = lastListener
    listeners[listener] = (system, feed)
    feed.onTermination = { [weak keeper, loop] _ in
      Task(executorPreference: loop.tasks) { await keeper?.turn { $0.health.listeners[listener] = nil } }
    }
    feed.yield(newest(of: system))
    return stream
  }

  /// How a ticket system is now.
  func newest(of system: TicketSystemID) -> TicketSystemNews {
    TicketSystemNews(
      offline: reach.cause, fault: fault(of: system), isBeingAsked: isBeingAsked(system),
      clockFault: recordFault(of: system), doubt: checks[system]?.doubt,
      proven: proven[system])
  }

  /// Tells all gates how their ticket systems are.
  func tellNews() { for (system, feed) in listeners.values { feed.yield(newest(of: system)) } }

  /// Why its key may not scan, as it said last.
  func keyFault(of system: TicketSystemID) -> UndecidedReason? {
    stored.notes.keyFaults[system.name].flatMap(UndecidedReason.init)
  }

  // MARK: What it is found to be

  /// Takes what a request's end says of our key, and of the ticket.
  func learn(_ outcome: AttemptOutcome, of key: TicketKey, from system: TicketSystemID, at gate: GateID) {
    if case .undecided(let reason, let detail) = outcome.answer {
      suspect(reason, detail, isAnswer: outcome.fate == .answered, system, by: gate)
    }
    guard outcome.fate == .answered, !outcome.isRemembered else { return }
    switch outcome.answer {
    case .redeemed, .valid:
      stored.lastWords.forget(key, folded: stored.ledger.folded(of: key))
      prove(system, by: gate)
    case .refused(let reason, _):
      // That it is not paid, or used just now, may be of our own making: then the ledger leaves it to staff.
      if reason != .alreadyUsed, !reason.mayFollowUse || !stored.ledger.mayBeSpentByUs(key) {
        stored.lastWords.remember(key, folded: stored.ledger.folded(of: key), reason, at: time.wall())
      }
      // Of a key without rights some servers say that of each ticket.
      if reason != .notAuthorised { prove(system, by: gate) }
    case .undecided: break
    }
  }

  /// Takes what a request's end says of the ticket system.
  func learnReach(of outcome: AttemptOutcome, began: MonotonicTime) {
    if outcome.isRemembered { return }
    if outcome.fate == .answered, outcome.offline == nil || outcome.offline == .rateLimited {
      // A refusal for its rate is an answer.
      take(nil, began: began)
    } else if let cause = outcome.offline {
      // A connection that ends with the request may be the request's fault: it is no surer than no answer.
      let isBrokenOff = cause == .noConnection && outcome.fate != .notSent
      take(isBrokenOff ? .timeOut : cause, began: began)
    }
  }

  func take(_ found: Reach, from system: TicketSystemID, began: MonotonicTime) {
    if case .answers(let date?) = found { compareClock(date, of: time.now(), system) }
    // A gate is told that it is away before it is told that it was asked.
    if case .offline(let cause) = found { take(cause, began: began) }
    takeCheck(found, of: system, began: began)
    switch found {
    case .answers, .fault, .unclear: take(nil, began: began)
    case .offline, .unknown: break
    }
  }

  private func take(_ cause: OfflineCause?, began: MonotonicTime) {
    var random = SystemRandomNumberGenerator()
    let change = reach.take(cause, began: began, at: time.now(), using: &random)
    if change != nil { reachChanged() }
    if reach.nextProbe != nil, probing == nil, asker != nil {
      probing = Task(executorPreference: loop.tasks) { [keeper] in await keeper.turn { await $0.health.probe() } }
    }
  }

  /// Takes how long a scan waits for its answer.
  func learnWait(_ wait: Duration) {
    let wait = min(max(wait, Self.shortestProbe), Self.longestProbe)
    longestWait = max(longestWait ?? wait, wait)
  }

  /// As long as a scan, so that what is told of a probe holds for scans.
  var probeTime: Duration { longestWait ?? Self.longestProbe }

  /// Asks from time to time whether the ticket system answers again, so that nobody at a gate has to.
  private nonisolated(nonsending) func probe() async {
    while let due = reach.nextProbe, let asker {
      let now = time.now()
      if now < due {
        try? await Task.sleep(for: due - now)
        // A scan's answer may have told meanwhile.
        continue
      }
      let found = await asker.reach(deadline: now + probeTime)
      take(found, from: asker.id, began: now)
      // Nothing was asked: not at once again.
      if case .unknown = found { try? await Task.sleep(for: .seconds(5)) }
    }
    probing = nil
  }
}

extension ServerReach {
  /// Why it is offline; `nil` where it is not.
  var cause: OfflineCause? { if case .offline(_, let cause) = state { cause } else { nil } }
}
