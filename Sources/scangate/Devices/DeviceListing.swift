import Gateway
import KnownScanners
import LinuxIO
import ScanModel
import SignalOutputs
import WedgeReader

/// What `devices` found, as it is printed. Names come from devices: they are cleaned here, for both forms.
struct DeviceListing: Encodable {
  struct Input: Encodable {
    var node: String
    var name: String?
    var vendor: String?
    var product: String?
    var serial: String?
    var port: String?
    var interface: String?
    var reader: String?
    var model: String?
    var outcome: String
    var words: String
  }

  /// A scanner that no reader has.
  struct Scanner: Encodable {
    var node: String
    var kind: String
    var model: String
    var isShared: Bool
    /// What to program, where its mode cannot be read.
    var cure: String?
    /// The block to paste under `readers:`.
    var block: String?
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
  var serials: [Input]
  var cameras: [CameraListing]
  var scanners: [Scanner]
  var chips: [Chip]
  var leds: [LED]
  var pwmChips: [BuzzerListing.PWMChip]
  var soundDevices: [BuzzerListing.SoundDevice]
  var problems: [String]
  private let buzzers: BuzzerListing

  private enum CodingKeys: CodingKey {
    case inputs, serials, cameras, scanners, chips, leds, pwmChips, soundDevices, problems
  }

  init(
    inputs: [DeviceReport], serials: [DeviceReport], cameras: [CameraListing], search: ScannerSearch,
    outputs: OutputInventory
  ) {
    self.cameras = cameras
    let database = ScannerDatabase.carried
    func clean(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: 128) } }
    func hex(_ value: Int, _ width: Int) -> String {
      String(value, digits: width, radix: 16)
    }
    func input(_ report: DeviceReport) -> Input {
      Input(
        node: report.device.node, name: clean(report.device.name), vendor: report.device.vendor.map { hex(Int($0), 4) },
        product: report.device.product.map { hex(Int($0), 4) }, serial: clean(report.device.serial),
        port: clean(report.device.port ?? report.device.idPath), interface: report.device.interface.map { hex($0, 2) },
        reader: report.reader?.name,
        model: database.model(vendor: report.device.vendor, product: report.device.product)?.title,
        outcome: report.outcome.rawValue,
        words: TerminalText.clean(report.words, limit: 500))
    }
    self.inputs = inputs.map(input)
    self.serials = serials.map(input)
    scanners = search.unreadable.map { candidate in
      Scanner(
        node: candidate.node, kind: candidate.kind.rawValue, model: TerminalText.clean(candidate.title),
        isShared: false, cure: candidate.model?.cure ?? ScannerSearch.cure)
    }
    scanners += search.proposals.map { proposal in
      Scanner(
        node: proposal.candidate.node, kind: proposal.candidate.kind.rawValue,
        model: TerminalText.clean(proposal.candidate.title), isShared: proposal.candidate.model?.isShared == true,
        block: proposal.yaml)
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
    var lines = Self.lines(of: inputs, title: "Input devices") + Self.lines(of: serials, title: "Serial lines")
    lines.append("Cameras")
    if cameras.isEmpty { lines.append("  none") }
    lines += cameras.flatMap(\.lines)
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
    return lines + scannerLines
  }

  private static func lines(of devices: [Input], title: String) -> [String] {
    var lines = [title]
    if devices.isEmpty { lines.append("  none") }
    for input in devices {
      lines.append("  \(input.node)  \(input.name ?? "without a name")\(input.model.map { "  [\($0)]" } ?? "")")
      let facts = [
        input.vendor.map { "vendor: \"\($0)\"" }, input.product.map { "product: \"\($0)\"" },
        input.serial.map { "serial: \($0)" }, input.port.map { "port: \"\($0)\"" },
        input.interface.map { "interface: \"\($0)\"" },
      ]
      lines.append("      { \(facts.compactMap(\.self).joined(separator: ", ")) }")
      lines.append("      \(input.outcome): \(input.words)")
    }
    return lines
  }

  /// Last, because it is what the next step is.
  private var scannerLines: [String] {
    var lines: [String] = []
    for scanner in scanners {
      guard let cure = scanner.cure else { continue }
      lines.append("\(scanner.model) (\(scanner.node)) is a scanner that cannot be read in its mode")
      lines.append("  \(cure).")
    }
    let blocks = scanners.filter { $0.block != nil }
    guard !blocks.isEmpty else { return lines }
    lines.append("Scanners that no reader has: paste this into the configuration")
    lines.append("")
    lines.append("readers:")
    for scanner in blocks {
      lines.append("  # \(scanner.model), \(scanner.node)")
      if scanner.isShared {
        lines.append("  # This id is shared by keyboards and other gadgets: check with \"scangate devices identify\".")
      }
      lines += (scanner.block ?? "").split(separator: "\n").map(String.init)
    }
    lines.append("")
    lines.append(
      "Where: \(ConfigurationArgument.usual); a section \"readers:\" that is there already takes the blocks below its name."
    )
    lines.append("A whole file for what is plugged in: scangate devices --example")
    return lines
  }
}
