import LinuxIO
import Synchronization

/// Passwords are looked at two at a time, off the threads that answer, and those that come meanwhile queue up to a bound: what is tried
/// takes no more of the machine than that, memory and processor alike.
final class HashQueue: Sendable {
  static let most = 2
  static let longest = 16

  private struct State {
    var running = 0
    var waiting: [CheckedContinuation<Bool, Never>] = []
    var all = 0
    var highest = 0
  }

  private let state = Mutex(State())

  /// How many were looked at.
  var all: Int { state.withLock { $0.all } }
  /// The most that were looked at at a time.
  var highest: Int { state.withLock { $0.highest } }

  /// Runs what hashes.
  /// - Returns: `nil` where too many wait.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
    guard await enter() else { return nil }
    defer { leave() }
    return await SystemThread.run("password", body)
  }

  private enum Place {
    case taken, queued, none
  }

  private func enter() async -> Bool {
    await withCheckedContinuation { continuation in
      let place: Place = state.withLock { state in
        if state.running < Self.most {
          state.running += 1
          state.all += 1
          state.highest = max(state.highest, state.running)
          return .taken
        }
        guard state.waiting.count < Self.longest else { return .none }
        state.waiting.append(continuation)
        return .queued
      }
      if place != .queued { continuation.resume(returning: place == .taken) }
    }
  }

  private func leave() {
    // Whoever waits takes the place over.
    let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.running -= 1
        return nil
      }
      state.all += 1
      return state.waiting.removeFirst()
    }
    next?.resume(returning: true)
  }
}
