package import ScanModel
import Synchronization

/// A ticket system in memory, for faults that no real server can be made to produce on time. It passes the same
/// conformance suite as the real ones.
package final class FakeTicketSystem: TicketSystem {
  /// What happens to one request.
  package enum Behaviour: Sendable {
    /// It is answered so.
    case answer(TicketAnswer)
    /// It is processed and answered so, but only when `release` is called.
    case hold(TicketAnswer)
    /// It cannot be sent.
    case unsent
    /// It is sent and the connection breaks.
    case lose
    /// It makes this record, now, by the clock that dates records.
    case redeem(String)
    /// It cannot be sent, for this cause.
    case fail(OfflineCause)
    /// It is sent, and something else answers in the ticket system's place.
    case replace
  }

  private struct State {
    var script: [Code: [Behaviour]] = [:]
    var asked: [Code] = []
    var events: [String?] = []
    var held: [AttemptID: Held] = [:]
    var isReleased = false
    var lookUps: [Code: LookUp] = [:]
    var lookedUp = 0
    var reach: OfflineCause?
    var fault: (reason: UndecidedReason, detail: String)?
    var doubt: String?
    var date: WallTime?
    var probes = 0
    var owed: [Code] = []
    var recordOffset = Duration.zero
    var examinations: [Code: Examination] = [:]
    var refusals: [Code: (details: TicketDetails, words: String)] = [:]
  }

  /// A request that waits to be answered: for its caller, or, past its deadline, for `late`.
  private struct Held {
    var waiting: CheckedContinuation<Bool, Never>?
    var late: @Sendable () -> Void
  }

  package let id: TicketSystemID
  package let mayRedeem: Bool
  package let whereabouts: Whereabouts? = Whereabouts(host: "fake.example", cure: "Check url.")
  private let time: any TimeSource
  private let folding: @Sendable (Code) -> TicketKey?
  private let recognising: @Sendable (Code) -> RecognisedCode
  private let state = Mutex(State())
  private let askedStream: AsyncStream<Code>
  private let askedEnd: AsyncStream<Code>.Continuation

  /// Makes a system that knows no ticket.
  /// - Parameters:
  ///   - mayRedeem: whether its requests may redeem; else they only read.
  ///   - folding: a code's folded key; each code has one spelling only at first.
  ///   - recognising: what is made of a code; as it is at first.
  package init(
    id: TicketSystemID = TicketSystemID("fake"), mayRedeem: Bool = true, time: any TimeSource,
    folding: @escaping @Sendable (Code) -> TicketKey? = { _ in nil },
    recognising: @escaping @Sendable (Code) -> RecognisedCode = { RecognisedCode($0) }
  ) {
    self.recognising = recognising
    self.folding = folding
    self.mayRedeem = mayRedeem
    self.id = id
    self.time = time
    (askedStream, askedEnd) = AsyncStream.makeStream()
  }

  /// Adds what happens to the next request for `code`; the last behaviour of a code stays.
  package func script(_ code: Code, _ behaviours: Behaviour...) {
    state.withLock { $0.script[code, default: []] += behaviours }
  }

  /// Sets what a look-up of `code` finds; `unknown` at first.
  package func find(_ code: Code, _ found: LookUp) { state.withLock { $0.lookUps[code] = found } }

  /// Sets what a probe finds; it answers at first.
  package func setReach(_ cause: OfflineCause?) { state.withLock { $0.reach = cause } }

  /// Sets what is wrong with it or our key, as probes are told.
  package func setFault(_ reason: UndecidedReason?, detail: String = "A fault.") {
    state.withLock { $0.fault = reason.map { ($0, detail) } }
  }

  /// Sets why probes cannot tell whether it would decide a scan.
  package func setDoubt(_ detail: String?) { state.withLock { $0.doubt = detail } }

  /// Sets what probes are told of its clock; nothing at first.
  package func setDate(_ date: WallTime?) { state.withLock { $0.date = date } }

  /// How many probes were made.
  package var probes: Int { state.withLock { $0.probes } }

  /// Sets how far the clock that dates records is ahead of the one that makes `Date`.
  package func setRecordOffset(_ offset: Duration) { state.withLock { $0.recordOffset = offset } }

  package func reach(deadline: MonotonicTime) async -> Reach {
    state.withLock { state in
      state.probes += 1
      if let (reason, detail) = state.fault { return .fault(reason, detail: detail) }
      if let cause = state.reach { return .offline(cause) }
      if let doubt = state.doubt { return .unclear(detail: doubt) }
      return .answers(date: state.date)
    }
  }

  /// The codes of admissions that it was told of afterwards, in order.
  package var owed: [Code] { state.withLock { $0.owed } }

  /// How many look-ups were made.
  package var lookedUp: Int { state.withLock { $0.lookedUp } }

  package func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp {
    state.withLock { state in
      state.lookedUp += 1
      return state.lookUps[code] ?? .unknown
    }
  }

  /// The codes that were asked for, in order.
  package var asked: [Code] { state.withLock { $0.asked } }

  /// The events that they were said to be of, in order.
  package var events: [String?] { state.withLock { $0.events } }

  /// The codes as they are asked for.
  package var requests: AsyncStream<Code> { askedStream }

  /// Lets every held request be answered, those to come included.
  package func release() {
    let held = state.withLock { state in
      defer { state.held.removeAll() }
      state.isReleased = true
      return state.held.values.map(\.self)
    }
    for request in held {
      if let waiting = request.waiting { waiting.resume(returning: true) } else { request.late() }
    }
  }

  /// Waits for `release`; false when the deadline came first, and `late` is called at the release then.
  private func isReleased(_ request: AttemptRequest, late: @escaping @Sendable () -> Void) async -> Bool {
    let alarm = Task {
      try await Task.sleep(for: max(.zero, request.deadline - time.now()))
      let waiting = state.withLock { state in
        defer { state.held[request.attempt]?.waiting = nil }
        return state.held[request.attempt]?.waiting
      }
      waiting?.resume(returning: false)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { continuation in
      let isReleased = state.withLock { state in
        if !state.isReleased { state.held[request.attempt] = Held(waiting: continuation, late: late) }
        return state.isReleased
      }
      if isReleased { continuation.resume(returning: true) }
    }
  }

  package func recognise(_ code: Code) -> RecognisedCode { recognising(code) }

  package func foldedKey(of code: Code) -> TicketKey? { folding(code) }

  package func examine(_ code: Code, at time: WallTime) -> Examination {
    state.withLock { $0.examinations[code] } ?? .proceed(TicketKey(code.bytes))
  }

  package func refusalWords(for code: Code) -> String? { state.withLock { $0.refusals[code]?.words } }

  package func refusalDetails(for code: Code) -> TicketDetails? { state.withLock { $0.refusals[code]?.details } }

  /// Sets what staff can be told of a code that is refused without a request; nothing at first.
  package func tell(of code: Code, _ details: TicketDetails, _ words: String) {
    state.withLock { $0.refusals[code] = (details, words) }
  }

  /// Sets what can be said of a code without a request; its key at first.
  package func examine(_ code: Code, as examination: Examination) {
    state.withLock { $0.examinations[code] = examination }
  }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let sentAt = time.now()
    guard sentAt < request.deadline else { return unsent("The time was up before the request could be sent.") }
    let behaviour = state.withLock { state -> Behaviour in
      state.asked.append(request.code)
      state.events.append(request.event)
      if request.isOwed { state.owed.append(request.code) }
      guard var script = state.script[request.code], let next = script.first else {
        return .answer(.refused(.notFound, detail: nil))
      }
      if script.count > 1 {
        script.removeFirst()
        state.script[request.code] = script
      }
      return next
    }
    askedEnd.yield(request.code)
    switch behaviour {
    case .answer(let answer): return answered(answer, sentAt)
    case .redeem(let entry):
      let offset = state.withLock { $0.recordOffset }
      let now = WallTime(seconds: (time.wall() + offset).seconds)
      return answered(
        .redeemed(Redemption(entryID: entry, scannedAt: now, quantity: 1, details: TicketDetails())), sentAt)
    case .unsent: return unsent("No connection.", offline: .noConnection)
    case .lose:
      return AttemptOutcome(
        fate: .lost, answer: .undecided(.unreachable, detail: "The connection broke."), mayHaveRedeemed: mayRedeem,
        sentAt: sentAt, endedAt: time.now(), offline: .noConnection)
    case .fail(let cause):
      return AttemptOutcome(
        fate: .notSent, answer: .undecided(.unreachable, detail: "Offline."), mayHaveRedeemed: false, sentAt: nil,
        endedAt: time.now(), offline: cause)
    case .replace:
      return AttemptOutcome(
        fate: .answered, answer: .undecided(.badAnswer, detail: "A page."), mayHaveRedeemed: mayRedeem, sentAt: sentAt,
        endedAt: time.now())
    case .hold(let answer):
      if await isReleased(request, late: { late(self.answered(answer, sentAt)) }) { return answered(answer, sentAt) }
      return AttemptOutcome(
        fate: .pending, answer: .undecided(.unreachable, detail: "No answer yet."), mayHaveRedeemed: mayRedeem,
        sentAt: sentAt, endedAt: time.now(), offline: .timeOut)
    }
  }

  private func answered(_ answer: TicketAnswer, _ sentAt: MonotonicTime) -> AttemptOutcome {
    let redeemed = if case .redeemed = answer { true } else { false }
    return AttemptOutcome(
      fate: .answered, answer: answer, mayHaveRedeemed: redeemed, sentAt: sentAt, endedAt: time.now(),
      serverDate: WallTime(seconds: time.wall().seconds))
  }

  private func unsent(_ detail: String, offline: OfflineCause? = nil) -> AttemptOutcome {
    AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: detail), mayHaveRedeemed: false, sentAt: nil,
      endedAt: time.now(), offline: offline)
  }
}
