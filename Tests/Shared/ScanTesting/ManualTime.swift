package import ScanModel
import Synchronization

/// A clock that a test moves by hand.
package final class ManualTime: TimeSource {
  private let state: Mutex<(monotonic: MonotonicTime, wall: WallTime)>

  /// Makes a clock that stands at these times.
  package init(
    monotonic: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000),
    wall: WallTime = WallTime(seconds: 1_766_000_000)
  ) {
    state = Mutex((monotonic, wall))
  }

  package func now() -> MonotonicTime { state.withLock { $0.monotonic } }

  package func wall() -> WallTime { state.withLock { $0.wall } }

  /// Moves both clocks on.
  package func advance(by duration: Duration) {
    state.withLock {
      $0.monotonic = $0.monotonic + duration
      $0.wall = $0.wall + duration
    }
  }
}
