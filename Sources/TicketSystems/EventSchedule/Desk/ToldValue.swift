internal import ScanModel
internal import TicketTransport
internal import WireText

/// What a server tells, read tolerantly: whatever its type is, it is shown as it was told, or missing.
extension JSONValue {
  /// The members of an object. PHP tells an empty one as `[]`.
  var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

  /// The elements of a list. PHP tells one whose numbers have a gap as an object.
  var elements: [JSONValue] {
    switch self {
    case .array(let elements): elements
    case .object(let members) where members.keys.allSatisfy({ Int($0) != nil }):
      members.sorted { (Int($0.key) ?? 0, $0.key) < (Int($1.key) ?? 0, $1.key) }.map(\.value)
    default: []
    }
  }

  /// A text, a number or a truth as it was told, made fit for staff; `nil` for everything else, and where nothing is left.
  func told(hiding secrets: [Redaction] = []) -> String? {
    switch self {
    case .string(let text): StaffText.clean(text, hiding: secrets)
    case .number(let number): number.utf8.count <= 40 ? number : nil
    case .bool(let truth): truth ? "yes" : "no"
    case .null, .array, .object: nil
    }
  }

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
  /// For a server, as it is.
  var written: [UInt8] {
    var json = JSONBytes()
    write(to: &json) { $0 }
    return json.bytes
  }

  /// A line for people and programs: nothing in it disturbs a terminal, our key is hidden, and codes show their first characters.
  func shown(hiding secrets: [Redaction]) -> String {
    var json = JSONBytes(isShown: true)
    withoutCodes.write(to: &json) { StaffText.hidden($0, secrets) }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static let codes: Set<String> = ["secret", "code", "ticket_code", "qr_code", "barcode", "validation_code"]
  private static let passwords: Set<String> = ["api_key", "event_password", "password", "token"]

  private func write(to json: inout JSONBytes, _ text: (String) -> String) {
    switch self {
    case .null: json.null()
    case .bool(let truth): json.truth(truth)
    case .number(let number): json.finished(number)
    case .string(let value): json.text(text(value))
    case .array(let elements): json.array { json in for element in elements { element.write(to: &json, text) } }
    case .object(let members):
      json.object { json in
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
          json.name(text(name))
          value.write(to: &json, text)
        }
      }
    }
  }

  /// Without what nobody shall read off a screen: codes but for their first characters, and passwords.
  private var withoutCodes: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.withoutCodes))
    case .object(let members):
      .object(
        members.reduce(into: [:]) { kept, member in
          switch member.value {
          case .string(let code) where Self.codes.contains(member.key): kept[member.key] = .string(Code(code).shortened)
          case .string where Self.passwords.contains(member.key): kept[member.key] = .string("(secret)")
          default: kept[member.key] = member.value.withoutCodes
          }
        })
    default: self
    }
  }
}
