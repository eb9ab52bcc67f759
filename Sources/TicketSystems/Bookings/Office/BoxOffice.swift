internal import Calls
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What a command of the box office works with. What it prints is for whoever sits there; passwords, tokens and sessions are in none of
/// it, and of codes the last characters alone unless they were asked for.
///
///     the app's routes: body + userAgent, mobile ─▶ without a session, or as who is signed in ─▶ both shapes of an answer
struct BoxOffice: Sendable {
  /// Requests a minute; the service counts some of its routes apart, and says so by 429.
  private static let rate = 60

  /// What is sent where nobody is signed in: nothing, whatever it is.
  private static let nobody = "nobody-is-signed-in-here"

  private let transport: any HTTPCalling
  let time: any TimeSource
  let program: any CommandHost
  let isJSON: Bool
  /// Who is signed in; `nil` for nobody.
  let session: BoxSession?
  /// What nothing that is printed may show.
  private(set) var secrets: [Redaction]
  /// Of what may be a minute old, and of what may not.
  private let cached: DeskCalls, fresh: DeskCalls

  /// Connects nowhere yet.
  init(
    _ transport: any HTTPCalling, program: any CommandHost, isJSON: Bool, session: BoxSession? = nil,
    secrets: [Redaction] = [], time: any TimeSource
  ) throws(Secret.Fault) {
    self.transport = transport
    self.time = time
    self.program = program
    self.isJSON = isJSON
    self.session = session
    self.secrets = secrets + [session?.redaction].compactMap(\.self)
    let key: Secret
    if let session { key = try session.secret } else { key = try Secret(Self.nobody) }
    let metered = MeteredClient(
      transport: session == nil ? Unsigned(transport: transport) : transport,
      key: key,
      budget: RateBudget(limit: Self.rate, model: .window),
      policy: MeteredClient.Policy(header: "Authorization", prefix: "Bearer ") { answer in
        .init(answer.status == 429 ? .limited : .counted)
      }, time: time)
    let tell: @Sendable (String) -> Void = { program.tell(TerminalText.clean($0, limit: 1_000)) }
    cached = DeskCalls(metered, BoxOfficeManner(mayBeCached: true), time: time, tell: tell)
    fresh = DeskCalls(metered, BoxOfficeManner(mayBeCached: false), time: time, tell: tell)
  }

  /// The same, as who is signed in.
  func signedIn(_ session: BoxSession) throws(Secret.Fault) -> BoxOffice {
    try BoxOffice(
      transport, program: program, isJSON: isJSON, session: session, secrets: secrets, time: time)
  }

  /// The same, whose output shows less.
  func hiding(_ more: [Redaction]) -> BoxOffice {
    var office = self
    office.secrets += more
    return office
  }

  /// The same, to which a secret was typed.
  func hiding(secret: String) -> BoxOffice { hiding([Redaction(secret, shownAs: "(secret)")]) }

  /// The server.
  var server: ServerAddress { transport.server }

  /// The server, for messages.
  var host: String { transport.server.hostAndPort }

  // MARK: Telling

  /// Words for people beside what was asked for.
  func tell(_ words: String) {
    program.tell(TerminalText.clean(StaffText.hidden(words, secrets), limit: 2_000))
  }

  /// A line of what was asked for.
  func out(_ line: String) {
    program.out(TerminalText.clean(StaffText.hidden(line, secrets), limit: 4_000))
  }

  /// A document, as a line of JSON.
  func out(_ document: JSONValue) { program.out(document.shown(hiding: secrets, Concealment())) }

  /// One thing: its JSON, or a line for each field that it has.
  func print(_ document: JSONValue, _ fields: [(name: String, text: String?)]) {
    if isJSON { return out(document) }
    for line in DeskTable.lines(fields.compactMap { field in field.text.map { (field.name, $0) } }) { out(line) }
  }

