internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketTransport

/// The events of the venues that gates are bound to, as the server tells them, and which of them are today's.
///
///     start ─▶ fetch ─┬─▶ told: holds for a day at most ────────── 10 min ──▶ fetch
///          each minute│   is looked which are today's
///                     └─▶ failed: what was told before holds ──────── 1 min ──▶ fetch
///
/// The server tells those that the key's user owns: only a gate of a venue goes by what it does not name.
final class VenueEvents: Sendable {
  private static let again = Duration.seconds(600)
  private static let turn = Duration.seconds(60)
  /// What is older says nothing of today.
  private static let oldest = Duration.seconds(86_400)
  private static let patience = Duration.seconds(60)
  private static let mostPages = 1_000
  /// An event counts as today's from so long before its beginning on.
  private static let ahead = Duration.seconds(6 * 3_600)

  private struct State {
    var wanted: Set<EventID> = []
    /// By venue.
    var events: [EventID: [EventID: SaleEvent]] = [:]
    /// Those of them that are today's.
    var today: [EventID: Set<EventID>] = [:]
    var told: MonotonicTime?
    /// Why the last fetch told nothing; `nil` where it has.
    var fault: TransportFault?
    var work: Task<Void, Never>?
    var isOver = false
  }

  private let client: EventScheduleClient
  private let book: EventBook
  private let time: any TimeSource
  private let state = Mutex(State())

  init(client: EventScheduleClient, book: EventBook, time: any TimeSource) {
    self.client = client
    self.book = book
    self.time = time
  }

  /// Told that a gate is bound to a venue.
  func want(_ venue: EventID) { state.withLock { _ = $0.wanted.insert(venue) } }

  /// Begins to fetch, where a gate wants it and nothing does yet; from any thread, returns at once.
  func start() {
    state.withLock { state in
      guard !state.wanted.isEmpty, state.work == nil, !state.isOver else { return }
      state.work = Task { await self.run() }
    }
  }

  /// Ends it; from any thread, returns at once.
  func stop() {
    state.withLock { state in
      state.isOver = true
      state.work?.cancel()
    }
  }

  private func run() async {
    var due = time.now()
    while !Task.isCancelled {
      if time.now() >= due, await fetch() { due = time.now() + Self.again }
      turn()
      try? await Task.sleep(for: Self.turn)
    }
  }

  /// Fetches all pages; whether they came. What a part of them tells is not taken.
  func fetch() async -> Bool {
    let wanted = state.withLock { $0.wanted }
    var events: [EventID: [EventID: SaleEvent]] = [:]
    var page: Int64 = 1
    do throws(TransportFault) {
      while true {
        let told = try await client.events(page: page, deadline: time.now() + Self.patience)
        for event in told.events {
          book.learn(event.event, as: event.id)
          if let venue = event.venue, wanted.contains(venue) { events[venue, default: [:]][event.id] = event.event }
        }
        guard told.lastPage > page, page < Self.mostPages, !told.events.isEmpty else { break }
        page += 1
      }
    } catch {
      state.withLock { $0.fault = error }
      return false
    }
    let found = events
    state.withLock { ($0.events, $0.told, $0.fault) = (found, time.now(), nil) }
    return true
  }

  /// Looks which events are today's: nobody who stands at a gate waits for that.
  func turn() {
    let now = book.now ?? book.wall
    let events = state.withLock { $0.events }
    let today = events.mapValues { Set($0.filter { isToday($0.value, at: now) }.keys) }
    state.withLock { $0.today = today }
  }

  /// Why nobody passes at a gate of a venue, whatever ticket it is: its events are not known, or there are none today.
  func bar(of venue: EventID) -> GateBar? {
    start()
    return state.withLock { state in
      guard let told = state.told, time.now() - told <= Self.oldest else {
        let fault = state.fault
        return GateBar(
          .undecided(fault.map { $0.reason.isFault ? $0.reason : .badAnswer } ?? .unreachable),
          detail:
            "The events of this gate's venue are not known\(fault.map { ": \($0.detail)" } ?? " yet. Please scan again.")"
        )
      }
      guard state.today[venue]?.isEmpty == false else {
        return GateBar(
          .undecided(.badAnswer),
          detail:
            "\(client.host) tells no event of this gate's venue for today. Check ticket.events of the gate: is it the venue's "
            + "identifier, and does the key's user own its events?")
      }
      return nil
    }
  }

  /// Whether an event is at a venue today.
  func isToday(_ event: EventID, at venue: EventID) -> Bool {
    state.withLock { $0.today[venue]?.contains(event) == true }
  }

  /// One that began on an earlier day may recur: whether a ticket is for today, the ticket system says by the sale's date.
  private func isToday(_ event: SaleEvent, at now: WallTime) -> Bool {
    guard let starts = event.starts, now + Self.ahead < starts else { return true }
    let zone = book.zone(event.zone)
    func day(_ time: WallTime) -> CivilDay { CivilDay.split(time.seconds + zone.offset(at: time.seconds)).day }
    return day(starts) == day(now)
  }
}
