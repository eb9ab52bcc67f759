import Expectations
import ScanModel
import Calls
import ScanTesting
import Testing

/// The real server's counter: each accepted request sets it one higher and its life to 60 s from now; at the limit it refuses.
private struct CounterServer {
  let limit: Int
  var count = 0
  var livesUntil = Int64.min
  mutating func accepts(at milliseconds: Int64) -> Bool {
    if milliseconds >= livesUntil { count = 0 }
    guard count < limit else { return false }
    count += 1
    livesUntil = milliseconds + 60_000
    return true
  }
}

/// The document's limit: no more than so many in any 60 s.
private struct WindowServer {
  let limit: Int
  var arrivals: [Int64] = []
  mutating func accepts(at milliseconds: Int64) -> Bool {
    guard arrivals.filter({ $0 > milliseconds - 60_000 }).count < limit else { return false }
    arrivals.append(milliseconds)
    return true
  }
}

private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

@Suite struct RateBudgetTests {
  /// Requests at random times, each on its way for a random time and arriving somewhere in between: whichever model the
  /// server uses, it never sees one too many.
  @Test(arguments: [UInt64](1...60)) func neverMoreThanTheServerAllows(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = Int.random(in: 1...20, using: &random)
    for model in RateBudget.Model.allCases {
      var budget = RateBudget(limit: limit, model: model)
      var journeys: [(arrival: Int64, end: Int64, ticket: RateBudget.Ticket, counted: Bool)] = []
      var arrivals: [Int64] = []
      var now: Int64 = 0
      var granted = 0
      for _ in 0..<600 {
        now +=
          Bool.random(using: &random) ? .random(in: 0...3_000, using: &random) : .random(in: 0...70_000, using: &random)
        for journey in journeys where journey.end <= now {
          if journey.counted {
            budget.finished(journey.ticket, at: time(journey.end))
          } else {
            budget.notCounted(journey.ticket)
          }
        }
        journeys.removeAll { $0.end <= now }
        guard case .granted(let ticket) = budget.tryTake(at: time(now)) else { continue }
        granted += 1
        let end = now + .random(in: 1...15_000, using: &random)
        let counted = Int.random(in: 0..<8, using: &random) > 0
        let arrival = Int64.random(in: now...end, using: &random)
        journeys.append((arrival, end, ticket, counted))
        if counted { arrivals.append(arrival) }
      }
      arrivals.sort()
      var counter = CounterServer(limit: limit)
      var window = WindowServer(limit: limit)
      let refusedByCounter = arrivals.filter { !counter.accepts(at: $0) }
      let refusedByWindow = arrivals.filter { !window.accepts(at: $0) }
      if model != .window { expect(refusedByCounter.isEmpty, "seed \(seed), \(model)") }
      if model != .pause { expect(refusedByWindow.isEmpty, "seed \(seed), \(model)") }
      expect(granted > limit, "seed \(seed): the budget must come back")
    }
  }

