internal import Calls
internal import ScanModel
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

  /// `POST /api/tickets/123/refund`
  var words: String { "\(method.rawValue) /api\(path)" }
}

/// The server as the desk asks it: reading is repeated where that helps, a change is sent once.
struct DeskClient: Sendable {
  /// For what a person waits for, and changes nothing.
  private static let retry = RetryPolicy(first: .seconds(1), longest: .seconds(4), mostTries: 3)
  private static let readPatience = Duration.seconds(120)
  private static let changePatience = Duration.seconds(30)
  /// How often a rate window is waited for.
  private static let mostWindows = 5

  private let metered: MeteredClient
  private let time: any TimeSource
  private let tell: @Sendable (String) -> Void

  /// - Parameter tell: told what keeps a person waiting, and which way was taken.
  init(
    transport: any HTTPCalling, key: Secret, budget: RateBudget, time: any TimeSource,
    tell: @escaping @Sendable (String) -> Void
  ) {
    let policy = MeteredClient.Policy(header: EventScheduleClient.keyHeader) { .usual($0, isRefusal: $0.isRefusal) }
    metered = MeteredClient(transport: transport, key: key, budget: budget, policy: policy, time: time)
    self.time = time
    self.tell = tell
  }

  /// The server, for messages.
  var host: String { metered.host }

  /// What the server's text must not show.
  var secrets: [Redaction] { metered.redactions }

  // MARK: Reading

  /// Asks what changes nothing.
  /// - Parameter path: below `/api`, encoded.
  func read(
    _ path: String, _ query: [(name: String, value: String)] = []
  ) async throws(DeskFault) -> JSONValue {
    var call = HTTPCall(.get, path: metered.server.apiPath + path, query: query)
    call.limits.mostBytes = HTTPCall.Limits.mostOfAll
    for _ in 0..<Self.mostWindows {
      let judged: Result<JSONValue, DeskFault>
      do throws(TransportFault) {
        judged = try await metered.read(call, Self.retry, deadline: time.now() + Self.readPatience) {
          answer -> MeteredClient.Reading<Result<JSONValue, DeskFault>> in
          let judged = judge(answer, "GET /api\(path)", changes: false)
          guard RetryPolicy.mayRepeatHarmlessCall(status: answer.status), case .failure(let fault) = judged else {
            return .value(judged)
          }
          return .fault(TransportFault(answer.status == 429 ? .rateLimited : .unreachable, fault.words))
        }
      } catch {
        try await waitForWindow(error)
        continue
      }
      return try judged.get()
    }
    throw .unavailable("\(host) gets more requests than it allows. Try again later.")
  }

  private func judge(_ answer: HTTPAnswer, _ call: String, changes: Bool) -> Result<JSONValue, DeskFault> {
    DeskAnswer(answer, to: call, host: host, changes: changes, hiding: secrets, words: metered.words).result
  }

  /// Waits until the server's rate allows more.
  /// - Throws: whatever else was the fault.
  private func waitForWindow(_ fault: TransportFault) async throws(DeskFault) {
    guard fault.reason == .rateLimited, let wait = fault.retryAfter, wait <= .seconds(90) else {
      throw .unavailable(fault.detail)
    }
    tell("The rate budget for \(host) is spent: waiting for \(wait.milliseconds / 1_000 + 1) s.")
    guard (try? await Task.sleep(for: wait + .milliseconds(50))) != nil else { throw .unavailable(fault.detail) }
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
    let call = HTTPCall(way.method, path: metered.server.apiPath + way.path, body: way.body?.written)
    for _ in 0..<Self.mostWindows {
      let outcome = await metered.perform(call, deadline: time.now() + Self.changePatience)
      switch outcome.result {
      case .answered(let answer): return try judge(answer, way.words, changes: true).get()
      case .lost(let fault): throw .unclear(fault.detail)
      case .pending: throw .unclear("\(host) did not answer \(way.words) in time; it may have done it.")
      // Nothing has left: it may still be sent.
      case .notSent(let fault): try await waitForWindow(fault)
      }
    }
    throw .unavailable("Nothing was sent: \(host) gets more requests than it allows.")
  }
}
