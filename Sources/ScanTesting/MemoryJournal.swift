public import ScanModel
import Synchronization

/// A journal in memory, for gates whose tests are not about it, and for faults of the disk at a chosen moment. What it was
/// given is there for a successor in the same test, as a file would be. It passes the conformance suite of journals.
public final class MemoryJournal: ScanJournal {
  private struct State {
    var facts: [JournalFact] = []
    var memory: [LedgerKey: [UInt8]] = [:]
    var last: UInt64 = 0
    var fault: JournalFault?
    var isRecallable = true
    var isSyncing = true
    var listeners: [AsyncStream<JournalState>.Continuation] = []
  }

  private let state = Mutex(State())

  /// Makes an empty journal.
  public init() {}

  /// What has happened, in order.
  public var facts: [JournalFact] { state.withLock { $0.facts } }

  /// From now on nothing can be written or recalled, for that reason; everything again with `nil`.
  public func fail(_ fault: JournalFault?) {
    let listeners = state.withLock { state in
      state.fault = fault
      state.isRecallable = fault == nil
      return state.listeners
    }
    for listener in listeners { listener.yield(fault.map { .failing($0) } ?? .working) }
  }

  /// From now on nothing can be written, for that reason; what is there can be recalled.
  public func failWrites(_ fault: JournalFault) {
    state.withLock { state in
      state.fault = fault
      state.isRecallable = true
    }
  }

  /// What is remembered.
  public var memory: [LedgerKey: [UInt8]] { state.withLock { $0.memory } }

  /// Whether syncs come to an end; while they do not, nothing becomes durable.
  public func setSyncing(_ isSyncing: Bool) { state.withLock { $0.isSyncing = isSyncing } }

  /// Forgets everything, as a damaged file does, and says so.
  public func lose() {
    let listeners = state.withLock { state in
      state.facts = []
      state.memory = [:]
      return state.listeners
    }
    for listener in listeners { listener.yield(.noticed("The journal was lost.")) }
  }

  public func recall(_ keys: [LedgerKey]) async throws(JournalFault) -> [LedgerKey: [UInt8]] {
    let (fault, found) = state.withLock { state in
      let found = keys.compactMap { key in state.memory[key].map { (key, $0) } }
      return (state.isRecallable ? nil : state.fault, found)
    }
    if let fault { throw fault }
    return Dictionary(found, uniquingKeysWith: { first, _ in first })
  }

  @discardableResult public func enqueue(_ batch: JournalBatch) -> JournalMark {
    state.withLock { state in
      state.last += 1
      if state.fault == nil {
        state.facts += batch.facts
        for (key, bytes) in batch.memory { state.memory[key] = bytes }
      }
      return JournalMark(number: state.last)
    }
  }

  public func written(_ mark: JournalMark) async throws(JournalFault) {
    if let fault = state.withLock({ $0.fault }) { throw fault }
  }

  public func durable(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool {
    try await written(mark)
    return state.withLock { $0.isSyncing }
  }

  public func unconcluded() async throws(JournalFault) -> [AskedAttempt] {
    let facts = facts
    let concluded = Set(facts.compactMap { if case .concluded(let concluded) = $0 { concluded.attempt } else { nil } })
    return facts.compactMap { fact in
      guard case .asked(let asked) = fact, !concluded.contains(asked.attempt) else { return nil }
      return asked
    }
  }

  public var states: AsyncStream<JournalState> {
    let (stream, continuation) = AsyncStream.makeStream(of: JournalState.self)
    let fault = state.withLock { state in
      state.listeners.append(continuation)
      return state.fault
    }
    continuation.yield(fault.map { .failing($0) } ?? .working)
    return stream
  }
}
