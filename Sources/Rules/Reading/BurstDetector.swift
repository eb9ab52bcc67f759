package import ScanModel

/// Tells a scanner from a person by the speed of the keys: a burst is six characters or more, less than 35 ms from one to the
/// next on average, ended by a terminator or by silence. Nothing that a person types is kept longer than until the next key.
///
/// ```
///              key                          terminator, or a silence of 150 ms
///   idle ─────────────▶ collecting ──────────────────────────────────────────▶ idle, with a burst where it was one
///                        │      ▲ key within 150 ms
///                        └──────┘
/// ```
package struct BurstDetector: Sendable {
  /// What was typed so fast.
  package struct Burst: Sendable, Equatable {
    /// The characters, as UTF-8.
    package var bytes: [UInt8]
    /// Whether a terminator ended it.
    package var hasTerminator: Bool
    /// The pause from one character to the next, on average.
    package var meanGap: Duration
  }

  /// As few characters are a burst.
  package static let leastCharacters = 6
  /// The mean pause that no person reaches over six characters: 35 ms is 340 words a minute.
  package static let longestMeanGap = Duration.milliseconds(35)
  /// A pause that parts.
  package static let silence = Duration.milliseconds(150)
  private static let most = 4_096

  private var bytes: [UInt8] = []
  private var count = 0
  private var first = MonotonicTime(nanoseconds: 0)
  private var last = MonotonicTime(nanoseconds: 0)

  package init() {}

  /// When `advance` is due; `nil` where nothing is pending.
  package var deadline: MonotonicTime? { count > 0 ? last + Self.silence : nil }

  /// Takes what a key typed.
  /// - Returns: the burst that a silence before it ended.
  package mutating func type(_ text: [UInt8], at time: MonotonicTime) -> Burst? {
    let burst = advance(to: time)
    guard !text.isEmpty else { return burst }
    if count == 0 { first = time }
    count += 1
    last = max(last, time)
    if bytes.count + text.count <= Self.most { bytes += text }
    // A person: forget it at once, not when the pause comes.
    if count > 1, (last - first) >= Self.longestMeanGap * (count - 1), count < Self.leastCharacters || isHopeless {
      bytes = text
      count = 1
      first = time
    }
    return burst
  }

  /// Takes a terminator.
  package mutating func terminate(at time: MonotonicTime) -> [Burst] {
    let bursts = [advance(to: time), end(hasTerminator: true)]
    return bursts.compactMap(\.self)
  }

  /// Tells that it is `time` and nothing else was typed before it.
  package mutating func advance(to time: MonotonicTime) -> Burst? {
    guard let deadline, time >= deadline else { return nil }
    return end(hasTerminator: false)
  }

  /// Forgets what is pending: keys were lost.
  package mutating func reset() {
    bytes = []
    count = 0
  }

  private var isHopeless: Bool { (last - first) >= Self.longestMeanGap * (count - 1) * 2 }

  private mutating func end(hasTerminator: Bool) -> Burst? {
    defer { reset() }
    guard count >= Self.leastCharacters else { return nil }
    let gap = (last - first) / (count - 1)
    guard gap < Self.longestMeanGap else { return nil }
    return Burst(bytes: bytes, hasTerminator: hasTerminator, meanGap: gap)
  }
}
