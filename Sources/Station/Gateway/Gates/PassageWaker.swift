internal import LinuxIO
internal import Synchronization

/// Wakes whoever tells of passages elsewhere. To wake is to return at once: no gate waits for those who listen.
final class PassageWaker: Sendable {
  private struct State {
    var count: UInt64 = 0
    var waiting: [UInt64: OneAnswer<Void>] = [:]
    var nextID: UInt64 = 0
  }

  private let state = Mutex(State())

  /// How many passages there were.
  var count: UInt64 { state.withLock { $0.count } }

  /// Somebody has passed; from any thread.
  func wake() {
    let waiting = state.withLock { state in
      state.count &+= 1
      defer { state.waiting = [:] }
      return state.waiting
    }
    for answer in waiting.values { answer.give(()) }
  }

  /// Returns when there were others than `seen`; after `limit`, and when it is cancelled, at the latest.
  func others(than seen: UInt64, within limit: Duration) async {
    let answer = OneAnswer<Void>()
    let id = state.withLock { state -> UInt64? in
      guard state.count == seen else { return nil }
      state.nextID &+= 1
      state.waiting[state.nextID] = answer
      return state.nextID
    }
    guard let id else { return }
    await withTaskCancellationHandler {
      await answer.first(within: limit, else: ())
    } onCancel: {
      answer.give(())
    }
    state.withLock { _ = $0.waiting.removeValue(forKey: id) }
  }
}
