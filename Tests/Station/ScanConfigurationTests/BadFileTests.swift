import Expectations
import Foundation
import Testing

@testable import ScanConfiguration

/// Each file in `bad/` holds faults, and at its end, behind `#!`, all that must be said of them.
///
/// `UPDATE_GOLDEN=1` writes what is said now; the difference is then read by a person.
@Suite struct BadFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "bad")
  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".yaml") }
    .sorted()

  @Test func thereAreManyBadFiles() {
    expect(Self.names.count >= 60)
  }

  @Test(arguments: names) func saysExactlyThis(name: String) throws {
    let file = Self.folder.appending(path: name)
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines.filter { $0.hasPrefix("#! ") }.map { String($0.dropFirst(3)) }
    let found = errors(in: text)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let body = lines.filter { !$0.hasPrefix("#! ") }.joined(separator: "\n")
      let comments = found.map { "#! \($0)\n" }.joined()
      try (body + comments).write(to: file, atomically: true, encoding: .utf8)
    } else {
      expectEqual(found, expected)
    }
    expect(!found.isEmpty)
    expect(!found.joined().contains("hunter2"), "a secret must not be repeated")
    expect(!found.joined().unicodeScalars.contains { $0.value < 0x20 }, "an error steers no terminal")
  }
}
