import Expectations
import ScanModel
import Calls
import ScanTesting
import Testing

@Suite struct SystemCheckTests {
  private static let findings: [Reach] = [
    .answers(date: nil), .fault(.keyRefused, detail: "k"), .fault(.tlsFault, detail: "t"), .unclear(detail: "u"),
    .offline(.noConnection), .unknown,
  ]

  private func mono(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000) }

  @Test func theFirstWordEndsTheWait() {
    for found in Self.findings {
      var check = SystemCheck()
      expect(!check.isBeingAsked && check.nextProbe == nil)
      check.begin(at: mono(10))
      expect(check.isBeingAsked && check.nextProbe == mono(10))
      check.take(found, at: mono(11))
      expect(!check.isBeingAsked, "\(found)")
      expectEqual(check.nextProbe == nil, found.isAnswer, "\(found)")
    }
  }

  @Test func oneSlowAnswerIsNoWordYet() {
    for cause in [OfflineCause.timeOut, .gatewayFault] {
      for next in Self.findings + [.offline(cause)] {
        var check = SystemCheck()
        check.begin(at: mono(0))
        check.take(.offline(cause), at: mono(2))
        expect(check.isBeingAsked && check.nextProbe != nil)
        check.take(next, at: mono(4))
        expect(!check.isBeingAsked, "\(next)")
      }
    }
  }

  @Test func whatIsMendedIsTakenBackByAProbeAScanAndAReload() {
    for cure in 0..<3 {
      var check = SystemCheck()
      check.begin(at: mono(0))
      check.take(.fault(.badAnswer, detail: "A page."), at: mono(1))
      expectEqual(check.fault, SystemCheck.Fault(.badAnswer, "A page."))
      switch cure {
      case 0: check.take(.answers(date: nil), at: mono(6))
      case 1: check.prove(by: GateID("north"))
      default: check.begin(at: mono(6))
      }
      expect(check.fault == nil)
    }
  }

  /// Servers that count until a pause of 60 s see one, and a key that is refused is tried twice as seldom as would block it.
  @Test func faultsAreProbedAtGrowingIntervals() {
    for (fault, mostInAnHour) in [(Reach.fault(.keyRefused, detail: ""), 6), (.fault(.tlsFault, detail: ""), 17)] {
      var check = SystemCheck()
      check.begin(at: mono(0))
      var probes = 0
      var before: MonotonicTime?
      var waits: [Duration] = []
      while let due = check.nextProbe, due < mono(3_600) {
        if let before { waits.append(due - before) }
        before = due
        probes += 1
        check.take(fault, at: due)
      }
      expect(probes <= mostInAnHour, "\(probes)")
      expectEqual(waits, waits.sorted())
      expect(waits.dropFirst(2).allSatisfy { $0 > .seconds(60) })
    }
  }

  /// However scans and probes follow one another, the guard of the key never has to stop people at gates for probes alone.
  @Test func aRefusedKeyLeavesTriesToPeople() {
    var check = SystemCheck()
    var watch = AuthenticationGuard()
    check.begin(at: mono(0))
    while let due = check.nextProbe, due < mono(86_400) {
      expectEqual(watch.begin(at: due), .granted)
      watch.failed(at: due)
      // Two people at the gate might try now.
      var copy = watch
      for number in 1...2 {
        let now = due + .seconds(number)
        expectEqual(copy.begin(at: now), .granted, "\(due)")
        copy.failed(at: now)
      }
      check.take(.fault(.keyRefused, detail: ""), at: due)
    }
  }

  @Test func whatNothingIsKnownOfKeepsWhatWasFound() {
    var check = SystemCheck()
    check.begin(at: mono(0))
    check.take(.fault(.keyRefused, detail: "401"), at: mono(1))
    for (index, found) in [Reach.unclear(detail: "u"), .unknown, .offline(.noConnection)].enumerated() {
      check.take(found, at: mono(100 + index))
      expectEqual(check.fault?.reason, .keyRefused, "\(found)")
    }
    // That nothing is sent for a while is no news.
    check.take(.fault(.keyRefused, detail: "Nothing is sent for 14 min."), at: mono(200))
    expectEqual(check.fault?.detail, "401")
    // By a policy people may pass, whatever the certificate was like.
    check.take(.fault(.tlsFault, detail: "t"), at: mono(300))
    check.take(.offline(.noConnection), at: mono(301))
    expect(check.fault == nil)
  }

  /// What another gate gets decided says nothing of this one's parameters, and does not leave it waiting.
  @Test func aGatesOwnDoubtIsProbedWhateverOthersGetDecided() {
    let (north, south) = (GateID("north"), GateID("south"))
    var check = SystemCheck()
    check.begin(at: mono(0))
    check.take(.answers(date: nil), at: mono(1))
    check.suspect(nil, by: north, at: mono(10))
    check.prove(by: south)
    expectEqual(check.nextProbe, mono(66))
    check.prove(by: north)
    expect(check.nextProbe == nil)
    check.suspect(nil, by: north, at: mono(100))
    check.take(.answers(date: nil), at: mono(105))
    expect(check.nextProbe == nil)
  }

  @Test func whatScansMeetIsProbedNotMoreThanOnceAMinute() {
    var check = SystemCheck()
    check.begin(at: mono(0))
    check.take(.answers(date: nil), at: mono(1))
    var probes: [MonotonicTime] = []
    for second in 2..<600 {
      if let due = check.nextProbe, due <= mono(second) {
        probes.append(mono(second))
        check.take(.answers(date: nil), at: mono(second))
      }
      // A code on which the server stumbles, presented again and again.
      check.suspect(nil, by: GateID("north"), at: mono(second))
      expect(check.fault == nil)
    }
    expect((1...10).contains(probes.count), "\(probes.count)")
  }
}
