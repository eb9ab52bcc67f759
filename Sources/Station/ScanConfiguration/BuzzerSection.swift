import ScanModel
internal import TicketSystemKit

/// `gates.<name>.outputs.<output>.pwm`.
enum PWMSection {
  private static let chip = SchemaKey.required(
    "chip",
    ValueKind<String>(summary: "device name", example: "fe20c000.pwm", show: { $0 }) { node, findings in
      guard let text = node.text(like: "the PWM chip's device", findings) else { return nil }
      if text.hasPrefix("pwmchip") {
        findings.error(
          at: node.position, "\(quoted(text)) is a number that changes between boots",
          "write the name of the chip's device, as \"scangate devices\" shows it")
        return nil
      }
      let isName = (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isName, !isNumber, !text.contains("/"), text != ".", text != ".." else {
        node.refuse(text, "write the name of the chip's device, as \"scangate devices\" shows it", findings)
        return nil
      }
      return text
    }, "The chip by the name of its device; never `pwmchipN`, for the number changes between boots.")
  private static let channel = SchemaKey.key(
    "channel", .integer(0...255, example: "0"), default: 0, "The channel on the chip.")
  private static let frequency = SchemaKey.key(
    "frequency", .frequency(20...20_000, example: "2000 Hz"), default: 2000,
    "The tone; a buzzer is loudest at the one that its maker names.")

  static let schema = SectionSchema("gates.<name>.outputs.<output>.pwm", chip, channel, frequency)

  static func read(_ reader: SectionReader) -> PWMConfiguration? {
    guard let (chip, channel, frequency) = reader.readAll(chip, channel, frequency) else { return nil }
    return PWMConfiguration(
      chip: chip, channel: UInt32(clamping: channel), frequency: UInt32(clamping: frequency))
  }
}

/// `gates.<name>.outputs.<output>.sound`.
enum SoundSection {
  private static let name = SchemaKey.required(
    "name",
    .text(
      "device name", example: "PC Speaker",
      expected: "write the device's name, as \"scangate devices\" shows it, such as PC Speaker",
      where: { text in
        (1...255).contains(text.utf8.count) && !text.hasPrefix("/dev/")
          && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
      }), "The device by the kernel's name for it; never `eventN`, for the number changes between boots.")
  private static let frequency = SchemaKey.key(
    "frequency", .frequency(20...20_000, example: "1000 Hz"), default: 1000, "The tone.")

  static let schema = SectionSchema("gates.<name>.outputs.<output>.sound", name, frequency)

  static func read(_ reader: SectionReader) -> SoundConfiguration? {
    guard let (name, frequency) = reader.readAll(name, frequency) else { return nil }
    return SoundConfiguration(device: name, frequency: UInt32(clamping: frequency))
  }
}
