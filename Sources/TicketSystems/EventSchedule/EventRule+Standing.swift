internal import ScanModel
internal import TicketTransport

/// What a gate's rule can say without a ticket: whether it could admit anybody, and what is to be done where it could not.
extension EventRule {
  /// Whether the gate could admit anybody now.
  var standing: GateStanding {
    guard let directory else { return .open }
    if let venue {
      switch directory.events(at: venue) {
      case .awaited: return .awaited
      case .told: break
      case .empty, .unknown: return closed.map { .barred(.outOfService, $0.detail ?? "") } ?? .open
      }
    }
    let names = names
    guard !names.isEmpty else { return .open }
    let quoted = names.sorted().prefix(3).map { "“\($0)”" }.joined(separator: ", ")
    let cure = "Write the ticket_id of each type into \(gate.typesPlace ?? "ticket.types of the gate")."
    switch directory.types(called: names) {
    case .told: return .open
    case .awaited: return .awaited
    case .empty where directory.listTellsKinds: return .open
    case .empty:
      return .barred(
        .outOfService,
        "\(directory.host) tells of no ticket that it is a \(quoted), and no list on board does: it tells the types of events that our "
          + "key's user owns, by GET /api/events. Nobody could pass, so no ticket is spent. \(cure)")
    case .unknown(nil) where directory.salesTellTypes == true:
      return .unproven(
        "\(directory.host) has told no type \(quoted) yet. Is it written as it is called there? If in doubt: \(cure)")
    case .unknown(let fault):
      return .unproven(
        "Whether \(directory.host) tells that a ticket is a \(quoted) is not known yet\(fault.map { " (\($0.detail))" } ?? ""). "
          + "If it does not: \(cure)")
    }
  }

  /// Why nobody passes, whatever the ticket is for: the venue's events are not known, or there are none today.
  var closed: GateBar? {
    guard let venue, let directory else { return nil }
    let place = gate.eventsPlace ?? "ticket.events of the gate"
    switch directory.events(at: venue) {
    case .told: return nil
    case .awaited:
      return GateBar(
        .undecided(.unreachable), detail: "The events of this gate's venue are being asked for. Please scan again.")
    case .unknown(let fault):
      return GateBar(
        .undecided(.outOfService),
        detail: "The events of this gate's venue are not known, so that nobody can pass: "
          + (fault.map { "\($0.detail) " } ?? "\(directory.host) has told none for a day. ")
          + "They are asked for again. Or name the gate's events one by one: \(place).")
    case .empty:
      return GateBar(
        .undecided(.outOfService),
        detail:
          "\(directory.host) tells no event of this gate's venue for today. Check \(place): is it the venue's identifier, and "
          + "does our key's user own its events?")
    }
  }

  /// Why nobody passes where nobody tells of which type a ticket is; `nil` where the gate does not hang on that.
  var untold: GateBar? {
    guard let directory, !names.isEmpty else { return nil }
    return GateBar(
      .undecided(directory.types(called: names) == .empty ? .outOfService : .interrupted),
      detail:
        "\(directory.host) does not tell what the type of this ticket is called. Let staff decide, and write the ticket_id of "
        + "each type into \(gate.typesPlace ?? "ticket.types of the gate").")
  }

  /// Why nobody passes where nobody tells at which venue an event is: other users than our key's own some.
  func nowhere(_ event: EventID, _ sale: Sale) -> GateBar {
    let name = sale.eventTold?.name.map { "“\($0)”" } ?? "the event of this ticket"
    return GateBar(
      .undecided(.interrupted),
      detail:
        "\(directory?.host ?? "The ticket system") does not tell where \(name) is. Let staff decide; if it is here, name the "
        + "gate's events one by one: \(gate.eventsPlace ?? "ticket.events of the gate").")
  }
}
