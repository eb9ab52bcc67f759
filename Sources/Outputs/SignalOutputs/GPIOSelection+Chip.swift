import CLinux
import Glibc
import LinuxIO
import ScanModel

/// A selection on the chips that are there: what outputs and inputs have in common on their way to a line.
extension GPIOSelection {
  /// What others see as the line's user.
  static let consumer = "scangate"

  /// The chip and the line's number on it.
  /// - Parameter directory: where the chips' nodes are.
  func find(in directory: String) throws(DeviceError) -> (chip: GPIOChip, offset: UInt32) {
    let (chips, failures) = GPIOChip.all(in: directory)
    let chip = chips[try chip(labels: chips.map(\.label), failures: failures)]
    return (chip, try offset(lineCount: chip.lineCount, names: try names(on: chip)))
  }

  /// Why a request of the line was refused.
  func requestFailed(errno: Int32, _ chip: GPIOChip, _ offset: UInt32) -> DeviceError {
    requestFailed(
      SystemError(errno: errno, call: "GPIO_V2_GET_LINE_IOCTL"), consumer: try? chip.line(at: offset).consumer)
  }

  /// The names of the chip's lines, where they are needed to find the line.
  private func names(on chip: GPIOChip) throws(DeviceError) -> [(offset: UInt32, name: String)] {
    guard case .name = wanted.line else { return [] }
    let lines = try Result { () throws(SystemError) in try chip.lines() }.mapError(failed).get()
    return lines.map { (offset: $0.offset, name: $0.name) }
  }
}

extension GPIOLineConfiguration {
  /// The flags of a request that say nothing of its direction: active low, and bias.
  var flags: UInt64 {
    let polarity = isActiveLow ? UInt64(GPIO_V2_LINE_FLAG_ACTIVE_LOW.rawValue) : 0
    switch bias {
    case .asIs: return polarity
    case .disabled: return polarity | UInt64(GPIO_V2_LINE_FLAG_BIAS_DISABLED.rawValue)
    case .pullUp: return polarity | UInt64(GPIO_V2_LINE_FLAG_BIAS_PULL_UP.rawValue)
    case .pullDown: return polarity | UInt64(GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN.rawValue)
    }
  }
}
