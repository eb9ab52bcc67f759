internal import ScanModel
internal import Synchronization

/// One answer for whoever waits for it, each as long as he has time: two gates never ask the same twice.
final class SharedAnswer<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    /// Who could not wait, and is told all the same.
    var late: [UInt64: @Sendable (Value) -> Void] = [:]
    /// Whose deadline came before he waited.
    var early: Set<UInt64> = []
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Gives the answer; once.
  func give(_ value: Value) {
    let (waiting, late) = state.withLock {
      state -> ([CheckedContinuation<Value?, Never>], [@Sendable (Value) -> Void]) in
      guard state.value == nil else { return ([], []) }
      state.value = value
      defer { (state.waiting, state.late) = ([:], [:]) }
      return (Array(state.waiting.values), Array(state.late.values))
    }
    for continuation in waiting { continuation.resume(returning: value) }
    for tell in late { tell(value) }
  }

  /// The answer, where it comes by the deadline; else `nil`, and `late` is told it, once, whenever that is.
  func value(
    until deadline: MonotonicTime, by time: any TimeSource, late: @escaping @Sendable (Value) -> Void = { _ in }
  ) async -> Value? {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    let alarm = Task {
      try? await Task.sleep(for: max(.zero, deadline - time.now()))
      if !Task.isCancelled { giveUp(id, late) }
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Value?? in
        if state.early.remove(id) != nil { return .some(nil) }
        if let value = state.value { return .some(value) }
        state.waiting[id] = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  private func giveUp(_ id: UInt64, _ late: @escaping @Sendable (Value) -> Void) {
    let continuation = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      guard state.value == nil else { return nil }
      state.late[id] = late
      let continuation = state.waiting.removeValue(forKey: id)
      if continuation == nil { state.early.insert(id) }
      return continuation
    }
    continuation?.resume(returning: nil)
  }
}
