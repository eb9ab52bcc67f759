import Expectations
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import EventSchedule

/// A gate that is bound to a venue, at a station whose server nobody reaches: what another station was told tells it which events are today's.
@Suite struct EventSharingTests {
  private static let gate = EventScheduleSection.Gate(venue: "8")

  /// A station: its directory, and the rule of a gate.
  private struct Station {
    let venue: Venue
    let events: EventDirectory
    let rule: GateRule?
    let time: MovableTime
    let answer: Answer
    var shared: SharedKnowledge { events.shared }

    func word(_ event: String) -> GateWord? { rule?.word(on: TicketDetails(eventID: event)) }
    func close() async {
      events.stop()
      await venue.close()
    }
  }

  /// What a server says to all requests; it can be changed.
  private final class Answer: Sendable {
    private let text: Mutex<String>
    init(_ text: String) { self.text = Mutex(text) }
    func set(_ text: String) { self.text.withLock { $0 = text } }
    var now: String { text.withLock { $0 } }
  }

  private static let away = Answers.response("503 Away", "")

  private func station(_ answer: String, gate: EventScheduleSection.Gate? = Self.gate) async throws -> Station {
    let answer = Answer(answer)
    let venue = try await Venue.open(ScriptedServer { _, _, connection in connection.send(answer.now) })
    let time = MovableTime()
    let book = EventBook(time: time)
    let events = EventDirectory(client: venue.client, book: book, time: time)
    let rule = gate.flatMap { EventRule($0, saleTicketID: nil, book: book, directory: events) }
    return Station(venue: venue, events: events, rule: rule?.gateRule, time: time, answer: answer)
  }

