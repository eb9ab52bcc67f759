import ScanModel
import Synchronization

/// The machine's clocks, which a test moves.
final class ShiftedTime: TimeSource {
  private let moved = Mutex((monotonic: Duration.zero, wall: Duration.zero, asleep: Duration.zero))

  /// As if the process had been halted for so long.
  func halt(_ duration: Duration) {
    moved.withLock {
      $0.monotonic += duration
      $0.wall += duration
    }
  }

  /// As if the machine had slept for so long: the clock by which everything is timed has stood still.
  func sleep(_ duration: Duration) {
    moved.withLock {
      $0.asleep += duration
      $0.wall += duration
    }
  }

  /// Sets the civil clock.
  func setWall(_ duration: Duration) { moved.withLock { $0.wall += duration } }

  func now() -> MonotonicTime { SystemTime().now() + moved.withLock { $0.monotonic } }
  func asleep() -> Duration { SystemTime().asleep() + moved.withLock { $0.asleep } }
  func wall() -> WallTime { SystemTime().wall() + moved.withLock { $0.wall } }
}
