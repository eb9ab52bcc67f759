import Expectations
import Testing

@testable import SignalOutputs

@Suite struct BoardTests {
  /// A chip of a Raspberry Pi: the lines of the header have the names that its kernel gives them.
  private func chip(_ label: String, used: [UInt32: String] = [:], names: Bool = true) -> OutputInventory.Chip {
    OutputInventory.Chip(
      node: "/dev/gpiochip0", label: label,
      lines: (UInt32(0)..<28).map { offset in
        GPIOLineDescription(
          offset: offset, name: names ? "GPIO\(offset)" : "", isUsed: used[offset] != nil,
          consumer: used[offset] ?? "")
      })
  }

  @Test(arguments: [
    ("Raspberry Pi 3 Model B Plus Rev 1.3", "pinctrl-bcm2835"), ("Raspberry Pi 3 Model B", "pinctrl-bcm2835"),
    ("Raspberry Pi Zero 2 W Rev 1.0", "pinctrl-bcm2835"), ("Raspberry Pi 4 Model B Rev 1.4", "pinctrl-bcm2711"),
    ("Raspberry Pi 400 Rev 1.0", "pinctrl-bcm2711"), ("Raspberry Pi Compute Module 4 Rev 1.1", "pinctrl-bcm2711"),
    ("Raspberry Pi 5 Model B Rev 1.0", "pinctrl-rp1"), ("Raspberry Pi Compute Module 5 Rev 1.0", "pinctrl-rp1"),
  ])
  func knowsTheChipOf(model: String, chip: String) {
    expectEqual(Board.named(model)?.chip, chip)
  }

  @Test(arguments: [
    "", "Raspberry Pi", "Raspberry Pi Model B Rev 2", "Raspberry Pi 30", "Raspberry Pi 4000", "My Raspberry Pi 4",
    "Pine64 ROCKPro64",
  ])
  func takesNoOtherBoardForOne(model: String) {
    expectEqual(Board.named(model), nil)
  }

  @Test func modelEndsAtTheZeroByte() throws {
    let directory = try TemporaryDirectory()
    try directory.file("pi", "Raspberry Pi 5 Model B Rev 1.0\0")
    try directory.file("empty", "\0")
    expectEqual(Board.model(in: directory.path + "/pi"), "Raspberry Pi 5 Model B Rev 1.0")
    expectEqual(Board.model(in: directory.path + "/empty"), nil)
    expectEqual(Board.model(in: directory.path + "/none"), nil)
  }

  @Test func proposesWhatIsPulledDownAndFree() throws {
    let board = try #require(Board.named("Raspberry Pi 4 Model B Rev 1.4"))
    let other = chip("raspberrypi-exp-gpio")
    expectEqual(
      board.freeLines(of: [other, chip("pinctrl-bcm2711", used: [27: "spi0 CS1", 23: ""])]).map(\.line),
      ["GPIO17", "GPIO22", "GPIO24", "GPIO25"])
    expectEqual(board.freeLines(of: [other]), [])
    // A number would be taken for the name of a line.
    expectEqual(board.freeLines(of: [chip("pinctrl-bcm2711", names: false)]), [])
  }

  @Test func noProposedLineIsPulledUpAtBootOrWantedByTheHeader() {
    // 0 to 8 are pulled up; 14 and 15 are the serial line, 18 and 19 PWM, 9 to 11 SPI.
    let wanted: Set<UInt32> = Set(0...11).union([14, 15, 18, 19])
    for board in Board.known {
      expect(!board.offsets.isEmpty && board.offsets.allSatisfy { $0 < 28 && !wanted.contains($0) })
      expectEqual(Set(board.offsets).count, board.offsets.count)
    }
  }
}
