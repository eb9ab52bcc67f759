package import ScanModel
package import TicketTransport

/// Posts alerts to one address: over HTTPS, or HTTP on this machine; no redirect is followed, so that the token goes nowhere else.
package final class AlertSender: Sendable {
  /// What came of a try.
  package enum Outcome: Sendable, Equatable {
    case delivered
    /// Why it has not arrived, and what to do. It may have arrived all the same.
    case failed(String)
  }

  /// How long one try may take.
  package static let patience = Duration.seconds(15)
  /// The largest answer that is read: nothing in it is looked at.
  private static let mostBytes = 65_536

  private let transport: HTTPTransport
  private let path: String
  private let token: Secret?
  private let patience: Duration
  private let time: any TimeSource

  /// Makes the sender; connects nowhere.
  /// - Parameters:
  ///   - path: what follows the address, such as `/`; may be empty.
  ///   - authorities: the file of the certificates that alone are trusted for it; `nil` for the system's.
  /// - Throws: that the file cannot be used.
  package init(
    url: ServerAddress, path: String = "", token: Secret? = nil, authorities: String? = nil,
    patience: Duration = AlertSender.patience, time: any TimeSource = SystemTime()
  ) throws(HTTPTransport.SetupFault) {
    var settings = HTTPTransport.Settings()
    if let authorities { settings.trust = .onlyFile(path: authorities) }
    settings.mostBytes = Self.mostBytes
    settings.words.role = "receiver of alerts"
    settings.words.whenLost = "it may have told them"
    settings.words.keyCure = "Put the right token in place."
    settings.words.addressCure = "Check console: { alerts: { url } }."
    settings.words.trustCure = "Check console: { alerts: { url, caFile } }."
    transport = try HTTPTransport(server: url, settings: settings, time: time)
    self.path = url.path.isEmpty && path.isEmpty ? "/" : path
    self.token = token
    self.patience = patience
    self.time = time
  }

  /// Tries once.
  package func post(_ message: AlertMessage) async -> Outcome {
    var call = HTTPCall(
      .post, path: path, credential: token.map { ("Authorization", "Bearer ", $0) }, body: Array(message.body.utf8))
    call.bodyType = "text/plain; charset=utf-8"
    call.accepts = "*/*"
    do throws(CallHeader.Fault) {
      try call.add(CallHeader("Title", message.title))
      try call.add(CallHeader("Priority", message.priority.rawValue))
      try call.add(CallHeader("Tags", message.tags))
    } catch {
      return .failed(error.description)
    }
    let outcome = await transport.send(call, deadline: time.now() + patience) { _ in }
    let host = transport.server.hostAndPort
    switch outcome.result {
    case .answered(let answer): return Self.judge(answer.status, host)
    case .notSent(let fault), .lost(let fault): return .failed(fault.detail)
    case .pending: return .failed("\(host) gave no answer in time; it may have told them.")
    }
  }

  /// Closes its connections.
  package func close() async { await transport.close() }

  private static func judge(_ status: Int, _ host: String) -> Outcome {
    switch status {
    case 200...299: .delivered
    case 300...399:
      .failed(
        "\(host) leads elsewhere (\(status)), where no alert and no token is sent. Write the address that it leads to: "
          + "console: { alerts: { url } }.")
    case 401, 403:
      .failed(
        "\(host) does not take alerts from this station (\(status)). Check the token: console: { alerts: { token } }.")
    case 404: .failed("\(host) knows no such address (404). Check console: { alerts: { url } }.")
    default: .failed("\(host) does not take alerts now (\(status)).")
    }
  }
}
