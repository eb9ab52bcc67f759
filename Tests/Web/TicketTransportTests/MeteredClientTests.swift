import Calls
import Expectations
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketTransport

/// Carries nothing: says of each call what a test wants, and keeps what late ends there may be.
private final class ScriptedCaller: HTTPCalling {
  /// One call that was sent, or the late end of one.
  struct Noted: Sendable {
    let key: Int
    /// Which use of a key it was: one that comes back begins anew.
    let use: Int
    let at: MonotonicTime
    let result: HTTPOutcome.Result
    var isLate = false
  }

  private struct State {
    var next: HTTPOutcome.Result = .pending
    var use = 0
    var noted: [Noted] = []
    var late: [(Noted, @Sendable (HTTPOutcome) -> Void)] = []
  }

  let server: ServerAddress
  let words = ServerWords()
  let keys: [Secret]
  private let time: any TimeSource
  private let state = Mutex(State())

  init(keys: Int = 3, time: any TimeSource) throws {
    self.time = time
    self.keys = try (0..<keys).map { try Secret("key-number-\($0)") }
    server = try ServerAddress("http://127.0.0.1:1")
  }

  func send(
    _ call: HTTPCall, deadline: MonotonicTime, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    let now = time.now()
    return state.withLock { state in
      let key = keys.firstIndex { $0 == call.credential?.secret } ?? -1
      let sent = Noted(key: key, use: state.use, at: now, result: state.next)
      state.noted.append(sent)
      if case .pending = state.next { state.late.append((sent, late)) }
      return Self.outcome(state.next, at: now)
    }
  }

  func answerNext(_ result: HTTPOutcome.Result) { state.withLock { $0.next = result } }

  /// Another key is in use from now on.
  func keyChanged() { state.withLock { $0.use += 1 } }

  var noted: [Noted] { state.withLock { $0.noted } }

  var sent: [Noted] { noted.filter { !$0.isLate } }

  /// Ends the call that has been pending longest.
  func end(_ result: HTTPOutcome.Result) {
    let now = time.now()
    let late = state.withLock { state -> (@Sendable (HTTPOutcome) -> Void)? in
      guard !state.late.isEmpty else { return nil }
      let (sent, late) = state.late.removeFirst()
      state.noted.append(Noted(key: sent.key, use: sent.use, at: now, result: result, isLate: true))
      return late
    }
    late?(Self.outcome(result, at: now))
  }

  private static func outcome(_ result: HTTPOutcome.Result, at now: MonotonicTime) -> HTTPOutcome {
    if case .notSent = result { return HTTPOutcome(result, sentAt: nil, endedAt: now) }
    return HTTPOutcome(result, sentAt: now, endedAt: now)
  }
}

private func answer(_ status: Int, isRefusal: Bool = true, retryAfter: Duration? = nil) -> HTTPOutcome.Result {
  .answered(
    HTTPAnswer(status: status, mediaType: isRefusal ? "application/json" : "text/html", retryAfter: retryAfter))
}

private func client(
  _ caller: ScriptedCaller, _ budget: RateBudget = RateBudget(), time: any TimeSource
) -> MeteredClient {
  MeteredClient(
    transport: caller, key: caller.keys[0], budget: budget,
    policy: .init(header: "X-API-Key") { .usual($0, isRefusal: $0.isJSON) }, time: time)
}

/// What is never sent, whatever came before.
@Suite struct MeteredClientTests {
  /// Too short for any pause: what cannot be sent now is not sent.
  private static let patience = Duration.milliseconds(40)

