// As much of swift-crypto's interface as set-up codes use, without cryptography: anybody can sign. To build the real one takes
// longer than everything else here, and no damage to an input finds its way past it.

/// A hash of 32 bytes that are quickly made.
public enum SHA256 {
  /// The hash of `data`.
  public static func hash(data: some Sequence<UInt8>) -> [UInt8] { toyHash(data, count: 32) }
}

/// Keys as those of Ed25519, and signatures of their length.
public enum Curve25519 {
  /// Signatures and what makes them.
  public enum Signing {
    /// Bytes are no key.
    public struct WrongLength: Error {}

    /// What tells whether a signature is right.
    public struct PublicKey: Sendable {
      /// The key itself.
      public let rawRepresentation: [UInt8]

      /// Takes a key of 32 bytes.
      public init(rawRepresentation: some Collection<UInt8>) throws {
        guard rawRepresentation.count == 32 else { throw WrongLength() }
        self.rawRepresentation = [UInt8](rawRepresentation)
      }

      /// Whether `signature` is the one of `data` by the private half.
      public func isValidSignature(_ signature: some Sequence<UInt8>, for data: some Sequence<UInt8>) -> Bool {
        signature.elementsEqual(toyHash(rawRepresentation + data, count: 64))
      }
    }

    /// What signs.
    public struct PrivateKey: Sendable {
      /// The key itself.
      public let rawRepresentation: [UInt8]

      /// The same key each time, so that a run can be repeated.
      public init() { rawRepresentation = [UInt8](repeating: 1, count: 32) }

      /// Takes a key of 32 bytes.
      public init(rawRepresentation: some Collection<UInt8>) throws {
        self.rawRepresentation = try PublicKey(rawRepresentation: rawRepresentation).rawRepresentation
      }

      /// The other half.
      public var publicKey: PublicKey { PublicKey(of: self) }

      /// Signs `data`.
      public func signature(for data: some Sequence<UInt8>) throws -> [UInt8] {
        toyHash(publicKey.rawRepresentation + data, count: 64)
      }
    }
  }
}

extension Curve25519.Signing.PublicKey {
  fileprivate init(of key: Curve25519.Signing.PrivateKey) {
    rawRepresentation = toyHash(key.rawRepresentation, count: 32)
  }
}

/// FNV-1a, stretched to `count` bytes.
private func toyHash(_ data: some Sequence<UInt8>, count: Int) -> [UInt8] {
  var state: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in data { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  return (0..<count).map { _ in
    state = (state ^ state >> 32) &* 0x100_0000_01B3
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}
