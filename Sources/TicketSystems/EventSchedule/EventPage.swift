internal import WireText
internal import ScanModel
internal import TicketTransport

/// One page of the list of events. Decoded leniently: an event without an identifier is left out.
struct EventPage: Sendable, Equatable {
  /// An event and where it is.
  struct Event: Sendable, Equatable {
    var id: EventID
    var venue: EventID?
    var event: SaleEvent
  }

  /// The events on it.
  var events: [Event]
  /// The last page's number.
  var lastPage: Int64

  /// Reads a page; `nil` if the value is none, or another page than the one that was asked for.
  init?(_ value: JSONValue, number: Int64, hiding secrets: [Redaction]) {
    guard let data = value["data"]?.array else { return nil }
    let meta = value["meta"]?["pagination"] ?? value["meta"]
    guard meta?["current_page"]?.integer ?? number == number else { return nil }
    lastPage = meta?["last_page"]?.integer ?? meta?["total_pages"]?.integer ?? number
    events = data.compactMap { told in
      guard let id = told["id"]?.identifier, let event = SaleEvent(told, hiding: secrets) else { return nil }
      let venue = told["venue_id"]?.identifier ?? told["venue"]?["id"]?.identifier
      return Event(id: EventID(id), venue: venue.map { EventID($0) }, event: event)
    }
  }
}
