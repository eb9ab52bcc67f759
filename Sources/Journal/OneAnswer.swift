import Synchronization

/// An answer that several may give, of which the first counts: so that a thread that hangs holds up nobody.
final class OneAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case taken
  }

  private let state = Mutex(State.open)

  /// Whether somebody has answered.
  var isGiven: Bool {
    state.withLock { state in
      switch state {
      case .open, .awaited: false
      case .given, .taken: true
      }
    }
  }

  /// Answers; nothing where there is an answer already.
  func give(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .open:
        state = .given(value)
        return nil
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .given, .taken: return nil
      }
    }
    waiting?.resume(returning: value)
  }

  /// The first answer; to be asked once.
  func first() async -> Value {
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
