internal import LinuxIO
import ScanModel
internal import Synchronization

/// That a list on board is to be fetched now, for whoever keeps it current. One who waits at a time.
final class RefreshOrder: Sendable {
  /// Why a wait has ended.
  enum End: Sendable {
    /// The time is over.
    case due
    /// Somebody has ordered it.
    case ordered
    /// Nobody keeps the list current any more.
    case cancelled
  }

  private struct State {
    var isOrdered = false
    /// Whether nobody comes to wait any more.
    var isOver = false
    var waiting: OneAnswer<End>?
  }

  private let state = Mutex(State())

  /// Orders it; from any thread, returns at once.
  /// - Returns: whether somebody keeps the list current.
  func give() -> Bool {
    let (taken, waiting) = state.withLock { state -> (Bool, OneAnswer<End>?) in
      if state.isOver { return (false, nil) }
      state.isOrdered = true
      return (true, state.waiting)
    }
    waiting?.give(.ordered)
    return taken
  }

  /// Waits for an order, until `limit` is over or the task is cancelled. One that was given before counts.
  func wait(for limit: Duration) async -> End {
    let answer = OneAnswer<End>()
    let isOrdered = state.withLock { state in
      state.waiting = answer
      return exchange(&state.isOrdered, with: false)
    }
    if isOrdered { answer.give(.ordered) }
    let end = await withTaskCancellationHandler {
      await answer.first(within: limit, else: .due)
    } onCancel: {
      answer.give(.cancelled)
    }
    state.withLock { state in
      state.waiting = nil
      if end == .ordered { state.isOrdered = false }
    }
    return end
  }

  /// Nobody waits any more.
  func end() { state.withLock { $0.isOver = true } }
}
