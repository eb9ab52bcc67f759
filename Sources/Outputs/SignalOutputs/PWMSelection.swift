import Glibc
import LinuxIO
import ScanModel

/// A chip of the kernel's PWM class: `/sys/class/pwm/pwmchip…`.
struct PWMChip: Equatable {
  /// The name of its device, such as `fe20c000.pwm`; stays.
  let name: String
  /// Where it is in the class; changes from boot to boot.
  let path: String
  let channelCount: UInt32

  /// Every chip of this machine that tells its device and its channels.
  static func all(in directory: String) -> [PWMChip] {
    let names = (try? SystemFiles.names(in: directory)) ?? []
    return names.filter { $0.hasPrefix("pwmchip") }.compactMap { name in
      let path = "\(directory)/\(name)"
      guard let device = try? SystemFiles.linkTarget(of: "\(path)/device"),
        let name = device.split(separator: "/").last,
        let channels = (try? SystemFiles.text(of: "\(path)/npwm")).flatMap({ UInt32($0) })
      else { return nil }
      return PWMChip(name: String(name), path: path, channelCount: channels)
    }
  }
}

/// Finds the configured channel among what is there, and puts into words why it cannot be had. Pure.
struct PWMSelection {
  /// The output's configured name.
  let output: String
  let wanted: PWMConfiguration

  private func error(_ what: String, _ remedy: String, errno: Int32? = nil) -> DeviceError {
    DeviceError(device: "output \(output) (\(wanted))", what: what, remedy: remedy, errno: errno)
  }

  /// The one chip with the wanted name, which has the wanted channel.
  func chip(among chips: [PWMChip]) throws(DeviceError) -> PWMChip {
    if let problem = wanted.problem { throw error(problem, "Correct the configuration.") }
    let matches = chips.filter { $0.name == wanted.chip }
    guard let chip = matches.first else {
      let names = chips.map(\.name).joined(separator: ", ")
      throw error(
        "no PWM chip has this name; " + (names.isEmpty ? "there is no PWM chip" : "the chips here are \(names)"),
        "Enable the chip (on a Raspberry Pi by a dtoverlay) or correct the name; `scangate devices` lists the chips.",
        errno: ENODEV)
    }
    guard matches.count == 1 else {
      let paths = matches.map(\.path).joined(separator: ", ")
      throw error(
        "the device has \(matches.count) PWM chips, \(paths), so that its name does not say which one is meant",
        "Use a channel of another chip.")
    }
    guard wanted.channel < chip.channelCount else {
      throw error(
        "the chip has \(chip.channelCount) channels, counted from 0",
        "Correct the channel; `scangate devices` lists the chips.", errno: EINVAL)
    }
    return chip
  }

  /// Why the channel could not be taken.
  func exportFailed(_ cause: SystemError, path: String) -> DeviceError {
    switch cause.errno {
    case EBUSY:
      error(
        "a driver of the kernel uses the channel, for a fan or a screen perhaps",
        "Choose another channel, or take the driver's part out of the device tree.", errno: cause.errno)
    default: failed(cause, path: path)
    }
  }

  /// Any other failure of a system call on a file of the chip or the channel.
  func failed(_ cause: SystemError, path: String) -> DeviceError {
    switch cause.errno {
    case ENOENT, ENODEV:
      error("the chip or its channel is gone (\(path))", "It is taken into use again by itself.", errno: cause.errno)
    case EACCES, EPERM:
      error(
        "\(path) must not be used by this user", "Allow the service to write there, for example by a udev rule.",
        errno: cause.errno)
    case EBUSY:
      error(
        "\(path): the chip has one period for several channels, and another one uses it",
        "Give the channels of this chip one frequency, or choose another chip.", errno: cause.errno)
    case EINVAL, ERANGE, EOPNOTSUPP:
      error(
        "the chip cannot make \(wanted.frequency) Hz: \(cause.words) (\(path))", "Configure another frequency.",
        errno: cause.errno)
    default: error("\(cause.call) of \(path) failed: \(cause.words)", "Check the device.", errno: cause.errno)
    }
  }
}

/// What a channel does, and the writes that change it. The kernel refuses every state in between whose period is 0 or
/// shorter than its duty. Pure.
struct PWMState: Equatable {
  /// The file of the channel that a write goes to.
  enum File: String, Sendable {
    case period
    case duty = "duty_cycle"
    case enable
  }

  /// In nanoseconds; 0 where it was never set.
  var period: UInt64
  /// In nanoseconds.
  var duty: UInt64
  var isEnabled: Bool

  /// The writes that silence a channel in this state and give it the period `wanted`.
  func silencing(wanted: UInt64) -> [(file: File, value: UInt64)] {
    var writes: [(file: File, value: UInt64)] = []
    // Without a period nothing else can be written, and nothing sounds.
    if period > 0 {
      if duty > 0 { writes.append((.duty, 0)) }
      if isEnabled { writes.append((.enable, 0)) }
    }
    if period != wanted { writes.append((.period, wanted)) }
    return writes
  }

  /// The writes that make a silenced channel of the period `period` sound, or a sounding one silent.
  static func switching(_ isOn: Bool, period: UInt64) -> [(file: File, value: UInt64)] {
    // Duty first when it ends: the pin rests low, whatever the driver does with a pin that is not enabled.
    isOn ? [(.duty, period / 2), (.enable, 1)] : [(.duty, 0), (.enable, 0)]
  }
}
