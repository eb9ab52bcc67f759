@testable import EventSchedule
import Expectations
import LinuxIO
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// Gates that take tickets of some events or types only, over a real connection.
@Suite struct EventGateTests {
  private static let code = "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"
  private typealias Gate = EventScheduleSection.Gate

  /// A server that redeems whatever it is asked for, and answers a search so.
  private func venue(
    _ gate: Gate, answer: String = Answers.sale(), search: String? = nil, status: String = "200 OK"
  ) async throws -> Venue {
    let server = ScriptedServer { _, request, connection in
      if request.hasPrefix("POST") { return connection.send(Answers.response("201 Created", answer)) }
      if let search { connection.send(Answers.response(status, search)) }
    }
    return try await Venue.open(server, gate: gate)
  }

  private func bar(_ gate: Gate, answer: String, listed: TicketDetails? = nil) async throws -> GateBar? {
    let venue = try await venue(gate, answer: answer)
    let outcome = await venue.attempt(listed: listed)
    await venue.close()
    guard case .redeemed(let redemption) = outcome.answer else {
      unexpected("\(outcome)")
      return nil
    }
    expect(outcome.mayHaveRedeemed)
    return redemption.bar
  }

  // MARK: Events

  /// Two shows of one key on one day: a ticket of the cheap one does not open the other.
  @Test func aTicketOfAnotherEventIsNotAdmittedOn() async throws {
    for ours in ["456", "Mzg5NzM0"] {
      try await expectEqual(bar(Gate(events: ["9", ours]), answer: Answers.sale()), nil)
    }
    let event = #"{"id":"Mzg5NzM0","name":"Concert 2025","starts_at":"2099-12-20 19:00:00"}"#
    let bar = try #require(
      try await bar(Gate(events: ["457", "Mzg5NzM1"]), answer: Answers.sale(event: event)))
    expectEqual(bar.verdict, .refuse(.wrongEvent))
    expectEqual(
      bar.detail,
      "The ticket is for “Concert 2025”, 2099-12-20 19:00. The ticket system has counted it: of all stations only this one "
        + "still admits on it.")
  }

  static let untold = [
    Answers.sale(event: "null", eventID: "null"), Answers.sale(event: "[]", eventID: "{}"),
    Answers.sale(event: "{}", eventID: "\"\""), Answers.sale(event: "{}", eventID: "1.5"),
    // Two events are none.
    Answers.sale(eventID: "457"), Answers.sale(eventID: "\"456x\""),
  ]

  @Test(arguments: untold) func anAnswerThatTellsNoEventAdmitsNobody(answer: String) async throws {
    try await expectEqual(bar(Gate(events: ["456", "457"]), answer: answer)?.verdict, .undecided(.badAnswer))
    try await expectEqual(bar(Gate(), answer: answer), nil)
  }

  @Test func oneOfBothNamesIsEnough() async throws {
    for answer in [Answers.sale(event: "[]"), Answers.sale(eventID: "null"), Answers.sale(eventID: "\"Mzg5NzM0\"")] {
      try await expectEqual(bar(Gate(events: ["456"]), answer: answer), nil)
    }
  }

  @Test func whatACodeNamesMayRefuseAndNeverAdmit() throws {
    let book = EventBook(time: SystemTime())
    let a = try #require(EventRule(Gate(events: ["456"]), saleTicketID: nil, book: book)?.gateRule)
    expectEqual(a.word(onNamed: "Mzg5NzM0"), .takes)
    // Of no event that anybody knows: a secret of another kind of server, say.
    for unknown in ["457", "Mzg5NzM1", "86Rf07", "", "456 "] { expectEqual(a.word(onNamed: unknown), .unknown) }
    // Until another gate admits to it.
    _ = EventRule(Gate(events: ["457"]), saleTicketID: nil, book: book)
    for known in ["457", "Mzg5NzM1"] {
      expectEqual(
        a.word(onNamed: known), .bars(GateBar(.refuse(.wrongEvent), detail: "The ticket is for another event.")))
    }
    expectEqual(a.word(onNamed: "458"), .unknown)
    let vip = try #require(EventRule(Gate(events: ["456"], types: ["VIP"]), saleTicketID: nil, book: book)?.gateRule)
    expectEqual(vip.word(onNamed: "456"), .unknown, "its type is not known yet")
  }

  @Test func theListsWordIsBelieved() throws {
    let book = EventBook(time: SystemTime())
    let rule = try #require(EventRule(Gate(events: ["456"]), saleTicketID: nil, book: book)?.gateRule)
    expect(rule.needsProof && rule.takes(TicketDetails(eventID: "Mzg5NzM0")) && rule.word(on: nil) == .unknown)
    expectEqual(rule.word(on: TicketDetails(event: "Gala")), .unknown)
    expectEqual(
      rule.bar(TicketDetails(event: "Gala", eventID: "457")),
      GateBar(.refuse(.wrongEvent), detail: "The ticket is for “Gala”."))
    expect(EventRule(Gate(seat: "1"), saleTicketID: nil, book: book) == nil, "a gate that takes all has no rule")
  }

  // MARK: Looking up

  private static func found(_ sales: String..., last: Int = 1) -> String {
    #"{"data":[\#(sales.joined(separator: ","))],"meta":{"current_page":1,"last_page":\#(last),"per_page":50,"total":1}}"#
  }

  private static func sale(
    _ event: Int, tickets: String = #"[{"id":1,"ticket_id":12,"quantity":1,"usage_status":"unused"}]"#
  )
    -> String
  {
    #"{"id":123,"status":"paid","name":"A","event_id":\#(event),"event":{"name":"Gala","tickets":["#
      + #"{"id":"Mzg5Mjkw","type":"VIP"},{"id":"Mzg5Mjkx","type":"Floor"}]},"tickets":\#(tickets)}"#
  }

  private func inspect(_ gate: Gate, _ search: String?, status: String = "200 OK", code: String = code) async throws
    -> (found: Inspection, requests: [String])
  {
    let venue = try await venue(gate, search: search, status: status)
    // A fault is asked for again as long as there is time.
    let patience = search == nil || !status.hasPrefix("200") ? Duration.milliseconds(300) : .seconds(60)
    let found = await venue.system.inspect(Code(code), deadline: SystemTime().now() + patience)
    await venue.close()
    return (found, venue.server.requests)
  }

  @Test func aLookUpFindsTheEventAndSpendsNothing() async throws {
    let (found, requests) = try await inspect(Gate(events: ["456"]), Self.found(Self.sale(457)))
    expectEqual(found, Inspection(.bars(GateBar(.refuse(.wrongEvent), detail: "The ticket is for “Gala”."))))
    expect(requests.count == 1 && requests[0].hasPrefix("GET /api/tickets?page=1&query=\(Self.code) "))
    try await expectEqual(inspect(Gate(events: ["456"]), Self.found(Self.sale(456))).found, Inspection(.unknown))
  }

  static let silent: [(status: String, body: String?)] = [
    ("200 OK", found()), ("200 OK", found(sale(457), sale(457))), ("200 OK", found(sale(457), last: 2)),
    ("429 Too Many Requests", #"{"error":"Rate limit exceeded"}"#), ("403 Forbidden", #"{"message":"Access denied"}"#),
    ("500 Internal Server Error", "{}"), ("503 Service Unavailable", ""), ("200 OK", "<html>"), ("302 Found", ""),
    ("200 OK", nil),
    // One of two cannot be read; or there are more than it shows.
    ("200 OK", found(sale(457), #"{"id":5}"#)),
    ("200 OK", #"{"data":[\#(sale(457))],"meta":{"current_page":1,"last_page":1,"total":2}}"#),
    ("200 OK", #"{"data":[\#(sale(457))],"meta":{"current_page":2,"last_page":2}}"#),
    ("200 OK", #"{"data":[\#(sale(457))],"meta":{"pagination":{"current_page":1,"last_page":3}}}"#),
  ]

  /// A search finds names, too, and anybody can buy a ticket by the name of somebody's code.
  @Test(arguments: [
    code, code.uppercased(), "A \(code) B", "\u{FF57}\u{FF4B}" + code.dropFirst(2), "w\u{301}" + code.dropFirst(),
    String(repeating: "x", count: 5_000) + code,
  ]) func aSaleThatIsFoundByATextIsNobodys(text: String) async throws {
    for place in [#""name":"A""#, #""name":"Gala""#] {
      let name = place.contains("Gala") ? "Gala" : "A"
      let named = Self.sale(457).replacing(place, with: place.replacing(name, with: text))
      expect(named != Self.sale(457))
      try await expectEqual(inspect(Gate(events: ["456"]), Self.found(named)).found, Inspection(.unknown), "\(text)")
    }
    let mailed = Self.sale(457).replacing(#""name":"A""#, with: #""email":"\#(text)@a.example""#)
    try await expectEqual(inspect(Gate(events: ["456"]), Self.found(mailed)).found, Inspection(.unknown), "\(text)")
  }

  /// It is asked for then, and the answer decides; and it is no proof that the ticket system is offline.
  @Test(arguments: silent) func aLookUpThatTellsNothingBarsNobody(test: (status: String, body: String?)) async throws {
    let (found, requests) = try await inspect(Gate(events: ["456"]), test.body, status: test.status)
    expect(found == Inspection(.unknown) && !requests.contains { $0.hasPrefix("POST") }, "\(found)")
  }

  @Test func onlyWholeSecretsAreLookedUp() async throws {
    for code in ["short", "%_%_%_%_%_%_%_%_%_", "wk8wfyzjrbrdv5r", "wk8wfyzjrbrdv5rxvjxjzpx9 ggum6uxl"] {
      let (found, requests) = try await inspect(Gate(events: ["456"]), Self.found(Self.sale(457)), code: code)
      expect(found == Inspection(.unknown) && requests.isEmpty, "\(code)")
    }
  }

  @Test func otherPoliciesAskNothing() async throws {
    let redeem = try await inspect(Gate(events: ["456"], unknownEvent: .redeem), Self.found(Self.sale(457)))
    expect(redeem.found == Inspection(.unknown) && redeem.requests.isEmpty)
    let refuse = try await inspect(Gate(events: ["456"], unknownEvent: .refuse), Self.found(Self.sale(456)))
    guard case .bars(let bar) = refuse.found.word else { return unexpected("\(refuse)") }
    expect(bar.verdict == .refuse(.wrongEvent) && refuse.requests.isEmpty)
    // Neither does a gate that takes all, nor one of a single sale's line.
    for gate in [Gate(), Gate(saleTicket: 7)] {
      let (found, requests) = try await inspect(gate, Self.found(Self.sale(457)))
      expect(found == Inspection(.unknown) && requests.isEmpty)
    }
  }

  // MARK: Types

  private static func typed(_ lines: (id: Int, type: Int)...) -> String {
    let tickets = lines.map {
      #"{"id":\#($0.id),"ticket_id":\#($0.type),"quantity":1,"usage_status":"used"}"#
    }
    return Answers.sale(
      tickets: "[\(tickets.joined(separator: ","))]",
      event: #"{"id":"Mzg5NzM0","tickets":[{"id":"Mzg5Mjkw","type":"VIP"},{"id":"Mzg5Mjkx","type":"Floor"}]}"#)
  }

  /// The server's entry path ignores which line was asked for: any entry ticket would pass the VIP gate.
  @Test(arguments: [["VIP"], ["12"], ["Mzg5Mjkw", "VIP"], ["12", "14"], ["Mzg5Mjkw"], ["V\u{200B}IP "]])
  func aGateTakesItsTypesAlone(types: [String]) async throws {
    let gate = Gate(types: types)
    try await expectEqual(bar(gate, answer: Self.typed((1, 12), (2, 12))), nil)
    try await expectEqual(bar(gate, answer: Self.typed((1, 13)))?.verdict, .refuse(.wrongKind))
    let mixed = Self.typed((1, 12), (2, 13))
    try await expectEqual(bar(gate, answer: mixed)?.verdict, .undecided(.interrupted))
    guard types.contains("VIP") else { return }
    try await expectEqual(bar(gate, answer: mixed, listed: TicketDetails(kind: "VIP")), nil)
    try await expectEqual(
      bar(Gate(types: ["VIP"]), answer: mixed, listed: TicketDetails(kind: "Floor"))?.verdict, .refuse(.wrongKind))
  }

  /// However its letters are composed, a name is the same.
  @Test func aTypesNameIsComparedAsItIsRead() async throws {
    let answer = Self.typed((1, 12)).replacing("VIP", with: "Cafe\u{301} \u{202E} Nord")
    try await expectEqual(bar(Gate(types: ["Caf\u{E9} Nord"]), answer: answer), nil)
    try await expectEqual(bar(Gate(types: ["Cafe Nord"]), answer: answer)?.verdict, .refuse(.wrongKind))
  }

  @Test func aGateOfTypesRefusesThemAsSuch() async throws {
    let found = try await inspect(Gate(unknownEvent: .refuse, types: ["VIP"]), nil).found
    guard case .bars(let bar) = found.word else { return unexpected("\(found)") }
    expectEqual(bar.verdict, .refuse(.wrongKind))
  }

  @Test func anAnswerThatTellsNoTypesAdmitsNobody() async throws {
    for tickets in ["[]", "null", "{}", "[null]", #"[{"id":1,"quantity":1}]"#] {
      let bar = try await bar(Gate(types: ["VIP"]), answer: Answers.sale(tickets: tickets))
      expectEqual(bar?.verdict, .undecided(.interrupted), "\(tickets)")
    }
  }

  @Test func theMatchedLineIsAskedFor() async throws {
    let lines =
      #"[{"id":1,"ticket_id":13,"usage_status":"unused"},{"id":2,"ticket_id":12,"usage_status":"used"},"#
      + #"{"id":3,"ticket_id":12,"usage_status":"unused"}]"#
    let gate = Gate(types: ["VIP"])
    let (found, _) = try await inspect(gate, Self.found(Self.sale(456, tickets: lines)))
    expectEqual(found, Inspection(.unknown, line: 3))
    let (none, _) = try await inspect(gate, Self.found(Self.sale(456, tickets: #"[{"id":1,"ticket_id":13}]"#)))
    guard case .bars(let bar) = none.word else { return unexpected("\(none)") }
    expectEqual(bar.verdict, .refuse(.wrongKind))
    let venue = try await venue(gate)
    _ = await venue.attempt(listed: nil, line: 3)
    expect(venue.server.requests.first?.contains(#""sale_ticket_id":3"#) == true)
    await venue.close()
  }

  // MARK: Too early

  @Test(arguments: [(1, true), (3, false)]) func beforeItOpensItIsTooEarly(hours: Int, isOpen: Bool) async throws {
    let starts = SystemTime().wall() + .seconds(hours * 3_600)
    let event = #"{"id":"Mzg5NzM0","name":"Gala","starts_at":"\#(starts.iso8601Seconds)"}"#
    let bar = try await bar(
      Gate(events: ["456"], opens: .seconds(2 * 3_600)), answer: Answers.sale(event: event))
    expectEqual(bar?.verdict, isOpen ? nil : .refuse(.tooEarly))
    try await expectEqual(self.bar(Gate(events: ["456"]), answer: Answers.sale(event: event)), nil)
  }

  /// What an answer has told is known before the next ticket is spent, by the server's clock.
  @Test func aTicketThatIsTooEarlyIsNotSpent() async throws {
    let starts = SystemTime().wall() + .seconds(5 * 3_600)
    let event = #"{"id":"Mzg5NzM0","name":"Gala","starts_at":"\#(starts.iso8601Seconds)"}"#
    let venue = try await venue(Gate(events: ["456"], opens: .seconds(3_600)), answer: Answers.sale(event: event))
    let rule = try #require(venue.system.rule)
    expectEqual(rule.word(onNamed: "456"), .takes)
    _ = await venue.attempt(listed: nil)
    for word in [rule.word(onNamed: "456"), rule.word(on: TicketDetails(eventID: "456"))] {
      guard case .bars(let bar) = word else { return unexpected("\(word)") }
      expect(bar.verdict == .refuse(.tooEarly) && bar.detail?.contains("“Gala”") == true)
    }
    await venue.close()
  }

  /// Of an event that recurs each day, the list tells for which day a ticket is: tomorrow's is not today's because of its time of day.
  @Test(arguments: ["America/New_York", "Pacific/Auckland", "UTC"])
  func aRecurringEventGoesByTheSalesDate(name: String) throws {
    let zone = try #require(ZoneRules.named(name))
    let book = EventBook(time: SystemTime())
    let now = SystemTime().wall()
    book.learn(date: now)
    let gate = try #require(
      EventRule(Gate(events: ["456"], opens: .seconds(2 * 3_600)), saleTicketID: nil, book: book)?.gateRule)
    var event = SaleEvent(name: "Gala")
    // It begins in one hour, as it did a month ago.
    let local = now.seconds + zone.offset(at: now.seconds) + 3_600
    let (today, second) = CivilDay.split(local)
    event.starts = WallTime(seconds: zone.time(local: (today.number - 28) * 86_400 + second))
    event.zone = name
    book.learn(event, as: EventID("456"))
    func word(_ days: Int64) -> GateWord {
      let begins = WallTime(seconds: zone.time(local: (today.number + days) * 86_400))
      let ends = WallTime(seconds: zone.time(local: (today.number + days + 1) * 86_400))
      return gate.word(on: TicketDetails(eventID: "456", date: .span(begins..<ends)))
    }
    expect(word(0) == .takes && word(-1) == .takes, "what is over is the ticket system's to say")
    guard case .bars(let bar) = word(1) else { return unexpected("tomorrow's is not too early") }
    expect(
      bar.verdict == .refuse(.tooEarly)
        && bar.detail?.contains("“Gala”, \(CivilDay(number: today.number + 1)) ") == true)
    // Where nobody tells the day, it is today.
    expectEqual(gate.word(on: TicketDetails(eventID: "456")), .takes)
  }

  @Test func anAnswersDateIsBelieved() async throws {
    let starts = SystemTime().wall() + .seconds(3_600 - 28 * 86_400)
    let event = #"{"id":"Mzg5NzM0","name":"Gala","starts_at":"\#(starts.iso8601Seconds)","timezone":"UTC"}"#
    for days in [0, 1] as [Int64] {
      let sold = CivilDay.split((starts + .seconds((28 + days) * 86_400)).seconds).day
      let answer = Answers.sale(event: event).replacing(#""email""#, with: #""event_date":"\#(sold)","email""#)
      try await expectEqual(
        bar(Gate(opens: .seconds(2 * 3_600)), answer: answer)?.verdict, days == 0 ? nil : .refuse(.tooEarly))
    }
  }

  /// West of UTC the real server is a day off: nobody overrules it, and its words are shown.
  @Test func thatATicketIsNotForTodayIsNeverOverruled() async throws {
    let event =
      #"{"id":456,"name":"Gala","starts_at":"\#(SystemTime().wall().iso8601Seconds)","timezone":"America/New_York"}"#
    let server = ScriptedServer { _, request, connection in
      let said = Answers.response("400 Bad Request", #"{"error":"This ticket is not valid for today"}"#)
      let found = Self.found(#"{"id":1,"status":"paid","event_id":456,"event":\#(event),"tickets":[]}"#)
      connection.send(request.hasPrefix("POST") ? said : Answers.response("200 OK", found))
    }
    let venue = try await Venue.open(server, gate: Gate(events: ["456"], opens: .seconds(3_600)))
    await expectEqual(
      venue.system.inspect(Code(Self.code), deadline: SystemTime().now() + .seconds(60)), Inspection(.unknown))
    let outcome = await venue.attempt(listed: TicketDetails(eventID: "456"))
    expectEqual(outcome.answer, .refused(.wrongDay, detail: "This ticket is not valid for today"))
    await venue.close()
  }

  @Test func whereNoBeginningIsToldNothingIsTooEarly() async throws {
    for event in ["[]", #"{"starts_at":null}"#, #"{"starts_at":"soon"}"#] {
      try await expectEqual(bar(Gate(opens: .seconds(60)), answer: Answers.sale(event: event)), nil)
    }
  }
}
