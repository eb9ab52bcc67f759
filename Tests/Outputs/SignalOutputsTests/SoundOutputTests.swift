import CLinux
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing

@testable import SignalOutputs

@Suite struct SoundOutputTests {
  private let inputs: TemporaryDirectory

  init() throws { inputs = try TemporaryDirectory() }

  private func make(_ event: String, _ name: String, sounds: String) throws {
    try inputs.directory(event)
    try inputs.directory("\(event)/device")
    try inputs.directory("\(event)/device/capabilities")
    try inputs.file("\(event)/device/name", name + "\n")
    try inputs.file("\(event)/device/capabilities/snd", sounds + "\n")
  }

  private func driver(_ name: String, nodes: String) -> DeviceOutputDriver {
    let target = OutputTarget.sound(SoundConfiguration(device: name, frequency: 1_000))
    return DeviceOutputDriver(
      outputs: [OutputConfiguration(name: "buzzer", kind: .buzzer, target: target)],
      directories: .init(inputs: inputs.path, inputNodes: nodes))
  }

  @Test(arguments: [
    ("6", true), ("4", true), ("0", false), ("3", false), ("1 0", false), ("0 4", true), ("", false), ("x", false),
  ])
  func onlyWhatMakesTonesIsASoundDevice(bitmap: String, makesTones: Bool) {
    expectEqual(OutputInventory.Sound.makesTones(bitmap), makesTones)
  }

  /// The node is a named pipe: what is written to it is read back.
  @Test func tonesAreWrittenToTheDeviceOfTheName() throws {
    try make("event0", "PC Speaker", sounds: "0")
    try make("event3", "PC Speaker", sounds: "6")
    let nodes = try TemporaryDirectory()
    let node = "\(nodes.path)/event3"
    try #require(mkfifo(node, 0o600) == 0)
    defer { unlink(node) }
    let reading = try OwnedDescriptor.open(node, O_RDONLY | O_NONBLOCK)
    func tones() -> [Int32] {
      var events = [input_event](repeating: input_event(), count: 16)
      let size = MemoryLayout<input_event>.stride
      let count = max(0, read(reading.number, &events, events.count * size)) / size
      return events.prefix(count).compactMap {
        $0.type == UInt16(EV_SND) && $0.code == UInt16(SND_TONE) ? $0.value : $0.type == 0 && $0.code == 0 ? nil : -1
      }
    }
    let driver = driver("PC Speaker", nodes: nodes.path)
    try driver.set("buzzer", on: false)
    expectEqual(tones(), [0])
    try driver.set("buzzer", on: true)
    expectEqual(tones(), [1_000])
    driver.close()
    expectEqual(tones(), [0], "a tone goes on after its file is closed")
  }

  @Test func aNameMustBeThereOnce() throws {
    try make("event0", "PC Speaker", sounds: "6")
    try make("event1", "PC Speaker", sounds: "6")
    try make("event2", "Keyboard", sounds: "6")
    let twice = #expect(throws: DeviceError.self) {
      try driver("PC Speaker", nodes: "/dev/input").set("buzzer", on: true)
    }
    expectEqual(twice?.what.contains("/dev/input/event0, /dev/input/event1"), true)
    let none = #expect(throws: DeviceError.self) { try driver("Horn", nodes: "/dev/input").set("buzzer", on: true) }
    expect(none?.device == "output buzzer (sound device Horn)" && none?.what.contains("Keyboard") == true)
    let gone = #expect(throws: DeviceError.self) {
      try driver("Keyboard", nodes: "/nonexistent").set("buzzer", on: true)
    }
    expect(gone?.errno == ENOENT && gone?.what == "the device is gone")
  }

  @Test func namesThatCannotBeAreSaid() {
    func problem(_ name: String, _ frequency: UInt32 = 1_000) -> String? {
      OutputTarget.sound(SoundConfiguration(device: name, frequency: frequency)).problem
    }
    expect(problem("PC Speaker") == nil)
    for name in ["", "/dev/input/event3", "a\0b", String(repeating: "x", count: 256)] { expect(problem(name) != nil) }
    expect(problem("PC Speaker", 19) != nil)
  }

  @Test func listingTellsNamesAndNodes() throws {
    try make("event0", "Keyboard", sounds: "0")
    try make("event10", "PC Speaker", sounds: "6")
    let inventory = listOutputs(
      devices: "/nonexistent", leds: "/nonexistent", pwm: "/nonexistent", inputs: inputs.path)
    expectEqual(inventory.sounds, [.init(name: "PC Speaker", node: "/dev/input/event10")])
  }
}
