/// A JSON object that is being written.
struct JSONText {
  private var members: [String] = []

  /// An object with these names and values, which are JSON already.
  static func object(_ members: (name: String, value: String)...) -> JSONText {
    var text = JSONText()
    for member in members { text.add(member.name, member.value) }
    return text
  }

  /// Adds a member whose value is JSON already.
  mutating func add(_ name: String, _ value: String) { members.append(Self.string(name) + ":" + value) }

  /// Adds the two parameters that every scan may have, where they are configured.
  mutating func add(saleTicketID: Int64?, seatNumber: String?) {
    if let saleTicketID { add("sale_ticket_id", String(saleTicketID)) }
    if let seatNumber { add("seat_number", Self.string(seatNumber)) }
  }

  /// The object, as UTF-8.
  var bytes: [UInt8] { [UInt8](("{" + members.joined(separator: ",") + "}").utf8) }

  /// A text as a JSON string.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..<"\u{20}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