  private static func page(_ events: String...) -> String {
    Answers.response("200 OK", #"{"data":[\#(events.joined(separator: ","))],"meta":{"current_page":1,"last_page":1}}"#)
  }

  /// An event so many hours from now.
  private static func event(_ id: Int, venue: Int = 8, hours: Int = 1) -> String {
    let starts = (SystemTime().wall() + .seconds(hours * 3_600)).iso8601Seconds
    return
      #"{"id":"\#(id)","venue_id":"\#(venue)","name":"E\#(id)","starts_at":"\#(starts)","timezone":"UTC","tickets":[{"id":"7","type":"Stalls"}]}"#
  }

  /// What an office gives that no gate is bound at.
  private func given(_ events: String) async throws -> [UInt8] {
    let office = try await station(events, gate: nil)
    expect(await office.events.fetch())
    let told = try #require(office.shared.give(nil))
    expect(told.age < .seconds(60))
    await office.close()
    return told.bytes()
  }

  @Test func itKnowsThemBySomebodyElse() async throws {
    let bytes = try await given(
      Self.page(Self.event(1), Self.event(2, venue: 9), Self.event(3, hours: 200)))
    let north = try await station(Self.away)
    expect(await !north.events.fetch())
    guard case .barred(.outOfService, _) = north.rule?.standing else { return unexpected("it knows something") }
    expect(north.shared.wants(.seconds(3_600)))
    expectEqual(await north.shared.take(bytes, .seconds(3_600), SystemTime().wall()), nil)
    expectEqual(north.rule?.standing, .open)
    expectEqual(north.word("1"), .takes)
    for event in ["2", "3"] {
      guard case .bars(let bar)? = north.word(event) else { return unexpected("\(event) is not refused") }
      expectEqual(bar.verdict, .refuse(.wrongEvent))
    }
    // What was not given may be anywhere, and nobody passes for it.
    expectEqual(north.word("5"), .unknown)
    expectEqual(north.events.types(called: ["Stalls"]), .told)
    // What others were told it does not give as its own.
    expect(north.shared.give(nil) == nil)
    await north.close()
  }

  /// A day after its fetch it says nothing, however late it came.
  @Test func aDayEndsIt() async throws {
    let bytes = try await given(Self.page(Self.event(1)))
    let north = try await station(Self.away)
    expect(await !north.events.fetch())
    expect(!north.shared.wants(.seconds(86_401)))
    expectEqual(await north.shared.take(bytes, .seconds(86_401), SystemTime().wall()), nil)
    guard case .barred = north.rule?.standing else { return unexpected("one of yesterday is taken") }
    expectEqual(await north.shared.take(bytes, .seconds(80_000), SystemTime().wall()), nil)
    expectEqual(north.word("1"), .takes)
    north.time.advance(by: .seconds(6_500))
    await north.events.turn()
    guard case .barred = north.rule?.standing else { return unexpected("it holds for more than a day") }
    await north.close()
  }

  @Test func itsOwnServersWordCounts() async throws {
    let bytes = try await given(Self.page(Self.event(1)))
    let north = try await station(Self.page(Self.event(2)))
    expect(await north.events.fetch())
    // While its own tells, nothing is wanted, however old.
    north.time.advance(by: .seconds(7_200))
    expect(!north.shared.wants(.zero))
    expectEqual(await north.shared.take(bytes, .zero, SystemTime().wall()), nil)
    expect(north.word("2") == .takes && north.word("1") == .unknown)
    north.answer.set(Self.away)
    expect(await !north.events.fetch())
    // What is older, or hardly newer, is left.
    expect(!north.shared.wants(.seconds(7_000)) && north.shared.wants(.seconds(6_000)))
    expectEqual(await north.shared.take(bytes, .seconds(60), SystemTime().wall()), nil)
    expect(north.word("1") == .takes && north.word("2") == .unknown)
    north.answer.set(Self.page(Self.event(2)))
    expect(await north.events.fetch())
    expect(north.word("2") == .takes && north.word("1") == .unknown)
    expect(north.shared.give(nil) != nil)
    await north.close()
  }

  @Test func whatCannotBeReadChangesNothing() async throws {
    let bytes = try await given(Self.page(Self.event(1)))
    let north = try await station(Self.away)
    expect(await !north.events.fetch())
    expectEqual(await north.shared.take(bytes, .zero, SystemTime().wall()), nil)
    north.time.advance(by: .seconds(600))
    for wrong in [Array(bytes.dropLast()), [], bytes + [0]] {
      guard case .unreadable? = await north.shared.take(wrong, .zero, SystemTime().wall()) else {
        return unexpected("it is taken")
      }
    }
    expectEqual(await north.shared.take([9] + bytes.dropFirst(), .zero, SystemTime().wall()), .laterVersion)
    expectEqual(north.word("1"), .takes)
    await north.close()
  }

  /// A machine without a battery for its clock, and without its server: which day it is comes with what came.
  @Test func todayIsByTheClockThatCameWithIt() async throws {
    let bytes = try await given(Self.page(Self.event(1, hours: 60)))
    let north = try await station(Self.away)
    expect(await !north.events.fetch())
    expectEqual(await north.shared.take(bytes, .zero, SystemTime().wall() + .seconds(58 * 3_600)), nil)
    expectEqual(north.word("1"), .takes)
    await north.close()
  }

  /// It opens no earlier than where the ticket system tells the time.
  @Test func itOpensNoEarlierForThat() async throws {
    let bytes = try await given(Self.page(Self.event(1, hours: 3)))
    let north = try await station(Self.away, gate: EventScheduleSection.Gate(venue: "8", opens: .seconds(300)))
    expect(await !north.events.fetch())
    expectEqual(await north.shared.take(bytes, .zero, SystemTime().wall()), nil)
    guard case .bars(let bar)? = north.word("1") else { return unexpected("it is not too early") }
    expectEqual(bar.verdict, .refuse(.tooEarly))
    north.time.advance(by: .seconds(3 * 3_600 - 200))
    expectEqual(north.word("1"), .takes)
    await north.close()
  }

  /// Who cannot give says why, and not for the first that fails after it could.
  @Test func whyThereIsNothingIsTold() async throws {
    let office = try await station(Answers.response("403 Forbidden", #"{"message":"Access denied"}"#), gate: nil)
    expectEqual(office.shared.problem(), nil)
    expect(await !office.events.fetch())
    expect(office.shared.problem()?.contains("does not let this key see its events (403)") == true)
    office.answer.set(Self.page(Self.event(1)))
    expect(await office.events.fetch())
    office.answer.set(Self.away)
    expect(await !office.events.fetch())
    expectEqual(office.shared.problem(), nil)
    await office.close()
  }

  /// Where nobody here asks for events there is nothing to take, and a station that gives wants them.
  @Test func whoGivesWantsThem() async throws {
    let office = try await station(Self.page(Self.event(1)), gate: nil)
    expect(!office.shared.wants(.zero))
    expect(office.shared.give(nil) == nil)
    // Asked for once, it fetches by itself.
    await office.events.asked()
    let told = try #require(office.shared.give(nil))
    expect(office.shared.give(told.at) == nil)
    expect(try GivenEvents(told.bytes()).events.count == 1)
    await office.close()
    expect(office.shared.give(nil) == nil)
  }
}
