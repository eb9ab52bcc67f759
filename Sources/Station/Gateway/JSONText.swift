import ScanModel

/// Writes one JSON object (RFC 8259). Small, because the event stream is on the path of every scan and needs no more.
package struct JSONLine {
  private(set) var text = "{"

  /// Begins an object.
  package init() {}

  /// Adds text, or null.
  package mutating func add(_ key: String, _ value: String?) {
    begin(key)
    if let value { Self.append(value, to: &text) } else { text += "null" }
  }

  /// Adds a whole number.
  package mutating func add(_ key: String, _ value: Int64) {
    begin(key)
    text += String(value)
  }

  /// Adds a whole number, or null.
  package mutating func add(_ key: String, number: Int64?) {
    begin(key)
    text += number.map { String($0) } ?? "null"
  }

  /// Adds a truth.
  package mutating func add(_ key: String, _ value: Bool) {
    begin(key)
    text += value ? "true" : "false"
  }

  /// Adds finished objects.
  package mutating func add(_ key: String, objects: [String]) {
    begin(key)
    text += "[" + objects.joined(separator: ",") + "]"
  }

  /// Adds a finished object, or null.
  package mutating func add(_ key: String, object: String?) {
    begin(key)
    text += object ?? "null"
  }

  /// Adds a list of texts.
  package mutating func add(_ key: String, texts: [String]) {
    begin(key)
    text += "["
    for (index, value) in texts.enumerated() {
      if index > 0 { text += "," }
      Self.append(value, to: &text)
    }
    text += "]"
  }

  /// Adds a number with three decimals, as milliseconds are written.
  package mutating func add(milliseconds key: String, _ duration: Duration) {
    begin(key)
    text += Self.milliseconds(duration)
  }

  /// A duration in milliseconds, with three decimals; zero where it is negative.
  package static func milliseconds(_ duration: Duration) -> String {
    let microseconds = max(0, duration.saturatedNanoseconds / 1_000)
    let fraction = String(microseconds % 1_000)
    return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  mutating func add(_ key: String, lines: [TicketDetails.Line]) {
    let objects = lines.map { line in
      var object = JSONLine()
      switch line.id {
      case .number(let id): object.add("id", id)
      case .text(let id): object.add("id", id)
      }
      object.add("quantity", Int64(line.quantity))
      object.add("used", line.isUsed)
      return object.finished()
    }
    add(key, objects: objects)
  }

  /// The finished object.
  package func finished() -> String { text + "}" }

  private mutating func begin(_ key: String) {
    if text.utf8.count > 1 { text += "," }
    Self.append(key, to: &text)
    text += ":"
  }

  /// Everything outside printable ASCII that could disturb a line or a terminal leaves as an escape.
  static func append(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      default:
        if TerminalText.isHarmless(scalar) {
          text.unicodeScalars.append(scalar)
        } else {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        }
      }
    }
    text += "\""
  }
}
