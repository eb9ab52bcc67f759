import Expectations
import Foundation
import Testing

/// The demo by its plain face: the same pipeline as the service, over real HTTP.
@Suite struct DemoTests {
  /// The codes that the demo tells on standard error, by what they are to show.
  private static func codes() async throws -> [(expectation: String, code: String)] {
    let told = try await Program.run(["demo", "--plain"]).errors
    return told.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("  ") else { return nil }
      let words = line.split(separator: " ").map(String.init)
      guard let code = words.last, words.count > 1 else { return nil }
      return (words.dropLast().joined(separator: " "), code)
    }
  }

  @Test func eachKindOfCodeIsDecidedAsTold() async throws {
    let codes = try await Self.codes()
    let kinds = Set(codes.map(\.expectation))
    expect(
      kinds.isSuperset(of: [
        "admit", "admit (twice)", "refuse unpaid", "refuse cancelled", "refuse refunded", "refuse expired",
        "refuse wrongDay", "refuse notAuthorised", "refuse notFound", "refuse unreadable",
      ]))
    expect(codes.contains { $0.code.contains("/ticket/view/") })
    let result = try await Program.run(
      ["demo", "--plain"], input: [UInt8]((codes.map(\.code).joined(separator: "\n") + "\n").utf8))
    expectEqual(result.status, 0)
    expectEqual(result.lines.count, codes.count)
    for (line, code) in zip(result.lines, codes) {
      let verdict = code.expectation.replacing(" (twice)", with: "")
      expect(line.hasPrefix(verdict + " "), "\(code.expectation): \(line)")
      expect(!line.contains(code.code), "a whole code was printed: \(line)")
    }
  }

  @Test func theSecondTimeIsAlreadyUsedAndASaleOfTwoAdmitsTwo() async throws {
    let codes = try await Self.codes()
    let single = try #require(codes.first { $0.expectation == "admit" }).code
    let sale = try #require(codes.first { $0.expectation == "admit (twice)" }).code
    let typed = [single, single, "https://example.org/base/ticket/view/abc/\(single)/?from=mail", sale, sale, sale]
    let result = try await Program.run(["demo", "--plain"], input: [UInt8](typed.joined(separator: "\n").utf8))
    expectEqual(
      result.lines.map { $0.split(separator: "  ").first.map(String.init) ?? "" },
      [
        "admit", "refuse alreadyUsed", "refuse alreadyUsed", "admit", "admit", "refuse alreadyUsed",
      ])
    expectEqual(result.status, 0)
  }

  @Test func theReadmeTellsACodeThatAdmits() async throws {
    let readme = repositoryFile("README.md")
    let text = try String(contentsOf: readme.standardizedFileURL, encoding: .utf8)
    let code = try #require(try await Self.codes().first { $0.expectation == "admit" }).code
    expect(text.contains(code))
  }

  @Test func noiseIsRefusedAndNothingRawReachesTheTerminal() async throws {
    var input = [UInt8]("\u{1B}[2J\u{1B}]0;owned\u{07}code-with-escapes\n".utf8)
    input += (0...255).map { UInt8($0) }.filter { $0 != 0x0A && $0 != 0x0D } + [0x0A]
    input += [UInt8](repeating: UInt8(ascii: "x"), count: 200_000) + [0x0A]
    let result = try await Program.run(["demo", "--plain"], input: input)
    expectEqual(result.status, 0)
    expectEqual(result.lines.count, 3)
    expectEqual(result.lines.first?.hasPrefix("refuse "), true)
    expectEqual(result.lines.dropFirst().first?.hasPrefix("refuse unreadable"), true)
    expectEqual(result.lines.last, "discarded tooLong")
    let control = result.output.unicodeScalars.filter {
      $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value)
    }
    expect(control.isEmpty)
  }

  @Test func emptyInputEndsAtOnce() async throws {
    let result = try await Program.run(["demo", "--plain"])
    expectEqual(result.status, 0)
    expect(result.lines.isEmpty)
  }
}
