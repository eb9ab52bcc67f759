import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Console

@Suite struct SignInWaitTests {
  private typealias Client = SignInWaits.Client
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  /// Tries once, where that may be, and moves the time by as long as it has to.
  private static func fail(
    _ waits: inout SignInWaits, _ client: SignInWaits.Client, slot: Int = 7, at now: MonotonicTime
  ) -> SignInWaits.Answer {
    let answer = waits.begin(client, slot: slot, at: now)
    if answer == .go { waits.end(client, slot: slot, began: now, .wrong, at: now) }
    return answer
  }

  @Test func aWrongOneWaitsTwiceAsLongEachTime() {
    var waits = SignInWaits()
    var now = Self.start
    let client = Client.address("10.0.0.1")
    for wait in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      expectEqual(Self.fail(&waits, client, at: now), .go)
      expectEqual(waits.begin(client, slot: 7, at: now), .wait(seconds: wait))
      // A try before its time lengthens nothing.
      let before = now + .seconds(wait) - .nanoseconds(1)
      expectEqual(waits.begin(client, slot: 7, at: before), .wait(seconds: 1))
      now = now + .seconds(wait)
    }
    now = now + SignInWaits.forgetting
    expectEqual(Self.fail(&waits, client, at: now), .go)
    expectEqual(waits.begin(client, slot: 7, at: now), .wait(seconds: 1))
  }

  @Test func nobodyElseWaits() {
    var waits = SignInWaits()
    expectEqual(Self.fail(&waits, .address("10.0.0.1"), at: Self.start), .go)
    for other in [Client.address("10.0.0.2"), .device("a"), .user("anna")] {
      expectEqual(Self.fail(&waits, other, at: Self.start), .go)
    }
    expectEqual(waits.begin(.address("10.0.0.1"), slot: 8, at: Self.start), .wait(seconds: 1))
  }

  @Test func manyAtOnceAreOne() {
    var waits = SignInWaits()
    expectEqual(waits.begin(.address("10.0.0.1"), slot: 7, at: Self.start), .go)
    for slot in 0..<100 {
      expectEqual(waits.begin(.address("10.0.0.1"), slot: slot, at: Self.start), .wait(seconds: 1))
    }
  }

  /// Whoever has an account of their own tries another's no faster by it.
  @Test func whatIsRightForgivesItsOwnAccountAlone() {
    var waits = SignInWaits()
    var now = Self.start
    let client = Client.address("10.0.0.1")
    func right(_ slot: Int) {
      expectEqual(waits.begin(client, slot: slot, at: now), .go)
      waits.end(client, slot: slot, began: now, .right, at: now)
    }
    for wait in [1, 2, 4, 8] {
      expectEqual(Self.fail(&waits, client, slot: 7, at: now), .go)
      now = now + .seconds(wait)
      right(8)
    }
    right(7)
    expectEqual(waits.remembered, 0)
    expectEqual(Self.fail(&waits, client, slot: 7, at: now), .go)
    expectEqual(waits.begin(client, slot: 7, at: now), .wait(seconds: 1))
  }

  @Test func aHundredAnHourForAnAccountWhereverTheyComeFrom() {
    var waits = SignInWaits()
    var now = Self.start
    for number in 0..<SignInWaits.mostFailures {
      expectEqual(Self.fail(&waits, .address("10.0.0.\(number)"), at: now), .go)
      now = now + .seconds(1)
    }
    expectEqual(waits.begin(.address("10.1.0.1"), slot: 7, at: now), .shut(seconds: 3_500))
    expectEqual(waits.begin(.user("anna"), slot: 7, at: now), .shut(seconds: 3_500))
    // Other accounts are open.
    expectEqual(Self.fail(&waits, .address("10.1.0.2"), slot: 8, at: now), .go)
    now = Self.start + SignInWaits.hour
    expectEqual(Self.fail(&waits, .address("10.1.0.1"), at: now), .go)
    expectEqual(waits.begin(.address("10.1.0.3"), slot: 7, at: now), .shut(seconds: 1))
    // Another password is not what they tried.
    waits.forget(slot: 7)
    expectEqual(waits.begin(.address("10.1.0.3"), slot: 7, at: now), .go)
  }

  @Test func whatIsUnderWayCountsForTheAccount() {
    var waits = SignInWaits()
    for number in 0..<SignInWaits.mostFailures {
      expectEqual(waits.begin(.address("10.0.0.\(number)"), slot: 7, at: Self.start), .go)
    }
    expectEqual(waits.begin(.address("10.1.0.1"), slot: 7, at: Self.start), .shut(seconds: 3_600))
    waits.end(.address("10.0.0.1"), slot: 7, began: Self.start, .right, at: Self.start)
    expectEqual(waits.begin(.address("10.1.0.1"), slot: 7, at: Self.start), .go)
  }

  /// Whatever happens when: no client is let try before its wait is over, none has two under way, no account has more than a hundred
  /// wrong ones in any hour, who has done nothing wrong waits for nobody else, and memory has a bound.
  @Test(arguments: 0..<6) func anyOrderKeepsThePromises(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var waits = SignInWaits()
    var now = Self.start
    var underWay: [(client: Client, slot: Int, began: MonotonicTime)] = []
    var until: [Client: MonotonicTime] = [:]
    var failures: [Int: [MonotonicTime]] = [:]
    var gone = 0
    for step in 0..<extent(landing: 5_000, release: 200_000) {
      now = now + .milliseconds(Int.random(in: 0...3_000, using: &random))
      if !underWay.isEmpty, Bool.random(using: &random) {
        let attempt = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random))
        let result =
          [SignInWaits.Result.wrong, .wrong, .wrong, .right, .unjudged].randomElement(using: &random) ?? .wrong
        waits.end(attempt.client, slot: attempt.slot, began: attempt.began, result, at: now)
        if result == .wrong {
          until[attempt.client] = now + .seconds(1)
          failures[attempt.slot, default: []].append(attempt.began)
        }
        continue
      }
      let number = Int.random(in: 0..<40, using: &random)
      let client: Client = number % 3 == 0 ? .device("\(number)") : .address("10.0.0.\(number)")
      let slot = Int.random(in: 0..<3, using: &random)
      let answer = waits.begin(client, slot: slot, at: now)
      let isUnderWay = underWay.contains { $0.client == client }
      let recent = (failures[slot] ?? []).filter { now - $0 < SignInWaits.hour }.count
      switch answer {
      case .go:
        expect(!isUnderWay, "seed \(seed), step \(step): two at once")
        expect(until[client].map { now >= $0 } ?? true, "seed \(seed), step \(step): it did not wait")
        expect(recent < SignInWaits.mostFailures, "seed \(seed), step \(step): \(recent) in an hour")
        underWay.append((client, slot, now))
        gone += 1
      case .wait(let seconds):
        expect((1...SignInWaits.longestWait).contains(seconds))
        expect(isUnderWay || until[client] != nil, "seed \(seed), step \(step): it waits for somebody else")
      case .shut(let seconds):
        expect((1...3_600).contains(seconds))
        expect(
          recent + underWay.filter { $0.slot == slot }.count >= SignInWaits.mostFailures, "seed \(seed), step \(step)")
      }
    }
    expect(gone > 100, "seed \(seed): only \(gone) were let try")
  }

  @Test func memoryHasABound() {
    var waits = SignInWaits()
    // Beyond it each is a search for who may be forgotten.
    for number in 0..<(SignInWaits.mostClients + extent(landing: 200, release: SignInWaits.mostClients)) {
      expectEqual(Self.fail(&waits, .address("\(number)"), slot: number % SignInWaits.slots, at: Self.start), .go)
    }
    expectEqual(waits.remembered, SignInWaits.mostClients)
  }
}
