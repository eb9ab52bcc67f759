package import ScanModel
import Synchronization

/// What every ticket system must do, whatever it speaks to. An adapter's tests run it against a real server.
package struct TicketSystemConformance: Sendable {
  /// The system under test.
  package var system: any TicketSystem
  /// A code that is good and has not been used.
  package var goodCode: Code
  /// A code that the system does not know.
  package var unknownCode: Code
  /// A code whose request is sent and not answered before `deadline`, but is answered once `release` was called; `nil` where every
  /// answer is on board.
  package var slowCode: Code?
  /// Lets the slow request be answered.
  package var release: @Sendable () async -> Void
  /// The clock of the deadlines.
  package var time: any TimeSource

  /// Makes the suite for one system.
  package init(
    system: any TicketSystem, goodCode: Code, unknownCode: Code, slowCode: Code? = nil,
    release: @escaping @Sendable () async -> Void = {}, time: any TimeSource
  ) {
    self.system = system
    self.goodCode = goodCode
    self.unknownCode = unknownCode
    self.slowCode = slowCode
    self.release = release
    self.time = time
  }

  /// Runs the suite.
  /// - Returns: what is broken, in words; empty when the system conforms.
  package func failures() async -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }

    for code in [goodCode, unknownCode, slowCode].compactMap(\.self) {
      let once = system.recognise(code).code
      check(
        system.recognise(once) == RecognisedCode(once),
        "recognise changes a code that is in the system's own form already")
    }

    if let folded = system.foldedKey(of: goodCode) {
      check(system.foldedKey(of: unknownCode) != folded, "two codes that have nothing in common have one folded key")
    }

    let expired = await attempt(goodCode, within: .zero - .seconds(1))
    check(expired.fate == .notSent, "a request whose deadline has passed was sent")

    let unknown = await attempt(unknownCode, within: .seconds(5))
    check(unknown.fate == .answered, "an unknown code was not answered: \(unknown)")
    check(!unknown.mayHaveRedeemed, "a refusal may have redeemed")
    if case .refused = unknown.answer {} else { check(false, "an unknown code is not refused") }

    // Before the good code: what a probe redeemed would be missed there.
    let reach = await system.reach(deadline: time.now() + .seconds(5))
    check(reach.isAnswer, "a system that decides scans does not say so: \(reach)")

    let good = await attempt(goodCode, within: .seconds(5))
    check(good.fate == .answered, "a good code was not answered: \(good)")
    switch good.answer {
    case .redeemed(let redemption):
      check(system.mayRedeem, "a system that only reads has redeemed")
      check(good.mayHaveRedeemed, "a redemption says that it cannot have redeemed")
      check(redemption.quantity >= 1, "a redemption of less than one person")
      check(!redemption.entryID.isEmpty, "a redemption without an entry")
    case .valid(let entitlement):
      check(entitlement.quantity >= 1, "an entitlement of less than one person")
    case .refused, .undecided:
      check(false, "a good code is neither redeemed nor valid: \(good.answer)")
    }

    if case .redeemed = good.answer {
      let found = await system.lookUp(system.recognise(goodCode).code, deadline: time.now() + .seconds(5))
      check(found != .unused, "a look-up finds a redeemed code unused")
    }
    let missing = await system.lookUp(system.recognise(unknownCode).code, deadline: time.now() + .seconds(5))
    check(missing != .used, "a look-up finds an unknown code used")
    if !system.mayRedeem {
      // It would settle what only our own book knows.
      let known = await system.lookUp(system.recognise(goodCode).code, deadline: time.now() + .seconds(5))
      for found in [known, missing] {
        check(found == .unknown || found == .unanswered, "a system that only reads says who was admitted: \(found)")
      }
    }

    func checkTimes(_ outcomes: [AttemptOutcome]) {
      for outcome in outcomes {
        check(
          (outcome.fate == .notSent) == (outcome.sentAt == nil), "sentAt and fate contradict each other: \(outcome)")
        check(outcome.sentAt.map { $0 <= outcome.endedAt } ?? true, "an attempt ended before it was sent")
        check(outcome.fate != .notSent || !outcome.mayHaveRedeemed, "what was not sent may have redeemed")
        check(system.mayRedeem || !outcome.mayHaveRedeemed, "a request that only reads may have redeemed: \(outcome)")
      }
    }
    checkTimes([expired, unknown, good])
    guard let slowCode else {
      check(!system.mayRedeem, "a system that redeems asks nobody")
      return failures
    }

    let late = Mutex<[AttemptOutcome]>([])
    let (signal, signalled) = AsyncStream<Void>.makeStream()
    let began = time.now()
    let slow = await system.attempt(request(slowCode, within: .milliseconds(1_500))) { outcome in
      late.withLock { $0.append(outcome) }
      signalled.yield()
    }
    guard slow.fate == .pending else {
      failures.append("a request without an answer at its deadline is not pending: \(slow.fate)")
      return failures
    }
    check(slow.mayHaveRedeemed || !system.mayRedeem, "a pending request says that it cannot have redeemed")
    check(time.now() - began < .seconds(5), "attempt returned long after its deadline")
    check(late.withLock { $0.isEmpty }, "the late outcome came before the answer")
    await release()
    for await _ in signal { break }
    let outcomes = late.withLock { $0 }
    check(outcomes.count == 1, "the late outcome was told \(outcomes.count) times")
    check(outcomes.allSatisfy { $0.fate == .answered || $0.fate == .lost }, "a late outcome is not final")

    checkTimes([slow] + outcomes)
    return failures
  }

  private func attempt(_ code: Code, within duration: Duration) async -> AttemptOutcome {
    await system.attempt(request(code, within: duration)) { _ in }
  }

  private func request(_ code: Code, within duration: Duration) -> AttemptRequest {
    AttemptRequest(
      attempt: AttemptID(), scan: ScanID(), code: system.recognise(code).code, deadline: time.now() + duration)
  }
}
