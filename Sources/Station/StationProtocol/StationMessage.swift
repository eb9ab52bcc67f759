package import ScanModel

/// What a listener tells the station; one message a packet.
package enum ListenerMessage: Hashable, Sendable {
  /// The first one: the protocol's version, and which program it is. What it asks for that its user may not have is left out.
  case hello(version: UInt16, program: String, wants: ListenerWants)
  /// The station is to tell how it is, once.
  case snapshot
  /// The station is to tell its events from now on.
  case listen
  /// Something is to be done; the answer bears the same number.
  case order(StationOrder)
}

/// What a listener wants to be told.
package struct ListenerWants: Hashable, Sendable {
  /// Whether it is told the names of tickets' holders.
  package var names: Bool
  package init(names: Bool = false) { self.names = names }
}

/// What the station tells a listener; one message a packet.
package enum StationMessage: Hashable, Sendable {
  /// The greeting is taken.
  case welcome(StationWelcome)
  /// The connection ends, and why.
  case refused(String)
  /// A part of a snapshot: the parts of one come in their order, nothing between them.
  case snapshot(SnapshotPart)
  /// An event: one line of JSON, as `docs/events.md` has it.
  case event(StationEvent)
  /// So many events were dropped before the next one, because this listener was too slow.
  case dropped(UInt64)
  /// What became of an order.
  case answer(OrderID, OrderOutcome)
}

/// Who listens here, and what this listener may do.
package struct StationWelcome: Hashable, Sendable {
  /// The protocol's version.
  package var version: UInt16
  /// The station's name.
  package var station: String
  /// The program's version.
  package var program: String
  /// The orders that this listener's user may give, by their order in `OrderKind`.
  package var orders: [OrderKind]
  /// Whether it is told the names of tickets' holders.
  package var names: Bool

  package init(version: UInt16, station: String, program: String, orders: [OrderKind], names: Bool) {
    self.version = version
    self.station = station
    self.program = program
    self.orders = orders
    self.names = names
  }
}

/// An event as listeners are told it.
package struct StationEvent: Hashable, Sendable {
  /// Counts the station's events up while anybody listens, from 1 at each start of the service.
  package var number: UInt64
  /// One line of JSON, without the line feed; `docs/events.md` is its contract.
  package var line: String

  package init(number: UInt64, line: String) {
    self.number = number
    self.line = line
  }
}

/// A piece of a snapshot's bytes.
package struct SnapshotPart: Hashable, Sendable {
  /// Which piece, from 0.
  package var index: UInt16
  /// Whether it is the last one.
  package var isLast: Bool
  /// The piece.
  package var bytes: [UInt8]

  package init(index: UInt16, isLast: Bool, bytes: [UInt8]) {
    self.index = index
    self.isLast = isLast
    self.bytes = bytes
  }
}
