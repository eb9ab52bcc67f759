internal import Calls
internal import LinuxIO
internal import ScanModel
package import TicketSystemKit
internal import TicketTransport

extension TicketSystemType {
  /// Subscriptions as passes: checked online, and our own book.
  package static let subscriptions = TicketSystemType(
    SubscriptionsSection.self,
    example: [
      "url: https://www.ftacademy.cn/api/v1  # the server",
      "accessToken: ftc  # put in by: scangate credential set ftc",
      "passes: { keys: /etc/scangate/pass-keys.txt }  # made by: scangate membership pass keygen",
    ],
    recognise: { SignedPass.ownForm(of: $0) }, listed: { PassReader.listedCode($0) }, server: { "\($0.url)" },
    budget: { _ in SubscriptionsClient.rate }, freshFor: { $0.freshFor },
    settingNames: {
      .init(address: "\($0.url)", key: "accessToken \($0.accessToken.name)", place: $0.urlPosition)
    }, fileProblems: { PassFiles.problems(keys: $0.passes.keys, revoked: $0.passes.revoked) },
    connect: SubscriptionsSection.connect)
}

extension SubscriptionsSection {
  fileprivate static func connect(
    _ id: TicketSystemID, _ settings: System, _ use: ConnectionUse, _ list: ListOnBoard?,
    _ credentials: CredentialResolver, _ time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    let files = try PassFiles(keys: settings.passes.keys, revoked: settings.passes.revoked, of: id)
    let transport = try settings.transport(of: id, time) { if use == .list { $0.mostBytes = 4 << 20 } }
    let client = SubscriptionsClient(
      transport: transport, token: try TicketSystemKey.credential(settings.accessToken).secret(of: id, credentials),
      budget: RateBudget(limit: SubscriptionsClient.rate, share: use.share, model: .window), recheck: settings.recheck,
      time: time)
    let clock = ClockTrust(time: time)
    let list = list ?? ListOnBoard(of: id, nil, maxAge: .zero) { clock.now() }
    let reader = PassReader(codes: settings.passes.codes, files: files)
    return TicketSystemConnection(
      id: id, roster: SubscriptionsRoster(client: client, environment: settings.environment),
      face: { (gate: Gate?) in
        SubscriptionsTicketSystem(
          id: id, client: client, reader: reader, settings: settings, gate: gate ?? Gate(), list: list)
      }, upkeep: { await files.watch($0) },
      look: { ConnectionLook(budget: client.left, certificateEnds: transport.certificateEnds) },
      close: { await transport.close() })
  }
}

extension SubscriptionsSection.System {
  /// What carries calls to the server.
  /// - Parameter change: what is to be another than usual.
  /// - Throws: what is wrong with the certificate file.
  func transport(
    of id: TicketSystemID, _ time: any TimeSource, _ change: (inout HTTPTransport.Settings) -> Void
  ) throws(SetupError) -> HTTPTransport {
    var transport = HTTPTransport.Settings()
    transport.words = ServerWords(naming: self)
    transport.lateLimit = SubscriptionsClient.longestRefresh
    if let caFile { transport.trust = .onlyFile(path: caFile.path) }
    change(&transport)
    do {
      return try HTTPTransport(server: url, settings: transport, time: time)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
  }
}

extension ServerWords {
  /// The words for a configured system: its own settings, each with its place in the file.
  fileprivate init(naming settings: SubscriptionsSection.System) {
    self.init()
    role = SubscriptionsSection.role
    whenLost = "nothing was counted"
    keyCure =
      "Put a token that is good in with \"scangate credential set \(settings.accessToken.name)\" (accessToken, "
      + "\(settings.accessToken.position)), then reload the service: systemctl reload scangate"
    addressCure = "Check url (\(settings.urlPosition))."
    trustCure =
      settings.caFile.map { "Check url (\(settings.urlPosition)) and caFile \($0.path) (\($0.position))." }
      ?? "Check url (\(settings.urlPosition)); where the authority is your own, name its certificate by caFile."
  }
}
