package import Gateway
package import Logging
package import ScanModel
internal import StationProtocol
internal import StationSetUp

/// The operator's log: what is not in order, and each verdict at a lower level.
package enum EventLog {
  private static func words(_ device: DeviceDescription) -> String {
    let parts = [device.model, device.name.map { "'\($0)'" }, device.serial.map { "serial \($0)" }]
    let text = parts.compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "a device without a name" : TerminalText.clean(text)
  }

  private static func waiting(_ owed: Int) -> String { owed == 0 ? "" : " Admissions still to be told: \(owed)." }

  private static func words(_ conflict: OutboxConflict) -> String {
    let owed = conflict.owed
    let what =
      switch conflict.told.ending {
      case .contradicted: "the ticket system refuses it (\(conflict.told.reason?.rawValue ?? "no reason"))"
      case .tooLate: "the ticket system was not told before the day changed"
      case .unsettled, .confirmed, .withdrawn: "whether the ticket system has it cannot be told"
      }
    let said = conflict.told.said.map { " " + TerminalText.clean($0) } ?? ""
    return
      "Conflict: gate \(owed.scan.gate) admitted \(owed.scan.code.shortened) at \(owed.at.wall.iso8601) offline, and \(what).\(said) See: scangate journal conflicts"
  }

  private static func words(_ counts: MirrorCounts) -> String {
    let parts = [
      (counts.sent, "sent"), (counts.lost, "lost"), (counts.refused, "refused"),
      (counts.withoutEvent, "without an event"), (counts.tooOld, "too old"), (counts.annulled, "annulled"),
    ]
    return parts.filter { $0.0 > 0 || $0.1 == "sent" }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  private static func words(_ state: ClockEvent.State) -> String {
    switch state {
    case .stationWrong: "this machine's clock is not the ticket system's."
    case .stationRight: "this machine's clock is right again."
    case .recordsDoubted: "a clock of its own is wrong."
    case .recordsTrusted: "its clocks agree again."
    }
  }

  /// - Parameter namingHolders: whether tickets' holders are named: they are in no log unless the operator asks for it.
  package static func write(_ event: GatewayEvent, to logger: Logger, namingHolders: Bool = false) {
    switch event {
    case .scan(let decided):
      let line = "Gate \(decided.scan.gate): \(decided.line(namingHolder: namingHolders))"
      switch decided.verdict {
      case .undecided(let reason) where reason.isFault:
        logger.error("\(line) \(TerminalText.clean(decided.detail ?? "", limit: 1_000))")
      case .undecided: logger.warning("\(line) \(TerminalText.clean(decided.detail ?? "", limit: 1_000))")
      case .admit, .refuse: logger.info("\(line)")
      }
      if let fault = decided.outputFault {
        logger.error("Gate \(decided.scan.gate): admitted, and the relay did not open: \(TerminalText.clean(fault))")
      }
    case .repeat(let gate, _, let code, _):
      logger.debug("Gate \(gate): \(code.shortened) again, within hold-off.")
    case .dropped(let count):
      logger.notice("\(count) lines were dropped, because this log is read too slowly.")
    case .attempt(let attempt):
      logger.warning("Gate \(attempt.gate): the request for \(attempt.code.shortened) is \(attempt.state.rawValue).")
    case .device(let reader, let state, _):
      let words = state.detail.map { " " + TerminalText.clean($0) } ?? ""
      if case .failed = state {
        logger.error("Reader \(reader) has failed:\(words)")
      } else {
        logger.notice("Reader \(reader) is \(state.spoken)\(words)")
      }
    case .discarded(let reader, let reason, let characters, _):
      logger.notice("Reader \(reader): \(characters) characters were thrown away (\(reason.rawValue)).")
    case .identityChanged(let reader, let before, let after, _):
      logger.warning(
        """
        Somebody may have shown a programming barcode to reader \(reader): it was \(words(before)), now it is \
        \(words(after)). Lock parameter scanning: docs/scanners.md.
        """)
    case .gate(let gate, .ready, _):
      logger.notice("Gate \(gate) is ready.")
    case .gate(let gate, .unproven(let words), _):
      logger.warning("Gate \(gate) is ready, with a reservation: \(TerminalText.clean(words, limit: 1_000))")
    case .gate(let gate, .maintenance, _):
      logger.notice("Gate \(gate) is out of service: maintenance.")
    case .gate(let gate, .maintenanceOfFleet(let words), _):
      logger.notice("Gate \(gate) is out of service: \(TerminalText.clean(words, limit: 1_000))")
    case .gate(let gate, .fault(let reason, let detail), _):
      logger.error("Gate \(gate) cannot decide (\(reason.rawValue)): \(TerminalText.clean(detail, limit: 1_000))")
    case .gate(let gate, .notSetUp(let words), _):
      logger.notice("Gate \(gate) is not set up: \(TerminalText.clean(words))")
    case .gate(let gate, .closed(let words), _):
      logger.notice("Gate \(gate) is out of service: \(TerminalText.clean(words))")
    case .setUp(let event):
      let place = event.gate.map { "Gate \($0): " } ?? ""
      let words = "\(place)\(TerminalText.clean(event.detail ?? event.state.rawValue, limit: 1_000))"
      if event.state == .refused { logger.warning("\(words)") } else { logger.notice("\(words)") }
    case .control(let event):
      let words = "\(TerminalText.clean(event.detail ?? event.state.rawValue, limit: 1_000))"
      switch event.state {
      case .tokenRefused, .fault: logger.error("\(words)")
      case .tokenEnding: logger.warning("\(words)")
      case .activated, .reset, .configured, .tokenAccepted, .answers: logger.notice("\(words)")
      }
    case .order(let event):
      let order = event.order
      let place = order.action.gate.map { " at gate \($0)" } ?? ""
      let why = order.reason.map { " (\($0))" } ?? ""
      let words = event.outcome.words.map { " " + TerminalText.clean($0, limit: 1_000) } ?? ""
      logger.notice(
        """
        \(order.giverName) (user \(event.giver.user)) ordered \(order.action.kind.rawValue)\(place)\(why): \
        \(event.outcome.name).\(words)
        """)
    case .input(let gate, let input, let isActive, _):
      logger.info("Gate \(gate): input \(input) is \(isActive ? "active" : "inactive").")
    case .ticketSystem(let system, let cause?, let owed, let detail, _):
      let found = detail.map { " " + TerminalText.clean($0, limit: 1_000) } ?? ""
      logger.error(
        """
        Ticket system \(system) is offline (\(cause.rawValue)).\(found) Gates decide by their offline policy; with \"refuse\" \
        nobody passes until it answers.\(waiting(owed))
        """)
    case .ticketSystem(let system, nil, let owed, _, _):
      logger.notice("Ticket system \(system) answers.\(waiting(owed))")
    case .clock(let event):
      let found = event.detail ?? Self.words(event.state)
      let words = "Ticket system \(event.system): \(TerminalText.clean(found, limit: 1_000))"
      switch event.state {
      case .stationWrong, .recordsDoubted: logger.error("\(words)")
      case .stationRight, .recordsTrusted: logger.notice("\(words)")
      }
    case .list(let event):
      let words = TerminalText.clean(event.detail ?? "", limit: 1_000)
      switch event.state {
      case .refreshed:
        let current = "The list on board of \(event.system) is current: \(event.tickets ?? 0) tickets were told."
        if words.isEmpty { logger.info("\(current)") } else { logger.notice("\(current) \(words)") }
      case .failed: logger.warning("The list on board of \(event.system) stays as it was. \(words)")
      case .fileRefused: logger.error("\(event.system): \(words)")
      case .fileTaken: logger.info("\(event.system): \(words)")
      case .partial: logger.warning("The list on board of \(event.system) does not name all tickets. \(words)")
      case .heldBack where event.tickets != nil:
        logger.error("The list on board of \(event.system) is in doubt. \(words)")
      case .heldBack: logger.error("The list on board of \(event.system) stays as it was. \(words)")
      case .missing: logger.warning("\(words)")
      }
    case .mirror(let event):
      let found = event.detail.map { " " + TerminalText.clean($0, limit: 1_000) } ?? ""
      let words = "The log of who came and went at \(event.system)"
      switch event.state {
      case .telling: logger.info("\(words) is told: \(Self.words(event.counts)).")
      case .failed: logger.warning("\(words) cannot be told now.\(found) Gates are not concerned.")
      case .leftOut: logger.warning("\(words) misses somebody.\(found)")
      case .off: logger.warning("\(words) is told no more until the configuration is loaded again.\(found)")
      }
    case .fleet(let event):
      let words = TerminalText.clean(event.detail ?? "", limit: 1_000)
      switch event.state {
      case .together: logger.notice("The fleet answers: tickets are one station's alone again.")
      case .alone: logger.error("This station is without its fleet, and goes on by fleet.alone. \(words)")
      case .unusable:
        logger.error(
          "Nobody is let in: the fleet's book cannot be used, and that is never taken for being alone. \(words)")
      case .stuck: logger.error("The fleet cannot be told something, which stays owed. \(words)")
      case .conflict: logger.error("Conflict: \(words)")
      case .clockWrong: logger.warning("\(words)")
      case .clockRight: logger.notice("This machine's clock is the fleet's again.")
      case .differs: logger.warning("\(words)")
      case .agrees: logger.notice("All stations of the fleet name tickets by the same again.")
      case .maintenance, .maintenanceOver: logger.notice("\(words)")
      case .orderIgnored: logger.warning("\(words)")
      }
    case .house(let event):
      let venue =
        event.venue.map { "\($0) in and not out over all stations" }
        ?? "how many are in over all stations is not known now"
      let alone = event.alone == 0 ? "" : ", \(event.alone) of them let in without the fleet"
      logger.debug("In the house: \(venue); \(event.here) by this one\(alone).")
    case .conflict(let conflict):
      logger.error("\(words(conflict))")
    case .journal(.working, _):
      logger.notice("The journal keeps what it is given.")
    case .journal(.failing(let fault), _):
      logger.error("The journal keeps nothing: \(TerminalText.clean(fault.description, limit: 1_000))")
    case .journal(.noticed(let words), _):
      logger.error("\(TerminalText.clean(words, limit: 1_000))")
    case .journal(.doubted, _):
      // What was found has been said by then.
      logger.error(
        """
        Until that is cleared up, gates admit only on tickets of which the ticket system shows that nobody used them, \
        nobody while it is offline, and nothing that is owed is told. Put the right journal in its place, or say that this \
        one is to be relied on: scangate journal accept. See docs/backup.md.
        """)
    case .journal(.accepted, _):
      logger.notice("The journal was accepted: gates and outbox rely on it from now on.")
    case .configuration(.applied, _):
      logger.notice("The configuration is reloaded.")
    case .configuration(.kept(let problems), _):
      logger.error("The new configuration is wrong; the old one stays.")
      for problem in problems { logger.error("\(TerminalText.clean(problem, limit: 1_000))") }
    case .configuration(.needsRestart(let reasons), _):
      logger.error("The new configuration needs a restart; until then the old one stays.")
      for reason in reasons { logger.error("\(TerminalText.clean(reason, limit: 1_000))") }
    }
  }
}

extension ReaderState {
  /// What staff read after "the reader is"; the detail follows, where there is one.
  package var spoken: String {
    switch self {
    case .parked: "not plugged in"
    case .waiting: "waiting for"
    case .reading: "reading:"
    case .failed: "out of order:"
    }
  }
}

extension DecidedScan {
  /// One line: verdict and reason, the shortened code, holder, event, how many are in.
  package func line(namingHolder: Bool = true) -> String {
    let more = isProvisional ? "provisional" : verdict.reason
    let words = ([verdict.name] + [more].compactMap { $0 }).joined(separator: " ")
    let padding = String(repeating: " ", count: max(0, 22 - words.count))
    return ([words + padding, scan.code.shortened] + facts(namingHolder: namingHolder)).joined(separator: "  ")
  }

  /// Holder, event, kind, seats, how many are in, and what is wrong with the relay.
  package func facts(namingHolder: Bool = true) -> [String] {
    let seats = details.seats.isEmpty ? nil : details.seats.joined(separator: ", ")
    var facts = [namingHolder ? details.holder : nil, details.event, details.kind, seats].compactMap {
      $0.map { TerminalText.clean($0, limit: 60) }
    }
    if admitted > 0 {
      facts.append(allowance == Entitlement.unlimited ? "\(admitted) in" : "\(admitted) of \(allowance) in")
    }
    if let fault = outputFault { facts.append(TerminalText.clean(fault)) }
    return facts
  }
}
