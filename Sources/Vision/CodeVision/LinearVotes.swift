internal import ScanModel

/// Counts the lines that read each text, and tells which of them count: a single line can misread.
struct LinearVotes {
  private struct Candidate {
    var symbol: SeenSymbol
    var lines: Int
  }

  private var candidates: [Candidate] = []

  var isEmpty: Bool { candidates.isEmpty }

  mutating func removeAll() { candidates.removeAll(keepingCapacity: true) }

  /// So many lines read this.
  mutating func add(_ symbol: SeenSymbol, lines: Int) {
    if let index = candidates.firstIndex(where: {
      $0.symbol.symbology == symbol.symbology && $0.symbol.bytes == symbol.bytes
    }) {
      candidates[index].lines += lines
    } else {
      candidates.append(Candidate(symbol: symbol, lines: lines))
    }
  }

  /// What enough lines agree on, against the others that were read in the same place.
  ///
  /// Other texts of its family in the place count against it: they cannot be right as well, unless as many lines say so.
  var winners: [SeenSymbol] {
    var winners: [SeenSymbol] = []
    for candidate in candidates where candidate.lines >= Self.leastLines(candidate.symbol) {
      let rival = candidates.reduce(0) { most, other in
        let isRival =
          other.symbol.bytes != candidate.symbol.bytes && Self.family(other.symbol) == Self.family(candidate.symbol)
        return isRival ? max(most, other.lines) : most
      }
      if candidate.lines >= 2 * rival { winners.append(candidate.symbol) }
    }
    return winners
  }

  /// Kinds with strong checks of their own need few lines; those that read parts of others, or stripes, need more.
  static func leastLines(_ symbol: SeenSymbol) -> Int {
    switch symbol.symbology {
    case .qr: 1
    case .code128, .code93: 2
    case .ean13, .upcA, .ean8, .code39, .codabar, .itf, .dataBar, .dataBarExpanded: 3
    case .upcE: 4
    }
  }

  /// Kinds that misread one another.
  private static func family(_ symbol: SeenSymbol) -> Int {
    switch symbol.symbology {
    case .ean13, .upcA, .ean8, .upcE: 0
    case .dataBar, .dataBarExpanded: 1
    case .qr: 2
    case .code128: 3
    case .code39: 4
    case .code93: 5
    case .itf: 6
    case .codabar: 7
    }
  }
}
