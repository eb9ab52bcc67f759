/// Text from a scanner or a server, made safe to show: nothing in it can move a cursor, clear a screen, ring a bell or
/// reverse the reading direction.
package enum TerminalText {
  /// `text` with each harmful character shown as a middle dot, cut to `limit` characters.
  package static func clean(_ text: String, limit: Int = 200) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit {
        result.append("…")
        break
      }
      result.append(isHarmless(scalar) ? scalar : "·")
      count += 1
    }
    return String(result)
  }

  /// Whether a character is shown as itself and does nothing else.
  package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20...0x7E).contains(scalar.value) { return true }
    // Letters that show nothing, such as Hangul's fillers.
    if scalar.properties.isDefaultIgnorableCodePoint, !scalar.properties.isVariationSelector { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
