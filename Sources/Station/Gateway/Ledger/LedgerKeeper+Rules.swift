internal import ScanConfiguration
import ScanModel
import Admission
internal import Calls
internal import TicketSystemKit

/// Gates that do not take all tickets: what is for another gate is found before it is redeemed, where somebody tells.
///
/// ```
/// the code's own event ─▶ ledger ─▶ list on board ─▶ offline? ─▶ inspection, a request that redeems nothing ─▶ asked
///        └ bars              └ bars        └ bars      └ the list, or nobody     └ bars                         └ the answer bars: the record
///                                                                                                                  is ours, for another gate
/// ```
/// Only the last of these can admit. Why so much comes before it: `docs/decisions/0050`.
extension LedgerKeeper {
  /// Why nobody passes by what the list on board says of the ticket; `nil` where it may be asked for.
  func barred(_ deciding: inout Deciding, by rule: GateRule) async -> KeptDecision? {
    let list = store.dependencies.listOnBoard(
      of: deciding.system.id, store.server, maxAge: deciding.policy.maxAge, freshFor: deciding.policy.freshFor)
    // To ask a list costs two wake-ups, and most stations have none.
    if !list.isAbsent {
      let code = deciding.system.listedCode(deciding.scan.code)
      // Of which event a ticket is does not hang on the day.
      deciding.listed = try? await list.find(code, ignoresDay: true, at: now).ticket?.details
    }
    // What the ticket system itself has told of the ticket outranks the list: by the answer another gate has sent it here.
    if rule.takes(stored.ledger.details(of: deciding.key)) { return nil }
    guard let bar = rule.lastingBar(deciding.listed) else { return nil }
    return KeptDecision(bar, ticket: deciding.key, decider: .list, details: deciding.listed)
  }

  /// Why nobody passes by what the ticket system tells without redeeming; `nil` where it may be asked for.
  func inspected(_ deciding: inout Deciding, by rule: GateRule, deadline: MonotonicTime) async -> KeptDecision? {
    let scan = deciding.scan
    if rule.takes(deciding.listed) || scan.event.map({ rule.word(onNamed: $0) == .takes }) == true { return nil }
    let began = time.now()
    // The other half is the request's.
    let found = await deciding.system.inspect(scan.code, deadline: began + max(.zero, deadline - began) / 2)
    deciding.line = found.line
    guard case .bars(let bar) = found.word else { return nil }
    let kept = KeptDecision(bar, ticket: deciding.key, decider: .server)
    learn(kept.decision, scan)
    cap.countVain(scan.reader, at: time.now())
    return kept
  }
}

extension GateRule {
  /// Why nobody passes with a code that names this event; `nil` where it names none, or that does not matter.
  func bar(named event: String?) -> GateBar? {
    if case .bars(let bar)? = event.map({ word(onNamed: $0) }) { bar } else { nil }
  }
}
