internal import WireText
package import ScanModel
package import Calls
internal import Synchronization
package import TicketTransport

/// The ticket scanning API, typed. One for each server and credential: the gates that use both share its rate budget and
/// its memory of failed authentications.
package final class EventScheduleClient: Sendable {
  private struct State {
    var key: Secret
    /// The key before; an answer to it may still come.
    var formerKey: Secret?
    var keyNumber = 0
    var budget: RateBudget
    var watch = AuthenticationGuard()
    var failures = FailureStreak()
  }

  private struct Permit {
    let place: RateBudget.Ticket
    let key: Secret
    let keyNumber: Int
  }

  private enum Admission {
    case granted(Permit)
    /// Ask again then; the fault is for those who have not that much time.
    case wait(until: MonotonicTime, TransportFault)
    case withheld(TransportFault)
  }

  private let transport: HTTPTransport
  private let state: Mutex<State>
  private let time: any TimeSource

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - transport: the server. Its base path is where `/api` begins; a base URL that ends in `/api` is understood as well.
  ///   - key: the API key.
  ///   - budget: how many requests the server allows.
  package init(
    transport: HTTPTransport, key: Secret, budget: RateBudget = RateBudget(), time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.time = time
    state = Mutex(State(key: key, budget: budget))
  }

  /// The server, for messages.
  var host: String { transport.server.description }

  /// How messages speak of it.
  var words: ServerWords { transport.words }

  /// What the server's text must not show: our keys, and more than four characters of `code`.
  func redactions(for code: Code? = nil) -> [Redaction] {
    let keys = state.withLock { [$0.key, $0.formerKey] }
    let secrets = keys.compactMap { $0?.redaction }
    return code.map { secrets + [Redaction($0.text, shownAs: $0.shortened)] } ?? secrets
  }

  /// Puts another key in use, with a clean record. A call on its way keeps the key that it was sent with.
  package func replaceKey(_ key: Secret) {
    state.withLock { state in
      guard state.key != key else { return }
      state.formerKey = state.key
      state.key = key
      state.keyNumber += 1
      state.watch = AuthenticationGuard()
    }
  }

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
    var body = JSONText.object(("code", JSONText.string(code.text)), ("ticket_code", JSONText.string(code.text)))
    body.add(saleTicketID: saleTicketID, seatNumber: seatNumber)
    return await perform(
      .post, "/tickets/scan", body: body.bytes, deadline: deadline, isOwed: isOwed, late: late)
  }

  /// Scans by sale (`POST /api/tickets/{sale_id}/scan`). **Not for gates**: the server checks neither day nor payment here.
  /// May redeem, and is sent at most once.
  package func scan(
    saleID: Int64, saleTicketID: Int64?, seatNumber: String? = nil, deadline: MonotonicTime,
    late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    var body = JSONText.object()
    body.add(saleTicketID: saleTicketID, seatNumber: seatNumber)
    return await perform(.post, "/tickets/\(saleID)/scan", body: body.bytes, deadline: deadline, late: late)
  }

  /// Lists or searches sales (`GET /api/tickets`). Redeems nothing, and follows the document's advice: 429, 5xx and
  /// network errors are repeated with growing waits inside the deadline, other answers never.
  /// - Parameter query: part of a name, an address, a code or an event's name.
  /// - Throws: why there is no page.
  package func sales(
    eventID: Int64? = nil, query: String? = nil, page: Int64 = 1, deadline: MonotonicTime
  ) async throws(TransportFault) -> SalePage {
    var parameters = [(name: "page", value: String(page))]
    if let eventID { parameters.append(("event_id", String(eventID))) }
    if let query { parameters.append(("query", query)) }
    let secrets = redactions()
    return try await read("/tickets", parameters, hiding: query, RetryPolicy.harmlessCall, deadline) {
      SalePage($0, hiding: secrets)
    }
  }

  /// Lists all sales with their secrets, in whatever state (`GET /api/sales`; not every version of the server has it).
  /// Redeems nothing; repeated as `sales`, with more patience: a whole list takes longer than a rate window.
  /// - Parameter size: how many sales a page has, 1 to 500; an answer must fit the transport's limit.
  /// - Throws: why there is no page.
  package func roster(page: Int64, size: Int = 100, deadline: MonotonicTime) async throws(TransportFault) -> RosterPage
  {
    let parameters = [(name: "page", value: String(page)), (name: "per_page", value: String(size))]
    let secrets = redactions()
    return try await read("/sales", parameters, hiding: nil, RetryPolicy.wholeList, deadline, waitsForBudget: true) {
      RosterPage($0, number: page, hiding: secrets)
    }
  }

  /// Asks what redeems nothing until `parse` can read the answer; 429, 5xx and network errors are repeated.
  private func read<Value: Sendable>(
    _ path: String, _ parameters: [(name: String, value: String)], hiding query: String?, _ policy: RetryPolicy,
    _ deadline: MonotonicTime, waitsForBudget: Bool = false, _ parse: (JSONValue) -> Value?
  ) async throws(TransportFault) -> Value {
    var random = SystemRandomNumberGenerator()
    var tries = 0
    while true {
      let outcome = await perform(.get, path, query: parameters, body: nil, deadline: deadline) { _ in }
      tries += 1
      let fault: TransportFault
      var mayRepeat = false
      switch outcome.result {
      case .answered(let answer) where answer.status == 200 && answer.isJSON:
        if let document = try? JSONValue(answer.body), let value = parse(document) { return value }
        fault = TransportFault(.badAnswer, "\(host) answered with a list that cannot be read. Check the address.")
      case .answered(let answer):
        mayRepeat = RetryPolicy.mayRepeatHarmlessCall(status: answer.status)
        fault = self.fault(of: answer, to: query)
      case .notSent(let why):
        // Our own budget is spent: for a list there is time until it is not.
        (fault, mayRepeat) = (why, why.isTransient || (why.reason == .rateLimited && waitsForBudget))
      case .lost(let why): (fault, mayRepeat) = (why, why.reason == .unreachable)
      case .pending: fault = TransportFault(.unreachable, "\(host) did not answer in time.")
      }
      guard mayRepeat,
        let wait = policy.wait(afterTries: tries, at: time.now(), deadline: deadline, using: &random),
        (try? await Task.sleep(for: wait)) != nil
      else { throw fault }
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
    return state.withLock { $0.failures.take(status, on: key) }
  }

  // MARK: Budget and key

  private func perform(
    _ method: HTTPCall.Method, _ path: String, query: [(name: String, value: String)] = [], body: [UInt8]?,
    deadline: MonotonicTime, isOwed: Bool = false, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    while true {
      let now = time.now()
      switch admit(at: now, isOwed: isOwed) {
      case .withheld(let fault): return HTTPOutcome(.notSent(fault), sentAt: nil, endedAt: now)
      case .wait(let until, let fault):
        guard until < deadline, (try? await Task.sleep(for: until - now)) != nil else {
          return HTTPOutcome(.notSent(fault), sentAt: nil, endedAt: time.now())
        }
      case .granted(let permit):
        let prefix = transport.server.path.hasSuffix("/api") ? "" : "/api"
        let call = HTTPCall(
          method, path: prefix + path, query: query, credential: ("X-API-Key", "", permit.key), body: body)
        let outcome = await transport.send(call, deadline: deadline) { outcome in
          self.settle(permit, outcome)
          late(outcome)
        }
        settle(permit, outcome)
        return outcome
      }
    }
  }

  private func admit(at now: MonotonicTime, isOwed: Bool) -> Admission {
    state.withLock { state in
      switch state.watch.begin(at: now) {
      case .wait(let until):
        return .wait(
          until: until,
          TransportFault(
            .keyRefused,
            "\(host) refused our API key a moment ago. \(words.keyCure)"))
      case .crowded:
        return .wait(
          until: now + .milliseconds(50),
          TransportFault(
            .unreachable, "Nothing was asked: \(host) has not answered the first requests with this key yet."))
      case .stopped(let until):
        return .withheld(
          TransportFault(
            .keyRefused,
            "\(host) refused our API key \(AuthenticationGuard.mostFailures) times; nothing is sent for "
              + "\(Self.words(until - now)), so that it does not block the key. \(words.keyCure)"))
      case .blocked(let until):
        return .withheld(
          TransportFault(
            .keyBlocked,
            "\(host) blocks our API key; nothing is sent for \(Self.words(until - now)). "
              + words.keyCure,
            retryAfter: until - now))
      case .granted: break
      }
      switch state.budget.tryTake(at: now, leaving: isOwed ? state.budget.allowance / 3 : 0) {
      case .granted(let place): return .granted(Permit(place: place, key: state.key, keyNumber: state.keyNumber))
      case .spent(let next):
        state.watch.unknown()
        return .withheld(
          TransportFault(
            .rateLimited,
            "The rate budget for \(host) is spent; the next scan can succeed in \(Self.words(next - now)).",
            offline: .rateLimited, retryAfter: next - now))
      }
    }
  }

  private func settle(_ permit: Permit, _ outcome: HTTPOutcome) {
    let now = outcome.endedAt
    // A page of whoever stands in between tells nothing about the key.
    let isRefusal = if case .answered(let answer) = outcome.result { answer.isRefusal } else { false }
    state.withLock { state in
      // Another key has another record; the budget is the same one, for the server counts by our address.
      let isSameKey = state.keyNumber == permit.keyNumber
      func judge(_ change: (inout AuthenticationGuard) -> Void) { if isSameKey { change(&state.watch) } }
      switch outcome.result {
      case .pending: return
      case .notSent:
        state.budget.notCounted(permit.place)
        judge { $0.unknown() }
      case .lost:
        state.budget.finished(permit.place, at: now)
        judge { $0.unknown() }
      case .answered(let answer):
        switch answer.status {
        case 401 where isRefusal:
          state.budget.notCounted(permit.place)
          judge { $0.failed(at: now) }
        case 429:
          state.budget.limited(permit.place, at: now, retryAfter: answer.retryAfter)
          judge { $0.unknown() }
        case 423 where isRefusal:
          state.budget.finished(permit.place, at: now)
          judge { $0.blocked(at: now, retryAfter: answer.retryAfter) }
        case 200, 201, 400, 403, 404, 422:
          state.budget.finished(permit.place, at: now)
          judge { answer.isJSON ? $0.succeeded() : $0.unknown() }
        default:
          state.budget.finished(permit.place, at: now)
          judge { $0.unknown() }
        }
      }
    }
  }

  /// A wait in words, rounded up.
  private static func words(_ duration: Duration) -> String {
    let seconds = max(1, (duration.milliseconds + 999) / 1_000)
    return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
  }
}
