import Expectations
import Foundation
import Testing

@testable import ScanConfiguration

/// What no honest file is: answered, and soon.
@Suite struct LimitTests {
  @Test func emptyFile() {
    let words = "1:1: the file is empty; begin with \"version: 1\"; docs/configuration.md shows a whole file"
    expectEqual(errors(in: ""), [words])
    expectEqual(errors(in: "\n\n"), [words])
    expectEqual(errors(in: [0xEF, 0xBB, 0xBF]), [words])
  }

  @Test func byteOrderMarkMovesNothing() {
    expectEqual(errors(in: [0xEF, 0xBB, 0xBF] + [UInt8](goodFile.utf8)), [])
    expect(errors(in: [0xEF, 0xBB, 0xBF] + [UInt8]("version: 2".utf8)).contains { $0.hasPrefix("1:10: ") })
  }

  @Test func otherEncodings() {
    expectEqual(errors(in: [0xFF, 0xFE, 0x76, 0x00]), ["1:1: the file is UTF-16; save it as UTF-8"])
    let latin = [UInt8]("version: 1\nstation: { name: T".utf8) + [0xFC] + [UInt8]("r }\n# ".utf8) + [0xE9, 0x0A]
    expectEqual(
      errors(in: latin),
      [
        "2:19: a byte that is no UTF-8; save the file as UTF-8", "3:3: a byte that is no UTF-8; save the file as UTF-8",
      ])
    expectEqual(errors(in: [UInt8](repeating: 0, count: 100_000)).count, 20)
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func countsLines(ending: String) {
    let text = (goodFile + "    deadline: 1\n").replacingOccurrences(of: "\n", with: ending)
    expectEqual(errors(in: text), ["12:15: \"gates.north.deadline\" has no unit: \"1\"; write \"1 s\""])
    expectEqual(errors(in: goodFile.replacingOccurrences(of: "\n", with: ending)), [])
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func findsDuplicatesAtAnyLineEnding(ending: String) {
    let text = (goodFile + "    queue: 1\n    \"queue\": 2\n    'queue': 3\n").replacingOccurrences(
      of: "\n", with: ending)
    expectEqual(
      errors(in: text),
      [
        "13:5: the key \"queue\" is given twice, first in line 12; keep one of them",
        "14:5: the key \"queue\" is given twice, first in line 12; keep one of them",
      ])
  }

  @Test func tooLarge() {
    let words = "1:1: the file has 1048577 bytes; a configuration has at most 1048576 (1 MiB)"
    expectEqual(errors(in: [UInt8](repeating: 0x23, count: 1 << 20 + 1)), [words])
    expectEqual(errors(in: [UInt8](goodFile.utf8) + [UInt8](repeating: 0x23, count: 1 << 20 - goodFile.utf8.count)), [])
  }

  @Test(arguments: [
    ("[", 100_000), ("{", 100_000), ("- ", 100_000), ("? ", 100_000), ("a: [", 50_000), ("[[{", 30_000),
    ("&a ", 50_000),
    ("!", 100_000), ("*a ", 50_000), ("\"", 100_001), ("a\n", 100_000), ("a: 1\n", 50_000), ("- a\n", 100_000),
    (": ", 100_000),
    ("|\n", 50_000), ("---\n", 50_000), ("%", 50_000), ("'", 99_999), (" ", 500_000), ("\t", 500_000),
  ]) func repeated(part: String, most: Int) {
    let count = most / extent(landing: 4, release: 1)
    expect(!errors(in: String(repeating: part, count: count)).isEmpty)
    expect(!errors(in: goodFile + String(repeating: part, count: count)).isEmpty || part == " ")
  }

  @Test func aliasesOfAliases() {
    // Eight levels of two aliases each: allowed by number, and 256 copies small.
    var text = "l0: &l0 [x, x]\n"
    for level in 1...8 { text += "l\(level): &l\(level) [*l\(level - 1), *l\(level - 1)]\n" }
    expect(errors(in: text).contains { $0.contains("unknown key \"l8\"") })
    text += "l9: &l9 [*l8, *l8]\n"
    expectEqual(errors(in: text), ["10:10: more than 16 aliases (*name) in one file; write the values out"])
  }

  @Test func manyDuplicates() {
    let text = goodFile + (0..<200).map { "k\($0 % 100): 1\n" }.joined()
    expect(!errors(in: text).isEmpty)
  }

  @Test func escapesNeverReachATerminal() {
    let found = errors(in: goodFile + "    \"a\\x1b[31mb\\n\\u202Ec\": 1\n")
    expect(found.count == 1 && found.first?.contains("\"a·[31mb··c\"") == true)
    let long = errors(in: goodFile + "    \(String(repeating: "k", count: 900)): 1\n")
    expect(long.count == 1 && (long.first?.utf8.count ?? 0) < 300)
  }

  @Test(arguments: [
    "\"\\uD800\"", "\"\\UFFFFFFFF\"", "\"\\xff\"", "!<%ff> x", "!%C3%28 x", "&\u{1F600} x", "*\u{1F600}", "! x",
    "!!str x",
    "!!map x", "!!seq x", "? x", "- x", "|", ">-", "|9", "&a", "&a *a", "{? }", "[? ]", "{,}", "\"\\",
  ]) func oddValues(value: String) {
    // The limit is a whole number, so that no other value can pass.
    let found = errors(in: goodFile + "    queue: \(value)\n")
    expect(!found.isEmpty)
  }

  @Test(arguments: ["%YAML 3.1\n---\n", "%TAG ! %ff\n---\n", "%TAG ! tag:x,2000:\n---\n", "%\n---\n", "--- !!set\n"])
  func oddDirectives(text: String) {
    let found = errors(in: text + goodFile)
    expectEqual(found, errors(in: text + goodFile), "the same words each time")
    expect(found.allSatisfy { $0.first?.isNumber == true })
  }

  @Test func nullByteInText() {
    expectEqual(
      errors(in: goodFile.replacingOccurrences(of: "{ vendor: \"0c2e\" }", with: "{ serial: \"S\\0X\" }")),
      ["6:44: \"readers.scanner.match.serial\" cannot be \"S·X\"; write a text of 1 to 126 bytes"])
  }
}
