internal import ScanModel
internal import WireCoding

extension StationSnapshot {
  /// How the station stands with the others that share its book.
  package struct Fleet: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// By the names of the `fleet` event: `together`, `alone` or `unusable`, and why.
    package var condition: Condition
    /// How many are in the house over all stations: who came and has not left; `nil` while nobody knows.
    package var inHouse: Int64?
    /// By this station alone; negative where more leave by it than came in.
    package var inHouseHere: Int64 = 0
    /// So many of these were let in without the fleet's word, and it was not told of them yet.
    package var alone: UInt64 = 0
    /// Stations whose people nobody has counted.
    package var uncounted: [String] = []
    /// How much it has still to be told.
    package var owed: UInt64 = 0
    /// What cannot be told to it; `nil` where nothing is stuck.
    package var stuck: String?
    /// How far this machine's clock is ahead of the fleet's, where that is more than it may be.
    package var clockAhead: Duration?
    /// By what stations name tickets differently.
    package var differences: [String] = []

    package init(name: String, condition: Condition) {
      self.name = name
      self.condition = condition
    }
  }
}

extension WireWriter {
  mutating func put(_ fleet: StationSnapshot.Fleet) {
    put(fleet.name, fleet.condition.state)
    putWords(fleet.condition.detail)
    putOptional(fleet.inHouse) { $0.put($1) }
    put(fleet.inHouseHere, fleet.alone)
    putList(fleet.uncounted.prefix(StationLimits.maximumList)) { $0.put($1) }
    put(fleet.owed)
    putWords(fleet.stuck)
    putDuration(fleet.clockAhead)
    putList(fleet.differences.prefix(StationLimits.maximumList)) { $0.putWords($1) }
  }
}

extension WireReader {
  mutating func takeFleet() throws(WireError) -> StationSnapshot.Fleet {
    var fleet = StationSnapshot.Fleet(
      name: try takeText(), condition: StationSnapshot.Condition(state: try takeText(), detail: try takeOptionalWords())
    )
    fleet.inHouse = try takeOptional { (reader) throws(WireError) in try reader.take() }
    fleet.inHouseHere = try take()
    fleet.alone = try take()
    fleet.uncounted = try takeAll { (reader) throws(WireError) in try reader.takeText() }
    fleet.owed = try take()
    fleet.stuck = try takeOptionalWords()
    fleet.clockAhead = try takeOptionalDuration()
    fleet.differences = try takeAll { (reader) throws(WireError) in try reader.takeWords() }
    return fleet
  }
}
