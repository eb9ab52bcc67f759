package import ScanModel

/// Turns the bytes of a raw read into a code.
package enum Normaliser {
  /// The code in `bytes`, or `nil` where they are not UTF-8 or nothing is left after trimming.
  ///
  /// Trimmed at both ends: white space (Unicode `White_Space`), control characters (`Cc`) and marks that take no room and
  /// that copied text drags along: U+200B to U+200F (zero-width space and joiners, direction marks), U+2060 (word joiner)
  /// and U+FEFF (byte order mark). GS (U+001D) is data of GS1 codes: it is never trimmed, and trimming stops at it.
  /// Nothing inside is touched and nothing is composed or decomposed: codes are compared as bytes. Applying it twice
  /// changes nothing.
  package static func normalise(_ bytes: [UInt8]) -> Code? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isTrimmed($0) }),
      let last = scalars.lastIndex(where: { !isTrimmed($0) })
    else { return nil }
    return Code(bytes: [UInt8](text[first...last].utf8))
  }

  private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1D: false
    case 0x21...0x7E: false
    case 0x200B...0x200F, 0x2060, 0xFEFF: true
    default: scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
  }
}
