import Admission
import Expectations
import Foundation
import ScanModel
import Testing

@Suite("Attempt ledger in a lossy world")
struct AttemptLedgerPropertyTests {
  private static let seeds = extent(landing: 1_000, release: 3_000)

  @Test(
    "Never beyond what was paid, never refused for our own lost answer, never locked for ever",
    arguments: ([1, 1_000_003, 77_000_017, 0xC0FFEE] as [UInt64]).prefix(extent(landing: 1, release: 4)))
  func promises(base: UInt64) {
    var admissions = 0
    var recovered = 0
    var usedElsewhere = 0
    var waited = 0
    for seed in base..<base + UInt64(Self.seeds) {
      var world = LedgerWorld(seed: seed)
      world.isTraced = ProcessInfo.processInfo.environment["TRACE_SEED"] == "\(seed)"
      world.run()
      expect(world.problems.isEmpty, "seed \(seed): \(world.kind) x\(world.quantity): \(world.problems)")
      if !world.problems.isEmpty { return }
      admissions += world.ownAdmissions.count
      recovered += world.notes[.ownLostAnswer, default: 0]
      usedElsewhere += world.notes[.usedElsewhere, default: 0]
      waited += world.waited
    }
    // The worlds did reach what they are about.
    let least = Self.seeds / 60
    expect(
      admissions > 20 * least && recovered > 2 * least && usedElsewhere > least && waited > 5 * least,
      "\(admissions), \(recovered), \(usedElsewhere), \(waited)")
  }

  @Test(
    "The same, when the process and the machine end at any moment",
    arguments: ([5, 2_000_003, 88_000_017, 0xDECADE] as [UInt64]).prefix(extent(landing: 1, release: 4)))
  func promisesOverRestarts(base: UInt64) {
    var admissions = 0
    var recovered = 0
    var interrupted = 0
    for seed in base..<base + UInt64(Self.seeds) {
      var world = LedgerWorld(seed: seed, restarts: true)
      world.isTraced = ProcessInfo.processInfo.environment["TRACE_SEED"] == "\(seed)"
      world.run()
      expect(world.problems.isEmpty, "seed \(seed): \(world.kind) x\(world.quantity): \(world.problems)")
      if !world.problems.isEmpty { return }
      admissions += world.ownAdmissions.count
      recovered += world.notes[.ownLostAnswer, default: 0]
      interrupted += world.notes[.interrupted, default: 0]
    }
    let least = Self.seeds / 30
    expect(
      admissions > 10 * least && recovered > least && interrupted > least,
      "\(admissions), \(recovered), \(interrupted)")
  }

  @Test(
    "The same, when the server goes offline, gates admit provisionally, and it is told later",
    arguments: ([7, 3_000_003, 99_000_017, 0xFACADE] as [UInt64]).prefix(extent(landing: 1, release: 4)), [false, true])
  func promisesOffline(base: UInt64, restarts: Bool) {
    var endings: [String: Int] = [:]
    var recovered = 0
    var interrupted = 0
    for seed in base..<base + 1_500 {
      var world = LedgerWorld(seed: seed, restarts: restarts, offline: true)
      world.isTraced = ProcessInfo.processInfo.environment["TRACE_SEED"] == "\(seed)"
      world.run()
      let right = "\(world.kind) x\(world.quantity), offline x\(world.right?.quantity ?? 0)"
      expect(world.problems.isEmpty, "seed \(seed): \(right): \(world.problems)")
      if !world.problems.isEmpty { return }
      recovered += world.notes[.ownLostAnswer, default: 0]
      interrupted += world.notes[.interrupted, default: 0]
      for owed in world.outbox {
        switch owed.ending {
        case .confirmed: endings["confirmed", default: 0] += 1
        case let ending: endings[ending.map { "\($0)" } ?? "none", default: 0] += 1
        }
      }
    }
    expect(recovered > 25 && (interrupted > 50 || !restarts), "\(recovered), \(interrupted)")
    // The worlds did reach what they are about.
    for (ending, least) in [("confirmed", 200), ("contradicted", 40), ("unsettled", 100), ("withdrawn", 40)] {
      expect(endings[ending, default: 0] > least, "\(endings)")
    }
  }
}
