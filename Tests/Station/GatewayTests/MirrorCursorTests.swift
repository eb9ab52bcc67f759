import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// How far a log was told: none twice, whatever ends the process or the power.
@Suite struct MirrorCursorTests {
  /// A log, and a station whose process and power end at any moment, over a journal that only grows.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 20, release: 5_000))))
  func noneIsToldTwiceAndEachIsCountedOnce(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var log: [Int64: Int] = [:]
    let begin = JournalPlace(journal: 7, fact: 100)
    let first = MirrorCursor(at: begin)
    /// What the process holds, what a kill leaves of it, and what a power cut does.
    var (held, written, durable) = (first, first, first)
    var newest: Int64 = 100
    var (isKilled, isCut) = (0, 0)

    func restart(from left: MirrorCursor) throws {
      held = try #require(MirrorCursor(bytes: left.bytes))
      held.takeUp()
      written = held
    }
    for _ in 0..<400 {
      newest += random.chance(40) ? Int64.random(in: 1...3, using: &random) : 0
      switch Int.random(in: 0..<100, using: &random) {
      case ..<8:
        try restart(from: written)
        isKilled += 1
      case ..<12:
        try restart(from: durable)
        isCut += 1
      case ..<20:
        durable = written
      case ..<30 where held.place.fact < newest:
        held.pass(held.place.fact + 1, \.withoutEvent)
        if random.chance(50) { written = held }
      case ..<90 where held.place.fact < newest:
        let fact = held.place.fact + 1
        held.ask(fact)
        (written, durable) = (held, held)
        if random.chance(10) { continue }
        if random.chance(20) {
          held.takeBack()
          if random.chance(80) { written = held }
          continue
        }
        log[fact, default: 0] += random.chance(80) ? 1 : 0
        if random.chance(15) {
          // It ends before the answer is known.
          try restart(from: random.chance(70) ? written : durable)
          continue
        }
        held.settle(random.chance(80) ? \.sent : \.lost)
        if random.chance(80) { written = held }
      default: continue
      }
      expect(log.values.allSatisfy { $0 <= 1 }, "seed \(seed): told twice")
      expectEqual(held.counts.all, held.place.fact - begin.fact, "seed \(seed)")
    }
    expect(isKilled > 0 && isCut > 0, "seed \(seed)")
    let told = Int64(log.values.reduce(0, +))
    expect(told <= held.counts.sent + held.counts.lost + (held.asked == nil ? 0 : 1), "seed \(seed)")
  }

  @Test func whatIsNotAskedCannotBeSettled() {
    var cursor = MirrorCursor(at: JournalPlace(journal: 1, fact: 5))
    cursor.settle(\.sent)
    cursor.pass(5, \.tooOld)
    cursor.look(upTo: JournalPlace(journal: 2, fact: 9))
    expectEqual(cursor, MirrorCursor(at: JournalPlace(journal: 1, fact: 5)))
    cursor.ask(6)
    cursor.look(upTo: JournalPlace(journal: 1, fact: 9))
    expect(cursor.place.fact == 5 && cursor.asked == 6, "what is under way is not looked over")
    cursor.settle(\.refused)
    cursor.look(upTo: JournalPlace(journal: 1, fact: 9))
    expect(cursor.place.fact == 9 && cursor.counts.refused == 1 && cursor.counts.all == 1)
    cursor.look(upTo: JournalPlace(journal: 1, fact: 7))
    expectEqual(cursor.place.fact, 9)
  }

  @Test func whatIsNoCursorIsNone() {
    for text in ["", "{}", "null", #"{"place":{"journal":1}}"#, #"{"place":7}"#] {
      expectEqual(MirrorCursor(bytes: Array(text.utf8)), nil)
    }
  }
}
