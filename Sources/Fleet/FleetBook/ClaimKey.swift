internal import LibCrypto

/// The name of a claim: what it is about, and a digest by the fleet's key. Nobody without that key learns a code or a sale of it.
package struct ClaimKey: Hashable, Sendable, CustomStringConvertible {
  /// What a claim is about.
  package enum Kind: String, Sendable, CaseIterable {
    /// A ticket, in whatever spelling.
    case ticket = "t"
    /// A sale that several codes stand for.
    case sale = "s"
    /// One line of such a sale.
    case line = "l"
    /// No claim: what a station says of itself, see `StationWord`. Programs that know nothing of it pass it over.
    case word = "w"
  }

  /// The length of a digest in bytes. Two of a million tickets share one with a chance of 1 in 10²⁶.
  package static let digestLength = 16

  /// What it is about.
  package let kind: Kind
  /// The digest.
  package let digest: [UInt8]

  /// Makes the key; `nil` unless the digest has `digestLength` bytes.
  package init?(_ kind: Kind, digest: [UInt8]) {
    guard digest.count == Self.digestLength else { return nil }
    self.kind = kind
    self.digest = digest
  }

  /// Where a station says something of itself; whoever knows its name knows this place.
  package static func word(of station: StationID) -> ClaimKey {
    ClaimKey(.word, hashing: Array("scangate word \(station)".utf8))
  }

  private init(_ kind: Kind, hashing bytes: [UInt8]) {
    self.kind = kind
    digest = Array(SHA256.hash(data: bytes).prefix(Self.digestLength))
  }

  /// The key of its `description`; `nil` of any other text.
  package init?(_ text: some StringProtocol) {
    let letters = Array(text.utf8)
    guard letters.count == 2 + 2 * Self.digestLength, letters[1] == UInt8(ascii: "."),
      let kind = Kind(rawValue: String(decoding: letters.prefix(1), as: UTF8.self))
    else { return nil }
    var digest: [UInt8] = []
    for place in stride(from: 2, to: letters.count, by: 2) {
      guard let high = Self.digit(letters[place]), let low = Self.digit(letters[place + 1]) else { return nil }
      digest.append(high << 4 | low)
    }
    self.init(kind, digest: digest)
  }

  /// A letter, a full stop and 32 lower-case hexadecimal digits: a name that a key-value bucket takes.
  package var description: String {
    kind.rawValue + "." + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 0x30...0x39: letter - 0x30
    case 0x61...0x66: letter - 0x57
    default: nil
    }
  }
}
