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

  @Test(arguments: 0..<extent(landing: 60, release: 200)) func theBoundsHold(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var limits = OrderLimits()
    var now = MonotonicTime(nanoseconds: 1)
    /// Within the last minute.
    var taken: [(key: String, at: MonotonicTime)] = []
    for _ in 0..<500 {
      now = now + .milliseconds(Int.random(in: 0..<3_000, using: &random))
      let action = Self.actions.randomElement(using: &random) ?? .outboxRetry
      let key = "\(action.kind) \(action.gate?.name ?? "")"
      taken.removeAll { now - $0.at >= .seconds(60) }
      let last = taken.filter { $0.key == key }
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
        taken.append((key, now))
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
