package import ScanModel

/// Whether this machine's clock is right by its fleet's: by what the leader says that the time is, in answers to what was asked anyway. Pure.
///
///     right ── three in a row are off to the same side ──▶ off, told
///       ▲ ◀────────── three in a row are right ────────────┘ ╰─ off by a good deal more or less: told again
///
/// An answer tells of a moment between asking and answer: only what no such moment explains is off.
package struct ClockComparison: Hashable, Sendable {
  /// How far a clock may be off.
  package static let tolerance = Duration.seconds(2)
  /// So many answers in a row decide.
  package static let inARow = 3

  /// How far this machine's clock is ahead, where that was told; negative where it is behind.
  package private(set) var ahead: Duration?
  private var offs: [Duration] = []
  private var rights = 0

  package init() {}

  /// How far this machine's clock is ahead at least, where that is more than it may be; `.zero` where it is not, `nil` where the answer cannot tell.
  /// - Parameters:
  ///   - sent: when it was asked, by this machine's clock; and when it was answered.
  ///   - told: what the leader says.
  package static func ahead(sent: WallTime, answered: WallTime, told: WallTime) -> Duration? {
    // A clock that was set meanwhile.
    guard answered >= sent else { return nil }
    if sent - told > tolerance { return sent - told }
    if told - answered > tolerance { return answered - told }
    return .zero
  }

  /// Takes an answer.
  /// - Returns: whether something has to be told.
  package mutating func take(sent: WallTime, answered: WallTime, told: WallTime) -> Bool {
    guard let off = Self.ahead(sent: sent, answered: answered, told: told) else { return false }
    guard off != .zero else {
      offs = []
      rights += 1
      guard ahead != nil, rights >= Self.inARow else { return false }
      ahead = nil
      return true
    }
    rights = 0
    if let last = offs.last, (last < .zero) != (off < .zero) { offs = [] }
    offs = offs.suffix(Self.inARow - 1) + [off]
    guard offs.count >= Self.inARow, ahead.map({ Self.isApart($0, off) }) ?? true else { return false }
    ahead = off
    return true
  }

  /// Whether one that was told says too little of how it is now.
  private static func isApart(_ told: Duration, _ now: Duration) -> Bool {
    let difference = told > now ? told - now : now - told
    let size = told < .zero ? .zero - told : told
    return difference > tolerance && difference > size / 2
  }
}
