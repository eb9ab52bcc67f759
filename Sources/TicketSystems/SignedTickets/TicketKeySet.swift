package import CodeSigning
internal import WireText

/// The keys that a server has published (RFC 7517), by their names: those of Ed25519 that one can believe. Others are skipped: a set may
/// have keys for other purposes.
package struct TicketKeySet: Sendable, Equatable {
  /// The largest answer that is read, in bytes, and how many keys of it.
  package static let mostBytes = 65_536, mostKeys = 64

  /// The keys.
  package let keys: [String: VerifyingKey]

  /// Takes them as they are.
  init(_ keys: [String: VerifyingKey]) { self.keys = keys }

  /// Reads a set: `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":…,"x":…}]}`.
  ///
  /// Of two different keys with one name neither is taken, whatever their types, for nobody can tell which is meant; the same twice is one.
  /// A key of which the private half is published
  /// is none, nor is one by which anybody could sign.
  /// - Returns: `nil` where it is no set, has too many keys, or none that can be believed.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes, let told = (try? JSONValue(bytes))?["keys"]?.array,
      told.count <= Self.mostKeys
    else { return nil }
    var found: [String: VerifyingKey] = [:]
    var doubtful: Set<String> = []
    for key in told {
      // Whatever else is wrong with it: two that have one name are not told apart.
      guard let name = key["kid"]?.string, SignedTicket.isKeyID(name.utf8) else { continue }
      guard let read = Self.key(key) else {
        doubtful.insert(name)
        continue
      }
      if let before = found[name], before != read { doubtful.insert(name) }
      found[name] = read
    }
    found = found.filter { !doubtful.contains($0.key) }
    guard !found.isEmpty else { return nil }
    keys = found
  }

  private static func isOfEd25519(_ key: JSONValue) -> Bool {
    key["kty"]?.string == "OKP" && key["crv"]?.string == "Ed25519"
  }

  private static func key(_ key: JSONValue) -> VerifyingKey? {
    guard isOfEd25519(key), key["d"] == nil, key["use"] ?? .string("sig") == .string("sig"),
      ["EdDSA", "Ed25519"].contains(key["alg"] == nil ? "EdDSA" : key["alg"]?.string),
      let x = key["x"]?.string, x.utf8.count == 43, let bytes = Base64URL.bytes(x.utf8)
    else { return nil }
    return VerifyingKey(bytes: bytes)
  }
}
