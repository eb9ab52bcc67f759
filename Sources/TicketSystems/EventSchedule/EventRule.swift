internal import LinuxIO
internal import ScanModel
internal import TicketTransport

/// Which tickets one gate takes: of which events, from when on, and of which types. It judges what the list on board says, what a
/// look-up and an answer tell, and what a code names.
struct EventRule: Sendable {
  /// The events that the gate admits to; `nil` for all, or those of `venue`.
  private let events: EventSet?
  /// The venue whose events of today the gate admits to.
  let venue: EventID?
  let directory: EventDirectory?
  /// How long before its event begins a ticket admits; `nil` for as long as one likes.
  private let opens: Duration?
  /// What is done where nobody has told the event.
  let unknown: EventScheduleSection.UnknownEvent
  /// The types that the gate takes; `nil` for all.
  private let types: TicketTypes?
  /// The one sale's line that the gate takes; `nil` for all.
  let saleTicketID: Int64?
  private let book: EventBook
  let gate: EventScheduleSection.Gate

  /// The rule of a gate; `nil` where it takes all.
  init?(_ gate: EventScheduleSection.Gate, saleTicketID: Int64?, book: EventBook, directory: EventDirectory? = nil) {
    let isEmpty =
      gate.events.isEmpty && gate.venue == nil && gate.opens == nil && gate.types.isEmpty && saleTicketID == nil
    guard !isEmpty else { return nil }
    self.gate = gate
    venue = gate.venue.map { EventID($0) }
    self.directory = directory
    events = gate.events.isEmpty ? nil : gate.events
    opens = gate.opens
    unknown = gate.unknownEvent
    types = gate.types.isEmpty ? nil : TicketTypes(gate.types)
    self.saleTicketID = saleTicketID
    self.book = book
    if let events { book.bind(events) }
    if wantsInspection { directory?.want(venue: venue, names: names) }
  }

  /// Whether the gate admits to some events only.
  private var isBound: Bool { events != nil || venue != nil }

  /// The names that a ticket's type must have, where the gate goes by these alone.
  var names: Set<String> { types.map { $0.needsNames ? $0.names : [] } ?? [] }

  /// Whether it is worth a request to know more of a ticket before it is redeemed.
  var wantsInspection: Bool { isBound || opens != nil || types != nil }

  /// Whether it matters which ticket of its sale a code stands for.
  var wantsLine: Bool { types != nil && saleTicketID == nil }

  /// The same for whoever admits on what is known already.
  var gateRule: GateRule {
    GateRule(
      needsProof: isBound || types != nil, standing: { standing }, notify: { directory?.watch($0) },
      judgeNamed: { word(onNamed: $0) }, judge: { word(on: $0) })
  }

  // MARK: Before the request

  /// By what a code names. Nobody has signed that, and it is known only where somebody else names that event, too.
  private func word(onNamed name: String) -> GateWord {
    let event = EventID(name)
    let told = told(of: event)
    guard let isOurs = isOurs(event, told: nil) else { return .unknown }
    if let bar = bar(event, told, isOurs: isOurs, date: nil, at: known) {
      return told != nil || book.knows(event) ? .bars(bar) : .unknown
    }
    // That it is not too early is known where its beginning is.
    return types == nil && (isBound || told?.starts != nil) ? .takes : .unknown
  }

