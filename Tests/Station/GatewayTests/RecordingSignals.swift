import ScanModel
import Synchronization

/// Signals as a test sees them, in order; admissions are counted as the relay would count them.
final class RecordingSignals: SignalOutput {
  private struct State {
    var played: [Signal] = []
    var pulses = 0
    var outcome: PulseOutcome?
    var fault: String?
  }

  private let state = Mutex(State())
  private let feed: AsyncStream<[Signal]>.Continuation
  /// What has been played, whenever something is; for one test, once.
  let changes: AsyncStream<[Signal]>
  private let time: any TimeSource

  init(time: any TimeSource) {
    self.time = time
    (changes, feed) = AsyncStream.makeStream()
  }

  var played: [Signal] { state.withLock { $0.played } }
  var pulses: Int { state.withLock { $0.pulses } }
  var admissionFault: String? { state.withLock { $0.fault } }

  func breakDown(_ fault: String) { state.withLock { $0.fault = fault } }
  func repair() { state.withLock { $0.fault = nil } }
  func failNextPulse(_ words: String) { state.withLock { $0.outcome = .failed(words) } }

  func loseNextAnswer(_ words: String) { state.withLock { $0.outcome = .unanswered(words) } }

  func play(_ signal: Signal) {
    feed.yield(
      state.withLock { state in
        state.played.append(signal)
        return state.played
      })
  }

  func admit(isProvisional: Bool) async -> PulseOutcome {
    let now = time.now()
    return state.withLock { state in
      if let outcome = state.outcome {
        state.outcome = nil
        if case .failed(let words) = outcome { state.fault = words }
        return outcome
      }
      state.pulses += 1
      state.played.append(isProvisional ? .provisional : .admit)
      return .started(start: now, end: now + .milliseconds(500))
    }
  }
}
