internal import ScanModel

/// Which subscriptions the server was asked to look at anew, so that no pass has it ask the store again and again. Pure: time is an
/// argument.
struct RefreshBook: Sendable {
  /// How long the same subscription is not asked for again.
  static let spacing = Duration.seconds(600)
  /// How long a request must have left that is to be followed by the answer that counts.
  static let least = Duration.milliseconds(600)
  /// So many are remembered: more than the budget allows within `spacing`.
  private static let most = 4_000

  private struct Entry: Sendable {
    var at: MonotonicTime
    /// Whether it was answered by who had looked; `nil` while it is under way.
    var isAnswered: Bool?
  }

  private var entries: [SubscriptionID: Entry] = [:]

  /// What has become of it.
  func state(of id: SubscriptionID, at now: MonotonicTime) -> SubscriptionJudge.Refresh {
    guard let entry = entries[id], now - entry.at < Self.spacing else { return .possible }
    return entry.isAnswered.map { $0 ? .done : .unanswered } ?? .underWay
  }

  /// Begins to ask.
  /// - Returns: false where it was, or is being, asked.
  mutating func begin(_ id: SubscriptionID, at now: MonotonicTime) -> Bool {
    guard state(of: id, at: now) == .possible else { return false }
    if entries.count >= Self.most { entries = entries.filter { now - $0.value.at < Self.spacing } }
    guard entries.count < Self.most else { return false }
    entries[id] = Entry(at: now)
    return true
  }

  /// Takes what became of it.
  /// - Parameter isAnswered: `nil` where nothing was sent: it can be asked again.
  mutating func end(_ id: SubscriptionID, isAnswered: Bool?) {
    if let isAnswered { entries[id]?.isAnswered = isAnswered } else { entries[id] = nil }
  }
}
