@testable import EventSchedule
import Expectations
import Foundation
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport
import WireText

/// Gates that are bound to a venue: whose events are known by the server's list alone.
@Suite struct EventVenueTests {
  private static let gate = EventScheduleSection.Gate(venue: "8")
  private static let place = "gates.a.ticket.events (scangate.yaml:9:15)"

  /// What the server answers to the list of events; it can be changed.
  private final class Listing: Sendable {
    private let answer = Mutex("")
    init(_ answer: String) { set(answer) }
    func set(_ answer: String) { self.answer.withLock { $0 = answer } }
    var now: String { answer.withLock { $0 } }
  }

  private struct Bench {
    let venue: Venue
    let events: EventDirectory
    let book: EventBook
    let whole: EventRule
    let rule: GateRule
    let listing: Listing
    let time: MovableTime

    func close() async {
      events.stop()
      await venue.close()
    }
  }

  private func bench(_ listing: Listing) async throws -> Bench {
    let server = ScriptedServer { _, request, connection in
      let isSecond = request.contains("page=2")
      let answers = listing.now.components(separatedBy: "\u{1}")
      connection.send(isSecond && answers.count > 1 ? answers[1] : answers[0])
    }
    let venue = try await Venue.open(server)
    let time = MovableTime()
    let book = EventBook(time: time)
    let events = EventDirectory(client: venue.client, book: book, time: time)
    var gate = Self.gate
    gate.eventsPlace = Self.place
    let rule = try #require(EventRule(gate, saleTicketID: nil, book: book, directory: events))
    return Bench(
      venue: venue, events: events, book: book, whole: rule, rule: rule.gateRule, listing: listing, time: time)
  }

