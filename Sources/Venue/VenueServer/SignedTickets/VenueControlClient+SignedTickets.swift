import NIOHTTP1

/// Signed tickets over the control socket.
extension VenueControlClient {
  /// What was issued, a line of JSON each; see `VenueServer.issuedSignedTickets`.
  /// - Throws: `VenueError.noControl`.
  package func issuedSignedTickets() async throws -> [String] { try await lines("signed-tickets") }

  /// Signs a ticket; see `VenueServer.issueSignedTicket`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where it was not issued.
  package func issueSignedTicket(
    _ new: NewSignedTicket, of tenant: String = VenueServer.organisation
  ) async throws -> IssuedSignedTicket {
    try read(
      try await tell(
        .POST, "signed-tickets",
        [
          ("org", tenant), ("jti", new.jti), ("order", new.order), ("performance", new.performance),
          ("seat", new.seat), ("issued", new.issued), ("expires", new.expires),
        ]))
  }

  /// Takes a ticket back.
  /// - Throws: `VenueError.noControl`, or `.unusable` where there is none.
  package func revokeSignedTicket(_ jti: String) async throws {
    _ = try await tell(.PUT, "signed-tickets", [("jti", jti)])
  }

  /// Makes a key, which signs from now on.
  /// - Throws: `VenueError.noControl`, or `.unusable` where it cannot be called so.
  package func addTicketKey(_ kid: String) async throws { _ = try await tell(.POST, "ticket-keys", [("kid", kid)]) }

  /// Tells a key no more.
  /// - Throws: `VenueError.noControl`, or `.unusable` where there is none.
  package func withdrawTicketKey(_ kid: String) async throws {
    _ = try await tell(.PUT, "ticket-keys", [("kid", kid)])
  }

  /// Makes a token known.
  /// - Throws: `VenueError.noControl`, or `.unusable` where it is none.
  package func issueTicketToken(_ given: String? = nil) async throws -> String {
    struct Told: Decodable { let token: String }
    let told: Told = try read(try await tell(.POST, "ticket-tokens", [("token", given)]))
    return told.token
  }

  /// Refuses all tokens that were given.
  /// - Throws: `VenueError.noControl`.
  package func revokeTicketTokens() async throws { _ = try await ask(.DELETE, "ticket-tokens") }
}
