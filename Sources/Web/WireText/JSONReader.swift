/// A recursive reader of the grammar. Its depth is bounded a second time by its own count.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  /// - Parameter bytes: UTF-8.
  init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }
  private var fault: JSONValue.Fault { .malformed(offset: position) }

  /// Reads all of it; see `JSONValue.read`.
  mutating func document(
    handingOver name: String? = nil, _ take: (JSONValue) -> Void = { _ in }
  ) throws(JSONValue.Fault) -> JSONValue {
    skipMark()
    let value = next == UInt8(ascii: "{") ? try object(handingOver: name, take) : try value()
    try end()
    return value
  }

  /// Reads all of it; see `JSONValue.read`.
  mutating func list(_ take: (JSONValue) -> Void) throws(JSONValue.Fault) -> JSONValue {
    skipMark()
    guard next == UInt8(ascii: "[") else {
      let value = try value()
      try end()
      return value
    }
    try elements(take)
    try end()
    return .array([])
  }

  private mutating func skipMark() {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipBlanks()
  }

  private mutating func end() throws(JSONValue.Fault) {
    skipBlanks()
    guard position == bytes.count else { throw fault }
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

extension UInt8 { var isDigit: Bool { (0x30...0x39).contains(self) } }
