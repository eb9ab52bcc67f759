package import LibCrypto

/// The public half of a station's key, as files have it: 70 hexadecimal digits, of which the last six tell a mistyped one.
package enum StationKeyText {
  private static let checkLength = 3

  /// The text of a key.
  package static func text(_ key: Ed25519.PublicKey) -> String {
    hex(key.rawRepresentation + check(key.rawRepresentation))
  }

  /// The key of a text; `nil` of one that is none.
  package static func key(_ text: String) -> Ed25519.PublicKey? {
    let digits = Array(text.utf8)
    guard digits.count == 2 * (Ed25519.keyLength + checkLength) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    let raw = Array(bytes.prefix(Ed25519.keyLength))
    guard Array(bytes.suffix(checkLength)) == check(raw), hex(bytes) == text else { return nil }
    return Ed25519.PublicKey(rawRepresentation: raw)
  }

  /// One text for each key: small digits, and no sign before any.
  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func check(_ raw: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: raw).prefix(checkLength)) }
}
