import CLinux
import Glibc
import LinuxIO
import ScanModel

/// A GPIO line that we hold as an output. Letting go of it leaves its level to the chip's driver.
final class GPIOLine: Sendable {
  /// What others see as the line's user.
  static let consumer = "scangate"

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
    let selection = GPIOSelection(output: output, wanted: configuration)
    self.selection = selection
    let (chips, failures) = GPIOChip.all(in: directory)
    let chip = chips[try selection.chip(labels: chips.map(\.label), failures: failures)]
    let offset = try selection.offset(lineCount: chip.lineCount, names: try Self.names(on: chip, selection))
    let number = clinux_gpio_request_line(
      chip.descriptor.number, offset, Self.flags(configuration), isActive ? 1 : 0, Self.consumer)
    guard number >= 0 else {
      let cause = SystemError(errno: errno, call: "GPIO_V2_GET_LINE_IOCTL")
      throw selection.requestFailed(cause, consumer: try? chip.line(at: offset).consumer)
    }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Takes over a line that a predecessor requested just so, at the value that it has.
  /// - Returns: `nil` where the descriptor, which is closed then, is no line that can be read.
  init?(_ configuration: GPIOLineConfiguration, output: String, adopting number: Int32) {
    selection = GPIOSelection(output: output, wanted: configuration)
    descriptor = OwnedDescriptor(owning: number)
    if clinux_gpio_get(number) < 0 { return nil }
  }

  /// Makes the line active or inactive.
  func set(_ isActive: Bool) throws(DeviceError) {
    guard clinux_gpio_set(descriptor.number, isActive ? 1 : 0) == 0 else {
      throw selection.failed(SystemError(errno: errno, call: "GPIO_V2_LINE_SET_VALUES_IOCTL"))
    }
  }

  /// The names of the chip's lines, where they are needed to find the line.
  private static func names(
    on chip: GPIOChip, _ selection: GPIOSelection
  ) throws(DeviceError) -> [(offset: UInt32, name: String)] {
    guard case .name = selection.wanted.line else { return [] }
    do throws(SystemError) {
      return try chip.lines().map { (offset: $0.offset, name: $0.name) }
    } catch {
      throw selection.failed(error)
    }
  }

  /// The request's flags for a configuration.
  static func flags(_ configuration: GPIOLineConfiguration) -> UInt64 {
    var flags = UInt64(GPIO_V2_LINE_FLAG_OUTPUT.rawValue)
    if configuration.isActiveLow { flags |= UInt64(GPIO_V2_LINE_FLAG_ACTIVE_LOW.rawValue) }
    switch configuration.bias {
    case .asIs: break
    case .disabled: flags |= UInt64(GPIO_V2_LINE_FLAG_BIAS_DISABLED.rawValue)
    case .pullUp: flags |= UInt64(GPIO_V2_LINE_FLAG_BIAS_PULL_UP.rawValue)
    case .pullDown: flags |= UInt64(GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN.rawValue)
    }
    switch configuration.drive {
    case .pushPull: break
    case .openDrain: flags |= UInt64(GPIO_V2_LINE_FLAG_OPEN_DRAIN.rawValue)
    case .openSource: flags |= UInt64(GPIO_V2_LINE_FLAG_OPEN_SOURCE.rawValue)
    }
    return flags
  }
}
