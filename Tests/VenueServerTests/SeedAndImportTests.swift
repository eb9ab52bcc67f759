import Expectations
import Foundation
import SQLiteFile
import Testing

@testable import VenueServer

@Suite struct SeedAndImportTests {
  private func csv(_ lines: String...) -> [UInt8] { [UInt8](lines.joined(separator: "\n").utf8) }

  private func salesCount(_ server: VenueServer) async throws -> Int? {
    try await server.store.read { db in try db.integer("SELECT COUNT(*) FROM sales").map { Int($0) } }
  }

  @Test func aSeedHasATicketOfEachKindWithItsURL() async throws {
    let server = try VenueServer(VenueConfiguration())
    let seeded = try await server.seed()
    expectEqual(Set(seeded.tickets.map(\.kind)), Set(SeededTicket.Kind.allCases))
    expectEqual(Set(seeded.tickets.map(\.code)).count, seeded.tickets.count)
    for ticket in seeded.tickets {
      expectEqual(ticket.code.utf8.count, 32)
      expect(ticket.code.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
      expect(ticket.asURL.hasPrefix("https://venue.example/ticket/view/"))
      expect(ticket.asURL.hasSuffix("/\(ticket.code)"))
    }
  }

  @Test func aNumberedSeedRepeatsAndAnotherDiffers() async throws {
    func tickets(_ seed: Seed) async throws -> [SeededTicket] {
      try await VenueServer(VenueConfiguration()).seed(seed).tickets
    }
    let first = try await tickets(Seed(random: 7))
    try await expectEqual(tickets(Seed(random: 7)), first)
    expect(try await tickets(Seed(random: 8)) != first)
    expect(try await tickets(Seed()) != tickets(Seed()))
  }

  @Test func seedingTwiceKeepsCodesAndMovesTheEventToToday() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(storage: .file(directory + "/venue.sqlite"), now: { clock.now })
      var first: SeededVenue?
      try await withVenue(configuration) { venue in
        first = venue.seeded
        try await expectEqual(venue.scan(try venue.code(.entry)).status, 201)
        let again = try await venue.server.seed(Seed(zone: "UTC"))
        expectEqual(again.tickets, venue.seeded.tickets)
        expect(again.apiKey == nil)
        // On the same day what was scanned stays scanned.
        try await expectEqual(venue.server.book().count, 1)
      }
      let key = try #require(first?.apiKey)
      clock.advance(seconds: 2 * 86_400)
      let codes = first?.tickets
      try await withVenue(configuration) { venue in
        expectEqual(venue.seeded.tickets, codes)
        expect(venue.seeded.apiKey == nil)
        try await expectEqual(salesCount(venue.server), codes?.count)
        expect(try await venue.server.book().isEmpty)
        let reply = try await venue.scan(try venue.code(.entry), key: key)
        expectEqual(reply.status, 201)
        try expectEqual(reply.string("data.scanned_at"), "2025-12-19T14:30:00.000000Z")
        try expectEqual(reply.string("data.sale.event.starts_at"), "2025-12-19 20:00:00")
        try await expectEqual(venue.scan(try venue.code(.wrongDay), key: key).status, 400)
      }
    }
  }

  @Test func anUnknownZoneIsNoSeed() async throws {
    let server = try VenueServer(VenueConfiguration())
    await #expect(throws: VenueError.self) { try await server.seed(Seed(zone: "Mars/Olympus")) }
    try await expectEqual(salesCount(server), 0)
  }

  @Test func aFileOfCodesAloneWillDo() async throws {
    try await withVenue { venue in
      let summary = try await venue.server.importTickets(csv("code", "walk-in-1", "walk-in-2"), file: "codes.csv")
      expectEqual(summary, ImportSummary(added: 2, updated: 0))
      let reply = try await venue.scan("walk-in-1")
      expectEqual(reply.status, 201)
      try expectEqual(reply.string("data.sale.status"), "paid")
      try expectEqual(reply.string("data.sale.event.name"), "Imported tickets")
      try expectEqual(reply.integer("data.sale.tickets.0.quantity"), 1)
    }
  }

  @Test func everyColumnIsRead() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(now: { clock.now })) { venue in
      let file =
        [0xEF, 0xBB, 0xBF]
        + [UInt8](
          """
          Quantity,code,kind,status,name,email,event,date,timezone\r
          3, group-42 ,sale,,"Groß, ""Ju"" & family",ju@example.org,"Strings, \nall night",2025-12-18,Pacific/Auckland\r
          ,gone-1,sale,deleted,,,,,\r
          ,late-1,,expired,,,,,UTC\r

          """.utf8)
      try await expectEqual(venue.server.importTickets(file, file: "t.csv"), ImportSummary(added: 3, updated: 0))
      let reply = try await venue.scan("group-42")
      expectEqual(reply.status, 201)
      try expectEqual(reply.string("data.sale.name"), "Groß, \"Ju\" & family")
      try expectEqual(reply.string("data.sale.email"), "ju@example.org")
      try expectEqual(reply.string("data.sale.event.name"), "Strings, \nall night")
      try expectEqual(reply.integer("data.sale.tickets.0.quantity"), 3)
      try await expectEqual(venue.scan("gone-1").status, 404)
      try await expectEqual(venue.scan("late-1").string("data.sale.status"), "expired")
    }
  }

  @Test func importingAgainUpdatesAndKeepsScans() async throws {
    try await withVenue { venue in
      let server = venue.server
      _ = try await server.importTickets(
        csv("code,name,status", "aaaa1111,Ann,paid", "bbbb2222,Bo,paid"), file: "t.csv")
      let first = try await venue.scan("aaaa1111")
      let before = try await salesCount(server)
      let summary = try await server.importTickets(
        csv("code,name,status", "aaaa1111,Anna,paid", "bbbb2222,Bo,refunded"), file: "t.csv")
      expectEqual(summary, ImportSummary(added: 0, updated: 2))
      try await expectEqual(salesCount(server), before)
      let second = try await venue.scan("aaaa1111")
      try expectEqual(second.string("data.sale.name"), "Anna")
      try expectEqual(second.integer("data.entry_id"), first.integer("data.entry_id"))
      try await expectEqual(venue.scan("bbbb2222").text, #"{"error":"This ticket is refunded"}"#)
    }
  }

  @Test func everyFaultIsNamedWithItsLineAndNothingIsImported() async throws {
    let server = try VenueServer(VenueConfiguration())
    let file = csv(
      "code,kind,status,quantity,date,timezone", "fine-1,,,,,", ",entry,paid,1,,",
      "x2,voucher,overdue,0,17.12.2025,Nowhere/Land",
      "x3,entry,paid,2,,", "fine-1,,,,,", "x5,sale,paid", "x6,sale,paid,99999999999999999999,2025-02-30,UTC",
      "\"x7,sale")
    let error = try await #require(throws: TicketFileError.self) {
      try await server.importTickets(file, file: "tickets.csv")
    }
    expectEqual(
      error.description,
      """
      tickets.csv:3: the code is missing
      tickets.csv:4: kind must be entry or sale
      tickets.csv:4: status must be one of paid, unpaid, cancelled, refunded, expired, deleted
      tickets.csv:4: quantity must be a whole number from 1 to 1000
      tickets.csv:4: timezone must be an IANA name such as Europe/Berlin
      tickets.csv:4: date must be a day written YYYY-MM-DD
      tickets.csv:5: an entry code admits one; for a quantity of 2 the kind must be sale
      tickets.csv:6: the code was given in line 2 already
      tickets.csv:7: has 3 fields, the header has 6
      tickets.csv:8: quantity must be a whole number from 1 to 1000
      tickets.csv:8: date must be a day written YYYY-MM-DD
      tickets.csv:9: a quoted field that begins in this record is never closed
      """)
    try await expectEqual(salesCount(server), 0)
  }

  @Test(arguments: [
    ("", "t.csv:1: is empty; it needs a header with a column code"),
    (
      "kind\nsale",
      "t.csv:1: there is no column code; known are code,kind,status,name,email,quantity,event,date,timezone"
    ),
    (
      "code;kind\na;sale",
      "t.csv:1: the fields must be separated by commas: code,kind,status,name,email,quantity,event,date,timezone"
    ),
    ("code,code\na,b", "t.csv:1: column code is there twice"),
    (
      "code,colour\na,b",
      "t.csv:1: unknown column \"colour\"; known are code,kind,status,name,email,quantity,event,date,timezone"
    ),
  ])
  func aWrongHeaderIsExplained(text: String, expected: String) async throws {
    let server = try VenueServer(VenueConfiguration())
    let error = try await #require(throws: TicketFileError.self) {
      try await server.importTickets([UInt8](text.utf8), file: "t.csv")
    }
    expectEqual(error.description, expected)
  }

  @Test func aCodeCannotChangeItsKind() async throws {
    let server = try VenueServer(VenueConfiguration())
    _ = try await server.importTickets(csv("code,kind", "twofold-1,sale"), file: "a.csv")
    let error = try await #require(throws: TicketFileError.self) {
      try await server.importTickets(csv("code", "new-code-1", "twofold-1"), file: "b.csv")
    }
    expectEqual(error.problems.map(\.line), [3])
    try await expectEqual(salesCount(server), 1)
  }
}
