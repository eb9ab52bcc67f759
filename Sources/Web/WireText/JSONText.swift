import ScanModel

/// A JSON object (RFC 8259) that is being written. Small, because the event stream is on the path of every scan and needs no more.
package struct JSONText: Sendable {
  private var written = "{"
  private let isShown: Bool

  /// Begins an object that people may look at: everything that could disturb a line or a terminal leaves as an escape.
  package init() { isShown = true }

  private init(isShown: Bool) { self.isShown = isShown }

  /// Begins an object for a server, with these texts; of them control characters alone are escaped.
  package static func object(_ members: (name: String, text: String)...) -> JSONText {
    var object = JSONText(isShown: false)
    for member in members { object.add(member.name, member.text) }
    return object
  }

  /// Adds text, or null.
  package mutating func add(_ key: String, _ value: String?) {
    begin(key)
    if let value { append(value) } else { written += "null" }
  }

  /// Adds a whole number.
  package mutating func add(_ key: String, _ value: Int64) {
    begin(key)
    written += String(value)
  }

  /// Adds a whole number, or null.
  package mutating func add(_ key: String, number: Int64?) {
    begin(key)
    written += number.map { String($0) } ?? "null"
  }

  /// Adds a truth.
  package mutating func add(_ key: String, _ value: Bool) {
    begin(key)
    written += value ? "true" : "false"
  }

  /// Adds finished objects.
  package mutating func add(_ key: String, objects: [String]) {
    begin(key)
    written += "[" + objects.joined(separator: ",") + "]"
  }

  /// Adds a finished object, or null.
  package mutating func add(_ key: String, object: String?) {
    begin(key)
    written += object ?? "null"
  }

  /// Adds a list of texts.
  package mutating func add(_ key: String, texts: [String]) {
    begin(key)
    written += "["
    for (index, value) in texts.enumerated() {
      if index > 0 { written += "," }
      append(value)
    }
    written += "]"
  }

  /// Adds a number with three decimals, as milliseconds are written.
  package mutating func add(milliseconds key: String, _ duration: Duration) {
    begin(key)
    written += Self.milliseconds(duration)
  }

  /// A duration in milliseconds, with three decimals; zero where it is negative.
  package static func milliseconds(_ duration: Duration) -> String {
    let microseconds = max(0, duration.saturatedNanoseconds / 1_000)
    return "\(microseconds / 1_000).\(String(microseconds % 1_000, digits: 3))"
  }

  /// The object.
  package var text: String { written + "}" }

  /// The object, as UTF-8.
  package var bytes: [UInt8] { [UInt8](text.utf8) }

  /// A text as a JSON string for a server.
  package static func string(_ text: String) -> String { escaped(text, isShown: false) }

  private mutating func begin(_ key: String) {
    if written.utf8.count > 1 { written += "," }
    append(key)
    written += ":"
  }

  private mutating func append(_ value: String) { written += Self.escaped(value, isShown: isShown) }

  private static func escaped(_ value: String, isShown: Bool) -> String {
    // Names, codes and words, as nearly all are.
    if value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      return "\"\(value)\""
    }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{0}"..<"\u{20}", "\u{7F}": text += "\\u" + String(scalar.value, digits: 4, radix: 16)
      default:
        if !isShown || TerminalText.isHarmless(scalar) {
          text.unicodeScalars.append(scalar)
        } else {
          for unit in String(scalar).utf16 { text += "\\u" + String(unit, digits: 4, radix: 16) }
        }
      }
    }
    return text + "\""
  }
}
