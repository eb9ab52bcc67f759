package import ScanModel

/// The ticket system's last word on a ticket: a refusal, and when it was told.
package typealias LastWord = (reason: RefuseReason, at: WallTime)

/// The last refusals of a ticket system, for the time in which it cannot be asked. Bounded: the oldest half goes.
///
/// By a code's own key, and by its folded key for other spellings of it; but that one spelling is unknown, or came to the
/// wrong place or too early, says nothing of another.
package struct LastWords: Sendable {
  private static let most = 20_000
  private var words: [TicketKey: LastWord] = [:]

  /// Makes it of a ticket system that has refused nobody.
  package init() {}

  /// What was said last of a ticket, or of all spellings of a code; `nil` where nothing is known.
  package subscript(key: TicketKey) -> LastWord? { words[key] }

  /// Takes a refusal.
  /// - Parameter folded: as in `AttemptLedger.begin`.
  package mutating func remember(_ key: TicketKey, folded: TicketKey?, _ reason: RefuseReason, at time: WallTime) {
    words[key] = (reason, time)
    if let folded, reason != .notFound, !reason.isOfPlaceOrTime { words[folded] = (reason, time) }
    guard words.count > Self.most else { return }
    let median = words.values.map(\.at).sorted()[words.count / 2]
    words = words.filter { $0.value.at > median }
  }

  /// Takes that the ticket system would admit the ticket.
  package mutating func forget(_ key: TicketKey, folded: TicketKey?) {
    words[key] = nil
    if let folded { words[folded] = nil }
  }
}