  /// The promised time is the right one: not a millisecond before, and then surely.
  @Test(arguments: RateBudget.Model.allCases) func nextPossibleIsExact(model: RateBudget.Model) {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var budget = RateBudget(limit: 4, model: model)
      var now: Int64 = 1_000
      while true {
        switch budget.tryTake(at: time(now)) {
        case .granted(let ticket):
          now += .random(in: 0...20_000, using: &random)
          budget.finished(ticket, at: time(now))
          continue
        case .spent(let next):
          expect(next > time(now))
          var early = budget
          guard case .spent = early.tryTake(at: next - .milliseconds(1)) else {
            Issue.record("granted too early")
            return
          }
          guard case .granted = budget.tryTake(at: next) else {
            Issue.record("promise not kept")
            return
          }
        }
        break
      }
    }
  }

  /// A wait that is told is the one that a request would have.
  @Test(arguments: [UInt64](1...40)) func aWaitIsToldWithoutAPlace(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var budget = RateBudget(
      limit: .random(in: 1...12, using: &random),
      model: RateBudget.Model.allCases.randomElement(using: &random) ?? .both
    )
    var now: Int64 = 1_000
    var open: [RateBudget.Ticket] = []
    for _ in 0..<300 {
      now += .random(in: 0...20_000, using: &random)
      let reserve = Int.random(in: 0...12, using: &random)
      var asked = budget
      let wait = budget.wait(at: time(now), leaving: reserve)
      switch asked.tryTake(at: time(now), leaving: reserve) {
      case .granted(let ticket):
        expectEqual(wait, nil, "seed \(seed)")
        budget = asked
        open.append(ticket)
      case .spent(let next): expectEqual(wait, next - time(now), "seed \(seed)")
      }
      if random.chance(70), let ticket = open.popLast() {
        random.chance(90)
          ? budget.finished(ticket, at: time(now)) : budget.limited(ticket, at: time(now), retryAfter: nil)
      }
    }
  }

  /// What is left is what would be granted now, whatever has come before.
  @Test(arguments: [UInt64](1...40)) func whatIsLeftIsWhatIsGranted(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var budget = RateBudget(
      limit: .random(in: 1...12, using: &random),
      model: RateBudget.Model.allCases.randomElement(using: &random) ?? .both
    )
    var now: Int64 = 1_000
    var open: [RateBudget.Ticket] = []
    for _ in 0..<300 {
      now += .random(in: 0...20_000, using: &random)
      let left = budget.left(at: time(now))
      expectEqual(left.most, budget.allowance, "seed \(seed)")
      var asked = budget
      var granted = 0
      while granted <= 12, case .granted = asked.tryTake(at: time(now)) { granted += 1 }
      expectEqual(left.left, granted, "seed \(seed), \(budget.model)")
      if case .granted(let ticket) = budget.tryTake(at: time(now)) { open.append(ticket) }
      if random.chance(70), let ticket = open.popLast() {
        random.chance(90)
          ? budget.finished(ticket, at: time(now)) : budget.limited(ticket, at: time(now), retryAfter: nil)
      }
    }
  }

  @Test func steadyScanningOfTheRealServerEndsAfterSixty() {
    var pause = RateBudget(model: .pause)
    var window = RateBudget(model: .window)
    var grantedByPause = 0
    for index in 0..<100 {
      let now = time(Int64(index) * 10_000)
      if case .granted(let ticket) = pause.tryTake(at: now) {
        grantedByPause += 1
        pause.finished(ticket, at: now)
      }
      guard case .granted(let ticket) = window.tryTake(at: now) else {
        Issue.record("six a minute fit the window")
        return
      }
      window.finished(ticket, at: now)
    }
    // After sixty the budget refuses, and the refusals are the pause: it returns 60 s after the last accepted request.
    expectEqual(grantedByPause, 100 - 5)
  }

  @Test func limitedByTheServerWaitsForTheCounterOrTheAdvice() {
    var budget = RateBudget()
    guard case .granted(let first) = budget.tryTake(at: time(0)) else { return expect(false) }
    budget.finished(first, at: time(100))
    guard case .granted(let second) = budget.tryTake(at: time(30_000)) else { return expect(false) }
    budget.limited(second, at: time(30_050), retryAfter: nil)
    expectEqual(budget.tryTake(at: time(30_060)), .spent(nextPossible: time(60_100)))
    guard case .granted(let third) = budget.tryTake(at: time(60_100)) else { return expect(false) }
    budget.limited(third, at: time(60_200), retryAfter: .seconds(86_400))
    expectEqual(budget.tryTake(at: time(60_300)), .spent(nextPossible: time(60_200 + 15 * 60_000)))
  }

  /// A log that is told aside, and refused for its own rate, closes no gate.
  @Test func whoLeavesPlacesToOthersIsLimitedAlone() {
    var budget = RateBudget()
    guard case .granted(let aside) = budget.tryTake(at: time(0), leaving: 20) else { return expect(false) }
    budget.limited(aside, at: time(10), retryAfter: .seconds(600))
    expectEqual(budget.tryTake(at: time(20), leaving: 1), .spent(nextPossible: time(600_010)))
    guard case .granted(let live) = budget.tryTake(at: time(20)) else { return expect(false, "a gate is closed") }
    // Whom somebody waits for speaks for all.
    budget.limited(live, at: time(30), retryAfter: .seconds(30))
    expectEqual(budget.tryTake(at: time(40)), .spent(nextPossible: time(30_030)))
    expectEqual(budget.tryTake(at: time(40), leaving: 1), .spent(nextPossible: time(600_010)))
    guard case .granted = budget.tryTake(at: time(30_030)) else { return expect(false) }
    guard case .granted = budget.tryTake(at: time(600_010), leaving: 1) else { return expect(false) }
  }

  @Test func limitedWithoutOwnRequestsStillWaits() {
    var budget = RateBudget()
    guard case .granted(let ticket) = budget.tryTake(at: time(0)) else { return expect(false) }
    budget.limited(ticket, at: time(10), retryAfter: nil)
    expectEqual(budget.tryTake(at: time(11)), .spent(nextPossible: time(5_010)))
  }

  @Test func ticketsAreGivenBackOnce() {
    var budget = RateBudget(limit: 1)
    guard case .granted(let ticket) = budget.tryTake(at: time(0)) else { return expect(false) }
    budget.notCounted(ticket)
    budget.notCounted(ticket)
    budget.finished(ticket, at: time(1))
    guard case .granted = budget.tryTake(at: time(2)) else { return expect(false) }
    guard case .spent = budget.tryTake(at: time(3)) else { return expect(false) }
  }

  @Test(arguments: [
    (60, 0.5, 30), (60, 1.0, 60), (60, 0.001, 1), (0, 1.0, 1), (60, .nan, 60), (-5, -1.0, 1), (.max, 1.0, 1_000_000),
  ])
  func shareScalesTheLimit(limit: Int, share: Double, allowance: Int) {
    expectEqual(RateBudget(limit: limit, share: share).allowance, allowance)
  }
}

