package import LinuxIO
package import ScanModel

/// Keeps the list on board of a ticket system current by itself: what was sold for yesterday, today and tomorrow is asked for page by
/// page, and takes the place of what the list has for these days once all of it is there.
///
/// ```
/// due ──nobody scans for 5 s, or three intervals──▶ ask, a page at a time onto the disk ─┬─ whole ──▶ replaced
///  ▲                                                     ├─ no such list, not for our key ──▶ told once, over
///  └──────────────────── an interval ◀───────────────────┴─ a fault, less than half of before ──▶ the list stays
/// ```
/// Gates never wait for it: it works on a thread of its own, in bits between which others have the processor, with the part of the
/// budget that live scans leave, and holds a page of what it was told in memory.
package struct ListRefresher: Sendable {
  /// For how long nobody must have scanned.
  static let quiet = Duration.seconds(5)
  /// After how many intervals it is done although somebody scans.
  static let mostIntervals: Int64 = 3
  /// How often it is looked whether somebody scans.
  private static let look = Duration.seconds(1)

  private let system: TicketSystemID
  private let roster: any TicketRoster
  private let list: any TicketList
  private let interval: Duration
  private let folding: @Sendable (Code) -> TicketKey?
  private let clock: @Sendable () -> JournalTime
  private let lastScan: @Sendable () async -> MonotonicTime
  private let zone: ZoneRules
  private let events: any EventSink

  /// Makes one; asks nothing yet.
  /// - Parameters:
  ///   - interval: from the end of a refresh to the next one.
  ///   - folding: as `TicketSystem.foldedKey`.
  ///   - clock: now, and whether that is trusted: a clock that is not tells no days.
  ///   - lastScan: when a scan was last decided.
  ///   - zone: in which days begin.
  package init(
    of system: TicketSystemID, _ roster: any TicketRoster, into list: any TicketList, every interval: Duration,
    folding: @escaping @Sendable (Code) -> TicketKey?, clock: @escaping @Sendable () -> JournalTime,
    lastScan: @escaping @Sendable () async -> MonotonicTime, zone: ZoneRules = .machine(), events: any EventSink
  ) {
    self.system = system
    self.roster = roster
    self.list = list
    self.interval = interval
    self.folding = folding
    self.clock = clock
    self.lastScan = lastScan
    self.zone = zone
    self.events = events
  }

  /// Refreshes until it is cancelled, or the ticket system has no such list.
  package func run() async {
    // Where no thread can be had it is done on others'.
    guard let loop = try? DeviceLoop(name: "list refresh", runsTasks: true) else {
      return await refreshes()
    }
    await withTaskExecutorPreference(loop.tasks) { await refreshes() }
    loop.stop()
  }

  private func refreshes() async {
    var last = clock().monotonic
    // What was brought on board a moment ago is not asked for again.
    var wait = ((try? await list.state())?.told.at(clock())).map { max(.zero, interval - $0) } ?? .zero
    var told: ListEvent.State?
    while (try? await Task.sleep(for: wait)) != nil {
      guard await isTime(since: last) else { return }
      let outcome = await refresh()
      guard !Task.isCancelled else { return }
      // The same trouble is told once.
      if outcome.state == .refreshed || outcome.state != told { events.emit(.list(outcome)) }
      if outcome.state == .missing { return }
      told = outcome.state
      last = clock().monotonic
      wait = interval
    }
  }

  /// Waits until nobody scans, or it is high time; false where it was cancelled.
  private func isTime(since last: MonotonicTime) async -> Bool {
    while true {
      let now = clock().monotonic
      if now - last >= interval * Self.mostIntervals { return true }
      if await now - lastScan() >= Self.quiet { return true }
      guard (try? await Task.sleep(for: Self.look)) != nil else { return false }
    }
  }

  /// Asks for the three days, and puts them into their place.
  func refresh() async -> ListEvent {
    let now = clock()
    func event(_ state: ListEvent.State, tickets: Int? = nil, _ detail: String? = nil) -> ListEvent {
      ListEvent(system: system, state: state, tickets: tickets, detail: detail, at: clock().wall)
    }
    guard now.isTrusted else {
      return event(.failed, "Which day it is cannot be told: nothing keeps this machine's clock right. Set the clock.")
    }
    let today = CivilDay.split(now.wall.seconds + zone.offset(at: now.wall.seconds)).day.number
    let whole = span(of: today - 1).lowerBound..<span(of: today + 1).upperBound
    var told = 0
    do throws(TicketListFault) {
      let replacement = try await list.replacement(of: whole, asOf: now.wall, folding: folding)
      for number in today - 1...today + 1 {
        let (day, span) = (CivilDay(number: number), span(of: number))
        var page = 1
        while true {
          guard let found = try await roster.page(page, of: day) else {
            return event(
              .missing,
              "\(system) does not tell what it has sold, or not for this key: list.refresh does nothing. "
                + "Import files: scangate tickets import FILE --system \(system)")
          }
          if Task.isCancelled { throw TicketListFault("It was given up.") }
          let tickets = Self.tickets(of: day, span, found.tickets)
          told += tickets.count
          try await replacement.add(tickets)
          guard found.hasMore else { break }
          page += 1
        }
      }
      if Task.isCancelled { throw TicketListFault("It was given up.") }
      let left = try await replacement.finish(mayShrink: false)
      return event(.refreshed, tickets: told - left)
    } catch {
      return event(error.isShrunk ? .heldBack : .failed, error.description)
    }
  }

  /// Those of a page that are of a day, by moments.
  private static func tickets(of day: CivilDay, _ span: Range<WallTime>, _ told: [ToldTicket]) -> [ToldTicket] {
    let name = "\(day)"
    return told.compactMap { ticket in
      guard ticket.day.map({ $0 == name }) ?? true else { return nil }
      var ticket = ticket
      ticket.day = nil
      ticket.from = ticket.from ?? span.lowerBound
      ticket.until = ticket.until ?? span.upperBound
      return ticket
    }
  }

  private func span(of day: Int64) -> Range<WallTime> {
    let beginning = WallTime(seconds: zone.time(local: day * 86_400))
    return beginning..<max(WallTime(seconds: zone.time(local: (day + 1) * 86_400)), beginning)
  }
}
