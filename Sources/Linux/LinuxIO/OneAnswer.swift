internal import ScanModel
internal import Synchronization

/// An answer that several may give, of which the first counts: so that a thread that hangs holds up nobody.
package final class OneAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case taken
  }

  private let state = Mutex(State.open)
  /// How long a limit that has passed is waited on for what comes all the same.
  private static var lastLook: Duration { .milliseconds(100) }

  package init() {}

  /// Whether somebody has answered.
  package var isGiven: Bool {
    state.withLock { state in
      switch state {
      case .open, .awaited: false
      case .given, .taken: true
      }
    }
  }

  /// Answers.
  /// - Returns: whether it is this answer that counts; not where there was one before.
  @discardableResult package func give(_ value: Value) -> Bool {
    let (counts, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
      switch state {
      case .open:
        state = .given(value)
        return (true, nil)
      case .awaited(let continuation):
        state = .taken
        return (true, continuation)
      case .given, .taken: return (false, nil)
      }
    }
    waiting?.resume(returning: value)
    return counts
  }

  /// The first answer, or `value` where none comes within `limit`; to be asked once.
  package func first(within limit: Duration, else value: Value) async -> Value {
    let alarm = Task {
      try await Task.sleep(for: limit)
      give(value)
    }
    defer { alarm.cancel() }
    return await first()
  }

  /// The first answer, or `value` where none comes within `limit` timed by `loop` where there is one; to be asked once.
  package func first(within limit: Duration, else value: Value, on loop: DeviceLoop?) async -> Value {
    guard let loop else { return await first(within: limit, else: value) }
    let time = SystemTime()
    // Twice: after the whole process stood still, who has an answer by then gives it first.
    let alarm = loop.at(time.now() + limit) { _ = loop.at(time.now() + Self.lastLook) { self.give(value) } }
    defer { loop.cancel(alarm) }
    return await first()
  }

  /// The first answer; to be asked once.
  package func first() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state -> Value? in
        guard case .given(let value) = state else {
          state = .awaited(continuation)
          return nil
        }
        state = .taken
        return value
      }
      if let value { continuation.resume(returning: value) }
    }
  }
}
