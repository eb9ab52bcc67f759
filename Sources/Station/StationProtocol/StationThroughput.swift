package import ScanModel

/// How many scans each gate decided in each five minutes, by what became of them: for the last twelve hours, those of earlier starts of
/// the service too, on the machine's civil clock. A gate has at most `mostReasons` reasons of its own; rarer ones are counted together under `other`.
package struct StationThroughput: Hashable, Sendable {
  /// How long a bin is.
  package static let bin = Duration.seconds(300)
  /// How many bins are kept: twelve hours.
  package static let bins = 144
  /// How many reasons a gate has by name.
  package static let mostReasons = 12
  /// The most series that are told.
  package static let mostSeries = 512
  /// The reason under which rarer ones are counted.
  package static let other = "other"

  /// What one gate decided alike.
  package struct Series: Hashable, Sendable {
    /// The gate.
    package var gate: GateID
    /// `admit`, `refuse` or `undecided`.
    package var verdict: String
    /// Why, by the names of events, or `other`; `nil` for an admission.
    package var reason: String?
    /// How many in each bin, from the first one on; what is missing at the end is none.
    package var counts: [UInt32]

    package init(gate: GateID, verdict: String, reason: String?, counts: [UInt32]) {
      self.gate = gate
      self.verdict = verdict
      self.reason = reason
      self.counts = counts
    }
  }

  /// When the first bin began: a multiple of five minutes.
  package var from = WallTime(nanoseconds: 0)
  /// What was counted, in an order that does not change.
  package var series: [Series] = []

  package init() {}

  /// When the bin of this number began.
  package func start(of bin: Int) -> WallTime {
    let bin = min(max(bin, 0), Self.bins)
    return from + Self.bin * bin
  }
}