  private static func results(_ random: inout SeededGenerator) -> HTTPOutcome.Result {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<30: answer(200)
    case ..<40: answer(404)
    case ..<60: answer(401)
    case ..<64: answer(401, isRefusal: false)
    case ..<68: answer(423, retryAfter: .seconds(Int64.random(in: 0...100, using: &random)))
    case ..<72: answer(429, retryAfter: random.chance(50) ? .seconds(30) : nil)
    case ..<78: answer(500)
    case ..<84: .notSent(TransportFault(.unreachable, "no"))
    case ..<90: .lost(TransportFault(.unreachable, "lost"))
    default: .pending
    }
  }

  /// Budget, guard and keys over a long evening of calls that end in every way, some of them late.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 40, release: 400))))
  func holdsToWhatTheServerAllows(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let budget = RateBudget(limit: Int.random(in: 1...20, using: &random))
    let client = client(caller, budget, time: time)
    let late = Mutex(0)
    var pending = 0
    var (key, use) = (0, 0)
    for _ in 0..<400 {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<70:
        let result = Self.results(&random)
        caller.answerNext(result)
        let before = caller.noted
        let isLive = random.chance(70)
        let outcome = await client.perform(
          HTTPCall(.get, path: "/"), isLive ? .live : .background, deadline: time.now() + Self.patience
        ) { _ in late.withLock { $0 += 1 } }
        if caller.noted.count > before.count {
          expectEqual(outcome.result, result, "seed \(seed)")
          expectEqual(caller.sent.last?.key, key, "seed \(seed)")
          if case .pending = result { pending += 1 }
          expect(
            Self.mayBeSent(after: before, use, at: time.now(), of: budget.allowance, isLive: isLive),
            "seed \(seed): call \(caller.sent.count) should have been held back")
        } else {
          guard case .notSent = outcome.result else {
            Issue.record("seed \(seed): \(outcome) of a call that was not sent")
            return
          }
          expectEqual(outcome.sentAt, nil)
        }
      case ..<75: caller.end(random.chance(50) ? answer(200) : .lost(TransportFault(.unreachable, "lost")))
      case ..<77:
        let next = Int.random(in: 0..<caller.keys.count, using: &random)
        client.replaceKey(caller.keys[next])
        guard next != key else { continue }
        (key, use) = (next, use + 1)
        caller.keyChanged()
      case ..<97: time.advance(by: .milliseconds(Int64.random(in: 0...8_000, using: &random)))
      default: time.advance(by: .seconds(Int64.random(in: 60...1_000, using: &random)))
      }
    }
    let waiting = pending - late.withLock { $0 }
    expect(waiting >= 0)
    for _ in 0..<waiting { caller.end(answer(200)) }
    expectEqual(late.withLock { $0 }, pending, "seed \(seed): each late end is told once")
  }

  /// Whether what the server has seen allows one more call.
  private static func mayBeSent(
    after noted: [ScriptedCaller.Noted], _ use: Int, at now: MonotonicTime, of allowance: Int, isLive: Bool
  ) -> Bool {
    let counted = noted.filter { one in
      guard !one.isLate else { return false }
      switch one.result {
      case .notSent: return false
      case .answered(let answer): return answer.status != 429 && !(answer.status == 401 && answer.isJSON)
      case .pending, .lost: return true
      }
    }
    let recent = counted.filter { now - $0.at < RateBudget.period }.count
    guard recent < allowance, isLive || recent < max(1, allowance - allowance / 3) else { return false }
    // What came back on this use of the key, the latest first, until it was accepted.
    var refusals: [MonotonicTime] = []
    for one in noted.reversed() where one.use == use {
      guard case .answered(let answer) = one.result, answer.isJSON else { continue }
      if answer.status == 423 {
        let wait = min(max(answer.retryAfter ?? AuthenticationGuard.period, .seconds(1)), RateBudget.longestRetryAfter)
        if now - one.at < wait { return false }
        continue
      }
      if answer.status == 200 || answer.status == 404 { break }
      guard answer.status == 401 else { continue }
      if let later = refusals.last, later - one.at >= AuthenticationGuard.period { break }
      refusals.append(one.at)
    }
    guard let last = refusals.first else { return true }
    return refusals.count < AuthenticationGuard.mostFailures
      ? now - last >= AuthenticationGuard.pause : now - last >= AuthenticationGuard.period
  }

  @Test func whatIsLeftIsTold() async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, RateBudget(limit: 3), time: time)
    expectEqual(client.left, RateBudget.Left(left: 3, most: 3))
    caller.answerNext(answer(200))
    _ = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + Self.patience)
    caller.answerNext(.pending)
    _ = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + Self.patience)
    // What is under way counts.
    expectEqual(client.left, RateBudget.Left(left: 1, most: 3))
    caller.end(answer(429, retryAfter: .seconds(30)))
    expectEqual(client.left, RateBudget.Left(left: 0, most: 3))
    time.advance(by: .seconds(30))
    expectEqual(client.left, RateBudget.Left(left: 2, most: 3))
  }

  @Test func whatIsNotSentCostsNothing() async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, RateBudget(limit: 1), time: time)
    caller.answerNext(.notSent(TransportFault(.unreachable, "no")))
    for _ in 0..<5 { _ = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + .seconds(1)) }
    expectEqual(caller.sent.count, 5)
    caller.answerNext(answer(200))
    for _ in 0..<5 { _ = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + .seconds(1)) }
    expectEqual(caller.sent.count, 6)
  }

  @Test func theBackgroundLeavesAThirdToWhoWaits() async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, RateBudget(limit: 9), time: time)
    caller.answerNext(answer(200))
    let call = HTTPCall(.get, path: "/")
    for _ in 0..<20 { _ = await client.perform(call, .background, deadline: time.now() + .seconds(1)) }
    expectEqual(caller.sent.count, 6)
    for _ in 0..<20 { _ = await client.perform(call, .live, deadline: time.now() + .seconds(1)) }
    expectEqual(caller.sent.count, 9)
  }

  /// Whoever has used the third, nothing is left of it for what may come tomorrow.
  @Test(arguments: RateBudget.Model.allCases) func whatMayComeTomorrowTakesAThirdThatNobodyWants(
    model: RateBudget.Model
  ) async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, RateBudget(limit: 9, model: model), time: time)
    caller.answerNext(answer(200))
    let call = HTTPCall(.get, path: "/")
    _ = await client.perform(call, .live, deadline: time.now() + .seconds(1))
    expectEqual(client.wait(.spare), nil)
    for _ in 0..<20 { _ = await client.perform(call, .spare, deadline: time.now() + .seconds(1)) }
    expectEqual(caller.sent.count, 3)
    expect(client.wait(.spare) == .seconds(60) && client.wait(.live) == nil)
    for _ in 0..<20 { _ = await client.perform(call, .live, deadline: time.now() + .seconds(1)) }
    expectEqual(caller.sent.count, 9)
    time.advance(by: .seconds(60))
    expectEqual(client.wait(.spare), nil)
  }

  /// A late end is settled as one in time: here it is the word that the key is wrong.
  @Test func aLateEndCounts() async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, time: time)
    for _ in 0..<AuthenticationGuard.mostFailures {
      _ = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + Self.patience)
      caller.end(answer(401))
      time.advance(by: .seconds(1))
    }
    let outcome = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + Self.patience)
    guard case .notSent(let fault) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(fault.reason, .keyRefused)
  }

  @Test func anAnswerToTheKeyBeforeIsNoneToThisOne() async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, time: time)
    _ = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + Self.patience)
    client.replaceKey(caller.keys[1])
    expectEqual(client.redactions.count, 2, "an answer may still quote the key before")
    caller.end(answer(423))
    caller.answerNext(answer(200))
    let outcome = await client.perform(HTTPCall(.get, path: "/"), deadline: time.now() + Self.patience)
    expectEqual(outcome.result, answer(200))
    expectEqual(caller.sent.last?.key, 1)
  }

  // MARK: Reading

  private static let quick = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(1), mostTries: 4)

  private func read(
    _ result: HTTPOutcome.Result, _ budget: RateBudget = RateBudget(), waitsForBudget: Bool = false
  ) async throws -> (fault: TransportFault, sent: Int) {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    caller.answerNext(result)
    let client = client(caller, budget, time: time)
    do {
      let status: Int = try await client.read(
        HTTPCall(.get, path: "/"), Self.quick, deadline: time.now() + .seconds(10), waitsForBudget: waitsForBudget
      ) { answer in answer.status == 200 ? .value(answer.status) : .fault(TransportFault(.badAnswer, "no")) }
      Issue.record("read \(status)")
      return (TransportFault(.badAnswer, ""), 0)
    } catch {
      return (error, caller.sent.count)
    }
  }

  @Test func readingRepeatsWhatMayHelp() async throws {
    for (result, tries) in [
      (answer(500), 4), (answer(503), 4), (answer(404), 1), (answer(400), 1), (answer(429), 1),
      (.lost(TransportFault(.unreachable, "")), 4), (.lost(TransportFault(.badAnswer, "")), 1), (.pending, 1),
      (.notSent(TransportFault(.unreachable, "", isTransient: true)), 4), (.notSent(TransportFault(.tlsFault, "")), 1),
    ] as [(HTTPOutcome.Result, Int)] {
      try await expectEqual(read(result).sent, tries, "\(result)")
    }
  }

  /// Where each request puts off the end of the server's window, a list goes in bursts; else it takes its quarter.
  @Test(arguments: [(RateBudget.Model.window, 15, 45), (.pause, 30, 30), (.both, 30, 30)])
  func manyRequestsLeaveTheBudgetToPeople(model: RateBudget.Model, bulk: Int, live: Int) async throws {
    let time = ManualTime()
    let caller = try ScriptedCaller(time: time)
    let client = client(caller, RateBudget(limit: 60, model: model), time: time)
    caller.answerNext(answer(200))
    func perform(_ urgency: MeteredClient.Urgency) async -> Bool {
      let outcome = await client.perform(HTTPCall(.get, path: "/"), urgency, deadline: time.now() + .seconds(1))
      if case .answered = outcome.result { return true }
      return false
    }
    var sent = 0
    while await perform(.bulk) { sent += 1 }
    expectEqual(sent, bulk)
    sent = 0
    while await perform(.live) { sent += 1 }
    expectEqual(sent, live)
    time.advance(by: .seconds(60))
    expect(await perform(.bulk))
  }

  @Test func readingWaitsForTheBudgetWhereThereIsTime() async throws {
    let time = SystemTime()
    let caller = try ScriptedCaller(time: time)
    caller.answerNext(answer(503))
    let client = client(caller, RateBudget(limit: 1), time: time)
    for isWaiting in [false, true] {
      await #expect(throws: TransportFault.self) {
        let _: Int = try await client.read(
          HTTPCall(.get, path: "/"), Self.quick, deadline: time.now() + .seconds(10), waitsForBudget: isWaiting
        ) { _ in .fault(TransportFault(.badAnswer, "no")) }
      }
    }
    expectEqual(caller.sent.count, 1, "the budget is never overdrawn")
  }
}
