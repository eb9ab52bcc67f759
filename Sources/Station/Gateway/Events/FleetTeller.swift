internal import FleetBook
internal import FleetKeeping
internal import LinuxIO
internal import ScanModel

/// Makes events of what a fleet's keeper tells, and writes conflicts down as those with a ticket system are: so staff find them where they
/// look for such.
struct FleetTeller: Sendable {
  let dependencies: LedgerDependencies
  let events: any EventSink
  let time: any TimeSource

  func tell(_ news: ClaimNews) {
    switch news {
    case .together: emit(.together)
    case .alone(let fault):
      emit(fault.isAway ? .alone : .unusable, fault.words)
    case .stuck(let words): emit(.stuck, words)
    case .house(let house):
      events.emit(
        .house(
          HouseEvent(
            venue: house.venue, here: house.here, alone: house.alone, uncounted: house.uncounted.map(\.description),
            at: time.wall())))
    case .clock(let ahead?):
      emit(
        .clockWrong,
        "This machine's clock is \(ahead.asDistance) the clock of the fleet's leader. Nobody is refused for it, and intervals go by the fleet's. Set it: timedatectl"
      )
    case .clock(nil): emit(.clockRight)
    case .differences(let found):
      let doubts = found.filter(\.isDoubt)
      let words = (doubts.isEmpty ? found : doubts).map(\.words).joined(separator: " ")
      emit(found.isEmpty ? .agrees : .differs, found.isEmpty ? nil : words)
    case .conflict(let conflict, let scan, let gate, let subject):
      guard let subject else { return emit(.conflict, conflict.words) }
      let now = dependencies.clock.now()
      // A name of its own: the ticket system may have to be told of the admission itself.
      let attempt = AttemptID()
      let owed = OwedAdmission(
        attempt: attempt,
        scan: Scan(id: scan, gate: gate, reader: subject.reader, code: subject.code, readAt: now.monotonic),
        system: subject.system, server: subject.server, ticket: subject.ticket, decider: .policy, mayBeTold: true,
        at: JournalTime(wall: subject.at, monotonic: now.monotonic, isTrusted: now.isTrusted), boot: dependencies.boot)
      let told = ToldAdmission(
        attempt: attempt, ending: .contradicted, reason: .alreadyUsed, said: conflict.words, at: now)
      // Together, so that nobody takes it for something that has still to be told.
      dependencies.journal.enqueue(JournalBatch(facts: [.owed(owed), .told(told)], isUrgent: true))
      events.emit(.conflict(OutboxConflict(owed: owed, told: told)))
    }
  }

  func tell(_ news: FleetOrderKeeper.News) {
    switch news {
    case .order(let order):
      var event = FleetEvent(
        state: order.isMaintenance ? .maintenance : .maintenanceOver, detail: order.words, at: time.wall())
      (event.who, event.why) = (order.who, order.why.isEmpty ? nil : order.why)
      events.emit(.fleet(event))
    case .ignored(let words): emit(.orderIgnored, words)
    }
  }

  private func emit(_ state: FleetEvent.State, _ detail: String? = nil) {
    events.emit(.fleet(FleetEvent(state: state, detail: detail, at: time.wall())))
  }
}
