import Glibc
import LinuxIO
import ScanModel

/// A passive buzzer on a channel of a PWM chip: the configured tone at half duty, or silence.
struct PWMOutput: Sendable {
  /// Where the kernel shows its PWM chips.
  static let directory = "/sys/class/pwm"

  private let selection: PWMSelection
  private let path: String
  private let period: UInt64

  /// Finds the channel, takes it, and silences it.
  /// - Parameters:
  ///   - output: the output's configured name, for errors.
  ///   - loans: told of a channel that was exported for us. It stays so when the rest fails: a udev rule may give us the
  ///     channel's files a moment later, and the next try finds them.
  init(
    _ configuration: PWMConfiguration, output: String, directory: String = Self.directory, loans: DeviceLoans
  ) throws(DeviceError) {
    selection = PWMSelection(output: output, wanted: configuration)
    let chip = try selection.chip(among: PWMChip.all(in: directory))
    path = "\(chip.path)/pwm\(configuration.channel)"
    // Not 0: the configuration was found to have no problem.
    period = 1_000_000_000 / UInt64(max(1, configuration.frequency))
    if access(path, F_OK) != 0 {
      let file = "\(chip.path)/export"
      try Result { () throws(SystemError) in try SystemFiles.write("\(configuration.channel)\n", to: file) }
        .mapError { selection.exportFailed($0, path: file) }.get()
      loans.exported(channel: configuration.channel, chip: chip.path)
    }
    let state = PWMState(period: try number(.period), duty: try number(.duty), isEnabled: try number(.enable) != 0)
    for write in state.silencing(wanted: period) { try self.write(write) }
  }

  /// Makes the tone, or ends it.
  func set(_ isOn: Bool) throws(DeviceError) {
    for write in PWMState.switching(isOn, period: period) { try self.write(write) }
  }

  private func number(_ file: PWMState.File) throws(DeviceError) -> UInt64 {
    let file = "\(path)/\(file.rawValue)"
    let text = try Result { () throws(SystemError) in try SystemFiles.text(of: file) }
      .mapError { selection.failed($0, path: file) }.get()
    // What is no number is taken for what needs most writes.
    return UInt64(text) ?? 1
  }

  private func write(_ write: (file: PWMState.File, value: UInt64)) throws(DeviceError) {
    let file = "\(path)/\(write.file.rawValue)"
    try Result { () throws(SystemError) in try SystemFiles.write("\(write.value)\n", to: file) }
      .mapError { selection.failed($0, path: file) }.get()
  }
}
