import Expectations
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import Gateway

/// How often staff may order what, whatever they order and when.
@Suite struct OrderLimitsTests {
  private static let actions: [StationOrder.Action] = [
    .openOnce(GateID("a")), .openOnce(GateID("b")), .annul(GateID("a")), .annul(GateID("b")),
    .present(GateID("a"), Code("one")), .present(GateID("a"), Code("two")), .outboxRetry,
    .maintenance(GateID("a"), isOn: true), .maintenance(GateID("a"), isOn: false),
  ]

  @Test(arguments: 0..<200) func theBoundsHold(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var limits = OrderLimits()
    var now = MonotonicTime(nanoseconds: 1)
    var taken: [(action: StationOrder.Action, at: MonotonicTime)] = []
    func key(_ action: StationOrder.Action) -> String { "\(action.kind) \(action.gate?.name ?? "")" }
    for _ in 0..<500 {
      now = now + .milliseconds(Int.random(in: 0..<3_000, using: &random))
      let action = Self.actions.randomElement(using: &random) ?? .outboxRetry
      let last = taken.filter { key($0.action) == key(action) && now - $0.at < .seconds(60) }
      let most =
        switch action.kind {
        case .annul: 5
        case .present: 10
        default: 60
        }
      let isTooSoon = action.kind == .openOnce && last.last.map { now - $0.at < .seconds(1) } == true
      switch limits.take(action, at: now) {
      case nil:
        expect(last.count < most && !isTooSoon, "seed \(seed): \(action) is taken")
        taken.append((action, now))
      case (let refusal, let wait)?:
        expectEqual(refusal, isTooSoon ? .pulsing : .tooMany, "seed \(seed)")
        expect(isTooSoon || last.count >= most, "seed \(seed): \(action) is refused")
        expect(wait > .zero && wait <= .seconds(60), "seed \(seed)")
        // Who waits as long as was said is taken.
        if wait < .seconds(1) {
          var later = limits
          expect(later.take(action, at: now + wait) == nil, "seed \(seed): the wait was too short")
        }
      }
    }
  }
}
