/// A JSON document (RFC 8259), read leniently by its user and strictly by its grammar.
///
/// Made for answers of servers that cannot be trusted to be well: depth is bounded before anything is read, the time is
/// linear, numbers stay text until somebody asks, and a name that occurs twice in an object is a fault, for two readers
/// could take two different values of it.
package enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number as it was written.
  case number(String)
  /// A text.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object([String: JSONValue])

  /// Why bytes are not a JSON document that we read.
  package enum Fault: Error, Equatable {
    /// The bytes are not UTF-8.
    case notUTF8
    /// More than 64 arrays and objects inside one another.
    case tooDeep
    /// The grammar is broken at this byte.
    case malformed(offset: Int)
  }

  /// How deep arrays and objects may be nested.
  package static let deepest = 64

  /// Reads a whole document.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard Self.isShallow(bytes) else { throw .tooDeep }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
    var reader = Reader(bytes: bytes)
    self = try reader.document()
  }

  /// Reads a whole document, and hands the elements of one array over instead of keeping them: of a long list one is in memory at a
  /// time. What was handed over of a document that is none after all means nothing.
  /// - Parameters:
  ///   - name: of the array among the members of the object that the document is.
  ///   - take: called with each element, in order.
  /// - Returns: the document; that array is empty in it.
  package static func read(
    _ bytes: [UInt8], handingOver name: String, _ take: (JSONValue) -> Void
  ) throws(Fault) -> JSONValue {
    guard isShallow(bytes) else { throw .tooDeep }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
    var reader = Reader(bytes: bytes)
    return try reader.document(handingOver: name, take)
  }

  /// The member called `name` of an object; `nil` for everything else.
  package subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text of a string.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements of an array.
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The whole number that this is, or that a string spells; `nil` if it is none or does not fit 64 bits.
  package var integer: Int64? {
    switch self {
    case .number(let text), .string(let text): Int64(text)
    default: nil
    }
  }

  /// An identifier: a whole number or a text, of 1 to 128 printable ASCII characters. Numbers in decimal, without a sign's plus
  /// and leading zeros, so that 7 and "7" are the same.
  package var identifier: String? {
    switch self {
    case .number(let text):
      if text.utf8.count <= 128, text.utf8.dropFirst(text.hasPrefix("-") ? 1 : 0).allSatisfy(\.isDigit) {
        text
      } else {
        nil
      }
    case .string(let text):
      if (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
        Int64(text).map(String.init) ?? text
      } else {
        nil
      }
    default: nil
    }
  }

  /// Counts brackets outside of strings; no stack grows with the input.
  static func isShallow(_ bytes: [UInt8]) -> Bool {
    var depth = 0
    var inString = false
    var escaped = false
    for byte in bytes {
      if inString {
        if escaped {
          escaped = false
        } else if byte == UInt8(ascii: "\\") {
          escaped = true
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): inString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth > deepest { return false }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return true
  }
}

extension UInt8 { fileprivate var isDigit: Bool { (0x30...0x39).contains(self) } }

/// A recursive reader of the grammar. Its depth is bounded a second time by its own count.
private struct Reader {
  let bytes: [UInt8]
  var position = 0
  var depth = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }
  private var fault: JSONValue.Fault { .malformed(offset: position) }

  mutating func document(
    handingOver name: String? = nil, _ take: (JSONValue) -> Void = { _ in }
  ) throws(JSONValue.Fault) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipBlanks()
    let value = next == UInt8(ascii: "{") ? try object(handingOver: name, take) : try value()
    skipBlanks()
    guard position == bytes.count else { throw fault }
    return value
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONValue.Fault) -> JSONValue {
    for byte in text.description.utf8 {
      guard take(byte) else { throw fault }
    }
    return value
  }

  private mutating func value() throws(JSONValue.Fault) -> JSONValue {
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func enter() throws(JSONValue.Fault) {
    position += 1
    depth += 1
    if depth > JSONValue.deepest { throw .tooDeep }
  }

  private mutating func object(
    handingOver handed: String? = nil, _ hand: (JSONValue) -> Void = { _ in }
  ) throws(JSONValue.Fault) -> JSONValue {
    try enter()
    var members: [String: JSONValue] = [:]
    skipBlanks()
    if !take(UInt8(ascii: "}")) {
      repeat {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else { throw fault }
        let name = try string()
        skipBlanks()
        guard take(UInt8(ascii: ":")) else { throw fault }
        skipBlanks()
        let member: JSONValue
        if name == handed, next == UInt8(ascii: "[") {
          try elements(hand)
          member = .array([])
        } else {
          member = try value()
        }
        guard members.updateValue(member, forKey: name) == nil else { throw fault }
        skipBlanks()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw fault }
    }
    depth -= 1
    return .object(members)
  }

  private mutating func array() throws(JSONValue.Fault) -> JSONValue {
    var elements: [JSONValue] = []
    try self.elements { elements.append($0) }
    return .array(elements)
  }

  private mutating func elements(_ take: (JSONValue) -> Void) throws(JSONValue.Fault) {
    try enter()
    skipBlanks()
    if !self.take(UInt8(ascii: "]")) {
      repeat {
        take(try value())
        skipBlanks()
      } while self.take(UInt8(ascii: ","))
      guard self.take(UInt8(ascii: "]")) else { throw fault }
    }
    depth -= 1
  }

  private mutating func digits() throws(JSONValue.Fault) {
    guard let first = next, first.isDigit else { throw fault }
    while let byte = next, byte.isDigit { position += 1 }
  }

  private mutating func number() throws(JSONValue.Fault) -> String {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func string() throws(JSONValue.Fault) -> String {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
    if next == UInt8(ascii: "\"") {
      position += 1
      return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    }
    var text = Array(bytes[start..<position])
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
      case 0..<0x20: throw fault
      default: text.append(byte)
      }
    }
    throw fault
  }

  private mutating func escape() throws(JSONValue.Fault) -> Unicode.Scalar {
    guard let byte = next else { throw fault }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let first = try hex()
      if let scalar = Unicode.Scalar(first) { return scalar }
      // A surrogate counts only as the first half of a pair; a lone one becomes the replacement character.
      let mark = position
      if (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let second = try hex()
        if (0xDC00..<0xE000).contains(second) {
          return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
        }
      }
      position = mark
      return "\u{FFFD}"
    default: throw fault
    }
  }

  private mutating func hex() throws(JSONValue.Fault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { throw fault }
      position += 1
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
