internal import Admission
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

  /// A turn on the keeper's thread of what a part has begun.
  func turn(_ work: @Sendable (isolated LedgerKeeper) async -> Void) async { await work(self) }
}
