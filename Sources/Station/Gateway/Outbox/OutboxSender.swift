internal import Admission
internal import LinuxIO
import ScanModel
internal import Calls

/// Tells the ticket system of provisional admissions, once it answers again and nobody waits for it.
///
/// ```
/// owed ──its turn──▶ beginTelling ─┬─ ask ──▶ request ──▶ told ─┬─ confirmed, contradicted ──▶ told fact
///   ▲                              ├─ lookUp ─▶ look-up ────────┤
///   │                              └─ locked, notYet            ├─ again, doubtful
///   └───────────────────── later, by OutboxOrder ◀──────────────┘
/// day over, given up by OutboxOrder, gate did not open ──▶ told fact (tooLate, unsettled, withdrawn)
/// ```
/// A part of its keeper, on the keeper's thread.
final class OutboxSender {
  /// How long the sender waits at most before it looks again, at the clock above all.
  private static let longestPause: Duration = .seconds(30)

  let health: ServerHealth
  let stored: StoredLedger
  let time: any TimeSource
  let events: any EventSink
  /// Whom each gate asks: to tell of what happened there.
  var faces: [GateID: any TicketSystem] = [:]
  var outbox: OutboxOrder
  /// The venue's day on which it was last looked for what is too late.
  private var overdueDay: Int?
  /// The sender, while there is anything to tell.
  private(set) var sending: Task<Void, Never>?
  /// The sender, while it has nothing to do.
  private var waiting: CheckedContinuation<Void, Never>?
  /// On whose thread it lives.
  unowned let keeper: LedgerKeeper

  var store: LedgerStore { stored.store }
  var loop: DeviceLoop { store.dependencies.loop }

  init(_ health: ServerHealth, keeper: LedgerKeeper) {
    self.health = health
    self.keeper = keeper
    stored = health.stored
    time = health.time
    events = health.events
    outbox = OutboxOrder(lateGrace: stored.policy.lateGrace)
    health.reachChanged = { [unowned self] in
      tellReach()
      self.health.tellNews()
      sendOwed()
    }
  }

  /// Puts an admission into the outbox.
  func owe(_ new: OwedAdmission, isByHand: Bool = false) {
    outbox.add(new, isByHand: isByHand)
    sendOwed()
  }

  /// Takes what an earlier process had still to tell.
  func takeUp(_ earlier: [OwedAdmission]) {
    overdueDay = nil
    for earlier in earlier { owe(earlier) }
    sendOwed()
  }

  /// Stops sending, or goes on.
  func hold(_ isHeld: Bool) {
    guard outbox.isHeld != isHeld else { return }
    outbox.isHeld = isHeld
    sendOwed()
  }

  /// Sends without waiting any longer, and by hand what was too late or unsettled.
  func retry(_ again: [OwedAdmission]) {
    for again in again { owe(again, isByHand: true) }
    outbox.retry()
    sendOwed()
  }

  /// Tells whether it answers, and how much it is owed.
  func tellReach() {
    guard let asker = health.asker else { return }
    let detail = health.reach.cause.flatMap { cause in
      asker.whereabouts.map { "\($0.host) \(cause.words). \($0.cure)" }
    }
    events.emit(
      .ticketSystem(asker.id, offline: health.reach.cause, owed: outbox.count, detail: detail, at: time.wall()))
  }

  /// Tells when a scan's request begins, and `scanEnded` when it ends: scans come first.
  func scanBegan(at time: MonotonicTime) { outbox.liveBegan(at: time) }

  func scanEnded() {
    outbox.liveEnded()
    wake()
  }

  /// What is to be written when an admission was taken back before it was told.
  func withdrawn(_ attempt: AttemptID) -> [JournalFact] {
    outbox.remove(attempt)
    events.settled(attempt)
    return [.told(ToldAdmission(attempt: attempt, ending: .withdrawn, at: stored.now))]
  }

  // MARK: The sender

  /// Lets the sender look at what there is to do.
  func sendOwed() {
    if sending != nil { return wake() }
    guard outbox.count > 0, health.asker != nil else { return }
    sending = Task(executorPreference: loop.tasks) { [keeper] in await keeper.turn { await $0.sender.send() } }
  }

  private nonisolated(nonsending) func send() async {
    while outbox.count > 0, let asker = health.asker {
      endOverdue()
      guard !health.reach.isOffline else {
        await pause(until: nil)
        continue
      }
      switch outbox.next(at: time.now()) {
      case .send(let next):
        let result = await tell(next, asker)
        var random = SystemRandomNumberGenerator()
        if let givenUp = outbox.finish(next.attempt, result, at: time.now(), using: &random) {
          end(next, .unsettled, said: givenUp.words)
        }
      case .wait(let until): await pause(until: until)
      case .idle: await pause(until: nil)
      }
    }
    sending = nil
    tellReach()
  }

  /// Ends what was not told before the venue's day changed: today it would be refused, or noted on the wrong day. Who only reads notes
  /// nothing, and is asked about the moment of the admission whenever that is.
  private func endOverdue() {
    let now = stored.now
    guard now.isTrusted, health.asker?.mayRedeem != false else { return }
    let today = stored.day(of: now.wall)
    guard today != overdueDay else { return }
    overdueDay = today
    for late in outbox.overdue(today: today, day: { $0.at.isTrusted ? stored.day(of: $0.at.wall) : nil }) {
      end(late, .tooLate, said: "It was not told to the ticket system before the venue's day changed.")
    }
  }

  /// Waits until something has changed, until `end` at the latest.
  private nonisolated(nonsending) func pause(until end: MonotonicTime?) async {
    // A day is for ever here, and the clock is looked at now and then all the same.
    let longest = end.map { max(.zero, min($0 - time.now(), Self.longestPause)) } ?? Self.longestPause
    let alarm = Task(executorPreference: loop.tasks) { [keeper] in
      try await Task.sleep(for: longest)
      await keeper.turn { $0.sender.wake() }
    }
    await withCheckedContinuation { waiting = $0 }
    alarm.cancel()
  }

  func wake() {
    waiting?.resume()
    waiting = nil
  }
}

extension OfflineCause {
  /// What the host does; follows its name.
  fileprivate var words: String {
    switch self {
    case .noAddress: "has no address: its name is not resolved"
    case .noConnection: "takes no connection"
    case .timeOut: "does not answer in time"
    case .gatewayFault: "answers that nobody is behind it (502, 503, 504)"
    case .rateLimited: "gets more requests than it allows (429)"
    }
  }
}

extension OutboxOrder.GivenUp {
  /// What staff read of it.
  fileprivate var words: String {
    switch self {
    case .unknown: "Whether the ticket system has the admission could not be found out."
    case .unheard:
      "Told \(OutboxOrder.mostTries + 1) times or more, the ticket system answered of other admissions and never of this one. "
        + "Look the ticket up there."
    }
  }
}
