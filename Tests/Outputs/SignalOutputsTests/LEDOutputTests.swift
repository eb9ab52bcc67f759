import Signalling
import Expectations
import LinuxIO
import ScanModel
import Synchronization
import Testing

@testable import SignalOutputs

private final class Notices: Sendable {
  private let list = Mutex<[String]>([])
  var all: [String] { list.withLock { $0 } }
  func add(_ text: String) { list.withLock { $0.append(text) } }
}

@Suite struct LEDOutputTests {
  private let leds: TemporaryDirectory

  init() throws { leds = try TemporaryDirectory() }

  private func make(_ name: String, maximum: String = "255\n", trigger: String? = "[none] timer heartbeat\n") throws {
    try leds.directory(name)
    try leds.file("\(name)/max_brightness", maximum)
    try leds.file("\(name)/brightness", "7\n")
    if let trigger { try leds.file("\(name)/trigger", trigger) }
  }

  private func driver(
    _ name: String, notice: @escaping @Sendable (String) -> Void = { _ in }
  ) -> DeviceOutputDriver {
    DeviceOutputDriver(
      outputs: [OutputConfiguration(name: "red", kind: .lamp, target: .led(name))], directories: .init(leds: leds.path),
      notice: notice)
  }

  @Test func brightnessIsTheGreatestOrZero() throws {
    try make("tower:red:status", maximum: "127\n")
    let driver = driver("tower:red:status")
    try driver.set("red", on: true)
    try expectEqual(leds.text("tower:red:status/brightness"), "127\n")
    try driver.set("red", on: false)
    try expectEqual(leds.text("tower:red:status/brightness"), "0\n")
    try expectEqual(leds.text("tower:red:status/trigger"), "[none] timer heartbeat\n")
  }

  @Test func anActiveTriggerIsSwitchedOffAndThatIsSaid() throws {
    try make("ACT", trigger: "none timer [mmc0] heartbeat\n")
    let notices = Notices()
    let driver = driver("ACT") { notices.add($0) }
    try driver.set("red", on: false)
    try driver.set("red", on: true)
    try expectEqual(leds.text("ACT/trigger"), "none\n")
    try expectEqual(leds.text("ACT/brightness"), "255\n")
    expectEqual(notices.all.count, 1)
    expectEqual(notices.all.first?.contains("mmc0"), true)
  }

  @Test func anLEDWithoutTriggersWorks() throws {
    try make("plain", trigger: nil)
    try driver("plain").set("red", on: true)
    try expectEqual(leds.text("plain/brightness"), "255\n")
  }

  /// Real writes: to a device that takes nothing, and to one that is gone. After the first nobody knows.
  @Test(arguments: ["/dev/full", nil]) func onlyAnErrorThatProvesItSaysThatNothingHappened(target: String?) async throws
  {
    try make("door")
    let loop = try DeviceLoop(name: "outputs")
    defer { loop.stop() }
    let driver = DeviceOutputDriver(
      outputs: [OutputConfiguration(name: "relay", kind: .relay, target: .led("door"))],
      directories: .init(leds: leds.path))
    let outputs = try GateOutputs(
      gate: GateID("north"), outputs: ["relay": .relay],
      timing: RelayTiming(pulse: .milliseconds(30), gap: .zero), patterns: .standard(for: ["relay": .relay]),
      driver: driver, loop: loop, onFault: { _, _ in })
    await outputs.start()
    leds.remove("door/brightness")
    if let target { try leds.link("door/brightness", to: target) }
    switch await GateSignalOutput(outputs).admit(isProvisional: false) {
    case .unanswered(let words): expect(target != nil && words.contains("may have opened"))
    case .failed: expect(target == nil, "it is sure of what nobody knows")
    case .started, .noRelay: expect(false, "opened")
    }
    leds.remove("door/brightness")
    try leds.file("door/brightness", "0\n")
    await outputs.stop()
  }

  /// A board that errs, and is gone when it is opened anew: what the first write has done is not known.
  @Test func whatTheFirstWriteMayHaveDoneIsNotForgottenByTheSecond() throws {
    try make("door")
    let driver = driver("door")
    try driver.set("red", on: false)
    leds.remove("door/brightness")
    try leds.link("door/brightness", to: "/dev/full")
    leds.remove("door/max_brightness")
    let error = #expect(throws: DeviceError.self) { try driver.set("red", on: true) }
    expectEqual(error?.what.contains("there is no such LED"), true)
    expectEqual(error?.mayHaveHappened, true)
    let again = #expect(throws: DeviceError.self) { try driver.set("red", on: true) }
    expectEqual(again?.mayHaveHappened, false)
  }

