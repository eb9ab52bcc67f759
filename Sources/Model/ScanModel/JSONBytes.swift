/// JSON (RFC 8259) as it is written, byte by byte: no tree, no second copy, and no work at run time to find out what a value is.
package struct JSONBytes: Sendable {
  /// What was written.
  package private(set) var bytes: [UInt8] = []
  /// Whether the next member or element is not the first of its kind.
  private var isLater = false

  /// Begins with nothing.
  package init() { bytes.reserveCapacity(512) }

  /// Writes an object, whose members `body` writes.
  package mutating func object(_ body: (inout JSONBytes) -> Void) { enclosed("{", "}", body) }

  /// Writes an array, whose elements `body` writes.
  package mutating func array(_ body: (inout JSONBytes) -> Void) { enclosed("[", "]", body) }

  /// Begins a member: its value is to be written next.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
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
    var text = text
    text.withUTF8 { utf8 in
      // Names and numbers in words, as nearly all are.
      if utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0x7F }) {
        return bytes.append(contentsOf: utf8)
      }
      for byte in utf8 { escaped(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
    isLater = true
  }

  private mutating func escaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
    case 0..<0x20, 0x7F:
      bytes.append(contentsOf: "\\u00".utf8)
      for digit in [byte >> 4, byte & 0xF] { bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    default: bytes.append(byte)
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
    var left = number
    let start = bytes.count
    repeat {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: left % 10))
      left /= 10
    } while left > 0
    if bytes.count - start > 1 { bytes[start...].reverse() }
    isLater = true
  }

  /// Writes a truth.
  package mutating func truth(_ truth: Bool) {
    separate()
    bytes.append(contentsOf: (truth ? "true" : "false").utf8)
    isLater = true
  }

  private mutating func separate() { if isLater { bytes.append(UInt8(ascii: ",")) } }

  private mutating func enclosed(_ left: Unicode.Scalar, _ right: Unicode.Scalar, _ body: (inout JSONBytes) -> Void) {
    separate()
    bytes.append(UInt8(ascii: left))
    isLater = false
    body(&self)
    bytes.append(UInt8(ascii: right))
    isLater = true
  }
}
