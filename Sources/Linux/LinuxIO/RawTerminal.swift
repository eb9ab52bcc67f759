import CLinux
import Glibc

/// A serial port, open for reading only: raw, 9600 baud, 8N1, without blocking. Its settings are put back when it is let go.
///
/// For a look at a port, as the factory setting of most serial scanners has it; USB ports (CDC ACM) take any speed.
package final class RawTerminal {
  private let file: OwnedDescriptor
  private var saved = termios()

  /// Opens the node.
  /// - Throws: the system's error, such as EACCES, or ENOTTY where it is no port.
  package init(node: String) throws(SystemError) {
    file = try OwnedDescriptor.open(node, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    guard tcgetattr(file.number, &saved) == 0 else { throw SystemError(errno: errno, call: "tcgetattr") }
    var raw = saved
    cfmakeraw(&raw)
    raw.c_cflag |= tcflag_t(CLOCAL | CREAD | CS8)
    raw.c_cflag &= ~tcflag_t(CSTOPB)
    cfsetspeed(&raw, speed_t(B9600))
    guard tcsetattr(file.number, TCSANOW, &raw) == 0 else { throw SystemError(errno: errno, call: "tcsetattr") }
  }

  deinit { tcsetattr(file.number, TCSANOW, &saved) }

  /// The descriptor to wait for.
  package var descriptor: Int32 { file.number }

  /// What has come; empty for nothing now, `nil` where the port is gone.
  package func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = Glibc.read(file.number, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }
}
