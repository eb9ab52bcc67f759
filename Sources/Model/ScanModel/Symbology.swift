/// A kind of code that a camera can read. The raw values are the names in the configuration, in events and on the command line.
///
/// UPC-A, UPC-E and EAN are one family: a UPC-A symbol *is* an EAN-13 symbol with a leading zero. It is told as `upcA` with its
/// 12 digits where `upcA` is wanted, else as `ean13` with 13 where that is.
package enum Symbology: String, CaseIterable, Sendable, Hashable {
  /// QR Code, model 2 (ISO/IEC 18004).
  case qr
  /// EAN-13 (ISO/IEC 15420).
  case ean13
  /// EAN-8 (ISO/IEC 15420).
  case ean8
  /// UPC-A (ISO/IEC 15420).
  case upcA
  /// UPC-E (ISO/IEC 15420), told in its eight digits.
  case upcE
  /// Code 128 and GS1-128 (ISO/IEC 15417).
  case code128
  /// Code 39 (ISO/IEC 16388).
  case code39
  /// Code 93 (AIM USS-93).
  case code93
  /// Interleaved 2 of 5 (ISO/IEC 16390).
  case itf
  /// Codabar (EN 798), told with its start and stop characters.
  case codabar
  /// GS1 DataBar Omnidirectional (ISO/IEC 24724).
  case dataBar
  /// GS1 DataBar Expanded (ISO/IEC 24724).
  case dataBarExpanded

  /// The kinds that consist of bars only.
  package static let linear: Set<Symbology> = Set(allCases).subtracting([.qr])

  /// The AIM identifier of a symbol without options, such as `]Q1` (ISO/IEC 15424).
  package var plainIdentifier: AIMIdentifier? {
    let text: StaticString
    switch self {
    case .qr: text = "Q1"
    case .ean13, .upcA, .upcE: text = "E0"
    case .ean8: text = "E4"
    case .code128: text = "C0"
    case .code39: text = "A0"
    case .code93: text = "G0"
    case .itf: text = "I0"
    case .codabar: text = "F0"
    case .dataBar, .dataBarExpanded: text = "e0"
    }
    return text.withUTF8Buffer { AIMIdentifier(letter: $0[0], modifier: $0[1]) }
  }
}

/// Some kinds of codes, one bit each: small enough to be sent.
package struct SymbologySet: OptionSet, Sendable, Hashable {
  /// One bit for each kind, in the order of `Symbology.allCases`.
  package let rawValue: UInt16

  /// The kinds of these bits; bits without a kind are dropped.
  package init(rawValue: UInt16) { self.rawValue = rawValue & Self.mask }

  /// These kinds.
  package init(_ kinds: some Sequence<Symbology>) { self.init(rawValue: kinds.reduce(0) { $0 | Self.bit($1) }) }

  /// Every kind.
  package static let all = SymbologySet(Symbology.allCases)
  /// QR Code alone: what a camera reads until more is configured.
  package static let qr = SymbologySet([Symbology.qr])
  /// All that consist of bars only.
  package static let linear = SymbologySet(Symbology.linear)

  /// Whether this kind is among them.
  package func contains(_ kind: Symbology) -> Bool { rawValue & Self.bit(kind) != 0 }

  /// The kinds, in the order of `Symbology.allCases`.
  package var kinds: [Symbology] { Symbology.allCases.filter { contains($0) } }

  private static let mask: UInt16 = (1 << UInt16(Symbology.allCases.count)) - 1

  private static func bit(_ kind: Symbology) -> UInt16 { 1 << UInt16(Symbology.allCases.firstIndex(of: kind) ?? 0) }
}
