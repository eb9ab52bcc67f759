package import ScanModel
internal import Synchronization
package import TicketTransport
internal import WireText

/// The kiosk service's API, whole and typed: the document's endpoints, and what real servers have in their place. One for each
/// server. It keeps no token, and remembers only which ways a server understands. The same question at the same time is one
/// request.
package final class KioskClient: StationControl {
  /// Which ways the server understood last.
  private struct Ways {
    /// Where a configuration was last; `nil` where none was had yet.
    var configuration: Place?
    /// Whether `inUse` is its spelling.
    var isCamelCase = false
    var validation = Validation.post
  }

  /// How a token is validated.
  private enum Validation {
    /// As the document has it.
    case post
    /// A GET that only a good token passes.
    case get
    /// A GET of the station's own row.
    case row
  }

  private enum Place: CaseIterable {
    /// `/kiosks/configuration`, where the token says whose.
    case document
    /// `/kiosks/{id}/remote-config`.
    case remote
    /// `/kiosks/{id}`: the station's own row of the service's table.
    case row

    func path(_ segment: String) -> String {
      switch self {
      case .document: KioskPath.configuration
      case .remote: KioskPath.remoteConfiguration(segment)
      case .row: KioskPath.row(segment)
      }
    }
  }

  /// What a request asks, as far as it tells two apart.
  struct Question: Hashable {
    let kioskID: String
    let token: ControlToken?
    var refreshing = false
    /// What is told with it.
    var told = ""
  }

  private let transport: HTTPTransport
  private let ways = Mutex(Ways())
  let healths: JoinedCalls<String, Void>
  let configurations: JoinedCalls<Question, ControlConfiguration>
  let registrations: JoinedCalls<Question, Void>
  let reports: JoinedCalls<Question, Void>
  let validations: JoinedCalls<Question, Void>

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - transport: the server, with `transportSettings`. Its base path is where `/api` begins; a base URL that ends in `/api` is
  ///     understood as well.
  ///   - time: the transport's clock.
  package init(transport: HTTPTransport, time: any TimeSource = SystemTime()) {
    self.transport = transport
    healths = JoinedCalls(time: time)
    configurations = JoinedCalls(time: time)
    registrations = JoinedCalls(time: time)
    reports = JoinedCalls(time: time)
    validations = JoinedCalls(time: time)
  }

  /// How the service is spoken to: answers may come packed, and 256 KiB is the largest.
  package static var transportSettings: HTTPTransport.Settings {
    var settings = HTTPTransport.Settings()
    settings.decompresses = true
    settings.words.role = "control service"
    settings.words.whenLost = "it may have done what was asked"
    return settings
  }

  package var server: String { transport.server.hostAndPort }

  package func close() async { await transport.close() }

  // MARK: Health and registration

  package func health(deadline: MonotonicTime) async throws(ControlFault) {
    try await joined(healths, "", deadline) { [self] () async throws(ControlFault) in
      var answer = try await ask(.get, KioskPath.health, deadline: deadline)
      if answer.status == 404 { answer = try await ask(.get, KioskPath.laterHealth, deadline: deadline) }
      try HealthAnswer.read(answer)
    }
  }

  package func register(
    _ station: StationIdentity, token: ControlToken?, deadline: MonotonicTime
  ) async throws(ControlFault) {
    let question = Question(kioskID: station.id, token: token, told: station.version)
    try await joined(registrations, question, deadline) { [self] () async throws(ControlFault) in
      try await registerOnce(station, token, deadline)
    }
  }

  private func registerOnce(
    _ station: StationIdentity, _ token: ControlToken?, _ deadline: MonotonicTime
  ) async throws(ControlFault) {
    var body = JSONText.object(("id", station.id), ("version", station.version))
    if let token { body.add("token", token.text) }
    let answer = try await ask(
      .post, KioskPath.register, body: body, hiding: token.map { [$0.redaction] } ?? [], deadline: deadline)
    guard answer.content == nil else { return }
    switch answer.status {
    case 400, 422:
      throw ControlFault(
        .configuration,
        "\(server) does not take this station's identifier or version (\(answer.status))\(answer.quoted)",
        status: answer.status)
    case 401, 403:
      throw ControlFault(
        .authentication,
        "\(server) does not accept the registration token (\(answer.status))\(answer.quoted)\(answer.clockWords) Give the right "
          + "one: scangate credential set.", status: answer.status)
    default: throw answer.fault("a registration", isOfStation: false)
    }
  }

  // MARK: Activation

  /// As the port says. The station's identifier and the code are always both sent; the code's letters as capitals.
  ///
  /// Servers with a beacon take the codes that they print as links there, and nowhere else; others have no such place, and say so.
  /// A code is never sent to a second place unless the first one did not have it.
  package func activate(
    _ code: ActivationCode, as station: StationIdentity, deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    let asked = code.kioskID ?? station.id
    let first = try await activation(code.isLinked ? .beacon : .document, code, station, deadline)
    guard first.mayBeElsewhere(isLinked: code.isLinked) else { return try ActivationAnswer.read(first, asked: asked) }
    let second = try await activation(code.isLinked ? .document : .beacon, code, station, deadline)
    return try ActivationAnswer.read(second.isNoPlace ? first : second, asked: asked)
  }

  private enum ActivationPlace {
    case document, beacon
  }

  private func activation(
    _ place: ActivationPlace, _ code: ActivationCode, _ station: StationIdentity, _ deadline: MonotonicTime
  ) async throws(ActivationFault) -> KioskAnswer {
    var body = JSONText.object(
      ("kioskId", code.kioskID ?? station.id), ("activationCode", code.code.uppercased()))
    if place == .beacon {
      let device = JSONText.object(
        ("deviceId", station.id), ("appVersion", station.version))
      body.add("deviceInfo", object: device.text)
    }
    do {
      return try await ask(
        .post, place == .beacon ? KioskPath.beacon : KioskPath.activate, body: body,
        hiding: [Redaction(code.code, shownAs: code.description)], deadline: deadline)
    } catch {
      throw ActivationFault(error)
    }
  }

  // MARK: Configuration

  package func configuration(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration {
    let question = Question(kioskID: activation.kioskID, token: activation.token, refreshing: refreshing)
    return try await joined(configurations, question, deadline) { [self] () async throws(ControlFault) in
      try await fetch(of: activation, refreshing: refreshing, deadline: deadline)
    }
  }

  /// Asks at the place that gave one last, then at the others. Real servers take the document's place for the row of another
  /// kiosk, and some refuse that: as long as no place is known, a token is refused when none takes it.
  private func fetch(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration {
    let segment = try segment(of: activation)
    let known = ways.withLock { $0.configuration }
    var status: Int?
    var refusal: ControlFault?
    for place in (known.map { [$0] } ?? []) + Place.allCases.filter({ $0 != known }) {
      let answer = try await ask(
        .get, place.path(segment), query: refreshing ? [("refresh", "true")] : [], skipsCaches: refreshing,
        token: activation.token, deadline: deadline)
      do throws(ControlFault) {
        if let configuration = try ConfigurationAnswer.read(answer, hiding: activation.redactions) {
          ways.withLock { $0.configuration = place }
          return configuration
        }
        status = answer.status
      } catch {
        // A refusal that names the token is of the token, wherever it was met.
        guard known == nil, answer.status == 401, answer.code.isEmpty else { throw error }
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
    throw ControlFault(
      .configuration,
      "\(server) has no configuration for this station. Check there whether the station is registered and active; what was "
        + "fetched before stays.", status: status)
  }

  // MARK: Status and token

  package func report(
    _ status: StationStatus, isManual: Bool, at time: WallTime, of activation: Activation, deadline: MonotonicTime
  ) async throws(ControlFault) {
    let question = Question(
      kioskID: activation.kioskID, token: activation.token, told: "\(status.rawValue) \(isManual)")
    try await joined(reports, question, deadline) { [self] () async throws(ControlFault) in
      try await reportOnce(status, isManual, time, activation, deadline)
    }
  }

  private func reportOnce(
    _ status: StationStatus, _ isManual: Bool, _ time: WallTime, _ activation: Activation, _ deadline: MonotonicTime
  ) async throws(ControlFault) {
    let path = KioskPath.status(try segment(of: activation))
    for isLast in [false, true] {
      let isCamelCase = ways.withLock { $0.isCamelCase }
      let spelling = status == .inUse && isCamelCase ? "inUse" : status.rawValue
      var body = JSONText.object(("status", spelling), ("timestamp", time.iso8601Seconds))
      body.add("manualOverride", isManual)
      let answer = try await ask(.put, path, token: activation.token, body: body, deadline: deadline)
      if answer.content != nil || (answer.isSuccess && answer.body == .empty) { return }
      // Servers spell one of them in another way, and say so.
      guard status == .inUse, !isLast, answer.status == 400,
        answer.lowerText.contains("status") || answer.code.contains("STATUS")
      else {
        throw answer.fault("this station's status")
      }
      ways.withLock { $0.isCamelCase = !isCamelCase }
    }
  }

  /// As the port says. Real servers have no such endpoint: there the question is a GET that only a valid token passes.
  package func validate(_ activation: Activation, deadline: MonotonicTime) async throws(ControlFault) {
    guard activation.token != nil else {
      throw ControlFault(
        .authentication, "This station has no token of \(server): the service gave none when it was activated.",
        wasSent: false)
    }
    let question = Question(kioskID: activation.kioskID, token: activation.token)
    try await joined(validations, question, deadline) { [self] () async throws(ControlFault) in
      try await validateOnce(activation, deadline)
    }
  }

  private func validateOnce(_ activation: Activation, _ deadline: MonotonicTime) async throws(ControlFault) {
    let known = ways.withLock { $0.validation }
    let row = KioskPath.row(try segment(of: activation))
    if known == .post {
      let posted = try await ask(
        .post, KioskPath.validate, token: activation.token, body: JSONText.object(), deadline: deadline)
      if posted.status != 404, posted.status != 405 { return try TokenAnswer.read(posted) }
    }
    let got = try await ask(
      .get, known == .row ? row : KioskPath.validate, token: activation.token, deadline: deadline)
    if known != .post, got.status == 404 || got.status == 405 { ways.withLock { $0.validation = .post } }
    do throws(ControlFault) {
      try TokenAnswer.read(got)
      if known == .post { ways.withLock { $0.validation = .get } }
    } catch {
      // Some take the document's path for the row of another kiosk, and show each station its own alone.
      guard known == .post, got.status == 401, got.code.isEmpty else { throw error }
      let own = try await ask(.get, row, token: activation.token, deadline: deadline)
      guard own.content?["id"] != nil else { throw error }
      // A row that everybody is shown proves no token.
      guard try await !ask(.get, row, deadline: deadline).isSuccess else { throw error }
      ways.withLock { $0.validation = .row }
    }
  }

  // MARK: Asking

  private var late: ControlFault { ControlFault(.network, "\(server) did not answer in time.") }

  private func segment(of activation: Activation) throws(ControlFault) -> String {
    guard let segment = KioskPath.segment(activation.kioskID) else {
      throw ControlFault(
        .configuration, "This station's identifier at \(server) cannot be used. Activate the station again.",
        wasSent: false)
    }
    return segment
  }

  private func joined<Key, Value>(
    _ calls: JoinedCalls<Key, Value>, _ key: Key, _ deadline: MonotonicTime,
    _ body: @escaping @Sendable () async throws(ControlFault) -> Value
  ) async throws(ControlFault) -> Value {
    try await calls.outcome(for: key, deadline: deadline, late: late) {
      do throws(ControlFault) { return .success(try await body()) } catch { return .failure(error) }
    }.get()
  }

  /// One request. The token goes into its header and nowhere else.
  private func ask(
    _ method: HTTPCall.Method, _ path: String, query: [(name: String, value: String)] = [], skipsCaches: Bool = false,
    token: ControlToken? = nil, body: JSONText? = nil, hiding secrets: [Redaction] = [], deadline: MonotonicTime
  ) async throws(ControlFault) -> KioskAnswer {
    var call = HTTPCall(
      method, path: (transport.server.path.hasSuffix("/api") ? "" : "/api") + path, query: query, body: body?.bytes)
    call.skipsCaches = skipsCaches
    if let token {
      guard let secret = try? Secret(token.text) else {
        throw ControlFault(.authentication, "The token of \(server) cannot be sent.", wasSent: false)
      }
      call.credential = ("Authorization", "Bearer ", secret)
    }
    let outcome = await transport.send(call, deadline: deadline) { _ in }
    if let fault = ControlFault(outcome, host: server) { throw fault }
    guard case .answered(let answer) = outcome.result else { throw late }
    return KioskAnswer(answer, host: server, hiding: secrets + (token.map { [$0.redaction] } ?? []))
  }
}

extension ControlToken {
  /// Hides the token in text that came from outside.
  var redaction: Redaction { Redaction(text, shownAs: description) }
}

extension Activation {
  /// What the service's text must not show.
  var redactions: [Redaction] { token.map { [$0.redaction] } ?? [] }
}

extension ControlFault {
  /// Why there is no whole answer; `nil` where there is one.
  init?(_ outcome: HTTPOutcome, host: String) {
    switch outcome.result {
    case .answered: return nil
    case .notSent(let fault): self.init(fault, wasSent: false)
    case .lost(let fault): self.init(fault, wasSent: true)
    case .pending: self.init(.network, "\(host) did not answer in time.")
    }
  }

  private init(_ fault: TransportFault, wasSent: Bool) {
    // TLS that cannot be trusted and what is no HTTP are not the network's: nobody is to wait for them to pass.
    self.init(fault.reason == .unreachable ? .network : .unknown, fault.detail, wasSent: wasSent)
  }
}
