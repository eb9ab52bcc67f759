internal import Admission
internal import Calls
internal import FleetBook
internal import FleetKeeping
import ScanConfiguration
import ScanModel
import TicketSystemKit
internal import WireText

/// Stations that share one book: what this station's ledger lets pass is claimed first, and told afterwards.
///
/// ```
/// ledger: nothing speaks against it ─▶ claim ─▶ ticket system, or the policy ─▶ ledger: admit ─▶ conclusion, durable ─▶ gate ─▶ told
///              │ as many are in                │ no: another station has it            │ no: given back, or stays interrupted
///              └─▶ has somebody left elsewhere? └─▶ nobody is asked                     └─▶ told
/// ```
/// The ledger is asked first and decides last: the fleet only ever says no. Without a fleet nothing of this is done.
extension LedgerKeeper {
  /// Where an admission was taken back, and by which gate it was given is not known.
  static let nowhere = GateID("")
  /// How long the fleet is waited for at least, once a ticket system has admitted: what it has recorded is not to be for nothing.
  private static let leastWait = Duration.milliseconds(700)

  /// Decides a scan on a claim.
  /// - Parameters:
  ///   - known: the admission, where the ledger has given it already.
  ///   - asks: whether the ticket system is asked, and not a policy.
  ///   - decide: decides it, once the claim is held.
  func onClaim(
    _ deciding: Deciding, known: AttemptDecision? = nil, asks: Bool = false, deadline: MonotonicTime,
    _ decide: nonisolated(nonsending) (Deciding) async -> KeptDecision
  ) async -> KeptDecision {
    guard let fleet = store.dependencies.fleet else { return await decide(deciding) }
    let (scan, key, system) = (deciding.scan, deciding.key, deciding.system)
    guard let claim = stored.claimKey(deciding.presented, of: scan.code, system, fleet) else {
      return await decide(deciding)
    }
    var rule = rule(deciding.entitlement?.quantity)
    if asks, rule == .quantity(nil), let most = stored.ledger.mostPossible(of: key) {
      rule = .atMost(UInt32(clamping: most))
    }
    let presentation = ClaimPresentation(
      scan: scan.id, gate: scan.gate, demand: ClaimDemand(claim, rule),
      redeems: system.mayRedeem,
      subject: ClaimSubject(
        reader: scan.reader, code: scan.code, system: system.id, server: store.server, ticket: key, at: now.wall))
    let isListed = listing(deciding)
    let began = time.now()
    // The other half is the request's.
    let end = began + max(.zero, deadline - began) / 2
    switch await fleet.claim(presentation, until: end, isListed: isListed) {
    case .held: break
    case .stopped(let verdict): return await notHeld(deciding, known, AttemptDecision(verdict))
    case .unkept(let fault):
      return await notHeld(deciding, known, AttemptDecision(undecided: .outOfService, detail: fault.description))
    }
    var claimed = deciding
    claimed.isClaimed = true
    var kept = await decide(claimed)
    guard case .admit = kept.decision.verdict else {
      // Where all are in already its place is nobody's, whatever was recorded once more.
      let isUsedUp = kept.decision.verdict == .refuse(.alreadyUsed) && kept.asked?.fate == .answered
      await fleet.ended(scan.id, surelyNothing: isUsedUp || kept.asked?.hasSurelyRedeemedNothing ?? true)
      return kept
    }
    var demands = [ClaimDemand(claim, self.rule(kept.decision.mayBeForMore ? nil : kept.decision.allowance))]
    if let sale = stored.ledger.sale(of: key), let claim = stored.claimKey(ofSale: sale.name, fleet) {
      demands.append(ClaimDemand(claim, .quantity(UInt32(clamping: sale.quantity))))
    }
    let reason: AttemptDecision
    switch await fleet.admitted(
      scan.id, demands, until: max(deadline, time.now() + Self.leastWait), isListed: isListed)
    {
    case .open(let until, let isAlone):
      kept.opening = KeptDecision.Opening(until: until, isAlone: isAlone)
      if isAlone { kept.decision.note = .withoutFleet }
      return kept
    case .stopped(let verdict): reason = AttemptDecision(verdict)
    case .unkept(let fault): reason = AttemptDecision(undecided: .outOfService, detail: fault.description)
    }
    await giveBack(kept.decision, ledgerKey: key)
    return KeptDecision(reason, asked: kept.asked, ticket: key, decider: .ledger)
  }

