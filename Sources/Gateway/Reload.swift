public import ScanConfiguration
internal import ScanModel

extension StationConfiguration {
  /// What `new` changes that a running station cannot take over, each in words; empty where a reload will do.
  ///
  /// A ticket system's ledger belongs to the server that it was written for: under another address it would let in again
  /// who is in, or refuse who was never there.
  public func restartReasons(for new: StationConfiguration) -> [String] {
    new.ticketSystems.compactMap { system in
      guard let old = ticketSystems.first(where: { $0.id == system.id }),
        TicketSystemRegistry.address(of: old) != TicketSystemRegistry.address(of: system)
      else { return nil }
      return
        "ticketSystems.\(system.id) speaks to another server now; what it has admitted is known for the old one only. "
        + "Restart the service when the doors are closed."
    }
  }
}
