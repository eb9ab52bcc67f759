import Glibc
import LinuxIO
import ScanModel

/// Finds the configured line among what is there, and puts into words why it cannot be had. Pure.
struct GPIOSelection {
  /// What the line is for.
  enum Role: String {
    case output, input
  }

  let role: Role
  /// The output's or input's configured name.
  let name: String
  let wanted: GPIOLineConfiguration

  func error(_ what: String, _ remedy: String, errno: Int32? = nil) -> DeviceError {
    DeviceError(device: "\(role.rawValue) \(name) (\(wanted))", what: what, remedy: remedy, errno: errno)
  }

  /// The index of the one chip with the wanted label.
  func chip(labels: [String], failures: [GPIOChipFailure]) throws(DeviceError) -> Int {
    if let problem = wanted.problem {
      throw error(problem, "Correct the configuration.")
    }
    let matches = labels.indices.filter { labels[$0] == wanted.chip }
    if matches.count == 1 { return matches[0] }
    if matches.count > 1 {
      throw error(
        "\(matches.count) chips have this label, so that it does not say which one is meant",
        "Leave only one of them plugged in.")
    }
    if let failure = failures.first {
      throw error(
        "no chip that can be opened has this label, and \(failure.node) cannot be opened: \(failure.error.words)",
        failure.error.errno == EACCES || failure.error.errno == EPERM
          ? "Allow the service to open GPIO chips, for example by the group of \(failure.node) or a udev rule."
          : "See the kernel's log for \(failure.node).",
        errno: failure.error.errno)
    }
    let there = labels.isEmpty ? "there is no GPIO chip" : "the chips here are \(labels.joined(separator: ", "))"
    throw error(
      "no chip has this label; \(there)",
      "Plug the board in or correct the label; `scangate devices` lists the chips.", errno: ENODEV)
  }

  func offset(lineCount: UInt32, names: [(offset: UInt32, name: String)]) throws(DeviceError) -> UInt32 {
    switch wanted.line {
    case .offset(let offset):
      guard offset < lineCount else {
        throw error(
          "the chip has \(lineCount) lines, counted from 0",
          "Correct the offset; `scangate devices` lists the lines.", errno: EINVAL)
      }
      return offset
    case .name(let name):
      let matches = names.filter { $0.name == name }
      if matches.count == 1 { return matches[0].offset }
      if matches.isEmpty {
        throw error(
          "the chip has no line of this name", "Correct the name; `scangate devices` lists the lines.", errno: ENOENT)
      }
      let offsets = matches.map { String($0.offset) }.joined(separator: ", ")
      throw error(
        "the chip has \(matches.count) lines of this name, at offsets \(offsets)", "Name the line by its offset.",
        errno: EINVAL)
    }
  }

  /// Why the line could not be requested; `consumer` is who holds it, as the kernel knows it.
  func requestFailed(_ cause: SystemError, consumer: String?) -> DeviceError {
    switch cause.errno {
    case EBUSY:
      let holder = consumer.flatMap { $0.isEmpty ? nil : "\"\($0)\"" } ?? "something that gives no name"
      return error(
        "the line is in use by \(holder)", "End what holds it, or choose another line.", errno: cause.errno)
    case EINVAL, EOPNOTSUPP, Self.notSupportedInKernel,
      ENXIO where role == .input:
      return error(
        "the chip cannot read this line and tell its changes (bias \(wanted.bias.rawValue)): \(cause.words)",
        "Leave the bias out of the configuration, or choose a line that has an interrupt.", errno: cause.errno)
    case ENODEV where role == .input:
      // The kernel's answer to both.
      return error(
        "the chip is gone, or cannot tell the changes of this line",
        "Plug the board in, or choose a line that has an interrupt.", errno: cause.errno)
    case EINVAL, EOPNOTSUPP, Self.notSupportedInKernel:
      return error(
        "the chip cannot drive this line like that (bias \(wanted.bias.rawValue), drive \(wanted.drive.rawValue)): "
          + cause.words,
        "Leave bias and drive out of the configuration, or choose a line that can be an output.", errno: cause.errno)
    case EPERM, EACCES:
      return error(
        "the line must not be used: \(cause.words)", "Allow the service to use the chip.", errno: cause.errno)
    case ENOTTY:
      return error(
        "the kernel does not know GPIO requests of version 2", "Use Linux 5.10 or newer.", errno: cause.errno)
    default: return failed(cause)
    }
  }

  /// Any other failure of a system call on the chip or line.
  func failed(_ cause: SystemError) -> DeviceError {
    cause.errno == ENODEV
      ? error("the chip is gone", "Plug the board in; it is taken into use again by itself.", errno: cause.errno)
      : error("\(cause.call) failed: \(cause.words)", "Check the board and its cable.", errno: cause.errno)
  }

  /// ENOTSUPP: the kernel's own number for it, which no C library has a name for, and which some drivers let out.
  private static let notSupportedInKernel: Int32 = 524
}
