@testable import StationSetUp
import Expectations
import Foundation
@testable import Gateway
import ScanModel
import Admission
import Testing

/// The event stream's contract, as `docs/events.md` writes it down.
@Suite struct EventTests {
  private static let hostile = "\u{1B}[2J\"\\\u{202E}evil\u{2028}\n\u{0}"

  private static func scan(_ verdict: Verdict, firstUse: WallTime) -> DecidedScan {
    DecidedScan(
      scan: Scan(
        gate: GateID("north"), reader: ReaderID("left"), code: Code("secret-code-\(hostile)"),
        symbology: AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "1")),
        readAt: MonotonicTime(nanoseconds: 1)),
      verdict: verdict, readAt: WallTime(seconds: 1_766_000_000), decidedIn: .microseconds(12_345),
      details: TicketDetails(
        holder: hostile, event: "Zoë's", tickets: [.init(id: 7, quantity: 2, isUsed: true)]), admitted: 1,
      allowance: 2, decider: .server, isProvisional: true, note: .ownLostAnswer,
      firstUse: .init(gate: nil, at: firstUse, request: AttemptID(hexadecimal: "0123456789abcdef0123456789abcdef")),
      detail: hostile,
      outputFault: nil)
  }

  private static var conflict: OutboxConflict {
    let now = JournalTime(wall: WallTime(seconds: 1), monotonic: MonotonicTime(nanoseconds: 1), isTrusted: true)
    let owed = OwedAdmission(
      attempt: AttemptID(), scan: scan(.admit, firstUse: WallTime(seconds: 0)).scan, system: TicketSystemID("venue"),
      server: "server", ticket: TicketKey([1]), decider: .policy, mayBeTold: false, at: now, boot: BootID("boot"))
    let told = ToldAdmission(attempt: owed.attempt, ending: .contradicted, reason: .refunded, said: hostile, at: now)
    return OutboxConflict(owed: owed, told: told)
  }

  private static let events: [GatewayEvent] = [
    .scan(scan(.admit, firstUse: WallTime(seconds: 0))),
    .scan(scan(.refuse(.alreadyUsed), firstUse: WallTime(nanoseconds: .min))),
    .scan(scan(.undecided(.unreachable), firstUse: WallTime(nanoseconds: .max))),
    .repeat(gate: GateID("north"), reader: ReaderID("left"), code: Code(hostile), at: WallTime(seconds: -1)),
    .attempt(
      UnansweredAttempt(
        attempt: AttemptID(), scan: ScanID(), gate: GateID("north"), code: Code(hostile), state: .lost,
        at: WallTime(seconds: 1))),
    .device(reader: ReaderID("left"), state: .failed(hostile), at: WallTime(seconds: 1)),
    .discarded(reader: ReaderID("left"), reason: .overflow, characters: .max, at: WallTime(seconds: 1)),
    .identityChanged(
      reader: ReaderID("left"), before: DeviceDescription(model: "0c2e:0901", name: hostile, serial: hostile),
      after: DeviceDescription(model: nil), at: WallTime(seconds: 1)),
    .dropped(count: 3),
    .gate(GateID("north"), .ready, at: WallTime(seconds: 1)),
    .gate(GateID("north"), .fault(.keyRefused, hostile), at: WallTime(seconds: 1)),
    .gate(GateID("north"), .maintenance, at: WallTime(seconds: 1)),
    .input(gate: GateID("north"), input: "door", isActive: true, at: WallTime(seconds: 1)),
    .ticketSystem(TicketSystemID("venue"), offline: nil, owed: 0, at: WallTime(seconds: 1)),
    .ticketSystem(TicketSystemID("venue"), offline: .noAddress, owed: 3, at: WallTime(seconds: 1)),
    .clock(
      ClockEvent(
        system: TicketSystemID("venue"), state: .stationWrong, ahead: .seconds(-300), detail: hostile,
        at: WallTime(seconds: 1))),
    .conflict(conflict),
    .journal(.working, at: WallTime(seconds: 1)),
    .journal(.failing(JournalFault(.full, hostile)), at: WallTime(seconds: 1)),
    .journal(.noticed(hostile), at: WallTime(seconds: 1)),
    .journal(.doubted(hostile), at: WallTime(seconds: 1)),
    .journal(.accepted, at: WallTime(seconds: 1)),
    .configuration(.applied, at: WallTime(seconds: 1)),
    .configuration(.kept([hostile, "second"]), at: WallTime(seconds: 1)),
    .configuration(.needsRestart(["first"]), at: WallTime(seconds: 1)),
    .gate(GateID("north"), .notSetUp(hostile), at: WallTime(seconds: 1)),
    .gate(GateID("north"), .closed(hostile), at: WallTime(seconds: 1)),
    .setUp(SetUpEvent(state: .armed, at: WallTime(seconds: 1))),
    .setUp(
      SetUpEvent(
        state: .refused, reason: .untrusted, gate: GateID("north"), reader: ReaderID("left"), detail: hostile,
        at: WallTime(seconds: 1))),
    .control(ControlEvent(state: .fault, kind: .server, detail: hostile, at: WallTime(seconds: 1))),
  ]

  @Test(arguments: events) func eachEventIsOneLineOfJSONWhoseFieldsAreDocumented(_ event: GatewayEvent) throws {
    let line = event.jsonLine
    expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" && $0 != "\u{2028}" })
    expect(!line.contains("secret-code"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let document = try String(contentsOf: Self.document, encoding: .utf8)
    let type = try #require(object["type"] as? String)
    expect(document.contains("`\(type)`") || document.contains("\"\(type)\""))
    for key in object.keys where key != "type" {
      expect(document.contains("`\(key)`") || document.contains("\"\(key)\""), "\(key)")
    }
  }

  @Test func hostileTextComesThroughEscapedAndWhole() throws {
    let line = GatewayEvent.scan(Self.scan(.admit, firstUse: WallTime(seconds: 0))).jsonLine
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    expect(object["holder"] as? String == Self.hostile)
    expect(object["decided_ms"] as? Double == 12.345)
    expect(object["reason"] is NSNull)
    expect(object["first_used_request"] as? String == "0123456789abcdef0123456789abcdef")
  }

  @Test func theEventsIdentifierIsToldWhereItIsKnown() throws {
    var scan = Self.scan(.admit, firstUse: WallTime(seconds: 0))
    expect(!GatewayEvent.scan(scan).jsonLine.contains("event_id"))
    scan.details.eventID = "Mzg5Mjg2"
    expect(GatewayEvent.scan(scan).jsonLine.contains("\"event\":\"Zoë's\",\"event_id\":\"Mzg5Mjg2\""))
  }

  @Test func kindSeatsAndEndAreToldWhereTheyAreKnown() throws {
    var scan = Self.scan(.admit, firstUse: WallTime(seconds: 0))
    func object() throws -> [String: Any] {
      let line = GatewayEvent.scan(scan).jsonLine
      expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
      return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let before = try object()
    expect(Set(before.keys).isDisjoint(with: ["kind", "seats", "ends_at"]))
    expect(GatewayEvent.scan(scan).jsonLine.contains(#""tickets":[{"id":7,"quantity":2,"used":true}],"admitted""#))
    scan.details.kind = "Level \(Self.hostile)"
    scan.details.seats = ["Row 1, 7", Self.hostile] + (1...100).map { "\($0)" }
    scan.details.ends = WallTime(seconds: 0)
    scan.details.tickets = [.init(id: .text(Self.hostile), quantity: 1, isUsed: false)]
    let told = try object()
    expect(told["kind"] as? String == "Level \(Self.hostile)")
    let seats = try #require(told["seats"] as? [String])
    expect(seats.count == TicketDetails.mostSeats && seats[1] == Self.hostile)
    expect(told["ends_at"] as? String == "1970-01-01T00:00:00.000Z")
    expect((told["tickets"] as? [[String: Any]])?.first?["id"] as? String == Self.hostile)
    let document = try String(contentsOf: Self.document, encoding: .utf8)
    for key in told.keys { expect(document.contains("`\(key)`") || document.contains("\"\(key)\""), "\(key)") }
  }

  @Test func whatIsNeverUsedUpHasNoAllowance() throws {
    var scan = Self.scan(.admit, firstUse: WallTime(seconds: 0))
    scan.allowance = Entitlement.unlimited
    let line = GatewayEvent.scan(scan).jsonLine
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    expect(object["allowance"] is NSNull && object["admitted"] as? Int == 1)
  }

  @Test func everyReasonStateAndNoteIsDocumented() throws {
    let document = try String(contentsOf: Self.document, encoding: .utf8)
    let names =
      RefuseReason.allCases.map(\.rawValue) + UndecidedReason.allCases.map(\.rawValue)
      + DiscardReason.allCases.map(\.rawValue) + AttemptDecision.Note.allCases.map(\.rawValue)
      + OfflineCause.allCases.map(\.rawValue) + SetUpRefusal.allCases.map(\.rawValue)
      + ControlFaultKind.allCases.map(\.rawValue) + SetUpEvent.State.allCases.map(\.rawValue)
      + ControlEvent.State.allCases.map(\.rawValue) + ClockEvent.State.allCases.map(\.rawValue)
      + [
        "pending", "lost", "redeemedLate", "surplus", "settled", "parked", "waiting", "reading", "failed", "ready",
        "fault", "maintenance", "online", "offline", "contradicted", "unsettled", "tooLate", "active", "inactive",
        "applied", "kept", "needsRestart", "notSetUp", "closed",
      ]
    for name in names { expect(document.contains("`\(name)`"), "\(name)") }
  }

  /// Years before 1677 saturate; a server may send them (the zero time of Go is the year 1).
  @Test func timesAtTheEndsOfTheRangeAreWritten() {
    expect(WallTime(seconds: -62_135_596_800).iso8601.hasPrefix("1677-09-21T"))
    expect(WallTime(nanoseconds: .max).iso8601.hasPrefix("2262-04-11T"))
    expectEqual(WallTime(seconds: 0).iso8601, "1970-01-01T00:00:00.000Z")
    expectEqual(WallTime(nanoseconds: -1).iso8601, "1969-12-31T23:59:59.999Z")
    expectEqual(WallTime(seconds: 951_782_400).iso8601, "2000-02-29T00:00:00.000Z")
  }

  @Test func aSlowSubscriberIsToldWhatItLost() async {
    let hub = EventHub(capacity: 4)
    let stream = hub.subscribe()
    for count in 0..<10 {
      hub.emit(.discarded(reader: ReaderID("\(count)"), reason: .overflow, characters: 1, at: WallTime(seconds: 0)))
    }
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<4 { _ = await iterator.next() }
    hub.emit(.gate(GateID("north"), .ready, at: WallTime(seconds: 0)))
    _ = await iterator.next()
    await expectEqual(iterator.next(), .dropped(count: 6))
  }

  private static var document: URL {
    repositoryFile("docs/events.md")
  }
}
