internal import ScanModel
internal import Calls
package import TicketSystemKit
internal import TicketTransport

extension TicketSystemType {
  /// The ticket scanning API.
  package static let eventSchedule = EventScheduleSection.type(connect: EventScheduleSection.connect)
}

extension EventScheduleSection {
  fileprivate static func connect(
    _ id: TicketSystemID, _ settings: System, _ use: ConnectionUse, _ credentials: CredentialResolver,
    _ time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    guard let (server, key) = settings.configured else {
      throw SetupError("Ticket system \(id): its server is not known.")
    }
    var transportSettings = HTTPTransport.Settings()
    transportSettings.words = ServerWords(naming: settings, of: id)
    if let caFile = settings.caFile { transportSettings.trust = .onlyFile(path: caFile.path) }
    if use == .list { transportSettings.mostBytes = 4 << 20 }
    let transport: HTTPTransport
    do {
      transport = try HTTPTransport(server: server, settings: transportSettings, time: time)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
    let budget = RateBudget(
      limit: settings.rate.limit, share: Double(settings.rate.share) / 100 * use.share,
      model: settings.rate.model)
    let client = EventScheduleClient(
      transport: transport, key: try key.secret(of: id, credentials), budget: budget, time: time)
    return TicketSystemConnection(
      id: id, roster: EventScheduleRoster(client: client, time: time),
      face: { (gate: Gate?) in
        EventScheduleTicketSystem(
          id: id, client: client, saleTicketID: gate?.saleTicket.map { Int64($0) }, seatNumber: gate?.seat)
      }, close: { await transport.close() })
  }
}
