@testable import EventSchedule
import Expectations
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

/// Gates that take some types of tickets, at servers whose answers do not tell what types are called.
@Suite(.timeLimit(.minutes(1))) struct EventTypeTests {
  private typealias Gate = EventScheduleSection.Gate
  private static let code = "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"

  /// What a server answers to its three calls; each can be changed.
  private final class Answering: Sendable {
    let state = Mutex((events: EventTypeTests.events(), sales: EventTypeTests.sales(), scan: Answers.admitted))
    func set(events: String? = nil, sales: String? = nil, scan: String? = nil) {
      state.withLock { state in
        state = (events ?? state.events, sales ?? state.sales, scan ?? state.scan)
      }
    }
    func answer(_ request: String) -> String {
      state.withLock { state in
        if request.hasPrefix("GET /api/events") { return state.events }
        return request.hasPrefix("GET") ? state.sales : state.scan
      }
    }
  }

  private struct Bench {
    let venue: Venue
    let answering: Answering
    let directory: EventDirectory
    let system: EventScheduleTicketSystem
    let time: MovableTime

    var rule: GateRule { get throws { try #require(system.rule) } }
    var posts: [String] { venue.server.requests.filter { $0.hasPrefix("POST") } }

    func attempt(listed: TicketDetails? = nil, isOwed: Bool = false, line: TicketDetails.LineID? = nil) async
      -> Redemption?
    {
      let request = AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: Code(EventTypeTests.code), deadline: time.now() + .seconds(60),
        isOwed: isOwed, listed: listed, line: line)
      let outcome = await system.attempt(request) { _ in }
      guard case .redeemed(let redemption) = outcome.answer else { return nil }
      return redemption
    }

    func inspect() async -> Inspection {
      await system.inspect(Code(EventTypeTests.code), deadline: time.now() + .seconds(60))
    }

    func close() async {
      directory.stop()
      await venue.close()
    }
  }

  private func bench(_ gate: Gate, list: (any TicketList)? = nil) async throws -> Bench {
    let answering = Answering()
    let server = ScriptedServer { _, request, connection in connection.send(answering.answer(request)) }
    let venue = try await Venue.open(server)
    let time = MovableTime()
    let book = EventBook(time: time)
    let list = list.map { list in
      ListOnBoard(of: TicketSystemID("tickets"), list, maxAge: .seconds(3_600)) {
        JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true)
      }
    }
    let directory = EventDirectory(client: venue.client, book: book, list: list, time: time)
    let system = EventScheduleTicketSystem(
      id: TicketSystemID("tickets"), client: venue.client, gate: gate, book: book, directory: directory,
      longestInspection: .seconds(60), time: time)
    return Bench(venue: venue, answering: answering, directory: directory, system: system, time: time)
  }

  // MARK: Answers of the document's shape

  private static func ok(_ body: String) -> String { Answers.response("200 OK", body) }

  private static func events(_ types: String = #"{"id":"12","type":"VIP"},{"id":"Mzg5Mjkx","type":"Floor"}"#) -> String
  {
    ok(
      #"{"data":[{"id":"456","name":"Gala","starts_at":null,"tickets":[\#(types)]}],"meta":{"current_page":1,"last_page":1}}"#
    )
  }

  private static let noEvents = ok(#"{"data":[],"meta":{"current_page":1,"last_page":1}}"#)

  private static let plainEvent = #"{"id":456,"name":"Gala","starts_at":"2099-12-20T19:00:00Z"}"#

  private static func lines(_ types: [Int]) -> String {
    "["
      + types.enumerated().map { #"{"id":\#($0 + 1),"ticket_id":\#($1),"quantity":1,"usage_status":"unused"}"# }.joined(
        separator: ",") + "]"
  }

  private static func sales(_ types: Int..., event: String = plainEvent) -> String {
    let sale = #"{"id":123,"status":"paid","name":"A","event_id":456,"event":\#(event),"tickets":\#(lines(types))}"#
    return ok(#"{"data":[\#(types.isEmpty ? "" : sale)],"meta":{"current_page":1,"last_page":1,"total":1}}"#)
  }

  private static func scan(_ types: Int..., event: String = plainEvent) -> String {
    Answers.response("201 Created", Answers.sale(tickets: lines(types), event: event))
  }

  private static let named = #"{"id":456,"name":"Gala","tickets":[{"id":12,"type":"VIP"},{"id":13,"type":"Floor"}]}"#

  // MARK: Names

  /// In both spellings of an identifier.
  @Test func namesComeFromTheListOfEvents() async throws {
    let bench = try await bench(Gate(types: ["VIP"]))
    expectEqual(try bench.rule.standing, .awaited)
    expect(await bench.directory.fetch())
    expectEqual(try bench.rule.standing, .open)
    bench.answering.set(sales: Self.sales(13), scan: Self.scan(12))
    let vip = try #require(await bench.attempt())
    expect(vip.bar == nil && vip.details.kind == "VIP", "\(vip)")
    guard case .bars(let bar) = await bench.inspect().word else { return unexpected("it is not barred") }
    expectEqual(bar.verdict, .refuse(.wrongKind))
    bench.answering.set(sales: Self.sales(13, 12), scan: Self.scan(13))
    await expectEqual(bench.inspect(), Inspection(.unknown, line: 2))
    await expectEqual(bench.attempt()?.bar?.verdict, .refuse(.wrongKind))
    await bench.close()
  }

  @Test func namesHoldForADayAtMost() async throws {
    let bench = try await bench(Gate(types: ["VIP"]))
    expect(await bench.directory.fetch())
    bench.answering.set(events: Answers.response("500 X", "{}"), scan: Self.scan(12))
    bench.time.advance(by: .seconds(80_000))
    expect(await !bench.directory.fetch())
    await expectEqual(bench.attempt()?.bar, nil)
    bench.time.advance(by: .seconds(7_000))
    await bench.directory.turn()
    await expectEqual(bench.attempt()?.bar?.verdict, .undecided(.outOfService))
    await bench.close()
  }

  /// A type that came after the list did is asked for again, and its tickets are not spent meanwhile.
  @Test func aTypeThatIsNewSpendsNoTicket() async throws {
    let bench = try await bench(Gate(types: ["VIP", "Box"]))
    expect(await bench.directory.fetch())
    bench.answering.set(sales: Self.sales(14))
    guard case .bars(let bar) = await bench.inspect().word else { return unexpected("it is not barred") }
    expectEqual(bar.verdict, .undecided(.interrupted))
    expect(bench.posts.isEmpty)
    bench.answering.set(events: Self.events(#"{"id":14,"type":"Box"}"#))
    expect(await bench.directory.fetch())
    await expectEqual(bench.inspect(), Inspection(.unknown, line: 1))
    await bench.close()
  }

  // MARK: Where nobody tells

  private static let place = "gates.vip.ticket.types (scangate.yaml:12:20)"

  private static var vip: Gate {
    var gate = Gate(types: ["VIP"])
    gate.typesPlace = place
    return gate
  }

  /// The key owns no event, and sales do not tell: nobody could ever pass.
  @Test(arguments: [
    noEvents, Answers.response("404 Not Found", #"{"message":"x"}"#), events(#"{"id":13,"type":"Floor"}"#),
  ])
  func aGateThatCanNeverTellSaysSoAndSpendsNoTicket(events: String) async throws {
    for unknown in [EventScheduleSection.UnknownEvent.lookUp, .redeem] {
      var gate = Self.vip
      gate.unknownEvent = unknown
      let bench = try await bench(gate)
      bench.answering.set(events: events, sales: Self.sales(12))
      let told = Mutex(0)
      try bench.rule.watch { told.withLock { $0 += 1 } }
      await bench.directory.asked()
      guard case .barred(.outOfService, let words) = try bench.rule.standing else {
        return unexpected("\(try bench.rule.standing)")
      }
      expect(words.contains(Self.place) && words.contains("ticket_id") && words.contains("“VIP”"), "\(words)")
      expect(told.withLock { $0 } > 0)
      guard case .bars(let bar) = await bench.inspect().word else { return unexpected("it is not barred") }
      expect(bar.verdict == .undecided(.outOfService) && bar.detail?.contains("ticket_id") == true, "\(bar)")
      expect(bench.posts.isEmpty)
      // What the list on board names passes all the same.
      expect(try bench.rule.takes(TicketDetails(kind: "VIP")))
      bench.answering.set(scan: Self.scan(12))
      await expectEqual(bench.attempt(listed: TicketDetails(kind: "VIP"))?.bar, nil)
      await bench.close()
    }
  }

  @Test func aListThatTellsKindsKeepsTheGateInService() async throws {
    for tellsKinds in [false, true] {
      let bench = try await bench(Self.vip, list: Kinds(hasKinds: tellsKinds))
      bench.answering.set(events: Self.noEvents, sales: Self.sales(12))
      expect(await bench.directory.fetch())
      expectEqual(try bench.rule.standing == .open, tellsKinds)
      await bench.close()
    }
  }

  /// A key that manages events of others: sales tell what the list of events does not.
  @Test func salesMayTell() async throws {
    let bench = try await bench(Self.vip)
    bench.answering.set(events: Self.noEvents, sales: Self.sales(12, event: Self.named))
    expect(await bench.directory.fetch())
    expectEqual(try bench.rule.standing, .open)
    bench.answering.set(scan: Self.scan(12, event: Self.named))
    await expectEqual(bench.attempt()?.bar, nil)
    await bench.close()
  }

  @Test func whatNobodyHasCalledSoIsDoubted() async throws {
    let bench = try await bench(Gate(types: ["VlP"]))
    bench.answering.set(sales: Self.sales(12, event: Self.named))
    expect(await bench.directory.fetch())
    guard case .unproven(let words) = try bench.rule.standing else { return unexpected("\(try bench.rule.standing)") }
    expect(words.contains("“VlP”"))
    await bench.close()
  }

  /// No sale yet, or none that the key may see: the first answer shows it, and is kept as ours.
  @Test func untilAnybodyHasToldTheGateIsReadyWithReservation() async throws {
    let bench = try await bench(Self.vip)
    bench.answering.set(
      events: Answers.response("403 Forbidden", #"{"message":"Access denied"}"#),
      sales: Answers.response("403 Forbidden", #"{"message":"Access denied"}"#), scan: Self.scan(12))
    expect(await !bench.directory.fetch())
    guard case .unproven(let words) = try bench.rule.standing else { return unexpected("\(try bench.rule.standing)") }
    expect(words.contains("Access denied") && words.contains("ticket_id"), "\(words)")
    await expectEqual(bench.inspect(), Inspection(.unknown))
    let bar = await bench.attempt()?.bar
    expect(bar?.verdict == .undecided(.outOfService) && bar?.detail?.contains("only this one still admits") == true)
    guard case .barred = try bench.rule.standing else { return unexpected("\(try bench.rule.standing)") }
    // None is spent after it.
    guard case .bars = await bench.inspect().word else { return unexpected("it is not barred") }
    expectEqual(bench.posts.count, 1)
    await bench.close()
  }

  /// An identifier needs nobody's names.
  @Test(arguments: [["12"], ["Mzg5Mjkw"], ["VIP", "12"]]) func identifiersAskNobody(types: [String]) async throws {
    let bench = try await bench(Gate(types: types))
    expectEqual(try bench.rule.standing, .open)
    bench.answering.set(scan: Self.scan(12))
    await expectEqual(bench.attempt()?.bar, nil)
    await bench.close()
  }

  // MARK: Several types in one sale

  @Test func ofSeveralTypesTheListDecides() async throws {
    let bench = try await bench(Gate(types: ["VIP"]))
    expect(await bench.directory.fetch())
    bench.answering.set(sales: Self.sales(13, 12), scan: Self.scan(13, 12))
    let found = await bench.inspect()
    let untold = await bench.attempt(line: found.line)
    expectEqual(untold?.bar?.verdict, .undecided(.interrupted))
    expect(bench.posts.last?.contains(#""sale_ticket_id":2"#) == true)
    await expectEqual(bench.attempt(listed: TicketDetails(kind: "VIP"), line: found.line)?.bar, nil)
    await expectEqual(bench.attempt(listed: TicketDetails(kind: "Floor"))?.bar?.verdict, .refuse(.wrongKind))
    await bench.close()
  }

  /// Somebody was let in by the list while the server was away: it is told of the ticket that the gate takes.
  @Test func whatIsToldLaterNamesTheMatchedLine() async throws {
    let bench = try await bench(Gate(types: ["VIP"]))
    expect(await bench.directory.fetch())
    bench.answering.set(sales: Self.sales(13, 12), scan: Self.scan(13, 12))
    let before = bench.venue.server.requests.count
    let told = await bench.attempt(listed: TicketDetails(kind: "VIP"), isOwed: true)
    expect(told != nil && told?.bar == nil)
    let requests = bench.venue.server.requests.dropFirst(before)
    expect(requests.count == 2 && requests.first?.hasPrefix("GET /api/tickets?") == true)
    expect(requests.last?.contains(#""sale_ticket_id":2"#) == true)
    // What finds no line tells the server nothing of it.
    bench.answering.set(sales: Self.sales())
    _ = await bench.attempt(listed: TicketDetails(kind: "VIP"), isOwed: true)
    expect(bench.posts.last?.contains("sale_ticket_id") == false)
    // A gate that takes all asks nothing besides.
    let all = try await self.bench(Gate(events: ["456"]))
    _ = await all.attempt(isOwed: true)
    expectEqual(all.venue.server.requests.count, 1)
    await all.close()
    await bench.close()
  }
}

/// A fresh list that names nobody.
private struct Kinds: TicketList {
  let hasKinds: Bool
  func find(_ code: Code) throws(TicketListFault) -> ListFinding? { nil }
  func state() throws(TicketListFault) -> TicketListState? {
    TicketListState(asOf: SystemTime().wall(), count: 1, age: .seconds(1))
  }
  func tellsKinds() throws(TicketListFault) -> Bool { hasKinds }
}
