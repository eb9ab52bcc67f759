import ScanModel
import Gateway
import SignalOutputs

/// What buzzers can be, as `devices` prints it. Names come from devices: they are cleaned here, for both forms.
struct BuzzerListing {
  struct PWMChip: Encodable {
    var name: String
    var channels: UInt32
  }

  struct SoundDevice: Encodable {
    var name: String
    var node: String
  }

  var pwmChips: [PWMChip]
  var soundDevices: [SoundDevice]

  init(_ outputs: OutputInventory) {
    pwmChips = outputs.pwmChips.map { PWMChip(name: TerminalText.clean($0.name), channels: $0.channelCount) }
    soundDevices = outputs.sounds.map {
      SoundDevice(name: TerminalText.clean($0.name, limit: 128), node: $0.node)
    }
  }

  var lines: [String] {
    var lines = ["PWM chips"]
    if pwmChips.isEmpty { lines.append("  none") }
    for chip in pwmChips { lines.append("  \(chip.name)  (\(chip.channels) channel\(chip.channels == 1 ? "" : "s"))") }
    lines.append("Sound devices")
    if soundDevices.isEmpty { lines.append("  none") }
    for device in soundDevices { lines.append("  \(device.name)  (\(device.node))") }
    return lines
  }
}
