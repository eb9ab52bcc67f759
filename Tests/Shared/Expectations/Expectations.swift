import Foundation
package import Testing

/// Fails the running test unless something holds.
///
/// As `#expect` does, by a function: the macro takes the compiler twenty times as long (docs/decisions/0019-expectations-without-a-macro.md).
///
/// - Parameters:
///   - holds: What has to be so.
///   - comment: What the reader of a failure needs to know besides; made where it fails.
package func expect(
  _ holds: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !holds else { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  fail("not so: \(statement(inFile: filePath, line: line))", comment(), at: place)
}

/// Fails the running test, and tells both, unless a value equals the expected one; see `expect`.
package func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard value != expected else { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  fail("\(String(reflecting: value)), expected: \(String(reflecting: expected))", comment(), at: place)
}

private func fail(_ found: String, _ comment: Comment?, at place: SourceLocation) {
  Issue.record("\(found)\(comment.map { ", \($0.rawValue)" } ?? "")", sourceLocation: place)
}

/// The statement that begins in a line of a file: to the line with its last parenthesis.
private func statement(inFile path: String, line: Int) -> String {
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return "" }
  var open = 0
  var said: [String] = []
  for line in text.components(separatedBy: "\n").dropFirst(line - 1) {
    said.append(line.trimmingCharacters(in: .whitespaces))
    open += line.count { $0 == "(" } - line.count { $0 == ")" }
    if open <= 0 { break }
  }
  return said.joined(separator: " ")
}
