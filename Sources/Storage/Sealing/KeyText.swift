internal import FoundationEssentials

/// A key as people and tools write it.
enum KeyText {
  /// The 32 bytes, of themselves, of 64 hexadecimal digits or of base64; `nil` where it is something else, or nobody's
  /// random choice.
  static func key(_ content: [UInt8]) -> [UInt8]? {
    let text = trimmed(content)
    let key: [UInt8]
    if let digits = bytes(hexadecimal: text) {
      // 32 digits are 32 bytes too, but half a key.
      key = digits
    } else if content.count == SealKey.length {
      key = content
    } else if let data = Data(base64Encoded: String(decoding: text, as: UTF8.self)) {
      key = [UInt8](data)
    } else {
      return nil
    }
    // Of 32 random bytes fewer than 16 different ones are never seen (1 in 10¹⁸).
    return key.count == SealKey.length && Set(key).count >= 16 ? key : nil
  }

  /// Two lower-case digits a byte.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String(String(UInt16($0) + 0x100, radix: 16).dropFirst()) }.joined()
  }

  /// `nil` where there is anything else than pairs of digits, or nothing.
  static func bytes(hexadecimal text: [UInt8]) -> [UInt8]? {
    guard !text.isEmpty, text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Without ASCII white space around it.
  static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    return [UInt8](bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
