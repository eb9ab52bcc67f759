internal import ScanModel
internal import TicketTransport

/// Which tickets one gate takes: of which events, from when on, and of which types. It judges what the list on board says, what a
/// look-up and an answer tell, and what a code names.
struct EventRule: Sendable {
  /// The events that the gate admits to; `nil` for all, or those of `venue`.
  private let events: EventSet?
  /// The venue whose events of today the gate admits to.
  private let venue: EventID?
  private let venues: VenueEvents?
  /// How long before its event begins a ticket admits; `nil` for as long as one likes.
  private let opens: Duration?
  /// What is done where nobody has told the event.
  let unknown: EventScheduleSection.UnknownEvent
  /// The types that the gate takes; `nil` for all.
  private let types: TicketTypes?
  /// The one sale's line that the gate takes; `nil` for all.
  let saleTicketID: Int64?
  private let book: EventBook

  /// The rule of a gate; `nil` where it takes all.
  init?(_ gate: EventScheduleSection.Gate, saleTicketID: Int64?, book: EventBook, venues: VenueEvents? = nil) {
    let isEmpty =
      gate.events.isEmpty && gate.venue == nil && gate.opens == nil && gate.types.isEmpty && saleTicketID == nil
    guard !isEmpty else { return nil }
    venue = gate.venue.map { EventID($0) }
    self.venues = venues
    events = gate.events.isEmpty ? nil : gate.events
    opens = gate.opens
    unknown = gate.unknownEvent
    types = gate.types.isEmpty ? nil : TicketTypes(gate.types)
    self.saleTicketID = saleTicketID
    self.book = book
    if let events { book.bind(events) }
    if let venue { venues?.want(venue) }
  }

  /// Whether the gate admits to some events only.
  private var isBound: Bool { events != nil || venue != nil }

  /// Whether it is worth a request to know more of a ticket before it is redeemed.
  var wantsInspection: Bool { isBound || opens != nil || types != nil }

  /// The same for whoever admits on what is known already.
  var gateRule: GateRule {
    GateRule(
      needsProof: isBound || types != nil, judgeNamed: { word(onNamed: $0) }, judge: { word(on: $0) })
  }

  // MARK: Before the request

  /// By what a code names. Nobody has signed that, and it is known only where somebody else names that event, too.
  private func word(onNamed name: String) -> GateWord {
    let event = EventID(name)
    if let bar = bar(event, known: nil, isOurs: isOurs(event), at: book.now) {
      return book.knows(event) ? .bars(bar) : .unknown
    }
    return isBound && types == nil ? .takes : .unknown
  }

  /// By what the list on board says, or what was told before.
  private func word(on ticket: TicketDetails?) -> GateWord {
    if let bar = standing { return .bars(bar) }
    guard let ticket else { return .unknown }
    let event = ticket.eventID.map { EventID($0) }
    if let event {
      let known = ticket.event.map { SaleEvent(name: $0) }
      if let bar = bar(event, known: known, isOurs: isOurs(event), at: book.now) { return .bars(bar) }
    } else if isBound || opens != nil {
      return .unknown
    }
    let word = types?.word(on: ticket.kind) ?? .takes
    guard word == .takes, let saleTicketID else { return word }
    let lines = Set(ticket.tickets.map(\.id))
    if lines.isEmpty { return .unknown }
    if !lines.contains(.number(saleTicketID)) { return .bars(Self.wrongKind) }
    return lines.count == 1 ? .takes : .unknown
  }

  /// By what a look-up has told.
  func inspection(of sale: Sale) -> Inspection {
    learn(sale)
    if let event = sale.event(), let bar = bar(event, known: sale.eventTold, isOurs: isOurs(event), at: book.now) {
      return Inspection(.bars(bar))
    }
    guard types != nil || saleTicketID != nil else { return Inspection(.unknown) }
    let lines = sale.lines.filter { matches($0) != false }
    if !sale.lines.isEmpty, lines.isEmpty { return Inspection(.bars(Self.wrongKind)) }
    // Of several the one that has not been used.
    let meant = lines.first { matches($0) == true && !$0.isUsed } ?? lines.first { matches($0) == true }
    return Inspection(.unknown, line: meant?.id.map { .number($0) })
  }

  // MARK: After the answer

