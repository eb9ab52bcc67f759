package import FleetBook
internal import ScanConfiguration
package import ScanModel
package import Admission
internal import Calls

/// What the keeper made of a scan.
package struct KeptDecision: Sendable {
  /// The ledger's word.
  package var decision: AttemptDecision
  /// The request that it took; `nil` where none was sent.
  package var asked: AttemptOutcome?
  /// The ticket's key in ledger and journal: a digest.
  package var ticket: TicketKey?
  /// Who decided.
  package var decider: Decider
  /// Whether `asked` was on board: no request was sent for it.
  package var isUnasked = false
  /// Until when the gate may open on it, where stations share a book.
  package var opening: Opening?

  /// How long an admission holds on which other stations decide after it.
  package struct Opening: Sendable {
    /// The end, by this machine's clock.
    package var until: BootTime
    /// Whether it was given without the fleet's word.
    package var isAlone: Bool
  }

  package init(_ decision: AttemptDecision, asked: AttemptOutcome? = nil, ticket: TicketKey? = nil, decider: Decider) {
    self.decision = decision
    self.asked = asked
    self.ticket = ticket
    self.decider = decider
  }
}

extension KeptDecision {
  /// The gate does not take the ticket.
  init(_ bar: GateBar, ticket: TicketKey, decider: Decider, details: TicketDetails? = nil) {
    self.init(
      AttemptDecision(verdict: bar.verdict, allowance: 0, details: details, detail: bar.detail), ticket: ticket,
      decider: decider)
  }

  /// Whether a request was answered that admitted nobody, and another code might have fared better: the ticket system has not refused it
  /// for its rate, nor because of our key. Where it did not answer, or was out of order, nobody is to blame; nor is who shows a code that
  /// nobody can invent.
  var wasInVain: Bool {
    // What is on board, or remembered, cost nothing.
    guard let asked, asked.fate == .answered, !isUnasked, !asked.isRemembered, decision.verdict != .admit else {
      return false
    }
    return asked.offline == nil && asked.keyFault == nil && !asked.isProven && !asked.isOutOfOrder
  }
}

extension AttemptOutcome {
  /// Whether the ticket system said that it was out of order (5xx).
  fileprivate var isOutOfOrder: Bool { if case .undecided(.unreachable, _) = answer { true } else { false } }
}

extension AttemptOutcome {
  /// The right to pass that it tells of.
  var entitlement: Entitlement? { if case .valid(let entitlement) = answer { entitlement } else { nil } }

  /// Whether the ticket system has surely recorded no admission on it.
  var hasSurelyRedeemedNothing: Bool { if case .redeemed = answer { false } else { !mayHaveRedeemed } }

  /// Whether nothing is to be believed of that ticket.
  var isDoubt: Bool { if case .undecided(.badAnswer, _) = answer { true } else { false } }
}

/// What gates do while the journal cannot be written. The raw values are the names in the configuration.
package enum JournalFailurePolicy: String, Sendable, CaseIterable {
  /// They go on where the ticket system answers: it has the admissions, and the memory of the process holds "once".
  case `continue`
  /// They admit nobody.
  case stop
}

extension AttemptDecision {
  /// A scan that nobody could decide.
  init(undecided reason: UndecidedReason, detail: String?) {
    self.init(verdict: .undecided(reason), allowance: 0, detail: detail)
  }

  /// A scan that is refused without the ledger.
  init(refused reason: RefuseReason, details: TicketDetails? = nil, detail: String? = nil) {
    self.init(verdict: .refuse(reason), allowance: 0, details: details, detail: detail)
  }
}

extension AttemptDecision {
  /// A scan that is refused as a short while ago, in the same words.
  init(remembered said: NegativeCache.Refusal) {
    self.init(
      verdict: .refuse(said.reason), admitted: said.admitted, allowance: said.allowance, details: said.details,
      detail: said.detail)
  }
}

/// One scan that is being decided, and what decides it.
struct Deciding: Sendable {
  let scan: Scan
  /// Under which the ticket is locked.
  let attempt: AttemptID
  /// The ticket's key as its ticket system names it. Not for logs.
  let presented: TicketKey
  /// The ticket's key in ledger and journal.
  let key: TicketKey
  let system: any TicketSystem
  var policy: OfflinePolicy
  /// Which tickets the gate takes; `nil` where it takes all.
  var rule: GateRule?
  /// What a look-up has found right before the request; `nil` where none was needed.
  var found: LookUp?
  /// What the list on board says of the ticket, where the gate has a rule.
  var listed: TicketDetails?
  /// What is on board of the ticket, where that was looked up.
  var entitlement: Entitlement?
  /// The ticket within the sale that the gate takes, where that was told.
  var line: TicketDetails.LineID?
  /// Whether it holds a claim: before the gate opens the fleet's own conclusion is durable, and with it all that was written before.
  var isClaimed = false
}

/// A request's own entry in the journal.
struct AskedMark: Sendable {
  let mark: JournalMark
  /// Whether the journal has it, or may come to have it.
  let mayBeWritten: Bool
}

extension AttemptDecision {
  /// Takes the policy's word where the ledger leaves the scan undecided.
  /// - Returns: who decided, if it was the policy.
  mutating func take(_ word: OfflineWord) -> Decider? {
    switch word {
    case .may: return nil
    case .undecided where admitted > 0 && admitted >= allowance && !mayBeForMore:
      // Whatever the policy cannot tell: as many as are proven are in.
      verdict = .refuse(.alreadyUsed)
      detail = nil
      return .ledger
    case .refuse(let reason, let detail):
      verdict = .refuse(reason)
      self.detail = detail
      return .list
    case .undecided(let reason, let detail):
      verdict = .undecided(reason)
      self.detail = detail
      return .policy
    }
  }
}
