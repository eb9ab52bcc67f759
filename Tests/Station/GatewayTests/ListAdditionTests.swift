import Expectations
import LinuxIO
import ScanModel
import Synchronization
import Testing

@testable import Gateway

/// A list to which its ticket system tells one answer for now.
@Suite(.timeLimit(.minutes(1))) struct ListAdditionTests {
  /// 2026-03-29 12:00 UTC.
  private static let noon = WallTime(seconds: 1_774_785_600)
  private static let today = noon - .seconds(43_200)..<noon + .seconds(43_200)

  /// Tells answers, one after the other and the last one for ever.
  private final class Roster: TicketRoster {
    private let answers: Mutex<[Result<RosterAnswer?, TicketListFault>]>
    let asked = Mutex(0)
    let days = Mutex(0)
    let turn: @Sendable (WallTime) -> WallTime?

    init(
      _ answers: [Result<RosterAnswer?, TicketListFault>],
      turn: @escaping @Sendable (WallTime) -> WallTime? = { _ in nil }
    ) {
      self.answers = Mutex(answers)
      self.turn = turn
    }

    func current() async throws(TicketListFault) -> RosterAnswer? {
      asked.withLock { $0 += 1 }
      return try answers.withLock { answers in answers.count > 1 ? answers.removeFirst() : answers[0] }.get()
    }

    func nextTurn(after now: WallTime) -> WallTime? { turn(now) }

    func page(_ number: Int) async throws(TicketListFault) -> RosterPage { throw TicketListFault("not for this") }

    func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage? {
      days.withLock { $0 += 1 }
      return nil
    }
  }

  /// Notes what is added to it.
  private final class List: TicketList {
    struct Added: Equatable {
      var pieces: [Int] = []
      var codes: [String] = []
      var whole: Range<WallTime>?
      var end: WallTime?
      var asOf: WallTime
    }

    final class Addition: TicketListReplacement {
      let added: Mutex<Added>
      let list: List

      init(asOf: WallTime, _ list: List) {
        added = Mutex(Added(asOf: asOf))
        self.list = list
      }

      func add(_ tickets: [ToldTicket]) async throws(TicketListFault) {
        added.withLock {
          $0.pieces.append(tickets.count)
          $0.codes += tickets.map(\.code)
        }
      }

      func finish(mayShrink: Bool) async throws(TicketListFault) -> Int { throw TicketListFault("not for this") }

      func merge(whole: Range<WallTime>?, forgetting end: WallTime?) async throws(TicketListFault) -> MergedTickets {
        let all = added.withLock { added in
          (added.whole, added.end) = (whole, end)
          return added
        }
        list.added.withLock { $0.append(all) }
        return try list.outcome(all.codes.count).get()
      }
    }

    let added = Mutex<[Added]>([])
    let outcome: @Sendable (_ told: Int) -> Result<MergedTickets, TicketListFault>
    let age: Duration?

    init(
      age: Duration? = nil,
      outcome: @escaping @Sendable (Int) -> Result<MergedTickets, TicketListFault> = {
        .success(MergedTickets(taken: $0))
      }
    ) {
      self.age = age
      self.outcome = outcome
    }

    func find(_ code: Code) async throws(TicketListFault) -> ListFinding? { nil }

    func state() async throws(TicketListFault) -> TicketListState? {
      age.map { TicketListState(asOf: ListAdditionTests.noon - $0, count: 1) }
    }

    func replacement(
      of span: Range<WallTime>?, asOf: WallTime, folding: @escaping @Sendable (Code) -> TicketKey?
    ) async throws(TicketListFault) -> any TicketListReplacement {
      Addition(asOf: asOf, self)
    }
  }

  private static func answer(_ count: Int, gap: String? = nil) -> Result<RosterAnswer?, TicketListFault> {
    .success(
      RosterAnswer(
        tickets: (0..<count).map { ToldTicket(code: "code\($0)", isWholeSale: true, status: .valid) }, whole: today,
        gap: gap))
  }

  private func refresher(
    _ roster: Roster, _ list: List, every interval: Duration = .milliseconds(1), isTrusted: Bool = true,
    lastScan: @escaping @Sendable () async -> MonotonicTime = { MonotonicTime(nanoseconds: .min) },
    events: EventHub = EventHub()
  ) -> ListRefresher {
    ListRefresher(
      of: TicketSystemID("main"), roster, into: list, every: interval, folding: { _ in nil },
      clock: { JournalTime(wall: Self.noon, monotonic: MonotonicTime(nanoseconds: 0), isTrusted: isTrusted) },
      lastScan: lastScan, zone: .utc, events: events)
  }

  /// Runs until so many events of lists came.
  private func events(_ count: Int, _ roster: Roster, _ list: List) async -> [ListEvent] {
    let hub = EventHub()
    let stream = hub.subscribe()
    let running = Task { await refresher(roster, list, events: hub).run() }
    var found: [ListEvent] = []
    for await event in stream {
      if case .list(let event) = event { found.append(event) }
      if found.count == count { break }
    }
    running.cancel()
    await running.value
    return found
  }

  @Test func anAnswerIsAddedInPiecesWithTheTimeOfWhichAllWasTold() async throws {
    let (roster, list) = (Roster([Self.answer(1_201)]), List())
    let event = await refresher(roster, list).refresh()
    expect(event.state == .refreshed && event.tickets == 1_201 && event.detail == nil, "\(event)")
    let added = try #require(list.added.withLock { $0.first })
    expectEqual(added.pieces, [500, 500, 201])
    expectEqual(added.codes, (0..<1_201).map { "code\($0)" })
    expect(added.whole == Self.today && added.asOf == Self.noon, "\(added)")
    expectEqual(added.end, Self.noon - .seconds(2 * 86_400))
    expectEqual(roster.days.withLock { $0 }, 0)
    // An evening on which nothing is sold is an answer, too.
    await expectEqual(refresher(Roster([Self.answer(0)]), list).refresh().tickets, 0)
    expectEqual(list.added.withLock { $0.last?.pieces }, [])
  }

  @Test func aSystemThatTellsDaysIsAskedForDays() async {
    let roster = Roster([.success(nil)])
    await expectEqual(refresher(roster, List()).refresh().state, .missing)
    expectEqual(roster.days.withLock { $0 }, 1)
  }

  @Test func thatManyVanishedIsAnAlarmThatSaysHowMany() async {
    let list = List { .success(MergedTickets(taken: $0, vanished: 87, isDoubtful: true)) }
    let event = await refresher(Roster([Self.answer(13)]), list).refresh()
    expect(event.state == .heldBack && event.tickets == 13, "\(event)")
    expect(event.detail?.contains("tells 87 tickets no more") == true, "\(event)")
    expect(event.detail?.contains("scangate tickets import FILE --system main") == true, "\(event)")
  }

  @Test func whatTheListCannotDecideOnIsSaid() async {
    let list = List { .success(MergedTickets(taken: $0 - 2, left: 2, problem: "two bookings have one code")) }
    let event = await refresher(Roster([Self.answer(13)]), list).refresh()
    expect(event.state == .refreshed && event.tickets == 11, "\(event)")
    expect(event.detail?.contains("two bookings have one code") == true, "\(event)")
  }

  /// A list that is not whole stays so for hours.
  @Test func aGapIsToldOnceUntilItIsClosed() async {
    let gap = "It tells 100 tickets at most."
    let roster = Roster([
      Self.answer(100, gap: gap), Self.answer(100, gap: gap), Self.answer(100, gap: gap), Self.answer(99),
      Self.answer(100, gap: gap),
    ])
    let found = await events(3, roster, List())
    expectEqual(found.map(\.state), [.partial, .refreshed, .partial])
    expect(found.first?.detail == gap && found.first?.tickets == 100, "\(found)")
    expectEqual(found.dropFirst().first?.detail, nil)
  }

  @Test func whatCannotBeToldOrWrittenIsTold() async {
    let away = Roster([.failure(TicketListFault("theatre.example did not answer in time."))])
    let event = await refresher(away, List()).refresh()
    expect(event.state == .failed && event.detail == "theatre.example did not answer in time.", "\(event)")
    let full = List { _ in .failure(TicketListFault("The disk is full.")) }
    await expectEqual(refresher(Roster([Self.answer(1)]), full).refresh().state, .failed)
    let untrusted = Roster([Self.answer(1)])
    await expectEqual(refresher(untrusted, List(), isTrusted: false).refresh().state, .failed)
    expectEqual(untrusted.asked.withLock { $0 }, 0)
  }

  /// Before a day is over of which it tells no more then: nobody waits for a gap between scans.
  @Test func aTurnShortensTheWait() async throws {
    let turns = Mutex(0)
    let roster = Roster([Self.answer(1)]) { now in
      let isFirst = turns.withLock { turns in
        turns += 1
        return turns == 1
      }
      return isFirst ? now + .milliseconds(20) : nil
    }
    let list = List(age: .zero)
    let hub = EventHub()
    let stream = hub.subscribe()
    let running = Task {
      // Somebody always scans.
      await refresher(
        roster, list, every: .seconds(3_600), lastScan: { MonotonicTime(nanoseconds: 0) }, events: hub
      ).run()
    }
    guard case .list(let event)? = await stream.first(where: { _ in true }) else { return unexpected("no event") }
    expectEqual(event.state, .refreshed)
    running.cancel()
    await running.value
    expectEqual(roster.asked.withLock { $0 }, 1)
  }

  /// A turn that is past, or later than the interval, is none.
  @Test(arguments: [Duration.zero, .seconds(-5), .seconds(7_200)]) func anotherTurnIsNone(turn: Duration) async {
    let roster = Roster([Self.answer(1)]) { $0 + turn }
    // Old enough to be due in a moment.
    let list = List(age: .seconds(3_600) - .milliseconds(20))
    let hub = EventHub()
    let stream = hub.subscribe()
    let running = Task { await refresher(roster, list, every: .seconds(3_600), events: hub).run() }
    _ = await stream.first { _ in true }
    running.cancel()
    await running.value
    expectEqual(roster.asked.withLock { $0 }, 1)
  }

  /// After a start somebody may be waiting for it.
  @Test(arguments: [nil, Duration.seconds(3_601)]) func theFirstComesAtOnceWhereTheListIsOld(age: Duration?) async {
    let roster = Roster([Self.answer(1)])
    let list = List(age: age)
    let hub = EventHub()
    let stream = hub.subscribe()
    let running = Task {
      await refresher(
        roster, list, every: .seconds(3_600), lastScan: { MonotonicTime(nanoseconds: 0) }, events: hub
      ).run()
    }
    guard case .list(let event)? = await stream.first(where: { _ in true }) else { return unexpected("no event") }
    expectEqual(event.state, .refreshed)
    running.cancel()
    await running.value
  }

  private func unexpected(_ what: String) { Issue.record("unexpected: \(what)") }
}
