/// Derives keys from one: HKDF-SHA-256 (RFC 5869).
package enum HKDFSHA256 {
  /// The key of 32 bytes for what `info` names. No salt is, by the RFC, one of 32 zeros.
  package static func deriveKey(inputKeyMaterial: SymmetricKey, salt: [UInt8] = [], info: [UInt8]) -> SymmetricKey {
    // 32 bytes are the first block of what can be derived, hence the number behind it.
    let even = HMACSHA256(key: extract(inputKeyMaterial: inputKeyMaterial, salt: salt))
    return (info + [1]).withUnsafeBytes { even.key(for: $0) }
  }

  /// The first step: an even key of what is given. HMAC fills a short key up with zeros, also one of no bytes.
  static func extract(inputKeyMaterial: SymmetricKey, salt: [UInt8]) -> SymmetricKey {
    let salted = HMACSHA256(key: SymmetricKey(data: salt))
    return inputKeyMaterial.withUnsafeBytes { salted.key(for: $0) }
  }
}
