import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

@Suite("Hold-off")
struct HoldOffTests {
  @Test func nobodyIsHeldOffByWhatWasSeenBefore() {
    var holdOff = HoldOff(duration: .seconds(2))
    expectEqual(holdOff.sighting(of: Code("one"), at: at(0.0)), .new)
    holdOff.decided(Code("one"), .refuse(.unpaid))
    expectEqual(holdOff.sighting(of: Code("two"), at: at(0.001)), .new)
    holdOff.slept()
    expectEqual(holdOff.sighting(of: Code("one"), at: at(0.002)), .new)
    // What is being decided is decided by its scan.
    expectEqual(holdOff.sighting(of: Code("two"), at: at(0.003)), .repeat(inFlight: true))
  }

  private let code = Code("abcdefgh")
  private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

  @Test("Counted from the last sighting")
  func lastSighting() {
    var holdOff = HoldOff()
    expectEqual(holdOff.sighting(of: code, at: at(0)), .new)
    holdOff.decided(code, .admit)
    for time in [1.0, 2.5, 4.4] {
      expectEqual(holdOff.sighting(of: code, at: at(time)), .repeat(inFlight: false))
      expectEqual(holdOff.lastVerdict(of: code), .admit)
    }
    expectEqual(holdOff.sighting(of: code, at: at(6.4)), .new)
    expect(holdOff.lastVerdict(of: code) == nil)
  }

  @Test("Cannot end while the code is unanswered")
  func inFlight() {
    var holdOff = HoldOff()
    _ = holdOff.sighting(of: code, at: at(0))
    expectEqual(holdOff.sighting(of: code, at: at(60)), .repeat(inFlight: true))
    holdOff.decided(code, .refuse(.unpaid))
    expectEqual(holdOff.sighting(of: code, at: at(61)), .repeat(inFlight: false))
  }

  @Test("Still in view counts as seen, and leaving a reader's view lifts it for that reader alone")
  func view() {
    let (camera, wedge) = (ReaderID("camera"), ReaderID("wedge"))
    var holdOff = HoldOff()
    expectEqual(holdOff.sighting(of: code, by: camera, at: at(0)), .new)
    holdOff.decided(code, .admit)
    for time in stride(from: 0.2, through: 10, by: 0.2) { holdOff.inView(code, at: at(time)) }
    expectEqual(holdOff.sighting(of: code, by: wedge, at: at(11.9)), .repeat(inFlight: false))
    holdOff.left(code, viewOf: camera)
    // The same person tries the other reader, then the camera again.
    expectEqual(holdOff.sighting(of: code, by: wedge, at: at(12)), .repeat(inFlight: false))
    expectEqual(holdOff.sighting(of: code, by: camera, at: at(12.2)), .repeat(inFlight: false))
    holdOff.left(code, viewOf: camera)
    expectEqual(holdOff.sighting(of: code, by: camera, at: at(13.3)), .new)
    // In flight it joins, whatever left.
    holdOff.left(code, viewOf: camera)
    expectEqual(holdOff.sighting(of: code, by: camera, at: at(13.4)), .repeat(inFlight: true))
    holdOff.decided(code, .admit)
    expectEqual(holdOff.sighting(of: code, by: camera, at: at(13.5)), .repeat(inFlight: false))
  }

  @Test("Another spelling joins what is in flight and repeats an admission; a refusal holds off its own spelling alone")
  func spellings() {
    let (small, capital) = (Code("abcdefgh"), Code("ABCDEFGH"))
    var holdOff = HoldOff(folding: { TicketKey(Array($0.text.lowercased().utf8)) })
    expectEqual(holdOff.sighting(of: capital, at: at(0)), .new)
    expectEqual(holdOff.sighting(of: small, at: at(0.1)), .repeat(inFlight: true))
    // Caps lock must not speak for the right spelling.
    holdOff.decided(capital, .refuse(.notFound))
    expectEqual(holdOff.sighting(of: capital, at: at(0.5)), .repeat(inFlight: false))
    expectEqual(holdOff.sighting(of: small, at: at(0.6)), .new)
    holdOff.decided(small, .admit)
    expectEqual(holdOff.sighting(of: capital, at: at(1)), .repeat(inFlight: false))
    expectEqual(holdOff.lastVerdict(of: capital), .admit)
    expectEqual(holdOff.sighting(of: capital, at: at(4)), .new)
    // The word on another spelling is not its own.
    holdOff.decided(small, .admit)
    expectEqual(holdOff.sighting(of: small, at: at(5)), .repeat(inFlight: true))
    expectEqual(holdOff.count, 1)
  }

