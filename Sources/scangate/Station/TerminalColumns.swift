/// How wide text is on a terminal.
enum TerminalColumns {
  /// The columns that a text takes. Where terminals differ, the most that one takes.
  static func count(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + count($1) } }

  /// The beginning of a text that fits.
  static func prefix(_ text: String, _ columns: Int) -> String {
    var taken = 0
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix {
          taken += count($0)
          return taken <= columns
        }))
  }

  /// The columns of one character; of a mark that stands on another one, none.
  static func count(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    // What makes an emoji of the character before it makes that one wide.
    if scalar.value == 0xFE0F { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// By Unicode's East Asian Width: blocks in which all are wide, or most.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB,
    0x1F300...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