  private static func page(_ events: String..., number: Int = 1, last: Int = 1) -> String {
    Answers.response(
      "200 OK",
      #"{"data":[\#(events.joined(separator: ","))],"meta":{"current_page":\#(number),"last_page":\#(last)}}"#)
  }

  /// An event so many hours from now.
  private static func event(_ id: Int, venue: String = "\"Mzg5Mjg2\"", hours: Int? = 1) -> String {
    let starts = hours.map { "\"\((SystemTime().wall() + .seconds($0 * 3_600)).iso8601Seconds)\"" } ?? "null"
    return #"{"id":"\#(id)","venue_id":\#(venue),"name":"E\#(id)","starts_at":\#(starts),"timezone":"UTC"}"#
  }

  private func isOurs(_ bench: Bench, _ event: String) -> Bool { bench.rule.takes(TicketDetails(eventID: event)) }

  @Test func itsEventsOfTodayAreTheGates() async throws {
    let bench = try await bench(
      Listing(
        Self.page(Self.event(1), Self.event(2, venue: "\"9\""), Self.event(3, hours: 60), last: 2) + "\u{1}"
          + Self.page(
            Self.event(4, venue: "8"), Self.event(5, hours: nil), Self.event(6, hours: -300), number: 2, last: 2)))
    guard case .bars(let unknown) = bench.rule.word(on: TicketDetails(eventID: "1")) else { return unexpected("taken") }
    expectEqual(unknown.verdict, .undecided(.unreachable))
    expectEqual(bench.rule.standing, .awaited)
    expect(await bench.events.fetch())
    expectEqual(bench.rule.standing, .open)
    for (event, isToday) in [
      ("1", true), ("2", false), ("3", false), ("4", true), ("5", true), ("6", true), ("7", nil),
    ] as [(String, Bool?)] {
      let word = bench.rule.word(on: TicketDetails(eventID: event))
      switch isToday {
      case true: expectEqual(word, .takes, "\(event)")
      case nil: expectEqual(word, .unknown, "what is not told may be somebody else's, and here")
      default: expectEqual(bench.rule.bar(TicketDetails(eventID: event))?.verdict, .refuse(.wrongEvent), "\(event)")
      }
    }
    expectEqual(bench.rule.bar(TicketDetails(eventID: "2"))?.verdict, .refuse(.wrongEvent))
    // The server knows it: a code that names it is of another gate.
    expect(bench.rule.word(onNamed: "2") != .unknown && bench.rule.word(onNamed: "7") == .unknown)
    await bench.close()
  }

  /// The only event of today is tonight's, with its types; of two nobody can tell.
  @Test func whatIsOnTonightIsTold() async throws {
    let types =
      #"[{"id":"1","type":"Stalls","quantity":300,"sold":{"\#(today)":280}},{"id":"2","type":"Circle","quantity":100,"sold":[]}]"#
    let tonight = Self.event(1).dropLast() + #","tickets":\#(types)}"#
    let bench = try await bench(Listing(Self.page(String(tonight), Self.event(2, hours: 60))))
    expect(bench.events.tonight == nil)
    expect(await bench.events.fetch())
    let told = try #require(bench.events.tonight)
    expectEqual(told.name, "E1")
    expectEqual(told.seats?.kinds.map(\.name), ["Stalls", "Circle"])
    expectEqual(told.seats?.capacity, 400)
    // It begins in an hour, which may be tomorrow.
    expect([280, 0].contains(told.seats?.sold))
    bench.listing.set(Self.page(Self.event(1), Self.event(3)))
    expect(await bench.events.fetch())
    expect(bench.events.tonight == nil)
    await bench.close()
  }

  private var today: String { String(SystemTime().wall().iso8601Seconds.prefix(10)) }

  @Test(arguments: [page(), page(event(1, venue: "9")), page(event(1, hours: 60)), page(event(1, venue: "null"))])
  func withoutEventsNobodyPassesAndItIsAnAlarm(answer: String) async throws {
    let bench = try await bench(Listing(answer))
    expect(await bench.events.fetch())
    // Whatever the ticket, and before the first one.
    for ticket in [nil, TicketDetails(eventID: "1")] {
      expectEqual(bench.rule.bar(ticket)?.verdict, .undecided(.outOfService))
    }
    guard case .barred(.outOfService, let words) = bench.rule.standing else {
      return unexpected("\(bench.rule.standing)")
    }
    expect(words.contains(Self.place) && words.contains("venue's identifier"), "\(words)")
    await bench.close()
  }

  static let faults: [(answer: String, reason: UndecidedReason)] = [
    (Answers.response("200 OK", "<html>", type: "text/html"), .badAnswer),
    (Answers.response("200 OK", "{}"), .badAnswer), (Answers.response("200 OK", #"{"data":7}"#), .badAnswer),
    (Answers.response("401 Unauthorized", #"{"error":"Invalid API key"}"#), .keyRefused),
    (Answers.response("403 Forbidden", #"{"message":"Access denied"}"#), .accessDenied),
    (Answers.response("404 Not Found", #"{"message":"not here"}"#), .badAnswer),
    (page(event(1), number: 2, last: 3), .badAnswer),
  ]

  @Test(arguments: faults) func whatFailsIsAnAlarmAndWhatWasToldHolds(
    test: (answer: String, reason: UndecidedReason)
  ) async throws {
    let bench = try await bench(Listing(test.answer))
    expect(await !bench.events.fetch())
    let bar = try #require(bench.rule.bar(nil))
    expectEqual(bar.verdict, .undecided(.outOfService))
    expect(bar.detail?.contains("test-key") == false && bar.detail?.contains(Self.place) == true)
    expectEqual(bench.rule.standing, .barred(.outOfService, bar.detail ?? ""))
    guard test.reason == .badAnswer else { return await bench.close() }
    bench.listing.set(Self.page(Self.event(1)))
    expect(await bench.events.fetch())
    bench.listing.set(test.answer)
    expect(await !bench.events.fetch())
    expect(isOurs(bench, "1"))
    // Not for ever.
    bench.time.advance(by: .seconds(90_000))
    await bench.events.turn()
    expectEqual(bench.rule.bar(TicketDetails(eventID: "1"))?.verdict, .undecided(.outOfService))
    await bench.close()
  }

  /// A server that tells other pages for ever is left.
  @Test func eventsThatNeverEndAreLeft() async throws {
    let bench = try await bench(Listing(Self.page(Self.event(1), number: 1, last: 1_000_000)))
    expect(await !bench.events.fetch())
    expect(bench.venue.server.requests.count == 2)
    await bench.close()
  }

  /// Real events have pages of description.
  @Test func aPageOfLongEventsIsRead() async throws {
    let long = Self.event(1).replacing(
      #""name""#, with: #""description":"\#(String(repeating: "x", count: 300_000))","name""#)
    let bench = try await bench(Listing(Self.page(long)))
    expect(await bench.events.fetch())
    expect(isOurs(bench, "1"))
    await bench.close()
  }

  /// More events than a page has, and before a release more bytes.
  @Test(arguments: 0..<extent(landing: 1, release: 2)) func whatIsTooMuchIsAnAlarm(index: Int) async throws {
    let events =
      index == 0
      ? Array(repeating: Self.event(1), count: 1_001)
      : [#"{"id":1,"name":"\#(String(repeating: "x", count: 4_500_000))"}"#]
    let bench = try await bench(Listing(Self.page(events.joined(separator: ","))))
    expect(await !bench.events.fetch())
    guard case .barred = bench.rule.standing else { return unexpected("\(bench.rule.standing)") }
    await bench.close()
  }

  /// The list tells a gate's events; of others a look-up and an answer may tell where they are.
  @Test func anEventOfSomebodyElsesIsKnownByItsVenue() async throws {
    let bench = try await bench(Listing(Self.page(Self.event(1))))
    expect(await bench.events.fetch())
    func sale(_ id: Int, _ venue: String, hours: Int = 1) throws -> Sale {
      let event = Self.event(id, venue: venue, hours: hours)
      let text = #"{"id":5,"status":"paid","event_id":\#(id),"event":\#(event),"tickets":[]}"#
      return try #require(Sale(try JSONValue([UInt8](text.utf8)), hiding: []))
    }
    let tests: [(sale: Sale, verdict: Verdict?)] = [
      (try sale(7, #""Mzg5Mjg2""#), nil), (try sale(8, "8"), nil), (try sale(9, "9"), .refuse(.wrongEvent)),
      (try sale(10, "8", hours: 60), .refuse(.wrongEvent)), (try sale(11, "null"), .undecided(.interrupted)),
      // Of the list's own, too, an answer is newer.
      (try sale(1, "9"), .refuse(.wrongEvent)),
    ]
    for (sale, verdict) in tests {
      let found = bench.whole.inspection(of: sale)
      if case .bars(let bar) = found.word { expectEqual(bar.verdict, verdict) } else { expectEqual(verdict, nil) }
      expectEqual(bench.whole.bar(sale, listed: nil, at: nil)?.verdict, verdict)
    }
    await bench.close()
  }

  /// A gate is told when its set is there, and it is fetched at once when somebody watches.
  @Test func aGateIsToldWhenItsSetComesAndGoes() async throws {
    let bench = try await bench(Listing(Answers.response("503 X", "")))
    let (told, tell) = AsyncStream.makeStream(of: GateStanding.self)
    let rule = bench.rule
    rule.watch { tell.yield(rule.standing) }
    var standings = told.makeAsyncIterator()
    guard case .barred(.outOfService, _)? = await standings.next() else { return unexpected("it is not told") }
    bench.listing.set(Self.page(Self.event(1)))
    // Once a probe is answered, nobody waits for the next turn.
    bench.time.advance(by: .seconds(10))
    bench.events.answered()
    while let standing = await standings.next(), standing != .open {}
    bench.time.advance(by: .seconds(90_000))
    bench.listing.set(Answers.response("503 X", ""))
    await bench.events.turn()
    while let standing = await standings.next() { if case .barred = standing { break } }
    await bench.close()
  }

  /// Where the list on board alone tells of a ticket, place and time are the server's.
  @Test func whatTheListNamesIsToldWithPlaceAndTime() async throws {
    let starts = SystemTime().wall() + .seconds(3_600)
    let elsewhere =
      #"{"id":2,"name":"Gala","venue_id":9,"venue":{"name":"Hall B"},"starts_at":"\#(starts.iso8601Seconds)","timezone":"UTC"}"#
    let bench = try await bench(Listing(Self.page(Self.event(1), elsewhere)))
    expect(await bench.events.fetch())
    let (day, second) = CivilDay.split(starts.seconds)
    let isToday = CivilDay.split(SystemTime().wall().seconds).day == day
    let clock = "\(CivilDay.clock(second).prefix(5))"
    expectEqual(
      bench.rule.bar(TicketDetails(event: "Gala of the list", eventID: "Mzg5Mjgw"))?.detail,
      "The ticket is for “Gala”, Hall B, \(isToday ? clock : "\(day) \(clock)").")
    await bench.close()
  }
}
