internal import StationSetUp
package import ScanConfiguration
internal import ScanModel

extension StationMemory {
  /// What a configuration changes that a running station cannot take over, each in words; empty where a reload will do.
  ///
  /// - Parameters:
  ///   - old: the configuration by which the station runs.
  ///   - takesCodes: whether it has been able to take set-up codes from its start.
  package func restartReasons(
    from old: StationConfiguration, to new: StationConfiguration, takesCodes: Bool
  ) -> [String] {
    let unenrolled = Set(old.ticketSystems.filter(\.isUnenrolled).map(\.id))
    var reasons = new.ticketSystems.compactMap { system -> String? in
      // Nobody was admitted by one that was not there yet.
      if unenrolled.contains(system.id) { return nil }
      let address = system.address
      if let scope = scope(of: address), scope != system.scope {
        return "ticketSystems.\(system.id) has another scope. Restart the service when the doors are closed."
      }
      guard let server = server(of: system.id), server != address else { return nil }
      return """
        ticketSystems.\(system.id) speaks to another server now; what it has admitted is known for the old one only. \
        Restart the service when the doors are closed.
        """
    }
    if old.journal != new.journal {
      reasons.append("journal: how long things are kept is set at the start. Restart the service.")
    }
    if old.fleet != new.fleet {
      reasons.append("fleet: which stations share a book is read at the start. Restart the service.")
    }
    if old.control != new.control || old.setUp != new.setUp {
      reasons.append("control and setUp: how a station is set up is read at the start. Restart the service.")
    } else if !takesCodes, new.isSetUpByScan {
      reasons.append("ticketSystems: set-up codes are taken from the start on only. Restart the service.")
    }
    return reasons
  }
}
