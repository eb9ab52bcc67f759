import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// Two halls, and several events of one key on one day.
@Suite struct HallSeedTests {
  @Test func oneDayHasSeveralEventsInTwoHalls() async throws {
    try await withDesk(.planify) { venue in
      for name in ["Hall A 17:00", "Hall A 20:00", "Hall B 20:00"] {
        let event = try await venue.event(name)
        expectEqual(event.string("venue.name"), String(name.prefix(6)))
        expectEqual(venue.tickets(of: name).filter { $0.kind == .entry }.map(\.type), ["Standard", "VIP"])
        for ticket in venue.tickets(of: name) {
          let reply = try await venue.scan(ticket.code)
          try expectEqual(reply.integer("data.sale.event_id"), Int(ticket.eventID))
          expect(ticket.asURL.contains("/\(event.string("id") ?? "-")/"))
        }
      }
      // One code, two lines of different types.
      let sale = try #require(venue.tickets(of: "Hall A 20:00").first { $0.kind == .sale })
      let lines = try await venue.scan(sale.code)
      try expectEqual(lines.json["data.sale.tickets"]?.count, 2)
      // The book knows the event of each.
      let book = try await venue.server.book()
      expectEqual(Set(book.map(\.eventID)).count, 3)
    }
  }

  @Test func seedingAgainKeepsThem() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/venue.sqlite"
      let first = try VenueServer(VenueConfiguration(storage: .file(path)))
      // The halls come later, to what was there.
      let plain = try await first.seed(Seed(random: 1, zone: "UTC"))
      let seeded = try await first.seed(Seed(zone: "UTC", halls: true))
      expectEqual(Array(seeded.tickets.prefix(plain.tickets.count)), plain.tickets)
      try await expectEqual(first.seed(Seed(zone: "UTC", halls: true)).tickets, seeded.tickets)
      try await expectEqual(VenueServer.tickets(ofFile: path).filter { $0.event == "Hall A 20:00" }.count, 3)
    }
  }

  @Test func withoutHallsTheOldEventsAreAllThereIs() async throws {
    try await withVenue { venue in
      try await expectEqual(venue.get("/api/sales?per_page=500").integer("meta.total"), 9)
      let reply = try await venue.scan(try venue.code(.entry))
      try expectEqual(reply.json["data.sale.event.venue"], .null)
      try expectEqual(reply.string("data.sale.event.tickets.0.price"), "10.000")
      for path in ["/api/events", "/api/venues", "/api/talent", "/api/checkins"] {
        try await expectEqual(venue.get(path).status, 404, "\(path)")
      }
    }
  }
}
