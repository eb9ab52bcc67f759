internal import ScanModel
package import TicketTransport
package import WireText

/// A page of a server's events, as far as people want to see them. Pure: what proves a key.
package struct EventsPage: Sendable, Equatable {
  /// An event.
  package struct Event: Sendable, Equatable {
    /// The server's identifier.
    package var id: String
    /// What it is called; at most 200 characters.
    package var name: String?
    /// When it begins, as it is told.
    package var starts: String?
    /// Where.
    package var venue: String?
  }

  /// At most 1,000; those without an identifier are left out.
  package var events: [Event]
  /// How many there are, where that is told.
  package var total: Int64?

  /// The most events that are read of one page.
  package static let mostEvents = 1_000

  /// Reads a page; `nil` where it is none: a list under `data`, or a bare one.
  package init?(_ document: JSONValue, hiding secrets: [Redaction] = []) {
    let list: [JSONValue]
    switch document["data"] ?? document {
    case .array(let elements): list = elements
    // An empty list of PHP's may be written so.
    case .object(let members) where members.isEmpty && document["data"] != nil: list = []
    default: return nil
    }
    func text(_ value: JSONValue?) -> String? { value?.string.flatMap { StaffText.clean($0, hiding: secrets) } }
    events = list.prefix(Self.mostEvents).compactMap { event in
      guard let id = event["id"]?.identifier.flatMap({ StaffText.clean($0, hiding: secrets) }) else { return nil }
      return Event(
        id: id, name: text(event["name"]), starts: text(event["starts_at"]),
        venue: text(event["venue"]?["name"]) ?? text(event["venue_name"]))
    }
    let meta = document["meta"]
    total = (meta?["pagination"]?["total"] ?? meta?["total"])?.integer.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// What an answer to `GET /api/events` is: a page, which proves the key, or why not.
  package static func read(
    _ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords
  ) -> Result<EventsPage, TransportFault> {
    let said = ServerText(answer.body, hiding: secrets)
    func fault(_ reason: UndecidedReason, _ what: String) -> Result<EventsPage, TransportFault> {
      .failure(TransportFault(reason, "\(host) \(what)", retryAfter: answer.retryAfter))
    }
    switch answer.status {
    case 200 where answer.isJSON:
      if let page = (try? JSONValue(answer.body)).flatMap({ EventsPage($0, hiding: secrets) }) { return .success(page) }
      return fault(.badAnswer, "answered with a list that cannot be read. \(words.addressCure)")
    case 200: return fault(.badAnswer, "answered, but not as its API does. \(words.addressCure)")
    case 300...399: return fault(.badAnswer, "wants to send us elsewhere (\(answer.status)). \(words.addressCure)")
    case 401: return fault(.keyRefused, "does not know this key (401)\(said.quoted). \(words.keyCure)")
    case 403: return fault(.accessDenied, "does not let this key see its events (403)\(said.quoted). \(words.keyCure)")
    case 423: return fault(.keyBlocked, "blocks this key after too many failures (423). Wait for 15 minutes.")
    case 429: return fault(.rateLimited, "gets more requests than it allows (429). Wait for a minute.")
    case 404, 405: return fault(.badAnswer, "has no API below this address (\(answer.status)). \(words.addressCure)")
    case 408, 500...599: return fault(.unreachable, "is out of order (\(answer.status)).")
    default:
      return fault(.badAnswer, "answered \(answer.status)\(said.quoted). \(words.addressCure)")
    }
  }
}
