internal import ScanModel
internal import TicketTransport

/// The events of a server, gathered page by page. Pure. What it holds is bounded, whatever the server tells.
struct EventListing: Sendable, Equatable {
  /// More pages, or events, than anybody has.
  static let mostPages: Int64 = 200
  static let mostEvents = 20_000
  /// So many are kept that no gate is bound to; and so many types.
  static let mostOthers = 5_000
  static let mostTypes = 20_000
  /// So many events have their types with numbers, and so many of one.
  static let mostSeated = 200
  static let mostKinds = 50

  /// What is told of events.
  private(set) var events: [EventID: SaleEvent] = [:]
  /// Those of each venue that was asked for.
  private(set) var venues: [EventID: [EventID]] = [:]
  /// The types of tickets of events that a gate is bound to, by event, with how many there are.
  private(set) var seats: [EventID: [TicketType]] = [:]
  /// What types of tickets are called.
  private(set) var types: [EventID: String] = [:]
  /// The names of types.
  private(set) var names: Set<String> = []
  /// The page to ask for; `nil` where all are there.
  private(set) var next: Int64? = 1
  /// How many were told.
  private(set) var pages = 0
  private var seen: Set<EventID> = []
  private var others = 0
  /// Places and zones: thousands of events have few.
  private var texts: Set<String> = []

  /// Begins with nothing.
  init() {}

  /// What another station was told: all of it, but for seats.
  init(_ given: GivenEvents, venues wanted: Set<EventID>) {
    (events, types, names, next) = (given.events, given.types, given.names, nil)
    for (id, event) in events {
      if let venue = event.venue, wanted.contains(venue) { venues[venue, default: []].append(id) }
    }
  }

  /// Takes the page that was asked for.
  /// - Parameters:
  ///   - wanted: the venues whose events are kept.
  ///   - isBound: whether a gate admits to an event.
  /// - Throws: that the pages are none that come to an end.
  mutating func take(
    _ page: EventPage, venues wanted: Set<EventID>, host: String, isBound: (EventID) -> Bool
  ) throws(TransportFault) {
    guard let number = next else { return }
    pages += 1
    let before = seen.count
    for event in page.events where seen.insert(event.key).inserted { keep(event, wanted, isBound) }
    next = page.lastPage > number && !page.events.isEmpty ? number + 1 : nil
    if page.isCut || seen.count > Self.mostEvents {
      throw Self.fault(
        host, "tells more events than are read (\(EventPage.mostEvents) a page, \(Self.mostEvents) in all)")
    }
    guard next != nil else { return seen = [] }
    if seen.count == before { throw Self.fault(host, "tells the same events on page \(number) as before") }
    if number >= Self.mostPages { throw Self.fault(host, "tells its events on more than \(Self.mostPages) pages") }
  }

  /// Of a part no set is taken.
  mutating func forgetVenues() {
    venues = [:]
    seen = []
  }

  private static func fault(_ host: String, _ what: String) -> TransportFault {
    TransportFault(
      .badAnswer, "\(host) \(what): its list of events cannot be relied on. Write the gate's events one by one.")
  }

  private mutating func keep(_ event: EventPage.Event, _ wanted: Set<EventID>, _ isBound: (EventID) -> Bool) {
    for type in event.types where types.count < Self.mostTypes {
      let name = shared(type.name)
      types[type.id] = name
      names.insert(name)
    }
    let venue = event.told.venue.flatMap { wanted.contains($0) ? $0 : nil }
    if venue == nil, !isBound(event.key) {
      guard others < Self.mostOthers else { return }
      others += 1
    }
    var told = event.told
    told.place = told.place.map { shared($0) }
    told.zone = told.zone.map { shared($0) }
    events[event.key] = told
    if let venue { venues[venue, default: []].append(event.key) }
    if seats.count < Self.mostSeated, venue != nil || isBound(event.key) {
      seats[event.key] = Array(event.types.prefix(Self.mostKinds))
    }
  }

  private mutating func shared(_ text: String) -> String { texts.insert(text).memberAfterInsert }
}
