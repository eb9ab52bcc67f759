package import ScanModel

/// How far this station's civil clock is from the leader's, as far as writes of its own tell. It judges nothing: that is done between two times of
/// the leader. It is for whoever has to put a clock right.
package struct LeaderClock: Hashable, Sendable {
  /// From how far on a clock is told to be off. 2 s.
  package static let most = Duration.seconds(2)

  /// The leader's clock less ours lies in between; `nil` where nothing was heard yet.
  package private(set) var offset: ClosedRange<Duration>?

  package init() {}

  /// The leader took a write between its sending and its answer.
  /// - Parameters:
  ///   - time: when, by the leader's clock.
  ///   - sent: by this machine's `CLOCK_BOOTTIME`.
  ///   - answered: by the same.
  ///   - wall: this station's civil time when it was answered.
  package mutating func take(_ time: WallTime, sent: BootTime, answered: BootTime, wall: WallTime) {
    guard answered >= sent else { return }
    let least = time - wall
    let new = least...(least + (answered - sent))
    // The narrower of two that agree; else a clock was set, or there is another leader: the newer one.
    if let offset, offset.overlaps(new), width(offset) < width(new) { return }
    offset = new
  }

  /// By how much this station's clock is surely off: positive where it is behind the leader's; `nil` where it may be right to `most`.
  package var off: Duration? {
    guard let offset else { return nil }
    if offset.lowerBound > Self.most { return offset.lowerBound }
    if offset.upperBound < .zero - Self.most { return offset.upperBound }
    return nil
  }

  private func width(_ range: ClosedRange<Duration>) -> Duration { range.upperBound - range.lowerBound }
}
