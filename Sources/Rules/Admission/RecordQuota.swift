package import ScanModel

/// How many scans that cost no request a gate writes down one by one: a noisy or a hostile scanner brings thousands a second,
/// and would push everything else out of the journal. The others are counted.
///
/// Ten a second, and a thousand at once: more verdicts than anybody can see.
package struct RecordQuota: Sendable {
  private static let interval: Duration = .milliseconds(100)
  private static let burst = 1_000

  /// When the quota would be whole again.
  private var fullAt = MonotonicTime(nanoseconds: .min)

  package init() {}

  /// Whether one more is written down.
  package mutating func take(at time: MonotonicTime) -> Bool {
    let begin = max(fullAt, time)
    guard begin - time <= Self.interval * (Self.burst - 1) else { return false }
    fullAt = begin + Self.interval
    return true
  }
}
