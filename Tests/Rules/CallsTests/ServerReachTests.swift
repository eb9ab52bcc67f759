import Expectations
import ScanModel
import Calls
import ScanTesting
import Testing

@Suite struct ServerReachTests {
  private struct Bench {
    var reach = ServerReach()
    var random = SeededGenerator(seed: 1)

    func mono(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @discardableResult
    mutating func take(_ cause: OfflineCause?, began: Double? = nil, at time: Double) -> ServerReach.Change? {
      reach.take(cause, began: mono(began ?? time), at: mono(time), using: &random)
    }
  }

  @Test func oneTimeOutMakesItSuspectAndASecondOneOffline() {
    var bench = Bench()
    expect(bench.take(.timeOut, at: 100) == nil)
    expect(bench.reach.state == .suspect && !bench.reach.isOffline && bench.reach.nextProbe != nil)
    expectEqual(bench.take(.gatewayFault, at: 101), .offline(.gatewayFault))
    expect(bench.reach.state == .offline(since: bench.mono(101), cause: .gatewayFault) && bench.reach.isOffline)
    expect(bench.take(.timeOut, at: 102) == nil)
    expectEqual(bench.reach.state, .offline(since: bench.mono(101), cause: .gatewayFault))
  }

  @Test func anAnswerBetweenThemMakesItOnline() {
    var bench = Bench()
    bench.take(.timeOut, at: 100)
    expect(bench.take(nil, at: 101) == nil)
    expect(bench.reach.state == .online && bench.reach.nextProbe == nil)
    expect(bench.take(.timeOut, at: 102) == nil)
    expect(!bench.reach.isOffline)
  }

  @Test(arguments: [OfflineCause.noAddress, .noConnection]) func whatIsSureMakesItOfflineAtOnce(cause: OfflineCause) {
    var bench = Bench()
    expectEqual(bench.take(cause, at: 100), .offline(cause))
  }

  @Test func theRateIsNotItsReachability() {
    var bench = Bench()
    for time in 100..<110 { bench.take(.rateLimited, at: Double(time)) }
    expectEqual(bench.reach.state, .online)
    bench.take(.timeOut, at: 110)
    bench.take(.rateLimited, at: 130)
    expectEqual(bench.reach.state, .suspect)
    // It was the probe, and another one is due.
    expectEqual(bench.reach.nextProbe.map { $0 > bench.mono(130) }, true)
    bench.take(.timeOut, at: 140)
    expect(bench.reach.isOffline)
  }

  @Test func whatBeganBeforeTheLastAnswerSaysNothing() {
    var bench = Bench()
    bench.take(nil, at: 100)
    bench.take(.timeOut, began: 99, at: 102)
    bench.take(.noConnection, began: 99.5, at: 102)
    expectEqual(bench.reach.state, .online)
    bench.take(.noConnection, began: 100.5, at: 103)
    expect(bench.reach.isOffline)
  }

  @Test func itStaysOfflineForAWhileAndLongerEachTimeItFallsBack() {
    var bench = Bench()
    bench.take(.noConnection, at: 100)
    expect(bench.take(nil, at: 101) == nil)
    expect(bench.reach.isOffline && bench.reach.nextProbe == bench.mono(102))
    expectEqual(bench.take(nil, at: 102), .online(after: .seconds(2)))
    var time = 102.0
    for stay in [4, 8, 16, 30, 30] {
      time += 50
      // One time-out suffices now.
      expectEqual(bench.take(.timeOut, at: time), .offline(.timeOut))
      time += Double(stay) - 0.5
      expect(bench.take(nil, at: time) == nil)
      time += 0.5
      expectEqual(bench.take(nil, at: time), .online(after: .seconds(stay)))
    }
    time += 61
    expect(bench.take(.timeOut, at: time) == nil)
    expectEqual(bench.take(.timeOut, at: time + 1), .offline(.timeOut))
    expectEqual(bench.take(nil, at: time + 3), .online(after: .seconds(2)))
  }

