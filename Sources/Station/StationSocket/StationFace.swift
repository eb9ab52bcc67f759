package import Gateway
package import StationProtocol

/// The station, as far as its socket leads to it. Nothing in it is awaited by a gate.
package struct StationFace: Sendable {
  /// The station's name now.
  package var name: @Sendable () -> String
  /// The program's version.
  package var version: String
  /// How the station is; within a second, whatever of it hangs.
  package var snapshot: @Sendable () async -> StationSnapshot
  /// Does an order, once for each number, whoever gives it again.
  package var perform: @Sendable (StationOrder, OrderGiver) async -> OrderOutcome
  /// Told of an order of somebody who may not give it, and of the words that they are told; from any thread, and to return at once.
  package var refused: @Sendable (StationOrder, OrderGiver, _ words: String) -> Void
  /// What a user may do.
  package var rights: @Sendable (_ user: UInt32) -> ListenerRights
  /// Told how many events somebody has missed; from any thread, and to return at once.
  package var dropped: @Sendable (UInt64) -> Void
  /// Takes a line for the operator; likewise.
  package var log: @Sendable (String) -> Void

  package init(
    name: @escaping @Sendable () -> String, version: String, snapshot: @escaping @Sendable () async -> StationSnapshot,
    perform: @escaping @Sendable (StationOrder, OrderGiver) async -> OrderOutcome,
    rights: @escaping @Sendable (_ user: UInt32) -> ListenerRights,
    refused: @escaping @Sendable (StationOrder, OrderGiver, _ words: String) -> Void = { _, _, _ in },
    dropped: @escaping @Sendable (UInt64) -> Void = { _ in }, log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.version = version
    self.snapshot = snapshot
    self.perform = perform
    self.refused = refused
    self.rights = rights
    self.dropped = dropped
    self.log = log
  }
}

/// What a user may do at the station's socket.
package struct ListenerRights: Sendable, Equatable {
  /// The orders that it may give.
  package var orders: Set<OrderKind>
  /// Whether it may be told the names of tickets' holders.
  package var names: Bool
  /// Whether the station is its own: root, and the user that the service runs as. No crowd of others keeps it out.
  package var isOwner: Bool

  package init(orders: Set<OrderKind>, names: Bool, isOwner: Bool = false) {
    self.orders = orders
    self.names = names
    self.isOwner = isOwner
  }
}
