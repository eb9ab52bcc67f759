internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A seat of a show, of either shape.
struct BoxSeat: Sendable, Hashable {
  static let heads = ["SEAT", "SECTION", "STATUS", "PRICE", "ID"]

  /// What can be done with it. The raw values are words of our JSON.
  enum Status: String, Sendable, CaseIterable {
    case available, reserved, sold
    /// What the service says is none that we know.
    case unknown

    init(_ told: String?) {
      switch told?.lowercased() {
      case "available": self = .available
      case "reserved", "held": self = .reserved
      case "sold", "booked": self = .sold
      default: self = .unknown
      }
    }
  }

  /// Where it is on a map, in the map's own units.
  struct Position: Sendable, Hashable {
    /// How far from the middle a place may be, in both directions.
    static let farthest = 1_000_000.0

    let x: Double, y: Double

    init?(_ x: JSONValue?, _ y: JSONValue?) {
      func place(_ value: JSONValue?) -> Double? {
        let text: String
        switch value {
        case .number(let number)?: text = number
        case .string(let string)?: text = string
        default: return nil
        }
        guard text.utf8.count <= 40, let number = Double(text), number.magnitude <= Self.farthest else { return nil }
        return number
      }
      guard let x = place(x), let y = place(y) else { return nil }
      (self.x, self.y) = (x, y)
    }
  }

  let id: String
  let row: String?
  let number: String?
  let section: String?
  private(set) var colour: HexColour?
  let status: Status
  let price: Price?
  /// Whether it has a price that is none: negative, or no number.
  let hasNoPrice: Bool
  let position: Position?
  /// The show that it says it is of.
  let show: String?

  /// - Returns: `nil` where it has no id.
  init?(_ told: JSONValue, hiding secrets: [Redaction]) {
    guard let id = told.first("id", "seatId", "seat_id")?.identifier else { return nil }
    self.id = id
    func text(_ value: JSONValue?) -> String? { value?.told(hiding: secrets) }
    row = text(told.first("row_letter", "row"))
    number = text(told.first("seat_number", "number"))
    section = text(told.first("display_name", "section_name", "section"))
    colour = HexColour(told.first("color_hex", "color_code", "color"))
    status = Status(told["status"]?.string)
    let pence = told.first("price_pence", "pricePence")
    let pounds = told["price"]
    price = pence.map { Price($0, .pence) } ?? Price(pounds, .pounds)
    hasNoPrice = price == nil && (pence ?? pounds ?? .null) != .null
    show = told.first("showId", "show_id")?.identifier
    let place = told["position"]
    let pair = place?.array ?? []
    position =
      Position(place?["x"], place?["y"]) ?? Position(told.first("position_x", "x"), told.first("position_y", "y"))
      ?? (pair.count == 2 ? Position(pair[0], pair[1]) : nil)
  }

  /// The same, in the colour that the map gives its section, where it has none itself.
  func coloured(_ sections: [String: HexColour]) -> BoxSeat {
    var seat = self
    seat.colour = colour ?? section.flatMap { sections[$0] }
    return seat
  }

  /// `F-12`, as bookings write it; its id where it has neither row nor number.
  var label: String {
    guard row != nil || number != nil else { return id }
    return [row, number].compactMap(\.self).joined(separator: "-")
  }

  var cells: [String] { [label, section ?? "-", status.rawValue, priceText, id] }

  var priceText: String { price?.text ?? (hasNoPrice ? "none that can be" : "-") }

  var json: JSONValue {
    .object([
      "id": .string(id), "seat": .string(label), "row": .text(row), "number": .text(number), "section": .text(section),
      "status": .string(status.rawValue), "price": price?.json ?? .null, "colour": .text(colour?.text),
    ])
  }
}

/// The seats of a show, as one answer tells them.
struct BoxSeats: Sendable {
  /// The most that are looked at: no house has a tenth of it.
  static let most = 100_000

