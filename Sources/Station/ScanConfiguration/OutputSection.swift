import ScanModel
internal import TicketSystemKit

/// One output as the file has it; a relay's brings what the gate's relay does.
struct ReadOutput: Sendable {
  var configuration: OutputConfiguration
  var relay: RelayConfiguration?
}

/// `gates.<name>.outputs.<output>`.
enum OutputSection {
  static let relayName = "relay"

  private static let gpio = SchemaKey<GPIOLineConfiguration>.optional(
    "gpio", .section(GPIOSection.schema, example: "{ chip: gate, line: RELAY0 }", read: GPIOSection.read),
    "A line of a GPIO chip. Either this or `led`; for a buzzer also `pwm` or `sound`.")
  private static let led = SchemaKey<String>.optional(
    "led",
    .text(
      "LED name", example: "\"gate:green:pass\"",
      expected: "write a name of /sys/class/leds, such as \"gate:green:pass\"",
      where: { text in
        (1...63).contains(text.utf8.count) && text != "." && text != ".."
          && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
      }), "An LED by its name in `/sys/class/leds`. Not for the relay.")
  private static let pwm = SchemaKey<PWMConfiguration>.optional(
    "pwm",
    .section(
      PWMSection.schema, example: "{ chip: fe20c000.pwm, channel: 0, frequency: 2000 Hz }", read: PWMSection.read),
    "A channel of a PWM chip, for a passive buzzer. For buzzers only.")
  private static let sound = SchemaKey<SoundConfiguration>.optional(
    "sound",
    .section(SoundSection.schema, example: "{ name: PC Speaker, frequency: 1000 Hz }", read: SoundSection.read),
    "An input device that makes tones. For buzzers only.")
  private static let pulse = SchemaKey.key(
    "pulse", .duration(RelayTiming.pulseRange, example: "600 ms"), default: .milliseconds(600),
    "The relay only: how long it is driven for one person.")
  private static let gap = SchemaKey.key(
    "gap", .duration(RelayTiming.gapRange, example: "500 ms"), default: .milliseconds(500),
    "The relay only: the least rest between two pulses, so that each person has an own one.")
  private static let fail = SchemaKey.key(
    "fail", .choice(SafeState.self), default: .secure,
    "The relay only: what the gate is while nobody commands the relay: locked (`secure`, relay off) or released (`safe`, relay on)."
  )

  static let schema = SectionSchema(
    "gates.<name>.outputs.<output>",
    gpio, led, pwm, sound, pulse, gap, fail)

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> ReadOutput? {
    guard let reader = SectionReader(node, schema, findings) else { return nil }
    let line = reader.read(gpio).map(OutputTarget.gpio)
    let lamp = reader.read(led).map(OutputTarget.led)
    let channel = reader.read(pwm).map(OutputTarget.pwm)
    let device = reader.read(sound).map(OutputTarget.sound)
    let relay = relay(name, reader)
    checkTargets(name, reader)
    guard let target = line ?? lamp ?? channel ?? device, name != relayName || relay != nil else { return nil }
    let kind: OutputKind = name == relayName ? .relay : isBuzzer(name) ? .buzzer : .lamp
    return ReadOutput(
      configuration: OutputConfiguration(name: OutputName(name), kind: kind, target: target), relay: relay)
  }

  /// An output drives one thing, of a sort that it can be.
  private static func checkTargets(_ name: String, _ reader: SectionReader) {
    let node = reader.node
    let targets = [gpio.name, led.name, pwm.name, sound.name].filter { reader.keyPosition(of: $0) != nil }
    guard let target = targets.first else {
      reader.findings.error(
        at: node.label, "\(quoted(node.path)) drives nothing",
        name == relayName
          ? "add gpio: { chip: …, line: … }" : "add gpio: { chip: …, line: … } or led: \"…\"")
      return
    }
    if targets.count > 1, let place = reader.keyPosition(of: targets[1]) {
      reader.findings.error(
        at: place, "\(quoted(node.path)) has both \(targets.joined(separator: " and "))", "keep one of them")
      return
    }
    guard let place = reader.keyPosition(of: target), target != gpio.name, !isBuzzer(name) else { return }
    let what = [led.name: "an LED", pwm.name: "a PWM channel"][target] ?? "a sound device"
    if name == relayName {
      reader.findings.error(
        at: place, "the relay cannot be \(what)", "name its GPIO line: gpio: { chip: …, line: … }")
    } else if target != led.name {
      reader.findings.error(
        at: place, "the lamp \(quoted(name)) cannot be \(what)",
        "give it gpio or led, or name it buzzer if it is one")
    }
  }

