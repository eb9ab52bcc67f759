import CLinux
import Glibc
import LinuxIO
import ScanModel

/// A GPIO line that we hold as an output. Letting go of it leaves its level to the chip's driver.
final class GPIOLine: Sendable {
  /// The requested line; stays the line's.
  let descriptor: OwnedDescriptor
  private let selection: GPIOSelection

  /// Finds the line and requests it.
  /// - Parameters:
  ///   - output: the output's configured name, for errors.
  ///   - isActive: its first value: it is never seen at another one.
  ///   - directory: where the chips' nodes are.
  init(
    _ configuration: GPIOLineConfiguration, output: String, initially isActive: Bool, directory: String = "/dev"
  ) throws(DeviceError) {
    let selection = GPIOSelection(role: .output, name: output, wanted: configuration)
    self.selection = selection
    let (chip, offset) = try selection.find(in: directory)
    let number = clinux_gpio_request_line(
      chip.descriptor.number, offset, Self.flags(configuration), isActive ? 1 : 0, GPIOSelection.consumer)
    guard number >= 0 else {
      let cause = errno
      var error = selection.requestFailed(errno: cause, chip, offset)
      // The kernel drives the line before the last things that can fail.
      error.mayHaveHappened = isActive && ![EBUSY, EACCES, EPERM, ENOTTY].contains(cause)
      throw error
    }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Takes over a line that a predecessor requested just so, at the value that it has.
  /// - Returns: `nil` where the descriptor, which is closed then, is no line that can be read.
  init?(_ configuration: GPIOLineConfiguration, output: String, adopting number: Int32) {
    selection = GPIOSelection(role: .output, name: output, wanted: configuration)
    descriptor = OwnedDescriptor(owning: number)
    if clinux_gpio_get(number) < 0 { return nil }
  }

  func set(_ isActive: Bool) throws(DeviceError) {
    guard clinux_gpio_set(descriptor.number, isActive ? 1 : 0) == 0 else {
      throw selection.failed(SystemError(errno: errno, call: "GPIO_V2_LINE_SET_VALUES_IOCTL"))
    }
  }

  /// The request's flags for a configuration.
  static func flags(_ configuration: GPIOLineConfiguration) -> UInt64 {
    let flags = UInt64(GPIO_V2_LINE_FLAG_OUTPUT.rawValue) | configuration.flags
    switch configuration.drive {
    case .pushPull: return flags
    case .openDrain: return flags | UInt64(GPIO_V2_LINE_FLAG_OPEN_DRAIN.rawValue)
    case .openSource: return flags | UInt64(GPIO_V2_LINE_FLAG_OPEN_SOURCE.rawValue)
    }
  }
}
