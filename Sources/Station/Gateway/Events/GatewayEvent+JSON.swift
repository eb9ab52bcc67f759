internal import WireText
internal import Admission
internal import StationProtocol
internal import StationSetUp
package import ScanModel

extension GatewayEvent {
  /// The event as one line of JSON, without the line feed; the contract is `docs/events.md`.
  package var jsonLine: String {
    var line = JSONText()
    switch self {
    case .scan(let decided):
      line.add("type", "scan")
      line.add("id", decided.scan.id.description)
      line.add("gate", decided.scan.gate.name)
      line.add("reader", decided.scan.reader.name)
      line.add("code", decided.scan.code.shortened)
      line.add("symbology", decided.scan.symbology?.description)
      line.add("verdict", decided.verdict.name)
      line.add("reason", decided.verdict.reason)
      line.add("holder", decided.details.holder)
      line.add("event", decided.details.event)
      if let event = decided.details.eventID { line.add("event_id", event) }
      line.add("tickets", lines: decided.details.tickets)
      if let kind = decided.details.kind { line.add("kind", kind) }
      if !decided.details.seats.isEmpty { line.add("seats", texts: decided.details.seats) }
      if let ends = decided.details.ends { line.add("ends_at", ends.iso8601) }
      line.add("admitted", Int64(decided.admitted))
      line.add("allowance", number: decided.allowance == Entitlement.unlimited ? nil : Int64(decided.allowance))
      line.add("decided_by", decided.decider.rawValue)
      line.add("provisional", decided.isProvisional)
      line.add("stored", decided.isStored)
      line.add("first_used_at", decided.firstUse?.at.iso8601)
      line.add("first_used_gate", decided.firstUse?.gate?.name)
      line.add("first_used_request", decided.firstUse?.request?.description)
      line.add("note", decided.note?.rawValue)
      line.add("detail", decided.detail)
      line.add("output_fault", decided.outputFault)
      line.add("read_at", decided.readAt.iso8601)
      line.add(milliseconds: "decided_ms", decided.decidedIn)
    case .repeat(let gate, let reader, let code, let at):
      line.add(
        ("type", "repeat"), ("gate", gate.name), ("reader", reader.name), ("code", code.shortened), ("at", at.iso8601))
    case .attempt(let attempt):
      line.add(
        ("type", "attempt"), ("id", attempt.attempt.description), ("scan", attempt.scan.description),
        ("gate", attempt.gate.name), ("code", attempt.code.shortened), ("state", attempt.state.rawValue),
        ("at", attempt.at.iso8601))
    case .dropped(let count):
      line.add("type", "dropped")
      line.add("count", Int64(count))
    case .device(let reader, let state, let at):
      line.add(
        ("type", "device"), ("reader", reader.name), ("state", state.name), ("detail", state.detail),
        ("at", at.iso8601))
    case .discarded(let reader, let reason, let characters, let at):
      line.add(("type", "discarded"), ("reader", reader.name), ("reason", reason.rawValue))
      line.add("characters", Int64(characters))
      line.add("at", at.iso8601)
    case .identityChanged(let reader, let before, let after, let at):
      line.add(
        ("type", "identityChanged"), ("reader", reader.name), ("before_model", before.model),
        ("before_name", before.name), ("before_serial", before.serial), ("after_model", after.model),
        ("after_name", after.name), ("after_serial", after.serial), ("at", at.iso8601))
    case .gate(let gate, let state, let at):
      line.add(
        ("type", "gate"), ("gate", gate.name), ("state", state.name), ("reason", state.reason?.rawValue),
        ("detail", state.detail), ("at", at.iso8601))
    case .input(let gate, let input, let isActive, let at):
      line.add(
        ("type", "input"), ("gate", gate.name), ("input", input), ("state", isActive ? "active" : "inactive"),
        ("at", at.iso8601))
    case .configuration(let outcome, let at):
      line.add(("type", "configuration"), ("state", outcome.name), ("detail", outcome.detail), ("at", at.iso8601))
    case .ticketSystem(let system, let offline, let owed, let detail, let at):
      line.add(
        ("type", "ticketSystem"), ("ticket_system", system.name), ("state", offline == nil ? "online" : "offline"),
        ("reason", offline?.rawValue))
      line.add("owed", Int64(owed))
      line.add(("detail", detail), ("at", at.iso8601))
    case .clock(let event):
      line.add(("type", "clock"), ("ticket_system", event.system.name), ("state", event.state.rawValue))
      line.add("ahead_ms", event.ahead.milliseconds)
      line.add(("detail", event.detail), ("at", event.at.iso8601))
    case .conflict(let conflict):
      line.add(
        ("type", "conflict"), ("id", conflict.owed.attempt.description), ("scan", conflict.owed.scan.id.description),
        ("gate", conflict.owed.scan.gate.name), ("code", conflict.owed.scan.code.shortened),
        ("admitted_at", conflict.owed.at.wall.iso8601), ("decided_by", conflict.owed.decider.rawValue),
        ("state", conflict.told.ending.rawValue), ("reason", conflict.told.reason?.rawValue),
        ("detail", conflict.told.said), ("at", conflict.told.at.wall.iso8601))
    case .journal(let state, let at):
      line.add(("type", "journal"), ("state", state.name), ("detail", state.detail), ("at", at.iso8601))
    case .list(let event):
      line.add(("type", "list"), ("ticket_system", event.system.name), ("state", event.state.rawValue))
      if let tickets = event.tickets { line.add("tickets", Int64(tickets)) }
      line.add(("detail", event.detail), ("at", event.at.iso8601))
    case .mirror(let event):
      line.add(("type", "mirror"), ("ticket_system", event.system.name), ("state", event.state.rawValue))
      line.add("sent", event.counts.sent)
      line.add("lost", event.counts.lost)
      line.add("refused", event.counts.refused)
      line.add("without_event", event.counts.withoutEvent)
      line.add("too_old", event.counts.tooOld)
      line.add("annulled", event.counts.annulled)
      line.add(("detail", event.detail), ("at", event.at.iso8601))
    case .setUp(let event):
      line.add(
        ("type", "setUp"), ("state", event.state.rawValue), ("reason", event.reason?.rawValue),
        ("gate", event.gate?.name), ("reader", event.reader?.name), ("detail", event.detail), ("at", event.at.iso8601))
    case .control(let event):
      line.add(
        ("type", "control"), ("state", event.state.rawValue), ("reason", event.kind?.rawValue),
        ("detail", event.detail), ("at", event.at.iso8601))
    case .order(let event):
      let (order, outcome) = (event.order, event.outcome)
      line.add(
        ("type", "order"), ("id", order.id.description), ("order", order.action.kind.rawValue),
        ("gate", event.gate?.name), ("subject", order.action.detail), ("decided_by", Decider.staff.rawValue),
        ("who", order.giverName))
      line.add("user", Int64(event.giver.user))
      line.add(
        ("why", order.reason), ("outcome", outcome.name), ("reason", outcome.refusal?.rawValue),
        ("detail", outcome.words), ("scan", event.scan?.description), ("at", event.at.iso8601))
    case .fleet(let event):
      line.add(
        ("type", "fleet"), ("state", event.state.rawValue), ("who", event.who), ("why", event.why),
        ("detail", event.detail), ("at", event.at.iso8601))
    case .house(let event):
      line.add(("type", "house"), ("at", event.at.iso8601))
      line.add("in_house", number: event.venue)
      line.add("in_house_here", event.here)
      line.add("alone", Int64(event.alone))
      line.add("uncounted", texts: event.uncounted)
    }
    return line.text
  }
}

