import ScanModel
import Expectations
import Signalling
import ScanTesting
import Testing

@Suite struct MaintenanceInputTests {
  @Test func eachPressOfAButtonTurnsItOver() {
    var gate = MaintenanceInput(["button": .maintenanceButton])
    expect(!gate.isMaintenance)
    expect(gate.level(of: "button", isActive: false) == nil)
    expectEqual(gate.level(of: "button", isActive: true), true)
    expect(gate.level(of: "button", isActive: false) == nil)
    expectEqual(gate.level(of: "button", isActive: true), false)
    expect(gate.level(of: "button", isActive: true) == nil)
  }

  @Test func aButtonThatIsHeldAtTheStartWasNotPressed() {
    var gate = MaintenanceInput(["button": .maintenanceButton])
    expect(gate.level(of: "button", isActive: true) == nil)
    expect(gate.level(of: "button", isActive: false) == nil)
    expectEqual(gate.level(of: "button", isActive: true), true)
    // Nor one that is held when its chip comes back.
    _ = gate.level(of: "button", isActive: false)
    gate.lost("button")
    expect(gate.level(of: "button", isActive: true) == nil && gate.isMaintenance)
  }

  @Test func aSwitchIsWhatItIs() {
    var gate = MaintenanceInput(["key": .maintenanceSwitch])
    expectEqual(gate.level(of: "key", isActive: true), true)
    gate.lost("key")
    expect(gate.isMaintenance)
    expect(gate.level(of: "key", isActive: true) == nil)
    expectEqual(gate.level(of: "key", isActive: false), false)
  }

  @Test(arguments: [3, 4, 5]) func maintenanceIsWhatPressesAndSwitchesSay(seed: UInt64) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let uses: [InputName: InputUse] = [
      "a": .maintenanceButton, "b": .maintenanceButton, "key": .maintenanceSwitch, "door": .log,
    ]
    for _ in 0..<200 {
      var gate = MaintenanceInput(uses)
      var last: [InputName: Bool] = [:]
      var presses = 0
      var told = false
      for _ in 0..<60 {
        let input = uses.keys.sorted().randomElement(using: &random) ?? "a"
        if Int.random(in: 0..<10, using: &random) == 0 {
          gate.lost(input)
          if input != "key" { last[input] = nil }
          expectEqual(gate.isMaintenance, told)
          continue
        }
        let isActive = Bool.random(using: &random)
        if uses[input] == .maintenanceButton, last[input] == false, isActive { presses += 1 }
        last[input] = isActive
        let answer = gate.level(of: input, isActive: isActive)
        let expected = presses % 2 == 1 || last["key"] == true
        expectEqual(gate.isMaintenance, expected)
        expectEqual(answer, (expected == told ? nil : expected))
        told = expected
      }
      // One that is not known says nothing.
      expect(gate.level(of: "stranger", isActive: true) == nil)
    }
  }
}
