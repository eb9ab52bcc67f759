import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

/// Types with a clock of its own.
private struct Typist {
  var detector = BurstDetector()
  var clock = MonotonicTime(nanoseconds: 1_000_000_000)
  var bursts: [BurstDetector.Burst] = []

  mutating func type(_ text: String, gap milliseconds: Int64) {
    for character in text.utf8 {
      clock = clock + .milliseconds(milliseconds)
      if let burst = detector.type([character], at: clock) { bursts.append(burst) }
    }
  }

  mutating func enter() {
    clock = clock + .milliseconds(5)
    bursts += detector.terminate(at: clock)
  }

  mutating func wait(_ milliseconds: Int64) {
    clock = clock + .milliseconds(milliseconds)
    if let burst = detector.advance(to: clock) { bursts.append(burst) }
  }

  var texts: [String] { bursts.map { String(decoding: $0.bytes, as: UTF8.self) } }
}

@Suite struct BurstDetectorTests {
  @Test func aScannerIsABurst() {
    var typist = Typist()
    typist.type("ABC123", gap: 5)
    typist.enter()
    expectEqual(typist.texts, ["ABC123"])
    expectEqual(typist.bursts.first?.hasTerminator, true)
    expectEqual(typist.bursts.first?.meanGap, .milliseconds(5))
  }

  @Test func silenceEndsIt() {
    var typist = Typist()
    typist.type("4006381333931", gap: 34)
    expectEqual(typist.detector.deadline, typist.clock + BurstDetector.silence)
    typist.wait(149)
    expect(typist.bursts.isEmpty)
    typist.wait(1)
    expectEqual(typist.texts, ["4006381333931"])
    expectEqual(typist.bursts.first?.hasTerminator, false)
    expect(typist.detector.deadline == nil)
  }

  @Test(arguments: [("12345", 1), ("123456", 35), ("a long sentence", 90), ("", 1)])
  func aPersonIsNone(_ text: String, _ gap: Int64) {
    var typist = Typist()
    typist.type(text, gap: gap)
    typist.enter()
    typist.type(text, gap: gap)
    typist.wait(1_000)
    expect(typist.bursts.isEmpty)
  }

  @Test func aScanAfterTypingIsWhole() {
    var typist = Typist()
    typist.type("hello", gap: 110)
    typist.wait(140)
    typist.wait(20)
    typist.type("TICKET-1", gap: 8)
    typist.enter()
    expectEqual(typist.texts, ["TICKET-1"])
  }

  @Test func twoScansAreTwo() {
    var typist = Typist()
    typist.type("TICKET-1", gap: 8)
    typist.wait(200)
    typist.type("TICKET-2", gap: 8)
    typist.enter()
    expectEqual(typist.texts, ["TICKET-1", "TICKET-2"])
  }

  @Test func whatIsForgottenIsGone() {
    var typist = Typist()
    typist.type("TICKET", gap: 8)
    typist.detector.reset()
    typist.type("-1", gap: 8)
    typist.enter()
    expect(typist.bursts.isEmpty)
  }

  /// Whatever is typed whenever: a burst is fast and long enough, and is part of what was typed.
  @Test(arguments: 1...40) func burstsAreFast(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var typist = Typist()
    var typed = ""
    for _ in 0..<300 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: typist.enter()
      case 1: typist.wait(Int64.random(in: 0..<400, using: &generator))
      default:
        let text = String(UnicodeScalar(UInt8.random(in: 48..<58, using: &generator)))
        typed += text
        typist.type(text, gap: Int64.random(in: 0..<(generator.chance(70) ? 40 : 200), using: &generator))
      }
    }
    for burst in typist.bursts {
      expect(burst.bytes.count >= BurstDetector.leastCharacters, "seed \(seed)")
      expect(burst.meanGap < BurstDetector.longestMeanGap, "seed \(seed)")
      expect(typed.contains(String(decoding: burst.bytes, as: UTF8.self)), "seed \(seed)")
    }
  }
}
