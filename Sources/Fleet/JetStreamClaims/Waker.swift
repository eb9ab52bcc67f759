internal import LinuxIO
internal import ScanModel
internal import Synchronization

/// Has one wait for a time, or until it is nudged; a nudge that nobody waits for is kept for the next.
final class Waker: Sendable {
  private struct State: Sendable {
    var sleeper: CheckedContinuation<Void, Never>?
    /// Which of all sleeps that is.
    var number: UInt64 = 0
    var isNudged = false
  }

  private let state = Mutex(State())
  private let timers: DeviceLoop
  private let time: any TimeSource

  init(timers: DeviceLoop, time: any TimeSource) {
    self.timers = timers
    self.time = time
  }

  /// Waits. For one at a time.
  func sleep(_ duration: Duration) async {
    await withCheckedContinuation { (sleeper: CheckedContinuation<Void, Never>) in
      let number = state.withLock { state -> UInt64? in
        if exchange(&state.isNudged, with: false) { return nil }
        state.number += 1
        state.sleeper = sleeper
        return state.number
      }
      guard let number else { return sleeper.resume() }
      _ = timers.at(time.now() + duration) { self.wake(number) }
    }
  }

  /// Wakes who waits, or who will.
  func nudge() { wake(nil) }

  /// Takes a nudge back that nobody has waited for.
  func forget() { state.withLock { $0.isNudged = false } }

  private func wake(_ number: UInt64?) {
    let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let sleeper = state.sleeper, number == nil || number == state.number else {
        if number == nil { state.isNudged = true }
        return nil
      }
      state.sleeper = nil
      return sleeper
    }
    sleeper?.resume()
  }
}
