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
    /// This machine's clock is not the fleet's. Nobody is refused for it.
    case clockWrong
    /// It is right again.
    case clockRight
    /// Stations name tickets differently, so that one may open two of them: which, and what to do.
    case differs
    /// They do not any more.
    case agrees
    /// More were admitted on a ticket than it is for, and nothing more is known of it here.
    case conflict
    /// Whoever administers the fleet has taken all its stations out of service.
    case maintenance
    /// They have ended that.
    case maintenanceOver
    /// What lies there as an order for all stations counts for nothing.
    case orderIgnored
  }

  /// What has become of it.
  package var state: State
  /// What happened, and what to do; `nil` where nothing is to be done.
  package var detail: String?
  /// Who has ordered it, and why, where it is an order's.
  package var who: String?
  package var why: String?
  /// When.
  package var at: WallTime
}

/// How many are in the house, as a station of a fleet knows it.
package struct HouseEvent: Sendable, Equatable {
  /// Over all stations; `nil` while nobody knows.
  package var venue: Int64?
  /// By this station alone.
  package var here: Int64
  /// So many of those were let in without the fleet's word, and it was not told of them yet.
  package var alone: Int
  /// Stations whose people are not in `venue`: former programs.
  package var uncounted: [String]
  /// When.
  package var at: WallTime
}
