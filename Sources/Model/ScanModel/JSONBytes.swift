/// JSON (RFC 8259) as it is written, byte by byte: no tree, no second copy, and no work at run time to find out what a value is.
package struct JSONBytes: Sendable {
  /// What was written.
  package private(set) var bytes: [UInt8] = []
  /// Whether the next member or element is not the first of its kind.
  private var isLater = false

  /// Whether people may look at it.
  private let isShown: Bool

  /// Begins with nothing.
  /// - Parameter isShown: whether everything in a text that could disturb a line or a terminal leaves as an escape; else only what
  ///   must.
  package init(isShown: Bool = false) {
    self.isShown = isShown
    bytes.reserveCapacity(512)
  }

  /// Writes an object, whose members `body` writes.
  package mutating func object(_ body: (inout JSONBytes) -> Void) { enclosed("{", "}", body) }

  /// Writes an array, whose elements `body` writes.
  package mutating func array(_ body: (inout JSONBytes) -> Void) { enclosed("[", "]", body) }

  /// Begins a member: its value is to be written next.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    isLater = false
  }

  /// Begins a member whose name is data.
  package mutating func name(_ name: String) {
    text(name)
    bytes.append(UInt8(ascii: ":"))
    isLater = false
  }

  /// Writes a text.
  package mutating func text(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    // Names, codes and words, as nearly all are.
    let isPlain = text.utf8.withContiguousStorageIfAvailable { units in
      for unit in units where unit < 0x20 || unit > 0x7E || unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "\\") {
        return false
      }
      bytes.append(contentsOf: units)
      return true
    }
    if isPlain != true { for scalar in text.unicodeScalars { append(scalar) } }
    bytes.append(UInt8(ascii: "\""))
    isLater = true
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"", "\\": bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: scalar)])
    case "\u{0}"..<"\u{20}", "\u{7F}": escape(scalar)
    case _ where isShown && !TerminalText.isHarmless(scalar): escape(scalar)
    default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  private mutating func escape(_ scalar: Unicode.Scalar) {
    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
      bytes.append(contentsOf: "\\u\(String(unit, digits: 4, radix: 16))".utf8)
    }
  }

  /// Writes a whole number.
  package mutating func number(_ number: Int64) {
    separate()
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(number.magnitude)
  }

  /// Writes a whole number that is not negative.
  package mutating func number(_ number: UInt64) {
    separate()
    digits(number)
  }

  private mutating func digits(_ number: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (left, first) = (number, digits.count)
      repeat {
        first -= 1
        digits[first] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
        left /= 10
      } while left > 0
      bytes.append(contentsOf: digits[first...])
    }
    isLater = true
  }

  /// Writes a truth.
  package mutating func truth(_ truth: Bool) { finished(truth ? "true" : "false") }

  /// Writes that there is nothing.
  package mutating func null() { finished("null") }

  /// Writes a value that is JSON already.
  package mutating func finished(_ value: String) {
    separate()
    bytes.append(contentsOf: value.utf8)
    isLater = true
  }

  private mutating func separate() { if isLater { bytes.append(UInt8(ascii: ",")) } }

  /// Begins an object that `endObject` ends.
  package mutating func beginObject() { open("{") }

  /// Ends the object that was begun last.
  package mutating func endObject() { close("}") }

  private mutating func enclosed(_ left: Unicode.Scalar, _ right: Unicode.Scalar, _ body: (inout JSONBytes) -> Void) {
    open(left)
    body(&self)
    close(right)
  }

  private mutating func open(_ left: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: left))
    isLater = false
  }

  private mutating func close(_ right: Unicode.Scalar) {
    bytes.append(UInt8(ascii: right))
    isLater = true
  }
}
