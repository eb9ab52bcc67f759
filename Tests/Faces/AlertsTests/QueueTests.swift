import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Alerts

/// What waits to be posted.
@Suite struct QueueTests {
  private static let start = MonotonicTime(nanoseconds: 0)

  private static func message(_ subject: String, _ title: String = "t") -> AlertMessage {
    AlertMessage(key: AlertKey(.reader, subject), title: title, body: "b\n", priority: .high, tags: "warning")
  }

  @Test func isTriedAfterOneFiveAndFifteenMinutesAndThenGivenUp() {
    var queue = AlertQueue()
    queue.add(Self.message("a"), at: Self.start)
    var now = Self.start
    for (tries, wait) in [60, 300, 900].enumerated() {
      guard let waiting = queue.next(at: now) else { return expect(false, "nothing is due at try \(tries)") }
      expectEqual(waiting.tries, tries)
      expectEqual(queue.failed(waiting.id, at: now), nil)
      let due = now + .seconds(wait)
      expectEqual(queue.nextDue, due)
      expectEqual(queue.next(at: due - .nanoseconds(1)), nil)
      now = due
    }
    guard let last = queue.next(at: now) else { return expect(false, "nothing is due") }
    expectEqual(queue.failed(last.id, at: now), Self.message("a"))
    expectEqual(queue.waiting, [])
  }

  @Test func whoTakesOneTakesTheOthersNow() {
    var queue = AlertQueue()
    for subject in ["a", "b"] { queue.add(Self.message(subject), at: Self.start) }
    for _ in 0..<2 {
      guard let waiting = queue.next(at: Self.start) else { return expect(false, "nothing is due") }
      _ = queue.failed(waiting.id, at: Self.start)
    }
    expectEqual(queue.next(at: Self.start), nil)
    queue.add(Self.message("c"), at: Self.start)
    guard let new = queue.next(at: Self.start) else { return expect(false, "a new one waits for old ones") }
    expectEqual(new.message.key.subject, "c")
    queue.delivered(new.id, at: Self.start)
    expectEqual(queue.next(at: Self.start)?.message.key.subject, "a")
  }

  @Test func theOldestGoesWhereTooManyWait() {
    var queue = AlertQueue()
    for number in 0..<AlertQueue.most { expectEqual(queue.add(Self.message("\(number)"), at: Self.start), nil) }
    expectEqual(queue.add(Self.message("more"), at: Self.start), Self.message("0"))
    expectEqual(queue.waiting.count, AlertQueue.most)
  }

  /// Whatever fails: of one thing everything arrives in its order, and nothing twice.
  @Test(arguments: 0..<extent(landing: 40, release: 400))
  func ofOneThingAllArrivesInItsOrder(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var queue = AlertQueue()
    var now = Self.start
    var sent = 0
    var arrived: [String: [Int]] = [:]
    var gone = 0
    for _ in 0..<1_500 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let subject = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        if queue.add(Self.message(subject, "\(sent)"), at: now) != nil { gone += 1 }
        sent += 1
      case 1: now = now + .seconds(Int.random(in: 0...600, using: &random))
      default:
        guard let waiting = queue.next(at: now) else {
          expect(queue.nextDue.map { $0 > now } ?? queue.waiting.isEmpty, "seed \(seed): due, and not given")
          continue
        }
        if random.chance(50) {
          if queue.failed(waiting.id, at: now) != nil { gone += 1 }
        } else {
          arrived[waiting.message.key.subject, default: []].append(Int(waiting.message.title) ?? -1)
          queue.delivered(waiting.id, at: now)
        }
      }
      expect(queue.waiting.count <= AlertQueue.most, "seed \(seed)")
    }
    for (subject, numbers) in arrived {
      expectEqual(numbers, Set(numbers).sorted(), "seed \(seed), \(subject)")
    }
    expectEqual(arrived.values.map(\.count).reduce(0, +) + gone + queue.waiting.count, sent, "seed \(seed)")
  }
}
