/// One record of comma-separated values, and the line that it begins on.
struct CSVRecord: Equatable {
  /// From 1.
  var line = 1
  /// All fields' bytes, one after the other.
  fileprivate(set) var bytes: [UInt8] = []
  /// Where each field ends in `bytes`.
  fileprivate(set) var ends: [Int] = []
  /// Why it cannot be read; what it holds then means nothing.
  fileprivate(set) var problem: String?

  /// How many fields it has.
  var count: Int { ends.count }

  /// A field's bytes; none where it has no such field.
  subscript(index: Int) -> ArraySlice<UInt8> {
    guard ends.indices.contains(index) else { return [] }
    return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }
}

/// Comma-separated values (RFC 4180) in pieces, as they come from a file: lines ended by LF, CRLF or CR, quoted fields that may
/// hold separators, doubled quotes and line ends, blank lines skipped. Holds one record at a time, whatever comes.
///
/// ```
///            quote            quote                      quote: one quote
///  start ───────────▶ quoted ───────▶ afterQuote ──────────────────────▶ quoted
///    │ other                              │ separator, line end: the field is whole
///    ▼                                    │ other: the record is bad
///  plain ── separator, line end ─▶ start  ▼
///                          too long or bad ─▶ skipping ── line end ─▶ start
/// ```
struct CSVParser {
  /// The most bytes that one record may have: a quote that is never closed must not swallow the file.
  static let longestRecord = 65_536
  /// The most fields that one record may have.
  static let mostFields = 500

  private enum State { case start, plain, quoted, afterQuote, skipping }

  private let separator: UInt8
  private var state = State.start
  private var record = CSVRecord()
  private var line = 1
  private var isAfterReturn = false

  init(separator: UInt8) { self.separator = separator }

  /// Takes the next piece; calls `body` with each record that ends in it.
  mutating func take<Failure: Error>(
    _ piece: [UInt8], _ body: (borrowing CSVRecord) throws(Failure) -> Void
  ) throws(Failure) {
    for byte in piece {
      let isLineEnd = byte == 0x0A || byte == 0x0D
      // The second half of CRLF.
      if byte == 0x0A, isAfterReturn {
        isAfterReturn = false
        if state == .quoted { append(byte) }
        continue
      }
      isAfterReturn = byte == 0x0D
      if isLineEnd { line += 1 }
      switch state {
      case .quoted where byte == 0x22: state = .afterQuote
      case .quoted: append(byte)
      case .afterQuote where byte == 0x22:
        append(byte)
        if state != .skipping { state = .quoted }
      case _ where isLineEnd: try end(body)
      case .skipping: break
      case _ where byte == separator: endField()
      case .start where byte == 0x22: state = .quoted
      case .afterQuote: fail("text stands after a closing quote")
      case .start, .plain:
        state = .plain
        append(byte)
      }
    }
  }

  /// Ends with what stands after the last line end.
  mutating func finish<Failure: Error>(_ body: (borrowing CSVRecord) throws(Failure) -> Void) throws(Failure) {
    if state == .quoted { fail("a quote that begins in this line is never closed") }
    if state != .start || record.count > 0 { try end(body) }
  }

  private mutating func append(_ byte: UInt8) {
    guard record.bytes.count < Self.longestRecord else {
      return fail("it is longer than \(Self.longestRecord) bytes; perhaps a quote is never closed")
    }
    record.bytes.append(byte)
  }

  private mutating func endField() {
    guard record.ends.count < Self.mostFields else { return fail("it has more than \(Self.mostFields) fields") }
    record.ends.append(record.bytes.count)
    state = .start
  }

  private mutating func fail(_ problem: String) {
    record.problem = problem
    state = .skipping
  }

  private mutating func end<Failure: Error>(
    _ body: (borrowing CSVRecord) throws(Failure) -> Void
  ) throws(Failure) {
    if state != .skipping { endField() }
    let isBlank = record.problem == nil && record.count == 1 && record.bytes.isEmpty
    if !isBlank { try body(record) }
    record.bytes.removeAll(keepingCapacity: true)
    record.ends.removeAll(keepingCapacity: true)
    record.problem = nil
    record.line = line
    state = .start
  }

  /// What a first line such as `sep=;` says, which spreadsheets write for each other; `nil` where it is none.
  static func markedSeparator(of text: [UInt8]) -> UInt8? {
    let line = text.prefix(8).prefix { $0 != 0x0A && $0 != 0x0D }.filter { $0 != 0x22 }
    guard line.count == 5, let sign = line.last, ",;\t|".utf8.contains(sign),
      String(decoding: line.dropLast(), as: UTF8.self).lowercased() == "sep="
    else { return nil }
    return sign
  }

  /// What separates the fields of a header: the one of comma, semicolon and tab that it has most of, outside of quotes.
  static func separator(of header: [UInt8]) -> UInt8 {
    var isQuoted = false
    var counts: [UInt8: Int] = [:]
    for byte in header {
      if byte == 0x22 { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 0x0A || byte == 0x0D { break }
      counts[byte, default: 0] += 1
    }
    let known: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    return known.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? known[0]
  }
}
