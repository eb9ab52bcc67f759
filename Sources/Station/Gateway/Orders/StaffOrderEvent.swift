package import ScanModel
package import StationProtocol

/// An order of staff, and what became of it.
package struct StaffOrderEvent: Sendable, Equatable {
  /// The order; a code in it is shown shortened only.
  package var order: StationOrder
  /// Who gave it.
  package var giver: OrderGiver
  /// What became of it.
  package var outcome: OrderOutcome
  /// The gate that it is for; `nil` where it is for none, or for one that there is not.
  package var gate: GateID?
  /// The scan that it made, or took back.
  package var scan: ScanID?
  /// When.
  package var at: WallTime

  package init(
    order: StationOrder, giver: OrderGiver, outcome: OrderOutcome, gate: GateID? = nil, scan: ScanID? = nil,
    at: WallTime
  ) {
    self.gate = gate
    self.order = order
    self.giver = giver
    self.outcome = outcome
    self.scan = scan
    self.at = at
  }
}

extension StationOrder {
  /// Who gave it, as the program says; clean.
  package var giverName: String { TerminalText.clean(who, limit: 100) }
  /// Why, clean; `nil` where nobody said.
  package var reason: String? { why.isEmpty ? nil : TerminalText.clean(why, limit: 200) }
}
