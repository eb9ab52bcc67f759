package import FleetBook
package import ScanModel
internal import Synchronization

/// A store between a station and another one, as a network makes it: what is asked may be lost before it is done or after, or not be had at
/// all. What was lost on its way is done when somebody says so, as late as they like.
package final class FaultyClaimStore: ClaimStore {
  /// What becomes of one call.
  package enum Fate: Hashable, Sendable, CaseIterable {
    case answered
    /// It is not done, and nobody is told.
    case lostBefore
    /// It is done, and nobody is told.
    case lostAfter
    /// It is done later, and nobody is told.
    case delayed
    /// It is done twice.
    case doubled
    /// There is nobody to ask.
    case noQuorum
  }

  private struct Write: Sendable {
    var key: ClaimKey
    var value: [UInt8]
    var revision: ClaimRevision
  }

  private struct State: Sendable {
    var delayed: [Write] = []
    var isAway = false
    var listeners: [AsyncStream<ClaimStoreState>.Continuation] = []
  }

  private let store: any ClaimStore
  private let fate: @Sendable () -> Fate
  private let state = Mutex(State())

  /// - Parameter fate: asked before each call.
  package init(_ store: any ClaimStore, fate: @escaping @Sendable () -> Fate = { .answered }) {
    self.store = store
    self.fate = fate
  }

  /// Cuts the station off, or joins it again; it is told.
  package func cut(_ isAway: Bool) {
    let listeners = state.withLock { state in
      state.isAway = isAway
      return state.listeners
    }
    for listener in listeners { listener.yield(isAway ? .away(.noQuorum) : .ready) }
  }

  /// Does what was on its way.
  package func deliver() async {
    for write in state.withLock({ state in
      defer { state.delayed = [] }
      return state.delayed
    }) {
      _ = try? await self.write(write)
    }
  }

  private func next() throws(ClaimFault) -> Fate {
    if state.withLock({ $0.isAway }) { throw .noQuorum }
    let fate = fate()
    if fate == .noQuorum { throw .noQuorum }
    return fate
  }

  private nonisolated(nonsending) func write(_ write: Write) async throws(ClaimFault) -> ClaimRevision {
    let end = SystemTime().now() + .seconds(5)
    if write.revision == .none { return try await store.create(write.key, write.value, until: end) }
    return try await store.update(write.key, write.value, at: write.revision, until: end)
  }

  private nonisolated(nonsending) func call(_ write: Write) async throws(ClaimFault) -> ClaimRevision {
    switch try next() {
    case .answered: return try await self.write(write)
    case .lostBefore, .noQuorum: throw .lostAnswer
    case .lostAfter:
      _ = try? await self.write(write)
      throw .lostAnswer
    case .delayed:
      state.withLock { $0.delayed.append(write) }
      throw .lostAnswer
    case .doubled:
      _ = try? await self.write(write)
      return try await self.write(write)
    }
  }

  package nonisolated(nonsending) func create(
    _ key: ClaimKey, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision { try await call(Write(key: key, value: value, revision: .none)) }

  package nonisolated(nonsending) func update(
    _ key: ClaimKey, _ value: [UInt8], at revision: ClaimRevision, until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision { try await call(Write(key: key, value: value, revision: revision)) }

  package nonisolated(nonsending) func read(
    _ key: ClaimKey, until end: MonotonicTime
  ) async throws(ClaimFault) -> StoredClaim? {
    switch try next() {
    case .answered, .doubled: return try await store.read(key, until: end)
    case .lostBefore, .lostAfter, .delayed, .noQuorum: throw .lostAnswer
    }
  }

  package func watch(after revision: ClaimRevision) -> AsyncStream<ClaimWatch> { store.watch(after: revision) }

  package var states: AsyncStream<ClaimStoreState> {
    let (stream, continuation) = AsyncStream.makeStream(of: ClaimStoreState.self)
    state.withLock { state in
      continuation.yield(state.isAway ? .away(.noQuorum) : .ready)
      state.listeners.append(continuation)
    }
    return stream
  }
}
