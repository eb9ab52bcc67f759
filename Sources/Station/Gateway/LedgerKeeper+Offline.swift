internal import Admission
internal import LinuxIO
package import ScanModel
internal import Calls

/// Whether the ticket system answers, and what a gate's policy says while it does not.
///
/// ```
/// online ──an offline outcome, by ServerReach──▶ offline ──a probe or a scan is answered──▶ online
///    │ every scan asks                              │ gates with a policy decide at once, but for one scan now and then;
///                                                   │ the others ask
/// ```
extension LedgerKeeper {
  /// How long a probe may take where no scan has waited so far, and at most: the longest that a gate may wait for its policy.
  private static let longestProbe: Duration = .milliseconds(2_500)
  /// How long it may take at least: the shortest that a gate may wait.
  private static let shortestProbe: Duration = .milliseconds(300)

  /// How a ticket system is, and how it is whenever that changes; who is slow gets the latest alone. Ends with its reader.
  package func news(of system: TicketSystemID) -> AsyncStream<TicketSystemNews> {
    let (stream, feed) = AsyncStream.makeStream(of: TicketSystemNews.self, bufferingPolicy: .bufferingNewest(1))
    lastListener += 1
    let listener = lastListener
    listeners[listener] = (system, feed)
    feed.onTermination = { [weak self, loop] _ in Task(executorPreference: loop.tasks) { await self?.leave(listener) } }
    feed.yield(newest(of: system))
    return stream
  }

