internal import FleetBook
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel

extension StationWord {
  /// What a station says of itself, by its configuration.
  /// - Parameters:
  ///   - program: the program's version.
  ///   - key: by what it names tickets.
  init(_ configuration: StationConfiguration, program: String, key: FleetKey) {
    // The days by which a zone is told are the same for all programs: 15 January and 15 July 2027, 12:00 UTC.
    let rules = ZoneRules.machine()
    self.init(
      program: program,
      systems: configuration.ticketSystems.map { system in
        let address = Array(system.address.utf8)
        return Naming(
          address: key.naming(address), scope: key.naming(address, Array(system.scope.told.utf8)))
      },
      zone: Zone(
        january: Int32(clamping: rules.offset(at: 1_800_014_400)),
        july: Int32(clamping: rules.offset(at: 1_815_652_800))))
  }
}

extension TicketScope {
  /// All that names a ticket by it.
  fileprivate var told: String {
    switch self {
    case .once: "once"
    case .perDay(let begins): "perDay \(begins.saturatedNanoseconds)"
    case .perEvent(let event): "perEvent \(event)"
    case .untilExit: "untilExit"
    case .every(let interval): "every \(interval.saturatedNanoseconds)"
    }
  }
}
