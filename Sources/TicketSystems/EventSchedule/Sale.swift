internal import WireText
package import ScanModel
internal import TicketTransport

/// A sale as the server describes it. Decoded leniently: what cannot be read is missing, and never a trap.
package struct Sale: Sendable, Equatable {
  /// The states that the document names, and any other.
  package enum Status: Sendable, Equatable {
    /// Money received: the only state that admits.
    case paid
    /// Not paid yet.
    case unpaid
    /// Cancelled.
    case cancelled
    /// Money given back.
    case refunded
    /// The offer ran out before it was paid.
    case expired
    /// Removed.
    case deleted
    /// A state that the document does not know, made fit for staff.
    case other(String)

    init(_ text: String, hiding secrets: [Redaction]) {
      switch text {
      case "paid": self = .paid
      case "unpaid": self = .unpaid
      case "cancelled": self = .cancelled
      case "refunded": self = .refunded
      case "expired": self = .expired
      case "deleted": self = .deleted
      default: self = .other(StaffText.clean(text, hiding: secrets) ?? "")
      }
    }
  }

  /// The sale's identifier.
  package var id: String?
  /// Its state.
  package var status: Status
  /// The buyer's name, made fit for staff.
  package var name: String?
  /// The buyer's address. Personal: not for logs.
  package var email: String?
  /// The event's identifier.
  package var eventID: String?
  /// The event, as far as it is told.
  var eventTold: SaleEvent?
  /// The day that it is for, by the event's calendar.
  var day: CivilDay?
  /// Whether its event tells what the types of tickets are called; `nil` where the sale has none.
  var tellsTypes: Bool?
  /// The event's identifier in the event itself; it should be the same.
  private var eventOwnID: String?
  /// The tickets with their types; empty where they are not told, or are too many.
  var lines: [SaleLine]
  /// The tickets, at most 100.
  package var tickets: [TicketDetails.Line]
  /// Whether each ticket is told to be unused; `nil` where a ticket's word is missing.
  package var isUnused: Bool?
  /// How many persons all its tickets admit, at most 100,000; `nil` if the server told no tickets.
  package var persons: Int?

  /// Reads a sale; `nil` if the value is no object or has no status.
  /// - Parameter secrets: what its texts must not show.
  init?(_ value: JSONValue?, hiding secrets: [Redaction]) {
    func text(_ value: JSONValue?) -> String? { value?.string.flatMap { StaffText.clean($0, hiding: secrets) } }
    guard let value, let status = value["status"]?.string else { return nil }
    self.status = Status(status, hiding: secrets)
    id = value["id"]?.identifier
    name = text(value["name"])
    email = text(value["email"])
    eventID = value["event_id"]?.identifier.flatMap { StaffText.clean($0, hiding: secrets) }
    eventTold = SaleEvent(value["event"], hiding: secrets)
    eventOwnID = value["event"]?["id"]?.identifier.flatMap { StaffText.clean($0, hiding: secrets) }
    let lines = (value["tickets"]?.array ?? []).filter { if case .object = $0 { true } else { false } }
    tickets = lines.prefix(100).compactMap { line in
      guard let id = line["id"]?.integer else { return nil }
      return TicketDetails.Line(
        id: .number(id), quantity: Self.quantity(line), isUsed: line["usage_status"]?.string == "used")
    }
    let types = TicketType.all(of: value["event"], hiding: secrets)
    self.lines = lines.count > 1_000 ? [] : SaleLine.all(lines, types)
    if lines.contains(where: { $0["ticket_id"]?.identifier != nil }) { tellsTypes = !types.isEmpty }
    day = value["event_date"]?.string.flatMap { CivilDay(iso8601: $0) }
    let words = lines.map { $0["usage_status"]?.string }
    isUnused = !words.isEmpty && words.allSatisfy { $0 == "unused" } ? true : words.contains("used") ? false : nil
    // All lines count, those without a readable id among them.
    persons = lines.isEmpty ? nil : lines.reduce(0) { min($0 + Self.quantity($1), 100_000) }
  }

  private static func quantity(_ line: JSONValue) -> Int {
    Int(clamping: min(max(line["quantity"]?.integer ?? 1, 1), 1_000))
  }

  /// Which event it is of; `nil` where that is not told, or told twice and differently.
  func event() -> EventID? {
    let told = Set([eventID, eventOwnID].compactMap(\.self).map { EventID($0) })
    return told.count == 1 ? told.first : nil
  }

  /// What staff see.
  var details: TicketDetails {
    let kinds = Set(lines.map(\.name))
    return TicketDetails(
      holder: name, event: eventTold?.name, eventID: event() == nil ? nil : eventID ?? eventOwnID,
      date: day.map { .day($0) }, tickets: tickets, kind: kinds.count == 1 ? kinds.first ?? nil : nil)
  }

  /// How many persons the ticket admits: of the chosen line, or of the first where none is chosen; 1 if that is unknown.
  func quantity(of saleTicketID: Int64?) -> Int {
    let chosen = saleTicketID.map { TicketDetails.LineID.number($0) }
    return (chosen == nil ? tickets.first : tickets.first { $0.id == chosen })?.quantity ?? 1
  }
}

/// One ticket of a sale, with its type.
struct SaleLine: Sendable, Equatable {
  /// The sale ticket's identifier.
  var id: Int64?
  /// The type's identifier.
  var type: EventID?
  /// The type's name, made fit for staff.
  var name: String?
  /// Whether the server has a scanned entry of it.
  var isUsed: Bool

  /// The lines of a sale; the names of their types are the event's to tell.
  static func all(_ lines: [JSONValue], _ types: [TicketType]) -> [SaleLine] {
    let names = Dictionary(types.map { ($0.id, $0.name) }, uniquingKeysWith: { _, last in last })
    return lines.map { line in
      let type = line["ticket_id"]?.identifier.map { EventID($0) }
      return SaleLine(
        id: line["id"]?.integer, type: type, name: type.flatMap { names[$0] },
        isUsed: line["usage_status"]?.string == "used")
    }
  }
}

/// One page of the list of sales.
package struct SalePage: Sendable, Equatable {
  /// The sales on it that can be read.
  package var sales: [Sale]
  /// How many it has.
  package var count: Int
  /// How many all pages have, where that is told.
  package var total: Int64?
  /// This page's number, from 1.
  package var page: Int64
  /// The last page's number.
  package var lastPage: Int64

  /// Whether a text of a sale, which anybody may have chosen, has what was searched for: by its codes it need not have been found.
  var isFoundByText = false

  /// Reads a page; `nil` if the value is none.
  /// - Parameter query: what was searched for.
  init?(_ value: JSONValue, query: String? = nil, hiding secrets: [Redaction]) {
    guard let data = value["data"]?.array else { return nil }
    if let query { isFoundByText = data.contains { Self.says($0, CodeFolding.key(of: Code(query)).bytes) } }
    let meta = PageMeta(value["meta"])
    sales = data.compactMap { Sale($0, hiding: secrets) }
    count = data.count
    total = meta.total
    page = meta.page ?? 1
    lastPage = meta.lastPage ?? page
  }

  /// Longer texts are not looked through.
  private static let longestText = 4_096

  private static func says(_ sale: JSONValue, _ query: [UInt8]) -> Bool {
    let texts = ["name", "email", "phone", "event_name"].map { sale[$0]?.string } + [sale["event"]?["name"]?.string]
    return texts.compactMap(\.self).contains { text in
      guard text.utf8.count <= longestText else { return true }
      return CodeFolding.key(of: Code(text)).bytes.firstRange(of: query) != nil
    }
  }
}
