package import LinuxIO
package import ScanModel

/// An open device. It lives on the loop's thread; what it holds is closed with it.
package protocol ReadSession: AnyObject {
  /// Why it may have to be begun anew.
  associatedtype Obstacle: ReadObstacle
  /// Takes what it has to tell.
  typealias Tell = (ReaderEvent) -> Void

  /// The descriptor that says when there is something to read.
  var descriptor: Int32 { get }
  /// How far it is.
  var phase: ReadPhase { get }
  /// Whether it has proven to work: the next trouble is a new one.
  var isProven: Bool { get }
  /// When it is to be looked at if nothing comes before.
  var deadline: MonotonicTime? { get }
  /// What is said of its reader in a phase; it may have come further than the reader's other nodes.
  func words(_ device: DeviceIdentity, in phase: ReadPhase) -> String

  /// Reads what there is.
  /// - Parameter isGone: whether the descriptor says that the device is gone or in error.
  func read(isGone: Bool, _ tell: Tell) -> ReadEnd<Obstacle>
  /// The deadline has come, or it asked to be looked at.
  func check(_ tell: Tell) -> ReadEnd<Obstacle>
  /// The device is gone or given up: what is half read is told as discarded.
  func unplug(_ tell: Tell)
  /// It is let go of; nothing is told any more.
  func close()
}

extension ReadSession {
  package var isProven: Bool { true }
  package func words(_ device: DeviceIdentity, in phase: ReadPhase) -> String {
    phase == .settling ? "a short silence of \(device.title) before reading begins" : device.title
  }
  package func check(_ tell: Tell) -> ReadEnd<Obstacle> { read(isGone: false, tell) }
  package func unplug(_ tell: Tell) {}
  package func close() {}
}

/// How far a session is.
package enum ReadPhase: Sendable {
  /// What comes now is not used yet.
  case settling
  /// It is read.
  case reading
  /// It is open, but of no use.
  case failed
}

/// How a session's turn ended.
package enum ReadEnd<Obstacle> {
  /// It goes on.
  case open
  /// The device does not answer any more.
  case gone
  /// It must be closed, and opened again after a pause.
  case broken(Obstacle)
}
