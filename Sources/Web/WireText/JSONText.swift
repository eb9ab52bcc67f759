/// A JSON object that is being written.
package struct JSONText: Sendable {
  private var members: [String] = []

  /// Begins an object.
  package init() {}

  /// An object with these names and values, which are JSON already.
  package static func object(_ members: (name: String, value: String)...) -> JSONText {
    var text = JSONText()
    for member in members { text.add(member.name, member.value) }
    return text
  }

  /// Adds a member whose value is JSON already.
  package mutating func add(_ name: String, _ value: String) { members.append(Self.string(name) + ":" + value) }

  /// The object.
  package var text: String { "{" + members.joined(separator: ",") + "}" }

  /// The object, as UTF-8.
  package var bytes: [UInt8] { [UInt8](text.utf8) }

  /// A text as a JSON string.
  package static func string(_ text: String) -> String {
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
