package import LibCrypto

/// What all stations of a fleet have and nobody else: by it they name tickets and sales to each other.
package struct FleetKey: Sendable {
  /// The length of a key in bytes.
  package static let length = 32

  private let names: HMACSHA256
  private let listNames: HMACSHA256
  /// Seals what stations tell each other of lists of tickets.
  package let lists: SymmetricKey
  /// Tells this key from another and gives no part of it away: 32 hexadecimal digits, kept with the fleet's stream. Stations of two
  /// keys would name one ticket differently, and each admit it.
  package let mark: String

  /// Makes the key of its bytes; `nil` unless there are `length` of them.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    let whole = SymmetricKey(data: bytes)
    func key(_ purpose: String) -> SymmetricKey {
      HKDFSHA256.deriveKey(inputKeyMaterial: whole, info: [UInt8](purpose.utf8))
    }
    func derived(_ purpose: String) -> HMACSHA256 { HMACSHA256(key: key(purpose)) }
    names = derived("scangate fleet names 1")
    listNames = derived("scangate fleet names of lists 1")
    lists = key("scangate fleet lists 1")
    mark = derived("scangate fleet mark 1").authenticationCode(for: []).prefix(16)
      .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// The name of what `parts` tell: the ticket system's server, its scope's part, and the folded ticket key or the sale.
  package func name(_ kind: ClaimKey.Kind, _ parts: [UInt8]...) -> ClaimKey? {
    ClaimKey(kind, digest: Self.digest([Array(kind.rawValue.utf8)] + parts, by: names))
  }

  /// What the list of a ticket system is called, of these tickets alone: its server, and for how long "once" holds there.
  package func name(ofListOf server: String, scope: [UInt8]) -> [UInt8] {
    Self.digest([[UInt8]("list".utf8), Array(server.utf8), scope], by: listNames)
  }

  /// Where what a ticket system tells besides its tickets is given, such as its list of events: its server alone. No list is called so.
  package func name(ofKnowledgeOf server: String) -> [UInt8] {
    Self.digest([[UInt8]("knowledge".utf8), Array(server.utf8)], by: listNames)
  }

  /// What a list's ticket is called. It has nothing to do with the name of its claim: two spellings are two.
  package func name(ofListed code: [UInt8], of server: String) -> [UInt8] {
    Self.digest([[UInt8]("ticket".utf8), Array(server.utf8), code], by: listNames)
  }

  private static func digest(_ parts: [[UInt8]], by key: HMACSHA256) -> [UInt8] {
    var message = key.message()
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { message.update(data: $0) }
      message.update(data: part)
    }
    return Array(message.finalize().prefix(ClaimKey.digestLength))
  }

  /// How stations tell each other what they name tickets by: a ticket system's address, or that and its scope.
  package func naming(_ parts: [UInt8]...) -> UInt64 {
    var message = names.message()
    for part in [Array("naming".utf8)] + parts {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { message.update(data: $0) }
      message.update(data: part)
    }
    return message.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
