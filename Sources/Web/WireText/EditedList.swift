/// A list that people edit: words in lines, and comments from a `#` on. Whatever editors do to the ends of lines and to the beginning of
/// a file is borne.
package struct EditedList: Sendable {
  /// A line with something in it.
  package struct Line: Sendable {
    /// Its number, from 1.
    package let number: Int
    /// Its words; at least one.
    package let words: [[UInt8]]
    /// Where each begins, from 1, and where the last one's end is.
    private let columns: [Int]

    fileprivate init?(_ line: ArraySlice<UInt8>, number: Int) {
      let text = line.prefix { $0 != UInt8(ascii: "#") }
      let words = text.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0 })
      guard !words.isEmpty else { return nil }
      self.number = number
      self.words = words.map { [UInt8]($0) }
      columns = (words.map(\.startIndex) + [text.endIndex]).map { $0 - line.startIndex + 1 }
    }

    /// Its first word in small letters.
    package var keyword: String { String(decoding: words[0], as: UTF8.self).lowercased() }

    /// A word as text.
    package func text(_ word: Int) -> String { String(decoding: words[word], as: UTF8.self) }

    /// Where a word begins, from 1; where the last one ends, if there is none.
    package func column(of word: Int) -> Int { columns[min(word, columns.count - 1)] }
  }

  /// Something that is wrong with it: where, and what.
  package struct Problem: Error, Sendable, Equatable {
    /// The line, from 1.
    package var line: Int
    /// The column, from 1.
    package var column: Int
    /// What is wrong, and what would be right.
    package var what: String

    package init(line: Int, column: Int, what: String) {
      self.line = line
      self.column = column
      self.what = what
    }
  }

  /// The lines with something in them.
  package let lines: [Line]

  /// Takes a list apart.
  /// - Throws: that it is surely another file.
  package init(_ bytes: [UInt8], mostBytes: Int, mostLines: Int) throws(Problem) {
    if bytes.count > mostBytes {
      throw Problem(line: 1, column: 1, what: "this is longer than \(mostBytes) bytes: the wrong file?")
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Problem(line: 1, column: 1, what: "the file is in UTF-16: save it as UTF-8 or ANSI")
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let lines = Self.split(text)
    if lines.count > mostLines {
      throw Problem(line: mostLines + 1, column: 1, what: "more than \(mostLines) lines: the wrong file?")
    }
    self.lines = lines.enumerated().compactMap { Line($0.element, number: $0.offset + 1) }
  }

  /// Lines end with LF, CR LF or CR; the last one need not.
  private static func split(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      lines.append(rest[..<end])
      rest = rest[(end + 1)...]
      if text[end] == 0x0D, rest.first == 0x0A { rest.removeFirst() }
    }
    if !rest.isEmpty { lines.append(rest) }
    return lines
  }
}
