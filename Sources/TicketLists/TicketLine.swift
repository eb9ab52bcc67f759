internal import ScanModel
internal import ScanPipeline

/// What a code is the secret of.
enum CodeKind: Int64 {
  /// One entry of a sale: it admits one.
  case entry = 1
  /// A whole sale: it admits as many as the sale has.
  case sale = 2
}

/// A ticket as a source of lists gives it.
struct ListedCode {
  /// In the ticket system's own form.
  var code: Code
  var kind: CodeKind?
  var ticket: ListedTicket
  /// The line of the file, or the number in the answer.
  var line: Int
}

/// Why a line cannot be taken, without its code.
struct BadLine: Error, Equatable {
  var words: String
  init(_ words: String) { self.words = words }
}

/// Reads lines of a file by its columns.
struct TicketLineReader {
  /// The most persons that a code or sale may admit.
  static let most = 100_000

  private let columns: TicketColumns
  private let recognise: (Code) -> Code
  private var dates: CivilText

  /// - Parameter recognise: the ticket system's own form of a code, as at the gate.
  init(_ columns: TicketColumns, recognise: @escaping (Code) -> Code, zone: @escaping ZoneRule) {
    self.columns = columns
    self.recognise = recognise
    dates = CivilText(zone)
  }

  /// Reads one line.
  mutating func read(_ record: borrowing CSVRecord) throws(BadLine) -> ListedCode {
    if let problem = record.problem { throw BadLine(problem) }
    guard record.count == columns.count else {
      throw BadLine("it has \(record.count) fields, the header \(columns.count)")
    }
    let code = try Self.code(field(.code, record), recognise)
    let kind = try kind(record)
    let (from, until) = try times(record)
    let quantity = try number(.quantity, record) ?? 1
    if kind == .entry, quantity != 1 {
      throw BadLine("an entry admits one, and not \(quantity): a code for several is of the kind sale")
    }
    return ListedCode(
      code: code, kind: kind,
      ticket: ListedTicket(
        status: try status(record), from: from, until: until, quantity: quantity,
        sale: try text(.sale, record, upTo: 128), saleQuantity: try number(.saleQuantity, record),
        event: try text(.event, record, upTo: 512)),
      line: record.line)
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
    columns.places[meaning].map { record[$0] } ?? []
  }

  private func text(
    _ meaning: TicketColumn, _ record: borrowing CSVRecord, upTo limit: Int
  ) throws(BadLine) -> String? {
    let bytes = trimmed(field(meaning, record))
    guard bytes.count <= limit else { throw BadLine("its \(meaning.rawValue) is longer than \(limit) bytes") }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private func number(_ meaning: TicketColumn, _ record: borrowing CSVRecord) throws(BadLine) -> Int? {
    let bytes = trimmed(field(meaning, record))
    if bytes.isEmpty { return nil }
    guard bytes.count <= 9, bytes.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(String(decoding: bytes, as: UTF8.self)), (1...Self.most).contains(number)
    else { throw BadLine("its \(meaning.rawValue) is no whole number from 1 to \(Self.most)") }
    return number
  }

  private func kind(_ record: borrowing CSVRecord) throws(BadLine) -> CodeKind? {
    switch TicketColumns.plain(field(.kind, record)) {
    case "": return nil
    case "entry": return .entry
    case "sale": return .sale
    default: throw BadLine("its kind is neither entry nor sale")
    }
  }

  private mutating func times(
    _ record: borrowing CSVRecord
  ) throws(BadLine) -> (from: WallTime?, until: WallTime?) {
    let zone = try text(.zone, record, upTo: 64)
    let day = try time(.day, record, zone)
    let from = try time(.from, record, zone)?.beginning ?? day?.beginning
    let until = try time(.until, record, zone)?.end ?? day?.end
    if let from, let until, until <= from {
      throw BadLine("it ends before it begins")
    }
    return (from, until)
  }

  private mutating func time(
    _ meaning: TicketColumn, _ record: borrowing CSVRecord, _ zone: String?
  ) throws(BadLine) -> CivilText.Reading? {
    let bytes = trimmed(field(meaning, record))
    if bytes.isEmpty { return nil }
    guard let reading = dates.read(bytes, zone: zone) else {
      throw BadLine("its \(meaning.rawValue) is no time: write 2026-11-21 or 2026-11-21T18:00, and a known time zone")
    }
    return reading
  }

  /// The strictest of what the columns of states say.
  private func status(_ record: borrowing CSVRecord) throws(BadLine) -> ListedTicket.Status {
    if columns.states.isEmpty { return .valid }
    var found: ListedTicket.Status?
    for column in columns.states {
      let word = TicketColumns.plain(record[column])
      if word.isEmpty { continue }
      // The word is not repeated: in a line whose columns are shifted it can be the code.
      guard let status = Self.statuses[word] else {
        throw BadLine("its state \(Code(word).shortened) (\(word.utf8.count) characters) is none that is known")
      }
      found = found.map { status.strictness > $0.strictness ? status : $0 } ?? status
    }
    guard let found else { throw BadLine("it has no state") }
    return found
  }

  /// What ticket systems call the states. docs/tickets.md lists them.
  static let statuses: [String: ListedTicket.Status] = {
    let words: [ListedTicket.Status: [String]] = [
      .valid: [
        "valid", "paid", "unused", "active", "ok", "confirmed", "completed", "complete", "issued", "sold", "free",
      ],
      .unpaid: ["unpaid", "pending", "open", "reserved", "due", "overdue", "on_hold"],
      .cancelled: ["cancelled", "canceled", "deleted", "void", "voided", "revoked", "invalid", "blocked", "failed"],
      .refunded: ["refunded", "refund", "partially_refunded"],
      .expired: ["expired"],
      .used: ["used", "scanned", "checked_in", "redeemed", "admitted"],
    ]
    var all: [String: ListedTicket.Status] = [:]
    for (status, names) in words { for name in names { all[name] = status } }
    return all
  }()
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
    }
  }

  init?(strictness: Int64?) {
    guard let found = Self.allCases.first(where: { $0.strictness == strictness }) else { return nil }
    self = found
  }
}

extension CivilText {
  /// Judges a ticket that a ticket system told.
  mutating func read(
    _ told: ToldTicket, line: Int, _ recognise: (Code) -> Code
  ) throws(BadLine) -> ListedCode {
    if let obstacle = told.obstacle { throw BadLine(obstacle) }
    guard let status = told.status else { throw BadLine("its state is none that is known") }
    guard (1...TicketLineReader.most).contains(told.quantity) else { throw BadLine("it admits nobody") }
    var day: Reading?
    if let text = told.day {
      day = read(trimmed([UInt8](text.utf8)[...]), zone: nil)
      if day == nil { throw BadLine("its day is none that can be read") }
    }
    return ListedCode(
      code: try TicketLineReader.code([UInt8](told.code.utf8)[...], recognise), kind: told.isWholeSale ? .sale : .entry,
      ticket: ListedTicket(
        status: status, from: day?.beginning, until: day.map { max($0.end, $0.beginning + .seconds(1)) },
        quantity: told.quantity, sale: told.sale, event: told.event),
      line: line)
  }
}
