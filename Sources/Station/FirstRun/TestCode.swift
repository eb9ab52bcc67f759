/// The code that is held before a new reader, and what it tells of the reader: the layout that it types in, what it puts around a
/// code, and whether it says where one ends. Pure.
package enum TestCode {
  /// What the code holds: letters that layouts exchange, digits and marks that they move, and both cases.
  package static let text = "Scangate-yzYZ-qwaQWA-m0123456789-;:/?=&_.%#"

  /// The layouts that a wedge is tried in, in this order.
  package static let layouts = [
    "us", "de", "fr", "gb", "es", "it", "ch", "be", "pt", "se", "no", "dk", "fi", "pl", "cz",
  ]

  /// What a reader gave, in one layout.
  package struct Reading: Sendable, Equatable {
    /// The layout; `nil` where the reader types none.
    package var layout: String?
    /// The characters, as UTF-8.
    package var bytes: [UInt8]

    package init(layout: String? = nil, bytes: [UInt8]) {
      self.layout = layout
      self.bytes = bytes
    }
  }

  /// How a reader is to be configured.
  package struct Manner: Sendable, Equatable {
    /// The layout that it types in; `nil` for the usual one, or none.
    package var layout: String?
    /// What it puts before a code.
    package var prefix = ""
    /// What it puts behind one.
    package var suffix = ""
    /// Whether it says where a code ends.
    package var hasTerminator = true

    package init(layout: String? = nil, prefix: String = "", suffix: String = "", hasTerminator: Bool = true) {
      self.layout = layout
      self.prefix = prefix
      self.suffix = suffix
      self.hasTerminator = hasTerminator
    }
  }

  /// What came of a reading.
  package enum Judgement: Sendable, Equatable {
    /// It can be used so.
    case good(Manner)
    /// It cannot, in words.
    case bad(FirstRunText)
  }

  /// Around a code there is not more than this, as the configuration has it.
  private static let longestFrame = 64

  /// Compares what came with what it should be, in each layout.
  package static func judge(_ readings: [Reading], hasTerminator: Bool) -> Judgement {
    let wanted = [UInt8](text.utf8)
    for reading in readings {
      guard let start = position(of: wanted, in: reading.bytes) else { continue }
      guard let prefix = String(validating: reading.bytes[..<start], as: UTF8.self),
        let suffix = String(validating: reading.bytes[(start + wanted.count)...], as: UTF8.self),
        prefix.utf8.count <= longestFrame, suffix.utf8.count <= longestFrame
      else {
        return .bad(.own(.testFrame))
      }
      return .good(
        Manner(
          layout: reading.layout == "us" ? nil : reading.layout, prefix: withoutAIM(prefix), suffix: suffix,
          hasTerminator: hasTerminator))
    }
    return .bad(words(of: readings.first?.bytes ?? []))
  }

  /// Without the AIM identifier (`]Q1`) that the station splits off by itself.
  private static func withoutAIM(_ prefix: String) -> String {
    let tail = [UInt8](prefix.utf8.suffix(3))
    guard tail.count == 3, tail[0] == UInt8(ascii: "]"), isLetterOrDigit(tail[1]), isLetterOrDigit(tail[2]) else {
      return prefix
    }
    return String(decoding: prefix.utf8.dropLast(3), as: UTF8.self)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// Why nothing of it can be used. What came is not repeated: it may be somebody's ticket.
  private static func words(of bytes: [UInt8]) -> FirstRunText {
    let wanted = [UInt8](text.utf8)
    if position(of: exchanged(wanted), in: bytes) != nil {
      return .own(.testExchanged)
    }
    let folded = [UInt8](String(decoding: bytes, as: UTF8.self).lowercased().utf8)
    if position(of: [UInt8](text.lowercased().utf8), in: folded) != nil {
      return .own(.testCase)
    }
    let count = String(decoding: bytes, as: UTF8.self).unicodeScalars.count
    guard count * 3 > wanted.count * 2 else { return .own(.testOther, "\(count)", "\(wanted.count)") }
    return .own(.testWrong, "\(count)")
  }

  private static func exchanged(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { byte in
      switch byte {
      case UInt8(ascii: "y"): UInt8(ascii: "z")
      case UInt8(ascii: "z"): UInt8(ascii: "y")
      case UInt8(ascii: "Y"): UInt8(ascii: "Z")
      case UInt8(ascii: "Z"): UInt8(ascii: "Y")
      default: byte
      }
    }.prefix(13).map(\.self)
  }

  private static func position(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
    guard !wanted.isEmpty, bytes.count >= wanted.count else { return nil }
    return (0...(bytes.count - wanted.count)).first { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
  }
}
