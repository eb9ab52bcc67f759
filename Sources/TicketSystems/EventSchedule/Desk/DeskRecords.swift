internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Something that a list holds: a line of a table, the lines about it alone, and its JSON.
protocol DeskRecord {
  /// The table's heads.
  static var heads: [String] { get }

  /// Reads it; `nil` where the value is no such thing.
  init?(_ told: JSONValue, hiding secrets: [Redaction])

  /// How it is named in other calls.
  var id: String { get }
  /// As the server told it, with times and empty objects of one form.
  var told: JSONValue { get }

  /// Its line of the table.
  func cells(_ clocks: DeskClocks) -> [String]
  /// What is said of it alone.
  func fields(_ clocks: DeskClocks) -> [(name: String, text: String)]
}

/// A type of ticket of an event. Price and quantity are as told: `10.000`.
struct DeskTicketType: Equatable {
  var id: String?
  var type: String?
  var price: String?
  var quantity: String?
  /// How many are sold, of all dates; `nil` where that is not told.
  var sold: Int64?

  init(_ told: JSONValue, hiding secrets: [Redaction]) {
    id = told["id"]?.identifier
    type = (told["type"] ?? told["name"])?.told(hiding: secrets)
    price = told["price"]?.told(hiding: secrets)
    quantity = told["quantity"]?.told(hiding: secrets)
    switch told["sold"] {
    case let value? where value.integer != nil: sold = value.integer
    // By dates; of none where it is `[]`.
    case .array(let dates)? where dates.isEmpty: sold = 0
    case .object(let dates)?:
      sold = dates.values.reduce(0) { $0 + min(max($1.integer ?? 0, 0), 1_000_000_000) }
    default: sold = nil
    }
  }

  /// `VIP (12): 25.000, 3 of 100 sold`
  var words: String {
    let name = (type ?? "without a name") + (id.map { " (\($0))" } ?? "")
    let sale: String? =
      switch (sold, quantity) {
      case (let sold?, let quantity?): "\(sold) of \(quantity) sold"
      case (let sold?, nil): "\(sold) sold"
      case (nil, let quantity?): "\(quantity) in all"
      case (nil, nil): nil
      }
    let parts = [price, sale].compactMap { $0 }
    return parts.isEmpty ? name : name + ": " + parts.joined(separator: ", ")
  }
}

/// An event, in the document's shape or the real servers'.
struct DeskEvent: DeskRecord {
  static let heads = ["ID", "STARTS", "NAME", "VENUE"]

  let id: String
  let name: String
  /// When it starts; `nil` where that is open or cannot be read.
  let starts: WallTime?
  let ends: WallTime?
  /// In hours, as told.
  let duration: String?
  /// An IANA name, as told.
  let zone: String?
  let venue: (id: String?, name: String?)
  let rooms: [String]
  let tickets: [DeskTicketType]
  /// Under which names the schedules that it stands in are called by.
  let subdomains: [String]
  let told: JSONValue
  private let texts: [(name: String, text: String)]

  init?(_ value: JSONValue, hiding secrets: [Redaction]) {
    guard case .object(var members) = value, let id = members["id"]?.identifier else { return nil }
    func text(_ name: String) -> String? { members[name]?.told(hiding: secrets) }
    self.id = id
    name = text("name") ?? ""
    starts = DeskTime.told(members["starts_at"])
    duration = text("duration")
    let hours = members["duration"].flatMap(DeskTime.length)
    ends = DeskTime.told(members["ends_at"]) ?? starts.flatMap { starts in hours.map { starts + $0 } }
    zone = members["timezone"]?.string.flatMap { StaffText.clean($0, hiding: secrets) }
    let place = members["venue"]
    venue = (
      members["venue_id"]?.identifier ?? place?["id"]?.identifier,
      (place?["name"] ?? members["venue_name"])?.told(hiding: secrets)
    )
    rooms = (place?["rooms"]?.elements ?? []).prefix(1_000).compactMap { $0["name"]?.told(hiding: secrets) }
    tickets = (members["tickets"]?.elements ?? []).prefix(1_000).map { DeskTicketType($0, hiding: secrets) }
    let schedules = (members["schedules"]?.elements ?? []).prefix(1_000).map { $0["subdomain"]?.identifier }
    subdomains = ([members["subdomain"]?.identifier, place?["subdomain"]?.identifier] + schedules).compactMap { $0 }
    texts = [
      ("Currency", "ticket_currency_code"), ("Description", "description"), ("Page", "url"), ("Link", "event_url"),
      ("Registration", "registration_url"),
    ].compactMap { label, name in text(name).map { (label, $0) } }
    // One form for programs: times in UTC with their zone, and objects that are objects.
    if let starts { members["starts_at"] = .string(starts.iso8601Seconds) }
    if let ends { members["ends_at"] = .string(ends.iso8601Seconds) }
    for name in ["members", "notification_settings"] where members[name]?.isVoid == true {
      members[name] = .object([:])
    }
    if let tickets = members["tickets"]?.elements {
      members["tickets"] = .array(tickets.map { $0["sold"]?.isVoid == true ? $0.with("sold", .object([:])) : $0 })
    }
    told = .object(members)
  }

