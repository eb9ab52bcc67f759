import Expectations
import Glibc
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import SignalOutputs

/// A channel as the kernel keeps it: it refuses what it refuses (`pwm_apply_state`).
private struct Channel {
  var period: UInt64
  var duty: UInt64
  var isEnabled: Bool

  /// Whether the write is taken.
  mutating func write(_ file: PWMState.File, _ value: UInt64) -> Bool {
    var next = self
    switch file {
    case .period: next.period = value
    case .duty: next.duty = value
    case .enable: next.isEnabled = value != 0
    }
    if next.period == 0 || next.duty > next.period { return false }
    self = next
    return true
  }
}

@Suite struct PWMOutputTests {
  private let pwm: TemporaryDirectory

  init() throws { pwm = try TemporaryDirectory() }

  private func makeChip(_ number: Int, _ device: String = "fe20c000.pwm", channels: String = "2\n") throws {
    try pwm.directory("pwmchip\(number)")
    try pwm.link("pwmchip\(number)/device", to: "../../../\(device)")
    try pwm.file("pwmchip\(number)/npwm", channels)
    try pwm.file("pwmchip\(number)/export", "")
    try pwm.file("pwmchip\(number)/unexport", "")
  }

  private func makeChannel(
    _ path: String, period: String = "0\n", duty: String = "0\n", enable: String = "0\n"
  ) throws {
    try pwm.directory(path)
    try pwm.file("\(path)/period", period)
    try pwm.file("\(path)/duty_cycle", duty)
    try pwm.file("\(path)/enable", enable)
  }

  private func state(_ path: String) throws -> [String] {
    try ["period", "duty_cycle", "enable"].map { try pwm.text("\(path)/\($0)") }
  }

  private func driver(_ configuration: PWMConfiguration) -> DeviceOutputDriver {
    DeviceOutputDriver(
      outputs: [OutputConfiguration(name: "buzzer", kind: .buzzer, target: .pwm(configuration))],
      directories: .init(pwm: pwm.path))
  }

  private static let buzzer = PWMConfiguration(chip: "fe20c000.pwm", channel: 1, frequency: 2_000)

  @Test func aToneIsHalfDutyAndSilenceIsNone() throws {
    try makeChip(0, "other.pwm")
    try makeChip(3)
    try makeChannel("pwmchip3/pwm1")
    let driver = driver(Self.buzzer)
    try driver.set("buzzer", on: false)
    try expectEqual(state("pwmchip3/pwm1"), ["500000\n", "0\n", "0\n"])
    try driver.set("buzzer", on: true)
    try expectEqual(state("pwmchip3/pwm1"), ["500000\n", "250000\n", "1\n"])
    try driver.set("buzzer", on: false)
    try expectEqual(state("pwmchip3/pwm1"), ["500000\n", "0\n", "0\n"])
    expect(try pwm.text("pwmchip3/export").isEmpty, "the channel was there already")
  }

  @Test func lettingGoSilencesAndLeavesAChannelOfOthersExported() throws {
    try makeChip(0)
    try makeChannel("pwmchip0/pwm1")
    let driver = driver(Self.buzzer)
    try driver.set("buzzer", on: true)
    driver.close()
    try expectEqual(state("pwmchip0/pwm1"), ["500000\n", "0\n", "0\n"])
    expect(try pwm.text("pwmchip0/unexport").isEmpty)
  }

  /// The files of a channel, or their permissions, can come after the export.
  @Test func aChannelIsExportedAndGivenBack() throws {
    try makeChip(0)
    let driver = driver(Self.buzzer)
    let error = #expect(throws: DeviceError.self) { try driver.set("buzzer", on: false) }
    expect(error?.errno == ENOENT && error?.device == "output buzzer (PWM chip fe20c000.pwm, channel 1)")
    try expectEqual(pwm.text("pwmchip0/export"), "1\n")
    try makeChannel("pwmchip0/pwm1")
    try driver.set("buzzer", on: true)
    expect(try pwm.text("pwmchip0/unexport").isEmpty)
    driver.close()
    try expectEqual(state("pwmchip0/pwm1"), ["500000\n", "0\n", "0\n"])
    try expectEqual(pwm.text("pwmchip0/unexport"), "1\n")
  }

  @Test func permissionsThatComeLaterAreWaitedFor() throws {
    if getuid() == 0 { return }
    try makeChip(0)
    try makeChannel("pwmchip0/pwm1")
    chmod("\(pwm.path)/pwmchip0/pwm1/period", 0o400)
    let driver = driver(Self.buzzer)
    let error = #expect(throws: DeviceError.self) { try driver.set("buzzer", on: false) }
    expect(error?.errno == EACCES && error?.remedy.contains("udev") == true)
    chmod("\(pwm.path)/pwmchip0/pwm1/period", 0o600)
    try driver.set("buzzer", on: true)
    try expectEqual(state("pwmchip0/pwm1"), ["500000\n", "250000\n", "1\n"])
  }

