internal import TicketSystemKit
internal import TicketTransport
internal import WireText

extension JSONValue {
  /// Whether this says nothing: null, or a text, a list or an object without anything in it.
  var isVoid: Bool {
    switch self {
    case .null: true
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    case .string(let text): text.isEmpty
    case .bool, .number: false
    }
  }

  /// Whether two values say the same: `"10.000"` and 10, `[]` and `{}`, nothing and null.
  func saysSame(as other: JSONValue) -> Bool {
    if self == other || isVoid && other.isVoid { return true }
    switch (self, other) {
    case (.array(let one), .array(let two)):
      return one.count == two.count && zip(one, two).allSatisfy { $0.saysSame(as: $1) }
    case (.object(let one), .object(let two)):
      return Set(one.keys).union(two.keys).allSatisfy {
        (one[$0] ?? .null).saysSame(as: two[$0] ?? .null)
      }
    case (.bool(let truth), .number(let number)), (.number(let number), .bool(let truth)):
      return number == (truth ? "1" : "0")
    default:
      guard let one = decimal, let two = other.decimal else { return false }
      return one == two
    }
  }

  /// A plain decimal number, told as a number or a text, without what does not count.
  private var decimal: String? {
    let text: String
    switch self {
    case .number(let number), .string(let number): text = number
    default: return nil
    }
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 40, (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let whole = parts[0].drop { $0 == "0" }
    let fraction = parts.count > 1 ? String(String(parts[1].reversed().drop { $0 == "0" }.reversed())) : ""
    if whole.isEmpty, fraction.isEmpty { return "0" }
    return (isNegative ? "-" : "") + whole + "." + fraction
  }
}

extension JSONValue {
  /// A line for people and programs, as event servers' documents are shown: codes by their last characters, no passwords.
  func shown(hiding secrets: [Redaction]) -> String { shown(hiding: secrets, Self.concealment) }

  private static let concealment = Concealment(
    codes: ["secret", "code", "ticket_code", "qr_code", "barcode", "validation_code"],
    secrets: ["api_key": "(secret)", "event_password": "(secret)", "password": "(secret)", "token": "(secret)"])
}
