import CLinux
import Glibc
package import ScanModel

/// An open serial line (`/dev/ttyACM0`, `/dev/ttyUSB0`, a pseudo-terminal), read raw and without blocking. Nothing is ever
/// written to it, nothing is echoed.
///
/// Damaged bytes come marked, as `SerialAssembler` expects them (PARMRK). Not `Sendable`: one owner, one thread. Closing it
/// (its deinitialiser) puts the line's settings back and lets others open it.
package final class SerialDevice {
  /// What the line gave.
  package enum Input: Sendable {
    /// Bytes that were there at `at`; they may have come earlier.
    case bytes([UInt8], at: MonotonicTime)
    /// The same, but some were lost before, between or right after them (overrun).
    case overrun([UInt8], at: MonotonicTime)
  }

  /// Why reading ended.
  package enum End: Sendable, Equatable {
    /// Nothing more for now: everything that came before `asOf` has been read.
    case drained(asOf: MonotonicTime)
    /// Enough for one turn; there may be more.
    case turn
    /// The line is gone, or broken.
    case gone(SystemError)
  }

  private let descriptorOwner: OwnedDescriptor
  private var saved: termios
  private let time = SystemTime()
  private var lost: Int
  private var buffer = [UInt8](repeating: 0, count: 4096)

  /// Whether it is a pseudo-terminal.
  package let isPseudo: Bool

  /// Opens the line, takes it for this program alone, and sets it up. What had come before is thrown away.
  /// - Throws: the system's error: EACCES; EBUSY where another program holds it; ENOTTY where it is no serial line; EINVAL
  ///   where it does not take the settings; ENOENT, ENODEV, ENXIO and EIO where it is not there.
  package init(node: String, settings: SerialSettings) throws(SystemError) {
    let isOther = clinux_serial_is_other(node)
    guard isOther == 0 else { throw SystemError(errno: isOther < 0 ? -isOther : ENOTTY, call: "stat") }
    guard let speed = Self.flag(of: settings.speed) else { throw SystemError(errno: EINVAL, call: "cfsetispeed") }
    let owner = try OwnedDescriptor.open(node, O_RDWR | O_NOCTTY | O_NONBLOCK)
    guard isatty(owner.number) == 1 else { throw SystemError(errno: ENOTTY, call: "isatty") }
    var saved = termios()
    guard tcgetattr(owner.number, &saved) == 0 else { throw SystemError(errno: errno, call: "tcgetattr") }
    var result = clinux_serial_take(owner.number)
    guard result == 0 else { throw SystemError(errno: -result, call: "TIOCEXCL") }
    isPseudo = clinux_serial_is_pseudo(owner.number) == 1
    let flow: Int32 =
      switch settings.flow {
      case .none: 0
      case .rtscts: 1
      case .xonxoff: 2
      }
    let parity = CChar(bitPattern: settings.framing.parity)
    result =
      isPseudo
      ? clinux_serial_configure(owner.number, &saved, Self.flag(of: 38400) ?? speed, 8, 0x4E, 1, 0)
      : clinux_serial_configure(
        owner.number, &saved, speed, Int32(clamping: settings.framing.dataBits), parity,
        Int32(clamping: settings.framing.stopBits),
        flow)
    guard result == 0 else {
      _ = tcsetattr(owner.number, TCSANOW, &saved)
      clinux_serial_release(owner.number)
      throw SystemError(errno: -result, call: "tcsetattr")
    }
    clinux_serial_assert_lines(owner.number, settings.flow == .rtscts ? 0 : 1)
    tcflush(owner.number, TCIFLUSH)
    lost = clinux_serial_lost(owner.number)
    self.saved = saved
    descriptorOwner = owner
  }

  deinit {
    // A line that is gone takes nothing, and needs nothing.
    _ = tcsetattr(descriptorOwner.number, TCSANOW, &saved)
    clinux_serial_release(descriptorOwner.number)
  }

  /// The descriptor to wait for.
  package var descriptor: Int32 { descriptorOwner.number }

  /// Reads until there is nothing, or `limit` bytes or a few more were read.
  package func drain(limit: Int, _ handle: (Input) -> Void) -> End {
    var left = limit
    while left > 0 {
      // Before the look: what it does not find had not come by then.
      let before = time.now()
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        left -= count
        let bytes = [UInt8](buffer[..<count])
        // After the look, for the same reason: silence is counted from here.
        let after = time.now()
        let lostNow = clinux_serial_lost(descriptor)
        handle(lostNow == lost ? .bytes(bytes, at: after) : .overrun(bytes, at: after))
        lost = lostNow
      } else if count == 0 {
        return .gone(SystemError(errno: EIO, call: "read"))
      } else if errno == EAGAIN {
        return .drained(asOf: before)
      } else if errno != EINTR {
        return .gone(SystemError(errno: errno, call: "read"))
      }
    }
    return .turn
  }

  private static func flag(of speed: Int) -> speed_t? {
    let flags = [
      B300, B600, B1200, B2400, B4800, B9600, B19200, B38400, B57600, B115200, B230400, B460800, B921600,
    ]
    return SerialSettings.speeds.firstIndex(of: speed).map { speed_t(flags[$0]) }
  }
}
