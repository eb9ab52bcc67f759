import ScanModel
import Reading
import Glibc
import LinuxIO
import ReaderKit

/// Why a line cannot be read yet, and how soon to try again. Every pause grows, so that nothing spins.
enum SerialObstacle: ReadObstacle {
  /// No permission; udev may still be at it.
  case permission
  /// Another program holds it.
  case held
  /// It is not there, or not any more.
  case absent
  /// Something else than a serial line stands at the path.
  case notSerial
  /// It does not take the speed or the framing.
  case settings
  /// Anything else.
  case other(String)

  init(_ error: SystemError) {
    switch error.errno {
    case EACCES, EPERM: self = .permission
    case EBUSY: self = .held
    // A pseudo-terminal whose other side has closed, a port without a chip.
    case ENOENT, ENODEV, ENXIO, EIO, ENOTDIR: self = .absent
    case ENOTTY: self = .notSerial
    case EINVAL: self = .settings
    default: self = .other(error.description)
    }
  }

  /// Well under the 1.5 s in which a line that can be read must be.
  var pauses: ClosedRange<Duration> {
    switch self {
    case .permission, .absent: .milliseconds(100) ... .milliseconds(500)
    case .held: .milliseconds(250) ... .seconds(1)
    case .notSerial, .settings, .other: .milliseconds(500) ... .seconds(1)
    }
  }

  var isFault: Bool { self == .notSerial || self == .settings }

  var outcome: DeviceReport.Outcome { self == .permission ? .noPermission : self == .held ? .grabbed : .unusable }

  /// What is waited for, or what is wrong, and what to do; `nil` where the line is simply not there.
  func words(_ device: DeviceIdentity, for configuration: SerialConfiguration) -> String? {
    switch self {
    case .permission:
      "permission to read and write \(device.title): a udev rule must give it to the service's user, or the user must be in the group dialout"
    case .held: "another program to release \(device.title), which it holds; stop it (ModemManager, gpsd, a terminal)"
    case .absent: nil
    case .notSerial: "\(device.title) is no serial line; correct match.path"
    case .settings: "\(device.title) does not take \(configuration.settings.title); correct speed, framing or flow"
    case .other(let what): "\(device.title), which cannot be opened: \(what)"
    }
  }
}
