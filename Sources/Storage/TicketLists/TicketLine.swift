internal import ScanModel
internal import Reading

/// Why a line cannot be taken, without its code.
struct BadLine: Error, Equatable {
  var words: String
  /// Whether all lines may be misread for the same reason: then none is taken.
  var isOfWholeFile = false

  init(_ words: String) { self.words = words }
}

/// Reads lines of a file by its columns.
struct TicketLineReader {
  /// The most persons that a code or sale may admit.
  static let most = 100_000

  private let columns: TicketColumns
  private let recognise: (Code) -> Code
  private var dates: CivilText
  private let states: [String: ListedTicket.Status]
  /// Cells of states that were understood: a file has few.
  private var known: [ArraySlice<UInt8>: State] = [:]

  /// - Parameter recognise: the ticket system's own form of a code, as at the gate.
  init(
    _ columns: TicketColumns, _ rules: TicketFileRules = TicketFileRules(), recognise: @escaping (Code) -> Code,
    zone: @escaping CivilClock
  ) {
    self.columns = columns
    self.recognise = recognise
    dates = CivilText(zone, order: rules.dates ?? (columns.isDayFirst ? .dayFirst : nil))
    states = Dictionary(rules.states.map { ($0.key, $0.status) }) { $0.strictness > $1.strictness ? $0 : $1 }
  }

  /// Reads one line.
  mutating func read(_ record: borrowing CSVRecord) throws(BadLine) -> ListedCode {
    if let problem = record.problem { throw BadLine(problem) }
    guard record.count == columns.count else {
      throw BadLine("it has \(record.count) fields, the header \(columns.count)")
    }
    let written = trimmed(field(.code, record))
    guard !Self.isRounded(written) else {
      throw BadLine(
        "its code is no more whole: a spreadsheet has rounded it. Have the ticket system export it anew, "
          + "and import that file as it is, or take the column into the spreadsheet as text")
    }
    let code = try Self.code(field(.code, record), recognise)
    let kind = try kind(record)
    let zone = try text(.zone, record, upTo: 64)
    let times = try times(record, zone)
    let seats = try seats(record)
    let named = columns[.quantity] == nil ? max(seats.count, 1) : 1
    let quantity = try number(.quantity, record) ?? named
    if kind == .entry, quantity != 1 {
      throw BadLine("an entry admits one, and not \(quantity): a code for several is of the kind sale")
    }
    // Where no column tells of it, all are valid.
    let state = try state(record)
    return ListedCode(
      code: code, kind: kind,
      ticket: ListedTicket(
        status: state?.status ?? .valid, from: times.from, until: times.until, quantity: quantity,
        sale: try text(.sale, record, upTo: 128), saleQuantity: try number(.saleQuantity, record),
        event: try text(.event, record, upTo: 512), eventID: try text(.eventID, record, upTo: 128),
        kind: try text(.ticketKind, record, upTo: 256), seats: seats),
      line: record.line, stateWord: state?.word, day: times.day, zone: zone, joinsSeats: !seats.isEmpty)
  }

  /// The holder's name and mail address.
  func holder(_ record: borrowing CSVRecord) -> (name: String?, email: String?) {
    var names: [String] = []
    for column in columns.all(.name) {
      let bytes = trimmed(record[column]).prefix(256)
      if !bytes.isEmpty { names.append(String(decoding: bytes, as: UTF8.self)) }
    }
    let email = trimmed(field(.email, record)).prefix(256)
    return (
      names.isEmpty ? nil : names.joined(separator: " "), email.isEmpty ? nil : String(decoding: email, as: UTF8.self)
    )
  }