  private func notHeld(
    _ deciding: Deciding, _ known: AttemptDecision?, _ reason: AttemptDecision
  ) async -> KeptDecision {
    if let known {
      await giveBack(known, ledgerKey: deciding.key)
    } else {
      abandon(deciding.key, deciding.attempt)
    }
    return KeptDecision(reason, ticket: deciding.key, decider: .ledger)
  }

  private func rule(_ quantity: Int?) -> ClaimDemand.Rule {
    if let interval = stored.policy.interval { return .interval(interval) }
    return .quantity(quantity.map { UInt32(clamping: $0) })
  }

  /// Whether a list on board admits the ticket, for a station that is alone.
  private func listing(_ deciding: Deciding) -> @Sendable () async -> Bool {
    if deciding.system.onBoard != nil { return { [isValid = deciding.entitlement != nil] in isValid } }
    let policy = deciding.policy
    let list = store.dependencies.listOnBoard(
      of: deciding.system.id, store.server, maxAge: policy.maxAge, freshFor: policy.freshFor)
    let (code, now) = (deciding.system.listedCode(deciding.scan.code), now)
    return {
      guard let ticket = (try? await list.find(code, at: now))?.ticket else { return false }
      return ticket.refusal(at: now) == nil
    }
  }

  // MARK: At the gate

  /// The gate has opened on it, or may have.
  func hasOpened(_ scan: Scan, _ kept: KeptDecision) async {
    if kept.opening != nil { await store.dependencies.fleet?.opened(scan.id) }
  }

  /// It has not, and will not.
  func hasNotOpened(_ scan: Scan, _ kept: KeptDecision) async {
    if kept.opening != nil { await store.dependencies.fleet?.notOpened(scan.id) }
  }

  /// Nobody has passed on an admission of this process.
  func takeBackClaim(of scan: ScanID) async {
    guard let told = await store.dependencies.fleet?.annul(scan, at: Self.nowhere) else { return }
    // The ledger has taken it back already: it is not to count again as somebody who left elsewhere.
    let key = exits(of: told.key)
    if let known = try? await counted(key) { stored.write([], also: memory(key, known + [told.exit])) }
  }

  // MARK: Who leaves

  /// What is to be done of somebody who leaves.
  struct SharedExit: Sendable {
    /// What is to be remembered where this station's ledger counts them.
    var memory: [LedgerKey: [UInt8]?]
    /// Tells the fleet.
    var tell: @Sendable () async -> Void
  }

  /// So many exits of one ticket are remembered as counted.
  private static let mostExits = 255

  private func exits(of claim: ClaimKey) -> LedgerKey {
    LedgerKey(server: store.server, kind: .entry, bytes: [0] + Array("exits \(claim)".utf8))
  }

  private func counted(_ key: LedgerKey) async throws(JournalFault) -> [ScanID] {
    let found = try await store.dependencies.book.recall([key], until: time.now() + .seconds(1))
    let bytes = found[key] ?? []
    return stride(from: 0, to: bytes.count, by: 16).compactMap { ScanID(bytes: bytes[$0...].prefix(16)) }
  }

  private func memory(_ key: LedgerKey, _ exits: [ScanID]) -> [LedgerKey: [UInt8]?] {
    [key: exits.suffix(Self.mostExits).flatMap(\.bytes)]
  }

