import Expectations
import WireText
import Foundation
import ScanTesting
import Testing

@Suite struct JSONValueTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONValue([UInt8](text.utf8)) }

  @Test func readsEveryKind() throws {
    let value = try parse(#" {"a":[1,-2.5e3,true,false,null,"x\u00e9\n\ud83d\ude00\/"],"b":{}} "#)
    expectEqual(
      value["a"]?.array,
      [
        .number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null, .string("xé\n😀/"),
      ])
    expectEqual(value["b"], .object([:]))
    expect(value["c"] == nil)
    try expectEqual(parse("\u{FEFF}[]"), .array([]))
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "01", "+1", ".5", "1.", "1e", "-", "nul", "True", "\"",
    "\"\\x\"",
    "\"\\u12\"", "\"a\nb\"", "[1] 2", "{\"a\":1,\"a\":2}", "]", "{]", "'a'", "NaN", "[1 2]", "\"\\ud800", "//", "\u{0}",
  ]) func refusesWhatIsNoJSON(text: String) {
    #expect(throws: JSONValue.Fault.self) { try parse(text) }
  }

  /// One array is handed over element by element; all else is as it would be.
  @Test(arguments: [
    (
      #"{"a":1,"list":[1,{"list":[2]},[]],"b":{"list":[3]}}"#, #"{"a":1,"list":[],"b":{"list":[3]}}"#,
      #"[1,{"list":[2]},[]]"#
    ),
    (#" {"list" : [ ] }"#, #"{"list":[]}"#, "[]"), (#"{"list":{"x":[1]}}"#, #"{"list":{"x":[1]}}"#, "[]"),
    (#"{"list":null}"#, #"{"list":null}"#, "[]"), ("[1,2]", "[1,2]", "[]"), (#""list""#, #""list""#, "[]"),
    ("\u{FEFF}{}", "{}", "[]"),
  ]) func elementsAreHandedOver(text: String, rest: String, elements: String) throws {
    var taken: [JSONValue] = []
    let value = try JSONValue.read([UInt8](text.utf8), handingOver: "list") { taken.append($0) }
    try expectEqual(value, parse(rest))
    try expectEqual(.array(taken), parse(elements))
  }

  /// A document that is a list is handed over element by element.
  @Test(arguments: [
    ("[1,[2],{\"a\":[3]}]", "[]", #"[1,[2],{"a":[3]}]"#), (" [ ] ", "[]", "[]"), ("\u{FEFF}[null]", "[]", "[null]"),
    (#"{"list":[1]}"#, #"{"list":[1]}"#, "[]"), ("7", "7", "[]"),
  ]) func aListIsHandedOver(text: String, rest: String, elements: String) throws {
    var taken: [JSONValue] = []
    let value = try JSONValue.read([UInt8](text.utf8), handingOverAll: { taken.append($0) })
    try expectEqual(value, parse(rest))
    try expectEqual(.array(taken), parse(elements))
  }

  @Test(arguments: ["[1,]", "[1", "[1]x", "[1][2]", "[nul]", String(repeating: "[", count: 70), "", "{"])
  func whatIsNoListIsNoneHoweverItIsRead(text: String) {
    #expect(throws: JSONValue.Fault.self) { try parse(text) }
    #expect(throws: JSONValue.Fault.self) { try JSONValue.read([UInt8](text.utf8), handingOverAll: { _ in }) }
  }

  @Test(arguments: [
    #"{"list":[1],"list":[2]}"#, #"{"list":[1,]}"#, #"{"list":[1"#, #"{"list":[1]"#, #"{"list":[1]}x"#,
    #"{"list":[nul]}"#,
    "{\"list\":[\(String(repeating: "[", count: 70))", #"{"a":1,"a":2,"list":[]}"#,
  ]) func whatIsNoJSONIsNoneHoweverItIsRead(text: String) {
    #expect(throws: JSONValue.Fault.self) { try parse(text) }
    #expect(throws: JSONValue.Fault.self) { try JSONValue.read([UInt8](text.utf8), handingOver: "list") { _ in } }
  }

  @Test func loneSurrogatesAreReplaced() throws {
    try expectEqual(parse(#""\ud800x""#), .string("\u{FFFD}x"))
    try expectEqual(parse(#""\ud800\ud800""#), .string("\u{FFFD}\u{FFFD}"))
    try expectEqual(parse(#""\udc00\n""#), .string("\u{FFFD}\n"))
  }

  @Test func depthIsBoundedBeforeReading() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    _ = try parse(deep)
    #expect(throws: JSONValue.Fault.tooDeep) { try parse("[" + deep + "]") }
    #expect(throws: JSONValue.Fault.tooDeep) { try JSONValue(Array(repeating: UInt8(ascii: "["), count: 1 << 20)) }
    #expect(throws: JSONValue.Fault.tooDeep) { try parse(String(repeating: "{\"a\":", count: 100_000)) }
    // Closing brackets first must not buy depth.
    #expect(throws: JSONValue.Fault.self) {
      try parse(String(repeating: "]", count: 100_000) + String(repeating: "[", count: 100_060))
    }
    // Brackets in strings are text.
    try expectEqual(parse("\"" + String(repeating: "[", count: 1_000) + "\"").string?.count, 1_000)
  }

  @Test func invalidUTF8() {
    for bytes: [UInt8] in [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
    ] {
      #expect(throws: JSONValue.Fault.notUTF8) { try JSONValue(bytes) }
    }
  }

  @Test func numbersNeverTrap() throws {
    for text in ["1e999999999", "-1e-999999999", String(repeating: "9", count: 10_000), "-0", "0.0", "1E+5"] {
      let value = try parse(text)
      expectEqual(value, .number(text))
      expectEqual(value.integer, Int64(text))
    }
    try expectEqual(parse("9223372036854775807").integer, .max)
    expect(try parse("9223372036854775808").integer == nil)
    try expectEqual(parse("9223372036854775808").identifier, "9223372036854775808")
    expect(try parse("1.0").identifier == nil)
    expect(try parse("1e3").identifier == nil)
    try expectEqual(parse("1001").identifier, "1001")
    try expectEqual(parse("\"1001\"").identifier, "1001")
    try expectEqual(parse("\"Mzg5NzM0\"").identifier, "Mzg5NzM0")
    for none in [
      "\"\"", "\"a b\"", "\"a\\u0000\"", "null", "true", "[]", "{}", "\"" + String(repeating: "a", count: 129) + "\"",
    ] {
      expect(try parse(none).identifier == nil)
    }
  }

  /// Random documents, then random damage: what we accept, Foundation accepts; what it made, we read back the same.
  @Test(arguments: [UInt64](1...20)) func agreesWithFoundation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let document = random.document(depth: 5)
      let bytes = [UInt8](try JSONSerialization.data(withJSONObject: document, options: .sortedKeys))
      expect(matches(try JSONValue(bytes), document), "seed \(seed)")
      var damaged = bytes
      for _ in 0...Int.random(in: 0...3, using: &random) where !damaged.isEmpty {
        let index = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[index] = UInt8.random(in: 0x20...0x7E, using: &random)
        case 1: damaged.remove(at: index)
        default: damaged.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: index)
        }
      }
      guard let value = try? JSONValue(damaged), !isBeyondFoundation(value) else { continue }
      let lax = try? JSONSerialization.jsonObject(with: Data(damaged), options: .fragmentsAllowed)
      expect(lax != nil, "seed \(seed): \(String(decoding: damaged, as: UTF8.self))")
    }
  }

  /// Foundation takes neither numbers that no `Double` holds nor half a surrogate pair; the grammar has both.
  private func isBeyondFoundation(_ value: JSONValue) -> Bool {
    switch value {
    case .object(let members):
      members.contains { $0.key.unicodeScalars.contains("\u{FFFD}") || isBeyondFoundation($0.value) }
    case .array(let elements): elements.contains { isBeyondFoundation($0) }
    case .string(let text): text.unicodeScalars.contains("\u{FFFD}")
    case .number(let text): Double(text)?.isFinite != true
    case .bool, .null: false
    }
  }

  @Test func numbersBeyondDoubleAreRead() throws {
    try expectEqual(JSONValue([UInt8]("72e840".utf8)), .number("72e840"))
    expect(isBeyondFoundation(.number("72e840")) && !isBeyondFoundation(.number("72e8")))
  }

  private func matches(_ value: JSONValue, _ other: Any) -> Bool {
    switch value {
    case .object(let members):
      guard let other = other as? [String: Any], other.count == members.count else { return false }
      return members.allSatisfy { name, member in other[name].map { matches(member, $0) } ?? false }
    case .array(let elements):
      guard let other = other as? [Any], other.count == elements.count else { return false }
      return zip(elements, other).allSatisfy { matches($0, $1) }
    case .string(let text): return other as? String == text
    case .number(let text): return (other as? NSNumber).map { "\($0)" == text } ?? false
    case .bool(let flag): return other as? Bool == flag
    case .null: return other is NSNull
    }
  }
}

/// Random texts and documents.
extension SeededGenerator {
  mutating func text() -> String {
    let alphabet = Array("ab\"\\/\n\t é😀[]{},:\u{1}\u{7F}")
    return String(
      (0..<Int.random(in: 0...8, using: &self)).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &self)] })
  }

  mutating func document(depth: Int) -> Any {
    var object: [String: Any] = [:]
    for _ in 0..<Int.random(in: 0...4, using: &self) { object[text()] = value(depth: depth - 1) }
    return object
  }

  mutating func value(depth: Int) -> Any {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &self) {
    case 0: return NSNumber(value: Int.random(in: -1_000...1_000_000, using: &self))
    case 1: return text()
    case 2: return NSNull()
    case 3: return Bool.random(using: &self)
    case 4: return (0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) }
    default: return document(depth: depth)
    }
  }
}
