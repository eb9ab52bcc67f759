import LibCrypto
import SQLiteFile

/// What the user of an API key may do.
package enum KeyAbility: String, Sendable, CaseIterable {
  /// Nothing: every request is answered `403 {"message":"Access denied"}`.
  case none
  /// Read sales, not scan.
  case view
  /// Read and scan.
  case manage

  func includes(_ needed: KeyAbility) -> Bool {
    switch needed {
    case .none: true
    case .view: self != .none
    case .manage: self == .manage
    }
  }
}

/// Who asks, once the key is known.
struct KeyHolder: Sendable {
  let userID: Int64
  let ability: KeyAbility
}

/// API keys: made here, stored and compared by their SHA-256 only.
enum APIKeys {
  static func hash(_ key: String) -> String { Secret.hash([UInt8](key.utf8)) }

  /// Whether a key can travel in a header: printable ASCII without spaces.
  static func isUsable(_ key: String) -> Bool {
    (8...255).contains(key.utf8.count) && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  static func store(_ db: Database, hash: String, ability: KeyAbility) throws {
    try db.run(
      """
      INSERT INTO api_keys (sha256, user_id, ability) VALUES (?, ?, ?)
      ON CONFLICT (sha256) DO UPDATE SET ability = excluded.ability
      """, hash, Organiser.own, ability.rawValue)
  }

  static func holder(_ db: Database, hash: String) throws -> KeyHolder? {
    guard let row = try db.row("SELECT user_id, ability FROM api_keys WHERE sha256 = ?", hash) else { return nil }
    return try KeyHolder(userID: row["user_id"], ability: KeyAbility(rawValue: row["ability"]) ?? .none)
  }
}

/// Random secrets of tickets and keys.
enum Secret {
  private static let lowerCase = [UInt8]("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let upperHex = [UInt8]("0123456789ABCDEF".utf8)
  private static let mixedCase = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// 32 lower-case letters and digits: a printed ticket's secret, and a sale's.
  static func ticket(_ random: inout some RandomNumberGenerator) -> String { make(32, of: lowerCase, &random) }

  /// 24 letters of both cases and digits: the secret of an entry that a scan made.
  static func scannedEntry(_ random: inout some RandomNumberGenerator) -> String { make(24, of: mixedCase, &random) }

  /// 40 letters of both cases and digits: an API key.
  static func apiKey(_ random: inout some RandomNumberGenerator) -> String { make(40, of: mixedCase, &random) }

  /// 8 digits of base 16 in upper case: an activation code.
  static func activationCode(_ random: inout some RandomNumberGenerator) -> String { make(8, of: upperHex, &random) }

  /// The SHA-256 of a secret in base 16: how secrets are stored and compared.
  static func hash(_ secret: [UInt8]) -> String { hex(SHA256.hash(data: secret)) }

  /// Base 16 in lower case.
  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  static func bytes(_ length: Int, _ random: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func make(_ length: Int, of alphabet: [UInt8], _ random: inout some RandomNumberGenerator) -> String {
    let letters = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    return String(decoding: letters, as: UTF8.self)
  }
}
