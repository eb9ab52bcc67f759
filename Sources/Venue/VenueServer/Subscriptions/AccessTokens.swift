import SQLiteFile

/// What is done with all tokens that were given.
package enum AccessTokenChange: String, Sendable, CaseIterable {
  /// They are not known any more.
  case revoked
  /// They are over.
  case expired
}

/// Tokens of the subscription service: stored and compared by their SHA-256 only.
enum AccessTokens {
  enum State { case unknown, ended, good }

  static func state(_ db: Database, of token: String) throws -> State {
    let isActive: Bool? = try db.value(
      "SELECT is_active FROM access_tokens WHERE sha256 = ?", APIKeys.hash(token))
    guard let isActive else { return .unknown }
    return isActive ? .good : .ended
  }

  /// Makes one known, and good again where it was not.
  static func store(_ db: Database, _ token: String) throws {
    try db.run(
      """
      INSERT INTO access_tokens (sha256, is_active) VALUES (?, ?)
      ON CONFLICT (sha256) DO UPDATE SET is_active = excluded.is_active
      """, APIKeys.hash(token), true)
  }

  static func change(_ db: Database, _ change: AccessTokenChange) throws {
    switch change {
    case .revoked: try db.run("DELETE FROM access_tokens")
    case .expired: try db.run("UPDATE access_tokens SET is_active = ?", false)
    }
  }
}
