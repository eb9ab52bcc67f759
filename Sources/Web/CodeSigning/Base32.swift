/// Base32 (RFC 4648, 6) without padding: what a QR code holds in its alphanumeric mode, and what a scanner that types cannot
/// spoil by its layout's signs or by caps lock.
///
/// Strict: one text for each sequence of bytes, but that small letters count as capital ones.
package enum Base32 {
  private static let digits = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The text of `bytes`.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(digits[Int(bits >> UInt32(count) & 31)])
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { text.append(digits[Int(bits << UInt32(5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that `text` stands for; `nil` where it is not what `text(_:)` writes for any.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    // One, three or six digits in the last group stand for no whole bytes.
    guard ![1, 3, 6].contains(text.count % 8) else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      let digit: UInt8
      switch character.uppercased {
      case let letter where (0x41...0x5A).contains(letter): digit = letter - 0x41
      case let number where (0x32...0x37).contains(number): digit = number - 0x32 + 26
      default: return nil
      }
      bits = bits << 5 | UInt32(digit)
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> UInt32(count) & 0xFF))
      bits &= (1 << UInt32(count)) - 1
    }
    return bits == 0 ? bytes : nil
  }
}

extension UInt8 {
  /// The capital letter of an ASCII small one.
  fileprivate var uppercased: UInt8 { (0x61...0x7A).contains(self) ? self - 0x20 : self }
}
