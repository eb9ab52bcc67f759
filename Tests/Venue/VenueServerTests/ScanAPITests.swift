import Expectations
import Foundation
import NIOCore
import NIOHTTP1
import SQLiteFile
import Testing

@testable import VenueServer

@Suite struct ScanAPITests {
  @Test func anEntryAdmitsAndAnswersWithItsFirstTimeAgain() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(now: { clock.now })) { venue in
      let code = try venue.code(.entry)
      let first = try await venue.scan(code)
      expectEqual(first.status, 201)
      expectEqual(first.headers["Content-Type"], ["application/json"])
      expectEqual(first.headers["Date"], ["Wed, 17 Dec 2025 14:30:00 GMT"])
      try expectEqual(first.string("data.scanned_at"), "2025-12-17T14:30:00.000000Z")
      try expectEqual(first.string("data.sale.status"), "paid")
      try expectEqual(first.string("data.sale.tickets.0.usage_status"), "used")
      try expectEqual(first.integer("data.sale.tickets.0.quantity"), 1)
      clock.advance(seconds: 90.7)
      let second = try await venue.scan(code)
      expectEqual(second.status, 201)
      expectEqual(second.headers["Date"], ["Wed, 17 Dec 2025 14:31:30 GMT"])
      expectEqual(second.text, first.text)
      let book = try await venue.server.book()
      expectEqual(book.count, 1)
      expectEqual(book.first?.code, code)
      expectEqual(book.first?.wasMadeByScan, false)
      expectEqual(book.first?.entryID, Int64(try first.integer("data.entry_id") ?? 0))
      expectEqual(book.first?.scannedAt, Date(timeIntervalSince1970: 1_765_981_800))
    }
  }

  @Test func aSaleMakesAnEntryAtEachScan() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(now: { clock.now })) { venue in
      let code = try venue.code(.sale)
      let first = try await venue.post(#"{"code":"\#(code)","seat_number":"A12"}"#)
      clock.advance(seconds: 5)
      let second = try await venue.scan(code)
      let third = try await venue.scan(code)
      expect([first, second, third].allSatisfy { $0.status == 201 })
      try expectEqual(second.string("data.scanned_at"), "2025-12-17T14:30:05.000000Z")
      let ids = try [first, second, third].map { try $0.integer("data.entry_id") }
      expectEqual(Set(ids).count, 3)
      try expectEqual(Set([first, second].map { try $0.integer("data.sale_id") }).count, 1)
      try expectEqual(first.integer("data.sale.tickets.0.quantity"), 2)
      let book = try await venue.server.book()
      expectEqual(book.map(\.seat), ["A12", nil, nil])
      expect(book.allSatisfy { $0.code == code && $0.wasMadeByScan })
      let secrets = try await venue.server.store.read { db in
        try db.texts("SELECT secret FROM entries WHERE made_by_scan = 1")
      }
      expectEqual(Set(secrets).count, 3)
      expect(secrets.allSatisfy { $0.utf8.count == 24 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
      // Such an entry is a ticket too: its secret answers with its first time.
      let own = try await venue.scan(try #require(secrets.first))
      try expectEqual(own.integer("data.entry_id"), ids.first)
    }
  }

  @Test func aSaleTicketIsChosenOrTheFirst() async throws {
    try await withVenue { venue in
      let code = try venue.code(.sale)
      let first = try await venue.scan(code)
      let ticket = try #require(try first.integer("data.sale.tickets.0.id"))
      let sale = try #require(try first.integer("data.sale_id"))
      try await expectEqual(venue.post(#"{"code":"\#(code)","sale_ticket_id":\#(ticket)}"#).status, 201)
      try await expectEqual(venue.post(#"{"code":"\#(code)","sale_ticket_id":"\#(ticket)"}"#).status, 201)
      let foreign = try await venue.post(#"{"code":"\#(code)","sale_ticket_id":\#(ticket + 1)}"#)
      expectEqual(foreign.status, 404)
      expectEqual(foreign.text, #"{"error":"Sale ticket not found"}"#)
      try await venue.server.store.write { db in
        try db.run("DELETE FROM entries WHERE sale_ticket_id = ?", Int64(ticket))
        try db.run("DELETE FROM sale_tickets WHERE sale_id = ?", Int64(sale))
      }
      let none = try await venue.scan(code)
      expectEqual(none.status, 404)
      expectEqual(none.text, #"{"error":"No tickets found in this sale"}"#)
    }
  }

  /// What follows a NUL is a part of the code like all else.
  @Test func aCodeIsComparedWhole() async throws {
    try await withVenue { venue in
      for kind in [SeededTicket.Kind.entry, .sale] {
        let longer = try venue.code(kind) + #"\u0000x"#
        let reply = try await venue.scan(longer)
        expectEqual(reply.status, 404)
        expectEqual(reply.text, #"{"error":"Ticket not found"}"#)
      }
      expect(try await venue.server.book().isEmpty)
    }
  }

  @Test func eachRefusalHasItsOwnAnswer() async throws {
    try await withVenue { venue in
      let refusals: [(SeededTicket.Kind, Int, String)] = [
        (.unpaid, 400, "This ticket is not paid"), (.cancelled, 400, "This ticket is cancelled"),
        (.refunded, 400, "This ticket is refunded"), (.wrongDay, 400, "This ticket is not valid for today"),
        (.otherOrganiser, 403, "You are not authorized to scan this ticket"), (.deleted, 404, "Ticket not found"),
      ]
      for (kind, status, text) in refusals {
        let reply = try await venue.scan(try venue.code(kind))
        expectEqual(reply.status, status, "\(kind)")
        expectEqual(reply.text, #"{"error":"\#(text)"}"#, "\(kind)")
        expectEqual(reply.headers["Date"].count, 1)
      }
      for code in ["invalid-xyz", try venue.code(.entry).uppercased(), "' OR '1'='1"] {
        let unknown = try await venue.scan(code)
        expectEqual(unknown.status, 404)
        expectEqual(unknown.text, #"{"error":"Ticket not found"}"#)
      }
      expect(try await venue.server.book().isEmpty)
    }
  }

  @Test func anExpiredSalePassesAndSaysSo() async throws {
    try await withVenue { venue in
      let reply = try await venue.scan(try venue.code(.expired))
      expectEqual(reply.status, 201)
      try expectEqual(reply.string("data.sale.status"), "expired")
    }
  }

  @Test func aDeletedSaleIsStillFoundByItsEntry() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      try await venue.server.store.write { db in try db.execute("UPDATE sales SET is_deleted = 1") }
      try await expectEqual(venue.scan(code).status, 201)
      try await expectEqual(venue.scan(try venue.code(.sale)).status, 404)
    }
  }

  @Test func theAnswerHasTheRealServersShape() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(now: { clock.now }), seed: Seed(zone: "America/New_York")) { venue in
      let reply = try await venue.scan(try #require(venue.seeded.tickets.last { $0.kind == .entry }).code)
      let json = try reply.json
      expect(reply.text.hasPrefix("{\n    \"data\": {\n        \"sale_id\": "))
      expectEqual(json.string("data.sale.name"), "Jürgen Groß")
      expect(reply.text.contains(#"J\u00fcrgen Gro\u00df"#))
      let event = try #require(json["data.sale.event"])
      let id = try #require(json.integer("data.sale.event_id"))
      expectEqual(event.string("id"), Data(String(id + 389_278).utf8).base64EncodedString())
      expectEqual(event.string("starts_at"), "2025-12-18 01:00:00")
      expectEqual(event.string("timezone"), "America/New_York")
      expectEqual(event.integer("duration"), 3)
      expect(event["ends_at"] == nil)
      expectEqual(event["members"], .array([]))
      expectEqual(event["notification_settings"], .array([]))
      expectEqual(event["tickets.0.quantity"], .null)
      expectEqual(event["tickets.0.sold"], .object(["2025-12-17": .number(4)]))
      try await venue.server.store.write { db in try db.execute("UPDATE sales SET status = 'expired'") }
      let unsold = try await venue.scan(try venue.code(.entry))
      try expectEqual(unsold.json["data.sale.event.tickets.0.sold"], .array([]))
    }
  }

  @Test func fiftyScansOfOneSaleAtOnceAreFiftyEntries() async throws {
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(storage: .file(directory + "/venue.sqlite"))
      try await withVenue(configuration) { venue in
        let code = try venue.code(.sale)
        let entry = try venue.code(.entry)
        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
          for number in 0..<58 {
            group.addTask { try await venue.scan(number < 50 ? code : entry) }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(replies.allSatisfy { $0.status == 201 })
        let ids = try replies.compactMap { try $0.integer("data.entry_id") }
        // The eight scans of the printed entry share one.
        expectEqual(Set(ids).count, 51)
        let book = try await venue.server.book()
        expectEqual(Set(book.map(\.entryID)), Set(ids.map { Int64($0) }))
        expectEqual(book.count { $0.code == code }, 50)
      }
    }
  }

  @Test(arguments: [
    // The day begins and ends by the event's own clocks: thirteen hours before UTC's in Auckland, five after in New York.
    ("Pacific/Auckland", "2025-12-17", "2025-12-16T10:59:59Z", "2025-12-16T11:00:00Z", "2025-12-17T10:59:59Z"),
    ("America/New_York", "2025-12-17", "2025-12-17T04:59:59Z", "2025-12-17T05:00:00Z", "2025-12-18T04:59:59Z"),
    ("Pacific/Honolulu", "2025-12-17", "2025-12-17T09:59:59Z", "2025-12-17T10:00:00Z", "2025-12-18T09:59:59Z"),
    // A day of 23 hours.
    ("America/New_York", "2026-03-08", "2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z"),
  ])
  func todayIsTodayWhereTheEventIs(
    zone: String, day: String, before: String, first: String, last: String
  ) async throws {
    let clock = try ManualClock(before)
    try await withVenue(VenueConfiguration(now: { clock.now })) { venue in
      _ = try await venue.server.importTickets(
        [ImportedTicket(line: 2, code: "ticket-one", day: day, zone: zone)], file: "t.csv")
      let early = try await venue.scan("ticket-one")
      expectEqual(early.text, #"{"error":"This ticket is not valid for today"}"#)
      clock.advance(seconds: 1)
      expectEqual(clock.now, (try Date(first, strategy: .iso8601)))
      try await expectEqual(venue.scan("ticket-one").status, 201)
      clock.advance(seconds: try Date(last, strategy: .iso8601).timeIntervalSince(clock.now))
      try await expectEqual(venue.scan("ticket-one").status, 201)
      clock.advance(seconds: 1)
      try await expectEqual(venue.scan("ticket-one").status, 400)
    }
  }

  @Test func aZoneThatIsLostDoesNotPassForAnother() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      try await venue.server.store.write { db in try db.execute("UPDATE events SET timezone = 'Mars/Olympus'") }
      let reply = try await venue.scan(code)
      expectEqual(reply.status, 500)
      expectEqual(reply.text, #"{"message":"Server Error"}"#)
      expect(try await venue.server.book().isEmpty)
    }
  }

  @Test func scanningBySaleLooksAtNeitherDayNorPayment() async throws {
    try await withVenue { venue in
      let rows = try await venue.server.store.read { db in
        try db.rows(
          "SELECT sales.id, sales.seed, sale_tickets.id AS ticket FROM sales JOIN sale_tickets ON sale_id = sales.id"
        )
        .map { (seed: try $0["seed"] as String, id: try $0["id"] as Int64, ticket: try $0["ticket"] as Int64) }
      }
      for kind in ["unpaid", "wrongDay", "deleted"] {
        let row = try #require(rows.first { $0.seed.hasPrefix(kind) })
        for id in ["\(row.id)", PublicID.text(row.id)] {
          let reply = try await venue.post(#"{"sale_ticket_id":\#(row.ticket)}"#, to: "/api/tickets/\(id)/scan")
          expectEqual(reply.status, 201)
          expect(try reply.integer("data.entry_id") != nil)
          try expectEqual(reply.string("data.scanned_at")?.hasSuffix(".000000Z"), true)
          expect(try reply.json["data.sale"] == nil)
        }
      }
      let foreign = try #require(rows.first { $0.seed.hasPrefix("otherOrganiser") })
      let forbidden = try await venue.post(
        #"{"sale_ticket_id":\#(foreign.ticket)}"#, to: "/api/tickets/\(foreign.id)/scan")
      expectEqual(forbidden.status, 403)
      expectEqual(forbidden.text, #"{"error":"Unauthorized"}"#)
      let unknown = try await venue.post(#"{"sale_ticket_id":1}"#, to: "/api/tickets/9999/scan")
      expectEqual(unknown.status, 404)
      try expectEqual(unknown.string("message"), #"No query results for model [App\Models\Sale] 9999"#)
      let own = try #require(rows.first { $0.seed.hasPrefix("sale") })
      let elsewhere = try await venue.post(#"{"sale_ticket_id":\#(foreign.ticket)}"#, to: "/api/tickets/\(own.id)/scan")
      expectEqual(elsewhere.text, #"{"error":"Sale ticket not found"}"#)
      let missing = try await venue.post("{}", to: "/api/tickets/\(own.id)/scan")
      expectEqual(missing.status, 422)
      try expectEqual(missing.string("errors.sale_ticket_id.0"), "The sale ticket id field is required.")
    }
  }

  @Test func theListShowsOwnSalesByPage() async throws {
    try await withVenue(VenueConfiguration(noLimits: true)) { venue in
      let all = try await venue.get("/api/tickets")
      expectEqual(all.status, 200)
      // Ten seeded, without the deleted one and the other organiser's.
      try expectEqual(all.integer("meta.total"), 8)
      try expectEqual(all.integer("meta.per_page"), 50)
      try expectEqual(all.integer("meta.last_page"), 1)
      let code = try venue.code(.unpaid)
      let found = try await venue.get("/api/tickets?query=\(code)")
      try expectEqual(found.integer("meta.total"), 1)
      try expectEqual(found.string("data.0.status"), "unpaid")
      try expectEqual(found.string("data.0.tickets.0.usage_status"), "unused")
      expect(!found.text.contains(code))
      expect(try await venue.server.book().isEmpty)

      let many = (0..<120).map { ImportedTicket(line: $0 + 2, code: "list-\($0)x", isSale: true, name: "Guest \($0)") }
      _ = try await venue.server.importTickets(many, file: "many.csv")
      let last = try await venue.get("/api/tickets?query=list-&page=3")
      try expectEqual(last.integer("meta.last_page"), 3)
      try expectEqual(last.integer("meta.current_page"), 3)
      expect(try last.json["data.19"] != nil)
      expect(try last.json["data.20"] == nil)
      let beyond = try await venue.get("/api/tickets?query=list-&page=9223372036854775807")
      expectEqual(beyond.status, 200)
      try expectEqual(beyond.json["data"], .array([]))
      try await expectEqual(venue.get("/api/tickets?page=-5").status, 200)

      let events = try await venue.server.store.read { db in
        try db.rows("SELECT id, seed FROM events WHERE seed IS NOT NULL")
          .reduce(into: [String: Int64]()) { $0[try $1["seed"]] = try $1["id"] as Int64 }
      }
      let own = try #require(events["other-day"])
      let foreign = try #require(events["other-organiser"])
      try await expectEqual(venue.get("/api/tickets?event_id=\(own)").integer("meta.total"), 1)
      let forbidden = try await venue.get("/api/tickets?event_id=\(foreign)")
      expectEqual(forbidden.status, 403)
      expectEqual(forbidden.text, #"{"error":"Unauthorized"}"#)
      try await expectEqual(venue.get("/api/tickets?event_id=nothing").status, 404)
    }
  }
}
