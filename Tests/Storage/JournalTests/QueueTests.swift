import Expectations
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Journal

/// The queue alone, with no disk: who waits is answered once, and never with more than is so.
@Suite struct QueueTests {
  @Test(arguments: [false, true]) func whatIsUrgentIsSyncedBeforeAnybodyWaits(isUrgent: Bool) {
    var queue = JournalQueue()
    let now = MonotonicTime(nanoseconds: 1_000_000_000)
    let mark = queue.add(JournalBatch(facts: [.asked(sampleAttempt())], isUrgent: isUrgent), at: now)
    expect(queue.syncTarget(at: now, after: .milliseconds(500)) == nil)
    _ = queue.beginTry(at: now)
    _ = queue.wrote(upTo: mark, at: now)
    expectEqual(queue.syncTarget(at: now, after: .milliseconds(500)), (isUrgent ? mark : nil))
    expectEqual(queue.syncTarget(at: now + .milliseconds(500), after: .milliseconds(500)), mark)
  }

  @Test(arguments: 0..<50) func nobodyIsToldMoreThanIsSo(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = JournalQueue()
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var asked = 0
    let answers = Mutex(0)
    let fault = JournalFault(.full, "full")
    func tell() {
      for (waiter, answer) in queue.answered(path: "p") {
        waiter.answer(answer)
        if case .success(let isSo) = answer {
          expect(isSo && waiter.mark <= (waiter.isDurable ? queue.durable : queue.written), "seed \(seed)")
        } else {
          expect(queue.fault != nil || queue.syncFault != nil || queue.isClosed, "seed \(seed)")
        }
      }
    }
    for _ in 0..<400 {
      now = now + .milliseconds(Int64.random(in: 0...400, using: &generator))
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1: _ = queue.add(JournalBatch(facts: [.asked(sampleAttempt())]), at: now)
      case 2, 3:
        let mark = UInt64.random(in: 0...queue.last, using: &generator)
        let isDurable = generator.chance(50)
        if isDurable { queue.want(mark) }
        if queue.answer(for: mark, isDurable: isDurable, path: "p") == nil {
          asked += 1
          _ = queue.wait(.init(mark: mark, isDurable: isDurable) { _ in answers.withLock { $0 += 1 } })
        }
      case 4:
        if let last = queue.beginTry(at: now).last?.mark {
          if generator.chance(70) { _ = queue.wrote(upTo: last, at: now) } else { queue.failed(fault) }
        }
      case 5, 6:
        if let target = queue.syncTarget(at: now, after: .milliseconds(500)) {
          expect(target <= queue.written)
          queue.beginSync()
          // What is written while the sync runs is not in it.
          _ = queue.add(JournalBatch(), at: now)
          if let last = queue.beginTry(at: now).last?.mark { _ = queue.wrote(upTo: last, at: now) }
          if generator.chance(80) { queue.synced(upTo: target) } else { queue.syncFailed(fault) }
          expect(queue.durable <= target)
        }
      default: if queue.syncFault != nil { queue.synced(upTo: queue.written) }
      }
      expect(queue.durable <= queue.written && queue.written <= queue.last, "seed \(seed)")
      expectEqual(queue.pending.map(\.mark), Array(queue.written..<queue.last).map { $0 + 1 }, "seed \(seed)")
      tell()
    }
    queue.isClosed = true
    tell()
    expectEqual(answers.withLock { $0 }, asked, "seed \(seed)")
  }

  /// What a failing disk leaves in memory is bounded: the oldest scans go, what was asked and remembered stays.
  @Test func theOldestScansGoFirst() {
    var queue = JournalQueue()
    let now = MonotonicTime(nanoseconds: 0)
    let key = LedgerKey(server: "s", kind: .ticket, bytes: [1])
    let asked = JournalFact.asked(sampleAttempt())
    _ = queue.add(JournalBatch(facts: [asked, .scan(sampleScan("0"))], memory: [key: [1]]), at: now)
    for number in 1...(JournalQueue.limit + 100) {
      _ = queue.add(JournalBatch(facts: [.scan(sampleScan("\(number)"))]), at: now)
    }
    expect(queue.pending.count <= JournalQueue.limit)
    expect(queue.dropped > 0)
    expectEqual(queue.pending.first?.batch, JournalBatch(facts: [asked], memory: [key: [1]]))
    expectEqual(queue.pending.last?.mark, queue.last)
    expect(queue.wrote(upTo: queue.last, at: now).dropped > 0)
    expect(queue.dropped == 0 && queue.written == queue.last)
  }

  @Test func aFailingJournalTriesAtMostOnceASecond() {
    var queue = JournalQueue()
    var now = MonotonicTime(nanoseconds: 0)
    _ = queue.add(JournalBatch(), at: now)
    _ = queue.beginTry(at: now)
    queue.failed(JournalFault(.full, "full"))
    now = now + .milliseconds(999)
    let early = queue.add(JournalBatch(), at: now)
    expect(!queue.isTrying)
    expectEqual(queue.answer(for: early, isDurable: false, path: "p"), .failure(JournalFault(.full, "full")))
    now = now + .milliseconds(1)
    let due = queue.add(JournalBatch(), at: now)
    // Who waits now waits for the try.
    expect(queue.isTrying && queue.answer(for: due, isDurable: false, path: "p") == nil)
  }
}
