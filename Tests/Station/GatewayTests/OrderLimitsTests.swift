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
    .maintenance(GateID("a"), isOn: true), .maintenance(GateID("a"), isOn: false), .picture(ReaderID("a")),
    .picture(ReaderID("b")),
  ]

  @Test(arguments: 0..<extent(landing: 60, release: 200)) func theBoundsHold(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var limits = OrderLimits()
    var now = MonotonicTime(nanoseconds: 1)
    /// Within the last minute.
    var taken: [(key: String, at: MonotonicTime)] = []
    var refused: [(kind: OrderKind, user: UInt32, at: MonotonicTime)] = []
    // Some are refused often: then it is those who give them that are bounded.
    let chance = Int.random(in: 0...100, using: &random)
    let pause = [60, 700, 3_000].randomElement(using: &random) ?? 700
    for _ in 0..<1_000 {
      now = now + .milliseconds(Int.random(in: 0..<pause, using: &random))
      let action = Self.actions.randomElement(using: &random) ?? .outboxRetry
      let key = "\(action.kind) \(action.gate?.name ?? "")"
      let user = UInt32.random(in: 0..<2, using: &random)
      taken.removeAll { now - $0.at >= .seconds(60) }
      refused.removeAll { now - $0.at >= .seconds(60) }
      let last = taken.filter { $0.key == key }
      let tries = refused.count { $0.kind == action.kind && $0.user == user }
      let most =
        switch action.kind {
        case .annul: 5
        case .present: 10
        case .picture: 20
        default: 60
        }
      let isTired = tries >= StationLimits.refusalsPerMinute
      let isTooSoon = !isTired && action.kind == .openOnce && last.last.map { now - $0.at < .seconds(1) } == true
      switch limits.take(action, by: user, at: now) {
      case nil:
        expect(last.count < most && !isTooSoon && !isTired, "seed \(seed): \(action) is taken")
        if random.chance(chance) {
          limits.giveBack(action, by: user, takenAt: now)
          refused.append((action.kind, user, now))
        } else {
          taken.append((key, now))
        }
      case (let refusal, let wait)?:
        expectEqual(refusal, isTooSoon ? .pulsing : .tooMany, "seed \(seed)")
        expect(isTooSoon || isTired || last.count >= most, "seed \(seed): \(action) is refused")
        expect(wait > .zero && wait <= .seconds(60), "seed \(seed)")
        // Who waits as long as was said is taken.
        if wait < .seconds(1), !isTired {
          var later = limits
          expect(later.take(action, by: user, at: now + wait) == nil, "seed \(seed): the wait was too short")
        }
      }
    }
  }

  @Test func whoComesAsManyUsersIsBoundedAll() {
    var limits = OrderLimits()
    let now = MonotonicTime(nanoseconds: 1)
    var taken = 0
    for user in 0..<UInt32(10_000) where limits.take(.annul(GateID("a")), by: user, at: now) == nil {
      limits.giveBack(.annul(GateID("a")), by: user, takenAt: now)
      taken += 1
    }
    expect(taken <= 256 + StationLimits.refusalsPerMinute, "\(taken)")
    // A minute later nobody is held against them.
    expect(limits.take(.annul(GateID("a")), by: 9_999, at: now + .seconds(60)) == nil)
  }
}