  /// What only a relay has; `nil` for every other output, or after an error was recorded.
  private static func relay(_ name: String, _ reader: SectionReader) -> RelayConfiguration? {
    let pulse = reader.read(pulse)
    let gap = reader.read(gap)
    let fail = reader.read(fail)
    if name == relayName {
      guard let pulse, let gap, let fail else { return nil }
      do throws(SignalError) {
        return RelayConfiguration(timing: try RelayTiming(pulse: pulse, gap: gap), safeState: fail)
      } catch {
        reader.findings.error(at: reader.node.label, error.description, "write pulse and gap as they can be")
        return nil
      }
    }
    for key in ["pulse", "gap", "fail"] {
      guard let place = reader.keyPosition(of: key) else { continue }
      reader.findings.error(
        at: place, "only the output named relay has a \(key)", "remove it, or name this output relay")
    }
    return nil
  }

  /// Whether an output of this name is a buzzer: `buzzer`, `buzzer2`, …
  static func isBuzzer(_ name: String) -> Bool {
    name.hasPrefix("buzzer") && name.dropFirst(6).utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// `gates.<name>.outputs.<output>.gpio`.
enum GPIOSection {
  private static let chip = SchemaKey.required(
    "chip",
    ValueKind<String>(summary: "chip label", example: "gate", show: { $0 }) { node, findings in
      guard let text = node.text(like: "the chip's label", findings) else { return nil }
      if text.contains("gpiochip") {
        findings.error(
          at: node.position, "\(quoted(text)) is a number that changes between boots",
          "write the chip's label, as \"gpiodetect\" shows it in brackets")
        return nil
      }
      guard (1...31).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
        !text.contains("/")
      else {
        node.refuse(text, "write the chip's label, as \"gpiodetect\" shows it in brackets", findings)
        return nil
      }
      return text
    }, "The chip by its label; never `gpiochipN`, for the number changes between boots.")
  private static let line = SchemaKey.required(
    "line",
    ValueKind<GPIOLineConfiguration.Selector>(summary: "line name, or number from 0", example: "RELAY0") {
      node, findings in
      guard let text = node.text(like: "the line's name or number", findings) else { return nil }
      let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
      let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      if case .scalar(_, isPlain: true) = node.content, isNumber {
        if text.utf8.count <= 4, digits.startIndex == text.startIndex, let offset = UInt32(text) {
          return .offset(offset)
        }
      } else if (1...31).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
        return .name(text)
      }
      node.refuse(text, "write the line's name of 1 to 31 characters, or its number from 0", findings)
      return nil
    }, "The line by name or by number; a name of digits only is written in quotes.")
  private static let activeLow = SchemaKey.key(
    "activeLow", .boolean, default: false, "Whether the output is on when the line is low.")
  private static let bias = SchemaKey.key(
    "bias", .choice(GPIOLineConfiguration.Bias.self), default: .asIs, "The line's bias.")
  private static let drive = SchemaKey.key(
    "drive", .choice(GPIOLineConfiguration.Drive.self), default: .pushPull, "How the line is driven.")

  private static let inputActiveLow = SchemaKey.key(
    activeLow.name, .boolean, default: false, "Whether the input is active when the line is low.")

  static let schema = SectionSchema(
    "gates.<name>.outputs.<output>.gpio",
    chip, line, activeLow, bias, drive)
  static let inputSchema = SectionSchema(
    "gates.<name>.inputs.<input>.gpio",
    chip, line, inputActiveLow, bias,
    refused: [drive.name: "remove it: an input drives nothing"])

  static func read(_ reader: SectionReader) -> GPIOLineConfiguration? {
    guard let (chip, line, activeLow, bias, drive) = reader.readAll(chip, line, activeLow, bias, drive) else {
      return nil
    }
    return GPIOLineConfiguration(chip: chip, line: line, isActiveLow: activeLow, bias: bias, drive: drive)
  }

  static func readInput(_ reader: SectionReader) -> GPIOLineConfiguration? {
    guard let (chip, line, activeLow, bias) = reader.readAll(chip, line, inputActiveLow, bias) else { return nil }
    return GPIOLineConfiguration(chip: chip, line: line, isActiveLow: activeLow, bias: bias)
  }
}
