internal import Glibc
public import LinuxIO
public import ScanModel
public import Sealing

/// Brings a list on board: from a file of comma-separated values, or ticket by ticket from a ticket system.
public final class TicketImport {
  /// Of bad lines and contradictions so many are named; all are counted.
  public static let named = 20

  /// What a list is made of, and for which station.
  public struct Settings {
    /// Where the list lies, and of which ticket system it is.
    public var place: TicketListPlace
    /// The station's key.
    public var key: SealKey
    /// Whether nothing is kept.
    public var isTrial: Bool
    /// Whether a list is taken of which more than half is bad.
    public var isForced: Bool
    /// The ticket system's own form of a code, as at the gate.
    public var recognise: (Code) -> Code
    /// What such a code has in common with all that the ticket system may take for it, as at the gate.
    public var folding: (Code) -> TicketKey?
    /// What a date without a zone means.
    public var zone: ZoneRule

    /// Makes settings.
    public init(
      place: TicketListPlace, key: SealKey, isTrial: Bool = false, isForced: Bool = false,
      recognise: @escaping (Code) -> Code, folding: @escaping (Code) -> TicketKey? = { _ in nil },
      zone: @escaping ZoneRule
    ) {
      self.folding = folding
      self.place = place
      self.key = key
      self.isTrial = isTrial
      self.isForced = isForced
      self.recognise = recognise
      self.zone = zone
    }
  }

  /// Something to tell of a line, without its code.
  public struct Note: Sendable, Equatable {
    /// The line, from 1; of a ticket system's answers the ticket's number.
    public var line: Int
    /// What is wrong with it.
    public var words: String
  }

  /// What an import did.
  public struct Report: Sendable, Equatable {
    /// Lines that were taken.
    public var good = 0
    /// Lines that were not.
    public var bad = 0
    /// The first of these.
    public var badLines: [Note] = []
    /// Codes, each counted once.
    public var codes = 0
    /// Lines that say again what another says.
    public var repeated = 0
    /// Lines that say something else on a code than another: the stricter counts.
    public var contradicting = 0
    /// The first of these.
    public var contradictions: [Note] = []
    /// How many codes are in which state.
    public var counts: [ListedTicket.Status: Int] = [:]
    /// How hard the codes are to guess.
    public var guessability = Guessability(bits: 0, looks: "")
    /// How the file is written; `nil` without one.
    public var encoding: TextEncoding?
    /// Columns that mean nothing here.
    public var ignored: [String] = []
    /// Why nothing was kept; `nil` where the list was.
    public var refusal: String?
  }

  private let settings: Settings
  private let writer: TicketListWriter
  private var dates: CivilText
  private var report = Report()
  private var isDone = false

  /// Begins an import; the list in use stays until `finish`.
  public init(_ settings: Settings) throws(TicketListFault) {
    self.settings = settings
    dates = CivilText(settings.zone)
    writer = try TicketListWriter(settings.place, key: settings.key, isTrial: settings.isTrial)
  }

  deinit { if !isDone { writer.discard() } }

  /// Adds a ticket as its ticket system told it: its code is brought into the form that a gate has.
  public func add(_ told: ToldTicket) throws(TicketListFault) {
    let line = report.good + report.bad + 1
    let listed: ListedCode
    do throws(BadLine) {
      listed = try dates.read(told, line: line, settings.recognise)
    } catch {
      return note(error, line)
    }
    try take(listed)
  }

  private func take(_ listed: ListedCode) throws(TicketListFault) {
    try writer.add(listed, folded: settings.folding(listed.code))
    report.good += 1
  }

  private func note(_ problem: BadLine, _ line: Int) {
    report.bad += 1
    if report.badLines.count < Self.named { report.badLines.append(Note(line: line, words: problem.words)) }
  }

  /// Writes the list, and puts it into its place unless it is a trial or too much is bad.
  /// - Parameters:
  ///   - asOf: when what it says was true.
  ///   - imported: now.
  public func finish(asOf: WallTime, imported: WallTime) throws(TicketListFault) -> Report {
    defer {
      writer.discard()
      isDone = true
    }
    if report.good == 0 {
      report.refusal = "No line of it is good."
      return report
    }
    let result = try writer.write(asOf: asOf, imported: imported)
    report.codes = result.codes
    report.repeated = result.repeated
    report.contradicting = result.contradicting
    report.contradictions = result.contradictions.map {
      Note(line: $0.second, words: "it says something else on the code of line \($0.first)")
    }
    report.counts = result.counts
    report.guessability = result.guessability
    if report.bad > report.good, !settings.isForced {
      report.refusal = "More than half of it is bad."
    } else if !settings.isTrial {
      try writer.publish()
    }
    return report
  }

  // MARK: Files

  private static let piece = 65_536

  /// Reads a file of comma-separated values to its end; `finish` is still to be called.
  /// - Parameters:
  ///   - file: an open regular file: it is read twice, to tell how its text is written.
  ///   - name: its name, for words.
  /// - Throws: that it cannot be read, has no header or no column of codes, or why the list cannot be written.
  public func read(_ file: borrowing OwnedDescriptor, named name: String) throws(TicketListFault) {
    let (encoding, mark) = try Self.encoding(of: file, name)
    report.encoding = encoding
    var decoder = TextDecoder(encoding)
    var parser: CSVParser?
    var lines: TicketLineReader?
    func take(_ record: borrowing CSVRecord) throws(TicketListFault) {
      guard lines != nil else {
        lines = TicketLineReader(try header(record, name), recognise: settings.recognise, zone: settings.zone)
        return
      }
      let listed: ListedCode?
      do throws(BadLine) {
        listed = try lines?.read(record)
      } catch {
        return note(error, record.line)
      }
      if let listed { try self.take(listed) }
    }
    var skipped = mark
    try Self.pieces(of: file, name) { (piece) throws(TicketListFault) in
      let text = decoder.decode(piece.dropFirst(skipped))
      skipped = 0
      if parser == nil { parser = CSVParser(separator: CSVParser.separator(of: text)) }
      try parser?.take(text, take)
    }
    try parser?.finish(take)
    guard lines != nil else { throw TicketListFault("\(name) is empty: it needs a header with a column code.") }
  }

  private func header(_ record: borrowing CSVRecord, _ name: String) throws(TicketListFault) -> TicketColumns {
    let columns = TicketColumns(record)
    report.ignored = columns.ignored
    if let problem = record.problem { throw TicketListFault("\(name), line \(record.line): \(problem).") }
    guard columns.places[.code] != nil else {
      throw TicketListFault(
        "\(name), line \(record.line): no column is called code, nor \(TicketColumn.code.names.dropFirst().joined(separator: ", ")). "
          + "The first line has to name the columns; call the one with the tickets' codes so.")
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

  /// Reads a file from its beginning.
  private static func pieces(
    of file: borrowing OwnedDescriptor, _ name: String, _ body: (ArraySlice<UInt8>) throws(TicketListFault) -> Void
  ) throws(TicketListFault) {
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
    }
  }
}
