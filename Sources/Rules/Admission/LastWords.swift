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
  /// Of whom something newer is known than what is recalled, or was recalled already; `nil` where nothing is being recalled.
  private var known: Set<TicketKey>?
  private var hasBegunRecalling = false

  /// Makes it of a ticket system that has refused nobody.
  package init() {}

  /// What was said last of a ticket, or of all spellings of a code; `nil` where nothing is known.
  package subscript(key: TicketKey) -> LastWord? { words[key] }

  /// Takes a refusal.
  /// - Parameter folded: as in `AttemptLedger.begin`.
  package mutating func remember(_ key: TicketKey, folded: TicketKey?, _ reason: RefuseReason, at time: WallTime) {
    words[key] = (reason, time)
    known?.insert(key)
    if let folded, reason != .notFound, !reason.isOfPlaceOrTime { words[folded] = (reason, time) }
    guard words.count > Self.most else { return }
    let median = words.values.map(\.at).sorted()[words.count / 2]
    words = words.filter { $0.value.at > median }
  }

  /// Takes that the ticket system would admit the ticket.
  package mutating func forget(_ key: TicketKey, folded: TicketKey?) {
    words[key] = nil
    known?.insert(key)
    if let folded { words[folded] = nil }
  }

  // MARK: What was said before this process

  /// So much is recalled at most: what is older counts no more.
  package static let mostRecalled = 20_000

  /// Begins to take what was said before this process, newest first, while it goes on learning.
  /// - Returns: whether it does; not twice.
  package mutating func beginRecalling() -> Bool {
    if hasBegunRecalling { return false }
    (hasBegunRecalling, known) = (true, Set(words.keys))
    return true
  }

  /// Takes what was said of a ticket; what is known of it from later counts. A refusal that somebody, or some time, may have cured is
  /// left out: the ticket system is asked, or nobody can say.
  /// - Returns: whether more may be recalled.
  package mutating func recall(_ said: JournaledWord) -> Bool {
    guard let known, known.count < Self.mostRecalled else { return false }
    guard self.known?.insert(said.ticket).inserted == true, words.count < Self.most else { return true }
    if let reason = said.refusal, !reason.isOfPlaceOrTime, reason != .alreadyUsed {
      words[said.ticket] = (reason, said.at)
    }
    return true
  }

  /// That was all.
  package mutating func endRecalling() { known = nil }
}
