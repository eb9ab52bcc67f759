import Expectations
import Foundation
import SQLiteFile
import Testing

@testable import VenueServer

@Suite struct SeedAndImportTests {
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

  @Test func codesAloneWillDo() async throws {
    try await withVenue { venue in
      let summary = try await venue.server.importTickets(
        [ImportedTicket(line: 2, code: "walk-in-1"), ImportedTicket(line: 3, code: "walk-in-2")], file: "codes.csv")
      expectEqual(summary, ImportSummary(added: 2, updated: 0))
      let reply = try await venue.scan("walk-in-1")
      expectEqual(reply.status, 201)
      try expectEqual(reply.string("data.sale.status"), "paid")
      try expectEqual(reply.string("data.sale.event.name"), "Imported tickets")
      try expectEqual(reply.integer("data.sale.tickets.0.quantity"), 1)
    }
  }

  @Test func everythingThatIsToldIsKept() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(now: { clock.now })) { venue in
      let tickets = [
        ImportedTicket(
          line: 2, code: "group-42", name: "Groß, \"Ju\" & family", email: "ju@example.org", quantity: 3,
          event: "Strings, \nall night", day: "2025-12-18", zone: "Pacific/Auckland"),
        ImportedTicket(line: 3, code: "gone-1", isSale: true, status: .deleted),
        ImportedTicket(line: 4, code: "late-1", status: .expired, zone: "UTC"),
      ]
      try await expectEqual(
        venue.server.importTickets(tickets, file: "t.csv"), ImportSummary(added: 3, updated: 0))
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
      let (ann, bo) = (
        ImportedTicket(line: 2, code: "aaaa1111", name: "Ann"), ImportedTicket(line: 3, code: "bbbb2222", name: "Bo")
      )
      _ = try await server.importTickets([ann, bo], file: "t.csv")
      let first = try await venue.scan("aaaa1111")
      let before = try await salesCount(server)
      var (anna, refunded) = (ann, bo)
      anna.name = "Anna"
      refunded.status = .refunded
      let summary = try await server.importTickets([anna, refunded], file: "t.csv")
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
    let tickets = [
      ImportedTicket(line: 2, code: "fine-1"), ImportedTicket(line: 3, code: ""),
      ImportedTicket(line: 4, code: "x2", quantity: 0, day: "17.12.2025", zone: "Nowhere/Land"),
      ImportedTicket(line: 5, code: "x3", isSale: false, quantity: 2), ImportedTicket(line: 6, code: "fine-1"),
      ImportedTicket(line: 7, code: "x4\u{7}"), ImportedTicket(line: 8, code: "x6", day: "2025-02-30", zone: "UTC"),
    ]
    let error = try await #require(throws: TicketFileError.self) {
      try await server.importTickets(tickets, file: "tickets.csv")
    }
    expectEqual(
      error.description,
      """
      tickets.csv:3: the code is missing
      tickets.csv:4: quantity must be a whole number from 1 to 100000
      tickets.csv:4: timezone must be an IANA name such as Europe/Berlin
      tickets.csv:4: date must be a day written YYYY-MM-DD
      tickets.csv:5: an entry code admits one; for a quantity of 2 the kind must be sale
      tickets.csv:6: the code was given in line 2 already
      tickets.csv:7: the code must have at most 255 bytes and no control characters
      tickets.csv:8: date must be a day written YYYY-MM-DD
      """)
    try await expectEqual(salesCount(server), 0)
  }

  @Test func aCodeCannotChangeItsKind() async throws {
    let server = try VenueServer(VenueConfiguration())
    _ = try await server.importTickets([ImportedTicket(line: 2, code: "twofold-1", isSale: true)], file: "a.csv")
    let error = try await #require(throws: TicketFileError.self) {
      try await server.importTickets(
        [ImportedTicket(line: 2, code: "new-code-1"), ImportedTicket(line: 3, code: "twofold-1")], file: "b.csv")
    }
    expectEqual(error.problems.map(\.line), [3])
    try await expectEqual(salesCount(server), 1)
  }
}
