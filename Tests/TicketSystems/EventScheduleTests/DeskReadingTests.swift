import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit
import TicketTransport
import WireText

@testable import EventSchedule

/// What servers tell the desk, in the document's shape and the real ones'.
@Suite struct DeskReadingTests {
  static let documented = """
    {"id":456,"name":"Concert 2025","starts_at":"2025-12-20T19:00:00Z","ends_at":"2025-12-20T22:00:00Z",
     "timezone":"Europe/Berlin","venue_id":8,"venue":{"id":8,"name":"Hall A"},
     "tickets":[{"id":101,"type":"Standard","price":10.5,"quantity":100,"sold":3}]}
    """
  static let real = """
    {"id":"Mzg5NzM0","url":"https://e.example/concert","slug":"concert","name":"Concert 2025","description":"Two halls",
     "description_html":"<p>Two halls</p>","starts_at":"2025-12-20 19:00:00","duration":3,"timezone":"Europe/Berlin",
     "venue_id":"Mzg5Mjg2","venue":{"id":"Mzg5Mjg2","name":"Hall A","subdomain":"hall-a","rooms":[{"id":"x","name":"Foyer"}]},
     "tickets_enabled":true,"ticket_currency_code":"EUR","event_url":null,"flyer_image_url":"flyer.png","category":{"id":3,"name":"Music"},
     "notification_settings":[],"members":[],"tickets":[{"id":"Mzg5Mzc5","type":"Standard","price":"10.000","quantity":100,"sold":[]},
     {"id":"Mzg5Mzgw","type":"VIP","price":"25.000","quantity":null,"sold":{"2025-12-20":2}}],
     "schedules":[{"id":"a","subdomain":"hall-a","pivot":null}],"curator_role":null}
    """

  static func value(_ text: String) throws -> JSONValue { try JSONValue([UInt8](text.utf8)) }

  @Test func bothShapesOfAnEventAreRead() throws {
    let clocks = DeskClocks()
    for (text, id, price) in [(Self.documented, "456", "10.5"), (Self.real, "Mzg5NzM0", "10.000")] {
      let event = try #require(DeskEvent(try Self.value(text), hiding: []))
      expectEqual(event.id, id)
      expectEqual(event.starts?.iso8601Seconds, "2025-12-20T19:00:00Z")
      expectEqual(event.ends?.iso8601Seconds, "2025-12-20T22:00:00Z")
      expectEqual(event.cells(clocks), [id, "2025-12-20 20:00", "Concert 2025", "Hall A"])
      expectEqual(event.tickets.first?.price, price)
      expectEqual(event.told["starts_at"], .string("2025-12-20T19:00:00Z"))
      expectEqual(event.told["ends_at"], .string("2025-12-20T22:00:00Z"))
    }
    let event = try #require(DeskEvent(try Self.value(Self.real), hiding: []))
    expectEqual(event.subdomains.first, "hall-a")
    expectEqual(event.rooms, ["Foyer"])
    expectEqual(event.tickets.map(\.sold), [0, 2])
    expectEqual(event.tickets[1].words, "VIP (Mzg5Mzgw): 25.000, 2 sold")
    expectEqual(event.told["members"], .object([:]))
    expectEqual(event.told["tickets"]?.elements.first?["sold"], .object([:]))
    expect(event.fields(clocks).contains { $0.name == "Starts" && $0.text == "2025-12-20 20:00 Europe/Berlin" })
  }

  @Test(arguments: [
    "{}", "[]", "null", "7", "\"event\"", #"{"id":null}"#, #"{"id":[]}"#, #"{"id":{}}"#, #"{"id":""}"#,
    #"{"id":"a b"}"#,
    #"{"id":1.5}"#,
  ])
  func whatHasNoIDIsNothing(text: String) throws {
    let value = try Self.value(text)
    expect(DeskEvent(value, hiding: []) == nil)
    expect(DeskProfile(value, hiding: []) == nil)
    expect(DeskSale(value, hiding: []) == nil)
    expect(DeskCheckIn(value, hiding: []) == nil)
  }