  func cells(_ clocks: DeskClocks) -> [String] {
    [id, starts.map { DeskTime.shown($0, in: clocks.clocks(zone).rules) } ?? "-", name, venue.name ?? venue.id ?? "-"]
  }

  func fields(_ clocks: DeskClocks) -> [(name: String, text: String)] {
    let (rules, own) = clocks.clocks(zone)
    func time(_ time: WallTime) -> String { DeskTime.shown(time, in: rules) + (own.map { " \($0)" } ?? "") }
    var fields: [(name: String, text: String)] = [("Event", id), ("Name", name)]
    fields += [("Starts", starts.map(time) ?? "-")]
    if let ends { fields += [("Ends", time(ends))] }
    if let zone { fields += [("Zone", zone)] }
    if venue.id != nil || venue.name != nil {
      fields += [
        ("Venue", [venue.name, venue.id.map { "(\($0))" }].compactMap { $0 }.joined(separator: " "))
      ]
    }
    fields += rooms.map { ("Room", $0) } + tickets.map { ("Ticket", $0.words) }
    return fields + texts
  }
}

/// A venue or a talent.
struct DeskProfile: DeskRecord {
  static let heads = ["ID", "NAME", "PLACE"]

  let id: String
  let name: String
  /// Where it is told: the name that addresses it in other calls.
  let subdomain: String?
  let told: JSONValue
  private let city: String?
  private let texts: [(name: String, text: String)]

  init?(_ value: JSONValue, hiding secrets: [Redaction]) {
    guard case .object = value, let id = value["id"]?.identifier else { return nil }
    func text(_ name: String) -> String? { value[name]?.told(hiding: secrets) }
    self.id = id
    name = text("name") ?? ""
    subdomain = value["subdomain"]?.identifier
    city = text("city") ?? text("formatted_address") ?? text("address1") ?? text("address")
    texts = [
      ("Email", "email"), ("Phone", "phone"), ("Website", "website"), ("Address", "address1"), ("", "address2"),
      ("Postal code", "postal_code"), ("City", "city"), ("State", "state"), ("Country", "country_code"),
      ("Capacity", "capacity"), ("Zone", "timezone"), ("Description", "description"), ("Subdomain", "subdomain"),
    ].compactMap { label, name in text(name).map { (label, $0) } }
    told = value
  }

  func cells(_ clocks: DeskClocks) -> [String] { [id, name, city ?? "-"] }

  func fields(_ clocks: DeskClocks) -> [(name: String, text: String)] {
    [("ID", id), ("Name", name)] + texts
      + (told["rooms"]?.elements ?? []).prefix(1_000).compactMap { room in
        room["name"]?.told().map { ("Room", $0) }
      }
  }
}

/// A sale, or a ticket where a server tells single ones.
struct DeskSale: DeskRecord {
  static let heads = ["ID", "STATUS", "TICKETS", "USED", "NAME", "EVENT"]

  let id: String
  let status: String
  let name: String?
  let email: String?
  let event: (id: String?, name: String?)
  /// The quantities, as told.
  let quantities: [String]
  /// How many of its lines are used, and of how many that is told.
  let used: (lines: Int, of: Int)
  let told: JSONValue