extension GateState {
  /// The name in events.
  package var name: String {
    switch self {
    case .ready, .unproven: "ready"
    case .fault: "fault"
    case .maintenance, .maintenanceOfFleet: "maintenance"
    case .notSetUp: "notSetUp"
    case .closed: "closed"
    }
  }

  /// The fault's reason, where it is one.
  var reason: UndecidedReason? {
    if case .fault(let reason, _) = self { reason } else { nil }
  }

  /// The words that come with the state, if any.
  package var detail: String? {
    switch self {
    case .ready, .maintenance: nil
    case .unproven(let words), .fault(_, let words), .maintenanceOfFleet(let words), .notSetUp(let words),
      .closed(let words):
      words
    }
  }
}

extension JournalState {
  /// The name in events.
  package var name: String {
    switch self {
    case .working: "working"
    case .failing: "failing"
    case .noticed: "noticed"
    case .doubted: "doubted"
    case .accepted: "accepted"
    }
  }

  /// The words that come with the state, if any.
  package var detail: String? {
    switch self {
    case .working, .accepted: nil
    case .failing(let fault): fault.description
    case .noticed(let words), .doubted(let words): words
    }
  }
}

extension ReaderState {
  /// The words that come with the state, if any.
  package var detail: String? {
    switch self {
    case .parked: nil
    case .waiting(let words), .reading(let words), .failed(let words): words
    }
  }
}

extension JSONText {
  fileprivate mutating func add(_ members: (key: String, text: String?)...) {
    for member in members { add(member.key, member.text) }
  }

  fileprivate mutating func add(_ key: String, lines: [TicketDetails.Line]) {
    let objects = lines.map { line in
      var object = JSONText()
      switch line.id {
      case .number(let id): object.add("id", id)
      case .text(let id): object.add("id", id)
      }
      object.add("quantity", Int64(line.quantity))
      object.add("used", line.isUsed)
      return object.text
    }
    add(key, objects: objects)
  }
}
