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
  /// The scan that it made, or took back.
  package var scan: ScanID?
  /// When.
  package var at: WallTime

  package init(
    order: StationOrder, giver: OrderGiver, outcome: OrderOutcome, scan: ScanID? = nil, at: WallTime
  ) {
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
