import Expectations
import ScanModel
import Signalling
import ScanTesting
import Testing

@Suite struct HeldButtonTests {
  private func at(_ milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 5_000_000_000) + .milliseconds(milliseconds)
  }

  @Test func actsOnceWhenHeld() {
    var button = HeldButton(["b": .setUpButton])
    expectEqual(button.level(of: "b", isActive: false, at: at(0)), false)
    expect(button.deadline == nil)
    expectEqual(button.level(of: "b", isActive: true, at: at(100)), false)
    expectEqual(button.deadline, at(3_100))
    expectEqual(button.advance(to: at(3_099)), false)
    expectEqual(button.advance(to: at(3_100)), true)
    expect(button.deadline == nil)
    expectEqual(button.advance(to: at(60_000)), false)
    expectEqual(button.level(of: "b", isActive: true, at: at(61_000)), false)
    expectEqual(button.level(of: "b", isActive: false, at: at(62_000)), false)
    // And again.
    expectEqual(button.level(of: "b", isActive: true, at: at(70_000)), false)
    expectEqual(button.advance(to: at(73_000)), true)
  }

  @Test func aShortPressDoesNothing() {
    var button = HeldButton(["b": .setUpButton])
    _ = button.level(of: "b", isActive: false, at: at(0))
    for press in 0..<10 {
      expectEqual(button.level(of: "b", isActive: true, at: at(4_000 * press + 1)), false)
      expectEqual(button.level(of: "b", isActive: false, at: at(4_000 * press + 3_000)), false)
    }
    expect(button.deadline == nil)
    expectEqual(button.advance(to: at(100_000)), false)
  }

  @Test func oneThatWasHeldLongEnoughActsThoughTheTimerIsLate() {
    var button = HeldButton(["b": .setUpButton])
    _ = button.level(of: "b", isActive: false, at: at(0))
    _ = button.level(of: "b", isActive: true, at: at(1))
    expectEqual(button.level(of: "b", isActive: false, at: at(3_001)), true)
    expectEqual(button.advance(to: at(9_000)), false)
  }

  @Test func oneThatIsHeldWhenFirstSeenWasNotPressed() {
    var button = HeldButton(["b": .setUpButton])
    expectEqual(button.level(of: "b", isActive: true, at: at(0)), false)
    expect(button.deadline == nil)
    _ = button.level(of: "b", isActive: false, at: at(10))
    _ = button.level(of: "b", isActive: true, at: at(20))
    button.lost("b")
    expect(button.deadline == nil)
    expectEqual(button.advance(to: at(9_000)), false)
    expectEqual(button.level(of: "b", isActive: true, at: at(9_000)), false)
    expect(button.deadline == nil)
  }

  @Test func otherInputsAreNoButtons() {
    var button = HeldButton(["door": .log, "m": .maintenanceButton, "key": .maintenanceSwitch])
    for input in ["door", "m", "key", "stranger"] as [InputName] {
      expectEqual(button.level(of: input, isActive: false, at: at(0)), false)
      expectEqual(button.level(of: input, isActive: true, at: at(1)), false)
    }
    expect(button.deadline == nil)
    expectEqual(button.advance(to: at(60_000)), false)
  }

  /// However late the timer, and whatever comes between: one act for each press that lasted 3 s, after it was seen to begin.
  @Test(arguments: [1, 2, 3]) func actsOncePerLongPress(seed: UInt64) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var button = HeldButton(["b": .setUpButton])
      var now = at(0)
      var acts = 0
      var expected = 0
      // Since when it is held, after it was seen up; counted once.
      var since: MonotonicTime?
      var seenUp = false
      for _ in 0..<40 {
        now = now + .milliseconds(Int.random(in: 1...2_500, using: &random))
        let wasLong = since.map { now - $0 >= HeldButton.hold } ?? false
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          if wasLong { (expected, since) = (expected + 1, nil) }
          if seenUp, since == nil, !wasLong { (since, seenUp) = (now, false) }
          if button.level(of: "b", isActive: true, at: now) { acts += 1 }
        case 2:
          if wasLong { expected += 1 }
          (since, seenUp) = (nil, true)
          if button.level(of: "b", isActive: false, at: now) { acts += 1 }
        case 3:
          (since, seenUp) = (nil, false)
          button.lost("b")
        default:
          if wasLong { (expected, since) = (expected + 1, nil) }
          if button.advance(to: now) { acts += 1 }
        }
        expectEqual(acts, expected)
      }
    }
  }
}
