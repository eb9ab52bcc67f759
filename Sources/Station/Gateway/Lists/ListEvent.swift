package import ScanModel

/// What became of a list that refreshes itself, or of a file of its ticket system's.
package struct ListEvent: Sendable, Equatable {
  /// The raw values are the names in events.
  package enum State: String, Sendable, CaseIterable {
    /// It is as the ticket system tells it now.
    case refreshed
    /// It could not be asked for, or not be written; the list stays as it was.
    case failed
    /// What was told is less than half of what the list had for the same time: somebody has to look. The list stays as it was; where the
    /// ticket system tells an answer for now, that is added, and nobody passes by tickets that it has ceased to tell.
    case heldBack
    /// It is as the ticket system tells it now, and that is not all: a code that the list does not name may be a ticket.
    case partial
    /// The ticket system tells no list, or not to our key: it is not asked again.
    case missing
    /// A file that its ticket system goes by cannot be used as it is now: what it said before counts on. Somebody has to look.
    case fileRefused
    /// Such a file has changed and is obeyed, or can be read again.
    case fileTaken
  }

  /// The ticket system.
  package var system: TicketSystemID
  /// What became of it.
  package var state: State
  /// How many tickets were taken, where something was.
  package var tickets: Int?
  /// What happened, and what to do; `nil` where nothing is to be done.
  package var detail: String?
  /// When.
  package var at: WallTime
}
