package import ScanModel

/// What has become of the book that stations share.
package struct FleetEvent: Sendable, Equatable {
  /// The raw values are the names in events.
  package enum State: String, Sendable, CaseIterable {
    /// The fleet's servers answer.
    case together
    /// They do not: the station goes on by `fleet.alone`.
    case alone
    /// They do, and nobody can be let in by them: of another version, full, or the event's book is closed. Somebody has to act.
    case unusable
    /// Something cannot be told to them, and stays owed.
    case stuck
    /// More were admitted on a ticket than it is for, and nothing more is known of it here.
    case conflict
  }

  /// What has become of it.
  package var state: State
  /// What happened, and what to do; `nil` where nothing is to be done.
  package var detail: String?
  /// When.
  package var at: WallTime
}
