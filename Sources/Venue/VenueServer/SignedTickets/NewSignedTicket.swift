/// A ticket that is to be signed.
package struct NewSignedTicket: Sendable {
  /// What tells it from others; a fresh one where it is nil.
  package var jti: String?
  /// The order that it belongs to.
  package var order: String
  /// What it is for.
  package var performance: String
  /// The seat.
  package var seat: String
  /// When it was issued; see `VenueMoment`. Where it is nil now, or two hours before an end that is over.
  package var issued: String?
  /// When it ends, likewise; two hours later where it is nil.
  package var expires: String?
  /// Whether the service knows it: one that it does not is signed all the same.
  package var isKnown: Bool

  /// A ticket that is good from now on for two hours, unless told otherwise.
  package init(
    jti: String? = nil, order: String = "order-1", performance: String = "perf_1", seat: String = "A-1",
    issued: String? = nil, expires: String? = nil, isKnown: Bool = true
  ) {
    self.jti = jti
    self.order = order
    self.performance = performance
    self.seat = seat
    self.issued = issued
    self.expires = expires
    self.isKnown = isKnown
  }
}

/// A ticket that was signed.
package struct IssuedSignedTicket: Sendable, Equatable, Codable {
  /// What tells it from others.
  package let jti: String
  /// What is in its code: whoever has it passes. Not for logs.
  package let token: String
}

/// What a token of the verification service may be used for. The raw values are its words.
package enum TicketTokenScope: String, Sendable, CaseIterable {
  case issue = "tickets.issue"
  case redeem = "tickets.redeem"
}
