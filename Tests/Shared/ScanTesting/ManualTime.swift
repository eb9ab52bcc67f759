public import ScanModel
import Synchronization

/// A clock that a test moves by hand.
public final class ManualTime: TimeSource {
  private let state: Mutex<(monotonic: MonotonicTime, wall: WallTime)>

  /// Makes a clock that stands at these times.
  public init(
    monotonic: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000),
    wall: WallTime = WallTime(seconds: 1_766_000_000)
  ) {
    state = Mutex((monotonic, wall))
  }

  public func now() -> MonotonicTime { state.withLock { $0.monotonic } }

  public func wall() -> WallTime { state.withLock { $0.wall } }

  /// Moves both clocks on.
  public func advance(by duration: Duration) {
    state.withLock {
      $0.monotonic = $0.monotonic + duration
      $0.wall = $0.wall + duration
    }
  }
}
