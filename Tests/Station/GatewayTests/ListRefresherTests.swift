import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

/// A list that asks for itself what was sold.
@Suite(.timeLimit(.minutes(1))) struct ListRefresherTests {
  /// Tells what a test wants, and notes what it was asked.
  private final class Roster: TicketRoster {
    let pages: @Sendable (_ day: String, _ page: Int) throws(TicketListFault) -> RosterPage?
    let asked = Mutex<[String]>([])

    init(_ pages: @escaping @Sendable (String, Int) throws(TicketListFault) -> RosterPage?) { self.pages = pages }

    func page(_ number: Int) async throws(TicketListFault) -> RosterPage { throw TicketListFault("not for this") }

    func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage? {
      asked.withLock { $0.append("\(day) \(number)") }
      return try pages("\(day)", number)
    }
  }

  /// Keeps what is put into it.
  private final class List: TicketList {
    struct Kept: Sendable {
      var span: Range<WallTime>?
      /// Piece by piece.
      var pieces: [[ToldTicket]] = []
      var asOf: WallTime
      var mayShrink = false
      var tickets: [ToldTicket] { pieces.flatMap(\.self) }
    }

    /// What is told, and is kept once it is whole.
    final class Replacement: TicketListReplacement {
      let told: Mutex<Kept>
      let list: List

      init(_ kept: Kept, in list: List) {
        told = Mutex(kept)
        self.list = list
      }

      deinit { list.begun.withLock { $0 -= 1 } }

      func add(_ tickets: [ToldTicket]) async throws(TicketListFault) {
        told.withLock { $0.pieces.append(tickets) }
        list.added(tickets.count)
      }

      func finish(mayShrink: Bool) async throws(TicketListFault) -> Int {
        if let fault = list.fault { throw fault }
        let whole = told.withLock { told in
          told.mayShrink = mayShrink
          return told
        }
        list.kept.withLock { $0.append(whole) }
        return 0
      }
    }

    let kept = Mutex<[Kept]>([])
    /// How many replacements there are that nobody has let go of.
    let begun = Mutex(0)
    /// Told of each piece, how many tickets it has.
    let added: @Sendable (Int) -> Void
    let fault: TicketListFault?
    let age: Duration?

    init(fault: TicketListFault? = nil, age: Duration? = nil, added: @escaping @Sendable (Int) -> Void = { _ in }) {
      self.fault = fault
      self.added = added
      self.age = age
    }

    func find(_ code: Code) async throws(TicketListFault) -> ListFinding? { nil }

    func state() async throws(TicketListFault) -> TicketListState? {
      age.map { TicketListState(asOf: ListRefresherTests.noon - $0, count: 1) }
    }

    func replacement(
      of span: Range<WallTime>?, asOf: WallTime, folding: @escaping @Sendable (Code) -> TicketKey?
    ) async throws(TicketListFault) -> any TicketListReplacement {
      begun.withLock { $0 += 1 }
      return Replacement(Kept(span: span, asOf: asOf), in: self)
    }
  }

  /// 2026-03-29 12:00 UTC: in Berlin the day that has 23 hours.
  private static let noon = WallTime(seconds: 1_774_785_600)

  private func ticket(_ code: String, day: String? = nil) -> ToldTicket {
    ToldTicket(code: code, isWholeSale: true, status: .valid, day: day, event: "Play", eventID: "456")
  }

  private func refresher(
    _ roster: Roster, _ list: List, every interval: Duration = .seconds(60), zone: ZoneRules = .utc,
    isTrusted: Bool = true, monotonic: @escaping @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: 0) },
    lastScan: @escaping @Sendable () async -> MonotonicTime = { MonotonicTime(nanoseconds: .min) },
    events: EventHub = EventHub()
  ) -> ListRefresher {
    ListRefresher(
      of: TicketSystemID("main"), roster, into: list, every: interval, folding: { _ in nil },
      clock: { JournalTime(wall: Self.noon, monotonic: monotonic(), isTrusted: isTrusted) }, lastScan: lastScan,
      zone: zone, events: events)
  }

  @Test func threeDaysAreAskedForPageByPageAndReplacedTogether() async throws {
    let roster = Roster { (day, page) throws(TicketListFault) in
      RosterPage(tickets: [ticket("\(day)-\(page)", day: day)], hasMore: day == "2026-03-29" && page < 3)
    }
    let list = List()
    let event = await refresher(roster, list).refresh()
    expectEqual(event.state, .refreshed)
    expectEqual(event.tickets, 5)
    expectEqual(
      roster.asked.withLock { $0 },
      ["2026-03-28 1", "2026-03-29 1", "2026-03-29 2", "2026-03-29 3", "2026-03-30 1"])
    let kept = try #require(list.kept.withLock { $0.first })
    expect(list.kept.withLock { $0.count } == 1 && !kept.mayShrink)
    expectEqual(kept.asOf, Self.noon)
    expectEqual(
      kept.tickets.map(\.code), ["2026-03-28-1", "2026-03-29-1", "2026-03-29-2", "2026-03-29-3", "2026-03-30-1"])
    expectEqual(kept.tickets.first?.eventID, "456")
  }

  @Test func aDayIsAsLongAsItIsInTheZone() async throws {
    let berlin = try #require(ZoneRules.named("Europe/Berlin"))
    let roster = Roster { (day, _) throws(TicketListFault) in RosterPage(tickets: [ticket(day)], hasMore: false) }
    let list = List()
    _ = await refresher(roster, list, zone: berlin).refresh()
    let kept = try #require(list.kept.withLock { $0.first })
    // From midnight CET of the 28th to midnight CEST of the 31st.
    expectEqual(kept.span, WallTime(seconds: 1_774_652_400)..<WallTime(seconds: 1_774_908_000))
    let lengths = kept.tickets.map { ticket in
      ticket.from.flatMap { from in ticket.until.map { until in until - from } } ?? .zero
    }
    expectEqual(lengths, [.seconds(86_400), .seconds(82_800), .seconds(86_400)])
    // Where it is tomorrow already, it is asked for other days.
    let auckland = try #require(ZoneRules.named("Pacific/Auckland"))
    _ = await refresher(roster, list, zone: auckland).refresh()
    expectEqual(roster.asked.withLock { $0.suffix(3) }, ["2026-03-29 1", "2026-03-30 1", "2026-03-31 1"])
  }

  /// A server that does not know the parameter tells every day each time.
  @Test func whatIsOfAnotherDayIsNotTakenForThisOne() async throws {
    let roster = Roster { (_, _) throws(TicketListFault) in
      RosterPage(
        tickets: ["2026-03-28", "2026-03-29", "2026-05-01"].map { (day: String) in ticket("of \(day)", day: day) },
        hasMore: false)
    }
    let list = List()
    expectEqual(await refresher(roster, list).refresh().tickets, 2)
    expectEqual(list.kept.withLock { $0.first?.tickets.map(\.code) }, ["of 2026-03-28", "of 2026-03-29"])
  }

  @Test(arguments: [1, 2, 3]) func whatIsNotWholeReplacesNothing(day: Int) async throws {
    let asked = Mutex(0)
    let roster = Roster { (_, page) throws(TicketListFault) in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if page == 2 { throw TicketListFault("tickets.example did not answer in time.") }
      return RosterPage(tickets: [ticket("a")], hasMore: number == day)
    }
    let list = List()
    let event = await refresher(roster, list).refresh()
    expect(event.state == .failed && event.detail == "tickets.example did not answer in time.", "\(event)")
    expect(list.kept.withLock { $0.isEmpty })
    expectEqual(list.begun.withLock { $0 }, 0, "what was told in part is still held")
  }

  /// However much was sold, no more of it is in memory than a page.
  @Test func eachPageIsPutDownBeforeTheNextIsAskedFor() async throws {
    let steps = Mutex<[String]>([])
    let roster = Roster { (day, page) throws(TicketListFault) in
      steps.withLock { $0.append("asked") }
      return RosterPage(tickets: (0..<500).map { ticket("\(day)-\(page)-\($0)") }, hasMore: page < 40)
    }
    let list = List { count in steps.withLock { $0.append("put \(count)") } }
    expectEqual(await refresher(roster, list).refresh().tickets, 60_000)
    expectEqual(steps.withLock { $0 }, Array(repeating: ["asked", "put 500"], count: 120).flatMap(\.self))
  }

  /// In the middle of a day, or when all of it was told.
  @Test(arguments: [1, 4]) func whatIsGivenUpReplacesNothing(page: Int) async throws {
    let asked = Mutex(0)
    let running = Mutex<Task<Void, Never>?>(nil)
    let roster = Roster { (_, _) throws(TicketListFault) in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number == page { running.withLock { $0?.cancel() } }
      return RosterPage(tickets: [ticket("a")], hasMore: number == 1)
    }
    let list = List()
    let refresher = refresher(roster, list)
    // It begins once it can be given up.
    let (gate, open) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in gate { break }
      await refresher.run()
    }
    running.withLock { $0 = task }
    open.yield()
    await task.value
    expectEqual(asked.withLock { $0 }, page)
    expect(list.kept.withLock { $0.isEmpty })
    expectEqual(list.begun.withLock { $0 }, 0, "what was told in part is still held")
  }

  @Test func whatCannotBeWrittenIsTold() async throws {
    let roster = Roster { (_, _) throws(TicketListFault) in RosterPage(tickets: [], hasMore: false) }
    let shrunk = List(fault: TicketListFault("More than half would be gone.", isOfData: true, isShrunk: true))
    expectEqual(await refresher(roster, shrunk).refresh().state, .heldBack)
    let full = List(fault: TicketListFault("The disk is full."))
    expectEqual(await refresher(roster, full).refresh().state, .failed)
  }

  @Test func aClockThatNobodyKeepsRightTellsNoDays() async throws {
    let roster = Roster { (_, _) throws(TicketListFault) in RosterPage(tickets: [], hasMore: false) }
    let event = await refresher(roster, List(), isTrusted: false).refresh()
    expect(event.state == .failed && event.detail?.contains("Set the clock") == true, "\(event)")
    expect(roster.asked.withLock { $0.isEmpty })
  }

  /// Nobody waits an interval for the list because the station did not know the time as it began.
  @Test func whereTheClockComesRightTheListFollows() async throws {
    let roster = Roster { (_, _) throws(TicketListFault) in RosterPage(tickets: [], hasMore: false) }
    let hub = EventHub()
    let events = hub.subscribe()
    // How often the clock was looked at since the trouble was told: what looks at once must still find it wrong.
    let looks = Mutex<Int?>(nil)
    let refresher = ListRefresher(
      of: TicketSystemID("main"), roster, into: List(), every: .seconds(3_600), folding: { _ in nil },
      clock: {
        let isTrusted = looks.withLock { looks in
          looks = looks.map { $0 + 1 }
          return looks ?? 0 > 3
        }
        return JournalTime(wall: Self.noon, monotonic: SystemTime().now(), isTrusted: isTrusted)
      }, lastScan: { SystemTime().now() }, zone: .utc, events: hub)
    let running = Task { await refresher.run() }
    var states: [ListEvent.State] = []
    for await case .list(let event) in events {
      states.append(event.state)
      if event.state == .refreshed { break }
      looks.withLock { $0 = 0 }
    }
    running.cancel()
    await running.value
    expectEqual(states, [.failed, .refreshed])
  }

  @Test func aSystemWithoutSuchAListIsAskedOnce() async throws {
    let roster = Roster { (_, _) throws(TicketListFault) in nil }
    let hub = EventHub()
    let events = hub.subscribe()
    // It ends by itself.
    await refresher(roster, List(), every: .milliseconds(1), events: hub).run()
    expectEqual(roster.asked.withLock { $0.count }, 1)
    guard case .list(let event)? = await events.first(where: { _ in true }) else { return unexpected("no event") }
    expect(event.state == .missing && event.detail?.contains("tickets import FILE --system main") == true, "\(event)")
  }

  @Test func theSameTroubleIsToldOnceAndGoneWithTheNextList() async throws {
    let asked = Mutex(0)
    let roster = Roster { (_, _) throws(TicketListFault) in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number <= 3 { throw TicketListFault("away") }
      return RosterPage(tickets: [], hasMore: false)
    }
    let hub = EventHub()
    let events = hub.subscribe()
    let list = List()
    let running = Task { await refresher(roster, list, every: .milliseconds(1), events: hub).run() }
    var states: [ListEvent.State] = []
    for await event in events {
      if case .list(let event) = event { states.append(event.state) }
      if states.count == 2 { break }
    }
    running.cancel()
    await running.value
    expectEqual(states, [.failed, .refreshed])
  }

  /// A clock that is wrong at first must not hide that the list is refused afterwards.
  @Test func anotherTroubleIsTold() async throws {
    let troubles = ["away for 1 s", "away for 22 s", "302", "html: a page", "away for 3 s"]
    let asked = Mutex(0)
    let roster = Roster { (_, _) throws(TicketListFault) in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number <= troubles.count { throw TicketListFault(troubles[number - 1]) }
      return RosterPage(tickets: [], hasMore: false)
    }
    let hub = EventHub()
    let events = hub.subscribe()
    let refresher = refresher(roster, List(), every: .milliseconds(1), events: hub)
    let running = Task { await refresher.run() }
    var told: [String?] = []
    for await case .list(let event) in events {
      if event.state == .refreshed { break }
      told.append(event.detail)
    }
    running.cancel()
    await running.value
    expectEqual(told, ["away for 1 s", "302", "html: a page", "away for 3 s"])
  }

  /// People come first; a list that waits for a gap that never comes is done after three intervals.
  @Test func itWaitsUntilNobodyScansButNotForEver() async throws {
    let now = Mutex(MonotonicTime(nanoseconds: 0))
    let looks = Mutex(0)
    let roster = Roster { (_, _) throws(TicketListFault) in nil }
    let refresher = refresher(
      roster, List(age: .milliseconds(59_950)), every: .seconds(60), monotonic: { now.withLock { $0 } },
      lastScan: {
        // Somebody always scans, and a minute passes between two looks.
        looks.withLock { $0 += 1 }
        return now.withLock { now in
          now = now + .seconds(90)
          return now
        }
      })
    await refresher.run()
    expectEqual(looks.withLock { $0 }, 2)
    expectEqual(roster.asked.withLock { $0.count }, 1)
  }

  private func unexpected(_ what: String) { Issue.record("unexpected: \(what)") }
}
