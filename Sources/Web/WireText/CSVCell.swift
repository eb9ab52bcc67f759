internal import ScanModel

/// Values of comma-separated text (RFC 4180), safe to open in a spreadsheet.
package enum CSVCell {
  /// The longest value in characters; longer ones are cut.
  private static let longest = 4_096

  /// One value. A spreadsheet calculates what begins like a formula: an apostrophe before it keeps it text. Characters that
  /// could harm a terminal are shown as a middle dot.
  package static func text(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { isOfFormula($0) || "\t\r\n".unicodeScalars.contains($0) } ?? false
    let cleaned = (isFormula ? "'" : "") + guarded(TerminalText.clean(text, limit: longest))
    guard cleaned.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return cleaned }
    return "\"" + cleaned.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Where the spreadsheet's own separator is a semicolon, as it is in half of Europe, another cell begins behind each: one that would be
  /// calculated has its apostrophe, too. Quotes round the whole do not help there.
  private static func guarded(_ text: String) -> String {
    guard text.contains(";") else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      result.append(scalar)
      guard scalar == ";", let next = rest.first(where: { $0 != " " && $0 != "\"" }), isOfFormula(next) else {
        continue
      }
      result.append("'")
    }
    return String(result)
  }

  /// Whether what begins with it is calculated, as typed on a keyboard of East Asia as well.
  private static func isOfFormula(_ scalar: Unicode.Scalar) -> Bool {
    "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(scalar)
  }
}
