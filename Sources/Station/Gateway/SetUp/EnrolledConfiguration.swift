public import ScanConfiguration
public import ScanModel

extension StationConfiguration {
  /// Whether something of the station is set up by a scan: its control service, or a ticket system.
  public var isSetUpByScan: Bool { control != nil || ticketSystems.contains { $0.isUnenrolled } }

  /// Whether it has a ticket system of that name, with an address and a key.
  public func hasEnrolled(_ system: TicketSystemID) -> Bool {
    ticketSystems.contains { $0.id == system && !$0.isUnenrolled }
  }
}

extension TicketSystemConfiguration {
  /// Whether its server and key come by a set-up code, and have not come.
  var isUnenrolled: Bool { (settings as? EventScheduleSection.System)?.place == .enrolled }

  /// The system with what a set-up code brought.
  /// - Parameter credential: the name by which its key is asked for.
  /// - Returns: `nil` where the address is none.
  func enrolled(at url: String, credential: String) -> TicketSystemConfiguration? {
    guard var settings = settings as? EventScheduleSection.System, let server = ServerURL(url) else { return nil }
    let position = SourcePosition(file: "enrolment of \(id)", line: 1, column: 1)
    settings.urlPosition = nil
    settings.place = .configured(server, .credential(CredentialReference(name: credential, position: position)))
    var system = self
    system.settings = settings
    return system
  }
}

extension GateConfiguration {
  /// Takes what the ticket system says of the gate, where the file says nothing.
  mutating func enrol(saleTicket: Int64?, seat: String?) {
    guard saleTicket != nil || seat != nil else { return }
    let written = ticket as? EventScheduleSection.Gate
    ticket = EventScheduleSection.Gate(
      saleTicket: written?.saleTicket ?? saleTicket.flatMap { Int(exactly: $0) }, seat: written?.seat ?? seat)
  }

  /// Whether it takes the tickets of one sale ticket alone.
  var hasSaleTicket: Bool { (ticket as? EventScheduleSection.Gate)?.saleTicket != nil }
}
