internal import Synchronization

/// How many frames the write-ahead log has, told by the writer and read by the housekeeper.
public final class FrameCount: Sendable {
  private let count = Atomic(0)

  /// Makes a count of none.
  public init() {}

  /// How many.
  public var value: Int { count.load(ordering: .relaxed) }

  /// Tells how many.
  public func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}
