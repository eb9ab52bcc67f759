internal import ScanModel

/// Votes for the EAN and UPC codes that our own reading of a strip's lines tells.
struct RetailVotes {
  private let kinds: SymbologySet
  private var runs = BarRuns()
  private var long = RetailLines(half: 6)
  private var short = RetailLines(half: 4)

  init(_ kinds: SymbologySet) { self.kinds = kinds }

  /// Reads the lines of a strip. A line of ours counts twice: it has been compared with all others, and knows how far ink has spread.
  mutating func vote(_ strip: GreyImage, _ votes: inout LinearVotes) {
    let wantsLong = kinds.contains(.ean13) || kinds.contains(.upcA)
    guard wantsLong || kinds.contains(.ean8) else { return }
    long.removeAll()
    short.removeAll()
    for line in 0..<strip.height / StripSampler.rowsPerLine {
      runs.find(strip.pixels + StripSampler.row(ofLine: line) * strip.stride, count: strip.width, parts: 12)
      if wantsLong { long.add(runs) }
      if kinds.contains(.ean8) { short.add(runs) }
    }
    long.texts { digits, lines in
      let isUPC = digits.first == UInt8(ascii: "0") && kinds.contains(.upcA)
      guard isUPC || kinds.contains(.ean13) else { return }
      votes.add(Self.symbol(isUPC ? .upcA : .ean13, Array(digits.dropFirst(isUPC ? 1 : 0))), lines: 2 * lines)
    }
    short.texts { digits, lines in votes.add(Self.symbol(.ean8, digits), lines: 2 * lines) }
  }

  private static func symbol(_ kind: Symbology, _ digits: [UInt8]) -> SeenSymbol {
    SeenSymbol(
      symbology: kind, identifier: kind.plainIdentifier, bytes: digits, text: String(decoding: digits, as: UTF8.self))
  }
}
