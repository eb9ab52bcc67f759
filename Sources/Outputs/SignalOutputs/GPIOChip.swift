import CLinux
import Glibc
import LinuxIO
import ScanModel

/// An open GPIO chip: `/dev/gpiochip…`.
final class GPIOChip: Sendable {
  /// Its device node; changes from boot to boot.
  let node: String
  /// The kernel's name for it; changes likewise.
  let name: String
  /// Its label; stays.
  let label: String
  let lineCount: UInt32
  let descriptor: OwnedDescriptor

  init(node: String) throws(SystemError) {
    descriptor = try OwnedDescriptor.open(node, O_RDWR)
    var info = gpiochip_info()
    guard clinux_gpio_chip_info(descriptor.number, &info) == 0 else {
      throw SystemError(errno: errno, call: "GPIO_GET_CHIPINFO_IOCTL")
    }
    self.node = node
    name = text(info.name)
    label = text(info.label)
    lineCount = info.lines
  }

  /// What the kernel knows of the line at `offset`.
  func line(at offset: UInt32) throws(SystemError) -> GPIOLineDescription {
    var info = gpio_v2_line_info()
    guard clinux_gpio_line_info(descriptor.number, offset, &info) == 0 else {
      throw SystemError(errno: errno, call: "GPIO_V2_GET_LINEINFO_IOCTL")
    }
    return GPIOLineDescription(
      offset: offset, name: text(info.name), isUsed: info.flags & UInt64(GPIO_V2_LINE_FLAG_USED.rawValue) != 0,
      consumer: text(info.consumer))
  }

  /// Every line that the kernel tells of.
  func lines() throws(SystemError) -> [GPIOLineDescription] {
    var lines: [GPIOLineDescription] = []
    for offset in 0..<lineCount { lines.append(try line(at: offset)) }
    return lines
  }

  /// Every chip of this machine, and the nodes that could not be opened. A node that is a second name of a chip, such as the
  /// link `gpiochip4` on a Raspberry Pi 5, is left out.
  static func all(in directory: String = "/dev") -> (chips: [GPIOChip], failures: [GPIOChipFailure]) {
    var chips: [GPIOChip] = []
    var failures: [GPIOChipFailure] = []
    let names = (try? SystemFiles.names(in: directory)) ?? []
    for name in names where name.hasPrefix("gpiochip") {
      let node = "\(directory)/\(name)"
      do throws(SystemError) {
        let chip = try GPIOChip(node: node)
        if !chips.contains(where: { $0.name == chip.name }) { chips.append(chip) }
      } catch {
        failures.append(GPIOChipFailure(node: node, error: error))
      }
    }
    return (chips, failures)
  }
}

/// A chip's node that could not be opened or read.
struct GPIOChipFailure: Equatable {
  let node: String
  let error: SystemError
}

/// A fixed array of characters, ended by NUL or by its end.
private func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
