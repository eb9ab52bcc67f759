package import ScanModel
internal import StationProtocol

/// Counts a station's scans by five minutes, gate and what became of them. Pure.
///
/// What is kept is bounded whatever comes: bins by their number, reasons by how many a gate has of its own. A clock that is set back
/// counts into the bins that it shows; what it shows beyond the last one moves all of them on.
struct ThroughputBook: Sendable {
  private struct Key: Hashable {
    var gate: GateID
    var verdict: String
    var reason: String?
  }

  private static let bin = StationThroughput.bin.saturatedNanoseconds
  /// By key, the bins that are not empty.
  private var counts: [Key: [Int64: UInt32]] = [:]
  private var newest = Int64.min

  private static func number(_ time: WallTime) -> Int64 {
    let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: bin)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// Counts a scan that was read at `time`.
  mutating func add(_ gate: GateID, _ verdict: Verdict, at time: WallTime) {
    add(EarlierScan(gate: gate, verdict: verdict.name, reason: verdict.reason, at: time))
  }

  /// Counts a scan, of this process or of an earlier one, in whatever order they come.
  mutating func add(_ scan: EarlierScan) {
    let time = scan.at
    let number = Self.number(time)
    if number > newest {
      newest = number
      forget(before: number - Int64(StationThroughput.bins) + 1)
    }
    guard number > newest - Int64(StationThroughput.bins) else { return }
    let key = key(scan)
    counts[key, default: [:]][number, default: 0] &+= 1
  }

  private func key(_ scan: EarlierScan) -> Key {
    let key = Key(gate: scan.gate, verdict: scan.verdict, reason: scan.reason)
    if key.reason == nil || counts[key] != nil { return key }
    let own = counts.keys.count { $0.gate == scan.gate && $0.reason != nil }
    guard own < StationThroughput.mostReasons else {
      return Key(gate: scan.gate, verdict: key.verdict, reason: StationThroughput.other)
    }
    return key
  }

  private mutating func forget(before first: Int64) {
    for (key, bins) in counts {
      let kept = bins.filter { $0.key >= first }
      counts[key] = kept.isEmpty ? nil : kept
    }
  }

  /// What was counted in the twelve hours that end with the bin of `now`.
  func told(at now: WallTime) -> StationThroughput {
    var told = StationThroughput()
    let first = Self.number(now) - Int64(StationThroughput.bins) + 1
    let (start, isOver) = first.multipliedReportingOverflow(by: Self.bin)
    guard !isOver else { return told }
    told.from = WallTime(nanoseconds: start)
    for (key, bins) in counts {
      var series = StationThroughput.Series(gate: key.gate, verdict: key.verdict, reason: key.reason, counts: [])
      for (number, count) in bins where number >= first && number - first < Int64(StationThroughput.bins) {
        let index = Int(number - first)
        while series.counts.count <= index { series.counts.append(0) }
        series.counts[index] = count
      }
      if !series.counts.isEmpty { told.series.append(series) }
    }
    told.series.sort { ($0.gate.name, $0.verdict, $0.reason ?? "") < ($1.gate.name, $1.verdict, $1.reason ?? "") }
    told.series = Array(told.series.prefix(StationThroughput.mostSeries))
    return told
  }
}

/// A scan that was decided before, as much as is counted of it.
package struct EarlierScan: Sendable, Equatable {
  package var gate: GateID
  /// `admit`, `refuse` or `undecided`.
  package var verdict: String
  /// Why, by the names of events; `nil` for an admission.
  package var reason: String?
  /// When it was read, by the civil clock of then.
  package var at: WallTime

  package init(gate: GateID, verdict: String, reason: String?, at: WallTime) {
    self.gate = gate
    self.verdict = verdict
    self.reason = reason
    self.at = at
  }
}
