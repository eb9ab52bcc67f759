internal import ScanModel
internal import TicketTransport

/// Whose subscriptions a list is to tell, at services that tell each user's own alone.
struct SubscriptionUser: Sendable {
  /// What names the user in a request.
  let header: CallHeader
  /// The account's id as messages show it.
  let redaction: Redaction

  /// Takes an account's id as it was typed; `nil` where no request can name it.
  init?(_ id: String) {
    guard let header = try? CallHeader("X-User-Id", id) else { return nil }
    self.header = header
    redaction = Redaction(id, shownAs: Code(id).shortened)
  }
}
