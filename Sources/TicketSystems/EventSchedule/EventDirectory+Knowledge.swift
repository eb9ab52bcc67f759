internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketTransport

/// What gates ask it: at once, and whatever it is doing.
extension EventDirectory {
  /// What is told of an event.
  subscript(event: EventID) -> SaleEvent? { state.withLock { $0.listing.events[event] } }

  /// The rules of the zone in which an event is; `nil` where that is not told, or is none.
  func zone(of event: EventID) -> ZoneRules? { self[event]?.zone.flatMap { book.rules(of: $0) } }

  /// What a type of tickets is called.
  func name(ofType id: EventID) -> String? { state.withLock { $0.listing.types[id] } }

  /// Whether an event is at a venue today; `nil` where nobody has told where it is.
  /// - Parameter told: what the ticket system has just told of it.
  func isToday(_ event: EventID, told: SaleEvent?, at venue: EventID) -> Bool? {
    if let told, let place = told.venue { return place == venue && isToday(told, at: moment) }
    return state.withLock { state in
      if state.today[venue]?.contains(event) == true { return true }
      return state.listing.events[event] == nil ? nil : false
    }
  }

  /// What is known of a gate's set.
  enum Knowledge: Equatable {
    /// It is asked for the first time.
    case awaited
    /// It is known, and not empty.
    case told
    /// It is known, and empty.
    case empty
    /// It could not be asked for.
    case unknown(TransportFault?)
  }

  /// What is known of a venue's events of today.
  func events(at venue: EventID) -> Knowledge {
    state.withLock { state in
      guard state.told != nil else { return state.tried == nil ? .awaited : .unknown(state.fault) }
      return state.today[venue]?.isEmpty == false ? .told : .empty
    }
  }

  /// Whether any of these names of types can be told of a ticket: `empty` where nobody has ever told one of them, and sales tell none.
  func types(called names: Set<String>) -> Knowledge {
    state.withLock { state in
      if !state.listing.names.isDisjoint(with: names) || !state.namesOfSales.isDisjoint(with: names) { return .told }
      if state.tried == nil { return .awaited }
      // A key that owns no event, or a server without a list of them, does not keep sales from telling.
      return state.salesTellTypes == false ? .empty : .unknown(state.salesTellTypes == true ? nil : state.fault)
    }
  }

  /// Whether sales tell what types are called.
  var salesTellTypes: Bool? { state.withLock { $0.salesTellTypes } }

  /// Whether the list on board tells what sort a ticket is.
  var listTellsKinds: Bool { state.withLock { $0.listTellsKinds } }

  /// The server, for messages.
  var host: String { client.host }
}
