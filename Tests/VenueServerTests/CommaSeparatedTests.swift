import Expectations
import Testing

@testable import VenueServer

@Suite struct CommaSeparatedTests {
  private func fields(_ text: String) -> [[String]] { CommaSeparated([UInt8](text.utf8)).records.map(\.fields) }

  @Test func lineEndsMarkQuotesAndBlankLines() {
    expectEqual(fields(""), [])
    expectEqual(fields("a,b\nc,d"), [["a", "b"], ["c", "d"]])
    expectEqual(fields("a,b\r\nc,d\r\n"), [["a", "b"], ["c", "d"]])
    expectEqual(fields("\u{FEFF}a,b\n\n\r\n,\n"), [["a", "b"], ["", ""]])
    expectEqual(fields("\"a,\"\"b\"\"\",\"two\nlines\"\n\"\",x"), [["a,\"b\"", "two\nlines"], ["", "x"]])
    expectEqual(fields("\u{FEFF}\"quoted\",b"), [["quoted", "b"]])
  }

  @Test func recordsKnowTheirLine() {
    let file = CommaSeparated([UInt8]("h\n\n\"1\n2\n3\"\nx\r\n\r\ny".utf8))
    expectEqual(file.records.map(\.line), [1, 3, 6, 8])
    expect(file.problems.isEmpty)
  }

  @Test func faultsNameTheirLineAndSpoilOnlyTheirRecord() {
    let file = CommaSeparated([UInt8]("a\nb\"c\n\"d\"e\nf\n".utf8) + [0xFF, 0x0A] + [UInt8]("g\n\"open\nend".utf8))
    expectEqual(file.problems.map(\.line), [2, 3, 5, 7])
    expectEqual(file.records.map(\.fields), [["a"], ["f"], ["g"]])
  }

  @Test(arguments: [UInt64(7), 99]) func whatIsWrittenIsRead(seed: UInt64) {
    var random = SecretSource(number: seed)
    let alphabet: [Character] = ["a", ",", "\"", "\n", "\r", "é", " ", ";"]
    for _ in 0..<500 {
      let records = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (0..<Int.random(in: 2...4, using: &random)).map { _ in
          String(
            (0..<Int.random(in: 0...6, using: &random)).map { _ in alphabet[Int.random(in: 0..<8, using: &random)] })
        }
      }
      let text = records.map { record in
        record.map {
          "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }
        .joined(separator: ",")
      }.joined(separator: "\r\n")
      let file = CommaSeparated([UInt8](text.utf8))
      expect(file.problems.isEmpty)
      expectEqual(file.records.map(\.fields), records)
    }
  }

  @Test(arguments: [UInt64(3), 1_234]) func noiseNeitherTrapsNorSlipsThrough(seed: UInt64) {
    var random = SecretSource(number: seed)
    let palette: [UInt8] = [0x22, 0x2C, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFF, 0x00, 0x61]
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        palette[Int.random(in: 0..<10, using: &random)]
      }
      let file = CommaSeparated(bytes)
      let lines = bytes.count { $0 == 0x0A } + 1
      expect(file.records.allSatisfy { (1...lines).contains($0.line) && !$0.fields.isEmpty })
      expect(file.problems.allSatisfy { (1...lines).contains($0.line) })
    }
  }
}
