import KnownScanners
import LinuxIO
import ScanModel
import SignalOutputs

/// What `devices` found, as it is printed. Names come from devices: they are cleaned here, for both forms.
struct DeviceListing: Encodable {
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

  /// The machine as its device tree names it, and its lines that are free for relays.
  struct Machine: Encodable {
    var model: String
    var chip: String?
    var relayLines: [String]
  }

  struct LED: Encodable {
    var name: String
    var trigger: String?
  }

  struct PWMChip: Encodable {
    var name: String
    var channels: UInt32
  }

  struct SoundDevice: Encodable {
    var name: String
    var node: String
  }

  var inputs: [ListedDevice]
  var serials: [ListedDevice]
  var cameras: [ListedDevice]
  var scanners: [Scanner]
  var board: Machine?
  var chips: [Chip]
  var leds: [LED]
  var pwmChips: [PWMChip]
  var soundDevices: [SoundDevice]
  var problems: [String]

  init(
    inputs: [DeviceReport], serials: [DeviceReport], cameras: [ListedDevice], search: ScannerSearch,
    outputs: OutputInventory, board: (model: String, free: [Board.Line])?
  ) {
    self.cameras = cameras
    func clean(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: 128) } }
    self.inputs = inputs.map { ListedDevice($0) }
    self.serials = serials.map { ListedDevice($0) }
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
    self.board = board.map { board in
      Machine(
        model: TerminalText.clean(board.model, limit: 128), chip: board.free.first?.chip,
        relayLines: board.free.map { TerminalText.clean($0.line) })
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
    pwmChips = outputs.pwmChips.map { PWMChip(name: TerminalText.clean($0.name), channels: $0.channelCount) }
    soundDevices = outputs.sounds.map { SoundDevice(name: TerminalText.clean($0.name, limit: 128), node: $0.node) }
    problems = outputs.problems.map { TerminalText.clean($0, limit: 500) }
  }

  var lines: [String] {
    var lines: [String] = []
    func list(_ title: String, _ found: [String]) { lines += [title] + (found.isEmpty ? ["  none"] : found) }
    list("Input devices", inputs.flatMap(\.lines))
    list("Serial lines", serials.flatMap(\.lines))
    list("Cameras", cameras.flatMap(\.lines))
    if let board {
      let free =
        board.chip.map { chip in
          [
            "  free for relays that switch at high level, pulled down at boot: "
              + "\(board.relayLines.joined(separator: ", ")) of \(chip)"
          ]
        } ?? []
      list("Board", ["  \(board.model)"] + free)
    }
    list("GPIO chips", chips.flatMap(Self.lines(of:)))
    list("LEDs", leds.map { "  \($0.name)\($0.trigger.map { "  (trigger \($0))" } ?? "")" })
    list("PWM chips", pwmChips.map { "  \($0.name)  (\($0.channels) channel\($0.channels == 1 ? "" : "s"))" })
    list("Sound devices", soundDevices.map { "  \($0.name)  (\($0.node))" })
    if !problems.isEmpty { list("Could not be looked into", problems.map { "  \($0)" }) }
    return lines + scannerLines
  }

  private static func lines(of chip: Chip) -> [String] {
    ["  \(chip.label)  (\(chip.node), \(chip.lines.count) lines)"]
      + chip.lines.filter { $0.name != nil || $0.usedBy != nil }.map { line in
        "      \(line.offset): \(line.name ?? "without a name")\(line.usedBy.map { ", used by \($0)" } ?? "")"
      }
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
