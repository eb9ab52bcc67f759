internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What a command of the office works with. What it prints is for whoever sits there, with whole ids; what it tells beside that may end in a log, and has their
/// last four digits alone.
struct Office: Sendable {
  /// Receipts are as good as what was bought: files alone have them.
  static let concealment = Concealment(
    secrets: [
      "receipt": "(a receipt)", "latest_receipt": "(a receipt)", "receiptData": "(a receipt)", "password": "(secret)",
    ])

  let calls: DeskCalls
  let program: any CommandHost
  let isJSON: Bool

  /// Words for people beside what was asked for.
  func tell(_ words: String) {
    program.tell(TerminalText.clean(StaffText.hidden(words, calls.secrets), limit: 2_000))
  }

  /// A line of what was asked for.
  func out(_ line: String) {
    program.out(TerminalText.clean(StaffText.hidden(line, calls.secrets), limit: 1_000))
  }

  /// A document, as a line of JSON.
  func out(_ document: JSONValue) { program.out(document.shown(hiding: calls.secrets, Self.concealment)) }

  /// One thing: its JSON, or a line for each field.
  func print(_ document: JSONValue, _ fields: [(name: String, text: String)]) {
    if isJSON { return out(document) }
    for line in DeskTable.lines(fields) { out(line) }
  }

  /// A failing end.
  func failure(_ fault: DeskFault) -> any Error {
    guard case .noWay(let words) = fault else { return failure(fault.words, fault.exit) }
    return failure(
      "\(words) Check the address: the API is below /api/v1, or /api/sandbox for test accounts.", fault.exit)
  }

  /// A failing end.
  func failure(_ words: String, _ status: Int32) -> any Error {
    program.failure(StaffText.hidden(words, calls.secrets), status)
  }

  /// An id as it was typed.
  /// - Throws: that it is none, without repeating it: it may be something else that was pasted.
  func id(_ text: String) throws -> SubscriptionID {
    guard let id = SubscriptionID(text) else {
      throw failure("An id has 8 to 20 digits, and this is none.", DeskExit.usage)
    }
    return id
  }

  // MARK: Calls

  /// Reads what changes nothing.
  /// - Parameter ids: what messages show the last digits of alone.
  func read(
    _ path: String, _ words: String, _ query: [(name: String, value: String)] = [], _ headers: [CallHeader] = [],
    hiding ids: [String] = []
  ) async throws -> JSONValue {
    var call = HTTPCall(.get, path: path, query: query)
    call.skipsCaches = true
    for header in headers { try call.add(header) }
    return try await calls.read(call, "GET \(words)", hiding: Self.redactions(ids))
  }

  /// Has something changed, once.
  /// - Parameters:
  ///   - done: the one status that says that it was done; `nil` for all of 2xx.
  ///   - look: a command that shows whether it was done, where the answer is lost.
  func change(
    _ method: HTTPCall.Method, _ path: String, _ words: String, _ body: JSONValue? = nil, hiding ids: [String] = [],
    done: Int? = nil, look: String
  ) async throws(DeskFault) -> JSONValue {
    var call = HTTPCall(method, path: path, body: body?.written)
    call.skipsCaches = true
    do throws(DeskFault) {
      return try await calls.change(
        call, "\(method.rawValue) \(words)", hiding: Self.redactions(ids), isLong: true, done: done)
    } catch {
      guard case .unclear(let text) = error else { throw error }
      throw .unclear("\(text) It was not sent again. See whether it was done: scangate membership \(look)")
    }
  }

  private static func redactions(_ ids: [String]) -> [Redaction] {
    ids.map { Redaction($0, shownAs: Code($0).shortened) }
  }

  /// One subscription, as the service tells it.
  func subscription(_ id: SubscriptionID) async throws -> OfficeSubscription {
    let document = try await read("/apple/subs/\(id.text)", "/apple/subs/ID", hiding: [id.text])
    return try subscription(document, id, "GET /apple/subs/ID")
  }

  /// Reads the subscription in an answer.
  func subscription(_ document: JSONValue, _ id: SubscriptionID, _ call: String) throws -> OfficeSubscription {
    guard let told = OfficeSubscription(document, hiding: calls.secrets) else {
      throw DeskFault.unavailable("\(calls.host) answered \(call) with something that is no subscription.")
    }
    guard told.id == id.text else {
      throw DeskFault.unavailable("\(calls.host) answered \(call) with another subscription than \(id).")
    }
    return told
  }
}
