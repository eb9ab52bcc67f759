package import StationProtocol

extension RunningStation {
  /// Does an order, once for each number.
  package func perform(_ order: StationOrder, by giver: OrderGiver) async -> OrderOutcome {
    .refused(.nothingThere, "This service takes no orders yet.")
  }
}
