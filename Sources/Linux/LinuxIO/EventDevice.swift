import CEvdev
import CLinux
import Glibc
package import ScanModel

/// An open input device (`/dev/input/eventN`), read through libevdev without blocking.
///
/// Not `Sendable`: one owner, one thread. Closing it (its deinitialiser) releases the grab.
package final class EventDevice {
  /// What a device tells.
  package enum Event: Sendable, Equatable {
    /// A key went down or up (repeats are left out), by its evdev code.
    case key(code: UInt16, isDown: Bool, at: MonotonicTime)
    /// The kernel's buffer overflowed (SYN_DROPPED): keys were lost before this point. libevdev has caught up with the
    /// device's state already.
    case dropped(at: MonotonicTime)
  }

  /// Why reading ended.
  package enum End: Sendable, Equatable {
    /// Nothing more for now.
    case drained
    /// Enough for one turn; there may be more.
    case turn
    /// The device is gone, or broken.
    case gone(SystemError)
  }

  /// A lamp of a keyboard. The raw values are the kernel's, from `LED_NUML` on.
  package enum Lamp: UInt32, Sendable, CaseIterable {
    /// Num Lock.
    case numLock
    /// Caps Lock.
    case capsLock
    /// Scroll Lock.
    case scrollLock
  }

  private let descriptorOwner: OwnedDescriptor
  private let device: OpaquePointer
  private let time = SystemTime()

  /// Whether the kernel stamps events with CLOCK_MONOTONIC; else the time of reading stands for the time of the event.
  package let hasMonotonicStamps: Bool

  /// Opens the node for reading events, and for writing lamps unless it is only read, without blocking.
  /// - Throws: the system's error, such as EACCES, or ENODEV and ENOENT where the device is gone.
  package init(node: String, readOnly: Bool = false) throws(SystemError) {
    descriptorOwner = try OwnedDescriptor.open(node, (readOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY)
    var device: OpaquePointer?
    let result = libevdev_new_from_fd(descriptorOwner.number, &device)
    guard result == 0, let device else { throw SystemError(errno: -result, call: "libevdev_new_from_fd") }
    self.device = device
    hasMonotonicStamps = libevdev_set_clock_id(device, CLOCK_MONOTONIC) == 0
  }

  deinit { libevdev_free(device) }

  /// The descriptor to wait for.
  package var descriptor: Int32 { descriptorOwner.number }

  /// Whether a key is down now, asked of the kernel anew.
  /// - Throws: the system's error, such as ENODEV.
  package func hasKeysDown() throws(SystemError) -> Bool {
    let count = clinux_input_keys_down(descriptor)
    guard count >= 0 else { throw SystemError(errno: -count, call: "EVIOCGKEY") }
    return count > 0
  }

  /// The keys that are down after the last event that was read.
  package var keysDown: [UInt16] {
    (0...UInt16(KEY_MAX)).filter { libevdev_get_event_value(device, UInt32(EV_KEY), UInt32($0)) > 0 }
  }

  /// Takes the device for this program alone (EVIOCGRAB).
  /// - Throws: EBUSY where another program holds it.
  package func grab() throws(SystemError) {
    let result = libevdev_grab(device, LIBEVDEV_GRAB)
    guard result == 0 else { throw SystemError(errno: -result, call: "EVIOCGRAB") }
  }

  /// Gives the device back to everybody. Not being able to (the device is gone) is no fault.
  package func ungrab() { _ = libevdev_grab(device, LIBEVDEV_UNGRAB) }

  /// Throws away what the kernel has buffered, without looking at it.
  package func discardPending() { _ = drain(limit: .max) { _ in } }

  /// Lights the lamps in `lit` and puts out the others, as far as the device has them.
  /// - Throws: the system's error where the device took none of it.
  package func light(_ lit: Set<Lamp>) throws(SystemError) {
    for lamp in Lamp.allCases {
      guard libevdev_has_event_code(device, UInt32(EV_LED), lamp.rawValue) == 1 else { continue }
      let value = lit.contains(lamp) ? LIBEVDEV_LED_ON : LIBEVDEV_LED_OFF
      let result = libevdev_kernel_set_led_value(device, lamp.rawValue, value)
      guard result == 0 else { throw SystemError(errno: -result, call: "write EV_LED") }
    }
  }

  /// Reads events until there are none, or `limit` were read.
  package func drain(limit: Int, _ handle: (Event) -> Void) -> End {
    var left = limit
    while left > 0 {
      left -= 1
      var event = input_event()
      let result = libevdev_next_event(device, LIBEVDEV_READ_FLAG_NORMAL.rawValue, &event)
      switch result {
      case -EAGAIN: return .drained
      case -EINTR: continue
      case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
        let at = stamp(event)
        // The differences are of no use: what was typed in between is lost. They only bring libevdev up to date.
        while libevdev_next_event(device, LIBEVDEV_READ_FLAG_SYNC.rawValue, &event)
          == Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue)
        {}
        handle(.dropped(at: at))
      case Int32(LIBEVDEV_READ_STATUS_SUCCESS.rawValue):
        if event.type == UInt16(EV_KEY), event.value == 0 || event.value == 1 {
          handle(.key(code: event.code, isDown: event.value == 1, at: stamp(event)))
        }
      default:
        return .gone(SystemError(errno: -result, call: "read"))
      }
    }
    return .turn
  }

  private func stamp(_ event: input_event) -> MonotonicTime {
    let now = time.now()
    guard hasMonotonicStamps else { return now }
    let (seconds, overflow) = Int64(event.time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return now }
    // A stamp from the future would hold every silence open until then.
    return min(now, MonotonicTime(nanoseconds: seconds &+ Int64(event.time.tv_usec) &* 1000))
  }
}
