internal import TicketTransport
internal import WireText

/// A refusal in the API's own form (RFC 9457): JSON of a 4xx with a `type` that begins with `urn:thankful:`. Nothing else says that nothing
/// was redeemed, or speaks of our token.
struct RedeemProblem: Sendable, Equatable {
  /// How all types begin.
  private static let space = "urn:thankful:"
  private static let verification = "verification:"

  /// What follows `urn:thankful:verification:`; `nil` where it is about something else.
  let kind: String?
  /// What follows `urn:thankful:`.
  let type: String
  /// The server's words, not cleaned.
  let words: String?

  /// Reads one; `nil` where the answer is none.
  init?(_ answer: HTTPAnswer) {
    guard (400...499).contains(answer.status), answer.status != 408, answer.isJSON,
      let told = try? JSONValue(answer.body), let type = told["type"]?.string, type.hasPrefix(Self.space),
      type.utf8.count <= 200
    else { return nil }
    self.type = String(type.dropFirst(Self.space.count))
    kind =
      self.type.hasPrefix(Self.verification) ? String(self.type.dropFirst(Self.verification.count)) : nil
    words = [told["detail"], told["title"]].compactMap { $0?.string }.first { !$0.isEmpty }
  }

  /// Whether it is about the ticket, or its text: whoever gets it may redeem.
  var isOfTicket: Bool { kind.map { $0 != "missing_org" } ?? false }
}
