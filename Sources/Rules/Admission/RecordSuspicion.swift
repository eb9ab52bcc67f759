import ScanModel

/// A distance at which tickets came back as used elsewhere, so that a clock may have been wrong. Proven records tell what the clocks
/// say today, and nothing of then: who was refused at that distance is for staff when they come again.
package struct RecordSuspicion: Sendable, Equatable, Codable {
  let offsets: FreshOffsets
  /// Until when tickets were judged so; `nil` while nothing has told more.
  var until: WallTime?

  init(_ offsets: FreshOffsets, until: WallTime? = nil) {
    self.offsets = offsets
    self.until = until
  }

  /// Whether a ticket that was shown such a record, then, may have been refused for a clock's fault.
  func covers(_ offsets: FreshOffsets, judgedAt time: WallTime) -> Bool {
    self.offsets.overlaps(offsets) && until.map { time <= $0 } != false
  }
}
