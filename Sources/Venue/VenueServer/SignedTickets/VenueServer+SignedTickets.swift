import SQLiteFile

/// What is done at a venue about signed tickets besides what its service is asked: keys, tokens, revocations.
extension VenueServer {
  /// The organisation whose tickets are issued where none is named.
  package static let organisation = "00000000-0000-0000-0000-000000000001"

  /// Makes a token known and returns it: the given one, or a fresh one. Only its hash is stored. One that is known already gets the new
  /// scopes.
  package func issueTicketToken(
    _ given: String? = nil, scopes: [TicketTokenScope] = TicketTokenScope.allCases
  ) async throws -> String {
    if let given, !APIKeys.isUsable(given) {
      throw VenueError.unusable("the given token must have 8 to 255 printable ASCII characters and no spaces")
    }
    var random = SystemRandomNumberGenerator()
    let token = given ?? Secret.apiKey(&random)
    try await store.write { db in
      try db.run(
        """
        INSERT INTO ticket_tokens (sha256, scopes) VALUES (?, ?)
        ON CONFLICT (sha256) DO UPDATE SET scopes = excluded.scopes
        """, APIKeys.hash(token), scopes.map(\.rawValue).joined(separator: " "))
    }
    return token
  }

  /// Refuses all tokens that were given, from the next request on.
  package func revokeTicketTokens() async throws {
    try await store.write { try $0.run("DELETE FROM ticket_tokens") }
  }

  /// Signs a ticket.
  /// - Throws: `VenueError.unusable`, in words.
  package func issueSignedTicket(
    _ new: NewSignedTicket = NewSignedTicket(), of tenant: String = organisation
  ) async throws -> IssuedSignedTicket {
    let now = Timestamp(configuration.now())
    return try await store.write { try TicketVerification(db: $0, tenant: tenant, now: now).issue(new) }
  }

  /// Takes a ticket back: it is refused from now on.
  /// - Throws: `VenueError.unusable` where there is none.
  package func revokeSignedTicket(_ jti: String) async throws {
    try await store.write { db in
      let known: Int64? = try db.value("SELECT issued_at FROM signed_tickets WHERE jti = ?", jti)
      guard known != nil else { throw VenueError.unusable("no ticket has this id") }
      try db.run("UPDATE signed_tickets SET revoked = ? WHERE jti = ?", true, jti)
    }
  }

  /// Makes a key, which signs from now on; those before it are still told.
  /// - Parameter seed: its private half, 32 bytes; a fresh one where it is nil.
  /// - Throws: `VenueError.unusable`, in words.
  package func addTicketKey(_ kid: String, seed: [UInt8]? = nil) async throws {
    try await store.write { try TicketSigner(db: $0).add(kid, seed: seed) }
  }

  /// Tells a key no more.
  /// - Throws: `VenueError.unusable` where there is none.
  package func withdrawTicketKey(_ kid: String) async throws {
    try await store.write { try TicketSigner(db: $0).withdraw(kid) }
  }

  /// What was issued, a line of JSON each, by id: `jti`, `tenant_id`, `performance_id`, `seat_id`, `expires`, `revoked`, and `redeemed`,
  /// when it was.
  package func issuedSignedTickets() async throws -> [String] {
    try await store.read { db in
      try db.rows("SELECT * FROM signed_tickets ORDER BY jti LIMIT 10000").map { row in
        let redeemed: Int64? = try row["redeemed_at"]
        let line: JSONText = [
          "jti": .string(try row["jti"]), "tenant_id": .string(try row["tenant_id"]),
          "performance_id": .string(try row["performance_id"]), "seat_id": .string(try row["seat_id"]),
          "expires": .string(Timestamp(clamping: try row["expires_at"]).utc), "revoked": .bool(try row["revoked"]),
          "redeemed": redeemed.map { .string(Timestamp(clamping: $0).utc) } ?? .null,
        ]
        return line.text()
      }
    }
  }
}
