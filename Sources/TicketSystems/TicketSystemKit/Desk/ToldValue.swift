internal import ScanModel
package import TicketTransport
package import WireText

/// What of a document is for no screen, by the names of members.
package struct Concealment: Sendable {
  /// Texts of which the last characters alone are shown.
  package var codes: Set<String>
  /// Texts that are not shown: what stands in their place.
  package var secrets: [String: String]

  package init(codes: Set<String> = [], secrets: [String: String] = [:]) {
    self.codes = codes
    self.secrets = secrets
  }
}

/// What a server tells, read tolerantly: whatever its type is, it is shown as it was told, or missing.
extension JSONValue {
  /// The members of an object. PHP tells an empty one as `[]`.
  package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

  /// The elements of a list. PHP tells one whose numbers have a gap as an object.
  package var elements: [JSONValue] {
    switch self {
    case .array(let elements): elements
    case .object(let members) where members.keys.allSatisfy({ Int($0) != nil }):
      members.sorted { (Int($0.key) ?? 0, $0.key) < (Int($1.key) ?? 0, $1.key) }.map(\.value)
    default: []
    }
  }

  /// A text, a number or a truth as it was told, made fit for staff; `nil` for everything else, and where nothing is left.
  package func told(hiding secrets: [Redaction] = []) -> String? {
    switch self {
    case .string(let text): StaffText.clean(text, hiding: secrets)
    case .number(let number): number.utf8.count <= 40 ? number : nil
    case .bool(let truth): truth ? "yes" : "no"
    case .null, .array, .object: nil
    }
  }

  /// For a server, as it is.
  package var written: [UInt8] {
    var json = JSONBytes()
    write(to: &json) { $0 }
    return json.bytes
  }

  /// A line for people and programs: nothing in it disturbs a terminal, our key is hidden, and so is what is for no screen.
  package func shown(hiding secrets: [Redaction], _ concealment: Concealment) -> String {
    var json = JSONBytes(isShown: true)
    without(concealment).write(to: &json) { StaffText.hidden($0, secrets) }
    return String(decoding: json.bytes, as: UTF8.self)
  }

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

  private func without(_ concealment: Concealment) -> JSONValue {
    switch self {
    case .array(let elements): .array(elements.map { $0.without(concealment) })
    case .object(let members):
      .object(
        members.reduce(into: [:]) { kept, member in
          switch member.value {
          case .string(let code) where concealment.codes.contains(member.key):
            kept[member.key] = .string(Code(code).shortened)
          case .string:
            kept[member.key] = concealment.secrets[member.key].map { .string($0) } ?? member.value
          default: kept[member.key] = member.value.without(concealment)
          }
        })
    default: self
    }
  }
}
