// As much of LibCrypto's interface as set-up codes use, without cryptography: anybody can sign, because no damage to an input
// finds its way past the real one.

/// A hash of 32 bytes that are quickly made.
public enum SHA256 {
  /// The hash of `data`.
  public static func hash(data: [UInt8]) -> [UInt8] { toyHash(data, count: 32) }
}

/// Keys as those of Ed25519, and signatures of their length.
public enum Ed25519 {
  /// What tells whether a signature is right.
  public struct PublicKey: Sendable {
    /// The key itself.
    public let rawRepresentation: [UInt8]

    /// Takes a key of 32 bytes.
    public init?(rawRepresentation: [UInt8]) {
      guard rawRepresentation.count == 32 else { return nil }
      self.rawRepresentation = rawRepresentation
    }

    /// Whether `signature` is the one of `message` by the private half.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      signature == toyHash(rawRepresentation + message, count: 64)
    }
  }

  /// What signs.
  public struct PrivateKey: Sendable {
    /// The key itself.
    public let rawRepresentation: [UInt8]

    /// The same key each time, so that a run can be repeated.
    public init() { rawRepresentation = [UInt8](repeating: 1, count: 32) }

    /// Takes a key of 32 bytes.
    public init?(rawRepresentation: [UInt8]) {
      guard rawRepresentation.count == 32 else { return nil }
      self.rawRepresentation = rawRepresentation
    }

    /// The other half.
    public var publicKey: PublicKey? { PublicKey(rawRepresentation: toyHash(rawRepresentation, count: 32)) }

    /// Signs `message`.
    public func signature(for message: [UInt8]) -> [UInt8]? {
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
