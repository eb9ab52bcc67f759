package import Calls
internal import LinuxIO
package import ScanModel
internal import Synchronization
package import TicketTransport
internal import WireText

/// The ticket scanning API, typed. One for each server and credential: the gates that use both share its rate budget and
/// its memory of failed authentications.
package final class EventScheduleClient: Sendable {
  /// The header that carries the key.
  static let keyHeader = "X-API-Key"

  let metered: MeteredClient
  private let failures = Mutex(FailureStreak())

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - transport: the server. Its base path is where `/api` begins; a base URL that ends in `/api` is understood as well.
  ///   - key: the API key.
  ///   - budget: how many requests the server allows.
  package init(
    transport: any HTTPCalling, key: Secret, budget: RateBudget = RateBudget(), time: any TimeSource = SystemTime()
  ) {
    let policy = MeteredClient.Policy(header: Self.keyHeader) { .usual($0, isRefusal: $0.isRefusal) }
    metered = MeteredClient(transport: transport, key: key, budget: budget, policy: policy, time: time)
  }

  /// The server, for messages.
  var host: String { metered.host }

  /// How messages speak of it.
  var words: ServerWords { metered.words }

  /// What the server's text must not show: our keys, and more than four characters of `code`.
  func redactions(for code: Code? = nil) -> [Redaction] {
    metered.redactions + (code.map { [Redaction($0.text, shownAs: $0.shortened)] } ?? [])
  }

  /// Puts another key in use, with a clean record. A call on its way keeps the key that it was sent with.
  package func replaceKey(_ key: Secret) { metered.replaceKey(key) }

  // MARK: Calls

  /// Scans by code (`POST /api/tickets/scan`); may redeem, and is sent at most once.
  /// - Parameters:
  ///   - saleTicketID: the ticket within the sale; the first if `nil`.
  ///   - seatNumber: kept with the entry; at most 255 characters.
  ///   - isOwed: whether nobody waits for it: then it leaves the better part of the budget to live scans.
  ///   - late: as in `HTTPTransport.send`.
  package func scan(
    _ code: Code, saleTicketID: Int64? = nil, seatNumber: String? = nil, deadline: MonotonicTime, isOwed: Bool = false,
    late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    // The field's name changed from `ticket_code` to `code`; each version ignores the one it does not know.
    var body = JSONText.object(("code", code.text), ("ticket_code", code.text))
    body.add(saleTicketID: saleTicketID, seatNumber: seatNumber)
    return await metered.perform(
      call(.post, "/tickets/scan", body: body.bytes), isOwed ? .background : .live, deadline: deadline, late: late)
  }

  /// Scans by sale (`POST /api/tickets/{sale_id}/scan`). **Not for gates**: the server checks neither day nor payment here.
  /// May redeem, and is sent at most once.
  package func scan(
    saleID: Int64, saleTicketID: Int64?, seatNumber: String? = nil, deadline: MonotonicTime,
    late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    var body = JSONText.object()
    body.add(saleTicketID: saleTicketID, seatNumber: seatNumber)
    return await metered.perform(
      call(.post, "/tickets/\(saleID)/scan", body: body.bytes), deadline: deadline, late: late)
  }

  /// Lists or searches sales (`GET /api/tickets`). Redeems nothing, and follows the document's advice: 429, 5xx and
  /// network errors are repeated with growing waits inside the deadline, other answers never.
  /// - Parameters:
  ///   - query: part of a name, an address, a code or an event's name.
  ///   - urgency: who waits for it.
  ///   - mostBytes: how long an answer may be; as the transport has it, where it is `nil`.
  /// - Throws: why there is no page.
  package func sales(
    eventID: Int64? = nil, query: String? = nil, page: Int64 = 1, urgency: MeteredClient.Urgency = .live,
    mostBytes: Int? = nil, deadline: MonotonicTime
  ) async throws(TransportFault) -> SalePage {
    var parameters = [(name: "page", value: String(page))]
    if let eventID { parameters.append(("event_id", String(eventID))) }
    if let query { parameters.append(("query", query)) }
    let secrets = redactions()
    return try await read(
      "/tickets", parameters, hiding: query, RetryPolicy.harmlessCall, deadline, urgency: urgency, mostBytes: mostBytes
    ) { SalePage($0, query: query, hiding: secrets) }
  }

  /// Lists all sales with their secrets, in whatever state (`GET /api/sales`; not every version of the server has it).
  /// Redeems nothing; repeated as `sales`, with more patience: a whole list takes longer than a rate window.
  /// - Parameter size: how many sales a page has, 1 to 500; an answer must fit the transport's limit.
  /// - Throws: why there is no page.
  package func roster(page: Int64, size: Int = 100, deadline: MonotonicTime) async throws(TransportFault) -> RosterPage
  {
    let parameters = [(name: "page", value: String(page)), (name: "per_page", value: String(size))]
    let secrets = redactions()
    return try await metered.read(
      call(.get, "/sales", query: parameters), .wholeList, deadline: deadline, waitsForBudget: true
    ) { answer in
      guard answer.status == 200, answer.isJSON else { return .fault(fault(of: answer, to: nil)) }
      return RosterPage(answer.body, number: page, hiding: secrets).map { .value($0) } ?? .fault(Self.unreadable(host))
    }
  }

  /// The same for one day, beside the gates; `nil` where the server has no such list, or not for our key.
  /// - Parameter names: what a type of tickets is called.
  /// - Throws: why there is no page.
  func roster(
    of day: CivilDay, page: Int64, size: Int, names: @escaping @Sendable (EventID) -> String?, deadline: MonotonicTime
  ) async throws(TransportFault) -> RosterPage? {
    let secrets = redactions()
    var call = call(
      .get, "/sales", query: [("event_date", "\(day)"), ("page", String(page)), ("per_page", String(size))])
    call.limits.mostBytes = 4 << 20
    let body: [UInt8]? = try await metered.read(
      call, RetryPolicy.wholeList, .bulk, deadline: deadline, waitsForBudget: true
    ) { answer in
      switch answer.status {
      case 200 where answer.isJSON: .value(answer.body)
      case 403 where answer.isRefusal, 404, 405: .value(nil)
      default: .fault(fault(of: answer, to: nil))
      }
    }
    guard let body else { return nil }
    // It sleeps between its bits, which no thread does that others wait for.
    let read = await SystemThread.run("list page") {
      RosterPage(body, number: page, names, hiding: secrets, isUnhurried: true)
    }
    guard let read else { throw Self.unreadable(host) }
    return read
  }

  private static func unreadable(_ host: String) -> TransportFault {
    TransportFault(.badAnswer, "\(host) answered with a list that cannot be read. Check the address.")
  }

  /// Asks what redeems nothing until `parse` can read the answer; 429, 5xx and network errors are repeated.
  func read<Value: Sendable>(
    _ path: String, _ parameters: [(name: String, value: String)], hiding query: String?, _ policy: RetryPolicy,
    _ deadline: MonotonicTime, urgency: MeteredClient.Urgency = .live, waitsForBudget: Bool = false,
    mostBytes: Int? = nil, _ parse: (JSONValue) -> Value?
  ) async throws(TransportFault) -> Value {
    try await read(
      path, parameters, policy, urgency, mostBytes: mostBytes, waitsForBudget: waitsForBudget, deadline: deadline
    ) { answer in
      guard answer.status == 200, answer.isJSON else { return .failure(fault(of: answer, to: query)) }
      if let document = try? JSONValue(answer.body), let value = parse(document) { return .success(value) }
      return .failure(Self.unreadable(host))
    }
  }

  /// The same, where `judge` says what an answer is.
  func read<Value: Sendable>(
    _ path: String, _ parameters: [(name: String, value: String)], _ policy: RetryPolicy,
    _ urgency: MeteredClient.Urgency, mostBytes: Int?, waitsForBudget: Bool, deadline: MonotonicTime,
    _ judge: (HTTPAnswer) -> Result<Value, TransportFault>
  ) async throws(TransportFault) -> Value {
    var call = call(.get, path, query: parameters)
    call.limits.mostBytes = mostBytes
    return try await metered.read(call, policy, urgency, deadline: deadline, waitsForBudget: waitsForBudget) {
      answer in
      switch judge(answer) {
      case .success(let value): .value(value)
      case .failure(let fault): .fault(fault)
      }
    }
  }

  private func fault(of answer: HTTPAnswer, to query: String?) -> TransportFault {
    // What was searched for can be a code.
    let secrets = redactions(for: query.map { Code($0) })
    // The same statuses mean the same as for a scan.
    switch ScanAnswer(answer, host: host, saleTicketID: nil, hiding: secrets, words: words).answer {
    case .undecided(let reason, let detail): return TransportFault(reason, detail ?? "")
    case .refused, .redeemed, .valid:
      return TransportFault(
        .badAnswer, "\(host) answered \(answer.status) to a list\(ServerText(answer.body, hiding: secrets).quoted).")
    }
  }

  /// A scan of an empty code, sent once; redeems nothing: the document has it refused (400; the real server says 422), before
  /// anything is looked for. For whom the answer's status is enough.
  func scanNothing(deadline: MonotonicTime) async -> HTTPOutcome {
    await scan(Code(""), deadline: deadline) { _ in }
  }

  /// Whether the server fails on whatever it is asked, now that it has answered a scan of `code` with `status`.
  func isFailing(on code: Code, status: Int) -> Bool {
    let key = CodeFolding.key(of: code)
    return failures.withLock { $0.take(status, on: key) }
  }

  func call(
    _ method: HTTPCall.Method, _ path: String, query: [(name: String, value: String)] = [], body: [UInt8]? = nil
  ) -> HTTPCall {
    HTTPCall(method, path: metered.server.apiPath + path, query: query, body: body)
  }
}

extension ServerAddress {
  /// Where the API begins below the address: a base URL that ends in `/api` is understood as well.
  var apiPath: String { path.hasSuffix("/api") ? "" : "/api" }
}

extension JSONText {
  /// Adds the two parameters that every scan may have, where they are configured.
  fileprivate mutating func add(saleTicketID: Int64?, seatNumber: String?) {
    if let saleTicketID { add("sale_ticket_id", saleTicketID) }
    if let seatNumber { add("seat_number", seatNumber) }
  }
}
