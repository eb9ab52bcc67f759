import ArgumentParser
import FoundationEssentials
import Gateway
import LinuxIO
import ScanConfiguration
import ScanModel
import SignalOutputs
import WedgeReader

/// `scangate devices`: what is plugged in, what would be taken, and why not.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract:
      "Show what is plugged in: scanners, GPIO chips, LEDs, buzzers; what this station would take, and why not.",
    discussion: "Without a configuration nothing would be taken; what is plugged in is shown all the same.")

  @OptionGroup var source: ConfigurationArgument

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let isUsual = source.file == ConfigurationArgument.usual
    var wedges: [WedgeConfiguration] = []
    var isWrong = false
    if !isUsual || FileManager.default.fileExists(atPath: source.file) {
      // What is plugged in is needed most where the configuration is not finished yet.
      do {
        wedges = try ConfigurationArgument.load(source.file, checkingFiles: false).wedges
      } catch {
        isWrong = true
      }
    }
    let inputs: [DeviceReport]
    do {
      inputs = try listInputDevices(wedges)
    } catch {
      throw failure(error.description)
    }
    let found = DeviceListing(inputs: inputs, outputs: listOutputs())
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      Terminal.out(String(decoding: try encoder.encode(found), as: UTF8.self))
    } else {
      found.lines.forEach(Terminal.out)
    }
    if isWrong { throw Exit.configuration }
  }
}

/// What `devices` found, as it is printed. Names come from devices: they are cleaned here, for both forms.
private struct DeviceListing: Encodable {
  struct Input: Encodable {
    var node: String
    var name: String?
    var vendor: String?
    var product: String?
    var serial: String?
    var port: String?
    var interface: String?
    var reader: String?
    var outcome: String
    var words: String
  }

  struct Line: Encodable {
    var offset: UInt32
    var name: String?
    var usedBy: String?
  }

  struct Chip: Encodable {
    var node: String
    var label: String
    var lines: [Line]
  }

  struct LED: Encodable {
    var name: String
    var trigger: String?
  }

  var inputs: [Input]
  var chips: [Chip]
  var leds: [LED]
  var pwmChips: [BuzzerListing.PWMChip]
  var soundDevices: [BuzzerListing.SoundDevice]
  var problems: [String]
  private let buzzers: BuzzerListing

  private enum CodingKeys: CodingKey {
    case inputs, chips, leds, pwmChips, soundDevices, problems
  }

  init(inputs: [DeviceReport], outputs: OutputInventory) {
    func clean(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: 128) } }
    func hex(_ value: Int, _ width: Int) -> String {
      let digits = String(value, radix: 16)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    self.inputs = inputs.map { report in
      Input(
        node: report.device.node, name: clean(report.device.name), vendor: report.device.vendor.map { hex(Int($0), 4) },
        product: report.device.product.map { hex(Int($0), 4) }, serial: clean(report.device.serial),
        port: clean(report.device.port ?? report.device.idPath), interface: report.device.interface.map { hex($0, 2) },
        reader: report.reader?.name, outcome: report.outcome.rawValue,
        words: TerminalText.clean(report.words, limit: 500))
    }
    chips = outputs.chips.map { chip in
      Chip(
        node: chip.node, label: TerminalText.clean(chip.label),
        lines: chip.lines.map { line in
          Line(
            offset: line.offset, name: line.name.isEmpty ? nil : clean(line.name),
            usedBy: line.isUsed ? clean(line.consumer.isEmpty ? "somebody" : line.consumer) : nil)
        })
    }
    leds = outputs.leds.map { LED(name: TerminalText.clean($0.name), trigger: clean($0.trigger)) }
    buzzers = BuzzerListing(outputs)
    pwmChips = buzzers.pwmChips
    soundDevices = buzzers.soundDevices
    problems = outputs.problems.map { TerminalText.clean($0, limit: 500) }
  }

  var lines: [String] {
    var lines = ["Input devices"]
    if inputs.isEmpty { lines.append("  none") }
    for input in inputs {
      lines.append("  \(input.node)  \(input.name ?? "without a name")")
      let facts = [
        input.vendor.map { "vendor: \"\($0)\"" }, input.product.map { "product: \"\($0)\"" },
        input.serial.map { "serial: \($0)" }, input.port.map { "port: \"\($0)\"" },
        input.interface.map { "interface: \"\($0)\"" },
      ]
      lines.append("      { \(facts.compactMap(\.self).joined(separator: ", ")) }")
      lines.append("      \(input.outcome): \(input.words)")
    }
    lines.append("GPIO chips")
    if chips.isEmpty { lines.append("  none") }
    for chip in chips {
      lines.append("  \(chip.label)  (\(chip.node), \(chip.lines.count) lines)")
      for line in chip.lines where line.name != nil || line.usedBy != nil {
        let user = line.usedBy.map { ", used by \($0)" } ?? ""
        lines.append("      \(line.offset): \(line.name ?? "without a name")\(user)")
      }
    }
    lines.append("LEDs")
    if leds.isEmpty { lines.append("  none") }
    for led in leds { lines.append("  \(led.name)\(led.trigger.map { "  (trigger \($0))" } ?? "")") }
    lines += buzzers.lines
    if !problems.isEmpty { lines.append("Could not be looked into") }
    lines += problems.map { "  \($0)" }
    return lines
  }
}
