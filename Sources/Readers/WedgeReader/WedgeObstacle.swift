import Reading
import Glibc
import LinuxIO
import ReaderKit

/// Why a node cannot be read yet, and how soon to try again. Every pause grows, so that nothing spins.
enum WedgeObstacle: ReadObstacle {
  /// No permission; udev may still be at it.
  case permission
  /// Another program has grabbed it.
  case grabbed
  /// A key is down.
  case keyDown
  /// The node is not there, or not any more.
  case absent
  /// Anything else.
  case other(String)

  init(_ error: SystemError) {
    switch error.errno {
    case EACCES, EPERM: self = .permission
    case EBUSY: self = .grabbed
    case ENOENT, ENODEV, ENXIO: self = .absent
    default: self = .other(error.description)
    }
  }

  /// Well under the 1.5 s in which a device that can be read must be.
  var pauses: ClosedRange<Duration> {
    switch self {
    case .permission, .absent: .milliseconds(100) ... .milliseconds(500)
    case .grabbed: .milliseconds(250) ... .seconds(2)
    case .keyDown: .milliseconds(50) ... .milliseconds(250)
    case .other: .milliseconds(500) ... .seconds(2)
    }
  }

  var outcome: DeviceReport.Outcome {
    switch self {
    case .permission: .noPermission
    case .grabbed: .grabbed
    // Nobody presses it for long.
    case .keyDown: .taken
    case .absent, .other: .unusable
    }
  }

  /// What is waited for and what to do; `nil` where the device is simply not there.
  func words(_ device: DeviceIdentity, for configuration: WedgeConfiguration) -> String? {
    switch self {
    case .permission:
      "permission to read and write \(device.title): the service's user must be in the group input, or a udev rule must give it"
    case .grabbed: "another program to release \(device.title), which it has grabbed; stop it, or unplug the scanner"
    case .keyDown: "a key of \(device.title) to be released"
    case .absent: nil
    case .other(let what): "\(device.title), which cannot be opened: \(what)"
    }
  }
}