  /// Why nobody passes on an answer: the ticket is of another event or type, or the answer does not tell.
  /// - Parameters:
  ///   - listed: what the list on board says of the code: of several types in one sale the answer does not tell whose it is.
  ///   - date: when it was given, by the server's clock.
  func bar(_ sale: Sale, listed: TicketDetails?, at date: WallTime?) -> GateBar? {
    book.learn(date: date)
    learn(sale)
    guard var bar = barred(sale, listed: listed, at: date ?? book.now ?? book.wall) else { return nil }
    bar.detail = [bar.detail, Self.counted].compactMap(\.self).joined(separator: " ")
    return bar
  }

  private static let counted = "The ticket system has counted it: of all stations only this one still admits on it."

  private func barred(_ sale: Sale, listed: TicketDetails?, at now: WallTime) -> GateBar? {
    if let standing { return standing }
    if let event = sale.event() {
      if let bar = bar(event, known: sale.eventTold, isOurs: isOurs(event), at: now) { return bar }
    } else if isBound {
      return GateBar(
        .undecided(.badAnswer),
        detail: "The answer does not tell of which event the ticket is, and this gate does not admit to all.")
    }
    guard types != nil || saleTicketID != nil else { return nil }
    let words = Set(sale.lines.map { matches($0) })
    if words == [true] { return nil }
    if words == [false] { return Self.wrongKind }
    switch types?.word(on: listed?.kind) ?? .unknown {
    case .takes: return nil
    case .bars(let bar): return bar
    case .unknown:
      return GateBar(
        .undecided(.interrupted),
        detail:
          "Which ticket of its sale the code stands for is not told, and this gate does not take each. Let staff decide."
      )
    }
  }

  // MARK: Parts

  private static let wrongKind = GateBar(.refuse(.wrongKind), detail: "No ticket of this sale is one for this gate.")

  /// Why nobody passes, whatever the ticket is for.
  private var standing: GateBar? { venue.flatMap { venues?.bar(of: $0) } }

  private func isOurs(_ event: EventID) -> Bool {
    if let venue { return venues?.isToday(event, at: venue) == true }
    return events?.contains(event) ?? true
  }

  private func learn(_ sale: Sale) {
    if let event = sale.event(), let told = sale.eventTold { book.learn(told, as: event) }
  }

  /// Why nobody passes with a ticket of an event, or not yet.
  /// - Parameter known: what is told of it besides.
  private func bar(_ event: EventID, known: SaleEvent?, isOurs: Bool, at now: WallTime?) -> GateBar? {
    guard !isOurs || opens != nil else { return nil }
    let told = book[event] ?? known
    let zone = book.zone(told?.zone)
    if !isOurs {
      let what = told?.words(at: now.flatMap { told?.begins(after: $0, in: zone) }, in: zone)
      return GateBar(.refuse(.wrongEvent), detail: "The ticket is for \(what ?? "another event").")
    }
    guard let opens, let now, let begins = told?.begins(after: now, in: zone), begins - now > opens else { return nil }
    let what = told?.words(at: begins, in: zone) ?? "its event"
    return GateBar(.refuse(.tooEarly), detail: "The ticket is for \(what), and this gate is too early for that.")
  }

  /// Whether a ticket of a sale is one for the gate; `nil` where that cannot be told.
  private func matches(_ line: SaleLine) -> Bool? {
    if let saleTicketID, line.id != saleTicketID { return false }
    return types?.matches(line) ?? (types == nil ? true : nil)
  }
}

/// Types of tickets, by their names or identifiers.
private struct TicketTypes: Sendable {
  private var names: Set<[UInt8]> = []
  private var numbers: Set<EventID> = []

  init(_ types: [String]) {
    for type in types {
      // Digits are an identifier, whatever a type may be called.
      if type.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
        numbers.insert(EventID(type))
      } else {
        names.insert([UInt8](type.utf8))
      }
    }
  }

  /// Whether a line is of one of them; `nil` where it tells too little.
  func matches(_ line: SaleLine) -> Bool? {
    if line.type.map({ numbers.contains($0) }) == true || line.name.map({ names.contains([UInt8]($0.utf8)) }) == true {
      return true
    }
    return line.type == nil && !numbers.isEmpty || line.name == nil && !names.isEmpty ? nil : false
  }

  /// By a type's name alone.
  func word(on kind: String?) -> GateWord {
    guard let kind else { return .unknown }
    if names.contains([UInt8](kind.utf8)) { return .takes }
    return numbers.isEmpty
      ? .bars(GateBar(.refuse(.wrongKind), detail: "The ticket is a “\(kind)”.")) : .unknown
  }
}
