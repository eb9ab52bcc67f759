/// Comma-separated values by RFC 4180, read from bytes: an optional UTF-8 mark at the start, lines ended by LF or CRLF,
/// quoted fields that may hold commas, doubled quotes and line ends. Blank lines are skipped.
struct CommaSeparated: Sendable {
  /// One record and the line (from 1) that it begins on.
  struct Record: Sendable, Equatable {
    var line: Int
    var fields: [String]
  }

  /// Something wrong in the file, at a line.
  struct Problem: Sendable, Equatable {
    var line: Int
    var text: String
  }

  private(set) var records: [Record] = []
  private(set) var problems: [Problem] = []

  private enum Position { case start, plain, quoted, afterQuote }

  init(_ bytes: [UInt8]) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    var position = Position.start
    var line = 1
    var began = 1
    var field: [UInt8] = []
    var fields: [String] = []
    var isSound = true

    func note(_ text: String, at line: Int) {
      // One problem a record: what follows the first is seldom meant.
      if isSound { problems.append(Problem(line: line, text: text)) }
      isSound = false
    }
    func endField() {
      if let text = String(validating: field, as: UTF8.self) {
        fields.append(text)
      } else {
        note("is not UTF-8; save the file as UTF-8", at: line)
      }
      field.removeAll(keepingCapacity: true)
      position = .start
    }
    func endRecord() {
      endField()
      let isBlank = fields.count == 1 && fields.first?.isEmpty == true
      if isSound, !isBlank { records.append(Record(line: began, fields: fields)) }
      fields.removeAll(keepingCapacity: true)
      isSound = true
    }

    let content = hasMark ? bytes.dropFirst(3) : bytes[...]
    var index = content.startIndex
    while index < content.endIndex {
      let byte = content[index]
      index += 1
      // CRLF ends a line as LF does; inside quotes it stays as it is.
      let isLineEnd = byte == 0x0A || (byte == 0x0D && index < content.endIndex && content[index] == 0x0A)
      switch (position, byte) {
      case (.quoted, 0x22): position = .afterQuote
      case (.quoted, _):
        field.append(byte)
        if byte == 0x0A { line += 1 }
      case (.afterQuote, 0x22):
        field.append(byte)
        position = .quoted
      case (_, 0x2C): endField()
      case (_, _) where isLineEnd:
        if byte == 0x0D { index += 1 }
        endRecord()
        line += 1
        began = line
      case (.start, 0x22): position = .quoted
      case (.plain, 0x22):
        note(
          "a quote inside a field that does not begin with one; quote the whole field and double this quote", at: line)
      case (.afterQuote, _):
        note("text after a closing quote; double a quote that belongs to the text", at: line)
        position = .plain
      default:
        field.append(byte)
        position = .plain
      }
    }
    if position == .quoted {
      note("a quoted field that begins in this record is never closed", at: began)
    }
    if position != .start || !field.isEmpty || !fields.isEmpty { endRecord() }
  }
}
