internal import FleetBook
internal import ScanModel
internal import ScanTesting

/// Goes through the worlds that a plan may become.
package struct FleetExploration {
  /// So many worlds were looked at.
  package private(set) var count = 0
  /// The first that was broken: what, and by which way.
  package private(set) var fault: String?
  /// Whether no world was left out.
  package private(set) var isWhole = true

  package init() {}

  /// Every order of events, or the first `most` worlds of them.
  package mutating func everything(_ plan: FleetPlan, most: Int) {
    let start = FleetWorld(plan)
    var seen: Set<Int> = [start.hashValue]
    var open: [(world: FleetWorld, way: Way?)] = [(start, nil)]
    while let (world, way) = open.popLast() {
      count += 1
      let actions = world.actions()
      if let found = check(world, isLast: !actions.contains { !$0.isFault }) {
        fault = "\(found), by \(way?.text ?? "nothing")"
        return
      }
      if count >= most {
        isWhole = false
        return
      }
      for action in actions {
        var next = world
        next.apply(action)
        if seen.insert(next.hashValue).inserted { open.append((next, Way(action, way))) }
      }
    }
  }

  /// One way of chance.
  package mutating func one(_ plan: FleetPlan, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var world = FleetWorld(plan)
    var way: Way?
    for _ in 0..<400 {
      let actions = world.actions()
      // Faults are rarer than what goes on.
      let usual = actions.filter { !$0.isFault }
      let chosen = random.chance(20) || usual.isEmpty ? actions : usual
      guard let action = chosen.randomElement(using: &random) else { break }
      world.apply(action)
      way = Way(action, way)
      count += 1
      if let found = world.fault() {
        fault = "seed \(seed): \(found), by \(way?.text ?? "")"
        return
      }
      if usual.isEmpty { break }
      if random.chance(3) { break }
    }
    for keepsGhosts in [true, false] {
      if let found = world.faultInTheEnd(keepsGhosts: keepsGhosts) {
        fault = "seed \(seed): \(found), by \(way?.text ?? "")"
        return
      }
    }
  }

  private func check(_ world: FleetWorld, isLast: Bool) -> String? {
    if let found = world.fault() { return found }
    // Whatever happened, it can be put right from there. From each is what takes the time; from some is as good over all.
    guard isLast || count % 7 == 0 else { return nil }
    return world.faultInTheEnd(keepsGhosts: true) ?? world.faultInTheEnd(keepsGhosts: false)
  }

  /// How one came there.
  private final class Way {
    let action: FleetWorld.Action
    let before: Way?

    init(_ action: FleetWorld.Action, _ before: Way?) {
      self.action = action
      self.before = before
    }

    var text: String {
      var actions: [String] = []
      var way: Way? = self
      while let step = way {
        actions.append("\(step.action)")
        way = step.before
      }
      return actions.reversed().joined(separator: " ")
    }
  }
}
