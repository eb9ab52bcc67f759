import Foundation

/// A JSON text as the real server's PHP prints it.
///
/// Values are put together by hand where they are answered, key by key, and no type is shared with any client: a key
/// misspelt on one side cannot be misspelt by the same stroke on the other.
enum JSONText: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case decimal(Double)
  case string(String)
  case array([JSONText])
  case object([(key: String, value: JSONText)])
  /// A text that SQLite has found to be JSON, as it is.
  case json(String)

  enum Layout {
    case compact
    /// Four spaces a level, as `JSON_PRETTY_PRINT`.
    case pretty
    /// A tab a level and a line end behind it, as Go's encoder writes it.
    case tabs

    fileprivate var indent: String? {
      switch self {
      case .compact: nil
      case .pretty: "    "
      case .tabs: "\t"
      }
    }
  }

  static func optional(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

  /// PHP knows one empty array: what is an object when it has members is `[]` when it has none.
  static func phpMap(_ members: [(key: String, value: JSONText)]) -> JSONText {
    members.isEmpty ? .array([]) : .object(members)
  }

  func text(_ layout: Layout = .compact) -> String {
    var out = ""
    write(to: &out, layout, level: 0)
    if layout == .tabs { out += "\n" }
    return out
  }

  private func write(to out: inout String, _ layout: Layout, level: Int) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .integer(let value): out += String(value)
    case .decimal(let value): out += Self.number(value)
    case .string(let value): Self.quote(value, to: &out)
    case .json(let text): out += text
    case .array(let elements):
      Self.enclose(elements, "[", "]", to: &out, layout, level) { element, out in
        element.write(to: &out, layout, level: level + 1)
      }
    case .object(let members):
      Self.enclose(members, "{", "}", to: &out, layout, level) { member, out in
        Self.quote(member.key, to: &out)
        out += layout.indent == nil ? ":" : ": "
        member.value.write(to: &out, layout, level: level + 1)
      }
    }
  }

  private static func enclose<Element>(
    _ elements: [Element], _ opening: String, _ closing: String, to out: inout String, _ layout: Layout, _ level: Int,
    _ write: (Element, inout String) -> Void
  ) {
    out += opening
    for (index, element) in elements.enumerated() {
      if index > 0 { out += "," }
      if let indent = layout.indent { out += "\n" + String(repeating: indent, count: level + 1) }
      write(element, &out)
    }
    if let indent = layout.indent, !elements.isEmpty { out += "\n" + String(repeating: indent, count: level) }
    out += closing
  }

  /// JSON has no infinity and no NaN; whole numbers lose their fraction, as in PHP.
  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    return Int64(exactly: value).map { String($0) } ?? "\(value)"
  }

  /// Escapes everything outside printable ASCII as UTF-16 units, and the slash, as PHP does unless told otherwise:
  /// valid JSON, and a good exercise for any client.
  private static func quote(_ value: String, to out: inout String) {
    out += "\""
    for unit in value.utf16 {
      switch unit {
      case 0x22: out += "\\\""
      case 0x5C: out += "\\\\"
      case 0x2F: out += "\\/"
      case 0x08: out += "\\b"
      case 0x0C: out += "\\f"
      case 0x0A: out += "\\n"
      case 0x0D: out += "\\r"
      case 0x09: out += "\\t"
      case 0x20..<0x7F: out.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    out += "\""
  }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral number: Int64) { self = .integer(number) }
  init(floatLiteral number: Double) { self = .decimal(number) }
  init(nilLiteral: ()) { self = .null }
  init(arrayLiteral elements: JSONText...) { self = .array(elements) }
  /// Members keep their order.
  init(dictionaryLiteral members: (String, JSONText)...) { self = .object(members.map { (key: $0, value: $1) }) }
}

extension Decodable {
  /// Reads one line of JSON with times such as `2025-12-17T14:30:00Z`.
  init(line: some StringProtocol) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Self.self, from: Data(line.utf8))
  }
}

extension Encodable {
  /// One line of JSON.
  func line() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
