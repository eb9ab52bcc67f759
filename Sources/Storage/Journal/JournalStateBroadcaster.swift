import ScanModel
import Synchronization

/// Tells any number of listeners how the journal is; each state once.
final class JournalStateBroadcaster: Sendable {
  private struct State {
    var present = JournalState.working
    /// Told before anybody listened; the first listener gets them.
    var untold: [JournalState] = []
    var nextID = 0
    var listeners: [Int: AsyncStream<JournalState>.Continuation] = [:]
    var isOver = false
  }

  private let state = Mutex(State())

  /// A stream that begins with the present state. A listener that falls behind by 64 loses the oldest.
  func listen() -> AsyncStream<JournalState> {
    let (stream, listener) = AsyncStream.makeStream(of: JournalState.self, bufferingPolicy: .bufferingNewest(64))
    let id: Int? = state.withLock { state in
      listener.yield(state.present)
      for event in state.untold { listener.yield(event) }
      state.untold = []
      if state.isOver { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = listener
      return state.nextID
    }
    guard let id else {
      listener.finish()
      return stream
    }
    listener.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
    return stream
  }

  /// Tells that the journal works, or why it does not; what was told last is not told again.
  func tell(_ fault: JournalFault?) {
    let new = fault.map { JournalState.failing($0) } ?? .working
    let listeners = state.withLock { state -> [AsyncStream<JournalState>.Continuation] in
      guard state.present != new else { return [] }
      state.present = new
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(new) }
  }

  /// Tells what the operator must know.
  func notice(_ words: String) { event(.noticed(words)) }

  /// Tells what has happened, beside the present state.
  func event(_ event: JournalState) {
    let listeners = state.withLock { state in
      if state.listeners.isEmpty, state.untold.count < 16 { state.untold.append(event) }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(event) }
  }

  /// Ends all streams.
  func finish() {
    let listeners = state.withLock { state in
      state.isOver = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