  @Test func aMissingLEDIsSaidInWordsAndTakenWhenItComes() throws {
    let driver = driver("late")
    let error = #expect(throws: DeviceError.self) { try driver.set("red", on: true) }
    expectEqual(error?.errno, 2)
    expectEqual(error?.description.contains("output red (LED late): there is no such LED"), true)
    try make("late")
    try driver.set("red", on: true)
    try expectEqual(leds.text("late/brightness"), "255\n")
  }

  @Test func anLEDThatWentAndCameBackIsSwitchedAtOnce() throws {
    try make("usb")
    let driver = driver("usb")
    try driver.set("red", on: false)
    leds.remove("usb/brightness")
    #expect(throws: DeviceError.self) { try driver.set("red", on: true) }
    try leds.file("usb/brightness", "0\n")
    try driver.set("red", on: true)
    try expectEqual(leds.text("usb/brightness"), "255\n")
  }

  @Test(arguments: ["", "0", "-3", "bright", "99999999999999999999"])
  func anImpossibleBrightnessIsAnError(text: String) throws {
    try make("odd", maximum: text)
    let error = #expect(throws: DeviceError.self) { try driver("odd").set("red", on: true) }
    expectEqual(error?.what.contains("max_brightness"), true)
  }

  @Test(arguments: ["", ".", "..", "../ACT", "a/b", "/etc", "a\0b"])
  func aPathIsNoName(name: String) {
    expect(OutputTarget.led(name).problem != nil)
    let error = #expect(throws: DeviceError.self) { try driver(name).set("red", on: true) }
    expectEqual(error?.remedy, "Correct the configuration.")
  }

  @Test func anOutputThatIsNotConfiguredIsAnError() {
    #expect(throws: DeviceError.self) { try driver("ACT").set("blue", on: true) }
  }

  private func list(devices: String, leds: String) -> OutputInventory {
    listOutputs(devices: devices, leds: leds, pwm: "/nonexistent", inputs: "/nonexistent")
  }

  @Test func anLEDGetsItsTriggerBack() throws {
    try make("ACT", trigger: "none timer [mmc0] heartbeat\n")
    let notices = Notices()
    let driver = driver("ACT") { notices.add($0) }
    try driver.set("red", on: true)
    // It fails and is opened anew, now without a trigger.
    leds.remove("ACT/brightness")
    #expect(throws: DeviceError.self) { try driver.set("red", on: false) }
    try leds.file("ACT/brightness", "0\n")
    try driver.set("red", on: false)
    driver.close()
    try expectEqual(leds.text("ACT/trigger"), "mmc0\n")
    expect(notices.all.count == 2 && notices.all.last?.contains("\"mmc0\" again") == true)
    driver.close()
    expectEqual(notices.all.count, 2)
  }

  @Test func aTriggerThatSomebodyElseSetStays() throws {
    try make("ACT", trigger: "none timer [mmc0] heartbeat\n")
    let driver = driver("ACT")
    try driver.set("red", on: true)
    try leds.file("ACT/trigger", "none [timer] mmc0 heartbeat\n")
    driver.close()
    try expectEqual(leds.text("ACT/trigger"), "none [timer] mmc0 heartbeat\n")
  }

  @Test func listingTellsNamesAndTriggers() throws {
    try make("ACT", trigger: "none [mmc0]\n")
    try make("tower:red:status")
    let inventory = list(devices: leds.path, leds: leds.path)
    expectEqual(inventory.leds, [.init(name: "ACT", trigger: "mmc0"), .init(name: "tower:red:status", trigger: nil)])
    expect(inventory.chips.isEmpty)
    expectEqual(list(devices: "/nonexistent", leds: "/nonexistent"), .init(chips: [], leds: [], problems: []))
  }

  @Test func aNodeThatIsNoChipIsAProblemNotACrash() throws {
    try leds.file("gpiochip0", "")
    let inventory = list(devices: leds.path, leds: "/nonexistent")
    expect(inventory.chips.isEmpty)
    expectEqual(inventory.problems.count, 1)
    expectEqual(inventory.problems.first?.contains("\(leds.path)/gpiochip0"), true)
    let wanted = GPIOLineConfiguration(chip: "relays", line: .offset(0))
    let error = #expect(throws: DeviceError.self) {
      try GPIOLine(wanted, output: "relay", initially: false, directory: leds.path)
    }
    expectEqual(error?.what.contains("gpiochip0"), true)
  }
}
