internal import TicketSystemKit
internal import WireText

/// An amount of money as the service tells it: pounds in the document, pence in reality. Kept as told: nothing is reckoned with it.
struct Price: Sendable, Hashable {
  /// What it is told in. The raw values are words of our JSON.
  enum Unit: String, Sendable {
    case pounds, pence
  }

  /// The most digits before a point: more is no price of a seat, nor of a house.
  private static let mostDigits = 11

  /// As it was told: digits, of pounds perhaps with a point.
  let amount: String
  let unit: Unit

  /// Reads an amount; `nil` where it is none: negative, without end, or no number.
  init?(_ value: JSONValue?, _ unit: Unit) {
    let text: String
    switch value {
    case .number(let number)?: text = number
    case .string(let string)?: text = string
    default: return nil
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= (unit == .pounds ? 2 : 1), (1...Self.mostDigits).contains(parts[0].count),
      parts.dropFirst().allSatisfy({ (1...4).contains($0.count) }),
      parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } }), parts[0].count == 1 || parts[0].first != 0x30
    else { return nil }
    (amount, self.unit) = (text, unit)
  }

  /// `£25`, `£25.50`, `£25.00 (2500 p)`.
  var text: String {
    guard unit == .pence else { return "£\(amount)" }
    let digits = String(repeating: "0", count: max(0, 3 - amount.count)) + amount
    return "£\(digits.dropLast(2)).\(digits.suffix(2)) (\(amount) p)"
  }

  /// `{"amount":2500,"unit":"pence"}`
  var json: JSONValue { .object(["amount": .number(amount), "unit": .string(unit.rawValue)]) }
}

extension JSONValue {
  /// The first of several members, by the names that it has in the service's shapes; nothing of what is null.
  func first(_ names: String...) -> JSONValue? {
    for name in names {
      if let value = self[name], value != .null { return value }
    }
    return nil
  }

  /// A list that an answer is, or has under one of these names; `nil` where it is none.
  func list(_ names: String...) -> [JSONValue]? {
    if case .array(let elements) = self { return elements }
    for name in names {
      if case .array(let elements)? = self[name] { return elements }
    }
    return nil
  }

  /// A text of ours for JSON, or null.
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
