import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Signalling

/// Whether somebody may have passed.
@Suite struct PassageSensorTests {
  private let beam: InputName = "beam"

  private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

  @Test func aGateWithoutASensorTellsNothing() {
    var sensor = PassageSensor(["door": .log, "key": .maintenanceSwitch])
    sensor.level(of: "door", isActive: true, at: time(1))
    expectEqual(sensor.passage(since: time(0)), .unwatched)
  }

  @Test func anyChangeIsSomebody() {
    var sensor = PassageSensor([beam: .passage])
    expectEqual(sensor.passage(since: time(0)), .unknown)
    sensor.level(of: beam, isActive: false, at: time(1))
    expectEqual(sensor.passage(since: time(1)), .nobody)
    // Told again, and not changed.
    sensor.level(of: beam, isActive: false, at: time(2))
    expectEqual(sensor.passage(since: time(1)), .nobody)
    sensor.level(of: beam, isActive: true, at: time(3))
    expectEqual(sensor.passage(since: time(4)), .somebody, "who stands in it is passing")
    sensor.level(of: beam, isActive: false, at: time(5))
    expectEqual(sensor.passage(since: time(4)), .somebody)
    expectEqual(sensor.passage(since: time(5)), .somebody)
    expectEqual(sensor.passage(since: time(6)), .nobody)
    // Before it was read nobody knows.
    expectEqual(sensor.passage(since: time(0)), .somebody)
  }

  @Test func whatIsNotReadIsNotKnown() {
    var sensor = PassageSensor([beam: .passage, "second": .passage])
    sensor.level(of: beam, isActive: false, at: time(1))
    expectEqual(sensor.passage(since: time(1)), .unknown, "the second one")
    sensor.level(of: "second", isActive: false, at: time(2))
    expectEqual(sensor.passage(since: time(1)), .unknown)
    expectEqual(sensor.passage(since: time(2)), .nobody)
    sensor.lost(beam)
    expectEqual(sensor.passage(since: time(3)), .unknown)
    sensor.level(of: beam, isActive: false, at: time(9))
    expectEqual(sensor.passage(since: time(3)), .unknown, "what happened meanwhile was seen by nobody")
    expectEqual(sensor.passage(since: time(9)), .nobody)
  }

  /// Whatever happens: nobody has passed only where each sensor was read all the time, and stood still.
  @Test(arguments: [UInt64](0..<100)) func nobodyIsSaidOnlyWhereItIsSo(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let names: [InputName] = ["a", "b"]
    var sensor = PassageSensor(Dictionary(uniqueKeysWithValues: names.map { ($0, .passage) }))
    var told: [(at: Int64, name: InputName, level: Bool?)] = []
    for moment in Int64(1)...30 {
      guard let name = names.randomElement(using: &random) else { continue }
      let level: Bool? = random.chance(10) ? nil : random.chance(20)
      told.append((moment, name, level))
      if let level { sensor.level(of: name, isActive: level, at: time(moment)) } else { sensor.lost(name) }
    }
    for since in Int64(0)...31 {
      let isStill = names.allSatisfy { name in
        let own = told.filter { $0.name == name }
        let before = own.last { $0.at <= since }
        let after = own.filter { $0.at > since }
        return before?.level == .some(false) && after.allSatisfy { $0.level == .some(false) }
          // The level that was told then may be the change itself.
          && !(before?.at == since && own.last { $0.at < since }?.level == .some(true))
      }
      expectEqual(sensor.passage(since: time(since)) == .nobody, isStill, "seed \(seed), since \(since)")
    }
  }
}
