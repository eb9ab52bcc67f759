import WireText

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

  /// One value, as `CSVCell` has it.
  static func cell(_ text: String) -> String { CSVCell.text(text) }
}
