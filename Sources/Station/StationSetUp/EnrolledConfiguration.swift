package import ScanConfiguration
package import ScanModel

extension StationConfiguration {
  /// Whether something of the station is set up by a scan: its control service, or a ticket system.
  package var isSetUpByScan: Bool { control != nil || ticketSystems.contains { $0.isUnenrolled } }

  /// Whether it has a ticket system of that name, with an address and a key.
  package func hasEnrolled(_ system: TicketSystemID) -> Bool {
    ticketSystems.contains { $0.id == system && !$0.isUnenrolled }
  }
}
