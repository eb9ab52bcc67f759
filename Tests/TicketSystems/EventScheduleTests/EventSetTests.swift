import Expectations
import ScanTesting
import Testing

@testable import EventSchedule

/// The events of a gate, held in little.
@Suite struct EventSetTests {
  @Test func bothNamesOfAnEventAreOne() {
    let set: EventSet = ["Mzg5NzM0", "457", "made-up"]
    for event in ["456", "Mzg5NzM0", "457", "Mzg5NzM1", "made-up"] { expect(set.contains(EventID(event)), "\(event)") }
    for event in ["458", "made", "made-upp", "Made-up", ""] { expect(!set.contains(EventID(event)), "\(event)") }
    expect(set == ["made-up", "456", "457", "456"] && set != ["456", "457"] && !set.isEmpty)
    expect(EventSet([String]()).isEmpty && !EventSet([]).contains(EventID("456")))
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 50, release: 500))))
  func itIsASet(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func name() -> String {
      let number = Int.random(in: 0...60, using: &random)
      return random.chance(50) ? "\(number)" : String(repeating: "x", count: number % 7) + "\(number)"
    }
    let names = (0..<Int.random(in: 0...80, using: &random)).map { _ in name() }
    let (set, model) = (EventSet(names), Set(names.map { EventID($0) }))
    for _ in 0..<200 {
      let event = EventID(name())
      expectEqual(set.contains(event), model.contains(event), "seed \(seed)")
    }
    expectEqual(set.isEmpty, model.isEmpty)
    expectEqual(EventSet(names.shuffled(using: &random)), set)
  }
}
