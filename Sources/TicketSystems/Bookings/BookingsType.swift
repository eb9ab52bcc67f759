internal import LinuxIO
package import ScanModel
package import TicketSystemKit
package import TicketTransport

extension TicketSystemType {
  /// Show bookings: the list on board is the answer, and our own book.
  package static let bookings = TicketSystemType(
    BookingsSection.self,
    example: [
      "url: https://then-production.up.railway.app  # the server",
      "venue: { id: 3f0c2a51, slug: hamilton, zone: Europe/London }  # its shows, and its time",
      "staff: { email: door@example.org, password: theatre-door }  # put in by: scangate credential set theatre-door",
      "origin: https://lastminutelive.com  # the website that the server knows",
      "list: { refresh: 5 min }",
    ],
    recognise: { BookingCode.ownForm(of: $0) },
    // Two venues of one server have nothing in common, whatever their bookings are called.
    server: { "\($0.url) venue \($0.venue.id)" },
    settingNames: {
      .init(
        address: "\($0.url)", key: $0.staff.map { "staff.password \($0.password.name)" }, place: $0.urlPosition)
    },
    connect: BookingsSection.connect)
}

extension BookingsSection {
  fileprivate static func connect(
    _ id: TicketSystemID, _ settings: System, _ use: ConnectionUse, _ list: ListOnBoard?,
    _ credentials: CredentialResolver, _ time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    let (door, transport) = try settings.door(of: id, use, credentials, time)
    let clock = ClockTrust(time: time)
    let list = list ?? ListOnBoard(of: id, nil, maxAge: .zero) { clock.now() }
    let cure = transport.words.addressCure
    return TicketSystemConnection(
      id: id, roster: settings.staff == nil ? nil : DoorList(door: door, clock: { list.now() }),
      face: { (gate: Gate?) in
        BookingsTicketSystem(id: id, door: door, gate: gate ?? Gate(), list: list, cure: cure)
      },
      upkeep: { tell in
        var upkeep = DoorUpkeep(of: door, list, id)
        await upkeep.run(tell)
      }, look: { ConnectionLook(budget: door.left, certificateEnds: transport.certificateEnds) },
      close: { await transport.close() })
  }
}

extension BookingsSection.System {
  /// The door that is configured, and what carries its calls.
  /// - Parameters:
  ///   - use: what for: at a terminal nobody waits for a quarter of an hour.
  ///   - memories: what this process knows of doors.
  /// - Throws: what is wrong with the password or the certificate file.
  package func door(
    of id: TicketSystemID, _ use: ConnectionUse, _ credentials: CredentialResolver, _ time: any TimeSource
  ) throws(SetupError) -> (door: Door, transport: HTTPTransport) {
    try door(of: id, use, credentials, time, remembering: .process)
  }

  func door(
    of id: TicketSystemID, _ use: ConnectionUse, _ credentials: CredentialResolver, _ time: any TimeSource,
    remembering memories: DoorMemories
  ) throws(SetupError) -> (door: Door, transport: HTTPTransport) {
    let transport = try transport(of: id, time)
    let calls = BookingCalls(transport: transport, venue: venue, origin: origin, time: time)
    let memory = memories.memory(of: "\(url)", venue: venue.id, account: staff?.email)
    var session: StaffSession?
    if let staff {
      session = StaffSession(
        of: id, staff, password: try StaffPassword(staff.password, of: id, credentials), calls: calls, memory: memory,
        records: credentials.sessions)
    }
    let door = Door(
      calls, session: session, memory: memory, records: credentials.sessions,
      patience: use == .gates ? Door.patience : Door.briefPatience)
    return (door, transport)
  }

  /// What carries calls to the server.
  /// - Throws: what is wrong with the certificate file.
  private func transport(of id: TicketSystemID, _ time: any TimeSource) throws(SetupError) -> HTTPTransport {
    var transport = HTTPTransport.Settings()
    transport.words = ServerWords(naming: self)
    if let caFile { transport.trust = .onlyFile(path: caFile.path) }
    do {
      return try HTTPTransport(server: url, settings: transport, time: time)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
  }
}

extension ServerWords {
  /// The words for a configured system: its own settings, each with its place in the file.
  fileprivate init(naming settings: BookingsSection.System) {
    self.init()
    role = BookingsSection.role
    whenLost = "nothing was marked there"
    if let staff = settings.staff {
      keyCure =
        "Put the password of \(staff.email) in with \"scangate credential set \(staff.password.name)\" (staff.password, "
        + "\(staff.password.position)), then reload the service: systemctl reload scangate"
    }
    addressCure = "Check url (\(settings.urlPosition))."
    trustCure =
      settings.caFile.map { "Check url (\(settings.urlPosition)) and caFile \($0.path) (\($0.position))." }
      ?? "Check url (\(settings.urlPosition)); where the authority is your own, name its certificate by caFile."
  }
}
