import Glibc
import LinuxIO
import ScanModel

/// An LED of the kernel's LED class, on at its greatest brightness or off.
struct LEDOutput: Sendable {
  /// Where the kernel shows its LEDs.
  static let directory = "/sys/class/leds"

  private let device: String
  private let path: String
  private let maximum: Int

  /// Finds the LED and takes it from a trigger that drives it.
  /// - Parameters:
  ///   - output: the output's configured name, for errors.
  ///   - loans: keeps a trigger that was switched off, so that the LED gets it back.
  ///   - notice: told in words when a trigger was switched off.
  init(
    _ name: String, output: String, directory: String = Self.directory, loans: DeviceLoans,
    notice: (String) -> Void = { _ in }
  ) throws(DeviceError) {
    device = "output \(output) (LED \(name))"
    path = "\(directory)/\(name)"
    if let problem = OutputTarget.led(name).problem {
      throw DeviceError(device: device, what: problem, remedy: "Correct the configuration.")
    }
    let (device, path) = (device, path)
    let text = try Result { () throws(SystemError) in try SystemFiles.text(of: "\(path)/max_brightness") }
      .mapError { Self.error($0, device: device, path: path, file: "max_brightness") }.get()
    guard let maximum = Int(text), maximum > 0 else {
      throw DeviceError(
        device: device, what: "\(path)/max_brightness is no number above 0",
        remedy: "Check the LED's driver, or choose another LED.")
    }
    self.maximum = maximum
    try takeFromTrigger(loans, notice)
  }

  func set(_ isOn: Bool) throws(DeviceError) { try write(isOn ? String(maximum) : "0", to: "brightness") }

  private func takeFromTrigger(_ loans: DeviceLoans, _ notice: (String) -> Void) throws(DeviceError) {
    // An LED without triggers (CONFIG_LEDS_TRIGGERS off) has no such file.
    guard let triggers = try? SystemFiles.text(of: "\(path)/trigger"),
      let active = Self.activeTrigger(triggers), active != "none"
    else { return }
    try write("none", to: "trigger")
    loans.switchedOff(trigger: String(active), of: path, device: device)
    notice("\(device): the trigger \"\(active)\" drove it and was switched off until it is let go")
  }

  /// The trigger in brackets in a text such as `none [heartbeat] timer`.
  static func activeTrigger(_ text: String) -> Substring? {
    guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else { return nil }
    return text[text.index(after: open)..<close]
  }

  private func write(_ text: String, to file: String) throws(DeviceError) {
    try Result { () throws(SystemError) in try SystemFiles.write(text + "\n", to: "\(path)/\(file)") }
      .mapError { Self.error($0, device: device, path: path, file: file) }.get()
  }

  private static func error(_ cause: SystemError, device: String, path: String, file: String) -> DeviceError {
    let (what, remedy) =
      switch cause.errno {
      case ENOENT, ENODEV:
        (
          "there is no such LED (\(path))",
          "Plug it in or correct the name; `scangate devices` lists the LEDs."
        )
      case EACCES, EPERM:
        (
          "\(path)/\(file) must not be written by this user",
          "Allow the service to write there, for example by a udev rule."
        )
      default: ("\(cause.call) of \(path)/\(file) failed: \(cause.words)", "Check the device.")
      }
    return DeviceError(device: device, what: what, remedy: remedy, errno: cause.errno)
  }
}
