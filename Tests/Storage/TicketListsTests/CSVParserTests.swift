import Expectations
import ScanTesting
import Testing

@testable import TicketLists

/// Comma-separated values, as spreadsheets and ticket systems write them.
@Suite struct CSVParserTests {
  private struct Parsed: Equatable {
    var line: Int
    var fields: [[UInt8]]
    var problem: String?
  }

  private func parse(_ bytes: [UInt8], separator: UInt8 = 0x2C, pieces: Int = .max) -> [Parsed] {
    var parser = CSVParser(separator: separator)
    var found: [Parsed] = []
    func take(_ record: borrowing CSVRecord) {
      var fields: [[UInt8]] = []
      for index in 0..<record.count { fields.append([UInt8](record[index])) }
      found.append(Parsed(line: record.line, fields: fields, problem: record.problem))
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      parser.take(Array(rest.prefix(pieces)), take)
      rest = rest.dropFirst(min(pieces, rest.count))
    }
    parser.finish(take)
    return found
  }

  private func texts(_ text: String) -> [[String]] {
    parse([UInt8](text.utf8)).map { $0.fields.map { String(decoding: $0, as: UTF8.self) } }
  }

  @Test func quotesSeparatorsAndLineEndsAreRead() {
    expectEqual(
      texts("a,b\r\n\"x,\"\"1\"\"\",\"two\r\nlines\"\n,\n\n\r\nlast,"),
      [
        ["a", "b"], ["x,\"1\"", "two\r\nlines"], ["", ""], ["last", ""],
      ])
    expectEqual(texts("old\rmac\r"), [["old"], ["mac"]])
    // As most programs read them: a quote within a field is itself.
    expectEqual(texts("5\" disc,b"), [["5\" disc", "b"]])
    expectEqual(parse([UInt8]("a\n\"b\nc\"\nd".utf8)).map(\.line), [1, 2, 4])
  }

  @Test func whatIsWrongIsToldByItsLineAndTheNextLineIsReadAgain() {
    let found = parse([UInt8]("a,b\n\"x\"y,1\nc,d\n\"open\ne,f".utf8))
    expectEqual(found.map(\.line), [1, 2, 3, 4])
    expectEqual(found.map { $0.problem != nil }, [false, true, false, true])
    // A quote that is never closed swallows 64 KiB, not the file.
    let long = [UInt8]("a\n\"b\n".utf8) + [UInt8](repeating: 0x78, count: 70_000) + [UInt8]("\nlast\n".utf8)
    let after = parse(long, pieces: 4_096)
    expectEqual(after.map { $0.problem != nil }, [false, true, false])
    expectEqual(after.last?.fields, [[UInt8]("last".utf8)])
    let wide = parse([UInt8](repeating: 0x2C, count: 1_000) + [0x0A, 0x61])
    expectEqual(wide.map { $0.problem != nil }, [true, false])
  }

  @Test(arguments: ["a,b;c;d": ";", "a\tb": "\t", "a": ",", "\"a;b;c\",d": ",", "a;b\nx,y,z,1,2": ";"])
  func theSeparatorIsFoundInTheHeader(header: String, separator: String) {
    expectEqual([CSVParser.separator(of: [UInt8](header.utf8))], [UInt8](separator.utf8))
  }

  /// Whatever is written comes back, in whatever pieces it comes.
  @Test(arguments: 0..<200) func whatIsWrittenIsReadBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let separator: UInt8 = [0x2C, 0x3B, 0x09].randomElement(using: &random) ?? 0x2C
    let alphabet = [UInt8]("abc,;\"\r\n\t 1é".utf8)
    var records: [[[UInt8]]] = []
    var file: [UInt8] = []
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      var fields: [[UInt8]] = []
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        fields.append(
          (0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
      }
      // An empty line is no record.
      if fields == [[]] { fields = [[0x61]] }
      records.append(fields)
      for (index, field) in fields.enumerated() {
        if index > 0 { file.append(separator) }
        let mustQuote = field.contains { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D || $0 == separator }
        if mustQuote || random.chance(30) {
          file.append(0x22)
          for byte in field { file += byte == 0x22 ? [0x22, 0x22] : [byte] }
          file.append(0x22)
        } else {
          file += field
        }
      }
      file += [[0x0A], [0x0D, 0x0A], [0x0D]].randomElement(using: &random) ?? [0x0A]
    }
    let found = parse(file, separator: separator, pieces: Int.random(in: 1...50, using: &random))
    // A first empty quoted field alone is a blank line too; the generator makes none.
    expectEqual(found.map(\.fields), records, "seed \(seed)")
    expect(found.allSatisfy { $0.problem == nil }, "seed \(seed)")
  }

  /// Arbitrary bytes end nothing and hold little.
  @Test(arguments: 0..<100) func arbitraryBytesAreRead(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let some = [UInt8]("\"\",;\n\r".utf8)
    let bytes = (0..<5_000).map { _ in
      random.chance(40) ? some.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
    }
    let whole = parse(bytes)
    expectEqual(whole, parse(bytes, pieces: Int.random(in: 1...100, using: &random)), "seed \(seed)")
    expectEqual(whole.map(\.line), whole.map(\.line).sorted(), "seed \(seed)")
  }
}

/// How the text of files is written.
@Suite struct TextEncodingTests {
  private func decode(_ bytes: [UInt8], _ encoding: TextEncoding, pieces: Int) -> String {
    var decoder = TextDecoder(encoding)
    var text: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      text += decoder.decode(rest.prefix(pieces))
      rest = rest.dropFirst(min(pieces, rest.count))
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func marksAreKnown() {
    expectEqual(TextEncoding.marked([0xEF, 0xBB, 0xBF, 0x61])?.encoding, .utf8)
    expectEqual(TextEncoding.marked([0xFF, 0xFE, 0x61, 0])?.encoding, .utf16LittleEndian)
    expectEqual(TextEncoding.marked([0xFE, 0xFF, 0, 0x61])?.encoding, .utf16BigEndian)
    expect(TextEncoding.marked([0x61, 0x62]) == nil)
  }

  @Test(arguments: 1...7) func textComesBackInWhateverPieces(pieces: Int) {
    let text = "Ticket;für;10 €;𝄞;ж"
    let units = Array(text.utf16)
    expectEqual(decode(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, .utf16LittleEndian, pieces: pieces), text)
    expectEqual(decode(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, .utf16BigEndian, pieces: pieces), text)
    expectEqual(decode([0x66, 0xFC, 0x72, 0x20, 0x80, 0x9F], .windows1252, pieces: pieces), "für €Ÿ")
    // Half a character is none.
    expectEqual(decode([0x3D, 0xD8, 0x61, 0x00], .utf16LittleEndian, pieces: pieces), "\u{FFFD}a")
  }

  @Test(arguments: 1...5) func piecesOfUTF8AreUTF8Together(pieces: Int) {
    func isValid(_ bytes: [UInt8]) -> Bool {
      var check = UTF8Check()
      var rest = bytes[...]
      while !rest.isEmpty {
        check.take(Array(rest.prefix(pieces)))
        rest = rest.dropFirst(min(pieces, rest.count))
      }
      check.finish()
      return check.isValid
    }
    expect(isValid([UInt8]("für 10 € 𝄞".utf8)))
    expect(!isValid([0x66, 0xFC, 0x72]))
    expect(!isValid([0x66, 0xE2, 0x82]))
    expect(!isValid([0x80]))
  }
}