  /// A failing end.
  func failure(_ fault: DeskFault) -> any Error {
    guard case .noWay(let words) = fault else { return failure(fault.words, fault.exit) }
    return failure("\(words) Is that the booking service, and is it awake? Check its address.", fault.exit)
  }

  /// A failing end.
  func failure(_ words: String, _ status: Int32) -> any Error {
    program.failure(TerminalText.clean(StaffText.hidden(words, secrets), limit: 2_000), status)
  }

  // MARK: Calls

  /// Reads what changes nothing.
  /// - Parameter mayBeCached: whether it may be as old as the service lets caches keep it.
  func read(
    _ path: String, _ words: String, _ query: [(name: String, value: String)] = [], mayBeCached: Bool = false
  ) async throws(DeskFault) -> JSONValue {
    var call = HTTPCall(.get, path: path, query: query)
    call.skipsCaches = !mayBeCached
    let words = "GET \(words)"
    return try agreed(await (mayBeCached ? cached : fresh).read(call, words, hiding: secrets), words)
  }

  /// Asks what changes nothing that matters, once: to sign in again and again closes the door for a quarter of an hour.
  func ask(
    _ method: HTTPCall.Method, _ path: String, _ members: [String: JSONValue]
  ) async throws(DeskFault) -> JSONValue {
    do throws(DeskFault) {
      return try await send(method, path, members: members)
    } catch {
      guard case .unclear(let words) = error else { throw error }
      throw .unavailable("\(words) Nothing was kept of it. Try again.")
    }
  }

  /// Has something changed, once.
  /// - Parameter look: what shows whether it was done, where the answer is lost; a sentence.
  func change(
    _ method: HTTPCall.Method, _ path: String, _ query: [(name: String, value: String)] = [],
    _ members: [String: JSONValue] = [:], look: String
  ) async throws(DeskFault) -> JSONValue {
    do throws(DeskFault) {
      return try await send(method, path, query, members: members)
    } catch {
      guard case .unclear(let words) = error else { throw error }
      throw .unclear("\(words) It was not sent again. \(look)")
    }
  }

  /// - Parameter members: of the body; `GET` has none.
  private func send(
    _ method: HTTPCall.Method, _ path: String, _ query: [(name: String, value: String)] = [],
    members: [String: JSONValue]
  ) async throws(DeskFault) -> JSONValue {
    // What the app says of itself in each body.
    let app: [String: JSONValue] = ["userAgent": .string("scangate"), "mobile": .bool(true)]
    let body = method == .get ? nil : JSONValue.object(members.merging(app) { own, _ in own }).written
    var call = HTTPCall(method, path: path, query: query, body: body)
    call.skipsCaches = true
    let words = "\(method.rawValue) \(path)"
    return try agreed(await fresh.change(call, words, hiding: secrets, isLong: true), words)
  }

  /// An answer with 2xx that is a refusal all the same.
  private func agreed(_ document: JSONValue, _ call: String) throws(DeskFault) -> JSONValue {
    guard let error = BoxOfficeError(document), error.isFailure else { return document }
    throw .refused(status: 200, "\(host) refuses \(call)\(error.quoted(hiding: secrets)).")
  }

  /// Asks in the first shape, and in the second where the service has no such call.
  /// - Parameter words: how that is told, of the second.
  func either<Answer>(
    _ first: () async throws(DeskFault) -> Answer, else words: String,
    _ second: () async throws(DeskFault) -> Answer
  ) async throws(DeskFault) -> Answer {
    do throws(DeskFault) {
      return try await first()
    } catch {
      guard case .noWay(let lacking) = error else { throw error }
      let answer = try await second()
      tell("\(lacking) \(words)")
      return answer
    }
  }
}

/// Calls that carry no session.
private struct Unsigned: HTTPCalling {
  let transport: any HTTPCalling
  var server: ServerAddress { transport.server }
  var words: ServerWords { transport.words }

  func send(
    _ call: HTTPCall, deadline: MonotonicTime, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    var call = call
    call.credential = nil
    return await transport.send(call, deadline: deadline, late: late)
  }
}
