internal import LinuxIO
internal import ScanModel
internal import Synchronization

/// What was asked and not answered yet.
///
/// ```
///              the thread of calls takes it            an answer comes
///   waiting ──────────────────────────────▶ sent ──────────────────────▶ answered
///      └── its time is over: unsent           └── its time is over, or the connection: lost
/// ```
/// Whatever comes first ends a call, and nothing comes after it.
final class PendingCalls: Sendable {
  /// How a call ended.
  enum Outcome: Sendable {
    case answered([NATSMessage])
    /// Some of it may have gone out.
    case lost([NATSMessage])
    /// Nothing of it is on its way.
    case unsent
  }

  /// Whether these answers are all that are wanted.
  typealias Enough = @Sendable ([NATSMessage]) -> Bool

  private struct Call: Sendable {
    let request: NATSRequest
    let enough: Enough
    let asker: CheckedContinuation<Outcome, Never>
    var timer: DeviceLoop.Timer?
    var isSent = false
    var answers: [NATSMessage] = []
  }

  private struct State: Sendable {
    var next: UInt64 = 0
    var calls: [UInt64: Call] = [:]
    var bytes = 0
  }

  private let state = Mutex(State())
  private let timers: DeviceLoop

  /// - Parameter timers: the thread that ends calls whose time is over, which nothing may block.
  init(timers: DeviceLoop) { self.timers = timers }

  /// Takes a call; where there are too many it is over at once.
  /// - Parameter isBounded: whether it counts with those of others.
  /// - Returns: its number.
  func add(
    _ request: NATSRequest, until end: MonotonicTime, isBounded: Bool, _ enough: @escaping Enough,
    _ asker: CheckedContinuation<Outcome, Never>
  ) -> UInt64? {
    let number = state.withLock { state -> UInt64? in
      let hasRoom =
        state.calls.count < JetStreamLimits.mostCalls && state.bytes + request.size <= JetStreamLimits.mostBytes
      guard hasRoom || !isBounded else { return nil }
      state.next += 1
      state.bytes += request.size
      state.calls[state.next] = Call(request: request, enough: enough, asker: asker)
      return state.next
    }
    guard let number else {
      asker.resume(returning: .unsent)
      return nil
    }
    let timer = timers.at(end) { self.end(number) }
    // It may be over by now.
    let isThere = state.withLock { state in
      state.calls[number]?.timer = timer
      return state.calls[number] != nil
    }
    if !isThere { timers.cancel(timer) }
    return number
  }

  /// Whether it is still waited for.
  func isOpen(_ number: UInt64) -> Bool { state.withLock { $0.calls[number] != nil } }

  /// What is to be sent now, and counts as sent from here on; `nil` where the call is over.
  func take(_ number: UInt64) -> NATSRequest? {
    state.withLock { state in
      state.calls[number]?.isSent = true
      return state.calls[number]?.request
    }
  }

  /// An answer has come; where nobody waits for it any more, it is dropped.
  func answer(_ number: UInt64, _ message: NATSMessage) {
    let answers = state.withLock { state -> [NATSMessage]? in
      guard let call = state.calls[number] else { return nil }
      let answers = call.answers + [message]
      state.calls[number]?.answers = answers
      return call.enough(answers) ? answers : nil
    }
    if let answers { end(number, .answered(answers)) }
  }

  /// Ends a call for which nothing more will come.
  /// - Parameter outcome: how; `nil` where it depends on whether it was sent.
  func end(_ number: UInt64, _ outcome: Outcome? = nil) {
    let call = state.withLock { state -> Call? in
      guard let call = state.calls.removeValue(forKey: number) else { return nil }
      state.bytes -= call.request.size
      return call
    }
    guard let call else { return }
    if let timer = call.timer { timers.cancel(timer) }
    call.asker.resume(returning: outcome ?? (call.isSent ? .lost(call.answers) : .unsent))
  }

  /// Ends all: the connection is over.
  func endAll() {
    for number in state.withLock({ Array($0.calls.keys) }) { end(number) }
  }
}
