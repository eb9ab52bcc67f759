internal import ScanModel
internal import Synchronization

/// Calls that ask the same at the same time become one: the first makes it, the others wait for its answer, each as long as its own
/// deadline allows. What fails fails for all of them.
final class JoinedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ControlFault>
  private typealias Waiter = (continuation: CheckedContinuation<Outcome, Never>, timer: Task<Void, Never>?)

  private struct State {
    /// Who waits for each call under way; a call that nobody waits for any more is still one.
    var waiting: [Key: [Int: Waiter]] = [:]
    var last = 0
  }

  private let state = Mutex(State())
  private let time: any TimeSource

  init(time: any TimeSource) { self.time = time }

  /// How many wait now, for whatever call.
  var waiting: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

  /// The outcome of the call for `key` that is under way, or of `call`, which ends by `deadline` by itself.
  /// - Parameter late: the outcome where `deadline` comes first.
  func outcome(
    for key: Key, deadline: MonotonicTime, late: ControlFault, of call: @escaping @Sendable () async -> Outcome
  ) async -> Outcome {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        state.last &+= 1
        let number = state.last
        let isFirst = state.waiting[key] == nil
        // Who makes the call has its deadline in it, and its words.
        let timer = isFirst ? nil : timer(key, number, deadline: deadline, late: late)
        state.waiting[key, default: [:]][number] = (continuation, timer)
        return isFirst
      }
      guard isFirst else { return }
      Task { [self] in end(key, await call()) }
    }
  }

  private func timer(
    _ key: Key, _ number: Int, deadline: MonotonicTime, late: ControlFault
  ) -> Task<Void, Never> {
    Task { [self] in
      // Cancelled is how it ends as a rule.
      guard (try? await Task.sleep(for: max(deadline - time.now(), .zero))) != nil else { return }
      leave(key, number)?.resume(returning: .failure(late))
    }
  }

  private func leave(_ key: Key, _ number: Int) -> CheckedContinuation<Outcome, Never>? {
    state.withLock { $0.waiting[key]?.removeValue(forKey: number)?.continuation }
  }

  private func end(_ key: Key, _ outcome: Outcome) {
    let waiters = state.withLock { $0.waiting.removeValue(forKey: key) } ?? [:]
    for waiter in waiters.values {
      waiter.timer?.cancel()
      waiter.continuation.resume(returning: outcome)
    }
  }
}
