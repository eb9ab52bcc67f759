import Foundation
import LibCrypto
import SQLiteFile

/// The keys of a venue that signs tickets, inside a transaction.
struct TicketSigner {
  /// What the first key is called.
  static let firstKey = "dev-ed25519"

  let db: Database

  /// Makes a key, which signs from now on; those before it are still told.
  /// - Parameter seed: its private half, 32 bytes; a fresh one where it is nil.
  func add(_ kid: String, seed: [UInt8]? = nil) throws {
    guard (1...64).contains(kid.utf8.count), kid.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2E }) else {
      throw VenueError.unusable("a key's name has 1 to 64 printable ASCII characters, no blanks and no dots")
    }
    let key = seed.map { Ed25519.PrivateKey(rawRepresentation: $0) } ?? Ed25519.PrivateKey()
    guard let key else { throw VenueError.unusable("a private key has 32 bytes") }
    let exists: Int64? = try db.value("SELECT number FROM ticket_keys WHERE kid = ?", kid)
    guard exists == nil else { throw VenueError.unusable("there is a key of this name") }
    try db.run(
      "INSERT INTO ticket_keys (kid, seed) VALUES (?, ?)", kid, Data(key.rawRepresentation).base64EncodedString())
  }

  /// Tells a key no more.
  func withdraw(_ kid: String) throws {
    let number: Int64? = try db.value("SELECT number FROM ticket_keys WHERE kid = ?", kid)
    guard let number else { throw VenueError.unusable("there is no key of this name") }
    try db.run("UPDATE ticket_keys SET is_withdrawn = ? WHERE number = ?", true, number)
  }

  /// The keys that are told, the one that signs first.
  func keys() throws -> [(kid: String, key: Ed25519.PrivateKey)] {
    let rows = try db.rows("SELECT kid, seed FROM ticket_keys WHERE is_withdrawn = 0 ORDER BY number DESC")
    return try rows.compactMap { row in
      let seed: String = try row["seed"]
      guard let bytes = Data(base64Encoded: seed), let key = Ed25519.PrivateKey(rawRepresentation: [UInt8](bytes))
      else {
        return nil
      }
      return (try row["kid"], key)
    }
  }

  /// The same; with a first one where there is none.
  func keysMade() throws -> [(kid: String, key: Ed25519.PrivateKey)] {
    let keys = try keys()
    guard keys.isEmpty else { return keys }
    let known: Int64 = try db.value("SELECT COUNT(*) FROM ticket_keys") ?? 0
    try add(known == 0 ? Self.firstKey : "\(Self.firstKey)-\(known + 1)")
    return try self.keys()
  }

  /// The text of a ticket with that payload.
  func sign(_ payload: String) throws -> String {
    guard let (kid, key) = try keysMade().first, let signature = key.signature(for: [UInt8](payload.utf8)) else {
      throw VenueError.unusable("no key can sign")
    }
    return "ed25519.v1.\(kid).\(Self.base64url(signature)).\(Self.base64url([UInt8](payload.utf8)))"
  }

  /// Whether a text is signed, as the real server looks at it: for a name that it does not know it takes its own key.
  func isSigned(_ payload: [UInt8], _ signature: [UInt8], kid: String) throws -> Bool {
    let keys = try keysMade()
    guard let key = keys.first(where: { $0.kid == kid }) ?? keys.first else { return false }
    return key.key.publicKey?.isValidSignature(signature, for: payload) ?? false
  }

  static func base64url(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  /// Read as leniently as the real server's library reads it.
  static func bytes(base64url text: some StringProtocol) -> [UInt8]? {
    let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
      .replacingOccurrences(of: "=", with: "")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)).map {
      [UInt8]($0)
    }
  }
}
