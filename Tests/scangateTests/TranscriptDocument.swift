import Expectations
import Foundation
import Testing

/// A page of `docs` that a test writes from what commands print; `UPDATE_DOCS=1` writes it anew.
enum TranscriptDocument {
  /// Expects the page to be what was recorded.
  static func expect(_ text: String, in path: String) throws {
    let document = repositoryFile(path)
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
      try text.write(to: document, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: document, encoding: .utf8)
    expectEqual(text, written, "write it anew with UPDATE_DOCS=1, and look at what changed")
  }

  /// A command as somebody types it, and what it prints: standard error is marked, an exit status other than 0 told.
  /// - Parameter typed: what is typed and not shown, in words.
  static func block(_ command: String, _ result: Program.Result, typed: String? = nil) -> String {
    var block = "$ \(command)" + (typed.map { "   # \($0) is typed, and not shown" } ?? "") + "\n" + result.output
    block += result.errors.split(separator: "\n").map { "! \($0)\n" }.joined()
    return result.status == 0 ? block : block + "(ends with \(result.status))\n"
  }

  /// Words as they are typed in a shell.
  static func line(_ words: [String]) -> String {
    words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
  }
}
