package import Calls
package import ScanModel
internal import Synchronization

/// Who carries a call to one server, and knows what became of its bytes.
package protocol HTTPCalling: Sendable {
  /// The server.
  var server: ServerAddress { get }
  /// How messages speak of it.
  var words: ServerWords { get }

  /// Sends `call`, once; see `HTTPTransport.send`.
  func send(
    _ call: HTTPCall, deadline: MonotonicTime, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome
}

/// The calls to one server with one key, held to what the server allows: its rate, and that a wrong key is not tried until it
/// is blocked. One for each server and key; all that ask it share budget and guard.
///
///     perform ─▶ guard ─┬─▶ budget ─┬─▶ sent once ─▶ settled by what came back: at once, or late
///                       │           └─ spent: not sent
///                       ├─ a pause: waits, where the deadline allows
///                       └─ the key is refused or blocked: not sent
///
/// What a call may do at the server is its caller's matter: nothing that was sent is sent again, but by `read`.
package final class MeteredClient: Sendable {
  /// Who waits for a call.
  package enum Urgency: Sendable {
    /// A person.
    case live
    /// Nobody: it leaves a third of the budget to those for whom somebody does.
    case background
    /// Nobody, for many requests: it takes a quarter of the budget. Where each request puts off the end of the server's window, it
    /// goes in bursts of half of it, for a window ends only when nobody asks.
    case bulk
    /// Nobody, and it may as well come tomorrow, or never: it takes a place as long as a third of the budget is not used, by
    /// whomever. So whatever begins finds two thirds.
    case spare
  }

  /// How a server is asked, and what its answers say of budget and key.
  package struct Policy: Sendable {
    /// The header that carries the key.
    package var header: String
    /// What precedes the key in it (`Bearer `); mostly nothing.
    package var prefix: String
    /// What an answer says of budget and key. Called under no lock, once for each answer.
    package var meaning: @Sendable (HTTPAnswer) -> Meaning

    package init(
      header: String, prefix: String = "", meaning: @escaping @Sendable (HTTPAnswer) -> Meaning
    ) {
      self.header = header
      self.prefix = prefix
      self.meaning = meaning
    }
  }

  /// What an answer says of the budget and of the key.
  package struct Meaning: Sendable, Equatable {
    /// Whether the server counted the request.
    package enum Count: Sendable, Equatable {
      /// It did, or may have.
      case counted
      /// It did not: it failed to authenticate.
      case notCounted
      /// It refused the request for its rate.
      case limited
    }

    /// What became of the key.
    package enum Key: Sendable, Equatable {
      /// It is known: earlier failures are mended.
      case accepted
      /// It is not.
      case refused
      /// It is blocked for a time.
      case blocked
      /// Nothing is said of it.
      case unknown
    }

    /// What it says of the budget.
    package var count: Count
    /// What it says of the key.
    package var key: Key

    package init(_ count: Count = .counted, key: Key = .unknown) {
      self.count = count
      self.key = key
    }

    /// What is usual: 401 and 423 speak of the key where they are the server's own refusals, 429 of the rate; JSON with one of
    /// these statuses proves the key.
    /// - Parameters:
    ///   - isRefusal: whether the answer is a refusal in the API's own form: a page of whoever stands in between tells nothing.
    ///   - proving: the statuses that only a known key is answered.
    package static func usual(
      _ answer: HTTPAnswer, isRefusal: Bool, proving: Set<Int> = [200, 201, 400, 403, 404, 422]
    ) -> Meaning {
      switch answer.status {
      case 401 where isRefusal: Meaning(.notCounted, key: .refused)
      case 429: Meaning(.limited)
      case 423 where isRefusal: Meaning(.counted, key: .blocked)
      case let status where proving.contains(status) && answer.isJSON: Meaning(.counted, key: .accepted)
      default: Meaning(.counted)
      }
    }
  }

  /// What an answer to a question that changes nothing is worth.
  package enum Reading<Value: Sendable>: Sendable {
    /// What was asked for.
    case value(Value)
    /// None; why. It is asked again after 429 and 5xx alone.
    case fault(TransportFault)
  }

  private struct State {
    var key: Secret
    /// The key before; an answer to it may still come.
    var formerKey: Secret?
    var keyNumber = 0
    var budget: RateBudget
    var watch: AuthenticationGuard
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

  private let transport: any HTTPCalling
  private let policy: Policy
  private let freshGuard: AuthenticationGuard
  private let state: Mutex<State>
  private let time: any TimeSource

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - key: sent with each call, in the policy's header.
  ///   - budget: how many requests the server allows.
  ///   - watch: the guard of a key that was never used; another key begins with it again.
  ///   - time: the transport's clock.
  package init(
    transport: any HTTPCalling, key: Secret, budget: RateBudget = RateBudget(),
    watch: AuthenticationGuard = AuthenticationGuard(), policy: Policy, time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.policy = policy
    self.time = time
    freshGuard = watch
    state = Mutex(State(key: key, budget: budget, watch: watch))
  }

  /// The server.
  package var server: ServerAddress { transport.server }

  /// The server, for messages.
  package var host: String { transport.server.hostAndPort }

  /// How messages speak of it.
  package var words: ServerWords { transport.words }

  /// What the server's text must not show: our keys.
  package var redactions: [Redaction] { state.withLock { [$0.key, $0.formerKey] }.compactMap { $0?.redaction } }

  /// What is left of the budget now; from any thread, returns at once.
  package var left: RateBudget.Left {
    let now = time.now()
    return state.withLock { $0.budget.left(at: now) }
  }

  /// Puts another key in use, with a clean record. A call on its way keeps the key that it was sent with.
  package func replaceKey(_ key: Secret) {
    state.withLock { state in
      guard state.key != key else { return }
      state.formerKey = state.key
      state.key = key
      state.keyNumber += 1
      state.watch = freshGuard
    }
  }

  /// Performs a call with our key, once: not sent, sent and answered, sent and lost, or pending. What budget or key hold back is
  /// `notSent`, with a fault that says why and until when.
  /// - Parameters:
  ///   - call: its credential is set here.
  ///   - deadline: when this returns at the latest; covers a pause after a failed key, DNS, connect, TLS, request and answer.
  ///   - late: as in `HTTPTransport.send`.
  package func perform(
    _ call: HTTPCall, _ urgency: Urgency = .live, deadline: MonotonicTime,
    late: @escaping @Sendable (HTTPOutcome) -> Void = { _ in }
  ) async -> HTTPOutcome {
    while true {
      let now = time.now()
      switch admit(at: now, urgency) {
      case .withheld(let fault): return HTTPOutcome(.notSent(fault), sentAt: nil, endedAt: now)
      case .wait(let until, let fault):
        guard until < deadline, (try? await Task.sleep(for: until - now)) != nil else {
          return HTTPOutcome(.notSent(fault), sentAt: nil, endedAt: time.now())
        }
      case .granted(let permit):
        var call = call
        call.credential = (policy.header, policy.prefix, permit.key)
        let outcome = await transport.send(call, deadline: deadline) { outcome in
          self.settle(permit, outcome)
          late(outcome)
        }
        settle(permit, outcome)
        return outcome
      }
    }
  }

  /// Asks what changes nothing until `read` can tell what was asked for; 429, 5xx and network errors are repeated with growing
  /// waits inside the deadline, other answers never.
  /// - Parameters:
  ///   - call: repeating it must be harmless.
  ///   - waitsForBudget: whether a spent budget is waited for: a whole list has time until it is not.
  /// - Throws: why there is none.
  package func read<Value: Sendable>(
    _ call: HTTPCall, _ retry: RetryPolicy, _ urgency: Urgency = .live, deadline: MonotonicTime,
    waitsForBudget: Bool = false, _ read: (HTTPAnswer) -> Reading<Value>
  ) async throws(TransportFault) -> Value {
    var random = SystemRandomNumberGenerator()
    var tries = 0
    while true {
      let outcome = await perform(call, urgency, deadline: deadline)
      tries += 1
      let fault: TransportFault
      let mayRepeat: Bool
      switch outcome.result {
      case .answered(let answer):
        switch read(answer) {
        case .value(let value): return value
        case .fault(let why): (fault, mayRepeat) = (why, RetryPolicy.mayRepeatHarmlessCall(status: answer.status))
        }
      case .notSent(let why):
        (fault, mayRepeat) = (why, why.isTransient || (why.reason == .rateLimited && waitsForBudget))
      case .lost(let why): (fault, mayRepeat) = (why, why.reason == .unreachable)
      case .pending: (fault, mayRepeat) = (TransportFault(.unreachable, "\(host) did not answer in time."), false)
      }
      guard mayRepeat,
        let wait = retry.wait(afterTries: tries, at: time.now(), deadline: deadline, using: &random),
        (try? await Task.sleep(for: wait)) != nil
      else { throw fault }
    }
  }

  // MARK: Budget and key

  /// How long a call would have to wait for a place in the budget, if nothing else is sent until then; `nil` where it need not. It may
  /// have to wait for the key besides.
  package func wait(_ urgency: Urgency) -> Duration? {
    let now = time.now()
    return state.withLock { $0.budget.wait(at: now, leaving: urgency.reserve(of: $0.budget)) }
  }

  private func admit(at now: MonotonicTime, _ urgency: Urgency) -> Admission {
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
      switch state.budget.tryTake(at: now, leaving: urgency.reserve(of: state.budget)) {
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
    let meaning: Meaning
    var retryAfter: Duration?
    switch outcome.result {
    case .pending: return
    case .notSent: meaning = Meaning(.notCounted)
    case .lost: meaning = Meaning(.counted)
    case .answered(let answer): (meaning, retryAfter) = (policy.meaning(answer), answer.retryAfter)
    }
    state.withLock { state in
      switch meaning.count {
      case .counted: state.budget.finished(permit.place, at: now)
      case .notCounted: state.budget.notCounted(permit.place)
      case .limited: state.budget.limited(permit.place, at: now, retryAfter: retryAfter)
      }
      // Another key has another record; the budget is the same one, for the server counts by our address.
      guard state.keyNumber == permit.keyNumber else { return }
      switch meaning.key {
      case .accepted: state.watch.succeeded()
      case .refused: state.watch.failed(at: now)
      case .blocked: state.watch.blocked(at: now, retryAfter: retryAfter)
      case .unknown: state.watch.unknown()
      }
    }
  }

  /// A wait in words, rounded up.
  private static func words(_ duration: Duration) -> String {
    let seconds = max(1, (duration.milliseconds + 999) / 1_000)
    return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
  }
}

extension MeteredClient.Urgency {
  /// How many places it leaves to others.
  fileprivate func reserve(of budget: RateBudget) -> Int {
    switch self {
    case .live: 0
    case .background: budget.allowance / 3
    case .bulk: budget.model == .window ? budget.allowance - budget.allowance / 4 : budget.allowance / 2
    case .spare: budget.allowance - budget.allowance / 3
    }
  }
}
