internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport

/// What the server tells of the events that our key's user owns (`GET /api/events`), for the gates of one connection: where they are, which
/// are today's, when they begin, and what the types of their tickets are called.
///
///     start ─▶ fetch ─┬─▶ told: holds for a day at most ── 10 min, longer where there are many pages ──▶ fetch
///          each minute│   is looked which are today's
///                     └─▶ failed: what was told before holds ── 5 s, 20 s … 5 min, or once a probe is answered ──▶ fetch
///                               ▲ or what another station of the fleet was told since: `EventDirectory+Sharing`
///
/// No scan waits for it. What it does not name may be somebody else's, and says nothing.
final class EventDirectory: Sendable {
  /// From one fetch to the next, for each ten pages.
  private static let again = Duration.seconds(600)
  /// How often is looked which events are today's.
  private static let turn = Duration.seconds(60)
  /// What is older says nothing of today.
  static let oldest = Duration.seconds(86_400)
  /// From the third on they are longer than 60 s, as those of `SystemCheck`.
  private static let waits: [Duration] = [5, 20, 65, 130, 300].map { .seconds($0) }
  /// Where no gate hangs on it.
  private static let idleWaits: [Duration] = [65, 300, 3_600].map { .seconds($0) }
  /// An event counts as today's from so long before its beginning on.
  private static let ahead = Duration.seconds(6 * 3_600)

  struct State {
    /// What gates want to know: of which venues, by which names of types; and whether any wants anything.
    var venues: Set<EventID> = []
    var names: Set<String> = []
    var isWanted = false
    /// Whether other stations are given what is told.
    var isGiven = false
    var listing = EventListing()
    /// Those of each venue that are today's.
    var today: [EventID: Set<EventID>] = [:]
    /// When the listing was told.
    var told: MonotonicTime?
    /// Whether another station was told it, and the civil time that came with it, with when that was.
    var isTaken = false
    var lent: (time: WallTime, at: MonotonicTime, asleep: Duration)?
    /// How long the machine had slept then: what was told is older by what it has slept since.
    var asleep = Duration.zero
    /// Why the last fetch told nothing; `nil` where it has.
    var fault: TransportFault?
    /// When the last one ended, how many have failed in a row, and when the next one is due.
    var tried: MonotonicTime?
    var failures = 0
    var due: MonotonicTime?
    /// Whether sales tell what types are called; `nil` until one with tickets was seen.
    var salesTellTypes: Bool?
    /// Names that they have told.
    var namesOfSales: Set<String> = []
    /// Whether the list on board tells what sort a ticket is.
    var listTellsKinds = false
    var listeners: [@Sendable () -> Void] = []
    /// Who waits for the first word.
    var waiters: [CheckedContinuation<Void, Never>] = []
    var work: Task<Void, Never>?
    var sleep: Task<Void, Never>?
    var isOver = false
  }

  let client: EventScheduleClient
  let book: EventBook
  private let list: ListOnBoard?
  let time: any TimeSource
  let state = Mutex(State())

  /// Makes one that asks nothing yet.
  /// - Parameter list: the list on board of the same ticket system.
  init(client: EventScheduleClient, book: EventBook, list: ListOnBoard? = nil, time: any TimeSource) {
    self.client = client
    self.book = book
    self.list = list
    self.time = time
  }

  // MARK: Its life

  /// Told that somebody wants to know of events.
  /// - Parameters:
  ///   - venue: to which the gate is bound.
  ///   - names: of types, where the gate goes by these alone.
  func want(venue: EventID? = nil, names: Set<String> = []) {
    state.withLock { state in
      state.isWanted = true
      if let venue { state.venues.insert(venue) }
      // All at once: a thousand names are one.
      state.names.formUnion(names)
    }
  }

  /// Has `told` called whenever what gates stand by may have changed; from any thread, and to return at once. Begins to fetch.
  func watch(_ told: @escaping @Sendable () -> Void) {
    state.withLock { $0.listeners.append(told) }
    start()
  }

  /// Begins to fetch, where a gate wants it and nothing does yet; from any thread, returns at once.
  func start() {
    state.withLock { state in
      guard state.isWanted, state.work == nil, !state.isOver else { return }
      state.work = Task { [weak self] in
        while let wait = await self?.step(), !Task.isCancelled {
          let sleep = Task { _ = try? await Task.sleep(for: wait) }
          self?.state.withLock { $0.sleep = sleep }
          await withTaskCancellationHandler {
            await sleep.value
          } onCancel: {
            sleep.cancel()
          }
        }
      }
    }
  }