  init?(_ value: JSONValue, hiding secrets: [Redaction]) {
    guard case .object = value, let id = value["id"]?.identifier else { return nil }
    func text(_ names: String...) -> String? {
      names.lazy.compactMap { value[$0]?.told(hiding: secrets) }.first
    }
    self.id = id
    status = text("status") ?? "-"
    name = text("name", "holder_name", "attendee_name")
    email = text("email", "holder_email", "attendee_email")
    event = (
      value["event_id"]?.identifier ?? value["event"]?["id"]?.identifier,
      value["event"]?["name"]?.told(hiding: secrets) ?? text("event_name")
    )
    let lines = (value["tickets"]?.elements ?? []).prefix(1_000)
    quantities =
      lines.isEmpty
      ? [text("quantity", "total_quantity")].compactMap { $0 }
      : lines.map { $0["quantity"]?.told(hiding: secrets) ?? "?" }
    let words = lines.compactMap { $0["usage_status"]?.string }
    used = (words.count { $0 == "used" }, words.count)
    told = value
  }

  /// Whether its holder or its event has this in its name or address.
  func mentions(_ text: String) -> Bool {
    let wanted = text.lowercased()
    return [name, email, event.name].contains { $0?.lowercased().contains(wanted) ?? false }
  }

  func cells(_ clocks: DeskClocks) -> [String] {
    [
      id, status, quantities.isEmpty ? "-" : quantities.joined(separator: "+"),
      used.of == 0 ? "-" : "\(used.lines)/\(used.of)", name ?? "-", event.name ?? event.id ?? "-",
    ]
  }

  func fields(_ clocks: DeskClocks) -> [(name: String, text: String)] {
    var fields: [(name: String, text: String)] = [("Sale", id), ("Status", status)]
    if let name { fields += [("Name", name)] }
    if let email { fields += [("Email", email)] }
    if event.id != nil || event.name != nil {
      fields += [("Event", [event.name, event.id.map { "(\($0))" }].compactMap { $0 }.joined(separator: " "))]
    }
    fields += (told["tickets"]?.elements ?? []).prefix(1_000).map { line in
      let words = [
        line["quantity"]?.told(), line["ticket_id"]?.identifier.map { "of type \($0)" },
        line["usage_status"]?.told(),
      ]
      return ("Ticket", words.compactMap { $0 }.joined(separator: " "))
    }
    return fields
  }
}

/// An entry of the log of check-ins.
struct DeskCheckIn: DeskRecord {
  static let heads = ["ID", "TIME", "NAME", "NOTES"]

  let id: String
  let at: WallTime?
  let name: String?
  let notes: String?
  let told: JSONValue

  init?(_ value: JSONValue, hiding secrets: [Redaction]) {
    guard case .object(var members) = value, let id = members["id"]?.identifier else { return nil }
    func first(_ names: String...) -> JSONValue? { names.lazy.compactMap { members[$0] }.first { $0 != .null } }
    self.id = id
    at = DeskTime.told(first("checked_in_at", "ts", "timestamp", "created_at"))
    name = first("attendee_name", "holder_name", "name")?.told(hiding: secrets)
    let action = members["action"]?.told(hiding: secrets)
    let notes = members["notes"]?.told(hiding: secrets)
    self.notes = [action, notes].compactMap { $0 }.joined(separator: "; ")
    if let at { members["checked_in_at"] = .string(at.iso8601Seconds) }
    told = .object(members)
  }

  func cells(_ clocks: DeskClocks) -> [String] {
    [id, at.map { DeskTime.clocks($0, in: clocks.clocks().rules) } ?? "-", name ?? "-", notes ?? ""]
  }

  func fields(_ clocks: DeskClocks) -> [(name: String, text: String)] {
    zip(["Check-in", "Time", "Name", "Notes"], cells(clocks)).map { ($0, $1) }
  }
}

extension JSONValue {
  /// An object with another value of one member.
  func with(_ name: String, _ value: JSONValue) -> JSONValue {
    .object(members.merging([name: value]) { _, new in new })
  }
}
