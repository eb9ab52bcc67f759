import LinuxIO
import ScanModel

/// A node that belongs to a reader: waited for, or read.
///
/// ```
///              opened                       does not answer
///   waiting ───────────▶ session ──────────────────────────────▶ waiting, where it is still there;
///    ▲  │ permission,     │                                      else forgotten: found again by udev or by its path
///    └──┘ another         │ broken: begun anew
///         program, …:     ▼ after a pause that grows
///         again after    waiting
///         a pause that
///         grows
/// ```
final class PlaceNode<Technology: ReaderTechnology> {
  let identity: DeviceIdentity
  /// The reader, by its place in the configurations.
  let lane: Int
  /// What is in the way; `nil` while nothing is and before the first try.
  var obstacle: Technology.Obstacle?
  var retry: DeviceLoop.Timer?
  var pause = Duration.zero
  var session: Technology.Session?
  var watch: DeviceLoop.Watch?
  /// Set for the session's deadline.
  var alarm: (timer: DeviceLoop.Timer, at: MonotonicTime)?

  init(identity: DeviceIdentity, lane: Int) {
    self.identity = identity
    self.lane = lane
  }

  /// Whether udev tells of the same device that was plugged in here before, perhaps with other properties.
  func isSamePlug(as device: DeviceIdentity) -> Bool {
    device.node == identity.node && device.vendor == identity.vendor && device.product == identity.product
      && device.serial == identity.serial
  }
}
