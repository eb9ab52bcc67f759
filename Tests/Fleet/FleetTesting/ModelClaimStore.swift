package import FleetBook
package import ScanModel
internal import Synchronization

/// A store of claims in memory, which answers at once.
package final class ModelClaimStore: ClaimStore {
  private struct Watcher: Sendable {
    var stream: AsyncStream<ClaimWatch>.Continuation
  }

  private struct State: Sendable {
    var table = ClaimTable<[UInt8]>()
    var watchers: [Int: Watcher] = [:]
    var next = 0
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
      let number = state.next
      state.next += 1
      state.watchers[number] = Watcher(stream: continuation)
      let known = state.table.rows.filter { $0.value.revision > revision }
      for (key, row) in known.sorted(by: { $0.value.revision < $1.value.revision }) {
        continuation.yield(.stored(StoredClaim(key, row)))
      }
      continuation.yield(.caughtUp)
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in state.watchers[number] = nil }
      }
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
      for watcher in state.watchers.values { watcher.stream.yield(.deleted(key, revision)) }
    }
  }

  private func write(
    _ key: ClaimKey, _ value: [UInt8], _ revision: ClaimRevision
  ) throws(ClaimFault) -> ClaimRevision {
    let result = state.withLock { state in
      let result = state.table.write(key, value, at: revision, time: time.wall())
      if case .success = result, let row = state.table.rows[key] {
        for watcher in state.watchers.values { watcher.stream.yield(.stored(StoredClaim(key, row))) }
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
