internal import LibCrypto

/// The station's key, from which every other one is derived: nothing that is sealed is of use without it.
///
/// Derived by HKDF-SHA-256 (RFC 5869), one key for each purpose, so that what is sealed for one opens for no other.
package struct SealKey: Sendable {
  /// What a derived key is for. The raw values are part of what is derived: a changed one opens nothing that was sealed before.
  package enum Purpose: String, Sendable, CaseIterable {
    /// Codes in the journal.
    case codes = "scangate codes 1"
    /// Names of holders in the journal.
    case names = "scangate names 1"
    /// What the ledger remembers.
    case ledger = "scangate ledger 1"
    /// Digests of codes, by which tickets are found again.
    case tickets = "scangate tickets 1"
    /// The list of tickets on board: digests of its codes, and what proves its rows.
    case list = "scangate list 1"
    /// API keys and tokens.
    case credentials = "scangate credentials 1"
    /// What the station keeps of itself: what services have given it.
    case records = "scangate records 1"
    /// The station's key itself, sealed by an outside one; and what tells it from another.
    case key = "scangate key 1"
  }

  /// The length of a key in bytes.
  package static let length = 32

  private let key: SymmetricKey

  /// Makes the key of its bytes; `nil` unless there are `length` of them.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// Makes a new key from the system's random source.
  package static func random() -> (key: SealKey, bytes: [UInt8]) {
    let key = SymmetricKey(size: .bits256)
    return (SealKey(key), key.withUnsafeBytes { [UInt8]($0) })
  }

  private init(_ key: SymmetricKey) { self.key = key }

  /// Seals and opens for one purpose.
  package func sealer(for purpose: Purpose) -> Sealer { Sealer(key: derived(purpose)) }

  /// Makes digests for one purpose.
  package func digester(for purpose: Purpose) -> Digester { Digester(key: derived(purpose)) }

  private func derived(_ purpose: Purpose) -> SymmetricKey {
    HKDFSHA256.deriveKey(inputKeyMaterial: key, info: [UInt8](purpose.rawValue.utf8))
  }
}

/// Seals bytes by AES-256-GCM (NIST SP 800-38D) with a random nonce: nonce, text, tag. What is sealed is bound to a place,
/// so that it cannot be moved to another one.
package struct Sealer: Sendable {
  /// How much longer the sealed form is, in bytes.
  package static let overhead = 28

  private let key: SymmetricKey

  fileprivate init(key: SymmetricKey) { self.key = key }

  /// Seals `bytes` for the place that `binding` names.
  package func seal(_ bytes: [UInt8], binding: [UInt8]) -> [UInt8] {
    // With a 256-bit key and a nonce of its own choice the cipher has nothing to refuse.
    AES.GCM.seal(bytes, using: key, authenticating: binding) ?? []
  }

  /// What was sealed for that place; `nil` where it was not sealed with this key, for this place, or was changed since.
  package func open(_ sealed: some Collection<UInt8>, binding: [UInt8]) -> [UInt8]? {
    AES.GCM.open([UInt8](sealed), using: key, authenticating: binding)
  }
}

/// Makes keyed digests: HMAC-SHA-256 (RFC 2104), cut to 16 bytes. Without the key nobody can try out codes.
package struct Digester: Sendable {
  /// The length of a digest in bytes. Two of a million tickets share one with a chance of 1 in 10²⁶.
  package static let length = 16

  private let code: HMACSHA256

  fileprivate init(key: SymmetricKey) { code = HMACSHA256(key: key) }

  /// The digest of the parts; each part's length counts, so that bytes cannot move from one to the next.
  package func digest(_ parts: [UInt8]...) -> [UInt8] {
    var message = code.message()
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { message.update(data: $0) }
      message.update(data: part)
    }
    return [UInt8](message.finalize().prefix(Self.length))
  }
}
