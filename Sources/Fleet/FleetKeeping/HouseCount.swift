package import FleetBook

/// How a station stands with its fleet.
package struct FleetLook: Hashable, Sendable {
  /// Its name.
  package var fleet: String
  /// Why it cannot be asked; `nil` where it can.
  package var fault: ClaimFault?
  /// `nil` where nobody is counted.
  package var house: HouseCount?
  /// How far this machine's clock is ahead of the fleet's (negative where it is behind), where that is more than it may be.
  package var clockAhead: Duration?
  /// What stations say otherwise than others.
  package var differences: [WordDifference]
  /// So much has still to be told.
  package var owed: Int
  /// What cannot be told.
  package var stuck: String?
}

/// How many are in the house: who was admitted on a ticket and has left by none.
package struct HouseCount: Hashable, Sendable {
  /// By this station alone: who came in here less who left here, also of those whom the fleet was not told of yet. Negative where people
  /// leave here who came in elsewhere.
  package var here: Int64
  /// Over all stations, as they have told; `nil` where nobody knows now: the fleet is away, or its book is still being read.
  package var venue: Int64?
  /// So many of `here` were let in without the fleet's word, and the other stations do not know of them.
  package var alone: Int
  /// Stations that write claims and do not say how many came: former programs, whose people are not in `venue`.
  package var uncounted: [StationID]

  package init(here: Int64, venue: Int64?, alone: Int = 0, uncounted: [StationID] = []) {
    self.here = here
    self.venue = venue
    self.alone = alone
    self.uncounted = uncounted
  }
}
