internal import ScanModel

/// A JSON object (RFC 8259) that is being written, member by member.
package struct JSONText: Sendable {
  private var json: JSONBytes

  /// Begins an object that people may look at: everything that could disturb a line or a terminal leaves as an escape.
  package init() { self.init(isShown: true) }

  private init(isShown: Bool) {
    json = JSONBytes(isShown: isShown)
    json.beginObject()
  }

  /// Begins an object for a server, with these texts; of them control characters alone are escaped.
  package static func object(_ members: (name: String, text: String)...) -> JSONText {
    var object = JSONText(isShown: false)
    for member in members { object.add(member.name, member.text) }
    return object
  }

  /// Adds text, or null.
  package mutating func add(_ key: String, _ value: String?) {
    json.name(key)
    if let value { json.text(value) } else { json.null() }
  }

  /// Adds a whole number.
  package mutating func add(_ key: String, _ value: Int64) { add(key, number: value) }

  /// Adds a whole number, or null.
  package mutating func add(_ key: String, number: Int64?) {
    json.name(key)
    if let number { json.number(number) } else { json.null() }
  }

  /// Adds a truth.
  package mutating func add(_ key: String, _ value: Bool) {
    json.name(key)
    json.truth(value)
  }

  /// Adds finished objects.
  package mutating func add(_ key: String, objects: [String]) {
    json.name(key)
    json.array { for object in objects { $0.finished(object) } }
  }

  /// Adds a finished object, or null.
  package mutating func add(_ key: String, object: String?) {
    json.name(key)
    if let object { json.finished(object) } else { json.null() }
  }

  /// Adds a list of texts.
  package mutating func add(_ key: String, texts: [String]) {
    json.name(key)
    json.array { for text in texts { $0.text(text) } }
  }

  /// Adds a number with three decimals, as milliseconds are written.
  package mutating func add(milliseconds key: String, _ duration: Duration) {
    json.name(key)
    json.finished(Self.milliseconds(duration))
  }

  /// A duration in milliseconds, with three decimals; zero where it is negative.
  package static func milliseconds(_ duration: Duration) -> String {
    let microseconds = max(0, duration.saturatedNanoseconds / 1_000)
    return "\(microseconds / 1_000).\(String(microseconds % 1_000, digits: 3))"
  }

  /// The object.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The object, as UTF-8.
  package var bytes: [UInt8] {
    var whole = json
    whole.endObject()
    return whole.bytes
  }

  /// A text as a JSON string for a server.
  package static func string(_ text: String) -> String {
    var json = JSONBytes()
    json.text(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
