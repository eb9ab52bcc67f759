@testable import EventSchedule
import Expectations
import Foundation
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// Gates that are bound to a venue: whose events are known by the server's list alone.
@Suite struct EventVenueTests {
  private static let gate = EventScheduleSection.Gate(venue: "8")

  /// What the server answers to the list of events; it can be changed.
  private final class Listing: Sendable {
    private let answer = Mutex("")
    init(_ answer: String) { set(answer) }
    func set(_ answer: String) { self.answer.withLock { $0 = answer } }
    var now: String { answer.withLock { $0 } }
  }

  private struct Bench {
    let venue: Venue
    let events: VenueEvents
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
    let events = VenueEvents(client: venue.client, book: book, time: time)
    let rule = try #require(EventRule(Self.gate, saleTicketID: nil, book: book, venues: events)?.gateRule)
    return Bench(venue: venue, events: events, rule: rule, listing: listing, time: time)
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
    expect(await bench.events.fetch())
    bench.events.turn()
    for (event, isToday) in [
      ("1", true), ("2", false), ("3", false), ("4", true), ("5", true), ("6", true), ("7", false),
    ] {
      expectEqual(isOurs(bench, event), isToday, "\(event)")
    }
    expectEqual(bench.rule.bar(TicketDetails(eventID: "2"))?.verdict, .refuse(.wrongEvent))
    // The server knows it: a code that names it is of another gate.
    expect(bench.rule.word(onNamed: "2") != .unknown && bench.rule.word(onNamed: "7") == .unknown)
    await bench.close()
  }

  @Test(arguments: [page(), page(event(1, venue: "9")), page(event(1, hours: 60)), page(event(1, venue: "null"))])
  func withoutEventsNobodyPassesAndItIsAnAlarm(answer: String) async throws {
    let bench = try await bench(Listing(answer))
    expect(await bench.events.fetch())
    bench.events.turn()
    // Whatever the ticket.
    for ticket in [nil, TicketDetails(eventID: "1")] {
      expectEqual(bench.rule.bar(ticket)?.verdict, .undecided(.badAnswer))
    }
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
    bench.events.turn()
    let bar = try #require(bench.rule.bar(nil))
    expectEqual(bar.verdict, .undecided(test.reason))
    expect(bar.detail?.contains("test-key") == false)
    guard test.reason == .badAnswer else { return await bench.close() }
    bench.listing.set(Self.page(Self.event(1)))
    expect(await bench.events.fetch())
    bench.listing.set(test.answer)
    expect(await !bench.events.fetch())
    bench.events.turn()
    expect(isOurs(bench, "1"))
    // Not for ever.
    bench.time.advance(by: .seconds(90_000))
    expectEqual(bench.rule.bar(TicketDetails(eventID: "1"))?.verdict, .undecided(.badAnswer))
    await bench.close()
  }

  /// A server that tells other pages for ever is left.
  @Test func eventsThatNeverEndAreLeft() async throws {
    let bench = try await bench(Listing(Self.page(Self.event(1), number: 1, last: 1_000_000)))
    expect(await !bench.events.fetch())
    expect(bench.venue.server.requests.count == 2)
    await bench.close()
  }
}
