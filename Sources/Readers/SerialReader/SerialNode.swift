import LinuxIO
import ScanModel
import ScanPipeline

/// A line that belongs to a reader: waited for, or read.
///
/// ```
///             opened                        EIO, ENODEV, hang-up
///   waiting ─────────▶ session ─────────────────────────────────▶ forgotten; found again by udev or by its path
///    ▲  │ permission, another program, not there yet:
///    └──┘ again after a pause that grows
/// ```
final class SerialNode {
  let identity: DeviceIdentity
  let lane: Int
  /// What is in the way; `nil` while reading and before the first try.
  var obstacle: SerialObstacle?
  var retry: DeviceLoop.Timer?
  var pause = Duration.zero
  var session: SerialSession?

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

/// An open line.
final class SerialSession {
  let device: SerialDevice
  private var assembler: SerialAssembler
  var watch: DeviceLoop.Watch?
  var silence: DeviceLoop.Timer?

  /// How many bytes are read in one turn, so that one line cannot starve the others.
  private static let turn = 16 << 10

  init(device: SerialDevice, assembler: SerialAssembler) {
    self.device = device
    self.assembler = assembler
  }

  var isSettled: Bool { assembler.isSettled }
  var deadline: MonotonicTime? { assembler.deadline }

  /// Reads what there is, and where that was all tells the assembler so.
  func read(_ tell: (ReaderEvent) -> Void) -> SerialDevice.End {
    let end = device.drain(limit: Self.turn) { input in
      switch input {
      case .bytes(let bytes, let time): assembler.take(bytes, at: time).forEach(tell)
      case .overrun(let bytes, let time): assembler.lose(bytes, at: time).forEach(tell)
      }
    }
    if case .drained(let time) = end { assembler.advance(to: time).forEach(tell) }
    return end
  }

  func unplug(at time: MonotonicTime, _ tell: (ReaderEvent) -> Void) { assembler.unplug(at: time).forEach(tell) }
}
