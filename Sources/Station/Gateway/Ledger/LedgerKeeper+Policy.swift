internal import ScanConfiguration
internal import Admission
import ScanModel
internal import Calls

/// What a gate's policy says while the ticket system does not answer.
extension LedgerKeeper {
  /// What a request would come to, where it need not be made to know that: the ticket system is offline, and the policy
  /// decides.
  func offlineOutcome(_ policy: OfflinePolicy, _ system: TicketSystemID) -> AttemptOutcome? {
    let now = time.now()
    // Nobody passes while our key counts as refused: each scan may as well find out whether it still is.
    guard let cause = health.reach.cause, policy.applies(to: cause), health.keyFault(of: system) == nil,
      !health.reach.takeTrial(at: now)
    else { return nil }
    return AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: "\(system) is offline (\(cause.rawValue))."),
      mayHaveRedeemed: false, sentAt: nil, endedAt: now, offline: cause)
  }

  /// What the gate's policy says of a scan, as far as the gate takes the ticket; `nil` where it has nothing to say.
  func word(of deciding: Deciding, _ outcome: AttemptOutcome) async -> OfflineWord? {
    let word = await word(of: deciding.policy, on: deciding.scan, deciding.key, outcome, deciding.system)
    guard case .may? = word, let rule = deciding.rule, rule.needsProof else { return word }
    switch rule.word(on: deciding.listed) {
    case .takes: return word
    case .bars(let bar): return OfflineWord(bar)
    case .unknown:
      return .undecided(
        .unreachable,
        detail:
          "\(deciding.system.id) does not answer, and no list on board tells that the ticket is one for gate \(deciding.scan.gate). Let staff decide."
      )
    }
  }

  private func word(
    of policy: OfflinePolicy, on scan: Scan, _ key: TicketKey, _ outcome: AttemptOutcome, _ system: any TicketSystem
  ) async -> OfflineWord? {
    guard let cause = outcome.offline, policy.applies(to: cause) else { return nil }
    if let keyFault = health.keyFault(of: system.id) {
      let words = "does not answer, and its last answer was that our key may not scan. Nobody passes on that."
      return .undecided(keyFault, detail: "\(system.id) \(words)")
    }
    let ownWord = lastWord(on: key)
    // What another gate or some time may have cured refuses nobody for good, and admits nobody on trust.
    let lastWord = ownWord.flatMap { $0.reason.isOfPlaceOrTime ? nil : $0 }
    let otherWord =
      lastWord == nil && ownWord != nil ? ownWord : stored.ledger.folded(of: key).flatMap { self.lastWord(on: $0) }
    switch policy.rule {
    case .refuse: return nil
    case .admitAndQueue:
      if let lastWord { return .refuse(by: lastWord, of: system.id) }
      if let otherWord { return .undecided(by: otherWord, of: system.id) }
      guard sender.outbox.count(at: scan.gate) < policy.most else {
        let words = "\(policy.most) admissions of gate \(scan.gate) wait to be told to it: no more."
        return .undecided(.unreachable, detail: "\(system.id) does not answer, and \(words)")
      }
      return .may(OfflineRight(), .policy)
    case .list:
      let list = store.dependencies.listOnBoard(
        of: system.id, store.server, maxAge: policy.maxAge, freshFor: policy.freshFor)
      return await ListJudge(list: list, system: system.id).word(
        on: system.listedCode(scan.code), policy, lastWord: lastWord, otherWord: otherWord, at: now)
    }
  }

  /// The ticket system's last refusal of a ticket. That it is for another day is true on that day only.
  private func lastWord(on key: TicketKey) -> LastWord? {
    guard let word = stored.lastWords[key] else { return nil }
    // That it is not paid may be of our own making: then it is for staff.
    if word.reason.mayFollowUse, stored.ledger.mayBeSpentByUs(key) { return nil }
    if word.reason == .wrongDay, stored.day(of: word.at) != stored.day(of: now.wall) { return nil }
    return word
  }

  /// Whether the ticket system is away, and not only this request: a code on which a server stumbles must not open a gate
  /// while others are answered.
  func isConfirmed(_ outcome: AttemptOutcome, _ deciding: Deciding, deadline: MonotonicTime) async -> Bool {
    guard let cause = outcome.offline, deciding.policy.applies(to: cause), cause != .rateLimited,
      !health.reach.isOffline
    else { return true }
    let began = time.now()
    let found = await deciding.system.reach(deadline: min(deadline, began + deciding.policy.after))
    health.take(found, from: deciding.system.id, began: began)
    switch found {
    case .offline: return true
    case .answers, .fault, .unclear: return false
    // There was no time to ask: another gate may have found out meanwhile.
    case .unknown: return health.reach.isOffline
    }
  }

  /// Whether the ticket system is away, asked where nothing else was.
  func isAway(_ deciding: Deciding, deadline: MonotonicTime) async -> Bool {
    guard deciding.policy.mayAdmit, !health.reach.isOffline else { return health.reach.isOffline }
    let began = time.now()
    health.take(await deciding.system.reach(deadline: deadline), from: deciding.system.id, began: began)
    return health.reach.isOffline
  }

  /// Whether the list on board names another code, too, that the ticket system may take for this one.
  func namesOtherSpelling(_ code: Code, _ system: TicketSystemID) async -> Bool {
    guard let list = store.dependencies.list(system, store.server) else { return false }
    return (try? await list.find(code))?.ticket?.hasOtherSpelling == true
  }
}
