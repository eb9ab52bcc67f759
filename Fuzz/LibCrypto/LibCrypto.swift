// As much of LibCrypto's interface as set-up codes and a fleet's claims use, without cryptography: anybody can sign, because no damage to an input
// finds its way past the real one.

/// A hash of 32 bytes that are quickly made.
package enum SHA256 {
  /// The hash of `data`.
  package static func hash(data: [UInt8]) -> [UInt8] { toyHash(data, count: 32) }
}

/// Keys as those of Ed25519, and signatures of their length.
package enum Ed25519 {
  /// Bytes of a key.
  package static let keyLength = 32
  /// Bytes of a signature.
  package static let signatureLength = 64

  /// What tells whether a signature is right.
  package struct PublicKey: Sendable, Equatable {
    /// The key itself.
    package let rawRepresentation: [UInt8]

    /// Takes a key of 32 bytes.
    package init?(rawRepresentation: [UInt8]) {
      guard rawRepresentation.count == 32 else { return nil }
      self.rawRepresentation = rawRepresentation
    }

    /// Whether `signature` is the one of `message` by the private half.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      signature == toyHash(rawRepresentation + message, count: 64)
    }
  }

  /// What signs.
  package struct PrivateKey: Sendable {
    /// The key itself.
    package let rawRepresentation: [UInt8]

    /// The same key each time, so that a run can be repeated.
    package init() { rawRepresentation = [UInt8](repeating: 1, count: 32) }

    /// Takes a key of 32 bytes.
    package init?(rawRepresentation: [UInt8]) {
      guard rawRepresentation.count == 32 else { return nil }
      self.rawRepresentation = rawRepresentation
    }

    /// The other half.
    package var publicKey: PublicKey? { PublicKey(rawRepresentation: toyHash(rawRepresentation, count: 32)) }

    /// Signs `message`.
    package func signature(for message: [UInt8]) -> [UInt8]? {
      publicKey.map { toyHash($0.rawRepresentation + message, count: 64) }
    }
  }
}

/// FNV-1a, stretched to `count` bytes.
private func toyHash(_ data: [UInt8], count: Int) -> [UInt8] {
  var state: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in data { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  return (0..<count).map { _ in
    state = (state ^ state >> 32) &* 0x100_0000_01B3
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}
