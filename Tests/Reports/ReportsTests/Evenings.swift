import LinuxIO
import Reports
import ScanModel
import ScanTesting

/// Random scans that a seed repeats.
struct Evenings {
  var generator: SeededGenerator
  let gates = ["north", "south", "=1+1", "שער", "a,\"b\""]
  let events = ["", "Gala", "حفلة", "<script>", "x\u{202E}y"]
  let reasons = ["notFound", "alreadyUsed", "refunded"]
  let faults = ["unreachable", "keyRefused", "busy"]

  init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

  mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

  /// A scan within some seconds after a time.
  mutating func scan(after start: Int64, within seconds: Int64) -> ReportedScan {
    let at = JournalTime(
      wall: WallTime(seconds: start + .random(in: 0..<seconds, using: &generator)),
      monotonic: MonotonicTime(nanoseconds: 1), isTrusted: below(20) > 0)
    let outcome = pick(ReportedScan.Outcome.allCases)
    return ReportedScan(
      id: "scan 0000000\(below(10))", gate: pick(gates), at: at, outcome: outcome,
      reason: outcome == .refused ? pick(reasons) : outcome == .undecided ? pick(faults) : "",
      decider: pick(Decider.allCases).rawValue, event: pick(events), isAnnulled: outcome == .admitted && below(9) == 0,
      outputFault: below(30) == 0 ? "relay: =cmd" : "")
  }
}