  /// Whatever a member is, the others are read.
  @Test(arguments: [
    "null", "[]", "{}", "true", "1e400", "-1", #""""#, #""\u001b[2J""#, #"[[[[]]]]"#, #"{"a":{"b":[1]}}"#,
    "99999999999999999999",
  ])
  func wrongTypesAreMissingAndNeverATrap(odd: String) throws {
    let names = [
      "name", "starts_at", "ends_at", "duration", "timezone", "venue_id", "venue", "tickets", "members", "schedules",
      "notification_settings", "category", "status", "email", "event", "event_id", "checked_in_at", "attendee_name",
      "notes", "action", "subdomain", "city", "rooms",
    ]
    let clocks = DeskClocks(.utc)
    for name in names {
      let value = try Self.value(#"{"id":7,"\#(name)":\#(odd)}"#)
      let event = try #require(DeskEvent(value, hiding: []))
      let sale = try #require(DeskSale(value, hiding: []))
      let profile = try #require(DeskProfile(value, hiding: []))
      let checkIn = try #require(DeskCheckIn(value, hiding: []))
      for text in [
        event.cells(clocks) + event.fields(clocks).map(\.text), sale.cells(clocks) + sale.fields(clocks).map(\.text),
        profile.cells(clocks) + profile.fields(clocks).map(\.text), checkIn.cells(clocks),
        [event.told, sale.told, profile.told, checkIn.told].map { $0.shown(hiding: []) },
      ].joined() {
        expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(name): \(text)")
      }
    }
  }

  @Test func salesAreReadInBothShapes() throws {
    let clocks = DeskClocks(.utc)
    let sale = try #require(
      DeskSale(
        try Self.value(
          #"{"id":123,"status":"paid","name":"John Doe","email":"john@example.com","event_id":456,"event":{"name":"Concert"},"tickets":[{"id":1,"ticket_id":2,"quantity":2,"usage_status":"used"},{"id":2,"quantity":1,"usage_status":"unused"}]}"#
        ), hiding: []))
    expectEqual(sale.cells(clocks), ["123", "paid", "2+1", "1/2", "John Doe", "Concert"])
    let ticket = try #require(
      DeskSale(
        try Self.value(
          #"{"id":"T123","status":"voided","holder_name":"Ann","event_id":"E1","event_name":"Gala","quantity":"1","ticket_code":"XYZ-789-QQ"}"#
        ), hiding: []))
    expectEqual(ticket.cells(clocks), ["T123", "voided", "1", "-", "Ann", "Gala"])
  }

  @Test func codesAndKeysAreNeverPrinted() throws {
    let key = try Secret("sesame-sesame-1")
    let value = try Self.value(
      #"{"id":1,"secret":"wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl","name":"x sesame-sesame-1 y","tickets":[{"entries":[{"secret":"abcdefghijklmnopqrstuvwx"}]}],"password":"open"}"#
    )
    let shown = value.shown(hiding: [key.redaction])
    for secret in ["sesame", "wk8wf", "m6uxl", "abcde", "tuvwx", "open"] {
      expect(!shown.contains(secret), "\(secret) in \(shown)")
    }
    expect(shown.contains("(secret)"), "\(shown)")
  }

  @Test func hostileNamesSteerNoTerminal() throws {
    let value = try Self.value(#"{"id":1,"name":"a\u001b]0;x\u0007\u202e\u0000b","\u001b[2J":"\u001b[31m"}"#)
    let event = try #require(DeskEvent(value, hiding: []))
    let lines = event.cells(DeskClocks(.utc)) + [event.told.shown(hiding: []), value.shown(hiding: [])]
    for line in lines {
      expect(line.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "\(line)")
    }
  }

  // MARK: Identifiers

  @Test(arguments: [(1, "Mzg5Mjc5"), (8, "Mzg5Mjg2"), (456, "Mzg5NzM0")] as [(Int64, String)])
  func identifiersAreOneInBothSpellings(number: Int64, text: String) {
    expectEqual(PublicID.encoded("\(number)"), text)
    expectEqual(PublicID.number(text), number)
    expect(PublicID.areSame("\(number)", text) && PublicID.areSame(text, "\(number)"))
    expect(!PublicID.areSame("\(number + 1)", text))
  }

  @Test(arguments: ["", "abc", "0", "01", "-5", "+5", "Mzg5Mjc4", "MQ==", "a/../b", "9999999999999999999", "E1"])
  func otherIdentifiersAreComparedAsTheyAre(text: String) {
    expectEqual(PublicID.number(text), nil)
    expect(PublicID.areSame(text, text) && !PublicID.areSame(text, text + "x"))
    expectEqual(PublicID.encoded(text), text)
  }

  @Test(arguments: [UInt64](1...20)) func identifiersComeBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let number = Int64.random(in: 1...999_999_999_999_999, using: &random)
      let text = PublicID.encoded("\(number)")
      expectEqual(PublicID.number(text), number, "seed \(seed)")
      expectEqual(PublicID.number(String(text.reversed().drop { $0 == "=" }.reversed())), number, "seed \(seed)")
    }
  }

  // MARK: Pages

  private func page(_ elements: [Int], _ meta: String? = nil) throws -> JSONValue {
    let data = elements.map { #"{"id":\#($0)}"# }.joined(separator: ",")
    return try Self.value(#"{"data":[\#(data)]\#(meta.map { #","meta":\#($0)"# } ?? "")}"#)
  }

  @Test(arguments: [
    #"{"last_page":3}"#, #"{"pagination":{"last_page":3}}"#, #"{"pagination":{"total_pages":"3"}}"#,
    #"{"current_page":1,"last_page":3,"pagination":[]}"#,
  ])
  func listsEndWhereTheServerSaysSo(meta: String) throws {
    var walk = PageWalk()
    for number in 1...2 {
      expectEqual(walk.page, number)
      let taken = try #require(walk.take(try page([number], meta)))
      expectEqual(taken.elements.count, 1)
      expectEqual(taken.end, nil)
    }
    expectEqual(try #require(walk.take(try page([3], meta))).end, .whole)
  }

  @Test(arguments: [nil, "null", "[]", "{}", "7", #"{"last_page":null}"#, #"{"last_page":"x"}"#, #"{"last_page":-1}"#])
  func withoutPagesThereIsOne(meta: String?) throws {
    var walk = PageWalk()
    expectEqual(try #require(walk.take(try page([1, 2], meta))).end, .whole)
  }

  @Test func aPageThatComesAgainEndsTheList() throws {
    var walk = PageWalk()
    let meta = #"{"last_page":1000000}"#
    expectEqual(try #require(walk.take(try page([1], meta))).end, nil)
    expectEqual(try #require(walk.take(try page([2], meta))).end, nil)
    let again = try #require(walk.take(try page([1], meta)))
    expectEqual(again.end, .repeated)
    expect(again.elements.isEmpty)
  }

  @Test func listsEndAfterTheMostPages() throws {
    var walk = PageWalk(most: 50)
    for number in 1..<50 { expectEqual(try #require(walk.take(try page([number], #"{"last_page":99}"#))).end, nil) }
    expectEqual(try #require(walk.take(try page([50], #"{"last_page":99}"#))).end, .tooMany)
    expectEqual(PageWalk.most, 10_000)
  }

  @Test(arguments: ["7", "null", #""x""#, #"{"data":7}"#, #"{"data":{"id":1}}"#, #"{"items":[]}"#])
  func whatIsNoListIsNone(text: String) throws {
    var walk = PageWalk()
    expect(walk.take(try Self.value(text)) == nil)
  }

  @Test(arguments: ["[]", #"{"data":[]}"#, #"{"data":{}}"#, #"{"data":{"5":{"id":5},"10":{"id":10}},"meta":[]}"#])
  func emptyAndGappyListsAreRead(text: String) throws {
    var walk = PageWalk()
    let taken = try #require(walk.take(try Self.value(text)))
    expectEqual(taken.end, .whole)
    expectEqual(taken.elements.compactMap { $0["id"]?.integer }, text.contains("10") ? [5, 10] : [])
  }

  // MARK: Answers

  private func answer(_ status: Int, _ body: String, json: Bool = true, changes: Bool) -> Result<JSONValue, DeskFault> {
    DeskAnswer(
      HTTPAnswer(status: status, mediaType: json ? "application/json" : "text/html", body: [UInt8](body.utf8)),
      to: "PATCH /api/x", host: "host:1", changes: changes, hiding: [], words: ServerWords()
    ).result
  }

  private func name(_ result: Result<JSONValue, DeskFault>) -> String {
    switch result {
    case .success: "done"
    case .failure(.noWay): "noWay"
    case .failure(.refused): "refused"
    case .failure(.unavailable): "unavailable"
    case .failure(.unclear): "unclear"
    }
  }

  @Test(
    arguments: [
      (200, "{}", true, "done", "done"), (201, "{}", true, "done", "done"), (204, "", false, "done", "done"),
      (200, "<html>", false, "unavailable", "unclear"), (200, "{", true, "unavailable", "unclear"),
      (200, #"{"a":1,"a":2}"#, true, "unavailable", "unclear"),
      (302, "", false, "unavailable", "unclear"), (301, #"{"error":"x"}"#, true, "unavailable", "unclear"),
      (401, #"{"error":"Unauthorized"}"#, true, "refused", "refused"),
      (401, "<html>", false, "unavailable", "unclear"),
      (403, #"{"error":"Unauthorized"}"#, true, "refused", "refused"),
      (403, #"{"message":"Access denied"}"#, true, "refused", "refused"),
      (403, #"{"error":"You are not authorized to scan this ticket"}"#, true, "refused", "refused"),
      (403, "blocked", false, "unavailable", "unclear"),
      (404, #"{"error":"Ticket not found"}"#, true, "refused", "refused"),
      (404, #"{"message":"No query results for model [App\\Models\\Sale] 123"}"#, true, "refused", "refused"),
      (404, #"{"message":"The route api/tickets/1/refund could not be found."}"#, true, "noWay", "noWay"),
      (404, "<html>", false, "noWay", "noWay"), (404, "{}", true, "noWay", "noWay"),
      (405, #"{"message":"The PUT method is not supported for route api/events/5."}"#, true, "noWay", "noWay"),
      (405, "<html>", false, "noWay", "noWay"),
      (
        422, #"{"message":"The name field is required.","errors":{"name":["The name field is required."]}}"#, true,
        "refused", "refused"
      ),
      (429, #"{"error":"Rate limit exceeded"}"#, true, "refused", "refused"),
      (429, "<html>", false, "unavailable", "unclear"), (408, #"{"error":"x"}"#, true, "unavailable", "unclear"),
      (500, #"{"message":"Server Error"}"#, true, "unavailable", "unclear"),
      (503, "", false, "unavailable", "unclear"), (100, "", false, "unavailable", "unclear"),
    ] as [(Int, String, Bool, String, String)])
  func answersMeanWhatTheySay(status: Int, body: String, json: Bool, reading: String, changing: String) {
    expectEqual(name(answer(status, body, json: json, changes: false)), reading)
    expectEqual(name(answer(status, body, json: json, changes: true)), changing)
  }

  @Test func whatIsWrongWithFieldsIsTold() {
    let body = #"{"message":"Bad","errors":{"email":["Not an \u001baddress"],"name":"Too long","x":[],"y":7}}"#
    guard case .failure(let fault) = answer(422, body, changes: true) else { return unexpected("taken") }
    expectEqual(
      fault.words, "host:1 does not take it (422): “Bad”. email: Not an address name: Too long y: 7")
  }
}
