internal import Foundation
internal import ScanModel

/// What a server's database may overlook in a secret. It is kept by MySQL, SQLite or PostgreSQL, and nothing tells which; the
/// widest of their usual collations is MySQL's `utf8mb4_unicode_ci`: it ignores case, marks on letters, width, controls and
/// invisible characters wherever they stand, and blanks at the end (MySQL Reference Manual, “Unicode Character Sets” and “The
/// CHAR and VARCHAR Types”).
enum CodeFolding {
  /// The folded key. Of two codes that differ in more than that it is not the same.
  static func key(of code: Code) -> TicketKey {
    let isPlain = code.bytes.allSatisfy { (0x21...0x7E).contains($0) }
    let folded = isPlain ? code.bytes.map(lowerCase) : folded(code.text)
    // Of nothing but what is overlooked nothing is left.
    return TicketKey(folded.isEmpty ? code.bytes : folded)
  }

  private static func lowerCase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static func folded(_ text: String) -> [UInt8] {
    // There and back: ß and ẞ are both SS in capitals. What case has added may carry marks of its own.
    let folded = withoutOverlooked(withoutOverlooked(text).lowercased().uppercased().lowercased())
    return [UInt8](folded.utf8.reversed().drop { $0 == 0x20 }.reversed())
  }

  private static func withoutOverlooked(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars where !isOverlooked(scalar) {
      kept.append(scalar)
    }
    return String(kept)
  }

  private static func isOverlooked(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark, .spacingMark, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
