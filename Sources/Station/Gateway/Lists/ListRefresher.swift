package import LinuxIO
package import ScanModel

/// Keeps the list on board of a ticket system current by itself. What was sold for yesterday, today and tomorrow is asked for page by page,
/// and takes the place of what the list has for these days once all of it is there. A ticket system that tells one answer for now adds
/// that to the list.
///
/// ```
/// due ──nobody scans for 5 s, or three intervals──▶ ask, a page at a time onto the disk ─┬─ whole ──▶ replaced, added
///  ▲                                                     ├─ no such list, not for our key ──▶ told once, over
///  └─────────── an interval, or its turn ◀───────────────┴─ a fault, less than half of before ──▶ the list stays, or is in doubt
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
  /// For how long tickets stay that are told no more, and were not to be.
  static let memory = Duration.seconds(2 * 86_400)
  /// How often it is looked whether something keeps the clock right by now: before that no list is asked for.
  static let clockLook = Duration.seconds(2)
  /// So many tickets of an answer are put down at once.
  private static let piece = 500

  private let system: TicketSystemID
  private let roster: any TicketRoster
  private let list: any TicketList
  private let interval: Duration
  private let folding: @Sendable (Code) -> TicketKey?
  private let clock: @Sendable () -> JournalTime
  private let lastScan: @Sendable () async -> MonotonicTime
  private let zone: ZoneRules
  private let events: any EventSink
  private let order = RefreshOrder()

  /// The ticket system whose list it is.
  var id: TicketSystemID { system }

  /// Has the list fetched now; from any thread, returns at once.
  /// - Returns: whether somebody keeps it current.
  func refreshNow() -> Bool { order.give() }

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
    defer { order.end() }
    var last = clock().monotonic
    // What was brought on board a moment ago is not asked for again.
    let age = (try? await list.state())?.told.at(clock())
    var (wait, waitsForQuiet) = turn(after: age.map { max(.zero, interval - $0) } ?? .zero)
    // Where it is older, or not there, somebody may be waiting for it.
    if wait == .zero { waitsForQuiet = false }
    var told: ListEvent?
    while true {
      switch await order.wait(for: wait) {
      case .cancelled: return
      // Whoever orders it does not wait until nobody scans.
      case .ordered: break
      case .due: if waitsForQuiet { guard await isTime(since: last) else { return } }
      }
      let isTrusted = clock().isTrusted
      let outcome = await refresh()
      guard !Task.isCancelled else { return }
      // The same trouble is told once, however old it has become; another one is told.
      if outcome.state == .refreshed || told.map({ outcome.isSameTrouble(as: $0) }) != true {
        events.emit(.list(outcome))
      }
      if outcome.state == .missing { return }
      told = outcome
      last = clock().monotonic
      (wait, waitsForQuiet) = turn(after: interval)
      // A station that was just started may learn the time by its first answer: nobody waits an interval for the list then.
      if !isTrusted { (wait, waitsForQuiet) = (min(wait, Self.clockLook), false) }
    }
  }

  /// When to ask again: what has its turn earlier does not wait until nobody scans.
  private func turn(after wait: Duration) -> (wait: Duration, waitsForQuiet: Bool) {
    let now = clock().wall
    guard let turn = roster.nextTurn(after: now), turn > now, turn - now < wait else { return (wait, true) }
    return (turn - now, false)
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

  /// Asks for what it tells, and puts it into its place.
  func refresh() async -> ListEvent {
    let now = clock()
    guard now.isTrusted else {
      return event(.failed, "Which day it is cannot be told: nothing keeps this machine's clock right. Set the clock.")
    }
    do throws(TicketListFault) {
      if let answer = try await roster.current() { return try await add(answer, at: now.wall) }
      return try await replaceDays(at: now.wall)
    } catch {
      return event(error.isShrunk ? .heldBack : .failed, error.description)
    }
  }

  private func event(_ state: ListEvent.State, tickets: Int? = nil, _ detail: String? = nil) -> ListEvent {
    ListEvent(system: system, state: state, tickets: tickets, detail: detail, at: clock().wall)
  }

  /// Adds what was told in one answer to the list.
  private func add(_ answer: RosterAnswer, at now: WallTime) async throws(TicketListFault) -> ListEvent {
    if Task.isCancelled { throw Self.givenUp }
    let replacement = try await list.replacement(of: nil, asOf: now, folding: folding)
    for start in stride(from: 0, to: answer.tickets.count, by: Self.piece) {
      try await replacement.add(Array(answer.tickets[start...].prefix(Self.piece)))
    }
    if Task.isCancelled { throw Self.givenUp }
    let merged = try await replacement.merge(whole: answer.whole, forgetting: now - Self.memory)
    var words: [String] = []
    if merged.isDoubtful {
      words.append(
        "\(system) suddenly tells \(merged.vanished) tickets no more: more than half of those that the list has for the same time. "
          + "Nobody passes by those (undecided) until they are told again. Look at what was cancelled there; where that is meant, "
          + "import a list: scangate tickets import FILE --system \(system)")
    }
    if merged.left > 0 {
      words.append(
        "Of \(merged.left) of its tickets the list cannot tell whom they admit: \(merged.problem ?? "unknown").")
    }
    if let gap = answer.gap { words.append(gap) }
    let state: ListEvent.State = merged.isDoubtful ? .heldBack : answer.gap != nil ? .partial : .refreshed
    return event(state, tickets: merged.taken, words.isEmpty ? nil : words.joined(separator: " "))
  }

  private static let givenUp = TicketListFault("It was given up.")

  /// Asks for the three days, and puts them into their place.
  private func replaceDays(at now: WallTime) async throws(TicketListFault) -> ListEvent {
    let today = CivilDay.split(now.seconds + zone.offset(at: now.seconds)).day.number
    let whole = span(of: today - 1).lowerBound..<span(of: today + 1).upperBound
    var told = 0
    let replacement = try await list.replacement(of: whole, asOf: now, folding: folding)
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
        if Task.isCancelled { throw Self.givenUp }
        let tickets = Self.tickets(of: day, span, found.tickets)
        told += tickets.count
        try await replacement.add(tickets)
        guard found.hasMore else { break }
        page += 1
      }
    }
    if Task.isCancelled { throw Self.givenUp }
    let left = try await replacement.finish(mayShrink: false)
    return event(.refreshed, tickets: told - left)
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

extension ListEvent {
  /// Whether it tells the same, but for numbers: how often, how many, how long ago.
  fileprivate func isSameTrouble(as other: ListEvent) -> Bool {
    state == other.state && Self.words(detail) == Self.words(other.detail)
  }

  private static func words(_ text: String?) -> [UInt8]? { text?.utf8.filter { !(0x30...0x39).contains($0) } }
}
