internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A show as the box office looks at it: of either shape, and whatever its fields are.
struct BoxShow: Sendable {
  static let heads = ["ID", "DATE", "TIME", "SHOW", "WHERE", "PRICES"]

  /// A part of the house with a price of its own.
  struct Section: Sendable {
    let name: String?
    let colour: String?
    let price: Price?
    let available: Int64?
    let total: Int64?
  }

  let id: String
  let title: String?
  /// As it was told; the venue's own, without a zone.
  let date: String?
  let time: String?
  let venue: String?
  let location: String?
  let description: String?
  let lowest: Price?
  let highest: Price?
  let map: String?
  let sections: [Section]

  /// - Returns: `nil` where it has no id.
  init?(_ told: JSONValue, hiding secrets: [Redaction]) {
    guard let id = told["id"]?.identifier else { return nil }
    self.id = id
    func text(_ value: JSONValue?) -> String? { value?.told(hiding: secrets) }
    title = text(told.first("title", "name"))
    date = text(told["date"])
    time = text(told["time"])
    venue = text(told.first("venue_name", "venueName", "venue") ?? .null) ?? text(told["venue"]?["name"])
    location = text(told.first("location", "address") ?? told["venue"]?["address"])
    description = text(told["description"])
    lowest = Price(told.first("min_price", "minPrice"), .pounds)
    highest = Price(told.first("max_price", "maxPrice"), .pounds)
    map = told.first("seatMapId", "seat_map_id")?.identifier
    sections = (told["seat_pricing"]?.elements ?? []).prefix(200).map { section in
      Section(
        name: text(section.first("section_name", "section", "name")),
        colour: HexColour(section.first("color_code", "color_hex", "color"))?.text,
        price: Price(section["price"], .pounds), available: section["available_seats"]?.integer,
        total: section["total_seats"]?.integer)
    }
  }

  /// A date and a time as people read them: what is none is marked, for nobody can come then.
  var when: (date: String, time: String) {
    (
      date.map { CivilDay(iso8601: $0) == nil ? "\($0) (no date)" : String($0.prefix(10)) } ?? "-",
      time.map { Self.isTime($0) ? $0 : "\($0) (no time)" } ?? "-"
    )
  }

  /// `HH:MM`, with seconds or without; `24:00:00` is none.
  static func isTime(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.count == 2 && part.allSatisfy { (0x30...0x39).contains($0) }
        ? part.reduce(0) { $0 * 10 + Int($1 & 0x0F) } : nil
    }
    guard numbers.count == parts.count, (2...3).contains(numbers.count) else { return false }
    return numbers[0] < 24 && numbers.dropFirst().allSatisfy { $0 < 60 }
  }

  /// Whether a text is in its title or its place.
  func mentions(_ text: String) -> Bool {
    let text = text.lowercased()
    return [title, venue, location].contains { $0?.lowercased().contains(text) == true }
  }

  /// `£20 to £45`
  var prices: String {
    switch (lowest, highest) {
    case (let low?, let high?) where low != high: "\(low.text) to \(high.text)"
    case (let one?, _), (nil, let one?): one.text
    case (nil, nil): "-"
    }
  }

  var cells: [String] { [id, when.date, when.time, title ?? "-", venue ?? "-", prices] }

  var fields: [(name: String, text: String?)] {
    [
      ("Id", id), ("Show", title ?? "-"), ("Date", when.date), ("Time", when.time), ("Venue", venue ?? "-"),
      ("Where", location), ("About", description), ("Prices", prices), ("Seat map", map),
    ]
      + sections.map { section in
        let price = section.price?.text ?? "-"
        let free = section.available.map { "\($0) of \(section.total.map { "\($0)" } ?? "?") free" }
        return ("Section", [section.name ?? "-", price, free].compactMap(\.self).joined(separator: ", "))
      }
  }

  var json: JSONValue {
    .object([
      "id": .string(id), "title": .text(title), "date": .text(date), "time": .text(time), "venue": .text(venue),
      "location": .text(location), "minPrice": lowest?.json ?? .null, "maxPrice": highest?.json ?? .null,
      "seatMapId": .text(map),
      "sections": .array(
        sections.map { section in
          .object([
            "name": .text(section.name), "colour": .text(section.colour), "price": section.price?.json ?? .null,
            "available": section.available.map { .number("\($0)") } ?? .null,
            "total": section.total.map { .number("\($0)") } ?? .null,
          ])
        }),
    ])
  }
}

/// A colour that a service tells: `#12ab34`, `#abc`; nothing else is one.
struct HexColour: Hashable, Sendable {
  /// With its `#`, six digits.
  let text: String

  init?(_ value: JSONValue?) {
    guard let told = value?.string, told.utf8.first == UInt8(ascii: "#") else { return nil }
    let digits = told.dropFirst()
    guard [3, 6].contains(digits.utf8.count), digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    text = "#" + (digits.utf8.count == 6 ? String(digits) : digits.map { "\($0)\($0)" }.joined())
  }
}
