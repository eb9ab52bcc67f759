internal import ForeignText
public import ScanModel
internal import Synchronization
public import TicketTransport

/// The kiosk service's API, whole and typed: the document's endpoints, and what real servers have in their place. One for each
/// server. It keeps no token, and remembers only which of two ways a server understands.
public final class KioskClient: StationControl {
  /// Which ways the server understood last.
  private struct Ways {
    var configuration = Place.document
    /// Whether `inUse` is its spelling.
    var isCamelCase = false
    /// Whether it validates by GET.
    var validatesByGet = false
  }

  private enum Place {
    /// `/kiosks/configuration`, where the token says whose.
    case document
    /// `/kiosks/{id}/remote-config`.
    case remote
  }

  struct Question: Hashable {
    let kioskID: String
    let token: ControlToken?
    let refreshing: Bool
  }

  private let transport: HTTPTransport
  private let ways = Mutex(Ways())
  let healths: JoinedCalls<String, Bool>
  let configurations: JoinedCalls<Question, ControlConfiguration>

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - transport: the server, with `transportSettings`. Its base path is where `/api` begins; a base URL that ends in `/api` is
  ///     understood as well.
  ///   - time: the transport's clock.
  public init(transport: HTTPTransport, time: any TimeSource = SystemTime()) {
    self.transport = transport
    healths = JoinedCalls(time: time)
    configurations = JoinedCalls(time: time)
  }

  /// How the service is spoken to: answers may come packed, and 256 KiB is the largest.
  public static var transportSettings: HTTPTransport.Settings {
    var settings = HTTPTransport.Settings()
    settings.decompresses = true
    settings.words.role = "control service"
    settings.words.whenLost = "it may have done what was asked"
    return settings
  }

  public var server: String { transport.server.description }

  public func close() async { await transport.close() }

  // MARK: Health and registration

  public func health(deadline: MonotonicTime) async throws(ControlFault) {
    _ = try await healths.outcome(for: "", deadline: deadline, late: late) { [self] in
      await outcome { () async throws(ControlFault) in
        var answer = try await ask(.get, KioskPath.health, deadline: deadline)
        if answer.status == 404 { answer = try await ask(.get, KioskPath.laterHealth, deadline: deadline) }
        try HealthAnswer.read(answer)
        return true
      }
    }.get()
  }

  public func register(
    _ station: StationIdentity, token: ControlToken?, deadline: MonotonicTime
  ) async throws(ControlFault) {
    var body = JSONText.object(("id", JSONText.string(station.id)), ("version", JSONText.string(station.version)))
    if let token { body.add("token", JSONText.string(token.text)) }
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
  public func activate(
    _ code: ActivationCode, as station: StationIdentity, deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    let asked = code.kioskID ?? station.id
    let body = JSONText.object(
      ("kioskId", JSONText.string(asked)), ("activationCode", JSONText.string(code.code.uppercased())))
    let answer: KioskAnswer
    do {
      answer = try await ask(
        .post, KioskPath.activate, body: body, hiding: [Redaction(code.code, shownAs: code.description)],
        deadline: deadline)
    } catch {
      throw ActivationFault(error)
    }
    return try ActivationAnswer.read(answer, asked: asked)
  }

  // MARK: Configuration

  public func configuration(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration {
    let question = Question(kioskID: activation.kioskID, token: activation.token, refreshing: refreshing)
    return try await configurations.outcome(for: question, deadline: deadline, late: late) { [self] in
      await outcome { () async throws(ControlFault) in
        try await fetch(of: activation, refreshing: refreshing, deadline: deadline)
      }
    }.get()
  }

  /// Asks at the place that gave one last, then at the other.
  private func fetch(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration {
    let segment = try segment(of: activation)
    let first = ways.withLock { $0.configuration }
    var status: Int?
    for place in [first, first == .document ? .remote : .document] {
      let path = place == .document ? KioskPath.configuration : KioskPath.remoteConfiguration(segment)
      let answer = try await ask(
        .get, path, query: refreshing ? [("refresh", "true")] : [], skipsCaches: refreshing, token: activation.token,
        deadline: deadline)
      status = answer.status
      guard let configuration = try ConfigurationAnswer.read(answer, hiding: activation.redactions) else { continue }
      ways.withLock { $0.configuration = place }
      return configuration
    }
    throw ControlFault(
      .configuration,
      "\(server) has no configuration for this station. Check there whether the station is registered and active; what was "
        + "fetched before stays.", status: status)
  }

  // MARK: Status and token

  public func report(
    _ status: StationStatus, isManual: Bool, at time: WallTime, of activation: Activation, deadline: MonotonicTime
  ) async throws(ControlFault) {
    let path = KioskPath.status(try segment(of: activation))
    for isLast in [false, true] {
      let isCamelCase = ways.withLock { $0.isCamelCase }
      let spelling = status == .inUse && isCamelCase ? "inUse" : status.rawValue
      let body = JSONText.object(
        ("status", JSONText.string(spelling)), ("timestamp", JSONText.string(CivilTime.text(time))),
        ("manualOverride", isManual ? "true" : "false"))
      let answer = try await ask(.put, path, token: activation.token, body: body, deadline: deadline)
      if answer.content != nil || (answer.isSuccess && answer.body == .empty) { return }
      // Servers spell one of them in another way, and say so.
      guard status == .inUse, !isLast, answer.status == 400, answer.lowerText.contains("status") else {
        throw answer.fault("this station's status")
      }
      ways.withLock { $0.isCamelCase = !isCamelCase }
    }
  }

  /// As the port says. Real servers have no such endpoint: there the question is a GET that only a valid token passes.
  public func validate(_ activation: Activation, deadline: MonotonicTime) async throws(ControlFault) {
    guard activation.token != nil else {
      throw ControlFault(
        .authentication, "This station has no token of \(server): the service gave none when it was activated.",
        wasSent: false)
    }
    var answer: KioskAnswer?
    if !ways.withLock({ $0.validatesByGet }) {
      let posted = try await ask(
        .post, KioskPath.validate, token: activation.token, body: JSONText.object(), deadline: deadline)
      if posted.status != 404, posted.status != 405 { answer = posted }
    }
    guard let answer else {
      let got = try await ask(.get, KioskPath.validate, token: activation.token, deadline: deadline)
      try TokenAnswer.read(got)
      return ways.withLock { $0.validatesByGet = true }
    }
    try TokenAnswer.read(answer)
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

  private func outcome<Value>(
    _ body: () async throws(ControlFault) -> Value
  ) async -> Result<Value, ControlFault> {
    do throws(ControlFault) { return .success(try await body()) } catch { return .failure(error) }
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
