public import ScanModel

/// How many scans that cost no request a gate writes down: a noisy or a hostile scanner brings thousands a second, and would
/// push everything else out of the journal.
///
/// Two a second, and a hundred at once: more than people can present. What is left out is counted, and told with the next.
public struct RecordQuota: Sendable {
  private static let interval: Duration = .milliseconds(500)
  private static let burst = 100

  /// When the quota would be whole again.
  private var fullAt = MonotonicTime(nanoseconds: .min)
  private var skipped = 0

  /// Makes a whole quota.
  public init() {}

  /// Whether one more is written down, and how many were left out before it.
  public mutating func take(at time: MonotonicTime) -> (isTaken: Bool, skipped: Int) {
    let begin = max(fullAt, time)
    guard begin - time <= Self.interval * (Self.burst - 1) else {
      skipped += 1
      return (false, 0)
    }
    fullAt = begin + Self.interval
    defer { skipped = 0 }
    return (true, skipped)
  }
}
