internal import Calls
internal import LinuxIO
internal import ScanModel
package import TicketSystemKit
internal import TicketTransport

extension TicketSystemType {
  /// Signed tickets: verified first, then redeemed.
  package static let signedTickets = TicketSystemType(
    SignedTicketsSection.self,
    example: [
      "url: https://tickets.example.org  # the server",
      "org: 00000000-0000-0000-0000-000000000001  # the organisation, as tickets name it",
      "token: theatre-redeem  # put in by: scangate credential set theatre-redeem",
    ],
    listed: { SignedTicketsTicketSystem.listedCode($0) }, server: { "\($0.url)" },
    budget: { _ in SignedTicketsClient.rate },
    settingNames: { .init(address: "\($0.url)", key: "token \($0.token.name)", place: $0.urlPosition) },
    connect: SignedTicketsSection.connect)
}

extension SignedTicketsSection {
  fileprivate static func connect(
    _ id: TicketSystemID, _ settings: System, _ use: ConnectionUse, _ list: ListOnBoard?,
    _ credentials: CredentialResolver, _ time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    let transport = try settings.transport(of: id, time)
    let client = SignedTicketsClient(
      transport: transport, token: try TicketSystemKey.credential(settings.token).secret(of: id, credentials),
      organisation: settings.org, budget: RateBudget(limit: SignedTicketsClient.rate, share: use.share, model: .window),
      time: time)
    let clock = ClockTrust(time: time)
    let list = list ?? ListOnBoard(of: id, nil, maxAge: .zero) { clock.now() }
    let keys = TicketKeys(transport: transport, records: credentials.sessions) { list.now() }
    return TicketSystemConnection(
      id: id,
      face: { (gate: Gate?) in
        SignedTicketsTicketSystem(
          id: id, client: client, keys: keys, settings: settings, gate: gate ?? Gate(), list: list)
      }, upkeep: { await keys.watch($0) },
      look: { ConnectionLook(budget: client.left, certificateEnds: transport.certificateEnds) },
      close: { await transport.close() })
  }
}

extension SignedTicketsSection.System {
  /// What carries calls to the server.
  /// - Throws: what is wrong with the certificate file.
  func transport(of id: TicketSystemID, _ time: any TimeSource) throws(SetupError) -> HTTPTransport {
    var transport = HTTPTransport.Settings()
    transport.words = ServerWords(naming: self)
    transport.lateLimit = SignedTicketsClient.lateLimit
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
  fileprivate init(naming settings: SignedTicketsSection.System) {
    self.init()
    role = SignedTicketsSection.role
    whenLost = "it may have redeemed the ticket"
    keyCure =
      "Put a token that is good in with \"scangate credential set \(settings.token.name)\" (token, "
      + "\(settings.token.position)), for the organisation of org (\(settings.orgPosition)), then reload the service: "
      + "systemctl reload scangate"
    addressCure = "Check url (\(settings.urlPosition))."
    trustCure =
      settings.caFile.map { "Check url (\(settings.urlPosition)) and caFile \($0.path) (\($0.position))." }
      ?? "Check url (\(settings.urlPosition)); where the authority is your own, name its certificate by caFile."
  }
}
