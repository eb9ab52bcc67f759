internal import CodeSigning
package import LibCrypto
internal import ScanModel

/// A user's key as NATS writes it: Ed25519, in base 32 with two bytes before it that say what it is, and a checksum behind it.
package struct NKey: Sendable, Unshown {
  /// What the prefixes are made of: a seed, and a user.
  private static let seedBits: UInt8 = 18 << 3
  private static let userBits: UInt8 = 20 << 3

  private let key: Ed25519.PrivateKey
  /// The half that servers know, as their configuration has it.
  package let user: String

  /// Takes the key of a user: 58 letters that begin with SU.
  /// - Returns: `nil` where it is none, or was mistyped.
  package init?(seed text: String) {
    guard let bytes = Base32.bytes(text.utf8), bytes.count == 36, bytes[0] & 0xF8 == Self.seedBits,
      (bytes[0] & 7) << 5 | bytes[1] >> 3 == Self.userBits,
      Self.checksum(bytes.prefix(34)) == UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    else { return nil }
    self.init(Array(bytes[2..<34]))
  }

  /// Makes a new key from the system's random source; `nil` where libcrypto has no memory.
  package init?() { self.init(Ed25519.PrivateKey().rawRepresentation) }

  /// Takes the 32 bytes that a key is made of.
  init?(_ seed: [UInt8]) {
    guard let key = Ed25519.PrivateKey(rawRepresentation: seed), let half = key.publicKey else { return nil }
    self.key = key
    user = Self.text([Self.userBits] + half.rawRepresentation)
  }

  /// The key itself, to be sealed before it is put down anywhere; for nothing else.
  package var toBeSealed: String {
    Self.text([Self.seedBits | Self.userBits >> 5, (Self.userBits & 31) << 3] + key.rawRepresentation)
  }

  package var description: String { "a key" }

  /// Signs what a server has drawn: a text of printable characters, and nothing else, so that no server is given a signature under what means
  /// something elsewhere.
  func signature(_ nonce: [UInt8]) -> [UInt8]? {
    (1...Self.longestNonce).contains(nonce.count) && nonce.allSatisfy { (0x21...0x7E).contains($0) }
      ? key.signature(for: nonce) : nil
  }

  /// Signs what was not drawn by a server, and can be nothing that one draws: it begins with a byte that no such text has.
  /// - Returns: `nil` of any other bytes.
  package func signature(ofOwn bytes: [UInt8]) -> [UInt8]? {
    bytes.first == 0xFF ? key.signature(for: bytes) : nil
  }

  /// The longest text that a server draws; theirs has 15 bytes.
  private static let longestNonce = 256

  /// What tells a signature by the key of this public half; `nil` where it is none, or was mistyped.
  package static func publicKey(of user: String) -> Ed25519.PublicKey? {
    guard let bytes = Base32.bytes(user.utf8), bytes.count == 35, bytes[0] == userBits,
      text(Array(bytes.prefix(33))) == user
    else { return nil }
    return Ed25519.PublicKey(rawRepresentation: Array(bytes[1..<33]))
  }

  private static func text(_ bytes: [UInt8]) -> String {
    let sum = checksum(bytes[...])
    return Base32.text(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
  }

  /// CRC-16 of XMODEM.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
    return sum
  }
}
