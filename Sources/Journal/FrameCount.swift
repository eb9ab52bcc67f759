import Synchronization

/// How many frames the write-ahead log has, told by the writer and read by the housekeeper.
final class FrameCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}
