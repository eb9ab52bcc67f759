internal import ScanModel

/// Values of comma-separated text (RFC 4180), safe to open in a spreadsheet.
package enum CSVCell {
  /// The longest value in characters; longer ones are cut.
  private static let longest = 4_096

  /// One value. A spreadsheet calculates what begins like a formula: an apostrophe before it keeps it text. Characters that
  /// could harm a terminal are shown as a middle dot.
  package static func text(_ text: String) -> String {
    let begins = text.unicodeScalars.first
    let isFormula = begins.map { "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0) } ?? false
    let cleaned = (isFormula ? "'" : "") + TerminalText.clean(text, limit: longest)
    guard cleaned.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return cleaned }
    return "\"" + cleaned.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