  /// What a probe is told need not be what a scan is told.
  @Test func whileItIsOfflineOneScanNowAndThenAsksAllTheSame() {
    var bench = Bench()
    func trial(_ time: Double) -> Bool { bench.reach.takeTrial(at: bench.mono(time)) }
    expect(!trial(99))
    bench.take(.timeOut, at: 99)
    expect(!trial(99.5), "suspect: every scan asks")
    bench.take(.noConnection, at: 100)
    for time in stride(from: 100, to: 115, by: 0.5) { expect(!trial(time)) }
    expect(trial(115) && !trial(115.5))
    bench.take(.timeOut, at: 116)
    expect(!trial(129.5) && trial(130))
    expectEqual(bench.take(nil, at: 131), .online(after: .seconds(31)))
    expect(!trial(160))
    // Where an answer could not end the outage yet, nobody has to wait for one.
    var time = 131.0
    for stay in [4.0, 8, 16, 30] {
      bench.take(.timeOut, at: time)
      let due = time + max(stay, 15)
      expect(!trial(due - 0.5) && trial(due), "\(stay)")
      bench.take(nil, at: due)
      expectEqual(bench.reach.state, .online)
      time = due
    }
  }

  @Test func probesGrowRareAndASuccessResetsThem() throws {
    var bench = Bench()
    bench.take(.noConnection, at: 100)
    var time = 100.0
    for longest in [1.0, 2, 4, 8, 15, 15, 15] {
      let due = Double(try #require(bench.reach.nextProbe).nanoseconds) / 1e9
      expect(due - time >= longest / 2 - 0.001 && due - time <= longest + 0.001, "\(due - time), \(longest)")
      // The failed request of a scan before that changes nothing.
      bench.take(.timeOut, at: time + 0.01)
      expectEqual(Double(try #require(bench.reach.nextProbe).nanoseconds) / 1e9, due)
      time = due
      bench.take(.timeOut, at: time)
    }
    bench.take(nil, at: time + 1)
    expectEqual(bench.reach.state, .online)
  }

  @Test(arguments: [1, 50_000] as [UInt64])
  func inAnyOrderOfOutcomesItComesBackAndTellsEachChangeOnce(base: UInt64) throws {
    for seed in base..<base + 500 {
      var random = SeededGenerator(seed: seed)
      var bench = Bench()
      bench.random = SeededGenerator(seed: seed)
      var time = 1_000.0
      var isOffline = false
      var since = 0.0
      var trialed = 0.0
      for _ in 0..<60 {
        time += Double(Int.random(in: 0...20_000, using: &random)) / 1_000
        let cause = random.chance(45) ? nil : OfflineCause.allCases.randomElement(using: &random)
        let change = bench.take(cause, began: time - Double(Int.random(in: 0...3, using: &random)), at: time)
        switch change {
        case .offline:
          expect(!isOffline && cause != nil && cause != .rateLimited, "seed \(seed)")
          (isOffline, since) = (true, time)
        case .online:
          expect(isOffline && cause == nil && time - since >= 2, "seed \(seed)")
          isOffline = false
        case nil: break
        }
        expectEqual(bench.reach.isOffline, isOffline, "seed \(seed)")
        if bench.reach.takeTrial(at: bench.mono(time)) {
          expect(isOffline && time - max(since, trialed) >= 15, "seed \(seed): too many scans wait")
          trialed = time
        } else {
          expect(!isOffline || time - max(since, trialed) < 30, "seed \(seed): no scan asks")
        }
        // Whoever is not online is probed, in a moment.
        if bench.reach.state == .online {
          expect(bench.reach.nextProbe == nil, "seed \(seed)")
        } else {
          let due = try #require(bench.reach.nextProbe, "seed \(seed)")
          expect(due <= bench.mono(time + 30.001), "seed \(seed)")
        }
      }
      // Probes that are answered bring it back.
      for _ in 0..<3 {
        guard let due = bench.reach.nextProbe else { break }
        time = max(time, Double(due.nanoseconds) / 1e9)
        bench.take(nil, at: time)
      }
      expectEqual(bench.reach.state, .online, "seed \(seed)")
    }
  }
}
