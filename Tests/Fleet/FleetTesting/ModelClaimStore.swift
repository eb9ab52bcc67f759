package import FleetBook
package import ScanModel
internal import Synchronization

/// A store of claims in memory, which answers at once.
package final class ModelClaimStore: ClaimStore {
  private struct State: Sendable {
    var table = ClaimTable<[UInt8]>()
    var watchers: [AsyncStream<ClaimWatch>.Continuation] = []

    /// In the order of revisions, so within the lock. Who watches no more is found by this alone: what a stream calls at its end is called by whoever
    /// cancels its task, which waits for those who yield to it.
    mutating func tell(_ change: ClaimWatch) {
      watchers.removeAll { if case .terminated = $0.yield(change) { true } else { false } }
    }
  }

  private let state = Mutex(State())
  private let time: any TimeSource

  /// - Parameter time: the leader's clock.
  package init(time: any TimeSource = SystemTime()) { self.time = time }

  package nonisolated(nonsending) func create(
    _ key: ClaimKey, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision { try write(key, value, .none) }

  package nonisolated(nonsending) func update(
    _ key: ClaimKey, _ value: [UInt8], at revision: ClaimRevision, until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision { try write(key, value, revision) }

  package nonisolated(nonsending) func read(
    _ key: ClaimKey, until end: MonotonicTime
  ) async throws(ClaimFault) -> StoredClaim? {
    try state.withLock { $0.table.read(key) }.get().map { StoredClaim(key, $0) }
  }

  package func watch(after revision: ClaimRevision) -> AsyncStream<ClaimWatch> {
    let (stream, continuation) = AsyncStream.makeStream(of: ClaimWatch.self)
    state.withLock { state in
      state.watchers.append(continuation)
      let known = state.table.rows.filter { $0.value.revision > revision }
      for (key, row) in known.sorted(by: { $0.value.revision < $1.value.revision }) {
        continuation.yield(.stored(StoredClaim(key, row)))
      }
      continuation.yield(.caughtUp)
    }
    return stream
  }

  package var states: AsyncStream<ClaimStoreState> {
    AsyncStream { $0.yield(.ready) }
  }

  /// Takes nothing more, or takes things again.
  package func fill(_ isFull: Bool) { state.withLock { $0.table.isFull = isFull } }

  /// Puts a delete mark on a key.
  package func delete(_ key: ClaimKey) {
    state.withLock { state in
      let revision = state.table.delete(key)
      state.tell(.deleted(key, revision))
    }
  }

  private func write(
    _ key: ClaimKey, _ value: [UInt8], _ revision: ClaimRevision
  ) throws(ClaimFault) -> ClaimRevision {
    let result = state.withLock { state in
      let result = state.table.write(key, value, at: revision, time: time.wall())
      if case .success = result, let row = state.table.rows[key] {
        state.tell(.stored(StoredClaim(key, row)))
      }
      return result
    }
    return try result.get()
  }
}

extension StoredClaim {
  package init(_ key: ClaimKey, _ row: ClaimTable<[UInt8]>.Row) {
    self.init(key: key, value: row.value, revision: row.revision, replaced: row.replaced, time: row.time)
  }
}
