internal import Synchronization

/// Whether a station's mirrors may still write down how far they are. Where one of them could not be awaited at the station's end, its
/// follower goes on from what is there, and an older place must not come over the follower's.
package final class MirrorFence: Sendable {
  private let isClosed = Mutex(false)

  /// An open one.
  package init() {}

  /// From here on nothing is done any more; what is being done is done first.
  func close() { isClosed.withLock { $0 = true } }

  /// Does something that returns at once.
  /// - Returns: `nil` where nothing is to be done any more.
  @discardableResult func ifOpen<Result: Sendable>(_ body: () -> Result) -> Result? {
    isClosed.withLock { $0 ? nil : body() }
  }
}
