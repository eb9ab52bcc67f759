internal import COpenSSL

/// Ed25519 (RFC 8032): signatures.
package enum Ed25519 {
  /// The length of a key in bytes, of either half.
  package static let keyLength = 32
  /// The length of a signature in bytes.
  package static let signatureLength = 64

  /// The half that signs. Printing, reflecting and interpolating it show no part.
  package struct PrivateKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// RFC 8032 calls these bytes the private key; what signs is made of them.
    private let seed: SymmetricKey

    /// Makes a new key from the system's random source.
    package init() { seed = SymmetricKey(size: .bits256) }

    /// Takes a key of its bytes; `nil` unless there are 32 of them.
    package init?(rawRepresentation: [UInt8]) {
      guard rawRepresentation.count == keyLength else { return nil }
      seed = SymmetricKey(data: rawRepresentation)
    }

    /// The key's bytes.
    package var rawRepresentation: [UInt8] { seed.withUnsafeBytes { [UInt8]($0) } }

    /// The half that verifies; `nil` where libcrypto has no memory.
    package var publicKey: PublicKey? {
      guard let pair = Pair(seed) else { return nil }
      return pair.publicBytes().flatMap { PublicKey(rawRepresentation: $0) }
    }

    /// Signs `message`; `nil` where libcrypto has no memory.
    package func signature(for message: [UInt8]) -> [UInt8]? { Pair(seed)?.signature(of: message) }

    package var description: String { "(private key)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  }

  /// The half that verifies.
  package struct PublicKey: Sendable, Hashable {
    /// The key's bytes.
    package let rawRepresentation: [UInt8]

    /// Takes a key of its bytes; `nil` unless there are 32 of them. Bytes that are no point of the curve verify nothing.
    package init?(rawRepresentation: [UInt8]) {
      guard rawRepresentation.count == keyLength else { return nil }
      self.rawRepresentation = rawRepresentation
    }

    /// Whether its other half has signed `message`.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      guard signature.count == signatureLength, let pair = Pair(self) else { return false }
      return pair.verifies(signature, of: message)
    }
  }

  /// A key as libcrypto has it, with the private half or without.
  private struct Pair: ~Copyable {
    private let key: OpaquePointer

    init?(_ seed: SymmetricKey) {
      let key = seed.withUnsafeBytes {
        EVP_PKEY_new_raw_private_key_ex(Library.shared.context, "ED25519", nil, $0.octets, $0.count)
      }
      guard let key else { return nil }
      self.key = key
    }

    init?(_ half: PublicKey) {
      let key = half.rawRepresentation.withUnsafeBytes {
        EVP_PKEY_new_raw_public_key_ex(Library.shared.context, "ED25519", nil, $0.octets, $0.count)
      }
      guard let key else { return nil }
      self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    func publicBytes() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: keyLength)
      var length = bytes.count
      guard EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == bytes.count else { return nil }
      return bytes
    }

    func signature(of message: [UInt8]) -> [UInt8]? {
      guard let context = EVP_MD_CTX_new() else { return nil }
      defer { EVP_MD_CTX_free(context) }
      var signature = [UInt8](repeating: 0, count: signatureLength)
      var length = signature.count
      guard EVP_DigestSignInit_ex(context, nil, nil, Library.shared.context, nil, key, nil) == 1,
        message.withUnsafeBytes({ EVP_DigestSign(context, &signature, &length, $0.octets, $0.count) }) == 1,
        length == signature.count
      else { return nil }
      return signature
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      guard let context = EVP_MD_CTX_new() else { return false }
      defer { EVP_MD_CTX_free(context) }
      return EVP_DigestVerifyInit_ex(context, nil, nil, Library.shared.context, nil, key, nil) == 1
        && message.withUnsafeBytes {
          EVP_DigestVerify(context, signature, signature.count, $0.octets, $0.count)
        } == 1
    }
  }
}
