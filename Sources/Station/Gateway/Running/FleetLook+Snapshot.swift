internal import FleetBook
internal import FleetKeeping
internal import StationProtocol

extension StationSnapshot.Fleet {
  /// As the station's keeper of claims sees it.
  init(_ look: FleetLook) {
    let state: FleetEvent.State = look.fault.map { $0.isAway ? .alone : .unusable } ?? .together
    self.init(
      name: look.fleet, condition: StationSnapshot.Condition(state: state.rawValue, detail: look.fault?.words))
    inHouse = look.house?.venue
    inHouseHere = look.house?.here ?? 0
    alone = UInt64(clamping: look.house?.alone ?? 0)
    uncounted = look.house?.uncounted.map(\.description) ?? []
    owed = UInt64(clamping: look.owed)
    stuck = look.stuck
    clockAhead = look.clockAhead
    differences = look.differences.filter(\.isDoubt).map(\.words)
  }
}