  @Test func aChipIsFoundByTheNameOfItsDeviceAlone() throws {
    let selection = PWMSelection(output: "buzzer", wanted: Self.buzzer)
    let one = PWMChip(name: "fe20c000.pwm", path: "/p/pwmchip0", channelCount: 2)
    let other = PWMChip(name: "fe20c800.pwm", path: "/p/pwmchip1", channelCount: 2)
    try expectEqual(selection.chip(among: [other, one]), one)
    let none = #expect(throws: DeviceError.self) { try selection.chip(among: [other]) }
    expect(none?.what.contains("the chips here are fe20c800.pwm") == true && none?.errno == ENODEV)
    #expect(throws: DeviceError.self) { try selection.chip(among: []) }
    var twin = one
    twin = PWMChip(name: twin.name, path: "/p/pwmchip2", channelCount: 2)
    let twice = #expect(throws: DeviceError.self) { try selection.chip(among: [one, other, twin]) }
    expectEqual(twice?.what.contains("/p/pwmchip0, /p/pwmchip2"), true)
    let narrow = PWMChip(name: "fe20c000.pwm", path: "/p/pwmchip0", channelCount: 1)
    let beyond = #expect(throws: DeviceError.self) { try selection.chip(among: [narrow]) }
    expect(beyond?.what.contains("1 channels") == true && beyond?.errno == EINVAL)
  }

  @Test func everyFailureHasWordsAndARemedy() {
    let selection = PWMSelection(output: "buzzer", wanted: Self.buzzer)
    for number in [EBUSY, ENODEV, ENOENT, EINVAL, EACCES, EPERM, EIO, ERANGE] {
      let cause = SystemError(errno: number, call: "write")
      for error in [selection.exportFailed(cause, path: "/p/export"), selection.failed(cause, path: "/p/period")] {
        expect(error.errno == number && !error.what.isEmpty && !error.remedy.isEmpty)
        expectEqual(error.device, "output buzzer (PWM chip fe20c000.pwm, channel 1)")
      }
    }
    let busy = SystemError(errno: EBUSY, call: "write")
    expect(selection.exportFailed(busy, path: "/p").what.contains("kernel"))
    expect(selection.failed(SystemError(errno: EINVAL, call: "write"), path: "/p").what.contains("2000 Hz"))
  }

  /// From whatever an earlier program left, every write is one that the kernel takes.
  @Test func theKernelTakesEveryWrite() {
    print("seed 7")
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let period = Bool.random(using: &random) ? UInt64.random(in: 1...60_000_000, using: &random) : 0
      let duty = UInt64.random(in: 0...period, using: &random)
      let isEnabled = period > 0 && Bool.random(using: &random)
      var channel = Channel(period: period, duty: duty, isEnabled: isEnabled)
      let frequency = UInt64.random(in: 20...20_000, using: &random)
      let wanted = 1_000_000_000 / frequency
      let start = PWMState(period: period, duty: duty, isEnabled: isEnabled)
      for write in start.silencing(wanted: wanted) { expectEqual(channel.write(write.file, write.value), true) }
      expect(channel.period == wanted && channel.duty == 0 && !channel.isEnabled)
      for _ in 0..<4 {
        let isOn = Bool.random(using: &random)
        for write in PWMState.switching(isOn, period: wanted) {
          expectEqual(channel.write(write.file, write.value), true)
        }
        expect(channel.isEnabled == isOn && channel.duty == (isOn ? wanted / 2 : 0) && channel.period == wanted)
      }
    }
  }

  @Test func configurationsThatCannotBeAreSaid() {
    func problem(_ chip: String, _ frequency: UInt32 = 2_000) -> String? {
      OutputTarget.pwm(PWMConfiguration(chip: chip, channel: 0, frequency: frequency)).problem
    }
    expect(problem("fe20c000.pwm") == nil && problem("1f00098000.pwm") == nil && problem("pwm-sim") == nil)
    expect(problem("pwmchip0")?.contains("next boot") == true && problem("0") != nil)
    for chip in ["", ".", "..", "a/b", "/sys/class/pwm/pwmchip0", "a\0b", String(repeating: "x", count: 256)] {
      expect(problem(chip) != nil)
    }
    expect(problem("a", 20) == nil && problem("a", 20_000) == nil)
    for frequency: UInt32 in [0, 19, 20_001, .max] { expectEqual(problem("a", frequency)?.contains("20000 Hz"), true) }
    let target = OutputTarget.pwm(Self.buzzer)
    expect(OutputConfiguration(name: "buzzer", kind: .buzzer, target: target).problem == nil)
    expect(OutputConfiguration(name: "green", kind: .lamp, target: target).problem != nil)
    expect(OutputConfiguration(name: "relay", kind: .relay, target: target).problem != nil)
    expect(OutputConfiguration(name: "relay", kind: .relay, target: .led("a")).problem != nil)
  }

  @Test func listingTellsChipsByTheNameOfTheirDevice() throws {
    try makeChip(0)
    try makeChip(2, "1f00098000.pwm", channels: "4\n")
    try pwm.directory("pwmchip5")
    let inventory = listOutputs(devices: "/nonexistent", leds: "/nonexistent", pwm: pwm.path, inputs: "/nonexistent")
    expectEqual(
      inventory.pwmChips,
      [
        .init(name: "fe20c000.pwm", channelCount: 2), .init(name: "1f00098000.pwm", channelCount: 4),
      ])
  }
}
