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
    var reader = JSONReader(bytes: bytes)
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
    var reader = JSONReader(bytes: bytes)
    return try reader.document(handingOver: name, take)
  }

  /// The same for a document that is an array itself: its elements are handed over. Any other one is returned as it is.
  package static func read(_ bytes: [UInt8], handingOverAll take: (JSONValue) -> Void) throws(Fault) -> JSONValue {
    guard isShallow(bytes) else { throw .tooDeep }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
    var reader = JSONReader(bytes: bytes)
    return try reader.list(take)
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
