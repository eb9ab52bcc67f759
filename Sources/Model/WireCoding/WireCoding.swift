import ScanModel

/// A packet that is none; what it lacks.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The words.
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// What all protocols of the house have in common.
package enum WireLimits {
  /// The longest text in bytes where nothing else is said.
  package static let text = 255
}

/// Puts values into bytes: integers in little-endian order, lists and texts after their length.
package struct WireWriter {
  /// What was put in.
  package private(set) var bytes: [UInt8] = []

  /// Begins with nothing.
  package init() {}

  package mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Several values, one after another.
  package mutating func put<First: WireValue, Second: WireValue, each Other: WireValue>(
    _ first: First, _ second: Second, _ other: repeat each Other
  ) {
    first.put(into: &self)
    second.put(into: &self)
    repeat (each other).put(into: &self)
  }

  package mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

  package mutating func put(_ duration: Duration) { put(duration.saturatedNanoseconds) }

  /// A text; what is longer than `limit` bytes is cut between two characters.
  package mutating func put(_ text: String, limit: Int = WireLimits.text) {
    var text = text[...]
    while text.utf8.count > limit { text.removeLast() }
    put(UInt16(truncatingIfNeeded: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Bytes; what is longer than 65,535 is cut.
  package mutating func put(bytes list: some Collection<UInt8>) {
    put(UInt16(clamping: list.count))
    bytes.append(contentsOf: list.prefix(Int(UInt16.max)))
  }

  package mutating func putOptional<Value>(_ value: Value?, _ put: (inout Self, Value) -> Void) {
    self.put(value != nil)
    if let value { put(&self, value) }
  }

  package mutating func putList<Values: Collection>(_ values: Values, _ put: (inout Self, Values.Element) -> Void) {
    self.put(UInt16(clamping: values.count))
    for value in values.prefix(Int(UInt16.max)) { put(&self, value) }
  }
}

/// What has one form in bytes.
package protocol WireValue {
  /// Puts it there.
  func put(into writer: inout WireWriter)
}

extension WireValue where Self: FixedWidthInteger {
  package func put(into writer: inout WireWriter) { writer.put(self) }
}

extension UInt8: WireValue {}
extension UInt16: WireValue {}
extension UInt32: WireValue {}
extension UInt64: WireValue {}
extension Int64: WireValue {}
extension Bool: WireValue { package func put(into writer: inout WireWriter) { writer.put(self) } }
extension Duration: WireValue { package func put(into writer: inout WireWriter) { writer.put(self) } }
extension String: WireValue { package func put(into writer: inout WireWriter) { writer.put(self) } }

/// Takes values from bytes; whatever the bytes are, it takes a value or throws.
package struct WireReader {
  private var rest: ArraySlice<UInt8>

  /// Reads these bytes.
  package init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(Array(bytes)) }

  package mutating func take<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(WireError) -> Number {
    let size = MemoryLayout<Number>.size
    guard rest.count >= size else { throw WireError("a packet ends in the middle of a number") }
    var number: Number = 0
    for (index, byte) in rest.prefix(size).enumerated() {
      number |= Number(truncatingIfNeeded: UInt64(byte) << UInt64(8 * index))
    }
    rest = rest.dropFirst(size)
    return number
  }

  package mutating func takeFlag() throws(WireError) -> Bool {
    switch try take(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw WireError("a flag is neither 0 nor 1")
    }
  }

  package mutating func takeDuration() throws(WireError) -> Duration { .nanoseconds(try take(Int64.self)) }

  package mutating func takeText(limit: Int = WireLimits.text) throws(WireError) -> String {
    let count = Int(try take(UInt16.self))
    guard count <= limit else { throw WireError("a text of \(count) bytes is longer than \(limit)") }
    guard rest.count >= count else { throw WireError("a packet ends in the middle of a text") }
    guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
      throw WireError("a text is not UTF-8")
    }
    rest = rest.dropFirst(count)
    return text
  }

  package mutating func takeBytes(limit: Int) throws(WireError) -> [UInt8] {
    let count = Int(try take(UInt16.self))
    guard count <= limit else { throw WireError("\(count) bytes are more than \(limit)") }
    guard rest.count >= count else { throw WireError("a packet ends in the middle of bytes") }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  package mutating func takeWord<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws(WireError)
    -> Word
  {
    let text = try takeText()
    guard let word = Word(rawValue: text) else { throw WireError("\"\(text.prefix(40))\" is no \(Word.self)") }
    return word
  }

  package mutating func takeOptional<Value>(_ take: (inout Self) throws(WireError) -> Value) throws(WireError) -> Value?
  {
    try takeFlag() ? try take(&self) : nil
  }

  package mutating func takeList<Value>(
    limit: Int, _ take: (inout Self) throws(WireError) -> Value
  ) throws(WireError) -> [Value] {
    let count = Int(try self.take(UInt16.self))
    guard count <= limit else { throw WireError("a list of \(count) is longer than \(limit)") }
    var values: [Value] = []
    for _ in 0..<count { values.append(try take(&self)) }
    return values
  }

  /// Nothing may be left: it would be something that this version does not understand.
  package func end() throws(WireError) { if !rest.isEmpty { throw WireError("\(rest.count) bytes too many") } }
}
