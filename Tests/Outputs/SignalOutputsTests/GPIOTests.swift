import CLinux
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing

@testable import SignalOutputs

@Suite struct GPIOTests {
  private func selection(
    _ chip: String = "relays", _ line: GPIOLineConfiguration.Selector = .name("DOOR")
  ) -> GPIOSelection {
    GPIOSelection(role: .output, name: "relay", wanted: GPIOLineConfiguration(chip: chip, line: line))
  }

  @Test(arguments: ["gpiochip0", "gpiochip12", "/dev/gpiochip4", "4"])
  func aNumberIsNoLabel(chip: String) {
    let configuration = GPIOLineConfiguration(chip: chip, line: .offset(1))
    expectEqual(configuration.problem?.contains("next boot"), true)
    expectEqual(OutputTarget.gpio(configuration).problem, configuration.problem)
    let error = #expect(throws: DeviceError.self) {
      try selection(chip).chip(labels: [chip], failures: [])
    }
    expectEqual(error?.what.contains("is no label"), true)
  }

  @Test(arguments: ["pinctrl-bcm2711", "INT34C5:00", "gpiochip", "gpiochipA", "gpio-sim.0-node0", "cp210x", "/dev/"])
  func aLabelIsALabel(chip: String) throws {
    expect(GPIOLineConfiguration(chip: chip, line: .name("GPIO17")).problem == nil)
    try expectEqual(selection(chip).chip(labels: ["other", chip], failures: []), 1)
  }

  @Test func emptyAndOverlongNamesAreRefused() {
    let long = String(repeating: "x", count: 32)
    expect(GPIOLineConfiguration(chip: "", line: .offset(0)).problem != nil)
    expect(GPIOLineConfiguration(chip: long, line: .offset(0)).problem != nil)
    expect(GPIOLineConfiguration(chip: "a", line: .name("")).problem != nil)
    expect(GPIOLineConfiguration(chip: "a", line: .name(long)).problem != nil)
    expect(GPIOLineConfiguration(chip: "a", line: .name(String(long.dropLast()))).problem == nil)
  }

  @Test func aLabelMustBeThereOnce() {
    let none = #expect(throws: DeviceError.self) { try selection().chip(labels: ["one", "two"], failures: []) }
    expectEqual(none?.description.contains("relays"), true)
    expectEqual(none?.description.contains("the chips here are one, two"), true)
    let empty = #expect(throws: DeviceError.self) { try selection().chip(labels: [], failures: []) }
    expectEqual(empty?.what.contains("there is no GPIO chip"), true)
    let twice = #expect(throws: DeviceError.self) { try selection().chip(labels: ["relays", "relays"], failures: []) }
    expectEqual(twice?.what.contains("2 chips"), true)
  }

  @Test func aChipThatMustNotBeOpenedIsNamed() {
    let failure = GPIOChipFailure(node: "/dev/gpiochip3", error: SystemError(errno: EACCES, call: "open"))
    let error = #expect(throws: DeviceError.self) { try selection().chip(labels: ["one"], failures: [failure]) }
    expectEqual(error?.errno, EACCES)
    expectEqual(error?.what.contains("/dev/gpiochip3 cannot be opened: Permission denied"), true)
    expectEqual(error?.remedy.contains("Allow"), true)
    // One that is there is taken whatever the others do.
    #expect(throws: Never.self) { try selection().chip(labels: ["relays"], failures: [failure]) }
  }

  @Test func aLineIsFoundByItsUniqueName() throws {
    let names: [(offset: UInt32, name: String)] = [(0, ""), (1, "DOOR"), (2, "LAMP"), (3, "LAMP")]
    try expectEqual(selection().offset(lineCount: 4, names: names), 1)
    let twice = #expect(throws: DeviceError.self) {
      try selection("relays", .name("LAMP")).offset(lineCount: 4, names: names)
    }
    expectEqual(twice?.what.contains("2 lines of this name, at offsets 2, 3"), true)
    #expect(throws: DeviceError.self) { try selection("relays", .name("NONE")).offset(lineCount: 4, names: names) }
  }

  @Test func anOffsetMustBeOnTheChip() throws {
    try expectEqual(selection("relays", .offset(3)).offset(lineCount: 4, names: []), 3)
    for offset: UInt32 in [4, .max] {
      let error = #expect(throws: DeviceError.self) {
        try selection("relays", .offset(offset)).offset(lineCount: 4, names: [])
      }
      expectEqual(error?.what.contains("4 lines"), true)
    }
    #expect(throws: DeviceError.self) { try selection("relays", .offset(0)).offset(lineCount: 0, names: []) }
  }

  @Test func aBusyLineSaysWhoHoldsIt() {
    let busy = SystemError(errno: EBUSY, call: "GPIO_V2_GET_LINE_IOCTL")
    let error = selection().requestFailed(busy, consumer: "gpioset")
    expectEqual(
      error.description,
      "output relay (GPIO chip relays, line DOOR): the line is in use by \"gpioset\". "
        + "End what holds it, or choose another line.")
    expect(selection().requestFailed(busy, consumer: "").what.contains("something that gives no name"))
    expectEqual(selection().requestFailed(busy, consumer: nil).errno, EBUSY)
    for number in [EINVAL, EPERM, ENOTTY, ENODEV, EIO, 524] {
      let error = selection().requestFailed(SystemError(errno: number, call: "call"), consumer: nil)
      expect(error.errno == number && !error.what.isEmpty && !error.remedy.isEmpty)
      expect(error.device.contains("relays"))
    }
  }

  @Test func aConfigurationBecomesFlags() {
    func flags(
      activeLow: Bool = false, _ bias: GPIOLineConfiguration.Bias = .asIs,
      _ drive: GPIOLineConfiguration.Drive = .pushPull
    ) -> UInt64 {
      GPIOLine.flags(
        GPIOLineConfiguration(chip: "a", line: .offset(0), isActiveLow: activeLow, bias: bias, drive: drive))
    }
    // The bits of enum gpio_v2_line_flag as the kernel documents them.
    expectEqual(flags(), 1 << 3)
    expectEqual(flags(activeLow: true), 1 << 3 | 1 << 1)
    expectEqual(flags(.pullUp), 1 << 3 | 1 << 8)
    expectEqual(flags(.pullDown), 1 << 3 | 1 << 9)
    expectEqual(flags(.disabled), 1 << 3 | 1 << 10)
    expectEqual(flags(.asIs, .openDrain), 1 << 3 | 1 << 6)
    expectEqual(flags(.asIs, .openSource), 1 << 3 | 1 << 7)
  }

  @Test func theShimSpeaksTheKernelsLanguage() {
    // asm-generic/ioctl.h: direction in bits 30 and 31, size from bit 16, type 0xB4, number.
    func number(_ direction: UInt, _ size: Int, _ number: UInt) -> UInt {
      direction << 30 | UInt(size) << 16 | 0xB4 << 8 | number
    }
    expectEqual(MemoryLayout<gpiochip_info>.size, 68)
    expectEqual(MemoryLayout<gpio_v2_line_info>.size, 256)
    expectEqual(MemoryLayout<gpio_v2_line_request>.size, 592)
    expectEqual(MemoryLayout<gpio_v2_line_values>.size, 16)
    expectEqual(clinux_gpio_chip_info_number, number(2, 68, 0x01))
    expectEqual(clinux_gpio_line_info_number, number(3, 256, 0x05))
    expectEqual(clinux_gpio_request_number, number(3, 592, 0x07))
    expectEqual(clinux_gpio_get_values_number, number(3, 16, 0x0E))
    expectEqual(clinux_gpio_set_values_number, number(3, 16, 0x0F))
    // As strace prints them on x86_64 and arm64.
    expectEqual(clinux_gpio_chip_info_number, 0x8044_B401)
    expectEqual(clinux_gpio_request_number, 0xC250_B407)
  }

  @Test func aRequestedLineIsOneInactiveOutput() {
    var request = gpio_v2_line_request()
    clinux_gpio_fill_request(&request, 17, 1 << 3 | 1 << 1, 0, String(repeating: "c", count: 40))
    expect(request.offsets.0 == 17 && request.num_lines == 1)
    expectEqual(request.config.flags, 0b1010)
    expectEqual(request.config.num_attrs, 1)
    expectEqual(request.config.attrs.0.mask, 1)
    expectEqual(request.config.attrs.0.attr.id, 2)
    expectEqual(request.config.attrs.0.attr.values, 0)
    let consumer = withUnsafeBytes(of: request.consumer) { [UInt8]($0) }
    expect(consumer.count == 32 && consumer.last == 0 && consumer[30] == UInt8(ascii: "c"))
    clinux_gpio_fill_request(&request, 0, 1 << 3, 1, "scangate")
    expectEqual(request.config.attrs.0.attr.values, 1)
    clinux_gpio_fill_request(&request, 0, 1 << 2, 1, "scangate")
    expectEqual(request.config.num_attrs, 0)
  }

  @Test func aRequestedInputIsOneDebouncedLineWithBothEdges() {
    func flags(activeLow: Bool = false, _ bias: GPIOLineConfiguration.Bias = .asIs) -> UInt64 {
      GPIOInput.flags(GPIOLineConfiguration(chip: "a", line: .offset(0), isActiveLow: activeLow, bias: bias))
    }
    expectEqual(flags(), 1 << 2 | 1 << 4 | 1 << 5)
    expectEqual(flags(activeLow: true, .pullUp), 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8)
    expectEqual(flags(.pullDown), 1 << 2 | 1 << 4 | 1 << 5 | 1 << 9)
    expectEqual(flags(.disabled), 1 << 2 | 1 << 4 | 1 << 5 | 1 << 10)
    var request = gpio_v2_line_request()
    clinux_gpio_fill_input_request(&request, 9, flags(), 30_000, "scangate")
    expect(request.offsets.0 == 9 && request.num_lines == 1 && request.config.flags == flags())
    expect(request.config.num_attrs == 1 && request.config.attrs.0.mask == 1)
    expect(request.config.attrs.0.attr.id == 3 && request.config.attrs.0.attr.debounce_period_us == 30_000)
    clinux_gpio_fill_input_request(&request, 9, flags(), 0, "scangate")
    expectEqual(request.config.num_attrs, 0)
  }

  @Test func theKernelsDebounceIsReadFromTheLine() {
    var info = gpio_v2_line_info()
    expectEqual(clinux_gpio_debounce(&info), 0)
    info.num_attrs = 2
    info.attrs.0.id = 1
    info.attrs.0.flags = 77
    info.attrs.1.id = 3
    info.attrs.1.debounce_period_us = 30_000
    expectEqual(clinux_gpio_debounce(&info), 30_000)
    info.num_attrs = .max
    info.attrs.1.id = 0
    expectEqual(clinux_gpio_debounce(&info), 0)
  }

  @Test func debounceIsRoundedUpToMicroseconds() {
    expectEqual(GPIOInput.microseconds(.zero), 0)
    expectEqual(GPIOInput.microseconds(.milliseconds(30)), 30_000)
    expectEqual(GPIOInput.microseconds(.nanoseconds(1)), 1)
    expectEqual(GPIOInput.microseconds(.seconds(1)), 1_000_000)
    expectEqual(GPIOInput.microseconds(.seconds(Int64.max)), .max)
    let line = GPIOLineConfiguration(chip: "a", line: .offset(0))
    for (debounce, isGood) in [
      (Duration.zero, true), (.seconds(1), true), (.milliseconds(-1), false), (.milliseconds(1001), false),
    ] {
      let input = InputConfiguration(name: "button", line: line, debounce: debounce)
      expectEqual((input.problem == nil), isGood)
    }
    expect(InputConfiguration(name: "b", line: .init(chip: "gpiochip0", line: .offset(0))).problem != nil)
  }

  @Test func anInputIsSpokenOfAsAnInput() {
    let input = GPIOSelection(role: .input, name: "lockout", wanted: .init(chip: "relays", line: .name("DOOR")))
    for number in [EINVAL, ENXIO, ENODEV, EBUSY, EACCES] {
      let error = input.requestFailed(SystemError(errno: number, call: "call"), consumer: nil)
      expect(error.device == "input lockout (GPIO chip relays, line DOOR)" && error.errno == number)
    }
    let noInterrupt = input.requestFailed(SystemError(errno: ENXIO, call: "call"), consumer: nil)
    expect(noInterrupt.remedy.contains("interrupt"))
  }

  @Test func whatIsNoLineFailsWithTheSystemsError() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let reading = OwnedDescriptor(owning: ends[0])
    let writing = OwnedDescriptor(owning: ends[1])
    expect(clinux_gpio_set(writing.number, 1) == -1 && errno == ENOTTY)
    expect(clinux_gpio_get(reading.number) == -1 && errno == ENOTTY)
    expect(clinux_gpio_request_line(reading.number, 0, 1 << 3, 0, "scangate") == -1 && errno == ENOTTY)
  }
}
