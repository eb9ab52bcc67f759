internal import Glibc
package import LinuxIO
package import ScanModel

/// Reads a file of comma-separated values: whatever takes lists of tickets understands the same files.
package struct TicketFileReader {
  /// One line of the file behind its header.
  package enum Line: Sendable, Equatable {
    /// A ticket.
    case good(ListedCode)
    /// What is wrong with it, without its code.
    case bad(line: Int, words: String)
  }

  private let rules: TicketFileRules
  private let recognise: (Code) -> Code
  private let zone: CivilClock
  /// How the file is written; `nil` before it was read.
  package private(set) var encoding: TextEncoding?
  /// Columns that were not looked at.
  package private(set) var ignored: [String] = []

  /// - Parameters:
  ///   - rules: what is said of the file beside it.
  ///   - recognise: the ticket system's own form of a code, as at the gate.
  ///   - zone: what a date without a zone means.
  package init(_ rules: TicketFileRules, recognise: @escaping (Code) -> Code, zone: @escaping CivilClock) {
    self.rules = rules
    self.recognise = recognise
    self.zone = zone
  }

  /// Reads a file to its end.
  /// - Parameters:
  ///   - file: an open regular file: it is read twice, to tell how its text is written.
  ///   - name: its name, for words.
  ///   - onProgress: told now and then how many hundredths of the file are read.
  ///   - take: gets each line.
  /// - Throws: that it cannot be read, has no header or no column of codes, that a column is not understood, or what `take` throws.
  package mutating func read(
    _ file: borrowing OwnedDescriptor, named name: String, onProgress: (Int) -> Void = { _ in },
    _ take: (Line) throws(TicketListFault) -> Void
  ) throws(TicketListFault) {
    let (encoding, mark) = try Self.encoding(of: file, name)
    self.encoding = encoding
    var decoder = TextDecoder(encoding)
    var parser: CSVParser?
    var lines: TicketLineReader?
    var ignored: [String] = []
    var isMarked = false
    func see(_ record: borrowing CSVRecord) throws(TicketListFault) {
      if isMarked {
        isMarked = false
        return
      }
      guard lines != nil else {
        let columns = try header(record, name)
        ignored = columns.ignored
        lines = TicketLineReader(columns, rules, recognise: recognise, zone: zone)
        return
      }
      let listed: ListedCode?
      do throws(BadLine) {
        listed = try lines?.read(record)
      } catch {
        if error.isOfWholeFile {
          throw TicketListFault("\(name), line \(record.line): \(error.words).", isOfData: true)
        }
        return try take(.bad(line: record.line, words: error.words))
      }
      guard var listed else { return }
      if rules.hasHolders || rules.keepsDetails, let holder = lines?.holder(record) {
        if rules.hasHolders { (listed.name, listed.email) = holder }
        if rules.keepsDetails { listed.ticket.holder = holder.name }
      }
      try take(.good(listed))
    }
    var skipped = mark
    try Self.pieces(of: file, name, onProgress) { (piece) throws(TicketListFault) in
      let text = decoder.decode(piece.dropFirst(skipped))
      skipped = 0
      if parser == nil {
        let marked = CSVParser.markedSeparator(of: text)
        isMarked = marked != nil
        parser = CSVParser(separator: marked ?? CSVParser.separator(of: text))
      }
      try parser?.take(text, see)
    }
    try parser?.finish(see)
    guard lines != nil else {
      throw TicketListFault("\(name) is empty: it needs a header with a column code.", isOfData: true)
    }
    self.ignored = ignored
  }

  private func header(_ record: borrowing CSVRecord, _ name: String) throws(TicketListFault) -> TicketColumns {
    if let problem = record.problem {
      throw TicketListFault("\(name), line \(record.line): \(problem).", isOfData: true)
    }
    let columns: TicketColumns
    do throws(BadHeader) {
      columns = try TicketColumns(record, rules.columns, hasHolders: rules.hasHolders, keepsDetails: rules.keepsDetails)
    } catch {
      throw TicketListFault(
        error.lines.map { "\(name), line \(record.line): \($0)" }.joined(separator: "\n"), isOfData: true)
    }
    guard columns[.code] != nil else {
      throw TicketListFault(
        "\(name), line \(record.line): no column is called code, nor anything that is known for one. The first line has to name the "
          + "columns. Say which has what the scanner reads, such as --column code=Ticketnummer.",
        isOfData: true)
    }
    return columns
  }

  /// How the text is written, and how long its mark is: what is not UTF-8 throughout is Windows-1252.
  private static func encoding(
    of file: borrowing OwnedDescriptor, _ name: String
  ) throws(TicketListFault) -> (TextEncoding, Int) {
    var marked: (TextEncoding, Int)?
    var check = UTF8Check()
    var isFirst = true
    try pieces(of: file, name) { (piece) throws(TicketListFault) in
      if isFirst { marked = TextEncoding.marked(piece) }
      isFirst = false
      check.take(Array(piece))
    }
    check.finish()
    return marked ?? (check.isValid ? .utf8 : .windows1252, 0)
  }

  private static let piece = 65_536

  /// Reads a file from its beginning.
  private static func pieces(
    of file: borrowing OwnedDescriptor, _ name: String, _ onProgress: (Int) -> Void = { _ in },
    _ body: (ArraySlice<UInt8>) throws(TicketListFault) -> Void
  ) throws(TicketListFault) {
    var status = stat()
    let size = fstat(file.number, &status) == 0 ? max(Int(status.st_size), 1) : 1
    var buffer = [UInt8](repeating: 0, count: piece)
    var offset: off_t = 0
    while true {
      let count = pread(file.number, &buffer, buffer.count, offset)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        let error = SystemError(errno: errno, call: "read")
        let hint = error.errno == ESPIPE ? " It has to be a file: it is read twice." : ""
        throw TicketListFault("\(name) cannot be read: \(error.words).\(hint)")
      }
      if count == 0 { return }
      try body(buffer.prefix(count))
      offset += off_t(count)
      onProgress(min(Int(offset) * 100 / size, 100))
    }
  }
}
