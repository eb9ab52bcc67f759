internal import ScanModel
internal import TicketSystemKit
package import TicketTransport
package import WireText

/// A page of a server's events: what proves a key, what people are shown of them, and what gates know of them. Pure. Decoded leniently:
/// what cannot be read is missing, and an event without an identifier is left out.
package struct EventPage: Sendable, Equatable {
  /// An event.
  package struct Event: Sendable, Equatable {
    /// The server's identifier.
    package var id: String
    /// When it begins, as it is told.
    package var starts: String?
    /// The same for gates.
    let key: EventID
    /// What is told of it.
    let told: SaleEvent
    /// The types of its tickets.
    let types: [TicketType]

    /// What it is called; at most 200 characters.
    package var name: String? { told.name }
    /// Where, likewise.
    package var venue: String? { told.place }
  }

  /// At most 1,000.
  package var events: [Event]
  /// Whether there are more than that on the page.
  package var isCut: Bool
  /// How many there are, where that is told.
  package var total: Int64?
  /// The last page's number.
  package var lastPage: Int64

  /// The most events that are read of one page.
  package static let mostEvents = 1_000

  /// Reads a page; `nil` where it is none (a list under `data`, or a bare one), or another page than the one that was asked for.
  package init?(_ document: JSONValue, number: Int64 = 1, hiding secrets: [Redaction] = []) {
    let list = document["data"] ?? document
    switch list {
    case .array: break
    // PHP writes a list so that is empty, or has gaps.
    case .object(let members) where document["data"] != nil && members.keys.allSatisfy({ Int($0) != nil }): break
    default: return nil
    }
    let meta = PageMeta(document["meta"])
    guard meta.page ?? number == number else { return nil }
    lastPage = meta.lastPage ?? number
    total = meta.total
    let told = list.elements
    isCut = told.count > Self.mostEvents
    events = told.prefix(Self.mostEvents).compactMap { event in
      guard let id = event["id"]?.identifier, let shown = StaffText.clean(id, hiding: secrets),
        let told = SaleEvent(event, hiding: secrets)
      else { return nil }
      return Event(
        id: shown, starts: event["starts_at"]?.string.flatMap { StaffText.clean($0, hiding: secrets) },
        key: EventID(id), told: told, types: TicketType.all(of: event, hiding: secrets))
    }
  }
}

/// What a list says of its pages, in the spellings that servers have.
struct PageMeta {
  /// This page's number, from 1.
  var page: Int64?
  /// The last page's.
  var lastPage: Int64?
  /// How many elements all pages have.
  var total: Int64?

  init(_ meta: JSONValue?) {
    let places = [meta?["pagination"], meta].compactMap(\.self)
    func first(_ names: String...) -> Int64? {
      places.lazy.compactMap { place in names.lazy.compactMap { place[$0]?.integer }.first }.first
    }
    page = first("current_page", "currentPage")
    lastPage = first("last_page", "total_pages", "lastPage", "totalPages")
    total = first("total").flatMap { $0 >= 0 ? $0 : nil }
  }
}

extension EventPage {
  /// What an answer to `GET /api/events` is: a page, which proves the key, or why not.
  package static func read(
    _ answer: HTTPAnswer, number: Int64 = 1, host: String, hiding secrets: [Redaction], words: ServerWords
  ) -> Result<EventPage, TransportFault> {
    var said: ServerText { ServerText(answer.body, hiding: secrets) }
    func fault(_ reason: UndecidedReason, _ what: String) -> Result<EventPage, TransportFault> {
      .failure(TransportFault(reason, "\(host) \(what)", retryAfter: answer.retryAfter))
    }
    switch answer.status {
    case 200 where answer.isJSON:
      let page = (try? JSONValue(answer.body)).flatMap { EventPage($0, number: number, hiding: secrets) }
      if let page { return .success(page) }
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
