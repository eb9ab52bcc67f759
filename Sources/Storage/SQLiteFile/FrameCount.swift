internal import Synchronization

/// How many frames the write-ahead log has, told by the writer and read by the housekeeper.
package final class FrameCount: Sendable {
  private let count = Atomic(0)

  package init() {}

  /// How many.
  package var value: Int { count.load(ordering: .relaxed) }

  /// Tells how many.
  package func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}
