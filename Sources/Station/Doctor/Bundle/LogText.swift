internal import ScanModel

/// The service's log as a bundle has it. Pure.
enum LogText {
  /// Lines of verdicts end behind the shortened code: what follows it can be the holder's name, which the journal has forgotten by then.
  /// The others are as they are, cleaned.
  static func shown(_ text: String) -> String {
    text.split(separator: "\n").map { shown(line: TerminalText.clean(String($0), limit: 2_000)) + "\n" }.joined()
  }

  private static func shown(line: String) -> String {
    guard let mark = line.firstIndex(of: "…") else { return line }
    let code = line[line.index(after: mark)...].prefix { $0 != " " }
    // A shortened code has four characters at most, and two blanks behind it where more follows.
    guard code.count <= 4, line[code.endIndex...].hasPrefix("  ") else { return line }
    return String(line[..<code.endIndex])
  }
}
