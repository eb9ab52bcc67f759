internal import Calls
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// One way to have something changed; servers differ in it.
struct DeskWay: Sendable {
  var method: HTTPCall.Method
  /// Below `/api`, encoded.
  var path: String
  var body: JSONValue?
  /// Refusals after which the next way is tried, besides that there is no such call.
  var yields: Set<Int> = []
  /// What is to be known of it.
  var note: String?
  /// What its answer has to say; `nil` where whatever it says is believed.
  var word: SaleWord?

  /// `POST /api/tickets/123/refund`
  var words: String { "\(method.rawValue) /api\(path)" }
}

/// The server as the desk asks it: reading is repeated where that helps, a change is sent once.
struct DeskClient: Sendable {
  private let calls: DeskCalls
  private let apiPath: String
  private let tell: @Sendable (String) -> Void

  /// - Parameter tell: told what keeps a person waiting, and which way was taken.
  init(
    transport: any HTTPCalling, key: Secret, budget: RateBudget, time: any TimeSource,
    tell: @escaping @Sendable (String) -> Void
  ) {
    let policy = MeteredClient.Policy(header: EventScheduleClient.keyHeader) { .usual($0, isRefusal: $0.isRefusal) }
    let metered = MeteredClient(transport: transport, key: key, budget: budget, policy: policy, time: time)
    calls = DeskCalls(metered, EventScheduleManner(), time: time, tell: tell)
    apiPath = metered.server.apiPath
    self.tell = tell
  }

  /// The server, for messages.
  var host: String { calls.host }

  /// What the server's text must not show.
  var secrets: [Redaction] { calls.secrets }

  // MARK: Reading

  /// Asks what changes nothing.
  /// - Parameter path: below `/api`, encoded.
  func read(
    _ path: String, _ query: [(name: String, value: String)] = []
  ) async throws(DeskFault) -> JSONValue {
    try await calls.read(HTTPCall(.get, path: apiPath + path, query: query), "GET /api\(path)")
  }

  // MARK: Changing

  /// Has something changed, by the first way that the server has. What was sent is not sent again.
  /// - Returns: what the server said, and which way it was.
  func change(_ ways: [DeskWay]) async throws(DeskFault) -> (document: JSONValue, way: DeskWay) {
    var lacking: [String] = []
    for (number, way) in ways.enumerated() {
      let hasNext = number + 1 < ways.count
      do throws(DeskFault) {
        let document = try await change(way)
        if ways.count > 1 || way.note != nil || !lacking.isEmpty { tell(Self.words(way, after: lacking)) }
        return (document, way)
      } catch {
        switch error {
        case .noWay where hasNext: lacking.append("\(host) has no \(way.words)")
        case .refused(let status, _) where hasNext && way.yields.contains(status):
          lacking.append("\(way.words) is refused (\(status))")
        default: throw error
        }
      }
    }
    throw .noWay("\(host) has no such call.")
  }

  private static func words(_ way: DeskWay, after lacking: [String]) -> String {
    let reason = lacking.isEmpty ? "" : " (\(lacking.joined(separator: "; ")))"
    return "By \(way.words)\(reason)." + (way.note.map { " \($0)" } ?? "")
  }

  private func change(_ way: DeskWay) async throws(DeskFault) -> JSONValue {
    try await calls.change(
      HTTPCall(way.method, path: apiPath + way.path, body: way.body?.written), way.words)
  }
}
