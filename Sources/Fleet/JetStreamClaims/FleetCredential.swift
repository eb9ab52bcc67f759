internal import CodeSigning
package import FleetBook
package import LibCrypto
internal import ScanModel

/// What a station is to its fleet, as one secret: the fleet's key, what it shows to servers, and what it signs its claims with.
///
/// Three keys, and none of them made of another: what a server has a station sign is the server's choice, and is never to be a claim.
package struct FleetCredential: Sendable, Unshown {
  private static let version: UInt8 = 1
  private static let keyLength = 32
  private static let checkLength = 4

  /// What names tickets; the same at all stations.
  package let key: FleetKey
  /// What proves to servers who we are.
  package let user: NKey
  /// What claims are signed with.
  package let signing: Ed25519.PrivateKey
  /// All of it, to be sealed before it is put down anywhere; for nothing else.
  package let toBeSealed: String

  /// Takes the text that `toBeSealed` is; `nil` of any other, or of a mistyped one.
  package init?(_ text: String) {
    guard let bytes = Base32.bytes(text.utf8), bytes.count == 1 + 3 * Self.keyLength + Self.checkLength,
      bytes.first == Self.version
    else { return nil }
    let body = Array(bytes.dropLast(Self.checkLength))
    guard Array(bytes.suffix(Self.checkLength)) == Self.check(body) else { return nil }
    func part(_ number: Int) -> [UInt8] {
      Array(body.dropFirst(1 + number * Self.keyLength).prefix(Self.keyLength))
    }
    guard let key = FleetKey(bytes: part(0)), let user = NKey(part(1)),
      let signing = Ed25519.PrivateKey(rawRepresentation: part(2))
    else { return nil }
    (self.key, self.user, self.signing, toBeSealed) = (key, user, signing, text)
  }

  /// Makes that of a new station.
  /// - Parameter fleet: the fleet's key, of `FleetKey.length` bytes.
  /// - Returns: `nil` of another length, or where libcrypto has no memory.
  package static func make(fleet: [UInt8]) -> FleetCredential? {
    guard fleet.count == keyLength else { return nil }
    let body =
      [version] + fleet + Ed25519.PrivateKey().rawRepresentation + Ed25519.PrivateKey().rawRepresentation
    return FleetCredential(Base32.text(body + check(body)))
  }

  /// The same station with a new key for its servers; `nil` where libcrypto has no memory.
  package func withAnotherUser() -> FleetCredential? { replacing(1, Ed25519.PrivateKey().rawRepresentation) }

  /// The same station with another key of its fleet's, of `FleetKey.length` bytes; `nil` of another length.
  package func with(fleet: [UInt8]) -> FleetCredential? { replacing(0, fleet) }

  private func replacing(_ number: Int, _ part: [UInt8]) -> FleetCredential? {
    guard part.count == Self.keyLength, var body = Base32.bytes(toBeSealed.utf8)?.dropLast(Self.checkLength) else {
      return nil
    }
    let start = 1 + number * Self.keyLength
    body.replaceSubrange(start..<(start + Self.keyLength), with: part)
    return FleetCredential(Base32.text(body + Self.check(Array(body))))
  }

  private static func check(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(checkLength)) }

  package var description: String { "what a station is to its fleet" }
}

/// A fleet's key as its file has it: 56 letters in base 32, of which the last five tell a mistyped one.
package enum FleetKeyText {
  private static let checkLength = 3

  /// A new one.
  package static func make() -> String { text(Ed25519.PrivateKey().rawRepresentation) }

  private static func text(_ key: [UInt8]) -> String { Base32.text(key + SHA256.hash(data: key).prefix(checkLength)) }

  /// Its bytes; `nil` of what is none.
  package static func bytes(_ text: String) -> [UInt8]? {
    guard let bytes = Base32.bytes(text.utf8), bytes.count == FleetKey.length + checkLength else { return nil }
    let key = Array(bytes.prefix(FleetKey.length))
    return Self.text(key) == text.uppercased() ? key : nil
  }
}
