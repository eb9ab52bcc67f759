import ScanModel

/// What the bytes of a symbol say as text.
///
/// A QR code seldom tells its character set. Valid UTF-8 is nearly never anything else; old Japanese phones wrote Shift-JIS;
/// the standard says Latin-1, of which everybody writes Windows' superset. Nothing is opened and nothing can fail.
enum TextDecision {
  /// The bytes as UTF-8 text. Control characters stay, a byte order mark does not.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]), let text = String(validating: bytes[3...], as: UTF8.self) {
      return text
    }
    if bytes.count % 2 == 0 {
      if bytes.starts(with: [0xFE, 0xFF]), let text = utf16(bytes[2...], isBig: true) { return text }
      if bytes.starts(with: [0xFF, 0xFE]), let text = utf16(bytes[2...], isBig: false) { return text }
    }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return shiftJIS(bytes) ?? windowsLatin(bytes)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> String? {
    let bytes = Array(bytes)
    let units = stride(from: 0, to: bytes.count, by: 2).map { index in
      let first = UInt16(bytes[index])
      let second = UInt16(bytes[index + 1])
      return isBig ? first << 8 | second : second << 8 | first
    }
    return String(validating: units, as: UTF16.self)
  }

  /// Latin-1, with what Windows has in place of its second control characters.
  private static func windowsLatin(_ bytes: [UInt8]) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Windows1252.scalar(byte)) }
    return String(scalars)
  }

  // MARK: - Shift-JIS

  /// The text, where the bytes are Shift-JIS throughout, and look Japanese: `nil` if either does not hold.
  private static func shiftJIS(_ bytes: [UInt8]) -> String? {
    var scalars = String.UnicodeScalarView()
    var look = JapaneseLook()
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x00...0x7F:
        look.other()
        scalars.append(Unicode.Scalar(byte))
        index += 1
      case 0xA1...0xDF:
        look.katakana()
        guard let scalar = Unicode.Scalar(0xFF61 + UInt32(byte - 0xA1)) else { return nil }
        scalars.append(scalar)
        index += 1
      default:
        guard index + 1 < bytes.count, let scalar = japanese(lead: byte, trail: bytes[index + 1]) else { return nil }
        look.double()
        scalars.append(scalar)
        index += 2
      }
    }
    return look.isJapanese(bytes) ? String(scalars) : nil
  }

  /// Runs of characters that only Japanese text has.
  private struct JapaneseLook {
    private var run = (katakana: 0, double: 0)
    private var longest = (katakana: 0, double: 0)
    private var all = (katakana: 0, double: 0)

    mutating func other() { run = (0, 0) }

    mutating func katakana() {
      all.katakana += 1
      run = (run.katakana + 1, 0)
      longest.katakana = max(longest.katakana, run.katakana)
    }

    mutating func double() {
      all.double += 1
      run = (0, run.double + 1)
      longest.double = max(longest.double, run.double)
    }

    func isJapanese(_ bytes: [UInt8]) -> Bool {
      if longest.katakana >= 3 || longest.double >= 3 { return true }
      // Bytes that Latin-1 has for control, and Windows for quotes and dashes, which stand alone.
      let control = bytes.count { (0x80...0x9F).contains($0) }
      if control > 0 {
        return longest.double >= 2 || bytes.contains { [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) } && all.double > 0
      }
      if all.katakana == 2 && longest.katakana == 2 { return true }
      // Signs rather than letters of Latin-1.
      let signs = bytes.count { $0 >= 0xA0 && ($0 < 0xC0 || $0 == 0xD7 || $0 == 0xF7) }
      return signs * 10 >= bytes.count
    }
  }

  private static func japanese(lead: UInt8, trail: UInt8) -> Unicode.Scalar? {
    guard (0x81...0x9F).contains(lead) || (0xE0...0xEF).contains(lead) else { return nil }
    guard (0x40...0xFC).contains(trail), trail != 0x7F else { return nil }
    let pair = Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1)
    let isSecond = trail >= 0x9F
    let row = pair * 2 + (isSecond ? 2 : 1)
    let cell = isSecond ? Int(trail) - 0x9F : Int(trail) - (trail > 0x7F ? 0x41 : 0x40)
    let place = (row - 1) * 94 + cell
    guard jis.indices.contains(place), jis[place] != 0 else { return nil }
    return Unicode.Scalar(jis[place])
  }

  /// 94 characters a row, from row 1; 0 where there is none.
  private static let jis: [UInt16] = {
    var table = [UInt16](repeating: 0, count: 94 * 94)
    for row in ShiftJISTable.rows {
      let text = row.characters.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
      for (cell, scalar) in text.unicodeScalars.prefix(94).enumerated() where scalar != "\u{FFFD}" {
        table[(row.number - 1) * 94 + cell] = UInt16(truncatingIfNeeded: scalar.value)
      }
    }
    return table
  }()
}
