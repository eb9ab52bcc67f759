internal import ScanModel
internal import Calls
package import TicketSystemKit
internal import TicketTransport

extension TicketSystemType {
  /// The ticket scanning API.
  package static let eventSchedule = EventScheduleSection.type(connect: EventScheduleSection.connect)
}

extension EventScheduleSection {
  private static func upkeep(
    _ look: BrandingWatch?
  ) -> (@Sendable (_ tell: @escaping @Sendable (UpkeepNews) -> Void) async -> Void)? {
    guard let look else { return nil }
    return { _ in await look.run() }
  }

  fileprivate static func connect(
    _ id: TicketSystemID, _ settings: System, _ use: ConnectionUse, _ list: ListOnBoard?,
    _ credentials: CredentialResolver, _ time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    let (transport, key) = try settings.transport(of: id, time) { transport in
      if use == .list { transport.mostBytes = 4 << 20 }
    }
    let budget = settings.rate.budget(for: use)
    let client = EventScheduleClient(
      transport: transport, key: try key.secret(of: id, credentials), budget: budget, time: time)
    let book = EventBook(time: time)
    let directory = EventDirectory(client: client, book: book, list: list, time: time)
    // Whoever takes a list on board shows nothing.
    let look = use == .gates ? BrandingWatch(settings.instance(time)) : nil
    return TicketSystemConnection(
      id: id, roster: EventScheduleRoster(client: client, directory: directory, time: time),
      mirror: settings.mirror.checkIns ? EventScheduleMirror(client: client, time: time) : nil,
      face: { (gate: Gate?) in
        EventScheduleTicketSystem(
          id: id, client: client, gate: gate ?? Gate(), book: book, directory: directory, time: time)
      },
      upkeep: Self.upkeep(look), shares: directory.shared,
      look: {
        var found = ConnectionLook(budget: client.metered.left, certificateEnds: transport.certificateEnds)
        found.branding = look?.branding
        if let tonight = directory.tonight { (found.event, found.seats) = (tonight.name, tonight.seats) }
        return found
      },
      close: {
        directory.stop()
        await transport.close()
      })
  }
}

extension EventScheduleSection.System {
  /// What carries calls to the server, and where the key is.
  /// - Parameter change: what is to be another than usual.
  /// - Throws: that the server is not known, or what is wrong with the certificate file.
  func transport(
    of id: TicketSystemID, _ time: any TimeSource, _ change: (inout HTTPTransport.Settings) -> Void
  ) throws(SetupError) -> (HTTPTransport, TicketSystemKey) {
    guard let (server, key) = configured else {
      throw SetupError("Ticket system \(id): its server is not known.")
    }
    var settings = HTTPTransport.Settings()
    settings.words = ServerWords(naming: self, of: id)
    if let caFile { settings.trust = .onlyFile(path: caFile.path) }
    change(&settings)
    do {
      return (try HTTPTransport(server: server, settings: settings, time: time), key)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
  }
}

extension EventScheduleSection.System {
  /// Who asks the server how it wants to look, without the key.
  fileprivate func instance(_ time: any TimeSource) -> (InstanceClient, ServerAddress)? {
    guard let (server, _) = configured else { return nil }
    var settings = HTTPTransport.Settings()
    if let caFile { settings.trust = .onlyFile(path: caFile.path) }
    return (InstanceClient(typed: server, settings: settings, time: time), server)
  }
}

extension EventScheduleSection.Rate {
  /// What may be asked for a use.
  func budget(for use: ConnectionUse) -> RateBudget {
    RateBudget(limit: limit, share: Double(share) / 100 * use.share, model: model)
  }
}
