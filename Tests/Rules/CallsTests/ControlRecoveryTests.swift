import Expectations
import ScanModel
import Calls
import ScanTesting
import Testing

/// The recovery of the control service's document.
@Suite struct ControlRecoveryTests {
  private func fault(_ kind: ControlFaultKind, retryAfter: Duration? = nil) -> ControlFault {
    ControlFault(kind, "", retryAfter: retryAfter)
  }

  /// Whether `wait` is `duration` ±20 %.
  private func isAbout(_ wait: Duration, _ duration: Duration) -> Bool {
    wait >= duration * 4 / 5 && wait <= duration * 6 / 5
  }

  @Test(arguments: [(ControlFaultKind.network, Duration.seconds(5)), (.server, .seconds(120))])
  func twoFourEightSecondsInsideOneSyncThenTheNext(kind: ControlFaultKind, next: Duration) {
    var random = SeededGenerator(seed: 1)
    var recovery = ControlRecovery()
    for _ in 1...3 {
      recovery.began()
      for seconds in [2, 4, 8] {
        guard case .retry(let wait, let askingHealth) = recovery.failed(fault(kind), using: &random) else {
          Issue.record("no retry")
          return
        }
        expect(isAbout(wait, .seconds(seconds)))
        expectEqual(askingHealth, (kind == .server))
      }
      guard case .nextSync(let wait) = recovery.failed(fault(kind), using: &random) else {
        Issue.record("no end")
        return
      }
      expect(isAbout(wait, next))
    }
  }

  @Test func theConfigurationIsRefreshedOnceInASync() {
    var random = SeededGenerator(seed: 2)
    var recovery = ControlRecovery()
    for _ in 1...2 {
      recovery.began()
      expectEqual(recovery.failed(fault(.configuration), using: &random), .refresh)
      guard case .nextSync(let wait) = recovery.failed(fault(.configuration), using: &random) else {
        Issue.record("refreshed twice")
        return
      }
      expect(isAbout(wait, .seconds(120)))
    }
  }

  @Test func theTokenIsValidatedLessAndLessOftenUntilItIsAccepted() {
    var random = SeededGenerator(seed: 3)
    var recovery = ControlRecovery()
    func validation() -> Duration? {
      if case .validate(let wait) = recovery.failed(fault(.authentication), using: &random) { wait } else { nil }
    }
    for seconds in [30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800] {
      // A new sync, and an answer that needs no token, make no difference.
      recovery.began()
      recovery.succeeded(showedToken: false)
      expectEqual(validation().map { isAbout($0, .seconds(seconds)) }, true)
    }
    recovery.succeeded(showedToken: true)
    expectEqual(validation().map { isAbout($0, .seconds(30)) }, true)
  }

  @Test func anUnknownFaultWaitsForTheNextSync() {
    var random = SeededGenerator(seed: 4)
    var recovery = ControlRecovery()
    guard case .nextSync(let wait) = recovery.failed(fault(.unknown), using: &random) else {
      Issue.record("no end")
      return
    }
    expect(isAbout(wait, .seconds(120)))
  }

  @Test(arguments: [(Int64(20), Int64(20)), (30, 30), (0, 0)])
  func whatTheServiceAsksForIsKeptInASync(asked: Int64, kept: Int64) {
    var random = SeededGenerator(seed: 5)
    var recovery = ControlRecovery()
    guard
      case .retry(let wait, _) = recovery.failed(fault(.server, retryAfter: .seconds(asked)), using: &random)
    else {
      Issue.record("no retry")
      return
    }
    if kept > 3 { expectEqual(wait, .seconds(kept)) } else { expect(isAbout(wait, .seconds(2))) }
  }

  /// Nobody sits before a command for a quarter of an hour.
  @Test(arguments: [(Int64(31), Int64(120)), (900, 900), (901, 900), (1_000_000, 900)])
  func whoIsToBeLeftAloneForLongEndsTheSync(asked: Int64, kept: Int64) {
    var random = SeededGenerator(seed: 5)
    for kind in [ControlFaultKind.network, .server] {
      var recovery = ControlRecovery()
      guard case .nextSync(let wait) = recovery.failed(fault(kind, retryAfter: .seconds(asked)), using: &random) else {
        Issue.record("no end")
        return
      }
      if kept > 120 { expectEqual(wait, .seconds(kept)) } else { expect(wait >= .seconds(asked)) }
    }
  }

  /// Whatever happens in whatever order: a sync has three retries at most, waits are bounded, and a token that was refused never
  /// leads to the same again.
  @Test(arguments: [UInt64](1...50)) func anyOrderOfFaults(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var recovery = ControlRecovery()
    var retries = 0
    var refreshes = 0
    for _ in 0..<500 {
      if random.chance(10) {
        recovery.began()
        (retries, refreshes) = (0, 0)
      }
      if random.chance(10) { recovery.succeeded(showedToken: random.chance(50)) }
      let kind = ControlFaultKind.allCases[Int.random(in: 0..<ControlFaultKind.allCases.count, using: &random)]
      let asked: [Duration?] = [nil, nil, .zero, .seconds(-5), .seconds(30), .seconds(Int64.max / 2)]
      let step = recovery.failed(
        fault(kind, retryAfter: asked[Int.random(in: 0..<asked.count, using: &random)]), using: &random)
      switch step {
      case .retry(let wait, let askingHealth):
        retries += 1
        expect(kind == .network || kind == .server, "seed \(seed)")
        expectEqual(askingHealth, (kind == .server), "seed \(seed)")
        expect(wait >= .milliseconds(1_600) && wait <= .seconds(900), "seed \(seed)")
      case .refresh:
        refreshes += 1
        expectEqual(kind, .configuration, "seed \(seed)")
      case .validate(let wait):
        expectEqual(kind, .authentication, "seed \(seed)")
        expect(wait >= .seconds(24) && wait <= .seconds(2_160), "seed \(seed)")
      case .nextSync(let wait):
        expect(kind != .authentication, "seed \(seed)")
        expect(wait >= .seconds(4) && wait <= .seconds(900), "seed \(seed)")
      }
      expect(retries <= 3 && refreshes <= 1, "seed \(seed)")
      let usual = ControlRecovery.untilNextSync(using: &random)
      expect(isAbout(usual, .seconds(120)), "seed \(seed)")
    }
  }

  /// Stations that lost the same server do not come back in step.
  @Test func waitsVary() {
    let waits = Set(
      (UInt64(1)...40).map { seed in
        var random = SeededGenerator(seed: seed)
        var recovery = ControlRecovery()
        if case .retry(let wait, _) = recovery.failed(fault(.network), using: &random) { return wait }
        return .zero
      })
    expect(waits.count > 20)
  }
}
