internal import LibCrypto

/// The public half of a key that signs codes: a station that has it on one of its lists believes the codes that the private half
/// has signed. Ed25519 (RFC 8032).
package struct VerifyingKey: Sendable, Hashable {
  /// Its length in bytes.
  package static let length = 32

  /// The key itself.
  package let bytes: [UInt8]

  /// Takes a key of its bytes; `nil` unless there are `length` of them, and where anybody could sign for it.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length, !Self.isOfSmallOrder(bytes) else { return nil }
    self.bytes = bytes
  }

  /// Takes a key as `text` writes it.
  package init?(text: String) {
    guard let bytes = Base64.bytes(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The key in base64, for a list.
  package var text: String { Base64.text(bytes) }

  /// How codes name it: the first four bytes of its SHA-256.
  package var id: [UInt8] { SHA256.hash(data: bytes).prefix(4).map { $0 } }

  /// Whether its private half has signed `message`.
  package func verifies(_ signature: some Collection<UInt8>, of message: [UInt8]) -> Bool {
    Ed25519.PublicKey(rawRepresentation: bytes)?.isValidSignature([UInt8](signature), for: message) ?? false
  }

  /// The y coordinates of the points for which a signature can be made without a private half: a key of zeros, as in an
  /// example that was copied, is one of them. Little endian; the sign of x is the highest bit.
  private static let smallOrders: [[UInt8]] = {
    let minusOne: [UInt8] = [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    return [
      [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), minusOne,
      [0xED] + minusOne.dropFirst(), [0xEE] + minusOne.dropFirst(),
      [
        0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF,
        0xAC,
        0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
      ],
      [
        0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20,
        0x53,
        0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
      ],
    ]
  }()

  private static func isOfSmallOrder(_ bytes: [UInt8]) -> Bool {
    guard let last = bytes.last else { return true }
    return smallOrders.contains(bytes.dropLast() + [last & 0x7F])
  }
}
