import ScanModel

/// How the text of a file is written.
package enum TextEncoding: String, Sendable, CaseIterable {
  /// UTF-8, with or without its mark.
  case utf8 = "UTF-8"
  /// UTF-16 with a mark that says: low byte first.
  case utf16LittleEndian = "UTF-16LE"
  /// UTF-16 with a mark that says: high byte first.
  case utf16BigEndian = "UTF-16BE"
  /// What Windows programs of the west write where nothing else was asked for.
  case windows1252 = "Windows-1252"

  /// The encoding that a mark at the beginning tells, and the mark's length; `nil` without one.
  static func marked(_ start: ArraySlice<UInt8>) -> (encoding: TextEncoding, length: Int)? {
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if start.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if start.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    return nil
  }
}

/// Looks whether pieces of bytes are UTF-8 together.
struct UTF8Check {
  private(set) var isValid = true
  /// The beginning of a character whose end is in the next piece: at most three bytes.
  private var rest: [UInt8] = []

  mutating func take(_ piece: [UInt8]) {
    guard isValid else { return }
    let bytes = rest + piece
    let open = Self.open(bytes)
    isValid = String(validating: bytes.dropLast(open), as: UTF8.self) != nil
    rest = Array(bytes.suffix(open))
  }

  /// Nothing follows: what is open now is never closed.
  mutating func finish() { if !rest.isEmpty { isValid = false } }

  /// How many bytes at the end begin a character that is not whole.
  private static func open(_ bytes: [UInt8]) -> Int {
    for length in 1...3 where length <= bytes.count {
      let byte = bytes[bytes.count - length]
      if byte & 0xC0 == 0x80 { continue }
      let whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return whole > length ? length : 0
    }
    return 0
  }
}

/// Turns pieces of a file into UTF-8.
struct TextDecoder {
  private let encoding: TextEncoding
  /// A byte or a character's first half that waits for the next piece.
  private var half: UInt8?
  private var high: UInt16?

  init(_ encoding: TextEncoding) { self.encoding = encoding }

  /// The next piece, without the file's mark.
  mutating func decode(_ piece: ArraySlice<UInt8>) -> [UInt8] {
    switch encoding {
    case .utf8: return Array(piece)
    case .windows1252:
      var text: [UInt8] = []
      text.reserveCapacity(piece.count)
      for byte in piece {
        if byte < 0x80 { text.append(byte) } else { Self.append(Windows1252.scalar(byte).value, to: &text) }
      }
      return text
    case .utf16LittleEndian, .utf16BigEndian:
      var text: [UInt8] = []
      text.reserveCapacity(piece.count)
      for byte in piece {
        guard let first = half else {
          half = byte
          continue
        }
        half = nil
        let isLittle = encoding == .utf16LittleEndian
        take(isLittle ? UInt16(byte) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(byte), &text)
      }
      return text
    }
  }

  private mutating func take(_ unit: UInt16, _ text: inout [UInt8]) {
    if let first = high {
      high = nil
      if (0xDC00...0xDFFF).contains(unit) {
        return Self.append(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(unit & 0x3FF)), to: &text)
      }
      Self.append(0xFFFD, to: &text)
    }
    if (0xD800...0xDBFF).contains(unit) {
      high = unit
    } else {
      Self.append(UInt32(unit), to: &text)
    }
  }

  private static func append(_ value: UInt32, to text: inout [UInt8]) {
    // A half without its other one is no character.
    text.append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
  }
}