  private func leave(_ listener: UInt64) { listeners[listener] = nil }

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
    notes.keyFaults[system.name].flatMap(UndecidedReason.init)
  }

  /// What a request would come to, where it need not be made to know that: the ticket system is offline, and the policy
  /// decides.
  func offlineOutcome(_ policy: OfflinePolicy, _ system: TicketSystemID) -> AttemptOutcome? {
    let now = time.now()
    // Nobody passes while our key counts as refused: each scan may as well find out whether it still is.
    guard let cause = reach.cause, policy.applies(to: cause), keyFault(of: system) == nil, !reach.takeTrial(at: now)
    else { return nil }
    return AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: "\(system) is offline (\(cause.rawValue))."),
      mayHaveRedeemed: false, sentAt: nil, endedAt: now, offline: cause)
  }

  /// What the gate's policy says of a scan; `nil` where it has nothing to say.
  func word(
    of policy: OfflinePolicy, on scan: Scan, _ key: TicketKey, _ outcome: AttemptOutcome, _ system: any TicketSystem
  ) async -> OfflineWord? {
    guard let cause = outcome.offline, policy.applies(to: cause) else { return nil }
    if let keyFault = keyFault(of: system.id) {
      return .undecided(
        keyFault,
        detail:
          "\(system.id) does not answer, and its last answer was that our key may not scan. Nobody passes on that.")
    }
    let ownWord = lastWord(on: key)
    // What another gate or some time may have cured refuses nobody for good, and admits nobody on trust.
    let lastWord = ownWord.flatMap { $0.reason.isOfPlaceOrTime ? nil : $0 }
    let otherWord =
      lastWord == nil && ownWord != nil ? ownWord : ledger.folded(of: key).flatMap { self.lastWord(on: $0) }
    switch policy.rule {
    case .refuse: return nil
    case .admitAndQueue(let most):
      if let lastWord { return .refuse(by: lastWord, of: system.id) }
      if let otherWord { return .undecided(by: otherWord, of: system.id) }
      guard outbox.count(at: scan.gate) < most else {
        return .undecided(
          .unreachable,
          detail:
            "\(system.id) does not answer, and \(most) admissions of gate \(scan.gate) wait to be told to it: no more.")
      }
      return .may(OfflineRight(), .policy)
    case .list(let maxAge):
      let judge = ListJudge(list: store.dependencies.list(system.id, store.server), system: system.id)
      return await judge.word(
        on: scan.code, policy, maxAge: maxAge, lastWord: lastWord, otherWord: otherWord, at: now)
    }
  }

  /// The ticket system's last refusal of a ticket. That it is for another day is true on that day only.
  private func lastWord(on key: TicketKey) -> LastWord? {
    guard let word = lastWords[key] else { return nil }
    if word.reason == .wrongDay, store.day(of: word.at, scope) != store.day(of: now.wall, scope) { return nil }
    return word
  }

  /// Whether the ticket system is away, and not only this request: a code on which a server stumbles must not open a gate
  /// while others are answered.
  func isConfirmed(_ outcome: AttemptOutcome, _ deciding: Deciding, deadline: MonotonicTime) async -> Bool {
    guard let cause = outcome.offline, deciding.policy.applies(to: cause), cause != .rateLimited, !reach.isOffline
    else {
      return true
    }
    let began = time.now()
    let found = await deciding.system.reach(deadline: min(deadline, began + deciding.policy.after))
    take(found, from: deciding.system.id, began: began)
    switch found {
    case .offline: return true
    case .answers, .fault, .unclear: return false
    // There was no time to ask: another gate may have found out meanwhile.
    case .unknown: return reach.isOffline
    }
  }

  /// Whether the ticket system is away, asked where nothing else was.
  func isAway(_ deciding: Deciding, deadline: MonotonicTime) async -> Bool {
    guard deciding.policy.mayAdmit, !reach.isOffline else { return reach.isOffline }
    let began = time.now()
    take(await deciding.system.reach(deadline: deadline), from: deciding.system.id, began: began)
    return reach.isOffline
  }

  /// Takes what a request's end says of our key, and of the ticket.
  func learn(_ outcome: AttemptOutcome, of key: TicketKey, from system: TicketSystemID, at gate: GateID) {
    if case .undecided(let reason, let detail) = outcome.answer {
      suspect(reason, detail, isAnswer: outcome.fate == .answered, system, by: gate)
    }
    guard outcome.fate == .answered else { return }
    switch outcome.answer {
    case .redeemed, .valid:
      lastWords.forget(key, folded: ledger.folded(of: key))
      prove(system, by: gate)
    case .refused(let reason, _):
      // That it is not paid, or used just now, may be of our own making: then the ledger leaves it to staff.
      if reason != .alreadyUsed, !reason.mayFollowUse || !ledger.mayBeSpentByUs(key) {
        lastWords.remember(key, folded: ledger.folded(of: key), reason, at: time.wall())
      }
      // Of a key without rights some servers say that of each ticket.
      if reason != .notAuthorised { prove(system, by: gate) }
    case .undecided: break
    }
  }

  /// Takes what a request's end says of the ticket system.
  func learnReach(of outcome: AttemptOutcome, began: MonotonicTime) {
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
    if change != nil {
      tellReach()
      tellNews()
      sendOwed()
    }
    if reach.nextProbe != nil, probing == nil, asker != nil {
      probing = Task(executorPreference: loop.tasks) { await self.probe() }
    }
  }

  /// Tells whether it answers, and how much it is owed.
  func tellReach() {
    guard let asker else { return }
    let detail = reach.cause.flatMap { cause in
      asker.whereabouts.map { "\($0.host) \(cause.words). \($0.cure)" }
    }
    events.emit(
      .ticketSystem(asker.id, offline: reach.cause, owed: outbox.count, detail: detail, at: time.wall()))
  }

  /// Takes how long a scan waits for its answer.
  func learnWait(_ wait: Duration) {
    let wait = min(max(wait, Self.shortestProbe), Self.longestProbe)
    longestWait = max(longestWait ?? wait, wait)
  }

  /// As long as a scan, so that what is told of a probe holds for scans.
  var probeTime: Duration { longestWait ?? Self.longestProbe }

  /// Asks from time to time whether the ticket system answers again, so that nobody at a gate has to.
  private func probe() async {
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

extension ServerReach {
  /// Why it is offline; `nil` where it is not.
  var cause: OfflineCause? { if case .offline(_, let cause) = state { cause } else { nil } }
}

extension AttemptOutcome {
  /// Why our key may not scan, if that is what was answered.
  var keyFault: UndecidedReason? {
    if case .undecided(let reason, _) = answer, reason.isOfKey { reason } else { nil }
  }
}
