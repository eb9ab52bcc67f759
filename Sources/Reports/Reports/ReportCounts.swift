/// How many scans ended how.
package struct ReportCounts: Sendable, Equatable {
  /// Admissions, those that were taken back included.
  package var admitted = 0
  /// Those of them that were taken back because nobody passed.
  package var annulled = 0
  package var refused = 0
  package var undecided = 0

  package init(admitted: Int = 0, annulled: Int = 0, refused: Int = 0, undecided: Int = 0) {
    self.admitted = admitted
    self.annulled = annulled
    self.refused = refused
    self.undecided = undecided
  }

  /// All scans.
  package var scans: Int { admitted + refused + undecided }

  mutating func add(_ scan: ReportedScan) {
    switch scan.outcome {
    case .admitted:
      admitted += 1
      if scan.isAnnulled { annulled += 1 }
    case .refused: refused += 1
    case .undecided: undecided += 1
    }
  }

  package static func + (a: Self, b: Self) -> Self {
    ReportCounts(
      admitted: a.admitted + b.admitted, annulled: a.annulled + b.annulled, refused: a.refused + b.refused,
      undecided: a.undecided + b.undecided)
  }
}

/// Counts by a name, for so many names at most: what comes with others later is counted together.
package struct NamedCounts: Sendable, Equatable {
  /// As what names beyond the limit are counted.
  package static let others = "(others)"

  package private(set) var counts: [String: ReportCounts] = [:]
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// - Returns: the name under which it was counted.
  @discardableResult mutating func add(_ scan: ReportedScan, as name: String) -> String {
    let name = counts[name] != nil || counts.count < limit ? name : Self.others
    counts[name, default: ReportCounts()].add(scan)
    return name
  }

  /// The names with most scans first, of as many by name.
  package var sorted: [(name: String, counts: ReportCounts)] {
    counts.map { ($0.key, $0.value) }.sorted { ($1.counts.scans, $0.name) < ($0.counts.scans, $1.name) }
  }

  /// All together.
  package var sum: ReportCounts { counts.values.reduce(ReportCounts(), +) }
}