  /// - Returns: `nil` where this station shares no book.
  func beginExit(
    _ scan: Scan, _ presented: TicketKey, _ system: (any TicketSystem)?
  ) async throws(JournalFault) -> SharedExit? {
    guard let fleet = store.dependencies.fleet, let system,
      let claim = stored.claimKey(presented, of: scan.code, system, fleet)
    else { return nil }
    let key = exits(of: claim)
    return SharedExit(memory: memory(key, try await counted(key) + [scan.id])) {
      await fleet.left(scan.id, at: scan.gate, claim)
    }
  }

  /// Takes note of those whom this station has admitted on a ticket and who left at another one.
  /// - Returns: whether anybody has.
  func takeExits(_ deciding: Deciding, deadline: MonotonicTime) async -> Bool {
    guard let fleet = store.dependencies.fleet,
      let claim = stored.claimKey(deciding.presented, of: deciding.scan.code, deciding.system, fleet)
    else { return false }
    let exits = await fleet.exits(of: claim, until: deadline)
    guard !exits.isEmpty else { return false }
    do throws(JournalFault) {
      let key = self.exits(of: claim)
      let known = try await counted(key)
      let new = exits.filter { !known.contains($0) }
      try await stored.remember(deciding.key)
      var isAny = false
      for _ in new where stored.ledger.leave(deciding.key) { isAny = true }
      guard isAny else { return false }
      stored.write([], also: memory(key, known + new))
      stored.wake(deciding.key)
      return true
    } catch { return false }
  }
}

extension KeptDecision {
  /// Whether somebody has still to be told of it: the ticket system, or the fleet.
  var isProvisional: Bool { decision.isProvisional || opening?.isAlone == true }
}

extension AttemptDecision {
  /// What a fleet's word means at the gate.
  init(_ verdict: ClaimVerdict) {
    switch verdict {
    case .used(let entry):
      self.init(refused: .alreadyUsed, detail: "Admitted \(entry.words).")
      (note, firstUse) = (.usedElsewhere, entry.firstUse)
    case .tooSoon(let entry):
      self.init(refused: .tooSoon, detail: "Admitted \(entry.words).")
      firstUse = entry.firstUse
    case .busy(let entry):
      self.init(undecided: .busy, detail: "The same ticket is being decided \(entry.words).")
    case .interrupted(let entry):
      self.init(
        undecided: .interrupted,
        detail: "Whether somebody passed on it \(entry.words) that station cannot tell. Let staff decide.")
      note = .interrupted
    case .alone(let word): self.init(undecided: .unreachable, detail: word.words)
    case .unusable(let flaw): self.init(undecided: .interrupted, detail: "\(flaw.words) Let staff decide.")
    case .crowded:
      self.init(
        undecided: .interrupted,
        detail: "The fleet has more admissions on this ticket than it can tell. Let staff decide.")
    case .failed(.lostAnswer), .failed(.noQuorum), .failed(.wrongRevision):
      self.init(undecided: .unreachable, detail: ClaimFault.noQuorum.words)
    case .failed(let fault): self.init(undecided: .outOfService, detail: fault.words)
    case .late:
      self.init(undecided: .stale, detail: "The fleet has answered too late for the gate to open. Please scan again.")
    // None of these is the fleet's own word.
    case .admit, .refused, .unanswered: self.init(undecided: .busy, detail: nil)
    }
  }
}

extension ClaimEntry {
  /// When it was, by the leader's clock, or its station's where that had none.
  private var time: WallTime? { saidAt ?? at }

  fileprivate var firstUse: AttemptDecision.FirstUse? { time.map { AttemptDecision.FirstUse(gate: gate, at: $0) } }
}

extension AloneWord {
  fileprivate var words: String {
    let away = "The fleet cannot be asked"
    return switch self {
    case .mayAdmit: "\(away)."
    case .refuses: "\(away), and nobody passes without it (fleet.alone)."
    case .isNotListed: "\(away), and no list on board that may be believed admits the ticket (fleet.alone)."
    case .people: "\(away), and as many were let in without it as may be (fleet.alonePeople)."
    case .time: "\(away) for longer than this station may go on without it (fleet.aloneFor)."
    }
  }
}
