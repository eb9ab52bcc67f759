internal import Admission
internal import Calls
package import ScanModel

/// What gates and the station want of the keeper's parts, in which it is described.
extension LedgerKeeper {
  /// How a ticket system is, and how it is whenever that changes; who is slow gets the latest alone. Ends with its reader.
  package func news(of system: TicketSystemID) -> AsyncStream<TicketSystemNews> { health.news(of: system) }
  func newest(of system: TicketSystemID) -> TicketSystemNews { health.newest(of: system) }
  func check(_ systems: [any TicketSystem]) { health.check(systems) }
  /// Sets how far the clock that dates records is known to be ahead of `Date`; nothing changes where it is so already.
  package func setRecordOffset(_ offset: Duration) { health.setRecordOffset(offset) }
  func hold(_ isHeld: Bool) { sender.hold(isHeld) }
  func retry(_ again: [OwedAdmission]) { sender.retry(again) }
  func writeAnew() { stored.writeAnew(owed: sender.outbox.waiting) }

  /// Who comes before what nobody waits for; `nil` where nobody does.
  func precedence(at time: MonotonicTime) -> Precedence? {
    if health.reach.isOffline { return .offline }
    if !sender.outbox.isQuiet(at: time) { return .scans }
    return sender.outbox.count > 0 && !sender.outbox.isHeld ? .owed : nil
  }

  /// What was told of a ticket, as far as it is held in memory.
  func details(of ticket: TicketKey) -> TicketDetails? { stored.ledger.details(of: ticket) }

  /// A turn on the keeper's thread of what a part has begun.
  func turn(_ work: @Sendable (isolated LedgerKeeper) async -> Void) async { await work(self) }
}

/// Who comes before what nobody waits for.
enum Precedence: Sendable {
  /// Nobody: the server does not answer.
  case offline
  /// Somebody at a gate.
  case scans
  /// Admissions of which the ticket system has still to be told.
  case owed
}