@Suite struct AuthenticationGuardTests {
  @Test func stopsLongBeforeTheServerBlocks() {
    var watch = AuthenticationGuard()
    var sent = 0
    for second in 0..<(14 * 60) {
      let now = time(Int64(second) * 1_000)
      guard watch.begin(at: now) == .granted else { continue }
      sent += 1
      watch.failed(at: now)
    }
    expectEqual(sent, AuthenticationGuard.mostFailures)
    let until = time(4_000 + 15 * 60_000)
    expectEqual(watch.begin(at: time(800_000)), .stopped(until: until))
    expectEqual(watch.begin(at: until), .granted)
    watch.failed(at: until)
    expectEqual(watch.begin(at: until + .milliseconds(249)), .wait(until: until + .milliseconds(250)))
    expectEqual(watch.begin(at: until + .milliseconds(250)), .granted)
  }

  /// Failures spread over days never reach ten inside 15 min at the server, whose own count lives 15 min from the last.
  @Test func neverTenInARow() {
    var watch = AuthenticationGuard()
    var random = SeededGenerator(seed: 3)
    var now: Int64 = 0
    var serverCount = 0
    var serverUntil: Int64 = 0
    for _ in 0..<5_000 {
      now += .random(in: 0...300_000, using: &random)
      guard watch.begin(at: time(now)) == .granted else { continue }
      if now >= serverUntil { serverCount = 0 }
      serverCount += 1
      serverUntil = now + 15 * 60_000
      expect(serverCount < 10)
      watch.failed(at: time(now))
    }
  }

  @Test func blockEndsAfterItsTime() {
    var watch = AuthenticationGuard()
    expectEqual(watch.begin(at: time(0)), .granted)
    watch.blocked(at: time(0))
    expectEqual(watch.begin(at: time(1)), .blocked(until: time(15 * 60_000)))
    expectEqual(watch.begin(at: time(15 * 60_000)), .granted)
  }

  @Test(arguments: [(Duration.seconds(40), Int64(40_000)), (.zero, 1_000), (.seconds(Int64.max), 900_000)])
  func blockEndsWhenTheServerSaysSo(retryAfter: Duration, end: Int64) {
    var watch = AuthenticationGuard()
    expectEqual(watch.begin(at: time(0)), .granted)
    watch.blocked(at: time(0), retryAfter: retryAfter)
    expectEqual(watch.begin(at: time(end - 1)), .blocked(until: time(end)))
    expectEqual(watch.begin(at: time(end)), .granted)
  }

  @Test func manyGatesDoNotTryANewKeyAtOnce() {
    var watch = AuthenticationGuard()
    for _ in 0..<AuthenticationGuard.mostFailures { expectEqual(watch.begin(at: time(0)), .granted) }
    expectEqual(watch.begin(at: time(0)), .crowded)
    watch.unknown()
    expectEqual(watch.begin(at: time(1)), .granted)
    watch.succeeded()
    for _ in 0..<100 { expectEqual(watch.begin(at: time(2)), .granted) }
    watch.failed(at: time(3))
    expectEqual(watch.begin(at: time(1_000)), .crowded)
  }
}

@Suite struct RetryPolicyTests {
  @Test(arguments: [UInt64](1...20)) func waitsGrowAndStayInsideTheDeadline(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = RetryPolicy.connect
    let deadline = time(2_500)
    var now = time(0)
    var tries = 1
    while let wait = policy.wait(afterTries: tries, at: now, deadline: deadline, using: &random) {
      let step = min(Duration.milliseconds(80 * (1 << (tries - 1))), .milliseconds(640))
      expect(wait >= step / 2 && wait <= step)
      now = now + wait
      expect(now < deadline)
      tries += 1
      guard tries < 50 else { break }
    }
    expect(tries > 3 && tries <= policy.mostTries)
  }

  @Test func extremesDoNotTrap() {
    var random = SeededGenerator(seed: 1)
    let policy = RetryPolicy(first: .seconds(Int64.max), longest: .seconds(Int64.max), mostTries: .max)
    expect(policy.wait(afterTries: .max - 1, at: time(0), deadline: time(1), using: &random) == nil)
    let none = RetryPolicy(first: .seconds(-1), longest: .seconds(-1), mostTries: 2)
    expectEqual(none.wait(afterTries: 1, at: time(0), deadline: time(1), using: &random), .zero)
  }

  @Test func harmlessCallsFollowTheDocument() {
    let repeated = (100...599).filter(RetryPolicy.mayRepeatHarmlessCall)
    expectEqual(repeated, [429] + Array(500...599))
  }
}