  /// Ends it; from any thread, returns at once.
  func stop() {
    let waiters = state.withLock { state in
      defer { (state.listeners, state.waiters) = ([], []) }
      state.isOver = true
      state.work?.cancel()
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Has it fetched, and returns once it was asked the first time.
  func asked() async {
    want()
    start()
    await withCheckedContinuation { waiter in
      let isOver = state.withLock { state in
        if state.tried != nil || state.isOver { return true }
        state.waiters.append(waiter)
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  /// Told that the ticket system has answered: what failed may succeed now.
  func answered() {
    let now = time.now()
    state.withLock { state in
      guard state.fault != nil, state.tried.map({ now - $0 >= Self.waits[0] }) ?? true else { return }
      state.due = now
      state.sleep?.cancel()
    }
  }

  /// Told that the ticket system knows a type, or an event, of which nothing was told: it may be new.
  func lacks() {
    state.withLock { state in
      guard state.told != nil, let tried = state.tried, let due = state.due else { return }
      state.due = min(due, tried + Self.waits[3])
    }
  }

  /// Does what is due; how long nothing is.
  private func step() async -> Duration {
    if state.withLock({ $0.due }).map({ time.now() >= $0 }) ?? true { await fetch() }
    await turn()
    let due = state.withLock { $0.due } ?? time.now()
    return min(Self.turn, max(due - time.now(), .milliseconds(10)))
  }

  // MARK: Fetching

  /// Fetches all pages; whether they came. Of a part of them no venue's set is taken.
  @discardableResult func fetch() async -> Bool {
    let (venues, names) = state.withLock { ($0.venues, $0.names) }
    var listing = EventListing()
    var fault: TransportFault?
    do throws(TransportFault) {
      while let page = listing.next {
        let told = try await client.events(
          page: page, deadline: time.now() + (page == 1 ? .seconds(15) : .seconds(150)))
        try listing.take(told, venues: venues, host: client.host) { book.isBound(to: $0) }
      }
    } catch {
      fault = error
      listing.forgetVenues()
    }
    let pages = listing.pages
    book.update(listing.events)
    if !names.isSubset(of: listing.names), state.withLock({ $0.salesTellTypes == nil }) { await askSales() }
    let (now, asleep) = (time.now(), time.asleep())
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.fault = fault
      state.tried = now
      if let fault {
        let waits = venues.isEmpty && names.isEmpty && !state.isGiven ? Self.idleWaits : Self.waits
        state.due = now + max(waits[min(state.failures, waits.count - 1)], fault.retryAfter ?? .zero)
        state.failures += 1
        if state.told == nil { state.listing = listing }
      } else {
        state.failures = 0
        state.due = now + Self.again * max(1, pages / 10)
        (state.listing, state.told, state.asleep) = (listing, now, asleep)
        (state.isTaken, state.lent) = (false, nil)
      }
      return state.waiters
    }
    await turn(isNews: true)
    for waiter in waiters { waiter.resume() }
    return fault == nil
  }

  /// Whether sales tell what types are called, which a key may see that owns no event.
  private func askSales() async {
    guard
      let page = try? await client.sales(urgency: .background, mostBytes: 4 << 20, deadline: time.now() + .seconds(15))
    else { return }
    for sale in page.sales { learn(sale) }
  }

  /// Takes what the server tells of types with a sale.
  func learn(_ sale: Sale) {
    guard let tells = sale.tellsTypes else { return }
    let isNews = state.withLock { state in
      let before = state.salesTellTypes
      state.salesTellTypes = tells || before == true
      for name in sale.lines.lazy.compactMap(\.name) where state.names.contains(name) {
        state.namesOfSales.insert(name)
      }
      return before != state.salesTellTypes
    }
    if isNews { tell() }
  }

  /// Looks which events are today's, and what has grown too old: nobody who stands at a gate waits for that.
  /// - Parameter isNews: whether gates are told in any case.
  func turn(isNews: Bool = false) async {
    let isOfNames = state.withLock { !$0.names.isEmpty }
    let kinds = isOfNames ? await list?.tellsKinds() ?? false : false
    let (now, asleep, wall) = (time.now(), time.asleep(), moment)
    let listing = state.withLock { state in
      if let age = state.age(at: now, asleep: asleep), age > Self.oldest {
        (state.listing, state.told, state.isTaken) = (EventListing(), nil, false)
      }
      return state.listing
    }
    let today = listing.venues.mapValues { events in
      Set(events.filter { listing.events[$0].map { isToday($0, at: wall) } ?? false })
    }
    let hasChanged = state.withLock { state in
      defer { (state.today, state.listTellsKinds) = (today, kinds) }
      return state.today != today || state.listTellsKinds != kinds
    }
    if isNews || hasChanged { tell() }
  }

  private func tell() { for listener in state.withLock({ $0.listeners }) { listener() } }

  /// One that began on an earlier day may recur: whether a ticket is for today, the ticket system says by the sale's date.
  func isToday(_ event: SaleEvent, at now: WallTime) -> Bool {
    guard let starts = event.starts, now + Self.ahead < starts else { return true }
    let zone = book.zone(event.zone)
    func day(_ time: WallTime) -> CivilDay { CivilDay.split(time.seconds + zone.offset(at: time.seconds)).day }
    return day(starts) == day(now)
  }
}
