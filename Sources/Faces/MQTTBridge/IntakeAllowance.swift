package import ScanModel

/// How many bytes are taken from a broker. Pure.
///
/// libmosquitto makes room for a packet as long as its first bytes say, up to 256 MB, and takes it whole. So nothing reaches it but by
/// this allowance: some at once, then so many a second, and of one packet no more than the longest that we expect.
package struct IntakeAllowance: Sendable {
  private var left: Int
  private var countedAt: MonotonicTime
  /// How much has come of the packet that is under way at the most.
  private var open = 0
  private var openSince: MonotonicTime?

  /// Begins with all.
  package init(now: MonotonicTime) {
    left = BridgeLimits.intakeBurst
    countedAt = now
  }

  /// How many bytes may be taken now.
  package mutating func room(_ now: MonotonicTime) -> Int {
    let passed = min(max(0, (now - countedAt).milliseconds), 3_600_000)
    let more = Int(passed) * BridgeLimits.intakeRate / 1_000
    if more > 0 {
      left = min(BridgeLimits.intakeBurst, left + more)
      countedAt = now
    }
    return left
  }

  /// So many were taken.
  package mutating func take(_ count: Int, _ now: MonotonicTime) {
    left -= min(left, count)
    open += count
    openSince = openSince ?? now
  }

  /// A packet has come whole. What was taken of the next one together with its end is not counted.
  package mutating func whole() { (open, openSince) = (0, nil) }

  /// Whether a packet is under way that is longer, or takes longer, than any that we expect.
  package func isExceeded(_ now: MonotonicTime) -> Bool {
    if open > BridgeLimits.maximumPacket { return true }
    guard let openSince else { return false }
    return now - openSince > BridgeLimits.packetTime
  }
}
