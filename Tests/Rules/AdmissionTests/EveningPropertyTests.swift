import Expectations
import Foundation
import ScanTesting
import Testing

/// Whole evenings: clocks, middlemen, losses, ends of process and machine, several gates, another station, copies.
@Suite("Evenings")
struct EveningPropertyTests {
  @Test(
    "Nobody is in beyond what was paid unless it is reported, no ticket is spent in silence, and who was turned away by a fault is not refused again"
  )
  func evenings() {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["EVENING_SEED"].flatMap(UInt64.init) { return tell(seed) }
    let base = environment["EVENING_BASE"].flatMap(UInt64.init) ?? 1
    let number = environment["EVENINGS"].flatMap(Int.init) ?? extent(landing: 4_000, release: 100_000)
    var counts: [String: Int] = [:]
    for seed in base..<base + UInt64(number) {
      let evening = Evening(EveningPlan(seed: seed))
      evening.run()
      for (what, times) in evening.counts { counts[what, default: 0] += times }
      if !evening.problems.isEmpty { return tell(seed) }
    }
    if environment["EVENING_COUNTS"] != nil {
      for (what, times) in counts.sorted(by: { $0.key < $1.key }) { print("\(what): \(times)") }
    }
    // The evenings did reach what they are about.
    for (what, least) in Self.reached {
      let times = counts[what, default: 0]
      expect(times >= least * number / 4_000, "\(what): \(times)")
    }
  }

  /// How often at least things happen in four thousand evenings.
  private static let reached = [
    ("admit", 8_000), ("clock doubts", 5_000), ("offsets learnt", 40), ("middlemen", 800), ("late answers", 350),
    ("ends in mid-request", 700), ("kills", 800), ("power cuts", 350), ("taken up as lost", 400),
    ("taken up as interrupted", 200), ("own lost answers", 600), ("provisional", 700), ("confirmed", 250),
    ("contradicted", 90), ("unsettled", 250), ("withdrawn", 20), ("given back", 250), ("used elsewhere", 300),
    ("for staff", 2_500), ("settled by look-ups", 400), ("refused wrongly", 2_000),
    ("admitted after a wrong refusal", 60), ("for staff once clocks were put right", 400), ("annulled", 100),
    ("refused for another event", 100),
    ("admitted by another gate", 50), ("admitted at the right gate afterwards", 30),
  ]

  /// Tells a failing evening, with no more people and incidents than it takes.
  private func tell(_ seed: UInt64) {
    let plan = EveningPlan(seed: seed).shrunk()
    let evening = Evening(plan, isTraced: true)
    evening.run()
    print(plan.summary)
    for line in evening.trace { print(line) }
    expect(evening.problems.isEmpty, "seed \(seed): \(evening.problems)")
  }
}

extension EveningPlan {
  /// The plan without the people and incidents that the failure does not need.
  func shrunk() -> EveningPlan {
    func fails(_ plan: EveningPlan) -> Bool {
      let evening = Evening(plan)
      evening.run()
      return !evening.problems.isEmpty
    }
    guard fails(self) else { return self }
    var least = self
    for _ in 0..<2 {
      for person in least.persons {
        var fewer = least
        fewer.persons.removeAll { $0.id == person.id }
        if fails(fewer) { least = fewer }
      }
      for incident in least.incidents {
        var fewer = least
        fewer.incidents.removeAll { $0.id == incident.id }
        if fails(fewer) { least = fewer }
      }
    }
    return least
  }

  var summary: String {
    """
    seed \(seed): \(server), \(folds ? "folds" : "does not fold"), \(clocks), loss \(loss), cuts \(cuts), \
    \(canLookUp ? "looks up" : "no look-ups"), \(mayAdmitOffline ? "admits offline" : "no policy"), \
    \(isDiskSlow ? "slow disk" : "")
    sales \(sales)
    tickets \(tickets)
    codes \(codes.enumerated().map { "\($0.offset): \($0.element)" })
    persons \(persons.map { "\($0.id): code \($0.code)\($0.isHonest ? "" : ", a copy")" }), calm from \(calm / Self.second)
    """
  }
}
