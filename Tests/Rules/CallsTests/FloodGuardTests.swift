import Expectations
import ScanModel
import Calls
import ScanTesting
import Testing

@Suite("Flood guard")
struct FloodGuardTests {
  private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
  private let code = Code("abcdefgh")

  @Test("Remembers each refusal for its own time", arguments: RefuseReason.allCases)
  func lifetimes(reason: RefuseReason) {
    var cache = NegativeCache()
    cache.remember(code, reason, at: at(100))
    let seconds: Double? =
      switch reason {
      case .unreadable, .alreadyUsed: nil
      case .unpaid, .tooEarly, .tooSoon: 3
      case .notFound, .wrongDay, .cancelled, .refunded, .expired, .notAuthorised, .wrongEvent, .wrongKind, .tooLate,
        .notGenuine:
        10
      }
    expectEqual(cache.reason(for: code, at: at(100)), (seconds == nil ? nil : reason))
    if let seconds {
      expectEqual(cache.reason(for: code, at: at(100 + seconds - 0.01)), reason)
      expect(cache.reason(for: code, at: at(100 + seconds)) == nil)
    }
    expect(cache.reason(for: code, at: at(-100)) == nil)
  }

  @Test("Keeps the words: whoever scans again to read them sees them")
  func words() {
    var cache = NegativeCache()
    let said = NegativeCache.Refusal(
      .tooEarly, admitted: 1, allowance: 2, detail: "It admits from 18:30.",
      details: TicketDetails(holder: "Ada", event: "Hamilton"))
    cache.remember(code, said, at: at(100))
    expectEqual(cache.refusal(of: code, at: at(102)), said)
    expect(cache.refusal(of: code, at: at(103)) == nil)
  }

  @Test("The latest refusal counts, and it can be forgotten")
  func replaced() {
    var cache = NegativeCache()
    cache.remember(code, .notFound, at: at(0))
    cache.remember(code, .unpaid, at: at(1))
    expectEqual(cache.reason(for: code, at: at(3)), .unpaid)
    expect(cache.reason(for: code, at: at(5)) == nil)
    cache.remember(code, .notFound, at: at(6))
    cache.forget(code)
    expect(cache.reason(for: code, at: at(6)) == nil)
  }

  @Test("Bounded: the oldest goes")
  func bounded() {
    var cache = NegativeCache(capacity: 10)
    for number in 0..<1_000 {
      cache.remember(Code("code \(number)"), .notFound, at: at(0))
      cache.remember(Code("always"), .notFound, at: at(0))
      expect(cache.count <= 10)
    }
    expectEqual(cache.reason(for: Code("code 999"), at: at(1)), .notFound)
    expectEqual(cache.reason(for: Code("always"), at: at(1)), .notFound)
    expect(cache.reason(for: Code("code 980"), at: at(1)) == nil)
  }

  @Test("A reader whose codes admit nobody is held until the minute frees; others are not")
  func readerCap() {
    var cap = ReaderCap()
    let flooding = ReaderID("north")
    for second in 0..<20 {
      expect(cap.mayAsk(flooding, at: at(Double(second))))
      cap.countVain(flooding, at: at(Double(second)))
    }
    expect(!cap.mayAsk(flooding, at: at(20)))
    expect(cap.mayAsk(ReaderID("south"), at: at(20)))
    expectEqual(cap.mayAskAgain(flooding, at: at(20)), at(60))
    expect(!cap.mayAsk(flooding, at: at(59.9)))
    expect(cap.mayAsk(flooding, at: at(60)))
    expect(cap.mayAskAgain(flooding, at: at(60)) == nil)
    cap.countVain(flooding, at: at(60))
    expect(!cap.mayAsk(flooding, at: at(60.5)))
  }

  @Test("Never more than the limit in any minute", arguments: [21, 2_100] as [UInt64])
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var cap = ReaderCap(limit: 5, window: .seconds(60))
    let reader = ReaderID("r")
    var asked: [Int64] = []
    var now: Int64 = 0
    for _ in 0..<5_000 {
      now += Int64.random(in: 0...15_000_000_000, using: &random)
      let time = MonotonicTime(nanoseconds: now)
      let recent = asked.filter { now - $0 < 60_000_000_000 }.count
      expectEqual(cap.mayAsk(reader, at: time), (recent < 5), "seed \(seed)")
      if recent < 5 {
        asked.append(now)
        cap.countVain(reader, at: time)
      }
    }
    expect(asked.count > 500)
  }

  @Test("Three flooding readers share one bound; a reader that brings tickets goes on")
  func stationCap() {
    var cap = StationCap()
    let readers = ["a", "b", "c"].map { ReaderID($0) }
    var asked = 0
    for number in 0..<60 where cap.mayAsk(readers[number % 3], at: at(1)) {
      asked += 1
      cap.countVain(readers[number % 3], at: at(1))
    }
    expect(asked == 20 && cap.count(at: at(1)) == 20)
    expect(cap.mayAsk(ReaderID("honest"), at: at(2)))
    expectEqual(cap.mayAskAgain(readers[0], at: at(2)), at(61))
    expect(cap.mayAsk(readers[0], at: at(61)))
  }

  @Test("Each request counts, whatever its code; a reader beside the flood has its free share")
  func stationCapCountsRequests() {
    var cap = StationCap(limit: 3, free: 1)
    let (north, south) = (ReaderID("north"), ReaderID("south"))
    cap.countVain(north, at: at(0))
    cap.countVain(south, at: at(1))
    expect(cap.count(at: at(2)) == 2 && cap.mayAsk(north, at: at(2)))
    cap.countVain(north, at: at(2))
    expectEqual(cap.count(at: at(3)), 3)
    expect(!cap.mayAsk(north, at: at(3)))
    expect(cap.mayAsk(south, at: at(3)))
    expectEqual(cap.mayAskAgain(north, at: at(3)), at(60))
    expect(cap.mayAsk(north, at: at(60)))
  }
}
