import Foundation
import HTTPTypes
import SQLiteFile

/// What the verification service does about one request, inside one transaction.
struct TicketVerification {
  let db: Database
  /// The organisation that the request names.
  let tenant: String
  let now: Timestamp

  /// For how long a ticket is good where nobody says it, in seconds.
  private static let usual: Int64 = 7_200

  private var signer: TicketSigner { TicketSigner(db: db) }

  // MARK: Issuing

  /// Writes a ticket down and signs it.
  func issue(_ new: NewSignedTicket) throws -> IssuedSignedTicket {
    var random = SystemRandomNumberGenerator()
    let jti = new.jti ?? "tkt_" + Secret.hex(Secret.bytes(8, &random))
    let told = try new.issued.map { try VenueMoment.read($0, "the issue", now: now) }
    let end = try new.expires.map { try VenueMoment.read($0, "the end", now: now) }
    // One that is over was issued before that: else it is no ticket, rather than one that has expired.
    let issued =
      told ?? end.map { $0.seconds > now.seconds ? now : Timestamp(clamping: $0.seconds - Self.usual) } ?? now
    let ends = end ?? Timestamp(clamping: issued.seconds + Self.usual)
    let exists: Int64? = try db.value("SELECT issued_at FROM signed_tickets WHERE jti = ?", jti)
    guard exists == nil else { throw VenueError.unusable("there is a ticket of this id") }
    let payload: JSONText = [
      "ver": .integer(1), "tenant_id": .string(tenant), "order_id": .string(new.order),
      "performance_id": .string(new.performance), "seat_id": .string(new.seat), "jti": .string(jti),
      "iat": .integer(issued.seconds), "exp": .integer(ends.seconds),
    ]
    if new.isKnown {
      try db.run(
        """
        INSERT INTO signed_tickets (jti, tenant_id, order_id, performance_id, seat_id, issued_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """, jti, tenant, new.order, new.performance, new.seat, issued.seconds, ends.seconds)
    }
    return IssuedSignedTicket(jti: jti, token: try signer.sign(payload.text()))
  }

  // MARK: Redeeming

  /// `POST /v1/verification/redeem`
  func redeem(_ sent: SentJSON) throws -> Answer {
    guard let token = sent.text, token.hasPrefix("ed25519.v1.") else {
      return Self.problem(.unprocessableContent, "verification:invalid_token", "The token has another prefix")
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, let signature = TicketSigner.bytes(base64url: parts[3]),
      let payload = TicketSigner.bytes(base64url: parts[4])
    else { return Self.problem(.badRequest, "verification:bad_format", "The token has not five parts") }
    guard try signer.isSigned(payload, signature, kid: String(parts[2])) else {
      return Self.problem(.unauthorized, "verification:invalid_signature", "The signature is not valid")
    }
    guard let told = try? JSONDecoder().decode([String: SentJSON].self, from: Data(payload)) else {
      return Self.problem(.badRequest, "verification:bad_payload", "The payload is no JSON object")
    }
    guard let jti = told["jti"]?.text, let whose = told["tenant_id"]?.text, let ends = told["exp"]?.whole else {
      return Self.problem(.badRequest, "verification:missing_fields", "The payload lacks jti, tenant_id or exp")
    }
    guard now.seconds < ends else {
      return Self.problem(.unauthorized, "verification:expired", "The ticket has expired")
    }
    guard whose == tenant else {
      return Self.problem(.conflict, "verification:tenant_mismatch", "The ticket is of another organisation")
    }
    let row = try db.row("SELECT revoked, redeemed_at FROM signed_tickets WHERE jti = ? AND tenant_id = ?", jti, tenant)
    guard let row else { return Self.problem(.notFound, "verification:not_found", "There is no such ticket") }
    if try row["revoked"] as Bool { return Self.problem(.forbidden, "verification:revoked", "The ticket was revoked") }
    if try (row["redeemed_at"] as Int64?) != nil {
      return Self.problem(.conflict, "verification:already_redeemed", "The ticket was redeemed before")
    }
    try db.run("UPDATE signed_tickets SET redeemed_at = ? WHERE jti = ?", now.seconds, jti)
    return .ok(["jti": .string(jti), "status": "redeemed"])
  }

  /// A refusal in the service's form.
  static func problem(_ status: HTTPResponse.Status, _ type: String, _ words: String) -> Answer {
    var answer = Answer(
      status: status,
      body: [
        "type": .string("urn:thankful:" + type), "title": .string(words), "status": .integer(Int64(status.code)),
        "detail": .string(words), "trace_id": "00000000000000000000000000000000",
      ])
    answer.mediaType = "application/problem+json"
    return answer
  }
}
