internal import COpenSSL
internal import CSodium

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

    /// Whether its other half has signed `message`. By libsodium, which takes half of libcrypto's time, refuses keys and signatures of a
    /// small order besides, and needs no memory.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      guard signature.count == signatureLength, Self.isReady else { return false }
      return crypto_sign_verify_detached(signature, message, UInt64(message.count), rawRepresentation) == 0
    }

    /// Whether the library could begin: it looks once at what the processor can do.
    private static let isReady = sodium_init() >= 0
  }

  /// A private key as libcrypto has it.
  private struct Pair: ~Copyable {
    private let key: OpaquePointer

    init?(_ seed: SymmetricKey) {
      let key = seed.withUnsafeBytes {
        EVP_PKEY_new_raw_private_key_ex(Library.shared.context, "ED25519", nil, $0.octets, $0.count)
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
  }
}