  @Test("What is not held off is not by being in view")
  func viewOfUnknown() {
    var holdOff = HoldOff()
    holdOff.inView(code, at: at(0))
    holdOff.left(code, viewOf: ReaderID("camera"))
    expectEqual(holdOff.count, 0)
    expectEqual(holdOff.sighting(of: code, at: at(0)), .new)
    holdOff.decided(code, .admit)
    // It had ended before.
    holdOff.inView(code, at: at(2))
    expectEqual(holdOff.sighting(of: code, at: at(2)), .new)
  }

  @Test("Lifted at once after undecided")
  func undecided() {
    var holdOff = HoldOff()
    _ = holdOff.sighting(of: code, at: at(0))
    holdOff.decided(code, .undecided(.unreachable))
    expectEqual(holdOff.count, 0)
    expectEqual(holdOff.sighting(of: code, at: at(0.1)), .new)
  }

  @Test("Never delays another code, and ignores a decision that was not asked for")
  func others() {
    var holdOff = HoldOff()
    _ = holdOff.sighting(of: code, at: at(0))
    expectEqual(holdOff.sighting(of: Code("ABCDEFGH"), at: at(0)), .new)
    holdOff.decided(Code("never seen"), .admit)
    expectEqual(holdOff.count, 2)
    holdOff.decided(code, .admit)
    holdOff.decided(code, .undecided(.busy))
    expectEqual(holdOff.lastVerdict(of: code), .admit)
  }

  @Test("A clock that runs backwards makes the time count anew")
  func backwards() {
    var holdOff = HoldOff()
    _ = holdOff.sighting(of: code, at: at(1_000))
    holdOff.decided(code, .admit)
    expectEqual(holdOff.sighting(of: code, at: at(10)), .repeat(inFlight: false))
    expectEqual(holdOff.sighting(of: code, at: at(12)), .new)
  }

  @Test("Memory is bounded; what is in flight is never dropped")
  func bounded() {
    var holdOff = HoldOff(capacity: 100)
    for number in 0..<50 { _ = holdOff.sighting(of: Code("flight \(number)"), at: at(0)) }
    for number in 0..<1_000 {
      let code = Code("answered \(number)")
      _ = holdOff.sighting(of: code, at: at(Double(number) / 10_000))
      holdOff.decided(code, .refuse(.notFound))
      expect(holdOff.count <= 100)
    }
    expect(holdOff.lastVerdict(of: Code("answered 999")) != nil)
    expect(holdOff.lastVerdict(of: Code("answered 0")) == nil)
    for number in 0..<50 {
      expectEqual(holdOff.sighting(of: Code("flight \(number)"), at: at(1)), .repeat(inFlight: true))
    }
  }

  @Test("Expired codes are purged long before the cap, one in flight never")
  func purged() {
    var holdOff = HoldOff()
    _ = holdOff.sighting(of: code, at: at(0))
    for number in 0..<5_000 {
      let code = Code("code \(number)")
      _ = holdOff.sighting(of: code, at: at(Double(number)))
      holdOff.decided(code, .admit)
    }
    expect(holdOff.count <= 64)
    expectEqual(holdOff.sighting(of: code, at: at(5_000)), .repeat(inFlight: true))
  }

  @Test("Agrees with the rule in plain words", arguments: [3, 33, 333] as [UInt64])
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var holdOff = HoldOff()
    var lastSeen: [Code: Int64] = [:]
    var open: Set<Code> = []
    var now: Int64 = 0
    var new = 0
    for step in 0..<20_000 {
      now += Int64.random(in: 0...700_000_000, using: &random)
      let code = Code("code \(Int.random(in: 0..<8, using: &random))")
      if let waiting = open.sorted(by: { $0.text < $1.text }).first, random.chance(40) {
        open.remove(waiting)
        let isUndecided = random.chance(30)
        holdOff.decided(waiting, isUndecided ? .undecided(.unreachable) : .admit)
        if isUndecided { lastSeen[waiting] = nil }
      } else {
        let expected: HoldOff.Sighting
        if open.contains(code) {
          expected = .repeat(inFlight: true)
        } else if let seen = lastSeen[code], now - seen < 2_000_000_000 {
          expected = .repeat(inFlight: false)
        } else {
          expected = .new
          new += 1
          open.insert(code)
        }
        lastSeen[code] = now
        expectEqual(
          holdOff.sighting(of: code, at: MonotonicTime(nanoseconds: now)), expected, "seed \(seed) step \(step)")
      }
    }
    expect(new > 1_000)
  }
}
