/// What a column of an imported file can mean, and the names by which ticket systems call it.
enum TicketColumn: String, CaseIterable {
  case code, kind, status, day, zone, from, until, quantity, sale, event
  case saleQuantity = "sale quantity"

  /// The names, the best one first; lower case, with `_` for blanks and hyphens. docs/tickets.md lists them.
  var names: [String] {
    switch self {
    case .code:
      [
        "code", "ticket_code", "entry_secret", "secret", "ticket_secret", "sale_secret", "barcode", "qr_code", "qr",
        "url",
        "ticket_url", "link",
      ]
    case .kind: ["kind", "code_kind"]
    case .status:
      ["status", "ticket_status", "usage_status", "payment_status", "sale_status", "order_status", "state"]
    case .day: ["date", "event_date", "day"]
    case .zone: ["timezone", "time_zone"]
    case .from: ["valid_from", "from", "starts_at", "not_before"]
    case .until: ["valid_until", "until", "valid_to", "expires_at", "expires", "not_after"]
    case .quantity: ["quantity", "qty", "admits", "persons"]
    case .sale: ["sale", "sale_id", "order", "order_id", "order_number", "booking", "booking_id"]
    case .saleQuantity: ["sale_quantity", "total_quantity", "order_quantity"]
    case .event: ["event", "event_name"]
    }
  }
}

/// Which column of a file means what.
struct TicketColumns {
  /// The column of each meaning; of the states, which a file can have several of, see `states`.
  private(set) var places: [TicketColumn: Int] = [:]
  /// The columns that say something of the state: of all of them the strictest counts.
  private(set) var states: [Int] = []
  /// The names of the columns that mean nothing here, as the file has them.
  private(set) var ignored: [String] = []
  /// How many columns there are.
  let count: Int

  /// Reads the header.
  init(_ header: borrowing CSVRecord) {
    count = header.count
    var names: [String] = []
    for index in 0..<header.count { names.append(Self.plain(header[index])) }
    var known: Set<Int> = []
    for meaning in TicketColumn.allCases {
      for name in meaning.names {
        for (index, given) in names.enumerated() where given == name {
          if meaning == .status {
            states.append(index)
            known.insert(index)
          } else if places[meaning] == nil {
            places[meaning] = index
            known.insert(index)
          }
        }
      }
    }
    for index in names.indices where !known.contains(index) {
      ignored.append(String(decoding: header[index].prefix(64), as: UTF8.self))
    }
  }

  /// Lower case, without blanks around it, with `_` for blanks and hyphens within.
  static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    let text = trimmed(bytes).map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: " "), UInt8(ascii: "-"): UInt8(ascii: "_")
      default: byte
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Bytes without blanks, tabs and line ends around them.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
  else { return [] }
  return bytes[first...last]
}