  /// Its seats, in words: of a column for one seat that one, however it is written.
  private func seats(_ record: borrowing CSVRecord) throws(BadLine) -> [String] {
    func short(_ meaning: TicketColumn) -> String? {
      let bytes = trimmed(field(meaning, record)).prefix(64)
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
    let (row, section) = (short(.row), short(.section))
    if columns[.seats] != nil {
      return try text(.seats, record, upTo: 1_024).map { SeatText.seats($0, row: row, section: section) } ?? []
    }
    return short(.seat).map { [SeatText.seat($0, row: row, section: section)] } ?? []
  }

  /// Whether it is a long number as spreadsheets show it: `1,23457E+11`.
  static func isRounded(_ bytes: ArraySlice<UInt8>) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    guard let first = bytes.first, isDigit(first) else { return false }
    var rest = bytes.dropFirst()
    if let sign = rest.first, sign == UInt8(ascii: ",") || sign == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      let fraction = rest.prefix(while: isDigit)
      if fraction.isEmpty { return false }
      rest = rest.dropFirst(fraction.count)
    }
    guard rest.starts(with: "E+".utf8) || rest.starts(with: "e+".utf8) else { return false }
    let exponent = rest.dropFirst(2)
    return (1...3).contains(exponent.count) && exponent.allSatisfy(isDigit)
  }

  /// The code as a gate has it after its normaliser and the ticket system's own reduction.
  static func code(_ bytes: ArraySlice<UInt8>, _ recognise: (Code) -> Code) throws(BadLine) -> Code {
    guard let normalised = Normaliser.normalise([UInt8](bytes)) else {
      throw BadLine(bytes.isEmpty ? "it has no code" : "its code is nothing but blanks")
    }
    let code = recognise(normalised)
    guard !code.bytes.isEmpty else { throw BadLine("it has no code") }
    guard code.bytes.count <= 4_096 else { throw BadLine("its code is longer than any that a reader delivers") }
    return code
  }

  private func field(_ meaning: TicketColumn, _ record: borrowing CSVRecord) -> ArraySlice<UInt8> {
    columns[meaning].map { record[$0] } ?? []
  }

  private func text(
    _ meaning: TicketColumn, _ record: borrowing CSVRecord, upTo limit: Int
  ) throws(BadLine) -> String? {
    let bytes = trimmed(field(meaning, record))
    guard bytes.count <= limit else { throw BadLine("its \(meaning.rawValue) is longer than \(limit) bytes") }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// A whole number; `2,0` and `2.00` are 2, as spreadsheets write it.
  private func number(_ meaning: TicketColumn, _ record: borrowing CSVRecord) throws(BadLine) -> Int? {
    var bytes = trimmed(field(meaning, record))
    if bytes.isEmpty { return nil }
    if let sign = bytes.lastIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") }) {
      let fraction = bytes[bytes.index(after: sign)...]
      // Three digits would be thousands in one language and thousandths in the next.
      if (1...2).contains(fraction.count), fraction.allSatisfy({ $0 == UInt8(ascii: "0") }) { bytes = bytes[..<sign] }
    }
    guard (1...9).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(String(decoding: bytes, as: UTF8.self)), (1...Self.most).contains(number)
    else { throw BadLine("its \(meaning.rawValue) is no whole number from 1 to \(Self.most)") }
    return number
  }

  private func kind(_ record: borrowing CSVRecord) throws(BadLine) -> CodeKind? {
    let bytes = trimmed(field(.kind, record))
    if bytes.isEmpty { return nil }
    guard let kind = StatusWords.kind(String(decoding: bytes, as: UTF8.self)) else {
      throw BadLine("its kind is neither entry nor sale")
    }
    return kind
  }

  private mutating func times(
    _ record: borrowing CSVRecord, _ zone: String?
  ) throws(BadLine) -> (from: WallTime?, until: WallTime?, day: String?) {
    var day = try time(.day, record, zone)
    // An event's beginning stands there as well: the ticket is for the whole day.
    if let written = day, written.beginning == written.end {
      day = try time(.day, [UInt8](written.day.utf8)[...], zone)
    }
    let first = try time(.from, record, zone)
    let last = try time(.until, record, zone)
    // A night may end on the day after. Where they are further apart, nobody here knows which one counts.
    let margin = Duration.seconds(86_400)
    for (moment, name) in [(first?.beginning, TicketColumn.from), (last?.end, .until)] {
      guard let day, let moment, moment < day.beginning - margin || day.end + margin < moment else { continue }
      throw BadLine(
        "its day and its \(name.rawValue) are more than a day apart: say which does not count, with --column ignored=NAME"
      )
    }
    let from = first?.beginning ?? day?.beginning
    let until = last?.end ?? day?.end
    if let from, let until, until <= from {
      throw BadLine("it ends before it begins")
    }
    return (from, until, (day ?? first)?.day)
  }

  private mutating func time(
    _ meaning: TicketColumn, _ record: borrowing CSVRecord, _ zone: String?
  ) throws(BadLine) -> CivilText.Reading? {
    try time(meaning, trimmed(field(meaning, record)), zone)
  }

  private mutating func time(
    _ meaning: TicketColumn, _ bytes: ArraySlice<UInt8>, _ zone: String?
  ) throws(BadLine) -> CivilText.Reading? {
    if bytes.isEmpty { return nil }
    do throws(CivilText.Problem) {
      return try dates.read(bytes, zone: zone)
    } catch {
      let text = String(decoding: bytes.prefix(10), as: UTF8.self)
      switch error {
      case .noTime:
        throw BadLine(
          "its \(meaning.rawValue) is no time: write 2026-11-21 or 21.11.2026, either with 18:00 behind it where it is a "
            + "moment, and a known time zone")
      case .shortYear:
        throw BadLine(
          "its \(meaning.rawValue) \(text) has a year of two digits, which can be read in several ways: write 2026-11-21 "
            + "or 21.11.2026")
      case .otherOrder:
        throw BadLine(
          "its \(meaning.rawValue) \(text) is no day unless day and month are the other way round: --dates day-first or "
            + "--dates month-first says how they are")
      case .ambiguous:
        var problem = BadLine(
          "its \(meaning.rawValue) \(text) can be two days. Say which comes first in this file: --dates day-first or "
            + "--dates month-first")
        problem.isOfWholeFile = true
        throw problem
      }
    }
  }

  /// A state, and the word that tells it.
  private struct State {
    var status: ListedTicket.Status
    var word: String
  }

  /// The strictest of what the columns of states say.
  private mutating func state(_ record: borrowing CSVRecord) throws(BadLine) -> State? {
    let columns = columns.all(.status)
    if columns.isEmpty { return nil }
    var found: State?
    for column in columns {
      let cell = trimmed(record[column])
      if cell.isEmpty { continue }
      let state = try state(of: cell, record)
      if let found, found.status.strictness >= state.status.strictness { continue }
      found = state
    }
    guard let found else { throw BadLine("it has no state") }
    return found
  }

  private mutating func state(
    of cell: ArraySlice<UInt8>, _ record: borrowing CSVRecord
  ) throws(BadLine) -> State {
    if let state = known[cell] { return state }
    let text = String(decoding: cell, as: UTF8.self)
    let word = FoldedText.key(text)
    guard let status = states[word] ?? StatusWords.status(text) else {
      let shown = Self.shown(text, in: record, columns[.code])
      throw BadLine(
        "its state \(shown) is none that is known. If it means valid, say so: --status valid=WORD")
    }
    let state = State(status: status, word: word)
    if known.count < 1_000 { known[ArraySlice(Array(cell))] = state }
    return state
  }

  /// A word of a state is no secret, but in a line whose columns are shifted it can be the code: what has digits, is long, or is the
  /// code is shortened.
  private static func shown(_ text: String, in record: borrowing CSVRecord, _ code: Int?) -> String {
    let isWord = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || " -_/.?!()'’".unicodeScalars.contains($0)
    }
    let isCode = code.map { trimmed(record[$0]).elementsEqual(text.utf8) } ?? false
    if isWord, !isCode, text.count <= 40 { return text }
    return "\(Code(text).shortened) (\(text.utf8.count) characters)"
  }
}

extension ListedTicket.Status {
  /// Which of two states counts where a list says both: the greater. Also what the file keeps.
  var strictness: Int64 {
    switch self {
    case .valid: 0
    case .used: 1
    case .expired: 2
    case .unpaid: 3
    case .refunded: 4
    case .cancelled: 5
    case .unconfirmed: 6
    }
  }

  init?(strictness: Int64?) {
    guard let found = Self.allCases.first(where: { $0.strictness == strictness }) else { return nil }
    self = found
  }
}
