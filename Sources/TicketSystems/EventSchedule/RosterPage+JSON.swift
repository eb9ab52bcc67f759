internal import LinuxIO
internal import ScanModel
internal import TicketTransport
internal import WireText

extension RosterPage {
  /// Reads a page of `GET /api/sales`, sale by sale; `nil` if the body is none, or another page than the one that was asked for.
  /// - Parameters:
  ///   - types: what a type of tickets is called, where the page does not tell that.
  ///   - secrets: what its texts must not show.
  ///   - isUnhurried: whether nobody waits for it: it sleeps between its bits then (`Pacer`), so it is for a thread of its own.
  init?(
    _ body: [UInt8], number: Int64, _ types: (EventID) -> String? = { _ in nil }, hiding secrets: [Redaction],
    isUnhurried: Bool = false
  ) {
    var tickets: [ToldTicket] = []
    var names = EventNames(hiding: secrets)
    var pacer = isUnhurried ? Pacer() : nil
    let value = try? JSONValue.read(body, handingOver: "data") { sale in
      tickets += Self.tickets(sale, types, &names)
      pacer?.breathe()
    }
    guard let value, value["data"]?.array != nil else { return nil }
    let page = value["meta"]?["current_page"]?.integer ?? number
    // A server that does not know pages would tell the first one for ever.
    guard page == number else { return nil }
    let last = value["meta"]?["last_page"]?.integer ?? number
    self.init(tickets: tickets, hasMore: last > number)
  }

  /// The codes of a sale: its own secret, and those of its entries where they are told.
  private static func tickets(
    _ sale: JSONValue, _ types: (EventID) -> String?, _ names: inout EventNames
  ) -> [ToldTicket] {
    let lines = sale["tickets"]?.array ?? []
    let admitting = lines.filter { $0["is_addon"] != .bool(true) }
    // Lines of the sale, not of the list: what does not admit is no person.
    let persons = admitting.reduce(0) { min($0 + quantity($1), 100_000) }
    let isPass = lines.contains { $0["is_pass"] == .bool(true) }
    let isUsed = admitting.contains { $0["usage_status"]?.string == "used" }
    let plain = ToldTicket(
      code: "", isWholeSale: false, status: status(sale), day: day(sale["event_date"]), sale: sale["id"]?.identifier,
      event: sale["event_name"]?.string.flatMap { names.clean($0) },
      eventID: sale["event_id"]?.identifier,
      obstacle: isPass ? "it is a pass: whether it admits depends on more than a list says" : nil)
    var whole = plain
    whole.isWholeSale = true
    let kinds = admitting.map { kind($0, types, &names) }
    if let kind = kinds.first, kinds.allSatisfy({ $0 == kind }) { whole.kind = kind }
    whole.quantity = lines.isEmpty ? Int(clamping: sale["total_quantity"]?.integer ?? 1) : persons
    if whole.status == .valid, isUsed { whole.status = .used }
    if let code = sale["secret"]?.string { whole.code = code } else { whole.obstacle = "our key may not see its code" }
    let told = zip(admitting, kinds).flatMap { line, kind in (line["entries"]?.array ?? []).map { ($0, kind) } }
    let entries = told.prefix(1_000).compactMap { entry, kind -> ToldTicket? in
      guard let code = entry["secret"]?.string else { return nil }
      var one = plain
      (one.code, one.kind) = (code, kind)
      if one.status == .valid, let scanned = entry["scanned_at"], scanned != .null { one.status = .used }
      return one
    }
    return [whole] + entries
  }

  /// What the type of a line's tickets is called.
  private static func kind(
    _ line: JSONValue, _ types: (EventID) -> String?, _ names: inout EventNames
  ) -> String? {
    if let type = line["type"]?.string { return names.clean(type) }
    return line["ticket_id"]?.identifier.flatMap { types(EventID($0)) }
  }

  private static func quantity(_ line: JSONValue) -> Int {
    Int(clamping: min(max(line["quantity"]?.integer ?? 1, 1), 1_000))
  }

  private static func day(_ value: JSONValue?) -> String? {
    // A time after the date is no part of the day.
    value?.string.map { String($0.prefix(10)) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func status(_ sale: JSONValue) -> ListedTicket.Status? {
    if sale["is_deleted"] == .bool(true) { return .cancelled }
    return switch sale["status"]?.string {
    case "paid": .valid
    case "unpaid": .unpaid
    case "cancelled", "deleted": .cancelled
    case "refunded": .refunded
    case "expired": .expired
    default: nil
    }
  }
}

/// The names of events and types, made fit for staff: thousands of sales are for few of them, and each name is cleaned once.
private struct EventNames {
  private let secrets: [Redaction]
  private var known: [String: String?] = [:]
  /// Of more than these each is cleaned by itself.
  private static let most = 256

  init(hiding secrets: [Redaction]) { self.secrets = secrets }

  mutating func clean(_ text: String) -> String? {
    if let known = known[text] { return known }
    let name = StaffText.clean(text, hiding: secrets)
    if known.count < Self.most { known[text] = .some(name) }
    return name
  }
}
