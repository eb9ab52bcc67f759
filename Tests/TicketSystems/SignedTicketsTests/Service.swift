import Calls
import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import SignedTickets

/// What the service writes.
enum Wire {
  /// A `Date` header's value.
  static func date(_ time: WallTime) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date(timeIntervalSince1970: Double(time.seconds)))
  }

  /// An answer with its head.
  static func response(
    _ status: String, _ body: String, type: String? = "application/json", date: WallTime? = nil, extra: String = ""
  ) -> String {
    "HTTP/1.1 \(status)\r\n" + (type.map { "Content-Type: \($0)\r\n" } ?? "")
      + (date.map { "Date: \(Self.date($0))\r\n" } ?? "") + extra + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// A refusal in the API's form.
  static func problem(
    _ status: String, _ type: String, detail: String = "No.", date: WallTime? = nil, extra: String = ""
  ) -> String {
    let code = status.prefix(3)
    let body =
      #"{"type":"urn:thankful:\#(type)","title":"Refused","status":\#(code),"detail":"\#(detail)","trace_id":"1"}"#
    return response(status, body, type: "application/problem+json; charset=utf-8", date: date, extra: extra)
  }

  static func redeemed(_ jti: String = "tkt_0011223344556677", date: WallTime? = nil) -> String {
    response("200 OK", #"{"jti":"\#(jti)","status":"redeemed"}"#, date: date)
  }

  static let alreadyRedeemed = problem("409 Conflict", "verification:already_redeemed")
}

/// A verification service over real sockets: it redeems each ticket once, as the real one does, unless a test says otherwise.
final class Service: Sendable {
  /// What it does with a request to redeem.
  enum Manner: Sendable, Equatable {
    /// Redeems, and answers.
    case answers
    /// Redeems, and ends the connection.
    case loses
    /// Ends the connection at whatever comes, its keys, too.
    case isAway
    /// Redeems, and answers when `release` is called.
    case holds
    /// Answers so, whatever comes.
    case says(String)
  }

  private struct State {
    var manner = Manner.answers
    var redeemed: Set<String> = []
    var keys: String
    /// What is answered to whoever asks for its keys; `nil` where its keys are.
    var keyAnswer: String?
    /// How far its clock is ahead; `nil` where it tells no time.
    var ahead: Duration? = .zero
    var held: [@Sendable () -> Void] = []
    /// What single tickets are answered.
    var refused: [String: String] = [:]
    /// Whose answers wait.
    var slow: Set<String> = []
  }

  private let state: Mutex<State>
  private let script: Mutex<ScriptedServer?> = Mutex(nil)
  /// An element for each request.
  let seen = AsyncStream<Void>.makeStream()
  let time: MovableTime

  init(keys: String = Issuer.jwks(Issuer.vector.jwk()), time: MovableTime = MovableTime()) {
    state = Mutex(State(keys: keys))
    self.time = time
  }

  var server: ScriptedServer {
    script.withLock { server in
      if let server { return server }
      let made = ScriptedServer { [self] _, request, connection in answer(request, connection) }
      server = made
      return made
    }
  }

  func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }
  func publish(_ keys: String) { state.withLock { $0.keys = keys } }
  /// Whoever asks for its keys is answered so.
  func answerKeys(_ answer: String?) { state.withLock { $0.keyAnswer = answer } }
  /// Its clock is so far ahead; `nil` where it tells no time.
  func tellTime(ahead: Duration?) { state.withLock { $0.ahead = ahead } }
  /// This ticket is answered so.
  func refuse(_ token: String, _ answer: String) { state.withLock { $0.refused[token] = answer } }
  /// The answer to this ticket waits for `release`.
  func hold(_ token: String) { state.withLock { _ = $0.slow.insert(token) } }
  /// Whether an answer waits.
  var isHolding: Bool { state.withLock { !$0.held.isEmpty } }
  /// Somebody else redeems it.
  func spend(_ token: String) { state.withLock { _ = $0.redeemed.insert(token) } }

  private func answer(_ request: String, _ connection: ScriptedServer.Connection) {
    defer { seen.continuation.yield() }
    let date = state.withLock { state in state.ahead.map { time.wall() + $0 } }
    let token = Self.token(in: request)
    let (answer, isHeld): (String?, Bool) = state.withLock { state in
      if state.manner == .isAway { return (nil, false) }
      guard let token else {
        guard request.hasPrefix("GET /v1/verification/jwks ") else {
          return (Wire.response("404 Not Found", "{}", date: date), false)
        }
        return (state.keyAnswer ?? Wire.response("200 OK", state.keys, date: date), false)
      }
      if case .says(let text) = state.manner { return (text, false) }
      if let text = state.refused[token] { return (text, false) }
      guard let ticket = SignedTicket(Code(token)) else {
        return (Wire.problem("422 Unprocessable Content", "verification:invalid_token", date: date), false)
      }
      let isFresh = state.redeemed.insert(token).inserted
      let answer =
        isFresh
        ? Wire.redeemed(ticket.id, date: date)
        : Wire.problem("409 Conflict", "verification:already_redeemed", date: date)
      return (state.manner == .loses ? nil : answer, state.manner == .holds || state.slow.contains(token))
    }
    guard let answer else { return connection.close() }
    guard isHeld else { return connection.send(answer) }
    state.withLock { $0.held.append { connection.send(answer) } }
  }

  /// What is asked to be redeemed; `nil` for another request.
  private static func token(in request: String) -> String? {
    guard request.hasPrefix("POST /v1/verification/redeem "), let start = request.range(of: #"{"ticket_token":""#)
    else { return nil }
    return String(request[start.upperBound...].prefix { $0 != "\"" })
  }

  /// Lets what is held be answered.
  func release() {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for answer in held { answer() }
  }

  /// How many requests to redeem a ticket have come.
  var redemptions: Int { server.requests.count { Self.token(in: $0).map { !$0.isEmpty } ?? false } }
  /// How often its keys were asked for.
  var keyFetches: Int { server.requests.count { $0.hasPrefix("GET /v1/verification/jwks ") } }

  /// Returns once that holds; each request that comes is a reason to look.
  func until(_ holds: @Sendable () -> Bool) async {
    if holds() { return }
    for await _ in seen.stream where holds() { return }
  }
}

/// One gate's face of a service, over real HTTP, without a ledger.
struct Door: Sendable {
  static let id = TicketSystemID("theatre")

  let service: Service
  let transport: HTTPTransport
  let client: SignedTicketsClient
  let keys: TicketKeys
  let system: SignedTicketsTicketSystem
  var time: MovableTime { service.time }

  /// Opens one.
  /// - Parameter hasKeys: whether it has the service's keys on board already.
  static func open(
    _ service: Service = Service(), performances: [String]? = nil, gate: [String]? = nil, budget: RateBudget? = nil,
    records: Records? = nil, isTrusted: Bool = true, hasKeys: Bool = true
  ) async throws -> Door {
    try await Door(
      service, "http://localhost:\(try await service.server.start())", performances, gate, budget, records, isTrusted,
      hasKeys)
  }

  init(
    _ service: Service, _ address: String, _ performances: [String]? = nil, _ gate: [String]? = nil,
    _ budget: RateBudget? = nil, _ records: Records? = nil, _ isTrusted: Bool = true, _ hasKeys: Bool = true
  ) async throws {
    self.service = service
    let time = service.time
    let url = try ServerAddress(address)
    var settings = HTTPTransport.Settings()
    settings.words.keyCure = "Mend token."
    settings.words.addressCure = "Mend url."
    transport = try HTTPTransport(server: url, settings: settings, time: time)
    client = SignedTicketsClient(
      transport: transport, token: try Secret("test-token"), organisation: Issuer.tenant,
      budget: budget ?? RateBudget(limit: 1_000, model: .window), time: time)
    let clock: @Sendable () -> JournalTime = {
      JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: isTrusted || time.isBelieved)
    }
    keys = TicketKeys(transport: transport, records: records, now: clock)
    system = SignedTicketsTicketSystem(
      id: Self.id, client: client, keys: keys, settings: Self.settings(url, performances: performances),
      gate: .init(performances: gate), list: ListOnBoard(of: Self.id, nil, maxAge: .zero, clock: clock))
    if hasKeys { expectEqual(await keys.fetch(), []) }
  }

  /// The section of the file.
  static func settings(_ url: ServerAddress, performances: [String]? = nil) -> SignedTicketsSection.System {
    let place = SourcePosition(file: "f", line: 1, column: 1)
    return SignedTicketsSection.System(
      url: url, urlPosition: place, org: Issuer.tenant, orgPosition: place,
      token: CredentialReference(name: "theatre", position: place), performances: performances, allowPlainHTTP: false)
  }

  /// A ticket that is good now.
  func ticket(_ jti: String = "tkt_0011223344556677") -> String { Issuer.vector.ticket(jti, at: time.wall()) }

  /// One presentation, as a gate makes it: what examining lets through is asked about.
  func present(_ code: String) async -> String {
    switch system.examine(Code(code), at: time.wall()) {
    case .refuse(let reason): "refused \(reason)"
    case .undecided(let reason, _): "undecided \(reason)"
    case .proceed: name(await attempt(code).answer)
    }
  }

  /// The deadline is far away unless a test is about it: nothing here waits for it.
  func attempt(
    _ code: String, within limit: Duration = .seconds(60), isOwed: Bool = false,
    late: @escaping @Sendable (AttemptOutcome) -> Void = { _ in }
  ) async -> AttemptOutcome {
    await system.attempt(
      AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: Code(code), deadline: time.now() + limit, isOwed: isOwed),
      late: late)
  }

  func close() async {
    await transport.close()
    await service.server.stop()
  }
}

/// An answer's name: `redeemed`, `refused expired`, `undecided badAnswer`.
func name(_ answer: TicketAnswer) -> String {
  switch answer {
  case .redeemed: "redeemed"
  case .valid: "valid"
  case .refused(let reason, _): "refused \(reason)"
  case .undecided(let reason, _): "undecided \(reason)"
  }
}

/// The machine's clocks, which a test moves ahead.
final class MovableTime: TimeSource {
  private let ahead = Mutex(Duration.zero)
  private let believed = Mutex(false)
  /// Whether something has come to vouch for it.
  var isBelieved: Bool { believed.withLock { $0 } }
  /// Something vouches for it from now on.
  func believe() { believed.withLock { $0 = true } }

  func advance(by duration: Duration) { ahead.withLock { $0 += duration } }
  func now() -> MonotonicTime { SystemTime().now() + ahead.withLock { $0 } }
  func wall() -> WallTime { SystemTime().wall() + ahead.withLock { $0 } }
}