  /// Why what was typed is no seat of this show.
  enum Fault: Error, Equatable {
    /// None has that id, nor that row and number.
    case unknown(String)
    /// Several have.
    case ambiguous(String)
    /// It was typed before, perhaps in other words.
    case twice(String)
    /// It is not to be had.
    case taken(String, BoxSeat.Status)
    /// It has a price that is none.
    case noPrice(String)

    /// What is wrong with it, and what to do; the seat as it was typed is in it.
    var words: String {
      switch self {
      case .unknown(let seat): "\(seat) is no seat of this show. Look at: scangate booking seats SHOW"
      case .ambiguous(let seat): "Several seats are called \(seat): say which by its id."
      case .twice(let seat): "\(seat) is there twice."
      case .taken(let seat, .unknown): "\(seat) has a status that nobody knows: it may be sold."
      case .taken(let seat, let status): "\(seat) is \(status.rawValue)."
      case .noPrice(let seat): "\(seat) has a price that is none."
      }
    }
  }

  /// Each id once, in the order of the answer.
  let all: [BoxSeat]
  /// What could not be read, or was of another show.
  let unread: Int, foreign: Int
  /// Ids that the answer has twice: which of them counts cannot be told.
  let repeated: Set<String>

  /// - Returns: `nil` where the document is no list of seats.
  init?(_ document: JSONValue, of show: String, hiding secrets: [Redaction]) {
    guard let elements = document.list("seats", "data"), elements.count <= Self.most else { return nil }
    var (seats, known): ([BoxSeat], [String: Int]) = ([], [:])
    var (foreign, repeated): (Int, Set<String>) = (0, [])
    let read = elements.compactMap { BoxSeat($0, hiding: secrets) }
    for seat in read {
      if let told = seat.show, told != show {
        foreign += 1
      } else if known[seat.id] != nil {
        repeated.insert(seat.id)
      } else {
        known[seat.id] = seats.count
        seats.append(seat)
      }
    }
    all = seats
    unread = elements.count - read.count
    (self.foreign, self.repeated) = (foreign, repeated)
  }

  /// What is to be told of what the answer has beside its seats.
  var notes: [String] {
    var notes: [String] = []
    if all.isEmpty { notes.append("The show has no seats that could be chosen.") }
    if unread > 0 { notes.append("\(unread) could not be read: they have no id.") }
    if foreign > 0 { notes.append("\(foreign) are of another show: they are left out.") }
    if !repeated.isEmpty { notes.append("\(repeated.count) are told twice: they cannot be reserved here.") }
    let priceless = all.count { $0.hasNoPrice }
    if priceless > 0 { notes.append("\(priceless) have a price that is none: they cannot be reserved here.") }
    return notes
  }

  /// The seats that somebody typed, by id or by row and number (`F-12`, `F12`), which are all to be had.
  func named(_ typed: [String]) throws(Fault) -> [BoxSeat] {
    let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    let byLabel = Dictionary(grouping: all.filter { $0.row != nil && $0.number != nil }) { Self.folded($0.label) }
    var (found, ids): ([BoxSeat], Set<String>) = ([], [])
    for text in typed {
      let shown = TerminalText.clean(text, limit: 60)
      guard let seat = byID[text] ?? Self.only(byLabel[Self.folded(text)]) else {
        throw byLabel[Self.folded(text)] == nil ? .unknown(shown) : .ambiguous(shown)
      }
      guard ids.insert(seat.id).inserted else { throw .twice(shown) }
      guard !repeated.contains(seat.id) else { throw .ambiguous(shown) }
      guard seat.status == .available else { throw .taken(shown, seat.status) }
      guard !seat.hasNoPrice else { throw .noPrice(shown) }
      found.append(seat)
    }
    return found
  }

  private static func only(_ seats: [BoxSeat]?) -> BoxSeat? { seats?.count == 1 ? seats?.first : nil }

  private static func folded(_ label: String) -> String {
    label.lowercased().filter { $0 != "-" && !$0.isWhitespace }
  }
}