  /// By what the list on board says, or what was told before.
  private func word(on ticket: TicketDetails?) -> GateWord {
    if let closed { return .bars(closed) }
    guard let ticket else { return .unknown }
    let event = ticket.eventID.map { EventID($0) }
    if let event {
      guard let isOurs = isOurs(event, told: nil) else { return .unknown }
      let told = told(of: event, else: SaleEvent(name: ticket.event))
      if let bar = bar(event, told, isOurs: isOurs, date: ticket.date, at: known) { return .bars(bar) }
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

  /// By what a look-up has told. What the answer would not tell either is not asked for: the ticket would be spent for nothing.
  func inspection(of sale: Sale) -> Inspection {
    learn(sale)
    if let event = sale.event() {
      guard let isOurs = isOurs(event, told: sale.eventTold) else { return Inspection(.bars(nowhere(event, sale))) }
      let bar = bar(event, told(of: event, else: sale.eventTold), isOurs: isOurs, date: sale.date, at: known)
      if let bar { return Inspection(.bars(bar)) }
    }
    guard types != nil || saleTicketID != nil else { return Inspection(.unknown) }
    let words = sale.lines.map { matches($0) }
    if !words.isEmpty, words.allSatisfy({ $0 == false }) { return Inspection(.bars(Self.wrongKind)) }
    if words.contains(nil) { directory?.lacks() }
    if !words.isEmpty, words.allSatisfy({ $0 == nil }), let untold { return Inspection(.bars(untold)) }
    // Of several the one that has not been used.
    let ours = zip(sale.lines, words).filter { $0.1 == true }.map(\.0)
    let meant = ours.first { !$0.isUsed } ?? ours.first
    return Inspection(.unknown, line: meant?.id.map { .number($0) })
  }

  /// Where nobody could be asked before: what is known besides.
  var uninspected: Inspection {
    if let untold, directory?.types(called: names) == .empty { return Inspection(.bars(untold)) }
    return Inspection(.unknown)
  }

  /// Where nothing more is asked before: neither URL nor list have told.
  var refusal: Inspection {
    Inspection(
      .bars(
        GateBar(
          .refuse(isBound || types == nil ? .wrongEvent : .wrongKind),
          detail: "Neither the ticket's URL nor the list on board tells that it is for this gate.")))
  }

  // MARK: After the answer

  /// Why nobody passes on an answer: the ticket is of another event or type, or the answer does not tell.
  /// - Parameters:
  ///   - listed: what the list on board says of the code: of several types in one sale the answer does not tell whose it is.
  ///   - date: when it was given, by the server's clock.
  func bar(_ sale: Sale, listed: TicketDetails?, at date: WallTime?) -> GateBar? {
    book.learn(date: date)
    learn(sale)
    guard var bar = barred(sale, listed: listed, at: date ?? known ?? book.wall) else { return nil }
    bar.detail = [bar.detail, Self.counted].compactMap(\.self).joined(separator: " ")
    return bar
  }

  private static let counted = "The ticket system has counted it: of all stations only this one still admits on it."

  private func barred(_ sale: Sale, listed: TicketDetails?, at now: WallTime) -> GateBar? {
    if let closed { return closed }
    if let event = sale.event() {
      guard let isOurs = isOurs(event, told: sale.eventTold) else { return nowhere(event, sale) }
      let date = sale.date ?? listed?.date
      if let bar = bar(event, told(of: event, else: sale.eventTold), isOurs: isOurs, date: date, at: now) { return bar }
    } else if isBound {
      return GateBar(
        .undecided(.badAnswer),
        detail: "The answer does not tell of which event the ticket is, and this gate does not admit to all.")
    }
    guard types != nil || saleTicketID != nil else { return nil }
    let words = Set(sale.lines.map { matches($0) })
    if words == [true] { return nil }
    if words == [false] { return Self.wrongKind }
    if words.contains(nil) { directory?.lacks() }
    switch types?.word(on: listed?.kind) ?? .unknown {
    case .takes: return nil
    case .bars(let bar): return bar
    case .unknown where words == [nil] && untold != nil: return untold
    case .unknown:
      return GateBar(
        .undecided(.interrupted),
        detail:
          "Which ticket of its sale the code stands for is not told, and this gate does not take each. Let staff decide."
      )
    }
  }

  /// What the type of a sale's tickets is called, where all are of one and somebody has told that.
  func kind(of sale: Sale) -> String? {
    let kinds = Set(sale.lines.map { name(of: $0) })
    return kinds.count == 1 ? kinds.first ?? nil : nil
  }

  // MARK: Parts

  private static let wrongKind = GateBar(.refuse(.wrongKind), detail: "No ticket of this sale is one for this gate.")

  /// Whether the gate admits to an event; `nil` where nobody has told where it is.
  private func isOurs(_ event: EventID, told: SaleEvent?) -> Bool? {
    if let venue { return directory?.isToday(event, told: told, at: venue) }
    return events?.contains(event) ?? true
  }

  private func learn(_ sale: Sale) {
    if let event = sale.event(), let told = sale.eventTold { book.learn(told, as: event) }
    directory?.learn(sale)
  }

  /// Now, where another clock than this machine's is known.
  private var known: WallTime? { directory?.known ?? book.now }

  /// What is known of an event: what was told with a ticket, or by the list of events.
  private func told(of event: EventID, else known: SaleEvent? = nil) -> SaleEvent? {
    guard var told = book[event] ?? directory?[event] else { return known }
    let listed = directory?[event]
    // A sale may tell less than the list does.
    told.name = told.name ?? listed?.name ?? known?.name
    told.place = told.place ?? listed?.place
    told.zone = told.zone ?? listed?.zone
    told.starts = told.starts ?? listed?.starts
    return told
  }

  /// Why nobody passes with a ticket of an event, or not yet.
  private func bar(_ event: EventID, _ told: SaleEvent?, isOurs: Bool, date: TicketDate?, at now: WallTime?) -> GateBar?
  {
    guard !isOurs || opens != nil else { return nil }
    let zone = book.zone(told?.zone)
    let begins = now.flatMap { told?.begins(after: $0, sold: date?.day(in: zone), in: zone) }
    let what = told?.words(at: begins, in: zone, now: now ?? book.wall)
    if !isOurs { return GateBar(.refuse(.wrongEvent), detail: "The ticket is for \(what ?? "another event").") }
    guard let opens, let now, let begins, begins - now > opens else { return nil }
    return GateBar(
      .refuse(.tooEarly), detail: "The ticket is for \(what ?? "its event"), and this gate is too early for that.")
  }

  private func name(of line: SaleLine) -> String? { line.name ?? line.type.flatMap { directory?.name(ofType: $0) } }

  /// Whether a ticket of a sale is one for the gate; `nil` where that cannot be told.
  private func matches(_ line: SaleLine) -> Bool? {
    if let saleTicketID, line.id != saleTicketID { return false }
    guard let types else { return true }
    return types.matches(line, called: name(of: line))
  }
}

extension Sale {
  /// When it is for.
  var date: TicketDate? { day.map { .day($0) } }
}

extension TicketDate {
  /// The longest time that is of one day, and the shortest that is all of it.
  private static let (longest, whole) = (Duration.seconds(36 * 3_600), Duration.seconds(20 * 3_600))

  /// The day, by a zone's calendar; `nil` where it is for more than one.
  func day(in zone: ZoneRules) -> CivilDay? {
    switch self {
    case .day(let day): return day
    case .span(let span):
      let length = span.upperBound - span.lowerBound
      guard length <= Self.longest else { return nil }
      // A day that began by other clocks is the one of its middle; doors may open on one and shut on the next.
      let moment = length >= Self.whole ? span.lowerBound + length / 2 : span.lowerBound
      return CivilDay.split(moment.seconds + zone.offset(at: moment.seconds)).day
    }
  }
}
