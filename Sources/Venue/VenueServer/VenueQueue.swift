import Dispatch
import SQLiteFile
import Synchronization

/// One connection and its queue: one transaction at a time, each sees all those before it. The queue has a thread of its own,
/// because SQLite waits for the disk, and for other processes.
///
/// A task that is cancelled while its transaction waits or runs gets `CancellationError`, and nothing of it is written.
final class VenueQueue: Sendable {
  private let database: Database
  private let queue = DispatchQueue(label: "venue")

  init(_ database: Database) { self.database = database }

  /// One transaction that may write. It has the file for itself from its beginning, so what it reads stays true.
  func write<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await run("PRAGMA query_only = OFF; BEGIN IMMEDIATE", work)
  }

  /// One transaction that only reads; SQLite refuses it all else.
  func read<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await run("PRAGMA query_only = ON; BEGIN DEFERRED", work)
  }

  /// Closes the connection, behind all that was asked for.
  func close() { queue.sync { database.close() } }

  private func run<Value: Sendable>(
    _ begin: String, _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    let cancellation = CancelFlag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [database] in
          continuation.resume(
            with: Result {
              try cancellation.check()
              return try database.transaction(begin) {
                let result = try work(database)
                try cancellation.check()
                return result
              }
            })
        }
      }
    } onCancel: {
      cancellation.set()
    }
  }
}

/// Whether somebody has had enough of work in another thread.
final class CancelFlag: Sendable {
  private let isSet = Atomic(false)

  func set() { isSet.store(true, ordering: .relaxed) }

  func check() throws(CancellationError) { if isSet.load(ordering: .relaxed) { throw CancellationError() } }
}

extension Database {
  /// Runs `work` in a transaction that `begin` begins: all of it or nothing, whatever it throws.
  func transaction<Value>(_ begin: String, _ work: () throws -> Value) throws -> Value {
    try execute(begin)
    do {
      let result = try work()
      try execute("COMMIT")
      return result
    } catch {
      // Where SQLite has rolled back already, this is an error that says nothing.
      try? execute("ROLLBACK")
      throw error
    }
  }
}
