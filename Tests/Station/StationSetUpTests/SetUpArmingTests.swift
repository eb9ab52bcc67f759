import StationSetUp
import Expectations
import ScanModel
import ScanTesting
import Testing

@Suite struct SetUpArmingTests {
  @Test func aStationThatSleptIsArmedNoLongerThanIfItHadNot() {
    var station = SetUpArming(isMissing: true, window: .seconds(600))
    station.started(at: at(0))
    station.slept(for: .seconds(599))
    expectEqual(station.state(at: at(0)), .armed(until: at(1)))
    station.slept(for: .seconds(1))
    expectEqual(station.state(at: at(0)), .off)
  }

  private func at(_ seconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 7_000_000_000) + .seconds(seconds)
  }

  private func arming(missing: Bool = true, window: Duration = .seconds(600)) -> SetUpArming {
    SetUpArming(isMissing: missing, window: window)
  }

  @Test func isArmedForATimeAfterTheStart() {
    var station = arming()
    expect(station.state(at: at(0)) == .off && station.nextChange(after: at(0)) == nil)
    station.started(at: at(0))
    expectEqual(station.state(at: at(0)), .armed(until: at(600)))
    expectEqual(station.nextChange(after: at(599)), at(600))
    expect(station.isArmed(at: at(599)) && !station.isArmed(at: at(600)))
    expect(station.nextChange(after: at(600)) == nil)
  }

  @Test func aWindowOfNothingArmsOnlyByHand() {
    var station = arming(window: .zero)
    station.started(at: at(0))
    expectEqual(station.state(at: at(0)), .off)
    expectEqual(station.buttonHeld(at: at(10)), true)
    expectEqual(station.state(at: at(10)), .armed(until: at(610)))
    station = arming(window: .zero)
    expectEqual(station.ordered(for: .seconds(120), at: at(0)), true)
    expectEqual(station.state(at: at(0)), .armed(until: at(120)))
  }

  @Test func theLaterEndHolds() {
    var station = arming()
    station.started(at: at(0))
    station.ordered(for: .seconds(60), at: at(0))
    expectEqual(station.state(at: at(1)), .armed(until: at(600)))
    station.buttonHeld(at: at(300))
    expectEqual(station.state(at: at(301)), .armed(until: at(900)))
    // Nobody arms a station for a week.
    station.ordered(for: .seconds(604_800), at: at(300))
    expectEqual(station.state(at: at(301)), .armed(until: at(3_900)))
    expectEqual(station.ordered(for: .zero, at: at(300)), false)
    expectEqual(station.ordered(for: .seconds(-1), at: at(300)), false)
  }

  @Test func aStationThatIsSetUpIsNeverArmed() {
    var station = arming(missing: false)
    station.started(at: at(0))
    expectEqual(station.buttonHeld(at: at(1)), false)
    expectEqual(station.ordered(for: .seconds(60), at: at(1)), false)
    expectEqual(station.state(at: at(1)), .off)
    // Nor by what was missed meanwhile, once something is missing again.
    station.nowMissing(true)
    expectEqual(station.state(at: at(2)), .off)
    expectEqual(station.buttonHeld(at: at(3)), true)
    expect(station.isArmed(at: at(3)))
    station.nowMissing(false)
    expect(!station.isArmed(at: at(3)))
    station.nowMissing(true)
    expect(!station.isArmed(at: at(4)))
  }

  @Test func tooManyRefusalsLockOut() {
    var station = arming()
    station.started(at: at(0))
    for _ in 0..<4 { expectEqual(station.refused(.wrong, at: at(10)), false) }
    // Nobody's tries.
    for refusal in [SetUpRefusal.offline, .fault, .lockedOut] {
      expectEqual(station.refused(refusal, at: at(10)), false)
    }
    expect(station.isArmed(at: at(10)))
    expectEqual(station.refused(.expired, at: at(10)), true)
    expectEqual(station.state(at: at(10)), .lockedOut(until: at(70)))
    expectEqual(station.nextChange(after: at(11)), at(70))
    // The button is beside whoever guesses.
    expectEqual(station.buttonHeld(at: at(11)), true)
    expect(!station.isArmed(at: at(69)))
    expectEqual(station.state(at: at(70)), .armed(until: at(611)))
    // It counts anew.
    for _ in 0..<4 { expectEqual(station.refused(.used, at: at(80)), false) }
    expectEqual(station.refused(.untrusted, at: at(80)), true)
  }

  @Test func aLockOutOutlastsTheWindow() {
    var station = arming(window: .seconds(20))
    station.started(at: at(0))
    for _ in 0..<5 { station.refused(.unknownStation, at: at(10)) }
    expectEqual(station.state(at: at(30)), .lockedOut(until: at(70)))
    expect(station.state(at: at(70)) == .off && station.nextChange(after: at(70)) == nil)
  }

  @Test func anOrderAndSuccessEndALockOut() {
    var station = arming()
    station.started(at: at(0))
    for _ in 0..<5 { station.refused(.wrong, at: at(10)) }
    expectEqual(station.ordered(for: .seconds(60), at: at(11)), true)
    expect(station.isArmed(at: at(11)))
    for _ in 0..<5 { station.refused(.wrong, at: at(12)) }
    station.nowMissing(false)
    station.nowMissing(true)
    station.buttonHeld(at: at(13))
    expect(station.isArmed(at: at(13)))
  }

  /// One of two things that were missing came: codes are taken for the other one, and what was refused still counts.
  @Test func itStaysArmedWhileSomethingIsMissing() {
    var station = arming()
    station.started(at: at(0))
    for _ in 0..<4 { station.refused(.wrong, at: at(1)) }
    station.nowMissing(true)
    expectEqual(station.state(at: at(2)), .armed(until: at(600)))
    expectEqual(station.refused(.wrong, at: at(3)), true)
  }

  @Test func theRuleOfTheServiceHoldsFromTheNextRefusalOn() {
    var station = arming()
    station.started(at: at(0))
    for _ in 0..<4 { station.refused(.wrong, at: at(1)) }
    station.lockOut.attempts = 3
    station.lockOut.duration = .seconds(300)
    expect(station.isArmed(at: at(2)))
    expectEqual(station.refused(.wrong, at: at(2)), true)
    expectEqual(station.state(at: at(2)), .lockedOut(until: at(302)))
  }

  @Test(arguments: [1, 2, 3, 4]) func neverArmedWhileNothingIsMissing(seed: UInt64) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var isMissing = Bool.random(using: &random)
      let window = Duration.seconds(Bool.random(using: &random) ? 0 : Int.random(in: 1...3_600, using: &random))
      var station = arming(missing: isMissing, window: window)
      var now = at(0)
      // The latest moment that anything may have armed it for, and when it was locked out.
      var mayBeArmedUntil: MonotonicTime?
      var lockedUntil: MonotonicTime?
      for _ in 0..<60 {
        now = now + .milliseconds(Int.random(in: 0...120_000, using: &random))
        var arms: Duration?
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
          station.started(at: now)
          arms = window > .zero ? window : nil
        case 1:
          expectEqual(station.buttonHeld(at: now), isMissing)
          arms = window > .zero ? window : SetUpArming.usualWindow
        case 2:
          let time = Duration.seconds(Int.random(in: 1...9_000, using: &random))
          expectEqual(station.ordered(for: time, at: now), isMissing)
          if isMissing { lockedUntil = nil }
          arms = min(time, SetUpArming.longestOrder)
        case 3, 4:
          let refusal = SetUpRefusal.allCases.randomElement(using: &random) ?? .wrong
          if station.refused(refusal, at: now) { lockedUntil = now + station.lockOut.duration }
        case 5:
          isMissing.toggle()
          station.nowMissing(isMissing)
          mayBeArmedUntil = nil
          lockedUntil = nil
        default: station.lockOut.attempts = Int.random(in: 3...20, using: &random)
        }
        if let arms, isMissing { mayBeArmedUntil = max(mayBeArmedUntil ?? now, now + arms) }
        let isLocked = lockedUntil.map { now < $0 } ?? false
        let inWindow = mayBeArmedUntil.map { now < $0 } ?? false
        expectEqual(station.isArmed(at: now), (isMissing && inWindow && !isLocked))
        expectEqual(station.isMissing, isMissing)
        // Without an event the state changes when it says so, and not before.
        let change = station.nextChange(after: now)
        expectEqual((change == nil), (station.state(at: now) == .off))
        if let change {
          expect(change > now)
          expectEqual(station.state(at: MonotonicTime(nanoseconds: change.nanoseconds - 1)), station.state(at: now))
          expect(station.state(at: change) != station.state(at: now))
        }
      }
    }
  }

  @Test func theEndsOfTimeAreNoTrap() {
    var station = SetUpArming(isMissing: true, window: .seconds(-5))
    station.started(at: MonotonicTime(nanoseconds: .max))
    expectEqual(station.state(at: MonotonicTime(nanoseconds: .max)), .off)
    station.buttonHeld(at: MonotonicTime(nanoseconds: .max))
    station.refused(.wrong, at: MonotonicTime(nanoseconds: .min))
    expect(!station.isArmed(at: MonotonicTime(nanoseconds: .max)))
  }
}
