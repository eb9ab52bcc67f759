public import ScanConfiguration
internal import ScanModel

extension StationMemory {
  /// What a configuration changes that a running station cannot take over, each in words; empty where a reload will do.
  ///
  /// A ticket system's ledger belongs to its name and the server that it was written for: under another address it would
  /// refuse who was never there, and under another name it would be empty and let in again who is in.
  public func restartReasons(for new: StationConfiguration) -> [String] {
    new.ticketSystems.compactMap { system in
      let address = TicketSystemRegistry.address(of: system)
      if knows(system.id, at: address) { return nil }
      let why: String
      if knows(system.id) {
        why = "speaks to another server now; what it has admitted is known for the old one only"
      } else if let old = name(of: address, besides: new) {
        why = "was ticketSystems.\(old) before; what that has admitted would be forgotten"
      } else {
        return nil
      }
      return "ticketSystems.\(system.id) \(why). Restart the service when the doors are closed."
    }
  }
}
