import ArgumentParser
import Glibc
import Synchronization
import VenueServer

/// Ctrl-C while tickets are taken into a venue's database: nothing is imported, and no file is left that was not there.
struct ImportStop {
  /// What is said then.
  static let words = "Nothing was imported. A signal ended it."

  private let asked = Asked()
  private let interruption: Interruption

  /// Watches from here on. While the file is read there is nothing to take back: the process ends at once.
  init() { interruption = Interruption { [asked] in asked.stop($0) } }

  /// There may be a database from here on.
  func hasRead() { asked.cancels {} }

  /// Does `work` on a venue, unless somebody has had enough of it.
  /// - Throws: what `work` throws; after a signal, once the venue is given up, the exit that says so.
  func during(_ venue: VenueServer, _ work: @escaping @Sendable () async throws -> ImportSummary) async throws
    -> ImportSummary
  {
    defer { interruption.end() }
    let task = Task { try await work() }
    asked.cancels { task.cancel() }
    let result = await task.result
    guard let signal = asked.signal else { return try result.get() }
    let wasNew = venue.abandon()
    if case .success = result, !wasNew {
      throw failure("All was imported before the signal came, and is kept.", ExitCode(128 + signal))
    }
    throw failure(Self.words, ExitCode(128 + signal))
  }

  /// The signal that came, and what it is to stop.
  private final class Asked: Sendable {
    private struct State {
      var signal: Int32?
      var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var signal: Int32? { state.withLock { $0.signal } }

    func stop(_ number: Int32) {
      let cancel = state.withLock { state in
        state.signal = number
        return state.cancel
      }
      if let cancel { return cancel() }
      _ = failure(ImportStop.words)
      _exit(128 + number)
    }

    func cancels(_ cancel: @escaping @Sendable () -> Void) {
      let isLate = state.withLock { state in
        state.cancel = cancel
        return state.signal != nil
      }
      if isLate { cancel() }
    }
  }
}
