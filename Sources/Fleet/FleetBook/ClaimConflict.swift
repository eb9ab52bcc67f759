package import ScanModel

/// Two admissions on a ticket that admits one of them: what a partition cost, where stations went on alone.
package struct ClaimConflict: Hashable, Sendable {
  /// Who was in.
  package var first: ClaimEntry
  /// Who came in besides.
  package var second: ClaimEntry

  /// What one claim shows: nobody is left out silently, whoever wrote last.
  /// - Parameter scan: of which admission alone; of all where it is `nil`.
  package static func found(
    in claim: Claim, _ rule: ClaimDemand.Rule, of scan: ScanID? = nil
  ) -> [ClaimConflict] {
    let all: [ClaimConflict]
    switch rule {
    case .quantity, .atMost:
      let inside = claim.entries.filter { $0.state == .admitted }
      guard let first = inside.first else { return [] }
      all = inside.dropFirst(claim.allowance(told: rule.told)).map { ClaimConflict(first: first, second: $0) }
      // Any of those who are in may be the one too many.
      if inside.contains(where: { $0.scan == scan }) { return all }
    case .interval(let interval):
      let settled = claim.entries.filter { $0.isSettled && $0.knownTime != nil }.sorted {
        ($0.knownTime ?? .distantPast) < ($1.knownTime ?? .distantPast)
      }
      all = zip(settled, settled.dropFirst()).compactMap { one, next in
        guard let from = one.knownTime, let to = next.knownTime, to - from < interval else { return nil }
        return ClaimConflict(first: one, second: next)
      }
    }
    return scan == nil ? all : all.filter { $0.first.scan == scan || $0.second.scan == scan }
  }
}

extension ClaimConflict {
  /// For people: it names both gates.
  package var words: String { "Two were admitted on one ticket: \(first.words), and \(second.words)." }
}

extension ClaimEntry {
  /// For people: at which gate of which station it was, and when as far as that is known (ISO 8601, UTC).
  package var words: String {
    "at gate \(TerminalText.clean(gate.name, limit: ClaimSeal.longestGate)) of station \(station)"
      + ((saidAt ?? at).map { " at \($0.iso8601)" } ?? "") + (isProvisional ? ", which was alone" : "")
  }
}

extension WallTime { fileprivate static let distantPast = WallTime(nanoseconds: .min) }

extension ClaimEntry {
  /// When it counts from, as far as that is known: what came with this very revision is as new as can be.
  fileprivate var knownTime: WallTime? {
    if let at, let saidAt { return min(at, saidAt) }
    return saidAt ?? at
  }
}
