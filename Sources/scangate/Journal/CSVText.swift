import WireText
import ScanModel

/// Comma-separated values (RFC 4180), safe to open in a spreadsheet.
enum CSVText {
  /// One record with its line end.
  static func record(_ fields: [JournalField]) -> String {
    fields.map { field in
      switch field.value {
      case .text(let text): cell(text ?? "")
      case .number(let number): cell(String(number))
      case .milliseconds(let duration): JSONText.milliseconds(duration)
      case .truth(let truth): truth ? "true" : "false"
      }
    }.joined(separator: ",") + "\r\n"
  }

  /// The record of the columns' names.
  static func header(_ names: [String]) -> String { names.joined(separator: ",") + "\r\n" }

  /// One value. A spreadsheet calculates what begins like a formula: an apostrophe before it keeps it text. Characters that
  /// could harm a terminal are shown as a middle dot.
  static func cell(_ text: String) -> String {
    let begins = text.unicodeScalars.first
    let isFormula = begins.map { "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0) } ?? false
    let cleaned = (isFormula ? "'" : "") + TerminalText.clean(text, limit: 4_096)
    guard cleaned.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return cleaned }
    return "\"" + cleaned.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
